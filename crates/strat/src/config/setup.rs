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
    /// How often training shows the same examples.
    pub repeats: Repeats,
}

/// How often training shows the same examples, and so how easily they are learned by heart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repeats {
    /// Every epoch has the same.
    Always,
    /// Every epoch draws its own, and most of them have been there before.
    Often,
    /// Every epoch draws its own, and most of them are new.
    Seldom,
}

impl Setup {
    /// These models, trained so, on the same examples in every epoch.
    pub fn new(models: Vec<ModelRecord>, train: TrainConfig, seeds: Seeds) -> Setup {
        Setup { models, train, seeds, repeats: Repeats::Always }
    }

    /// The same with examples that come back so often.
    pub fn repeating(self, repeats: Repeats) -> Setup {
        Setup { repeats, ..self }
    }
}
