//! Blocks in training with dropout: beside the examples they read which numbers are dropped.

use super::door::{Model, Spec};
use super::layers::DROPOUT;
use super::{BlockModel, Built, Param};
use crate::engine::graph::Op;
use crate::rng::{RandomStream, Stream};
use std::sync::Arc;

/// A model whose updates are multiplied by inputs `dropout.PLACE`. It has the parameters of the model without dropout,
/// which is the one that answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dropping(pub BlockModel);

impl Model for Dropping {
    fn spec(&self) -> Spec {
        self.0.spec()
    }

    fn build(&self, tokens: usize) -> Built {
        self.0.build_dropping(tokens)
    }

    fn reads(&self, tokens: usize) -> bool {
        self.0.reads(tokens)
    }

    fn params(&self) -> Vec<Param> {
        Model::params(&self.0)
    }

    fn is_small(&self, examples: usize, kinds: bool) -> bool {
        self.0.is_small(examples, kinds)
    }

    fn dropout(&self) -> f64 {
        self.0.dropout()
    }

    fn window(&self) -> Option<usize> {
        self.0.window()
    }

    fn with_window(&self, window: usize) -> Option<Arc<dyn Model>> {
        self.0.windowed(window).map(|model| Arc::new(Dropping(model)) as _)
    }
}

/// What is dropped at every step of a training.
#[derive(Clone, Debug)]
pub(crate) struct Dropout {
    share: f64,
    /// The inputs, with their numbers for an example.
    inputs: Vec<(String, usize)>,
}

impl Dropout {
    /// Of a model as it is built for training; none if it reads no such inputs.
    pub fn of(share: f64, built: &Built) -> Option<Dropout> {
        let input = |entry: &crate::engine::graph::Entry| match &entry.op {
            Op::Input { name } if is_dropout(name) => Some((name.clone(), entry.rows * entry.cols)),
            _ => None,
        };
        let inputs: Vec<_> = built.graph.entries().iter().filter_map(input).collect();
        (!inputs.is_empty()).then_some(Dropout { share, inputs })
    }

    /// For each input what a learner's examples are multiplied by at a step: a function of its seed and the step alone.
    pub fn draw(&self, seed: u64, step: u32, examples: usize) -> impl Iterator<Item = (&str, Vec<f64>)> {
        let mut draws = RandomStream::new(seed, Stream::Dropout, step);
        let kept = 1.0 / (1.0 - self.share);
        self.inputs.iter().map(move |(name, size)| {
            let one = |_| if draws.uniform() < self.share { 0.0 } else { kept };
            (name.as_str(), (0..examples * size).map(one).collect())
        })
    }
}

/// Whether an input says what is dropped: training gives it, not the task.
pub(crate) fn is_dropout(input: &str) -> bool {
    input.starts_with(DROPOUT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_dropped_and_the_mean_stays() {
        let dropout = Dropout { share: 0.3, inputs: vec![("dropout.a".into(), 40), ("dropout.b".into(), 60)] };
        let drawn: Vec<(&str, Vec<f64>)> = dropout.draw(5, 9, 200).collect();
        assert_eq!(
            drawn.iter().map(|(name, x)| (*name, x.len())).collect::<Vec<_>>(),
            [("dropout.a", 8000), ("dropout.b", 12000)]
        );
        let all: Vec<f64> = drawn.iter().flat_map(|(_, x)| x.clone()).collect();
        assert!(all.iter().all(|&x| x == 0.0 || x == 1.0 / (1.0 - 0.3)));
        // 20,000 draws: both lie within four standard errors.
        let share = all.iter().filter(|x| **x == 0.0).count() as f64 / 20_000.0;
        assert!((share - 0.3).abs() < 4.0 * (0.3f64 * 0.7 / 20_000.0).sqrt(), "{share}");
        let mean = all.iter().sum::<f64>() / 20_000.0;
        assert!((mean - 1.0).abs() < 4.0 * (0.3f64 / 0.7 / 20_000.0).sqrt(), "{mean}");
    }

    #[test]
    fn steps_and_seeds_drop_others() {
        let dropout = Dropout { share: 0.5, inputs: vec![("dropout.a".into(), 64)] };
        let of = |seed, step| dropout.draw(seed, step, 1).next().map(|(_, x)| x);
        assert_eq!(of(1, 1), of(1, 1));
        assert!(of(1, 1) != of(1, 2) && of(1, 1) != of(2, 1));
    }
}
