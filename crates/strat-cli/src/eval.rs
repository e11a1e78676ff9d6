//! `strat eval`: how often the learners of a run are right.

use crate::Failure;
use crate::args::EvalArgs;
use crate::chosen::{Chosen, open};
use crate::fitted::Fitted;
use crate::output::print;
use rayon::prelude::*;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use strat::engine::Isa;
use strat::model::ModelRecord;
use strat::result::LearnerResult;
use strat::stats::standard_error;
use strat::task::Split;
use strat::train::Predictor;

pub fn run(args: EvalArgs) -> Result<ExitCode, Failure> {
    let isa = Isa::detect()?;
    let Chosen { source, data, row, learners } = open(&args.record, &args.chosen)?;
    let Some(task) = data else { return Err(Failure::NotATask(args.record)) };
    let taught_with = row.data().and_then(|data| data.stand_in.clone());
    if let (Some(own), ModelRecord::Blocks(model)) = (row.table(), &row.model) {
        if args.split.is_some() {
            return Err(Failure::NoSplits { task: task.name().into() });
        }
        let fitted = Fitted { task: &task, own, row: &row.name, model: *model, learners: &learners, isa };
        return fitted.eval(args.data_file.as_deref(), args.json);
    }
    let row = row.name;
    let from_file = match &args.data_file {
        Some(path) => Some(task.read_file(path)?),
        None => None,
    };
    let (name, examples) = match (&from_file, args.split()) {
        (Some(examples), _) => {
            (args.data_file.as_deref().unwrap_or(Path::new("")).display().to_string(), &examples[..])
        }
        (None, Split::Id) => ("ID".into(), task.split(Split::Id)),
        (None, Split::Ood) => ("OOD".into(), task.split(Split::Ood)),
    };
    // A file's examples are no stand-in.
    let stand_in = task.stand_in().filter(|_| from_file.is_none());
    let accuracy =
        |l: &LearnerResult| Predictor::new(&*task, source.model.clone(), &l.weights, isa).mean_score(examples);
    let scores: Vec<f64> = learners.par_iter().with_max_len(1).map(accuracy).collect::<Result<_, _>>()?;

    let mut out = String::new();
    if args.json {
        for (l, accuracy) in learners.iter().zip(&scores) {
            let line = serde_json::json!({
                "task": task.name(), "row": row, "seed": l.seed, "examples": name, "count": examples.len(),
                "accuracy": accuracy, "stand_in": stand_in, "trained_on_stand_in": taught_with,
            });
            let _ = writeln!(out, "{line}");
        }
    } else {
        let _ = writeln!(out, "{row} on {}, {name}: {} examples\n", task.title(), examples.len());
        for (l, accuracy) in learners.iter().zip(&scores) {
            let _ = writeln!(out, "  seed {:<6} {:>6.2} %", l.seed, 100.0 * accuracy);
        }
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let _ = write!(out, "  mean        {:>6.2} %", 100.0 * mean);
        if scores.len() > 1 {
            let _ = write!(out, " ± {:.2} (standard error)", 100.0 * standard_error(&scores));
        }
        out.push('\n');
        if let Some(stand_in) = stand_in {
            let _ = writeln!(out, "\nStand-in: {stand_in}.");
        }
        if let Some(taught_with) = taught_with.filter(|t| stand_in != Some(t)) {
            let _ = writeln!(out, "\nTrained on a stand-in: {taught_with}.");
        }
    }
    print(&out)?;
    Ok(ExitCode::SUCCESS)
}
