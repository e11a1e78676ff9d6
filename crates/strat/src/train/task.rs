//! Learners of a data-set task: (task, model, configuration, seed) → weights.
//!
//! A vector's lanes hold the examples of an epoch, or, where these are few, learners side by side. Machines are dealt
//! out to threads, one each, so that a learner's bits depend on its seed and the instruction set alone.

use super::encoding::Feed;
use super::losses::{Losses, POINTS};
use crate::engine::reference::Arrays;
use crate::engine::{Graph, Isa, Lanes, Machine, Source, compile};
use crate::model::block::{Blocks, Sight, Sizes, reach_of};
use crate::model::{Built, Kinds, Param, initial};
use crate::task::Task;
use crate::train::Adam;
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
    let own = window(model)?;
    // A learner that has diverged sees no better through a wider window.
    let excess = Some(m.excess()).filter(|excess| excess.is_finite())?;
    let enough = reach_of(excess).min(tokens);
    // A quarter more, so that it is not made anew at every step.
    let sight = Sight::Causal((enough + enough / 4).next_multiple_of(16));
    (enough > own).then_some(Blocks { sizes: Sizes { sight, ..model.sizes }, ..*model })
}

/// Up to so many examples an epoch, classifiers of a table are trained side by side, one in each lane: with an example in
/// each, a step would spend its time on copies of the weights.
const FEW: usize = 128;

/// How many learners of a task are trained at once.
pub fn together(task: &Task, model: &Blocks, isa: Isa) -> usize {
    let few = task.is_fixed() && is_few(model, task.kinds().as_ref(), task.epoch(0, 0).len());
    if few { isa.lanes::<f32>() } else { 1 }
}

fn is_few(model: &Blocks, kinds: Option<&Kinds>, examples: usize) -> bool {
    // After the first layer a token is more than its kind.
    kinds.is_some() && model.sizes.layers == 1 && examples <= FEW
}

/// A machine that trains learners on batches of `batch` examples of `tokens` tokens.
fn training_machine(
    model: &Blocks,
    kinds: Option<&Kinds>,
    tokens: usize,
    batch: usize,
    isa: Isa,
) -> Box<dyn Machine<f32>> {
    machine(model, kinds, tokens, (batch, is_few(model, kinds, batch)), isa)
}

/// A machine for batches of so many examples of `tokens` tokens, with a learner in every lane or of a single one. It
/// reads kinds of token where that is less work.
pub fn machine(
    model: &Blocks,
    kinds: Option<&Kinds>,
    tokens: usize,
    (batch, few): (usize, bool),
    isa: Isa,
) -> Box<dyn Machine<f32>> {
    // Of a vector of learners every example is a row; of one learner, every vector of examples.
    let rows = tokens * if few { batch } else { batch.div_ceil(isa.lanes::<f32>()) };
    let kinds = kinds.filter(|kinds| model.sizes.layers == 1 && kinds.of.len() == tokens && kinds.count() <= rows);
    let Built { graph, output, loss, .. } = match kinds {
        Some(kinds) => model.build_of_kinds(kinds),
        None => model.build(tokens),
    };
    let lanes = match few {
        true => Lanes::Learners,
        false => Lanes::of_one_learner(&graph, output, loss),
    };
    let source = Source { graph: &graph, output, loss, batch, frozen: &[], lanes };
    compile(source, isa).expect("a model that was built can be run")
}

/// Tokens of the longest training example: augmentation makes none longer.
fn training_tokens(task: &Task) -> usize {
    task.bases().iter().map(|example| task.length(example)).max().unwrap_or(0)
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

/// Learners in training: one, or up to [`together`] side by side, none of which changes what becomes of another.
pub struct Apprentices<'a> {
    task: &'a Task,
    model: Blocks,
    lessons: Lessons,
    isa: Isa,
    seeds: Vec<u64>,
    epoch: usize,
    feed: Feed,
    machine: Box<dyn Machine<f32>>,
    /// By learner.
    last_loss: Vec<f64>,
    losses: Vec<Losses>,
}

impl<'a> Apprentices<'a> {
    /// Learners at their start, one for each seed.
    ///
    /// # Panics
    /// If there is none, or more than [`together`].
    pub fn new(task: &'a Task, model: Blocks, lessons: Lessons, isa: Isa, seeds: &[u64]) -> Self {
        let mut feed = Feed::new(task, training_tokens(task));
        feed.fill(task, &*task.epoch(seeds[0], 0));
        let machine = training_machine(&model, feed.kinds(), feed.tokens(), feed.len(), isa);
        assert!(seeds.len() <= machine.lanes(), "{} learners in {} lanes", seeds.len(), machine.lanes());
        let losses = vec![Losses::new(lessons.epochs); seeds.len()];
        let last_loss = vec![f64::NAN; seeds.len()];
        let seeds = seeds.to_vec();
        let mut all = Apprentices { task, model, lessons, isa, seeds, epoch: 0, feed, machine, last_loss, losses };
        all.machine.set_clip(Some(lessons.clip));
        for lane in 0..all.machine.lanes() {
            for (name, w) in initial(&model.params(), all.seed_of(lane)) {
                all.machine.set_param(lane, &name, &w.iter().map(|&x| x as f32).collect::<Vec<_>>());
            }
        }
        all.feed_all();
        all
    }

