//! What decides a value's coefficient, and what the examples say about it.

use crate::inspect::attractor::CONTEXTS;
use crate::model::{ITEMS, Kind, Types};
use crate::task::signed_sum::{Batch, MAX_TERMS};
use crate::train::TrainConfig;

/// What a model reads: a value's *context* is what may decide its coefficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Signed sums: a number's context is the operator that it is bound to, or nothing.
    Sums,
    /// Lists: a value's context is its item.
    Lists,
}

impl Reading {
    /// What a model of these types reads.
    pub fn of(types: Types) -> Reading {
        match types {
            Types::Fixed | Types::Latent => Reading::Sums,
            Types::Items => Reading::Lists,
        }
    }

    /// How many contexts there are.
    pub fn contexts(self) -> usize {
        match self {
            Reading::Sums => CONTEXTS.len(),
            Reading::Lists => ITEMS,
        }
    }

    /// A context in words.
    pub fn name(self, context: usize) -> String {
        match self {
            Reading::Sums => CONTEXTS[context].to_string(),
            Reading::Lists => format!("item {}", context + 1),
        }
    }
}

/// What one example says: the totals of its values by context, each times that context's coefficient, are the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equation {
    /// By context.
    pub totals: Vec<i64>,
    /// Their sum.
    pub answer: i64,
}

impl Equation {
    /// One for each example of a batch.
    fn of_batch(reading: Reading, batch: &Batch<f64>) -> Vec<Equation> {
        let tokens = batch.kind.len() / batch.target.len();
        let rows = batch.kind.chunks_exact(tokens).zip(batch.value.chunks_exact(MAX_TERMS));
        let one = |((kinds, values), answer): ((&[f64], &[f64]), &f64)| {
            let mut totals = vec![0; reading.contexts()];
            for (i, &value) in values.iter().enumerate() {
                let context = match reading {
                    Reading::Lists => match kinds[i] as usize {
                        0 => continue,
                        id => id - 1,
                    },
                    Reading::Sums if kinds[2 * i] == 0.0 => continue,
                    Reading::Sums if i == 0 => 0,
                    Reading::Sums => 1 + usize::from(kinds[2 * i - 1] == f64::from(Kind::Minus as u8)),
                };
                totals[context] += value as i64;
            }
            Equation { totals, answer: *answer as i64 }
        };
        rows.zip(&batch.target).map(one).collect()
    }

    /// Of every example that the learner of a seed was trained on, in their order.
    pub fn of_training(reading: Reading, train: &TrainConfig, seed: u64) -> Vec<Equation> {
        let steps = if train.is_fixed() { 1 } else { train.steps };
        let mut batch = Batch::<f64>::new(MAX_TERMS);
        let mut of_step = |step| {
            train.redraw(&mut batch, seed, step);
            Equation::of_batch(reading, &batch)
        };
        (0..steps).flat_map(&mut of_step).collect()
    }

    /// Whether these coefficients give the answer.
    pub fn holds(&self, coefficients: &[i64]) -> bool {
        let sum: i128 = self.totals.iter().zip(coefficients).map(|(&t, &c)| i128::from(t) * i128::from(c)).sum();
        sum == i128::from(self.answer)
    }
}
