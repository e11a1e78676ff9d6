//! One learner of a data-set task: (task, model, configuration, seed) → weights.
//!
//! A vector's lanes hold the examples of an epoch; learners are dealt out to threads, one each,
//! so that a learner's bits depend on its seed and the instruction set alone.

use super::encoding::Feed;
use super::losses::{Losses, POINTS};
use crate::engine::reference::Arrays;
use crate::engine::{Isa, Lanes, Machine, Source, compile};
use crate::model::block::{Blocks, Sight, Sizes};
use crate::model::{Built, Param, initial};
use crate::optim::Adam;
use crate::task::{Encoded, Task};
use serde::{Deserialize, Serialize};

/// How a learner is trained on a task.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lessons {
    /// Passes over the examples, each one optimizer step.
    pub epochs: usize,
    /// The optimizer.
    pub adam: Adam,
    /// The longest gradient; a longer one is shortened to it.
    pub clip: f64,
}

impl Lessons {
    /// As the paper trains both models on a task (App. D).
    pub fn paper(task: &str) -> Lessons {
        let epochs = match task {
            "sudoku" | "life" => 6000,
            _ => 2000,
        };
        let adam = match task {
            "satbench" | "satlib" => Adam::new(1e-2),
            _ => Adam::decaying(1e-3),
        };
        Lessons { epochs, adam, clip: 1.0 }
    }
}

/// The window of a model's attention; none where every token sees every token.
fn window(model: &Blocks) -> Option<usize> {
    match model.sizes.sight {
        Sight::Causal(window) => Some(window),
        Sight::Full | Sight::Torus(_) => None,
    }
}

/// The model with as large a window as the last pass of its machine needed, if it has less.
pub(crate) fn widened(model: &Blocks, m: &dyn Machine<f32>, tokens: usize) -> Option<Blocks> {
    // A learner that has diverged sees no better through a wider window.
    let score = Some(m.largest_score()).filter(|score| score.is_finite())?;
    let enough = model.enough(score).min(tokens);
    let sight = Sight::Causal(enough.next_power_of_two());
    (enough > window(model)?).then_some(Blocks { sizes: Sizes { sight, ..model.sizes }, ..*model })
}

/// A machine for batches of `batch` examples of `tokens` tokens.
pub(crate) fn machine(model: &Blocks, tokens: usize, batch: usize, isa: Isa) -> Box<dyn Machine<f32>> {
    let Built { graph, output, loss, .. } = model.build(tokens);
    let lanes = Lanes::of_one_learner(&graph, output, loss);
    let source = Source { graph: &graph, output, loss, batch, frozen: &[], lanes };
    compile(source, isa)
}

/// Tokens of the longest training example: augmentation makes none longer.
fn training_tokens(task: &Task) -> usize {
    let mut one = Encoded::default();
    let real = |example| {
        task.encode(example, &mut one);
        one.real
    };
    task.bases().iter().map(real).max().unwrap_or(0)
}

/// What the next epoch of a learner depends on, beside its task, model, lessons and seed.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Epochs done.
    pub epoch: usize,
    /// The window of its attention, if it has one, else 0.
    pub window: usize,
    /// Mean loss of the last epoch.
    pub last_loss: f64,
    /// Losses on the way ([`Losses::points`]).
    pub losses: [f32; POINTS],
    /// Of every parameter, in the model's order: values, first and second moment.
    pub params: Vec<[Vec<f32>; 3]>,
}

/// A learner in training.
pub struct Apprentice<'a> {
    task: &'a Task,
    model: Blocks,
    lessons: Lessons,
    isa: Isa,
    seed: u64,
    epoch: usize,
    feed: Feed,
    machine: Box<dyn Machine<f32>>,
    last_loss: f64,
    losses: Losses,
}

