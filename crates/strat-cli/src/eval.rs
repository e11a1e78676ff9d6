//! `strat eval`: how often the learners of a run are right, or how far off they are.

use crate::Failure;
use crate::args::EvalArgs;
use crate::chosen::{Chosen, open};
use crate::fitted::Fitted;
use crate::output::print;
use crate::predict_file::form_of;
use rayon::prelude::*;
use std::fmt::Write;
use std::process::ExitCode;
use std::sync::Arc;
use strat::engine::Isa;
use strat::model::{ModelRecord, Readout};
use strat::result::LearnerResult;
use strat::stats::standard_error;
use strat::task::{ArrayTask, Entry, Example, Split, Task};
use strat::train::Predictor;

pub fn run(args: EvalArgs) -> Result<ExitCode, Failure> {
    let isa = Isa::detect()?;
    if let Some(file) = &args.data_file {
        let folder = strat_paper::experiment::open(&args.record)?;
        let row = folder.row(args.chosen.row.as_deref())?;
        if let (Some(form), Some(model)) = (form_of(row), row.model.model()) {
            let task = Arc::new(ArrayTask::read_for(file, &form)?);
            strat::train::Population::check(&*task, &*model)?;
            let learners = folder.learners(row, args.chosen.seed)?;
            let (name, examples) = (file.display().to_string(), task.asked());
            let tested = Tested { task, name, examples: Some(examples), split: Split::Id, stand_in: None };
            let scores =
                tested.scores(&learners, |weights| Predictor::new(&*tested.task, model.clone(), weights, isa))?;
            return tested.show(&row.name, &learners, &scores, None, args.json);
        }
    }
    let Chosen { source, data, row, learners } = open(&args.record, &args.chosen)?;
    if let (Some(own), Some(task), ModelRecord::Blocks(model)) = (row.table(), &data, &row.model) {
        if args.split.is_some() {
            return Err(Failure::NoSplits { task: task.name().into() });
        }
        let fitted = Fitted {
            task,
            own,
            row: &row.name,
            model: *model,
            learners: &learners,
            one: args.chosen.seed.is_some(),
            isa,
        };
        return fitted.eval(args.data_file.as_deref(), args.json);
    }
    let (name, examples) = match (&args.data_file, &data) {
        (Some(path), Some(task)) => (path.display().to_string(), Some(task.read_file(path)?)),
        (Some(_), None) => return Err(Failure::NotATask(args.record)),
        (None, _) => (if args.split() == Split::Id { "ID" } else { "OOD" }.into(), None),
    };
    // A file's examples are no stand-in.
    let stand_in = data.as_ref().and_then(|task| task.stand_in()).filter(|_| examples.is_none());
    let tested = Tested { task: source.task.clone(), name, examples, split: args.split(), stand_in };
    let scores =
        tested.scores(&learners, |weights| Predictor::new(&*source.task, source.model.clone(), weights, isa))?;
    let taught_with = row.data().and_then(|data| data.stand_in.clone());
    tested.show(&row.name, &learners, &scores, taught_with, args.json)
}

/// What learners are tested on.
struct Tested {
    task: Arc<dyn Task>,
    /// What it is called.
    name: String,
    /// The examples, if they are not those of the split.
    examples: Option<Vec<Example>>,
    split: Split,
    stand_in: Option<&'static str>,
}

impl Tested {
    fn scores<'a>(
        &self,
        learners: &[LearnerResult],
        predictor: impl Fn(&strat::engine::reference::Arrays) -> Predictor<'a> + Sync,
    ) -> Result<Vec<f64>, Failure> {
        let score = |l: &LearnerResult| match &self.examples {
            Some(examples) => predictor(&l.weights).mean_score(examples),
            None => predictor(&l.weights).test(self.split, l.seed),
        };
        Ok(learners.par_iter().with_max_len(1).map(score).collect::<Result<_, _>>()?)
    }

    fn show(
        &self,
        row: &str,
        learners: &[LearnerResult],
        scores: &[f64],
        taught_with: Option<String>,
        json: bool,
    ) -> Result<ExitCode, Failure> {
        let (task, name) = (self.task.name(), &self.name);
        let seed = learners.first().map_or(1, |l| l.seed);
        let count = self.examples.as_ref().map_or_else(|| self.task.test(self.split, seed).len(), Vec::len);
        let is_error = self.task.readout() == Readout::Number;
        let metric = if is_error { "mean_absolute_error" } else { "accuracy" };
        let mut out = String::new();
        if json {
            for (l, score) in learners.iter().zip(scores) {
                let line = serde_json::json!({
                    "task": task, "row": row, "seed": l.seed, "examples": name, "count": count,
                    metric: score, "stand_in": self.stand_in, "trained_on_stand_in": taught_with,
                });
                let _ = writeln!(out, "{line}");
            }
            print(&out)?;
            return Ok(ExitCode::SUCCESS);
        }
        let shown = |x: f64| if is_error { format!("{x:>10.3}") } else { format!("{:>6.2} %", 100.0 * x) };
        let title = Entry::named(task).map_or(task, |entry| entry.title);
        let what = if is_error { ", mean absolute error" } else { "" };
        let _ = writeln!(out, "{row} on {title}, {name}: {count} examples{what}\n");
        for (l, score) in learners.iter().zip(scores) {
            let _ = writeln!(out, "  seed {:<6} {}", l.seed, shown(*score));
        }
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let _ = write!(out, "  mean        {}", shown(mean));
        if scores.len() > 1 {
            let error = standard_error(scores) * if is_error { 1.0 } else { 100.0 };
            let _ = write!(out, " ± {error:.2} (standard error)");
        }
        out.push('\n');
        if let Some(stand_in) = self.stand_in {
            let _ = writeln!(out, "\nStand-in: {stand_in}.");
        }
        if let Some(taught_with) = taught_with.filter(|t| self.stand_in != Some(t)) {
            let _ = writeln!(out, "\nTrained on a stand-in: {taught_with}.");
        }
        print(&out)?;
        Ok(ExitCode::SUCCESS)
    }
}
