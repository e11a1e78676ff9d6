//! The paper's protocol on data sets.

use super::{Adam, Schedule, TrainConfig};
use serde::{Deserialize, Serialize};

/// How a learner is trained on a task.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lessons {
    /// Passes over the examples, each one optimizer step.
    pub epochs: usize,
    /// The optimizer.
    pub adam: Adam,
    /// The longest gradient; a longer one is shortened to it.
    pub clip: f64,
}

impl Lessons {
    /// As the paper trains both models on a task (App. D).
    pub fn paper(task: &str) -> Lessons {
        let epochs = match task {
            "sudoku" | "life" => 6000,
            _ => 2000,
        };
        let adam = match task {
            "satbench" | "satlib" => Adam::new(1e-2),
            _ => Adam::decaying(1e-3),
        };
        Lessons { epochs, adam, clip: 1.0 }
    }

    /// In the form that all training has.
    pub fn config(&self) -> TrainConfig {
        TrainConfig {
            steps: self.epochs,
            adam: self.adam,
            clip: Some(self.clip),
            schedule: Schedule::Constant,
            anneal: None,
        }
    }
}
