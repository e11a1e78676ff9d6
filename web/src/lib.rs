//! What the playground's page computes, as questions and answers in JSON.
//!
//! - [`teach`]: learners of the same few sums, trained side by side
//! - [`circuit`]: how one of them computes an answer, and the program that it becomes
//! - [`table`]: a rule from a pasted table
//! - `door`: how the page calls this, if it is a WebAssembly module
//!
//! A module is one thread. The page has one for what it draws and a worker for each core, each with a module of its own.
//! Numbers are those of the portable instruction set, bit by bit: WebAssembly rounds as IEEE 754 says and fuses nothing.

pub mod circuit;
#[cfg(target_arch = "wasm32")]
mod door;
pub mod table;
pub mod teach;

use serde::Deserialize;
use serde_json::{Value, json};
use strat::engine::reference::Arrays;

/// What the page asks.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase", deny_unknown_fields)]
enum Question {
    /// The ten sums that the paper's learner of this seed is taught.
    Draw { seed: u64 },
    /// What some sums tell of the rule.
    Check { sums: Vec<String> },
    /// Begins to teach learners of both kinds; this module teaches no others.
    Teach { sums: Vec<String>, groups: Vec<teach::Wish> },
    /// Trains a group of them up to a step.
    Advance { group: usize, step: usize },
    /// How a learner computes an answer, some of its gates forced.
    Trace { kind: teach::Kind, weights: Arrays, text: String, forced: Vec<circuit::Forced> },
    /// What a STRAT-Lite learner's weights say, and the program it becomes.
    Explain { weights: Arrays, sums: Vec<String> },
    /// Learns from a table; this module learns no other.
    Fit { text: String, target: String },
    /// What is answered to a row of it.
    Row { cells: Vec<String> },
}

/// The answer to a question; `{"error": …}` if there is none. `progress` hears what part of it is done.
pub fn answer(question: &str, progress: &(dyn Fn(f64) + Sync)) -> String {
    let answered = match serde_json::from_str(question) {
        Ok(Question::Draw { seed }) => Ok(teach::draw(seed)),
        Ok(Question::Check { sums }) => Ok(teach::check(&sums)),
        Ok(Question::Teach { sums, groups }) => teach::begin(sums, &groups),
        Ok(Question::Advance { group, step }) => teach::advance(group, step),
        Ok(Question::Trace { kind, weights, text, forced }) => circuit::trace(kind, &weights, &text, &forced),
        Ok(Question::Explain { weights, sums }) => circuit::explain(&weights, sums),
        Ok(Question::Fit { text, target }) => table::fit(&text, &target, progress),
        Ok(Question::Row { cells }) => table::row(&cells),
        Err(e) => Err(format!("the page asks for what there is not: {e}")),
    };
    answered.unwrap_or_else(|error| json!({ "error": error })).to_string()
}

/// An answer, or in words why there is none.
type Answered = Result<Value, String>;
