//! The visible loop of the arithmetic half: (model, configuration, seed) → learner, a vector of seeds at a time.
//! That of the data-set tasks is in [`task`].

pub mod encoding;
pub mod losses;
pub mod task;

use crate::engine::reference::Arrays;
use crate::engine::{Elem, Isa, Lanes, Machine, Source, compile};
use crate::model::{Arithmetic, Built};
use crate::optim::Adam;
use crate::rng::{Draws, Stream};
use crate::task::signed_sum::{Batch, MAX_TERMS, TeachingSet};
use crate::task::{Grocery, SignedSum, Sums};
use losses::Losses;
use serde::{Deserialize, Serialize};

/// Which examples a step sees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::large_enum_variant, reason = "a few hundred bytes, copied once for a group of learners")]
pub enum Examples {
    /// The same few at every step, full batch (§6).
    Fixed {
        /// How many.
        count: usize,
        /// Where they come from.
        from: Sums,
    },
    /// These at every step, for every learner.
    Chosen {
        /// Which.
        sums: TeachingSet,
    },
    /// New ones at every step (§4, §5).
    Fresh {
        /// How many a step.
        batch: usize,
        /// Where they come from.
        from: Sums,
    },
    /// New ones at every step, from a range that grows: the first until a quarter of the
    /// steps, the second until half of them, then the third (App. B, A_curr).
    Curriculum {
        /// How many a step.
        batch: usize,
        /// Where they come from, stage by stage.
        stages: [SignedSum; 3],
    },
}

/// How a learner is trained.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainConfig {
    /// Optimizer steps.
    pub steps: usize,
    /// The optimizer.
    pub adam: Adam,
    /// The examples.
    pub examples: Examples,
    /// The longest gradient, over all of a learner's weights; a longer one is shortened to it.
    pub clip: Option<f64>,
}

impl TrainConfig {
    /// §6: ten fixed sums, 2,000 full-batch steps, Adam 0.005.
    pub fn locking() -> Self {
        TrainConfig {
            steps: 2000,
            adam: Adam::new(0.005),
            examples: Examples::Fixed { count: 10, from: Sums::Signed(SignedSum::LOCKING) },
            clip: None,
        }
    }

    /// §4.1 and §5.3: 2,000 steps of 64 fresh sums, Adam 0.01.
    pub fn ablation() -> Self {
        TrainConfig {
            steps: 2000,
            adam: Adam::new(0.01),
            examples: Examples::Fresh { batch: 64, from: Sums::Signed(SignedSum::ABLATION) },
            clip: None,
        }
    }

    /// §5.4, the grocery list: as [`TrainConfig::ablation`], with lists.
    pub fn grocery() -> Self {
        let examples = Examples::Fresh { batch: 64, from: Sums::Grocery(Grocery::TRAINING) };
        TrainConfig { examples, ..TrainConfig::ablation() }
    }

    /// How many examples a step sees.
    pub fn batch(&self) -> usize {
        match self.examples {
            Examples::Fixed { count, .. } => count,
            Examples::Chosen { sums } => sums.count(),
            Examples::Fresh { batch, .. } | Examples::Curriculum { batch, .. } => batch,
        }
    }

    /// Whether every step sees the same examples.
    pub fn is_fixed(&self) -> bool {
        matches!(self.examples, Examples::Fixed { .. } | Examples::Chosen { .. })
    }

    /// Puts the examples that the learner `seed` sees at `step` into `batch`.
    pub fn redraw<E: Elem>(&self, batch: &mut Batch<E>, seed: u64, step: usize) {
        let draws = |step: usize| Draws::new(seed, Stream::Train, step as u32);
        match self.examples {
            Examples::Fixed { count, from } => from.redraw(batch, count, &mut draws(0)),
            Examples::Chosen { sums } => batch.teach(&sums),
            Examples::Fresh { batch: count, from } => from.redraw(batch, count, &mut draws(step)),
            Examples::Curriculum { batch: count, stages } => {
                let stage = if 4 * step < self.steps { 0 } else { 1 + usize::from(2 * step >= self.steps) };
                Sums::Signed(stages[stage]).redraw(batch, count, &mut draws(step));
            }
        }
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
    /// The same on earlier batches, as [`losses`] keeps them.
    pub losses: Vec<f32>,
}

/// Trains at most one vector of learners. Idle lanes repeat the last seed.
pub fn train_group<E: Elem>(model: &Arithmetic, config: &TrainConfig, isa: Isa, seeds: &[u64]) -> Vec<Learner> {
    train_watched::<E>(model, config, isa, seeds, &mut |_, _| {})
}

/// The same; `watch` is shown the machine before every step and after the last, with the number of steps done.
pub fn train_watched<E: Elem>(
    model: &Arithmetic,
    config: &TrainConfig,
    isa: Isa,
    seeds: &[u64],
    watch: &mut dyn FnMut(usize, &dyn Machine<E>),
) -> Vec<Learner> {
    let built = model.build(MAX_TERMS);
    let mut m = machine::<E>(&built, config.batch(), isa);
    let mut batch = Batch::<E>::new(MAX_TERMS);
    m.set_clip(config.clip);
    let lanes = m.lanes();
    let seed_of = |lane: usize| seeds[lane.min(seeds.len() - 1)];
    for lane in 0..lanes {
        set_weights(&mut *m, lane, &model.init(seed_of(lane)));
    }
    let mut curves = vec![Losses::new(config.steps); seeds.len()];
    for step in 0..config.steps {
        if step == 0 || !config.is_fixed() {
            for lane in 0..lanes {
                config.redraw(&mut batch, seed_of(lane), step);
                set_batch(&mut *m, lane, &batch);
            }
            m.load();
        }
        watch(step, &*m);
        m.step(config.adam.at(step));
        if curves[0].wants(step) {
            curves.iter_mut().enumerate().for_each(|(lane, curve)| curve.hear(step, m.loss(lane).f64()));
        }
    }
    watch(config.steps, &*m);
    let learner = |(lane, &seed): (usize, &u64)| Learner {
        seed,
        weights: weights(model, &*m, lane),
        final_loss: m.loss(lane).f64(),
        losses: curves[lane].until(config.steps).to_vec(),
    };
    seeds.iter().enumerate().map(learner).collect()
}

/// The weights of a lane's learner, by name.
pub(crate) fn weights<E: Elem>(model: &Arithmetic, m: &dyn Machine<E>, lane: usize) -> Arrays {
    let numbers = |name: &str| m.param(lane, name).into_iter().map(E::f64).collect();
    model.params().iter().map(|p| (p.name.to_string(), numbers(&p.name))).collect()
}

/// A machine for a built model.
pub(crate) fn machine<E: Elem>(built: &Built, batch: usize, isa: Isa) -> Box<dyn Machine<E>> {
    let source = Source {
        graph: &built.graph,
        output: built.output,
        loss: built.loss,
        batch,
        frozen: &built.frozen,
        lanes: Lanes::Learners,
    };
    compile(source, isa).expect("a model that was built can be run")
}

pub(crate) fn set_weights<E: Elem>(m: &mut dyn Machine<E>, lane: usize, weights: &Arrays) {
    for (name, w) in weights {
        m.set_param(lane, name, &w.iter().map(|&x| E::of(x)).collect::<Vec<_>>());
    }
}

pub(crate) fn set_batch<E: Elem>(m: &mut dyn Machine<E>, lane: usize, batch: &Batch<E>) {
    for (name, numbers) in [("kind", &batch.kind), ("value", &batch.value), ("target", &batch.target)] {
        m.set_input(lane, name, numbers).expect("sums fit the machine that was made for them");
    }
}
