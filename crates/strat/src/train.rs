//! The visible loop of the arithmetic half: (model, configuration, seed) → learner, a vector of seeds at a time.
//! That of the data-set tasks is in [`task`].

pub mod config;
pub mod encoding;
pub mod eval;
pub mod losses;
mod optim;
mod population;
pub mod predict;
pub mod predictor;
#[cfg(test)]
mod same_bits;
pub mod task;
pub mod trainer;

use crate::engine::reference::Arrays;
use crate::engine::{Elem, Isa, Lanes, Machine, Source, compile};
use crate::model::{Arithmetic, Built};
use crate::rng::{Draws, Stream};
use crate::task::signed_sum::{Batch, MAX_TERMS, TeachingSet};
use crate::task::{Grocery, SignedSum, Sums};
use losses::Losses;
pub use optim::Adam;
pub use population::Population;
pub use predict::Answerer;
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
    /// The same, but each sum with the answer of the next: a control, since no rule gives such answers.
    Shuffled {
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
    /// How gates become steps in the last part of training, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anneal: Option<Anneal>,
}

/// The last part of training, in which the learning rate falls and gates become steps, as §8 proposes: what a gate sees is
/// multiplied by a factor that grows from 1. The factor goes into the gate's own weights, so what comes out is an
/// ordinary learner.
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

impl TrainConfig {
    /// §6: ten fixed sums, 2,000 full-batch steps, Adam 0.005.
    pub fn locking() -> Self {
        TrainConfig {
            steps: 2000,
            adam: Adam::new(0.005),
            examples: Examples::Fixed { count: 10, from: Sums::Signed(SignedSum::LOCKING) },
            clip: None,
            anneal: None,
        }
    }

    /// The same training with gates annealed toward steps, which §8 leaves as future work, and an optimizer that
    /// forgets large first gradients sooner. The numbers were chosen on seeds 10001 to 10800 of §6
    /// (docs/crystal.md), which no table uses.
    pub fn annealed(self) -> Self {
        let adam = Adam { rate: 0.015, beta2: 0.95, decay: 0.3, ..self.adam };
        TrainConfig { adam, anneal: Some(Anneal { from: 0.6, sharpness: 4.0, rate: 0.01 }), ..self }
    }

    /// §4.1 and §5.3: 2,000 steps of 64 fresh sums, Adam 0.01.
    pub fn ablation() -> Self {
        TrainConfig {
            steps: 2000,
            adam: Adam::new(0.01),
            examples: Examples::Fresh { batch: 64, from: Sums::Signed(SignedSum::ABLATION) },
            clip: None,
            anneal: None,
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
            Examples::Fixed { count, .. } | Examples::Shuffled { count, .. } => count,
            Examples::Chosen { sums } => sums.count(),
            Examples::Fresh { batch, .. } | Examples::Curriculum { batch, .. } => batch,
        }
    }

    /// Whether every step sees the same examples.
    pub fn is_fixed(&self) -> bool {
        matches!(self.examples, Examples::Fixed { .. } | Examples::Shuffled { .. } | Examples::Chosen { .. })
    }

    /// Puts the examples that the learner `seed` sees at `step` into `batch`.
    pub fn redraw<E: Elem>(&self, batch: &mut Batch<E>, seed: u64, step: usize) {
        let draws = |step: usize| Draws::new(seed, Stream::Train, step as u32);
        match self.examples {
            Examples::Fixed { count, from } => from.redraw(batch, count, &mut draws(0)),
            Examples::Shuffled { count, from } => {
                from.redraw(batch, count, &mut draws(0));
                batch.target.rotate_left(1);
            }
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
    /// Mean squared error on the last batch, before the last step; NaN if there was none.
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
        let mut adam = config.adam;
        if let Some(anneal) = &config.anneal {
            adam.rate *= anneal.rate_at(step, config.steps);
            if let Some(factor) = anneal.sharpen_at(step, config.steps) {
                sharpen(model, &mut *m, factor);
            }
        }
        m.step(adam.at(step));
        if curves[0].wants(step) {
            curves.iter_mut().enumerate().for_each(|(lane, curve)| curve.hear(step, m.loss(lane).f64()));
        }
    }
    watch(config.steps, &*m);
    let learner = |(lane, &seed): (usize, &u64)| Learner {
        seed,
        weights: weights(model, &*m, lane),
        final_loss: if config.steps == 0 { f64::NAN } else { m.loss(lane).f64() },
        losses: curves[lane].until(config.steps).to_vec(),
    };
    seeds.iter().enumerate().map(learner).collect()
}

/// Multiplies what the gates see, if the model has any.
fn sharpen<E: Elem>(model: &Arithmetic, m: &mut dyn Machine<E>, factor: f64) {
    for param in model.params().iter().filter(|p| p.name.starts_with("gate.")) {
        for lane in 0..m.lanes() {
            let sharper: Vec<E> = m.param(lane, &param.name).into_iter().map(|w| E::of(w.f64() * factor)).collect();
            m.set_param(lane, &param.name, &sharper);
        }
    }
}

/// The weights of a lane's learner, by name.
pub fn weights<E: Elem>(model: &Arithmetic, m: &dyn Machine<E>, lane: usize) -> Arrays {
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
