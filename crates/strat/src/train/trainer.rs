//! The training loop: (task, model, configuration, seed) → learner.
//!
//! A vector's lanes hold learners side by side where the model is small, else the examples or rows of one learner.
//! Only this file decides that. A learner's bits depend on its seed and the instruction set alone.

use super::losses::{Losses, POINTS};
use super::{Learner, TrainConfig};
use crate::engine::graph::Op;
use crate::engine::reference::Arrays;
use crate::engine::{CompileError, CompileSpec, Elem, Graph, InputError, Isa, Lanes, Machine, compile};
use crate::model::{Kinds, Model, Param, initial};
use crate::task::{Batch, Changes, Task};
use std::sync::Arc;

/// Why a model cannot be trained on a task.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The model's graph cannot be run.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// An example does not fit the model.
    #[error("task {task}: {source}")]
    Input {
        /// The task.
        task: String,
        /// What does not fit.
        source: InputError,
    },
    /// The model reads what the task does not give.
    #[error("task {task} gives no input {input:?}, which the model reads; it gives {given}")]
    Missing {
        /// The task.
        task: String,
        /// The input.
        input: String,
        /// What there is.
        given: String,
    },
    /// Not one learner, or more than fit.
    #[error("{found} seeds, but from 1 to {most} learners are trained at once here")]
    Seeds {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// The model is made for other lengths.
    #[error("task {task} has examples of {tokens} tokens, which the model cannot read")]
    Tokens {
        /// The task.
        task: String,
        /// The tokens of an example.
        tokens: usize,
    },
    /// No examples at the first step.
    #[error("task {0} gives no training examples")]
    NoExamples(String),
    /// Another number of examples than at the first step.
    #[error("task {task} gives {found} training examples at step {step}, but {expected} at the first")]
    Examples {
        /// The task.
        task: String,
        /// The step.
        step: usize,
        /// How many it gives there.
        found: usize,
        /// How many it gave before.
        expected: usize,
    },
}

/// What the next step of a learner depends on, beside its task, model, configuration and seed.
#[derive(Clone, Debug, PartialEq)]
pub struct State<E = f32> {
    /// Steps done.
    pub step: usize,
    /// The window of its attention, if it has one, else 0.
    pub window: usize,
    /// Mean loss of the last step, before it.
    pub last_loss: f64,
    /// Losses on the way ([`Losses::points`]).
    pub losses: [f32; POINTS],
    /// Of every parameter, in the model's order: values, first and second moment.
    pub params: Vec<[Vec<E>; 3]>,
}

/// How many learners of a model are best trained at once on a task.
pub fn learners_per_machine<E: Elem>(task: &dyn Task, model: &dyn Model, isa: Isa) -> usize {
    let batch = first_batch(task, 0);
    if side_by_side(model, &batch) { isa.lanes::<E>() } else { 1 }
}

fn side_by_side(model: &dyn Model, batch: &Batch) -> bool {
    model.is_small(batch.len(), batch.kinds().is_some())
}

fn first_batch(task: &dyn Task, seed: u64) -> Batch {
    let mut batch = Batch::new(task, task.tokens());
    task.fill(seed, 0, &mut batch);
    batch
}

/// What a model reads and nobody gives would be zero.
fn check_inputs(model: &dyn Model, task: &dyn Task, batch: &Batch) -> Result<(), TrainError> {
    let given = batch.names();
    for entry in model.build(batch.tokens()).graph.entries() {
        if let Op::Input { name } = &entry.op
            && !given.contains(&&**name)
        {
            let (task, given) = (task.name().into(), given.join(", "));
            return Err(TrainError::Missing { task, input: name.clone(), given });
        }
    }
    Ok(())
}

/// A machine for batches of as many examples and tokens. It reads kinds of token where that is less work.
pub fn machine<E: Elem>(
    model: &dyn Model,
    kinds: Option<&Kinds>,
    tokens: usize,
    (batch, side_by_side): (usize, bool),
    isa: Isa,
) -> Result<Box<dyn Machine<E>>, CompileError> {
    // Of a vector of learners every example is a row; of one learner, every vector of examples.
    let rows = tokens * if side_by_side { batch } else { batch.div_ceil(isa.lanes::<E>()) };
    let kinds = kinds.filter(|kinds| kinds.of.len() == tokens && kinds.count() <= rows);
    let built = kinds.and_then(|kinds| model.build_of_kinds(kinds)).unwrap_or_else(|| model.build(tokens));
    let lanes = match side_by_side {
        true => Lanes::Learners,
        false if built.frozen.is_empty() => Lanes::of_one_learner::<E>(&built.graph, built.output, built.loss),
        false => Lanes::Examples,
    };
    let frozen: Vec<&str> = built.frozen.iter().map(|name| &**name).collect();
    let source =
        CompileSpec { graph: &built.graph, output: built.output, loss: built.loss, batch, frozen: &frozen, lanes };
    compile(source, isa)
}

