//! How a learner is trained: the same for every task and every model.

use super::Adam;
use serde::{Deserialize, Serialize};

/// How a learner is trained.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainConfig {
    /// Optimizer steps. A step sees all of its task's training examples, so the paper calls it an epoch on data sets.
    pub steps: usize,
    /// The optimizer.
    pub adam: Adam,
    /// The longest gradient, over all of a learner's weights; a longer one is scaled down to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
    /// How gates become steps in the last part of training, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anneal: Option<Anneal>,
}

impl Default for TrainConfig {
    /// 2,000 steps of AdamW at 0.001 with gradients of at most 1: what the paper has for most data sets.
    fn default() -> Self {
        TrainConfig { steps: 2000, adam: Adam::decaying(1e-3), clip: Some(1.0), anneal: None }
    }
}

/// The last part of training, in which the learning rate falls and gates become steps, as §8 proposes: what a gate
/// sees is multiplied by a factor that grows from 1. The factor goes into the gate's own weights, so what comes out
/// is an ordinary learner.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anneal {
    /// The share of the steps after which it begins.
    pub from: f64,
    /// The factor in the end; 1 leaves gates as they are.
    pub sharpness: f64,
    /// The learning rate in the end, as a share of that before.
    pub rate: f64,
}

/// Steps between two changes of the gates' weights.
const SHARPEN_EVERY: usize = 10;

impl Anneal {
    /// How much of it is over when `step` of `steps` begins.
    fn progress(&self, step: usize, steps: usize) -> f64 {
        let first = self.from * steps as f64;
        ((step as f64 - first) / (steps as f64 - first)).clamp(0.0, 1.0)
    }

    /// What the learning rate is multiplied by at `step`.
    pub(super) fn rate_at(&self, step: usize, steps: usize) -> f64 {
        libm::pow(self.rate, self.progress(step, steps))
    }

    /// What gate weights are multiplied by before `step`; most of the time nothing.
    pub(super) fn sharpen_at(&self, step: usize, steps: usize) -> Option<f64> {
        if self.sharpness == 1.0 || step == 0 || !step.is_multiple_of(SHARPEN_EVERY) {
            return None;
        }
        let way = self.progress(step, steps) - self.progress(step - SHARPEN_EVERY, steps);
        (way > 0.0).then(|| libm::pow(self.sharpness, way))
    }
}
