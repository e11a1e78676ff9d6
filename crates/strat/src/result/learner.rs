//! One learner, as plain data.

use crate::engine::reference::Arrays;
use crate::metric::Metric;
use crate::train::Learner;
use std::collections::BTreeMap;

/// One learner: what it scored and what it learned.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnerResult {
    /// Its seed.
    pub seed: u64,
    /// Scores, by the names of the tables' metrics; NaN where it diverged.
    pub metrics: BTreeMap<String, f64>,
    /// Its losses on the way, one for every [`loss_interval`](Learner::loss_interval) steps.
    pub losses: Vec<f32>,
    /// Its weights.
    pub weights: Arrays,
}

impl LearnerResult {
    /// A trained learner with its scores, by metric or by its name.
    pub fn new<M: Into<String>>(learner: Learner, scores: impl IntoIterator<Item = (M, f64)>) -> Self {
        let named = scores.into_iter().map(|(metric, x)| (metric.into(), x));
        // A score of that name stands for it.
        let all = [(Metric::FINAL_LOSS.into(), learner.final_loss)].into_iter().chain(named);
        // A file knows one kind of number that is none, so there is one here.
        let score = |x: f64| if x.is_finite() { x } else { f64::NAN };
        let metrics = all.map(|(name, x)| (name, score(x))).collect();
        LearnerResult { seed: learner.seed, metrics, losses: learner.losses, weights: learner.weights }
    }

    /// A score by its metric or that one's name; NaN, as of a learner that diverged, if it has none.
    pub fn score(&self, metric: impl AsRef<str>) -> f64 {
        self.metrics.get(metric.as_ref()).copied().unwrap_or(f64::NAN)
    }

    /// Checksum of the weights: the same for the same bits, wherever they were computed.
    pub fn fingerprint(&self) -> u32 {
        let mut crc = crc32fast::Hasher::new();
        self.weights.values().flatten().for_each(|x| crc.update(&x.to_le_bytes()));
        crc.finalize()
    }
}
