//! `strat eval` and `strat predict`: what the learners of a run answer.

use crate::args::{ChosenArgs, EvalArgs, PredictArgs};
use crate::fitted::Fitted;
use crate::output::print;
use crate::say::say;
use crate::{Failure, forecast};
use rayon::prelude::*;
use std::fmt::Write;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use strat::engine::Isa;
use strat::model::{Blocks, ModelRecord};
use strat::result::Record;
use strat::stats::standard_error;
use strat::task::table::OwnTable;
use strat::task::{DataTask, Split};
use strat::train::Predictor;

/// Learners of one row of a run, and their task.
struct Class {
    task: DataTask,
    /// The stand-in that they were trained on, if it was one.
    taught_with: Option<String>,
    row: String,
    model: Blocks,
    learners: Vec<Record>,
    /// Their table, if it is the user's own.
    table: Option<Box<OwnTable>>,
}

fn open(record: &Path, chosen: &ChosenArgs) -> Result<Class, Failure> {
    let folder = strat_paper::experiment::open(record)?;
    let row = folder.row(chosen.row.as_deref())?;
    let (ModelRecord::Blocks(model), Some(course)) = (&row.model, &row.course) else {
        return Err(Failure::NotATask(record.into()));
    };
    let task = course.load(&chosen.folder.open()?)?;
    if !model.fits(task.shape(), task.readout()) {
        return Err(Failure::Misfit { path: record.into(), task: course.task.clone() });
    }
    let learners = folder.learners(row, chosen.seed)?;
    let all = folder.manifest.seeds.count();
    if chosen.seed.is_none() && learners.len() < all {
        say!("{}: only {} of {all} learners are finished", record.display(), learners.len());
    }
    let (taught_with, table) = (course.stand_in.clone(), course.table.clone());
    Ok(Class { task, taught_with, row: row.name.clone(), model: *model, learners, table })
}

pub fn eval(args: EvalArgs) -> Result<ExitCode, Failure> {
    let isa = Isa::detect()?;
    let Class { task, taught_with, row, model, learners, table } = open(&args.record, &args.chosen)?;
    if let Some(own) = &table {
        if args.split.is_some() {
            return Err(Failure::NoSplits { task: task.name().into() });
        }
        let fitted = Fitted { task: &task, own, row: &row, model, learners: &learners, isa };
        return fitted.eval(args.data_file.as_deref(), args.json);
    }
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
    let accuracy = |l: &Record| Predictor::<f32>::new(&task, Arc::new(model), &l.weights, isa).mean_score(examples);
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

/// The longest example that is read from standard input.
const LONGEST_EXAMPLE: u64 = 1 << 20;

pub fn predict(args: PredictArgs) -> Result<ExitCode, Failure> {
    let isa = Isa::detect()?;
    let Class { task, row, model, learners, table, .. } = open(&args.record, &args.chosen)?;
    if let Some(own) = &table {
        forecast::run(
            (&task, own),
            (model, &learners),
            args.example.as_deref(),
            (args.on_unknown, args.json),
            isa,
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = match args.example {
        Some(text) => text,
        None => {
            let mut text = String::new();
            std::io::stdin().lock().take(LONGEST_EXAMPLE + 1).read_to_string(&mut text).map_err(Failure::Input)?;
            if text.len() as u64 > LONGEST_EXAMPLE {
                let what = format!("an example has at most {LONGEST_EXAMPLE} bytes, and this has more");
                return Err(Failure::Input(std::io::Error::other(what)));
            }
            text
        }
    };
    let probe = task.probe(&text)?;
    if let Some(objection) = task.objection(&probe) {
        say!("warning: {}: {objection}. The learners have never seen its like", task.name());
    }
    let known = probe.known();
    let mut out = String::new();
    for l in &learners {
        let mut predictor = Predictor::<f32>::new(&task, Arc::new(model), &l.weights, isa);
        let logits: Vec<f32> =
            predictor.outputs(std::slice::from_ref(probe.example()))?[0].iter().map(|&x| x as f32).collect();
        let answer = task.answer(probe.example(), &logits)?;
        let right = known.map(|known| task.is_correct(known, &logits));
        if args.json {
            let line = serde_json::json!({
                "task": task.name(), "row": row, "seed": l.seed, "answer": answer.words,
                "confidence": answer.confidence, "right": right,
            });
            let _ = writeln!(out, "{line}");
        } else {
            let right = match right {
                Some(true) => "  right by the rule",
                Some(false) => "  wrong by the rule",
                None => "",
            };
            let space = if answer.board.is_some() { "\n" } else { " " };
            let _ = writeln!(out, "seed {:<5}{space}{answer:#}{right}", l.seed);
        }
    }
    print(&out)?;
    Ok(ExitCode::SUCCESS)
}
