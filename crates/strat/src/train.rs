//! Training and asking, the same for every task and every model.
//!
//! - [`TrainConfig`], [`Adam`]: how a learner is trained
//! - [`Trainer`]: (task, model, configuration, seed) → learner, step by step; left and taken up again
//! - [`Population`]: thousands of them
//! - [`Predictor`]: what a learner answers
//! - [`SumTraining`], [`Lessons`]: the paper's protocols on sums and on data sets

mod lessons;
pub mod losses;
mod population;
mod predict;
mod sums;
mod trainer;

use crate::engine::reference::Arrays;

pub use crate::config::{Adam, Anneal, Schedule, TrainConfig};
pub use lessons::Lessons;
pub use population::Population;
pub use predict::{Predictor, mean_score};
pub use sums::{SumTraining, mean_absolute_error, predictions};
pub use trainer::{State, TrainError, Trainer, learners_per_machine, machine};

/// What a seed became.
#[derive(Clone, Debug, PartialEq)]
pub struct Learner {
    /// Its seed.
    pub seed: u64,
    /// Its weights, by name.
    pub weights: Arrays,
    /// Mean squared error on the last batch, before the last step; NaN if there was none.
    pub final_loss: f64,
    /// The same on earlier batches, as [`losses`] keeps them.
    pub losses: Vec<f32>,
}
