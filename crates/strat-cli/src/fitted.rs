//! `strat eval`, `inspect` and `certify` of what `strat fit --out` wrote: learners of a table of the user's own.

use crate::ExitCode;
use crate::Failure;
use crate::learned;
use crate::output::print;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use strat::engine::Isa;
use strat::engine::reference::Arrays;
use strat::escape::{list, one_line};
use strat::fit::certificate::Certificate;
use strat::fit::learned::{Learned, MOST_INPUTS};
use strat::fit::mixture::{Answer, Answerer};
use strat::fit::vote;
use strat::metric::Metric;
use strat::model::BlockModel;
use strat::result::{LearnerResult, Row};
use strat::stats::standard_error;
use strat::task::table::{LabelledRow, SheetError, SheetFault, TableRow, TableTask, TableTaskError, open};
use strat::task::table::{Stream, Streamed, Unknown};
use strat::task::{DataTask, Example, Target, TaskError};
use strat::train::Predictor;

/// Rows worked on at a time.
const ROWS: usize = 4096;
/// Rows with another answer that a person is shown.
const SHOWN: usize = 4;

/// Learners of a table.
pub struct Fitted<'a> {
    pub task: &'a DataTask,
    pub own: &'a TableTask,
    pub row: &'a str,
    pub model: BlockModel,
    pub learners: &'a [LearnerResult],
    /// Whether one learner was asked for.
    pub one: bool,
    pub isa: Isa,
}

/// Right answers of each learner and of their vote.
struct Tally {
    count: usize,
    right: Vec<usize>,
    by_vote: usize,
    by_mixture: usize,
    surprise: f64,
}

impl<'a> Fitted<'a> {
    /// Learners of a row: all of it, or the one of a seed.
    pub fn new(
        (task, own): (&'a DataTask, &'a TableTask),
        row: &'a Row,
        model: BlockModel,
        (learners, seed): (&'a [LearnerResult], Option<u64>),
        isa: Isa,
    ) -> Fitted<'a> {
        Fitted { task, own, row: &row.name, model, learners, one: seed.is_some(), isa }
    }

    /// How often learners and their vote answer as rows do: those of a file, or those they were taught.
    pub fn eval(&self, file: Option<&Path>, json: bool) -> Result<ExitCode, Failure> {
        let (name, tally) = match file {
            Some(file) => (file.display().to_string(), self.of_file(file)?),
            None => ("the rows they were taught".into(), self.of_rows()?),
        };
        let mixed = !self.one && !self.own.mixture.is_empty();
        let share = |right: usize| right as f64 / tally.count as f64;
        let shares: Vec<f64> = tally.right.iter().map(|&right| share(right)).collect();
        let (task, row, count) = (self.task.name(), self.row, tally.count);
        let mut out = String::new();
        if json {
            for (l, accuracy) in self.learners.iter().zip(&shares) {
                let line = json!({"task": task, "row": row, "seed": l.seed, "examples": name, "count": count,
                                  "accuracy": accuracy});
                let _ = writeln!(out, "{line}");
            }
            let mut line = json!({"task": task, "row": row, "examples": name, "count": count,
                                  "vote": share(tally.by_vote), "learners": shares.len()});
            if mixed {
                line["mixture"] = json!(share(tally.by_mixture));
                line["log_loss"] = json!(tally.surprise / count as f64);
            }
            let _ = writeln!(out, "{line}");
        } else {
            let _ = writeln!(out, "{} on {}, {name}: {count} rows\n", one_line(row), one_line(task));
            for (l, accuracy) in self.learners.iter().zip(&shares) {
                let _ = writeln!(out, "  seed {:<6} {:>6.2} %", l.seed, 100.0 * accuracy);
            }
            let mean = shares.iter().sum::<f64>() / shares.len() as f64;
            let _ = write!(out, "  mean        {:>6.2} %", 100.0 * mean);
            if shares.len() > 1 {
                let _ = write!(out, " ± {:.2} (standard error)", 100.0 * standard_error(&shares));
                let _ = write!(out, "\n  the vote    {:>6.2} %", 100.0 * share(tally.by_vote));
            }
            out.push('\n');
            if mixed {
                let loss = tally.surprise / count as f64;
                let right = 100.0 * share(tally.by_mixture);
                let _ =
                    writeln!(out, "  the mixture {right:>6.2} %, log-loss {loss:.3}: what strat predict answers");
            }
            if file.is_none() {
                out.push_str("\nThis says nothing about other rows: give some with --data-file FILE.\n");
            }
        }
        print(&out)?;
        Ok(ExitCode::SUCCESS)
    }

    fn tally(&self) -> Tally {
        Tally { count: 0, right: vec![0; self.learners.len()], by_vote: 0, by_mixture: 0, surprise: 0.0 }
    }