/// The model with as large a window as the last pass of its machine needed, if it has less.
pub(crate) fn widened<E: Elem>(model: &dyn Model, m: &dyn Machine<E>, tokens: usize) -> Option<Arc<dyn Model>> {
    let own = model.window()?;
    // A learner that has diverged sees no better through a wider window.
    let excess = Some(m.window_excess()).filter(|excess| excess.is_finite())?;
    let enough = crate::model::block::window_needed(excess).min(tokens);
    // A quarter more, so that it is not made anew at every step.
    if enough > own { model.with_window((enough + enough / 4).next_multiple_of(16)) } else { None }
}

/// Learners in training: one, or up to [`learners_per_machine`] side by side, none of which changes what becomes of another.
pub struct Trainer<'a, E: Elem = f32> {
    task: &'a dyn Task,
    model: Arc<dyn Model>,
    params: Vec<Param>,
    config: TrainConfig,
    isa: Isa,
    seeds: Vec<u64>,
    step: usize,
    batch: Batch,
    side_by_side: bool,
    machine: Box<dyn Machine<E>>,
    /// Losses of the last step of those who went on from a state, by learner.
    last_loss: Vec<f64>,
    /// Whether the machine has made a step.
    has_stepped: bool,
    losses: Vec<Losses>,
    /// Room to hand a batch to the machine.
    numbers: Vec<E>,
}

impl<'a, E: Elem> Trainer<'a, E> {
    /// Learners at their start, one for each seed.
    pub fn new(
        task: &'a dyn Task,
        model: Arc<dyn Model>,
        config: TrainConfig,
        isa: Isa,
        seeds: &[u64],
    ) -> Result<Self, TrainError> {
        let Some(&first) = seeds.first() else { return Err(TrainError::Seeds { found: 0, most: 1 }) };
        let batch = first_batch(task, first);
        if batch.is_empty() {
            return Err(TrainError::NoExamples(task.name().into()));
        }
        if !model.reads(batch.tokens()) {
            return Err(TrainError::Tokens { task: task.name().into(), tokens: batch.tokens() });
        }
        check_inputs(&*model, task, &batch)?;
        let side_by_side = side_by_side(&*model, &batch);
        let machine = machine::<E>(&*model, batch.kinds(), batch.tokens(), (batch.len(), side_by_side), isa)?;
        if seeds.len() > machine.lanes() {
            return Err(TrainError::Seeds { found: seeds.len(), most: machine.lanes() });
        }
        let mut trainer = Trainer {
            task,
            params: model.params(),
            model,
            config,
            isa,
            seeds: seeds.to_vec(),
            step: 0,
            batch,
            side_by_side,
            machine,
            last_loss: vec![f64::NAN; seeds.len()],
            has_stepped: false,
            losses: vec![Losses::new(config.steps); seeds.len()],
            numbers: vec![],
        };
        trainer.machine.set_clip(&[config.clip]);
        for lane in 0..trainer.machine.lanes() {
            for (name, w) in initial(&trainer.params, trainer.seed_of(lane)) {
                trainer.machine.set_param(lane, &name, &w.iter().map(|&x| E::of(x)).collect::<Vec<_>>());
            }
        }
        trainer.load()?;
        Ok(trainer)
    }

    /// The seed of a lane: idle ones repeat the last.
    fn seed_of(&self, lane: usize) -> u64 {
        self.seeds[lane.min(self.seeds.len() - 1)]
    }

    /// Gives every lane the examples of this step.
    fn load(&mut self) -> Result<(), TrainError> {
        let expected = self.batch.len();
        for lane in 0..self.machine.lanes() {
            if self.task.changes() != Changes::Never {
                self.task.fill(self.seed_of(lane), self.step as u32, &mut self.batch);
                if self.batch.len() != expected {
                    let (task, step, found) = (self.task.name().into(), self.step, self.batch.len());
                    return Err(TrainError::Examples { task, step, found, expected });
                }
            }
            let fail = |source| TrainError::Input { task: self.task.name().into(), source };
            self.batch.set(&mut *self.machine, lane, &mut self.numbers).map_err(fail)?;
        }
        self.machine.load();
        Ok(())
    }

    /// Steps done.
    pub fn steps_done(&self) -> usize {
        self.step
    }

    /// Losses of a learner on the way here.
    pub fn losses(&self, learner: usize) -> &[f32] {
        self.losses[learner].until(self.step)
    }

    /// Mean loss of a learner's last step, before it; NaN if there was none.
    pub fn last_loss(&self, learner: usize) -> f64 {
        if self.has_stepped { self.machine.loss(learner).f64() } else { self.last_loss[learner] }
    }

    /// Arithmetic of a step of one learner, as [`Machine::step_flops`].
    pub fn step_flops(&self) -> usize {
        self.machine.step_flops()
    }

    /// The machine, for those who look at gradients on the way.
    pub fn machine(&self) -> &dyn Machine<E> {
        &*self.machine
    }

