//! The visible loop: (model, configuration, seed) → learner, a vector of seeds at a time.

use crate::engine::reference::Arrays;
use crate::engine::{Elem, Isa, Machine, Source, compile};
use crate::model::{Arithmetic, Built};
use crate::optim::Adam;
use crate::rng::{Draws, Stream};
use crate::task::SignedSum;
use crate::task::signed_sum::{Batch, MAX_TERMS, Sum};

/// Which examples a step sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Examples {
    /// The same few at every step, full batch (§6).
    Fixed {
        /// How many.
        count: usize,
        /// Where they come from.
        from: SignedSum,
    },
    /// New ones at every step (§4, §5).
    Fresh {
        /// How many a step.
        batch: usize,
        /// Where they come from.
        from: SignedSum,
    },
}

/// How a learner is trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainConfig {
    /// Optimizer steps.
    pub steps: usize,
    /// The optimizer.
    pub adam: Adam,
    /// The examples.
    pub examples: Examples,
}

impl TrainConfig {
    /// §6: ten fixed sums, 2,000 full-batch steps, Adam 0.005.
    pub fn locking() -> Self {
        TrainConfig {
            steps: 2000,
            adam: Adam::new(0.005),
            examples: Examples::Fixed { count: 10, from: SignedSum::LOCKING },
        }
    }

    /// §4.1 and §5.3: 2,000 steps of 64 fresh sums, Adam 0.01.
    pub fn ablation() -> Self {
        TrainConfig {
            steps: 2000,
            adam: Adam::new(0.01),
            examples: Examples::Fresh { batch: 64, from: SignedSum::ABLATION },
        }
    }

    /// How many examples a step sees, where they come from, and their randomness.
    fn source(&self, seed: u64, step: usize) -> (usize, SignedSum, Draws) {
        match self.examples {
            Examples::Fixed { count, from } => (count, from, Draws::new(seed, Stream::Train, 0)),
            Examples::Fresh { batch, from } => (batch, from, Draws::new(seed, Stream::Train, step as u32)),
        }
    }

    /// The sums that the learner `seed` sees at `step`.
    pub fn examples(&self, seed: u64, step: usize) -> Vec<Sum> {
        let (count, from, draws) = self.source(seed, step);
        from.draw_many(count, draws)
    }
}

/// What a seed became.
#[derive(Clone, Debug, PartialEq)]
pub struct Learner {
    /// Its seed.
    pub seed: u64,
    /// Its weights, by name.
    pub weights: Arrays,
    /// Mean squared error on the last batch, before the last step.
    pub final_loss: f64,
}

/// Trains at most one vector of learners. Idle lanes repeat the last seed.
pub fn train_group<E: Elem>(model: &Arithmetic, config: &TrainConfig, isa: Isa, seeds: &[u64]) -> Vec<Learner> {
    let built = model.build(MAX_TERMS);
    let mut m = machine::<E>(&built, config.source(0, 0).0, isa);
    let mut batch = Batch::<E>::new(MAX_TERMS);
    let lanes = m.lanes();
    let seed_of = |lane: usize| seeds[lane.min(seeds.len() - 1)];
    for lane in 0..lanes {
        set_weights(&mut *m, lane, &model.init(seed_of(lane)));
    }
    for step in 0..config.steps {
        if step == 0 || matches!(config.examples, Examples::Fresh { .. }) {
            for lane in 0..lanes {
                let (count, from, mut draws) = config.source(seed_of(lane), step);
                batch.redraw(from, count, &mut draws);
                set_batch(&mut *m, lane, &batch);
            }
            m.load();
        }
        m.step(config.adam.at(step));
    }
    let learner = |(lane, &seed): (usize, &u64)| Learner {
        seed,
        weights: model
            .params()
            .iter()
            .map(|p| (p.name.to_string(), m.param(lane, p.name).into_iter().map(E::f64).collect()))
            .collect(),
        final_loss: m.loss(lane).f64(),
    };
    seeds.iter().enumerate().map(learner).collect()
}

/// A machine for a built model.
pub(crate) fn machine<E: Elem>(built: &Built, batch: usize, isa: Isa) -> Box<dyn Machine<E>> {
    let source = Source { graph: &built.graph, output: built.output, loss: built.loss, batch, frozen: &[] };
    compile(source, isa)
}

pub(crate) fn set_weights<E: Elem>(m: &mut dyn Machine<E>, lane: usize, weights: &Arrays) {
    for (name, w) in weights {
        m.set_param(lane, name, &w.iter().map(|&x| E::of(x)).collect::<Vec<_>>());
    }
}

pub(crate) fn set_batch<E: Elem>(m: &mut dyn Machine<E>, lane: usize, batch: &Batch<E>) {
    m.set_input(lane, "kind", &batch.kind);
    m.set_input(lane, "value", &batch.value);
    m.set_input(lane, "target", &batch.target);
}
