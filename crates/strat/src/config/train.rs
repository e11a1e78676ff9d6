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
    /// How the learning rate changes on the way.
    #[serde(default, skip_serializing_if = "Schedule::is_constant")]
    pub schedule: Schedule,
    /// The longest gradient, over all of a learner's weights; a longer one is scaled down to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
    /// How gates become steps in the last part of training, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anneal: Option<Anneal>,
}

/// Most steps of a learner; the paper's take six thousand at most.
const MOST_STEPS: usize = 1_000_000;
/// The largest factor by which gates are sharpened; ours is 4.
const MOST_SHARPNESS: f64 = 1000.0;
/// The longest gradient that a configuration may allow.
const LONGEST_CLIP: f64 = 1e6;

impl Default for TrainConfig {
    fn default() -> Self {
        TrainConfig::DEFAULT
    }
}

/// How the learning rate changes on the way; each ends at 0 after the last step, but for the constant one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
#[non_exhaustive]
pub enum Schedule {
    /// It does not.
    #[default]
    Constant,
    /// It falls in a straight line, after a rise from 0 over the first `warmup` steps.
    Linear {
        /// Steps of the rise; 0 for none.
        warmup: usize,
    },
    /// It falls as half a cosine, after the same rise.
    Cosine {
        /// Steps of the rise; 0 for none.
        warmup: usize,
    },
}

impl Schedule {
    /// Whether the learning rate stays as it is.
    pub fn is_constant(&self) -> bool {
        *self == Schedule::Constant
    }

    /// What the learning rate is multiplied by at `step` of `steps`.
    fn rate_at(self, step: usize, steps: usize) -> f64 {
        let (Schedule::Linear { warmup } | Schedule::Cosine { warmup }) = self else { return 1.0 };
        if step < warmup {
            return (step + 1) as f64 / warmup as f64;
        }
        let done = (step - warmup) as f64 / (steps - warmup).max(1) as f64;
        match self {
            Schedule::Cosine { .. } => 0.5 * (1.0 + libm::cos(std::f64::consts::PI * done)),
            _ => 1.0 - done,
        }
    }
}

/// A setting that no learner can be trained with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} is {value}, but should be {allowed}")]
pub struct ConfigError {
    /// Which, as in `adam.learning_rate`.
    pub field: &'static str,
    /// What it is.
    pub value: String,
    /// What it may be.
    pub allowed: String,
}

/// A configuration whose every value was found to be possible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValidConfig(TrainConfig);

impl ValidConfig {
    /// The configuration.
    pub fn get(&self) -> &TrainConfig {
        &self.0
    }
}

impl TrainConfig {
    /// Most steps of a training.
    pub const MOST_STEPS: usize = MOST_STEPS;

    /// 2,000 steps of AdamW at 0.001 with gradients of at most 1: what the paper has for most data sets.
    pub const DEFAULT: TrainConfig = TrainConfig {
        steps: 2000,
        adam: Adam::decaying(1e-3),
        schedule: Schedule::Constant,
        clip: Some(1.0),
        anneal: None,
    };

    /// The same training with gates annealed toward steps, which §8 leaves as future work, and an optimizer that
    /// forgets large first gradients sooner. The numbers were chosen on seeds 10001 to 10800 of §6
    /// (docs/crystal.md), which no table uses.
    pub fn annealed(self) -> TrainConfig {
        let adam = Adam { learning_rate: 0.015, beta2: 0.95, weight_decay: 0.3, ..self.adam };
        TrainConfig { adam, anneal: Some(Anneal { from: 0.6, sharpness: 4.0, rate: 0.01 }), ..self }
    }