    /// One step; false if there are none left.
    pub fn step(&mut self) -> Result<bool, TrainError> {
        let TrainConfig { steps, .. } = self.config;
        if self.step == steps {
            return Ok(false);
        }
        if self.step > 0 && self.task.changes() == Changes::ByStep {
            self.load()?;
        }
        let mut adam = self.config.adam;
        if let Some(anneal) = self.config.anneal {
            adam.learning_rate *= anneal.rate_at(self.step, steps);
            if let Some(factor) = anneal.sharpen_at(self.step, steps) {
                self.sharpen(factor);
            }
        }
        self.machine.gradients();
        while let Some(model) = widened(&*self.model, &*self.machine, self.batch.tokens()) {
            self.rebuild(model)?;
            self.load()?;
            self.machine.gradients();
        }
        if self.losses[0].is_sampled(self.step) {
            for (lane, losses) in self.losses.iter_mut().enumerate() {
                losses.record(self.step, self.machine.loss(lane).f64());
            }
        }
        self.machine.descend(&[adam.at(self.step)]);
        (self.step, self.has_stepped) = (self.step + 1, true);
        Ok(true)
    }

    /// Multiplies what the gates see, if the model has any.
    fn sharpen(&mut self, factor: f64) {
        for name in self.model.gates() {
            for lane in 0..self.machine.lanes() {
                let weights = self.machine.param(lane, &name);
                let sharper: Vec<E> = weights.into_iter().map(|w| E::of(w.f64() * factor)).collect();
                self.machine.set_param(lane, &name, &sharper);
            }
        }
    }

    /// A learner's weights, by name.
    pub fn weights(&self, learner: usize) -> Arrays {
        let numbers = |name: &str| self.machine.param(learner, name).into_iter().map(E::f64).collect();
        self.params.iter().map(|p| (p.name.to_string(), numbers(&p.name))).collect()
    }

    /// What a seed has become so far.
    pub fn learner(&self, learner: usize) -> Learner {
        Learner {
            seed: self.seeds[learner],
            weights: self.weights(learner),
            final_loss: self.last_loss(learner),
            losses: self.losses(learner).to_vec(),
        }
    }

    /// What a learner's next step depends on.
    pub fn state(&self, learner: usize) -> State<E> {
        let numbers = |p: &Param| {
            let values = self.machine.param(learner, &p.name);
            // What is frozen has no moments.
            let zeros = || [vec![E::default(); values.len()], vec![E::default(); values.len()]];
            let [first, second] = self.machine.moments(learner, &p.name).unwrap_or_else(zeros);
            [values, first, second]
        };
        State {
            step: self.step,
            window: self.model.window().unwrap_or(0),
            last_loss: self.last_loss(learner),
            losses: self.losses[learner].points(),
            params: self.params.iter().map(numbers).collect(),
        }
    }

    /// Goes on from states of learners with the same task, model, configuration and seeds, all after as many steps.
    ///
    /// # Panics
    /// If there are not as many states as learners, or not of the same step.
    pub fn resume(&mut self, states: &[State<E>]) -> Result<(), TrainError> {
        assert_eq!(states.len(), self.seeds.len(), "a state for every learner");
        assert!(states.iter().all(|s| s.step == states[0].step), "learners side by side are at the same step");
        (self.step, self.has_stepped) = (states[0].step.min(self.config.steps), false);
        let widest = states.iter().map(|s| s.window).max().unwrap_or(0);
        if self.model.window().is_some_and(|own| own < widest)
            && let Some(model) = self.model.with_window(widest.min(2 * self.batch.tokens()))
        {
            self.rebuild(model)?;
            self.load()?;
        }
        for (learner, state) in states.iter().enumerate() {
            self.last_loss[learner] = state.last_loss;
            self.losses[learner] = Losses::resumed(self.config.steps, state.losses);
            for (p, [w, m, v]) in self.params.iter().zip(&state.params) {
                self.machine.set_param(learner, &p.name, w);
                if self.machine.moments(learner, &p.name).is_some() {
                    self.machine.set_moments(learner, &p.name, [m, v]);
                }
            }
        }
        Ok(())
    }

    /// Goes on with another machine from the same state.
    fn rebuild(&mut self, model: Arc<dyn Model>) -> Result<(), TrainError> {
        let mut state = vec![];
        for lane in 0..self.machine.lanes() {
            for p in &self.params {
                let values = (self.machine.param(lane, &p.name), self.machine.moments(lane, &p.name));
                state.push((lane, p.name.clone(), values));
            }
        }
        // The old one goes first: a wide window takes much memory.
        self.machine = nothing(self.isa);
        let (batch, tokens) = (&self.batch, self.batch.tokens());
        self.machine = machine(&*model, batch.kinds(), tokens, (batch.len(), self.side_by_side), self.isa)?;
        self.machine.set_clip(&[self.config.clip]);
        for (lane, name, (values, moments)) in state {
            self.machine.set_param(lane, &name, &values);
            if let Some([m, v]) = moments {
                self.machine.set_moments(lane, &name, [&m, &v]);
            }
        }
        self.model = model;
        Ok(())
    }
}

/// A machine that computes next to nothing, to stand in the place of another.
fn nothing<E: Elem>(isa: Isa) -> Box<dyn Machine<E>> {
    let mut graph = Graph::new();
    let x = graph.param("x", 1, 1);
    let source = CompileSpec { graph: &graph, output: x, loss: x, batch: 1, frozen: &[], lanes: Lanes::Learners };
    compile(source, isa).expect("a graph of one parameter can be run")
}
