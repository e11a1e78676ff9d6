//! What every classifier does.

/// One that has learned.
pub trait Classifier: Send + Sync {
    /// The probability of every class for a row.
    fn probabilities(&self, row: &[f64]) -> Vec<f64>;
}

/// Random words, a sequence for each tree of a forest.
pub type Random<'a> = &'a (dyn Fn(u32) -> Box<dyn FnMut() -> u32> + Sync);

/// Scores to probabilities.
pub(crate) fn softmax(scores: &mut [f64]) {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|s| *s = libm::exp(*s - most));
    let all: f64 = scores.iter().sum();
    scores.iter_mut().for_each(|s| *s /= all);
}
