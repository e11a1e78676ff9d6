//! Adam and AdamW, as in PyTorch.

use crate::engine::AdamStep;
use serde::{Deserialize, Serialize};

/// Adam's settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adam {
    /// Learning rate.
    #[serde(rename = "rate")]
    pub learning_rate: f64,
    /// Decay of the first moment.
    pub beta1: f64,
    /// Decay of the second moment.
    pub beta2: f64,
    /// Added to the denominator.
    pub epsilon: f64,
    /// Weight decay, apart from the gradient (AdamW).
    #[serde(rename = "decay")]
    pub weight_decay: f64,
}

impl Adam {
    /// PyTorch's defaults at this learning rate.
    pub const fn new(learning_rate: f64) -> Self {
        Adam { learning_rate, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.0 }
    }

    /// AdamW with PyTorch's defaults (weight decay 0.01) at this learning rate.
    pub const fn decaying(learning_rate: f64) -> Self {
        Adam { weight_decay: 0.01, ..Adam::new(learning_rate) }
    }

    /// The constants of step `step` (from 0).
    pub fn at(&self, step: usize) -> AdamStep {
        let t = step as f64 + 1.0;
        AdamStep {
            beta1: self.beta1,
            beta2: self.beta2,
            learning_rate: self.learning_rate / (1.0 - libm::pow(self.beta1, t)),
            correction: 1.0 / libm::sqrt(1.0 - libm::pow(self.beta2, t)),
            epsilon: self.epsilon,
            decay_factor: 1.0 - self.learning_rate * self.weight_decay,
        }
    }
}
