//! Training and asking, the same for every task and every model.
//!
//! - [`TrainConfig`], [`Adam`]: how a learner is trained
//! - [`Trainer`]: (task, model, configuration, seed) → learner, step by step; left and taken up again
//! - [`Population`]: thousands of them
//! - [`Predictor`]: what a learner answers; [`Ballot`]: what most of some learners answer
//! - [`CheckedPopulation`]: what a population answers where answers can be checked

mod checked;
mod error;
pub(crate) mod losses;
mod population;
mod predict;
mod trainer;
mod vote;

use crate::engine::reference::Arrays;

pub use crate::config::adam::Adam;
pub use crate::config::train::{Anneal, ConfigError, Schedule, TrainConfig, ValidConfig};
pub use checked::{CheckedAnswer, CheckedPopulation, Found, Looks};
pub use error::TrainError;
pub use population::Population;
pub use predict::Predictor;
pub use trainer::{State, Trainer};
pub(crate) use trainer::{learners_per_machine, machine};
pub use vote::Ballot;

/// What a seed became.
#[derive(Clone, Debug, PartialEq)]
pub struct Learner {
    /// Its seed.
    pub seed: u64,
    /// Its weights, by name.
    pub weights: Arrays,
    /// Mean loss on the last batch, before the last step; NaN if there was none.
    pub final_loss: f64,
    /// The same on earlier batches, one for every [`Learner::loss_interval`] steps.
    pub losses: Vec<f32>,
}

impl Learner {
    /// Steps between two losses that are kept of a training of so many steps, the first of them that of step 0.
    pub fn loss_interval(steps: usize) -> usize {
        losses::every(steps)
    }
}
