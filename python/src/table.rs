//! A table of one's own: what `StratClassifier` asks.

use crate::arrays::shaped;
use crate::failure::{guarded, of, value};
use crate::work::{self, Control, pool};
use numpy::{PyArrayDyn, PyReadonlyArray1};
use pyo3::prelude::*;
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use strat::engine::Isa;
use strat::engine::reference::Arrays;
use strat::fit;
use strat::fit::code::{Code, Language};
use strat::fit::held_out::{self, Tested};
use strat::fit::learned::Learned;
use strat::fit::mixture::{self, Answerer};
use strat::fit::run::plan;
use strat::model::{BlockModel, ModelRecord};
use strat::seeds::Seeds;
use strat::sweep::RunOptions;
use strat::task::DataTask;
use strat::task::table::{Field, Header, LabelledTable, Sheet, Symmetries, TableRow, TableTask, Told};
use strat::train::TrainConfig;

/// What `StratClassifier` says of a table.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Wanted {
    target: String,
    interchangeable: Vec<Vec<String>>,
    cyclic: Vec<Vec<String>>,
    flip_together: Vec<Vec<String>>,
    irrelevant: Vec<String>,
    words: Vec<String>,
    weight: Option<String>,
    first_seed: u64,
    learners: u64,
    epochs: Option<usize>,
    held_out: bool,
    threads: Option<usize>,
}

/// What was learned from a table.
#[pyclass(frozen, module = "strat._native")]
pub struct Table {
    own: Arc<TableTask>,
    task: Arc<DataTask>,
    model: BlockModel,
    weights: Arc<Vec<Arrays>>,
    learned: Value,
    isa: Isa,
}

/// For messages.
const NAME: &str = "table";

/// A column as the Python layer has it: numbers, or texts.
#[derive(FromPyObject)]
pub enum Cells<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Texts(Vec<String>),
}

/// The same as texts, as a file would have them; what is missing is empty.
fn texts(cells: Cells<'_>) -> Vec<String> {
    let number = |&x: &f64| match x {
        x if x.is_nan() => String::new(),
        x if x == 0.0 || (1e-5..1e15).contains(&x.abs()) => format!("{x}"),
        x => format!("{x:e}"),
    };
    match cells {
        Cells::Texts(texts) => texts,
        Cells::Numbers(numbers) => numbers.as_array().iter().map(number).collect(),
    }
}

/// Columns by name, each as long as the first.
type Columns = Vec<(String, Vec<String>)>;

fn columns(given: Vec<(String, Cells<'_>)>) -> PyResult<Columns> {
    let columns: Columns = given.into_iter().map(|(name, cells)| (name, texts(cells))).collect();
    let rows = columns.first().map_or(0, |c| c.1.len());
    match columns.iter().find(|c| c.1.len() != rows) {
        Some((name, cells)) => {
            Err(value(format!("column {name:?} has {} rows, but the first {rows}", cells.len())))
        }
        None => Ok(columns),
    }
}

/// As a file, with all in quotes, so that nothing in a cell is taken for another.
fn written(columns: &Columns) -> PyResult<Vec<u8>> {
    let mut out = csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Always).from_writer(vec![]);
    out.write_record(columns.iter().map(|c| &c.0)).map_err(value)?;
    for row in 0..columns.first().map_or(0, |c| c.1.len()) {
        out.write_record(columns.iter().map(|c| &c.1[row])).map_err(value)?;
    }
    out.into_inner().map_err(value)
}

