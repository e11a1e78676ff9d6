//! What a learner answers on *every* input of a task whose inputs are few enough to be asked.
//!
//! Parity5 has 64 inputs, MONK-2 432, ThreeOf9 and SPECT 512, Tic-Tac-Toe 958, M-of-N 1,024: a learner is right on all of
//! them, or the inputs on which it is wrong are listed. [`CountRule`] is the smallest rule that answers as it does.
//! [`Control`] shows that values decide no route and no gate, [`error_bound`] how far off a soft learner can be.

mod bound;
mod invariance;
mod rule;

pub use bound::error_bound;
pub use invariance::Control;
pub use rule::CountRule;
pub(crate) use rule::Table;

use crate::engine::Isa;
use crate::engine::reference::Arrays;
use crate::model::Model;
use crate::task::{Example, Target, Task};
use crate::train::{Predictor, TrainError};
use std::sync::Arc;

/// What a learner answers on all inputs of its task.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Certificate {
    /// How many inputs there are.
    pub inputs: usize,
    /// Those on which it is wrong.
    pub wrong: Vec<Counterexample>,
    /// Columns that decide its answer, by number; none of them can be left out.
    pub relevant: Vec<usize>,
    /// The rule that answers as it does on every input, if one of the kinds that are looked for does.
    pub rule: Option<CountRule>,
}

/// An input with a wrong answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counterexample {
    /// The input's symbols.
    pub input: Vec<u8>,
    /// The class that the learner gives.
    pub given: u8,
    /// The right one.
    pub right: u8,
}

impl Certificate {
    /// Whether it is right on every input.
    pub fn is_correct(&self) -> bool {
        self.wrong.is_empty()
    }
}

/// Asks a learner for its answer to every one of `inputs`, which are all of its task's: [`Task::all_inputs`].
pub fn certify(
    task: &dyn Task,
    inputs: &[Example],
    model: Arc<dyn Model>,
    weights: &Arrays,
    isa: Isa,
) -> Result<Certificate, TrainError> {
    let mut predictor = Predictor::new(task, model, weights, isa);
    let given = predictor.classes(inputs)?;
    let wrong = inputs.iter().zip(&given).filter_map(|(example, &given)| match example.target {
        Target::Class(right) if right != given => {
            Some(Counterexample { input: example.input.clone(), given, right })
        }
        _ => None,
    });
    let table = Table::new(inputs.iter().map(|e| &e.input[..]).zip(given.iter().copied()));
    let relevant = table.relevant();
    let rule = CountRule::of(&table, &relevant);
    Ok(Certificate { inputs: inputs.len(), wrong: wrong.collect(), relevant, rule })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Readout;
    use crate::task::class;

    /// A certificate says of an answer what a score says of it.
    #[test]
    fn certificates_and_scores_read_logits_alike() {
        let numbers = [-0.0f32, 0.0, -1.0, 1.0, f32::MIN_POSITIVE, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        for a in numbers {
            for b in numbers {
                for c in numbers {
                    let logits = [a, b, c];
                    let scored = (0..3u8).find(|&c| Target::Class(c).is_answered_by(Readout::Class(3), &logits));
                    assert_eq!(class(&logits), scored.unwrap_or(u8::MAX), "{logits:?}");
                }
            }
        }
    }
}
