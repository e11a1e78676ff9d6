//! `strat predict`: what the learners of a run answer, to one example or to many.

use crate::ExitCode;
use crate::args::PredictArgs;
use crate::asked::{Asked, asked};
use crate::chosen::{Chosen, open};
use crate::output::print;
use crate::predict_table::Wanted;
use crate::say::say;
use crate::{Failure, checked, predict_file, predict_table};
use rayon::prelude::*;
use std::fmt::Write;
use strat::engine::Isa;
use strat::escape::one_line;
use strat::model::ModelRecord;
use strat::result::LearnerResult;
use strat::task::Example;
use strat::task::table::TableTask;
use strat::train::Predictor;

pub fn run(args: PredictArgs) -> Result<ExitCode, Failure> {
    let isa = Isa::detect()?;
    if predict_file::run(&args, isa)? {
        return Ok(ExitCode::SUCCESS);
    }
    let Chosen { source, data, row, learners } = open(&args.record, &args.chosen)?;
    if let (Some(own), Some(task), ModelRecord::Blocks(model)) = (row.table(), &data, &row.model) {
        // One learner answers alone.
        let alone = TableTask { mixture: vec![], ..own.clone() };
        let own = if args.chosen.seed.is_some() { &alone } else { own };
        let at_least = args.at_least.unwrap_or(0.0);
        let (on_unknown, probabilities) = (args.on_unknown, args.probabilities);
        let wanted = Wanted { on_unknown, probabilities, at_least, json: args.json };
        predict_table::run((task, own), (*model, &learners), args.example.as_deref(), wanted, isa)?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(form) = source.task.text() else { return Err(Failure::NotATask(args.record)) };
    let asked = asked(form, args.example.as_deref())?;
    for Asked { text, probe } in &asked {
        if let Some(objection) = form.objection(probe) {
            say!(
                "warning: {}: {}: {objection}. The learners have never seen its like",
                source.task.name(),
                one_line(text)
            );
        }
    }
    let examples: Vec<Example> = asked.iter().map(|a| a.probe.example().clone()).collect();
    if !args.unchecked
        && let Some(checked) = checked::ask(&source, &learners, &examples, isa)?
    {
        let task = (&*source.task, form);
        print(&checked::predict(task, (&row.name, &learners), &asked, &checked, args.json))?;
        return Ok(ExitCode::SUCCESS);
    }
    let outputs =
        |l: &LearnerResult| Predictor::new(&*source.task, source.model.clone(), &l.weights, isa).outputs(&examples);
    let outputs: Vec<Vec<Vec<f64>>> = learners.par_iter().with_max_len(1).map(outputs).collect::<Result<_, _>>()?;
    let mut out = String::new();
    for (i, Asked { text, probe }) in asked.iter().enumerate() {
        if asked.len() > 1 && !args.json {
            let _ = writeln!(out, "{}", one_line(text));
        }
        for (l, outputs) in learners.iter().zip(&outputs) {
            let (example, output) = (probe.example(), &outputs[i]);
            let answer = form.answer(example, output)?;
            let right = probe.known().map(|known| known.target.is_answered_by(source.task.readout(), output));
            if args.json {
                let line = serde_json::json!({
                    "task": source.task.name(), "row": row.name, "seed": l.seed, "example": text,
                    "answer": answer.words, "confidence": answer.confidence, "right": right,
                });
                let _ = writeln!(out, "{line}");
                continue;
            }
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
