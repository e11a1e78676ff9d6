//! Looking at learners: programs, certificates, pages, and the way to PyTorch.

use crate::failure::{guarded, of, value};
use crate::population::{Population, RowOf};
use crate::work::{self, pool};
use pyo3::prelude::*;
use rayon::prelude::*;
use serde_json::{Map, json};
use std::path::PathBuf;
use strat::crystal::{Crystal, Reading, Rule};
use strat::engine::Isa;
use strat::export::{TORCH, export};
use strat::model::ModelRecord;
use strat::result::LearnerResult;
use strat_cli::origin::VERSION;
use strat_paper::microscope::{self as pages, Learner, PageData};
use strat_paper::report::collect::collect;
use strat_paper::report::document::Report;
use strat_paper::report::html;

/// The exact program that a learner's weights are next to: its rule, the rule as Python and Rust, coefficients by
/// context, the distance to them, and the gates' margin.
#[expect(clippy::type_complexity, reason = "the Python layer names its parts")]
#[pyfunction]
pub fn crystallize(
    population: &Population,
    row: usize,
    at: usize,
) -> PyResult<(String, String, String, Vec<(String, i64)>, f64, f64)> {
    guarded(|| {
        let (row, learner) = population.learner(row, at)?;
        let (ModelRecord::Lite(lite), Some(task)) = (&row.row.model, row.row.sums()) else {
            return Err(value(format!(
                "row {:?}: only learners of STRAT-Lite on sums or lists become programs; certify() asks others for \
                 every input",
                row.row.name
            )));
        };
        let crystal = Crystal::of(*lite, &learner.weights, &task, learner.seed).map_err(of)?;
        let reading = Reading::of(lite.types);
        let coefficients =
            crystal.rule.coefficients.iter().enumerate().map(|(k, &c)| (reading.name(k), c)).collect();
        let (python, rust) = (crystal.rule.to_python(), crystal.rule.to_rust());
        Ok((crystal.rule.to_string(), python, rust, coefficients, crystal.distance, crystal.margin))
    })
}

/// What is certain about a learner.
struct Certain {
    seed: u64,
    correct: bool,
    inputs: Option<usize>,
    wrong: Vec<String>,
    rule: Option<String>,
    why: Option<String>,
}

fn certain(row: &RowOf, learner: &LearnerResult, isa: Isa) -> PyResult<Certain> {
    let seed = learner.seed;
    if let (ModelRecord::Lite(lite), Some(task)) = (&row.row.model, row.row.sums()) {
        let (rule, why) = match Rule::check(*lite, &learner.weights, &task, seed) {
            Ok(rule) => (Some(rule.to_string()), None),
            Err(flaw) => (None, Some(flaw.to_string())),
        };
        return Ok(Certain { seed, correct: why.is_none(), inputs: None, wrong: vec![], rule, why });
    }
    let source = row.source()?;
    let inputs = source.task.all_inputs().ok_or_else(|| {
        let name = source.task.name();
        value(format!("{name}: has too many inputs to ask for all of them, or no rule that answers them"))
    })?;
    let c =
        strat::certify::certify(&*source.task, &inputs, source.model.clone(), &learner.weights, isa).map_err(of)?;
    let shown = |input: &[u8]| {
        let example = inputs.iter().find(|e| e.input == input);
        match (source.task.text(), example) {
            (Some(text), Some(example)) => text.token_names(example).join(" "),
            _ => format!("{input:?}"),
        }
    };
    let wrong = c.wrong.iter().map(|w| shown(&w.input)).collect();
    let rule = c.rule.as_ref().map(|rule| format!("{rule:?}"));
    Ok(Certain { seed, correct: c.is_correct(), inputs: Some(c.inputs), wrong, rule, why: None })
}