    /// Checks every value.
    pub fn check(self) -> Result<ValidConfig, ConfigError> {
        let fail =
            |field, value: f64, allowed: String| Err(ConfigError { field, value: value.to_string(), allowed });
        let positive = |field, value: f64, most: f64| {
            if value > 0.0 && value <= most {
                Ok(())
            } else {
                fail(field, value, format!("above 0 and at most {most}"))
            }
        };
        let within = |field, value: f64, low: f64, high: f64| {
            if (low..=high).contains(&value) { Ok(()) } else { fail(field, value, format!("from {low} to {high}")) }
        };
        let TrainConfig { steps, adam, schedule, clip, anneal } = self;
        within("steps", steps as f64, 0.0, MOST_STEPS as f64)?;
        positive("adam.learning_rate", adam.learning_rate, 1.0)?;
        for (field, beta) in [("adam.beta1", adam.beta1), ("adam.beta2", adam.beta2)] {
            if !(0.0..1.0).contains(&beta) {
                fail(field, beta, "from 0 to below 1".into())?;
            }
        }
        positive("adam.epsilon", adam.epsilon, 1.0)?;
        within("adam.weight_decay", adam.weight_decay, 0.0, 1.0)?;
        if let Schedule::Linear { warmup } | Schedule::Cosine { warmup } = schedule {
            within("schedule.warmup", warmup as f64, 0.0, steps as f64)?;
        }
        clip.map_or(Ok(()), |clip| positive("clip", clip, LONGEST_CLIP))?;
        if let Some(Anneal { from, sharpness, rate }) = anneal {
            within("anneal.from", from, 0.0, 1.0)?;
            positive("anneal.sharpness", sharpness, MOST_SHARPNESS)?;
            positive("anneal.rate", rate, 1.0)?;
        }
        Ok(ValidConfig(self))
    }

    /// The optimizer at `step`.
    pub(crate) fn adam_at(&self, step: usize) -> Adam {
        let mut adam = self.adam;
        if !self.schedule.is_constant() {
            adam.learning_rate *= self.schedule.rate_at(step, self.steps);
        }
        if let Some(anneal) = self.anneal {
            adam.learning_rate *= anneal.rate_at(step, self.steps);
        }
        adam
    }

    /// What gate weights are multiplied by before `step`; most of the time nothing.
    pub(crate) fn sharpen_at(&self, step: usize) -> Option<f64> {
        self.anneal.and_then(|anneal| anneal.sharpen_at(step, self.steps))
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
    fn rate_at(&self, step: usize, steps: usize) -> f64 {
        libm::pow(self.rate, self.progress(step, steps))
    }

    /// What gate weights are multiplied by before `step`; most of the time nothing.
    fn sharpen_at(&self, step: usize, steps: usize) -> Option<f64> {
        if self.sharpness == 1.0 || step == 0 || !step.is_multiple_of(SHARPEN_EVERY) {
            return None;
        }
        let way = self.progress(step, steps) - self.progress(step - SHARPEN_EVERY, steps);
        (way > 0.0).then(|| libm::pow(self.sharpness, way))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_rise_and_fall() {
        let linear = Schedule::Linear { warmup: 10 };
        let cosine = Schedule::Cosine { warmup: 0 };
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        near(Schedule::Constant.rate_at(7, 100), 1.0);
        near(linear.rate_at(0, 110), 0.1);
        near(linear.rate_at(9, 110), 1.0);
        near(linear.rate_at(60, 110), 0.5);
        near(cosine.rate_at(0, 100), 1.0);
        near(cosine.rate_at(50, 100), 0.5);
        assert!(cosine.rate_at(99, 100) > 0.0);
    }

    #[test]
    fn impossible_values_are_named() {
        let wrong = |change: fn(&mut TrainConfig)| {
            let mut config = TrainConfig::default();
            change(&mut config);
            config.check().map_err(|e| e.to_string()).unwrap_err()
        };
        assert_eq!(
            wrong(|c| c.adam.learning_rate = -1.0),
            "adam.learning_rate is -1, but should be above 0 and at most 1"
        );
        assert_eq!(wrong(|c| c.adam.beta2 = 1.0), "adam.beta2 is 1, but should be from 0 to below 1");
        assert_eq!(wrong(|c| c.clip = Some(f64::NAN)), "clip is NaN, but should be above 0 and at most 1000000");
        assert_eq!(wrong(|c| c.steps = 10_000_000), "steps is 10000000, but should be from 0 to 1000000");
        assert!(TrainConfig::default().check().is_ok());
    }
}
