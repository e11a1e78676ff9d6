//! `strat predict` of learners that were trained on a file of examples: the examples of another file.

use crate::Failure;
use crate::args::PredictArgs;
use crate::output::print;
use rayon::prelude::*;
use std::fmt::Write;
use std::path::Path;
use strat::engine::Isa;
use strat::result::{LearnerResult, Row, TaskRecord};
use strat::task::{Answer, ArrayForm, ArrayTask, Task};
use strat::train::{Population, Predictor};

/// What the learners of a row read, if that is examples of a file.
pub fn form_of(row: &Row) -> Option<ArrayForm> {
    match &row.setup.as_ref()?.task {
        TaskRecord::Own(own) => ArrayTask::form_of(&own.task),
        _ => None,
    }
}

/// Answers every example of a file; false if the run is of another kind.
pub fn run(args: &PredictArgs, isa: Isa) -> Result<bool, Failure> {
    let folder = strat_paper::experiment::open(&args.record)?;
    let row = folder.row(args.chosen.row.as_deref())?;
    let (Some(form), Some(model)) = (form_of(row), row.model.model()) else { return Ok(false) };
    let Some(file) = &args.example else {
        let inputs = form.inputs.iter().map(|(name, width)| format!("{name} (width {width})"));
        let inputs = inputs.collect::<Vec<_>>().join(", ");
        return Err(Failure::NoFile { path: args.record.clone(), inputs });
    };
    let task = ArrayTask::read_for(Path::new(file), &form)?;
    Population::check(&task, &*model)?;
    let learners = folder.learners(row, args.chosen.seed)?;
    let examples = task.asked();
    let outputs = |l: &LearnerResult| Predictor::new(&task, model.clone(), &l.weights, isa).outputs(&examples);
    let outputs: Vec<Vec<Vec<f64>>> = learners.par_iter().with_max_len(1).map(outputs).collect::<Result<_, _>>()?;
    let mut out = String::new();
    for (i, example) in examples.iter().enumerate() {
        if learners.len() > 1 && !args.json {
            let _ = writeln!(out, "{}", task.text(example));
        }
        for (l, outputs) in learners.iter().zip(&outputs) {
            let answer = Answer::plain(task.readout(), &outputs[i]);
            let right = task.is_answered().then(|| example.target.is_answered_by(task.readout(), &outputs[i]));
            if args.json {
                let line = serde_json::json!({
                    "file": file, "row": row.name, "seed": l.seed, "example": task.number(example),
                    "answer": answer.as_ref().map(|a| &a.words), "confidence": answer.as_ref().and_then(|a| a.confidence),
                    "output": outputs[i], "right": right,
                });
                let _ = writeln!(out, "{line}");
                continue;
            }
            let who = if learners.len() > 1 { format!("  seed {:<6}", l.seed) } else { task.text(example) + "  " };
            let said = answer.map_or("NaN".into(), |a| a.to_string());
            let right = right.map_or("", |right| if right { "  right" } else { "  wrong" });
            let _ = writeln!(out, "{who}{said}{right}");
        }
    }
    print(&out)?;
    Ok(true)
}
