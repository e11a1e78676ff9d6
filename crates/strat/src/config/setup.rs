//! What a task offers: models of the right size, and how they are trained.

use super::TrainConfig;
use crate::model::ModelRecord;
use crate::seeds::Seeds;

/// Models for a task, and how they are trained there.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Setup {
    /// The models; the first is the one to begin with.
    pub models: Vec<ModelRecord>,
    /// How they are trained.
    pub train: TrainConfig,
    /// Seeds of the learners.
    pub seeds: Seeds,
}

impl Setup {
    /// These models, trained so.
    pub fn new(models: Vec<ModelRecord>, train: TrainConfig, seeds: Seeds) -> Setup {
        Setup { models, train, seeds }
    }
}
