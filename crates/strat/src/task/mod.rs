//! What is learned: generators, encodings, ground truth. Knows nothing of models.

pub mod grocery;
pub mod signed_sum;

use crate::engine::Elem;
use crate::rng::Draws;
use signed_sum::Batch;

pub use grocery::Grocery;
pub use signed_sum::{SignedSum, Sum};

/// Where examples come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sums {
    /// `12 + 3 - 5`
    Signed(SignedSum),
    /// Items with values, of which some count.
    Grocery(Grocery),
}

impl Sums {
    /// Replaces what is in `batch` by `count` examples.
    pub fn redraw<E: Elem>(&self, batch: &mut Batch<E>, count: usize, draws: &mut Draws) {
        match self {
            Sums::Signed(task) => batch.redraw(*task, count, draws),
            Sums::Grocery(task) => task.redraw(batch, count, draws),
        }
    }
}

impl From<SignedSum> for Sums {
    fn from(task: SignedSum) -> Sums {
        Sums::Signed(task)
    }
}

impl From<Grocery> for Sums {
    fn from(task: Grocery) -> Sums {
        Sums::Grocery(task)
    }
}
