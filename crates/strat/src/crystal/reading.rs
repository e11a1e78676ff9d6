//! What decides a value's coefficient, and what the examples say about it.

use crate::inspect::CONTEXTS;
use crate::model::{ITEMS, Kind, Types};
use crate::task::{Changes, Example, SumTask, Target, Task};

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
    /// What an example says.
    fn of(reading: Reading, example: &Example) -> Equation {
        let mut totals = vec![0; reading.contexts()];
        for (i, &value) in example.values.iter().enumerate() {
            let context = match reading {
                Reading::Lists => usize::from(example.input[i]) - 1,
                Reading::Sums if i == 0 => 0,
                Reading::Sums => 1 + usize::from(example.input[2 * i - 1] == Kind::Minus as u8),
            };
            totals[context] += value as i64;
        }
        let Target::Number(answer) = example.target else { unreachable!("sums are answered by numbers") };
        Equation { totals, answer: answer as i64 }
    }

    /// Of every example that the learner of a seed was trained on, in their order.
    pub fn of_training(reading: Reading, task: &SumTask, seed: u64) -> Vec<Equation> {
        let steps = if task.changes() == Changes::ByStep { task.steps } else { 1 };
        let of_step =
            |step| task.train(seed, step as u32).iter().map(|e| Equation::of(reading, e)).collect::<Vec<_>>();
        (0..steps).flat_map(of_step).collect()
    }

    /// Whether these coefficients give the answer.
    pub fn holds(&self, coefficients: &[i64]) -> bool {
        let sum: i128 = self.totals.iter().zip(coefficients).map(|(&t, &c)| i128::from(t) * i128::from(c)).sum();
        sum == i128::from(self.answer)
    }
}
