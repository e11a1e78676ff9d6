//! `strat predict`: what the learners of a run answer.

use crate::args::PredictArgs;
use crate::chosen::{Chosen, open};
use crate::output::print;
use crate::say::say;
use crate::{Failure, predict_table};
use std::fmt::Write;
use std::io::Read;
use std::process::ExitCode;
use std::sync::Arc;
use strat::engine::Isa;
use strat::train::Predictor;

/// The longest example that is read from standard input.
const LONGEST_EXAMPLE: u64 = 1 << 20;

pub fn run(args: PredictArgs) -> Result<ExitCode, Failure> {
    let isa = Isa::detect()?;
    let Chosen { task, row, model, learners, table, .. } = open(&args.record, &args.chosen)?;
    if let Some(own) = &table {
        predict_table::run(
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
