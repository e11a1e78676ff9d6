//! Training and asking, the same for every task and every model.
//!
//! - [`TrainConfig`], [`Adam`]: how a learner is trained
//! - [`Trainer`]: (task, model, configuration, seed) → learner, step by step; left and taken up again
//! - [`Population`]: thousands of them
//! - [`Predictor`]: what a learner answers

mod error;
pub mod losses;
mod population;
mod predict;
mod trainer;

use crate::engine::reference::Arrays;

pub use crate::config::{Adam, Anneal, Schedule, TrainConfig};
pub use error::TrainError;
pub use population::Population;
pub use predict::{Predictor, mean_score};
pub use trainer::{State, Trainer, check, learners_per_machine, machine};

/// What a seed became.
#[derive(Clone, Debug, PartialEq)]
pub struct Learner {
    /// Its seed.
    pub seed: u64,
    /// Its weights, by name.
    pub weights: Arrays,
    /// Mean loss on the last batch, before the last step; NaN if there was none.
    pub final_loss: f64,
    /// The same on earlier batches, as [`losses`] keeps them.
    pub losses: Vec<f32>,
}
