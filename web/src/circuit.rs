//! How a learner computes, and what becomes of it.

use crate::Answered;
use crate::teach::{Kind, task};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use strat::crystal::Crystal;
use strat::engine::reference::Arrays;
use strat::inspect::Mechanism;
use strat::model::Lite;
use strat::task::SumTask;
use strat::trace::ExampleSource;

/// What the page draws.
const DRAWN: [&str; 8] = [
    "block.0.routes",
    "block.0.gate",
    "block.0.payload",
    "block.0.written",
    "data",
    "stream",
    "contributions",
    "output",
];

/// A gate that someone holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forced {
    token: usize,
    gate: usize,
    to: f64,
}

/// The arrays on the way to an answer.
pub fn trace(kind: Kind, weights: &Arrays, text: &str, forced: &[Forced]) -> Answered {
    let source = ExampleSource::new(kind.model(), Arc::new(SumTask::LOCKING));
    let example = source.read(text).map_err(|e| e.to_string())?;
    let mut trace = source.trace(weights, &example).map_err(|e| e.to_string())?;
    if !forced.is_empty() {
        let mut gates = trace.array("block.0.gate").map_err(|e| e.to_string())?;
        for Forced { token, gate, to } in forced {
            let at = token * gates.shape[1] + gate;
            *gates.values.get_mut(at).ok_or("there is no such gate")? = *to;
        }
        trace = trace.with("block.0.gate", &gates.values).map_err(|e| e.to_string())?;
    }
    // Models have some of them.
    let arrays = DRAWN.iter().filter_map(|name| Some((name.to_string(), json!(trace.array(name).ok()?.values))));
    Ok(json!({
        "tokens": example.tokens,
        "right": example.right.as_ref().and_then(|right| right.parse::<f64>().ok()),
        "arrays": arrays.collect::<Map<String, Value>>(),
    }))
}

/// A STRAT-Lite learner's mechanism, and the exact program that it becomes or why none.
pub fn explain(weights: &Arrays, sums: Vec<String>) -> Answered {
    let mechanism = Mechanism::of(Lite::STANDARD, weights);
    let program = match Crystal::of(Lite::STANDARD, weights, &task(sums)?, 0) {
        Ok(crystal) => {
            json!({ "rule": crystal.rule.to_string(), "python": crystal.rule.to_python() })
        }
        Err(obstacle) => json!({ "obstacle": obstacle.to_string() }),
    };
    Ok(json!({ "mechanism": mechanism, "name": mechanism.name(), "program": program }))
}