    /// The seed of a lane: idle ones repeat the last.
    fn seed_of(&self, lane: usize) -> u64 {
        self.seeds[lane.min(self.seeds.len() - 1)]
    }

    /// Gives every lane the examples of this epoch.
    fn feed_all(&mut self) {
        for lane in 0..self.machine.lanes() {
            if !self.task.is_fixed() {
                let seed = self.seed_of(lane);
                self.feed.fill(self.task, &*self.task.epoch(seed, self.epoch as u32));
            }
            self.feed.set(&mut *self.machine, lane);
        }
        self.machine.load();
    }

    /// Epochs done.
    pub fn epoch(&self) -> usize {
        self.epoch
    }

    /// Mean loss of each learner's last epoch, before its step.
    pub fn last_loss(&self) -> &[f64] {
        &self.last_loss
    }

    /// Losses of a learner on the way here.
    pub fn losses(&self, learner: usize) -> &[f32] {
        self.losses[learner].until(self.epoch)
    }

    /// Arithmetic of an epoch of one learner, as [`Machine::step_flops`].
    pub fn step_flops(&self) -> usize {
        self.machine.step_flops()
    }

    /// One epoch; false if there are none left.
    pub fn learn(&mut self) -> bool {
        if self.epoch == self.lessons.epochs {
            return false;
        }
        if self.epoch > 0 && !self.task.is_fixed() {
            self.feed_all();
        }
        self.machine.gradients();
        while let Some(model) = widened(&self.model, &*self.machine, self.feed.tokens()) {
            self.rebuild(model);
            self.feed_all();
            self.machine.gradients();
        }
        for (lane, (loss, losses)) in self.last_loss.iter_mut().zip(&mut self.losses).enumerate() {
            *loss = f64::from(self.machine.loss(lane));
            losses.hear(self.epoch, *loss);
        }
        self.machine.descend(self.lessons.adam.at(self.epoch));
        self.epoch += 1;
        true
    }

    /// A learner's weights, by name.
    pub fn weights(&self, learner: usize) -> Arrays {
        let params = self.model.params();
        let numbers = |name: &str| self.machine.param(learner, name).into_iter().map(f64::from).collect();
        params.iter().map(|p| (p.name.to_string(), numbers(&p.name))).collect()
    }

    /// What a learner's next epoch depends on.
    pub fn state(&self, learner: usize) -> State {
        let numbers = |p: &Param| {
            let [first, second] = self.machine.moments(learner, &p.name).expect("every parameter is trained");
            [self.machine.param(learner, &p.name), first, second]
        };
        State {
            epoch: self.epoch,
            window: window(&self.model).unwrap_or(0),
            last_loss: self.last_loss[learner],
            losses: self.losses[learner].points(),
            params: self.model.params().iter().map(numbers).collect(),
        }
    }

    /// Goes on from states of learners with the same task, model, lessons and seeds, all after as many epochs.
    ///
    /// # Panics
    /// If there are not as many states as learners, or not of the same epoch.
    pub fn resume(&mut self, states: &[State]) {
        assert_eq!(states.len(), self.seeds.len(), "a state for every learner");
        assert!(states.iter().all(|s| s.epoch == states[0].epoch), "learners side by side are in the same epoch");
        self.epoch = states[0].epoch.min(self.lessons.epochs);
        let widest = states.iter().map(|s| s.window).max().unwrap_or(0);
        if window(&self.model).is_some_and(|own| own < widest) {
            let sight = Sight::Causal(widest.min(2 * self.feed.tokens()));
            self.rebuild(Blocks { sizes: Sizes { sight, ..self.model.sizes }, ..self.model });
            self.feed_all();
        }
        for (learner, state) in states.iter().enumerate() {
            self.last_loss[learner] = state.last_loss;
            self.losses[learner] = Losses::resumed(self.lessons.epochs, state.losses);
            for (p, [w, m, v]) in self.model.params().iter().zip(&state.params) {
                self.machine.set_param(learner, &p.name, w);
                self.machine.set_moments(learner, &p.name, [m, v]);
            }
        }
    }

    /// Goes on with another machine from the same state.
    fn rebuild(&mut self, model: Blocks) {
        let mut state = vec![];
        for lane in 0..self.machine.lanes() {
            for p in model.params() {
                let values = (self.machine.param(lane, &p.name), self.machine.moments(lane, &p.name));
                state.push((lane, p.name, values));
            }
        }
        // The old one goes first: a wide window takes much memory.
        self.machine = nothing(self.isa);
        self.machine = training_machine(&model, self.feed.kinds(), self.feed.tokens(), self.feed.len(), self.isa);
        self.machine.set_clip(Some(self.lessons.clip));
        for (lane, name, (values, moments)) in state {
            self.machine.set_param(lane, &name, &values);
            if let Some([m, v]) = moments {
                self.machine.set_moments(lane, &name, [&m, &v]);
            }
        }
        self.model = model;
    }
}

/// A machine that computes next to nothing, to stand in the place of another.
fn nothing(isa: Isa) -> Box<dyn Machine<f32>> {
    let mut graph = Graph::new();
    let x = graph.param("x", 1, 1);
    let source = Source { graph: &graph, output: x, loss: x, batch: 1, frozen: &[], lanes: Lanes::Learners };
    compile(source, isa).expect("a graph of one parameter can be run")
}
