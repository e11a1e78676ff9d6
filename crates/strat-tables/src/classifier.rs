//! What every classifier does.

/// One that has learned.
pub trait Classifier: Send + Sync {
    /// The probability of every class for a row.
    fn probabilities(&self, row: &[f64]) -> Vec<f64>;

    /// The mean doubt of its parts about a row, each for itself, in nats; one without parts is its own. If it is less than
    /// the doubt of their mean, they disagree, and the row's class would tell who is right.
    fn doubt_of_parts(&self, row: &[f64]) -> f64 {
        entropy(&self.probabilities(row))
    }

    /// What the class of a row would tell of who is right, in nats.
    fn disagreement(&self, row: &[f64]) -> f64 {
        (entropy(&self.probabilities(row)) - self.doubt_of_parts(row)).max(0.0)
    }
}

/// The doubt of probabilities, in nats.
pub fn entropy(probabilities: &[f64]) -> f64 {
    -probabilities.iter().filter(|p| **p > 0.0).map(|p| p * libm::log(*p)).sum::<f64>()
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
