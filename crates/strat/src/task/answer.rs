//! What a model says, in a task's words.

use super::dataset::DataTask;
use super::example::{Example, Target, largest};
use crate::model::Readout;
use std::fmt;

/// An answer. On one line by default; `{:#}` draws a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The same as data. Given cells of a board are copied.
    pub target: Target,
    /// What it is in words or symbols, on one line.
    pub words: String,
    /// The same as a board of several lines; none where an answer is no board.
    pub board: Option<String>,
    /// The probability that the model gives it, from 0 to 1; of a board the smallest of all cells that it
    /// had to answer. None for a right answer.
    pub confidence: Option<f64>,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = self.board.as_ref().filter(|_| f.alternate());
        f.write_str(board.unwrap_or(&self.words))?;
        let Some(confidence) = self.confidence else { return Ok(()) };
        f.write_str(if board.is_some() { "\n" } else { " " })?;
        let of = if self.board.is_some() { ", least certain cell" } else { "" };
        write!(f, "({:.1} %{of})", 100.0 * confidence)
    }
}

/// Why logits are no answer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// They are of another task.
    #[error("{task}: {found} logits, but an answer has {wanted}; give those of a model of this task")]
    Count {
        /// The task.
        task: String,
        /// How many there are.
        found: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// One is NaN.
    #[error("{task}: logit {at} of {of} is not a number; the model's weights are broken, so train it again")]
    NotANumber {
        /// The task.
        task: String,
        /// Which, from 1 on.
        at: usize,
        /// How many there are.
        of: usize,
    },
}

impl Answer {
    /// What an output says where a task has no words of its own: `class 2`, `yes`, a number; none of NaN.
    pub fn plain(readout: Readout, output: &[f64]) -> Option<Answer> {
        if output.iter().any(|x| x.is_nan()) {
            return None;
        }
        let logits: Vec<f32> = output.iter().map(|&x| x as f32).collect();
        let (target, confidence) = match readout {
            Readout::Number => (Target::Number(output[0]), None),
            Readout::Class(_) => {
                let (class, p) = most_likely(&logits);
                (Target::Class(class), Some(p))
            }
            Readout::Binary => {
                let (yes, p) = sign(logits[0]);
                (Target::Verdict(yes), Some(p))
            }
            Readout::TokenClass(n) => {
                let (target, p) = board(logits.chunks_exact(n).map(most_likely), |_| None);
                (target, Some(p))
            }
            Readout::TokenBinary => {
                let bits = logits.iter().map(|&l| sign(l)).map(|(yes, p)| (u8::from(yes), p));
                let (target, p) = board(bits, |_| None);
                (target, Some(p))
            }
        };
        let words = match &target {
            Target::Number(x) => format!("{x:.4}"),
            other => other.words(),
        };
        Some(Answer { target, words, board: None, confidence })
    }
}

impl DataTask {
    /// What a model says about an example of this task.
    pub(super) fn answer_of(&self, example: &Example, logits: &[f32]) -> Result<Answer, AnswerError> {
        let (found, wanted) = (logits.len(), self.readout().logits(self.shape().tokens));
        if found != wanted {
            return Err(AnswerError::Count { task: self.name().into(), found, wanted });
        }
        if let Some(at) = logits.iter().position(|l| l.is_nan()) {
            return Err(AnswerError::NotANumber { task: self.name().into(), at: at + 1, of: found });
        }
        let given = |cell: usize| self.domain.rule()?.given(example, cell);
        let (target, confidence) = match self.readout() {
            Readout::Class(_) => {
                let (class, p) = most_likely(logits);
                (Target::Class(class), p)
            }
            Readout::Binary => {
                let (yes, p) = sign(logits[0]);
                (Target::Verdict(yes), p)
            }
            Readout::Number => {
                let words = format!("{:.4}", logits[0]);
                let target = Target::Number(f64::from(logits[0]));
                return Ok(Answer { target, words, board: None, confidence: None });
            }
            Readout::TokenClass(n) => board(logits.chunks_exact(n).map(most_likely), given),
            Readout::TokenBinary => {
                board(logits.iter().map(|&l| sign(l)).map(|(yes, p)| (u8::from(yes), p)), given)
            }
        };
        Ok(Answer { confidence: Some(confidence), ..self.spoken(target) })
    }

    pub(super) fn spoken(&self, target: Target) -> Answer {
        let (words, board) = (self.domain.words(&target), self.domain.board(&target));
        Answer { target, words, board, confidence: None }
    }
}

/// The value of the largest logit and its softmax.
fn most_likely(logits: &[f32]) -> (u8, f64) {
    let best = largest(logits).expect("there are logits, and all are numbers");
    // Equal ones apart, so that infinity is not subtracted from itself.
    let share = |&l: &f32| if l == logits[best] { 1.0 } else { f64::from(l - logits[best]).exp() };
    (best as u8, 1.0 / logits.iter().map(share).sum::<f64>())
}

/// Yes or no, and its sigmoid.
fn sign(logit: f32) -> (bool, f64) {
    (logit > 0.0, 1.0 / (1.0 + (-f64::from(logit.abs())).exp()))
}

/// All cells: those that are given as they are, the others with the smallest confidence.
fn board(cells: impl Iterator<Item = (u8, f64)>, given: impl Fn(usize) -> Option<u8>) -> (Target, f64) {
    let (mut values, mut scored, mut least) = (vec![], vec![], 1.0f64);
    for (cell, (value, p)) in cells.enumerate() {
        let copied = given(cell);
        values.push(copied.unwrap_or(value));
        scored.push(copied.is_none());
        least = if copied.is_none() { least.min(p) } else { least };
    }
    (Target::Cells { values, scored }, least)
}