/// Learns from a table.
#[pyfunction]
#[pyo3(signature = (table, wanted, callback=None))]
pub fn fit_table(
    py: Python<'_>,
    table: Vec<(String, Cells<'_>)>,
    wanted: Wanted,
    callback: Option<&Bound<'_, PyAny>>,
) -> PyResult<Table> {
    let csv = guarded(|| written(&columns(table)?))?;
    work::run(py, callback, move |control| taught(csv, wanted, control))
}

fn taught(csv: Vec<u8>, wanted: Wanted, control: &Control) -> PyResult<Table> {
    let Wanted { interchangeable, cyclic, flip_together, irrelevant, words, weight, .. } = wanted;
    let isa = Isa::detect().map_err(of)?;
    let pool = pool(wanted.threads)?;
    let sheet = Sheet::read_from(Path::new(NAME), Cursor::new(csv), Header::Present).map_err(of)?;
    let known = Symmetries { interchangeable, cyclic, flip_together };
    let told = Told { irrelevant, words, weight };
    let labelled = LabelledTable::of(&sheet, &wanted.target, &told, &known).map_err(of)?;
    let notes: Vec<String> = labelled.notes.iter().map(ToString::to_string).collect();
    let mut own = TableTask::new(labelled, known);
    let task = Arc::new(own.task(NAME).map_err(of)?);
    let last = wanted.first_seed.checked_add(wanted.learners.wrapping_sub(1));
    let seeds = last.and_then(|last| Seeds::new(wanted.first_seed, last));
    let seeds = seeds.ok_or_else(|| {
        value(format!("n_learners is {}, but should be from 1 to {}", wanted.learners, Seeds::MOST))
    })?;
    let epochs = wanted.epochs.unwrap_or(fit::config(1.0).steps);
    let heard = |done| control.advance_or_unwind(done);
    let mut tested: Option<Tested> = None;
    if wanted.held_out {
        control.total.store(held_out::work(&own, epochs).map_err(of)?, Ordering::Relaxed);
        let found = pool.install(|| held_out::held_out(&own, epochs, isa, &heard)).map_err(of)?;
        found.apply_to(&mut own);
        tested = Some(found);
    }
    let config = TrainConfig { steps: epochs, ..fit::config(mixture::decay(&own.mixture)) };
    let plan = plan(&task, &own, config).map_err(of)?;
    let noted = |done| control.advance(done);
    let options = RunOptions { isa, progress: &noted, stop: &control.stop, save_every: Duration::MAX };
    let outcome = pool.install(|| plan.run_with(seeds, &options)).map_err(of)?;
    let row = &outcome.rows[0];
    let ModelRecord::Blocks(model) = row.model else { unreachable!("a table is learned by blocks") };
    let weights: Vec<Arrays> = row.learners.iter().map(|l| l.weights.clone()).collect();
    let learned = pool.install(|| -> PyResult<Learned> {
        let answerer = Answerer::new((&task, &own), model, &weights, isa).map_err(of)?;
        answerer.learned(tested.as_ref()).map_err(of)
    })?;
    let learned = told_of(&own, &learned, tested.as_ref(), notes);
    Ok(Table { own: Arc::new(own), task, model, weights: Arc::new(weights), learned, isa })
}

/// What the Python layer shows.
fn told_of(own: &TableTask, learned: &Learned, tested: Option<&Tested>, notes: Vec<String>) -> Value {
    let schema = &own.schema;
    let matters = schema.fields.iter().zip(&learned.matters).map(|(f, share)| (f.name.clone(), json!(share)));
    let told = learned.told.as_ref();
    let rule = told.and_then(|told| told.as_ref().ok());
    let ask = |next: &strat::fit::next::Next| {
        let cells = schema.fields.iter().zip(&next.cells).map(|(f, cell)| (f.name.clone(), Value::from(&**cell)));
        let class = &schema.classes[usize::from(next.vote.class)];
        json!({"input": Value::Object(cells.collect()), "prediction": class, "probability": next.vote.agreement,
               "tells": next.tells})
    };
    let parts = |t: &Tested| {
        let part = |(w, tally): (&strat::task::table::Weighted, &held_out::Tally)| json!({"part": w.part.title(), "weight": w.weight, "accuracy": tally.accuracy, "log_loss": tally.log_loss});
        t.weights.iter().zip(&t.parts).map(part).collect::<Vec<_>>()
    };
    json!({
        "rule": rule.map(|rule| rule.lines.join("\n")),
        "rule_tree": rule.map(|rule| &rule.tree),
        "why_no_rule": told.and_then(|told| told.as_ref().err()),
        "matters": Value::Object(matters.collect::<Map<_, _>>()),
        "questions": learned.questions.iter().map(ask).collect::<Vec<_>>(),
        "held_out": tested.map(|t| json!({"accuracy": t.mixture.accuracy, "log_loss": t.mixture.log_loss,
                                           "majority": t.shares.accuracy, "parts": parts(t)})),
        "notes": notes,
    })
}

#[pymethods]
impl Table {
    /// The classes, in the order of the probabilities.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.own.schema.classes.clone()
    }

    /// What was learned, as JSON.
    #[getter]
    fn learned(&self) -> String {
        self.learned.to_string()
    }

    /// The probability of each class for every row of a table.
    #[pyo3(signature = (table, threads=None))]
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        table: Vec<(String, Cells<'_>)>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let columns = guarded(|| columns(table))?;
        let Table { own, task, model, weights, isa, .. } = self;
        let (own, task, model, weights, isa) = (own.clone(), task.clone(), *model, weights.clone(), *isa);
        let (rows, classes) = (columns.first().map_or(0, |c| c.1.len()), own.schema.classes.len());
        let numbers = work::run(py, None, move |control| {
            let find = |field: &Field| {
                let none = || value(format!("there is no column {:?}, which was learned from", field.name));
                Ok(&columns.iter().find(|c| c.0.trim() == field.name).ok_or_else(none)?.1)
            };
            let fields = own.schema.fields.iter().map(find).collect::<PyResult<Vec<_>>>()?;
            let row = |row: usize| {
                let cells: Vec<&str> = fields.iter().map(|cells| cells[row].trim()).collect();
                own.schema.read(&cells)
            };
            pool(threads)?.install(|| {
                let mut answerer = Answerer::new((&task, &own), model, &weights, isa).map_err(of)?;
                let mut numbers = Vec::with_capacity(rows * classes);
                for first in (0..rows).step_by(REMEMBERED) {
                    let part: Vec<TableRow> =
                        (first..rows.min(first + REMEMBERED)).into_par_iter().map(row).collect();
                    numbers.extend(distinct(&mut answerer, &part, control)?.into_iter().flatten());
                }
                Ok(numbers)
            })
        })?;
        shaped(py, numbers, vec![rows, classes])
    }

    /// The answers to all inputs as a function of another language.
    #[pyo3(signature = (language, threads=None))]
    fn code(&self, py: Python<'_>, language: &str, threads: Option<usize>) -> PyResult<String> {
        let language = match language {
            "python" => Language::Python,
            "javascript" => Language::JavaScript,
            "rust" => Language::Rust,
            "sql" => Language::Sql,
            _ => {
                return Err(value(format!(
                    "language is {language:?}, but is none of python, javascript, rust and sql"
                )));
            }
        };
        let Table { own, task, model, weights, isa, .. } = self;
        let (own, task, model, weights, isa) = (own.clone(), task.clone(), *model, weights.clone(), *isa);
        work::run(py, None, move |_| {
            pool(threads)?.install(|| {
                let mut answerer = Answerer::new((&task, &own), model, &weights, isa).map_err(of)?;
                let code = Code::of(NAME, &own, &mut answerer).map_err(of)?;
                let code =
                    code.ok_or_else(|| value("the table has too many inputs to write the answers to all of them"))?;
                Ok(code.write(language))
            })
        })
    }

    /// All of it, to be kept.
    fn to_json(&self) -> PyResult<String> {
        guarded(|| {
            let kept =
                json!({"own": *self.own, "model": self.model, "weights": *self.weights, "learned": self.learned});
            Ok(kept.to_string())
        })
    }

    /// What was kept.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Table> {
        guarded(|| {
            let wrong = |e: serde_json::Error| value(format!("this is no table that was kept: {e}"));
            let mut kept: Map<String, Value> = serde_json::from_str(text).map_err(wrong)?;
            let mut part = |name: &str| kept.remove(name).unwrap_or_default();
            let own: TableTask = serde_json::from_value(part("own")).map_err(wrong)?;
            own.check().map_err(of)?;
            let model: BlockModel = serde_json::from_value(part("model")).map_err(wrong)?;
            let weights: Vec<Arrays> = serde_json::from_value(part("weights")).map_err(wrong)?;
            let task = Arc::new(own.task(NAME).map_err(of)?);
            strat::train::Population::check(&*task, &model).map_err(of)?;
            let params = strat::model::Model::params(&model);
            let fits =
                |w: &Arrays| params.iter().all(|p| w.get(&*p.name).map(Vec::len) == Some(p.shape[0] * p.shape[1]));
            if !weights.iter().all(fits) {
                return Err(value("this is no table that was kept: its weights do not fit its model"));
            }
            let (isa, learned) = (Isa::detect().map_err(of)?, part("learned"));
            Ok(Table { own: Arc::new(own), task, model, weights: Arc::new(weights), learned, isa })
        })
    }
}

/// Rows that are answered at a time.
const ROWS: usize = 8192;
/// Rows among which the same are found.
const REMEMBERED: usize = 1 << 17;

/// What is answered to each row; rows that are the same are asked once.
fn distinct(answerer: &mut Answerer<'_>, rows: &[TableRow], control: &Control) -> PyResult<Vec<Vec<f64>>> {
    let key = |row: &TableRow| -> (Vec<u8>, Vec<Option<u64>>) {
        (row.input.clone(), row.numbers.iter().map(|x| x.map(f64::to_bits)).collect())
    };
    let mut places = HashMap::new();
    let mut asked = vec![];
    let place = |row: &TableRow| {
        *places.entry(key(row)).or_insert_with(|| {
            asked.push(row.clone());
            asked.len() - 1
        })
    };
    let at: Vec<usize> = rows.iter().map(place).collect();
    let mut said = Vec::with_capacity(asked.len());
    for part in asked.chunks(ROWS) {
        said.extend(answerer.answer(part).map_err(of)?);
        control.advance_or_unwind(1);
    }
    Ok(at.into_iter().map(|i| said[i].probabilities.clone()).collect())
}