/// A certificate of every learner of a row, as JSON.
#[pyfunction]
#[pyo3(signature = (population, row, threads=None))]
pub fn certify(py: Python<'_>, population: &Population, row: usize, threads: Option<usize>) -> PyResult<String> {
    let (row, isa) = (population.row(row)?.clone(), population.isa);
    work::run(py, None, move |control| {
        let one = |l: &LearnerResult| {
            let found = certain(&row, l, isa);
            control.advance_or_unwind(1);
            found
        };
        let all: PyResult<Vec<Certain>> = pool(threads)?.install(|| row.learners.par_iter().map(one).collect());
        let line = |c: Certain| {
            json!({"seed": c.seed, "correct": c.correct, "inputs": c.inputs, "wrong": c.wrong, "rule": c.rule,
                   "why": c.why})
        };
        Ok(json!(all?.into_iter().map(line).collect::<Vec<_>>()).to_string())
    })
}

/// A page that shows learners of a row at work on examples.
#[pyfunction]
#[pyo3(signature = (population, row, at, examples=None, title="Under the microscope"))]
pub fn microscope(
    py: Python<'_>,
    population: &Population,
    row: usize,
    at: Vec<usize>,
    examples: Option<Vec<String>>,
    title: &str,
) -> PyResult<String> {
    let most = strat_cli::MOST_LEARNERS;
    if at.is_empty() || at.len() > most {
        return Err(value(format!("{} learners, but a page shows from 1 to {most}", at.len())));
    }
    let chosen: Vec<LearnerResult> =
        at.iter().map(|&at| Ok(population.learner(row, at)?.1.clone())).collect::<PyResult<_>>()?;
    let (row, manifest, title) = (population.row(row)?.clone(), population.manifest.clone(), title.to_string());
    work::run(py, None, move |_| {
        let source = row.source()?;
        let by_default = examples.is_none();
        let texts = examples.unwrap_or_else(|| source.examples());
        let examples = texts.iter().map(|text| source.read(text)).collect::<Result<Vec<_>, _>>().map_err(of)?;
        let learners = chosen.iter().map(|l| Learner::of(&manifest, &row.row, source, l, &examples, None));
        let learners = learners.collect::<Result<Vec<_>, _>>().map_err(value)?;
        let mut data = PageData { examples, learners };
        let mut page = pages::page(&title, &data);
        // Of our own examples one will do.
        if by_default && page.is_err() {
            data.examples.truncate(1);
            data.learners.iter_mut().for_each(|l| l.frames.truncate(1));
            page = pages::page(&title, &data);
        }
        page.map_err(value)
    })
}

/// The operations of a learner's forward pass, as JSON that the PyTorch module reads.
#[pyfunction]
#[pyo3(signature = (population, row, at, tokens=None))]
pub fn forward_pass(population: &Population, row: usize, at: usize, tokens: Option<usize>) -> PyResult<String> {
    guarded(|| {
        let (row, learner) = population.learner(row, at)?;
        let source = row.source()?;
        let tokens = tokens.unwrap_or_else(|| source.task.most_tokens());
        if tokens == 0 || tokens > 1 << 16 || !source.model.reads(tokens) {
            return Err(value(format!("row {:?}: its model cannot read {tokens} tokens", row.row.name)));
        }
        let built = source.model.with_window(tokens).unwrap_or_else(|| source.model.clone()).build(tokens);
        let about = Map::from_iter([
            ("strat".into(), json!(VERSION)),
            ("row".into(), json!(row.row.name)),
            ("seed".into(), json!(learner.seed)),
            ("model".into(), json!(row.row.model)),
            ("tokens".into(), json!(tokens)),
        ]);
        Ok(export(&built, &source.model.params(), &learner.weights, about).map_err(of)?.config)
    })
}

/// The PyTorch module, as text.
#[pyfunction]
pub fn torch_module() -> &'static str {
    TORCH
}

/// A report on runs in folders, as a page.
#[pyfunction]
pub fn report(py: Python<'_>, folders: Vec<PathBuf>) -> PyResult<String> {
    work::run(py, None, move |_| {
        let collected = collect(&folders).map_err(of)?;
        let report = Report::of(&collected).map_err(value)?;
        Ok(html::render(&report))
    })
}