impl<'a> Apprentice<'a> {
    /// A learner at its start.
    pub fn new(task: &'a Task, model: Blocks, lessons: Lessons, isa: Isa, seed: u64) -> Self {
        let mut feed = Feed::new(task, training_tokens(task));
        feed.fill(task, &*task.epoch(seed, 0));
        let mut machine = machine(&model, feed.tokens(), feed.len(), isa);
        machine.set_clip(Some(lessons.clip));
        for (name, w) in initial(&model.params(), seed) {
            machine.set_param(0, &name, &w.iter().map(|&x| x as f32).collect::<Vec<_>>());
        }
        feed.set(&mut *machine);
        let losses = Losses::new(lessons.epochs);
        Apprentice { task, model, lessons, isa, seed, epoch: 0, feed, machine, last_loss: f64::NAN, losses }
    }

    /// Epochs done.
    pub fn epoch(&self) -> usize {
        self.epoch
    }

    /// Mean loss of the last epoch, before its step.
    pub fn last_loss(&self) -> f64 {
        self.last_loss
    }

    /// Losses on the way here.
    pub fn losses(&self) -> &[f32] {
        self.losses.until(self.epoch)
    }

    /// Arithmetic of an epoch, as [`Machine::step_flops`].
    pub fn step_flops(&self) -> usize {
        self.machine.step_flops()
    }

    /// One epoch; false if there are none left.
    pub fn learn(&mut self) -> bool {
        if self.epoch == self.lessons.epochs {
            return false;
        }
        if self.epoch > 0 && !self.task.is_fixed() {
            self.feed.fill(self.task, &*self.task.epoch(self.seed, self.epoch as u32));
            self.feed.set(&mut *self.machine);
        }
        self.machine.gradients();
        while let Some(model) = widened(&self.model, &*self.machine, self.feed.tokens()) {
            self.rebuild(model);
            self.feed.set(&mut *self.machine);
            self.machine.gradients();
        }
        self.last_loss = f64::from(self.machine.loss(0));
        self.losses.hear(self.epoch, self.last_loss);
        self.machine.descend(self.lessons.adam.at(self.epoch));
        self.epoch += 1;
        true
    }

    /// Its weights, by name.
    pub fn weights(&self) -> Arrays {
        let params = self.model.params();
        let numbers = |name: &str| self.machine.param(0, name).into_iter().map(f64::from).collect();
        params.iter().map(|p| (p.name.to_string(), numbers(&p.name))).collect()
    }

    /// What its next epoch depends on.
    pub fn state(&self) -> State {
        let numbers = |p: &Param| {
            let [first, second] = self.machine.moments(0, &p.name).expect("every parameter is trained");
            [self.machine.param(0, &p.name), first, second]
        };
        State {
            epoch: self.epoch,
            window: window(&self.model).unwrap_or(0),
            last_loss: self.last_loss,
            losses: self.losses.points(),
            params: self.model.params().iter().map(numbers).collect(),
        }
    }

    /// Goes on from a state of a learner with the same task, model, lessons and seed.
    pub fn resume(&mut self, state: &State) {
        (self.epoch, self.last_loss) = (state.epoch.min(self.lessons.epochs), state.last_loss);
        self.losses = Losses::resumed(self.lessons.epochs, state.losses);
        if window(&self.model).is_some_and(|own| own < state.window) {
            let sight = Sight::Causal(state.window.min(self.feed.tokens().next_power_of_two()));
            self.rebuild(Blocks { sizes: Sizes { sight, ..self.model.sizes }, ..self.model });
            self.feed.set(&mut *self.machine);
        }
        for (p, [w, m, v]) in self.model.params().iter().zip(&state.params) {
            self.machine.set_param(0, &p.name, w);
            self.machine.set_moments(0, &p.name, [m, v]);
        }
    }

    /// Goes on with another machine from the same state.
    fn rebuild(&mut self, model: Blocks) {
        let mut machine = machine(&model, self.feed.tokens(), self.feed.len(), self.isa);
        machine.set_clip(Some(self.lessons.clip));
        for p in model.params() {
            machine.set_param(0, &p.name, &self.machine.param(0, &p.name));
            if let Some([m, v]) = self.machine.moments(0, &p.name) {
                machine.set_moments(0, &p.name, [&m, &v]);
            }
        }
        (self.machine, self.model) = (machine, model);
    }
}
