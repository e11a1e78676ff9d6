//! What is learned: generators, encodings, ground truth. Knows of models only what they read.
//!
//! Two halves: sums that are drawn without end ([`Sums`]), and the eleven data sets of the
//! paper's §7 ([`ALL`], [`by_name`]), each a [`Task`]. A task also reads examples from other files
//! ([`Task::read`]) and from what someone types ([`Task::probe`]), and says a model's [`Answer`] in words.

mod answer;
pub mod batch;
mod dataset;
pub mod door;
mod example;
pub mod grocery;
mod life;
mod list;
mod of_data;
mod pick;
#[cfg(feature = "sat")]
mod sat;
pub mod signed_sum;
mod sudoku;
pub mod sums;
mod symmetry;
pub mod table;
mod tables;
mod tabular;
mod text;
mod tic_tac_toe;

use crate::engine::Elem;
use crate::rng::Draws;
use serde::{Deserialize, Serialize};
use signed_sum::Batch;

pub use answer::{Answer, AnswerError};
pub use dataset::{RowFault, Task, TaskError};
pub use example::{Encoded, Example, Split, Target};
pub(crate) use example::{class, largest};
pub use grocery::Grocery;
pub use list::{ALL, Entry, by_name, entry};
pub use pick::{BASES, Pick, PickKind};
pub use signed_sum::{SignedSum, Sum};
pub use symmetry::Symmetry;
pub(crate) use tabular::combinations;
pub use tabular::{Column, Tabular};
pub use text::{Probe, ProbeError, ProbeFault, ReadError, ReadFault};

/// Where examples come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