    /// Those who answer together; none if one learner is asked for, or the run has no mixture.
    fn answerer(&self) -> Result<Option<Answerer<'_>>, Failure> {
        if self.one || self.own.mixture.is_empty() {
            return Ok(None);
        }
        let known = |e| TaskError::from(TableTaskError::Symmetries(e));
        Ok(Some(Answerer::new((self.task, self.own), self.model, &self.weights(), self.isa).map_err(known)?))
    }

    fn count(
        &self,
        answerer: &mut Option<Answerer<'_>>,
        tally: &mut Tally,
        rows: &[(TableRow, u8)],
    ) -> Result<(), Failure> {
        if let Some(answerer) = answerer {
            let asked: Vec<TableRow> = rows.iter().map(|(row, _)| row.clone()).collect();
            let said = answerer.answer(&asked)?;
            tally.by_mixture += said.iter().zip(rows).filter(|(answer, row)| answer.class == row.1).count();
            let surprise = |(answer, row): (&Answer, &(TableRow, u8))| {
                -answer.probabilities[usize::from(row.1)].max(f64::MIN_POSITIVE).ln()
            };
            tally.surprise += said.iter().zip(rows).map(surprise).sum::<f64>();
        }
        let examples: Vec<Example> =
            rows.iter().map(|(row, class)| Example::new(row.input.clone(), Target::Class(*class))).collect();
        let of = |l: &LearnerResult| {
            Predictor::new(self.task, Arc::new(self.model), &l.weights, self.isa).classes(&examples)
        };
        let said: Vec<Vec<u8>> = self.learners.par_iter().with_max_len(1).map(of).collect::<Result<_, _>>()?;
        let right = |given: &dyn Fn(usize) -> u8| (0..rows.len()).filter(|&i| rows[i].1 == given(i)).count();
        for (sum, said) in tally.right.iter_mut().zip(&said) {
            *sum += right(&|i| said[i]);
        }
        let classes = self.own.schema.classes.len();
        tally.by_vote += right(&|i| vote(said.iter().map(|l| l[i]), classes).class);
        tally.count += rows.len();
        Ok(())
    }

    fn of_rows(&self) -> Result<Tally, Failure> {
        let (mut tally, mut answerer) = (self.tally(), self.answerer()?);
        let row = |r: &LabelledRow| (TableRow { input: r.input.clone(), numbers: r.numbers.clone() }, r.class);
        let rows: Vec<(TableRow, u8)> = self.own.rows.iter().map(row).collect();
        rows.chunks(ROWS).try_for_each(|rows| self.count(&mut answerer, &mut tally, rows))?;
        Ok(tally)
    }

    /// Rows of a file with the table's columns, the target among them, some at a time.
    fn of_file(&self, path: &Path) -> Result<Tally, Failure> {
        let schema = &self.own.schema;
        let fail = |fault| SheetError { path: path.into(), fault };
        let source = open(path).map_err(|e| fail(e.into()))?;
        let mut stream = Stream::new(path, source, schema)?;
        let missing = || SheetFault::NoColumn { name: schema.target.clone(), names: stream.names.clone() };
        let target = stream.names.iter().position(|n| *n == schema.target).ok_or_else(|| fail(missing()))?;
        let (mut tally, mut rows, mut answerer) = (self.tally(), vec![], self.answerer()?);
        while let Some(Streamed { row, cells, read, unknown }) = stream.next(schema)? {
            let cell = cells[target].trim();
            let class = schema.classes.iter().position(|class| class == cell).ok_or_else(|| {
                let (column, value) = (schema.target.clone(), cell.chars().take(90).collect());
                Failure::NoSuchValue(Unknown { row, column, value, known: schema.classes.clone() })
            })?;
            if let Some(unknown) = unknown {
                return Err(Failure::NoSuchValue(unknown));
            }
            rows.push((read, class as u8));
            if rows.len() == ROWS {
                self.count(&mut answerer, &mut tally, &std::mem::take(&mut rows))?;
            }
        }
        self.count(&mut answerer, &mut tally, &rows)?;
        if tally.count == 0 {
            return Err(fail(SheetFault::NoRows).into());
        }
        Ok(tally)
    }

    fn weights(&self) -> Vec<Arrays> {
        self.learners.iter().map(|l| l.weights.clone()).collect()
    }

    fn learned(&self, learners: &[Arrays]) -> Learned {
        Learned::of(self.task, self.own, self.model, learners, self.isa)
    }

    /// What they have learned: together, or one of them.
    pub fn inspect(&self, row: &Row, one: bool, json: bool) -> Result<ExitCode, Failure> {
        let mut out = String::new();
        if json {
            for l in self.learners {
                let mut line = learned::json(self.own, &self.learned(std::slice::from_ref(&l.weights)), None);
                line.extend([
                    ("row".to_string(), json!(row.name)),
                    ("seed".into(), json!(l.seed)),
                    ("model".into(), json!(row.model)),
                    ("metrics".into(), json!(l.metrics)),
                ]);
                let _ = writeln!(out, "{}", Value::Object(line));
            }
            print(&out)?;
            return Ok(ExitCode::SUCCESS);
        }
        let learned = self.learned(&self.weights());
        let who = match (self.learners, one) {
            ([l], true) => format!("{}, seed {}", one_line(self.row), l.seed),
            _ => "The population".into(),
        };
        out += &learned::page(self.own, &who, &learned, None);
        let _ = writeln!(
            out,
            "\n{}: {} learners\n\n  seed  rows as in the table",
            one_line(self.row),
            self.learners.len()
        );
        for l in self.learners {
            let share = l
                .metrics
                .get(&*Metric::TAUGHT_ACCURACY.name)
                .map_or("–".into(), |share| format!("{:.1} %", 100.0 * share));
            let _ = writeln!(out, "{:>6}  {share:>20}", l.seed);
        }
        print(&out)?;
        Ok(ExitCode::SUCCESS)
    }

    /// Their answers to every input, beside the table's: whether all rows are answered as there.
    pub fn certify(&self, json: bool) -> Result<bool, Failure> {
        let of = |weights: &[Arrays]| Certificate::of(self.task, self.own, self.model, weights, self.isa);
        let endless = || Failure::ManyInputs { task: self.task.name().into(), most: MOST_INPUTS };
        let mut agree = true;
        let mut show = |who: String, seed: Option<u64>, c: Certificate| -> Result<(), Failure> {
            agree &= c.wrong.is_empty();
            Ok(print(&if json { self.line(&who, seed, &c) } else { self.words(&who, &c) })?)
        };
        for l in self.learners {
            let certificate = of(std::slice::from_ref(&l.weights)).ok_or_else(endless)?;
            show(format!("{}, seed {}", one_line(self.row), l.seed), Some(l.seed), certificate)?;
        }
        if self.learners.len() > 1 {
            show("the vote".into(), None, of(&self.weights()).ok_or_else(endless)?)?;
        }
        if let Some(mut answerer) = self.answerer()? {
            let certificate = Certificate::of_mixture(self.own, &mut answerer)?;
            show("the mixture".into(), None, certificate.ok_or_else(endless)?)?;
        }
        if !json {
            print("Only the rows are compared: what is right on other inputs, the table does not say.\n")?;
        }
        Ok(agree)
    }

    fn words(&self, who: &str, c: &Certificate) -> String {
        let (schema, rows) = (&self.own.schema, self.own.rows.len());
        let mut out = match c.wrong.len() {
            0 => format!("{who}: answers all {rows} rows as the table does\n"),
            n => format!("{who}: answers {n} of {rows} rows otherwise than the table\n"),
        };
        for (row, vote) in c.wrong.iter().take(SHOWN) {
            let given = one_line(&schema.classes[usize::from(vote.class)]);
            let _ = writeln!(out, "  row {row}: {given}");
        }
        if c.wrong.len() > SHOWN {
            let _ = writeln!(out, "  and {} more (--json has all)", c.wrong.len() - SHOWN);
        }
        learned::rule(&mut out, &format!("its rule, on all {} inputs", c.inputs), &c.rule);
        if c.rule.is_empty() && c.relevant.len() < schema.fields.len() {
            let names: Vec<&str> = c.relevant.iter().map(|&i| schema.fields[i].name.as_str()).collect();
            let _ = writeln!(out, "  decided by {} alone", list(&names));
        }
        out
    }

    fn line(&self, who: &str, seed: Option<u64>, c: &Certificate) -> String {
        let schema = &self.own.schema;
        let who = if seed.is_some() { "learner" } else { who.trim_start_matches("the ") };
        let wrong = |(row, vote): &(usize, strat::fit::Vote)| json!({"row": row, "given": schema.classes[usize::from(vote.class)]});
        let relevant: Vec<&str> = c.relevant.iter().map(|&i| schema.fields[i].name.as_str()).collect();
        let line = json!({
            "task": self.task.name(), "row": self.row, "who": who, "seed": seed, "inputs": c.inputs, "rows": self.own.rows.len(),
            "as_the_table": c.wrong.is_empty(), "wrong": c.wrong.iter().map(wrong).collect::<Vec<_>>(),
            "relevant": relevant, "rule": (!c.rule.is_empty()).then(|| c.rule.join("\n")),
        });
        format!("{line}\n")
    }
}
