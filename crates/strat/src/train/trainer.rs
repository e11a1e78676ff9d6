//! The training loop: (task, model, configuration, seed) → learner.
//!
//! A vector's lanes hold learners side by side where the model is small, else the examples or rows of one learner.
//! Only this file decides that. A learner's bits depend on its seed and the instruction set alone.

use super::losses::{Losses, POINTS};
use super::{Learner, TrainConfig, TrainError};
use crate::config::ValidConfig;
use crate::engine::graph::Op;
use crate::engine::reference::Arrays;
use crate::engine::{CompileError, CompileSpec, Crew, Elem, Graph, Isa, Lanes, Machine, compile};
use crate::model::{Dropout, Kinds, Model, Param, is_dropout};
use crate::task::{Batch, Changes, Task};
use std::sync::Arc;

/// What the next step of a learner depends on, beside its task, model, configuration and seed.
#[derive(Clone, Debug, PartialEq)]
pub struct State<E = f32> {
    /// Steps done.
    pub step: usize,
    /// The window of its attention, if it has one, else 0.
    pub window: usize,
    /// Mean loss of the last step, before it.
    pub last_loss: f64,
    /// Losses on the way.
    pub losses: [f32; POINTS],
    /// Of every parameter, in the model's order: values, first and second moment.
    pub params: Vec<[Vec<E>; 3]>,
}

/// How many learners of a model are best trained at once on a task.
pub(crate) fn learners_per_machine<E: Elem>(task: &dyn Task, model: &dyn Model, isa: Isa) -> usize {
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

/// Whether a model can read a task: its tokens, and every input by name and shape.
pub(super) fn check(task: &dyn Task, model: &dyn Model) -> Result<(), TrainError> {
    check_batch(task, model, &first_batch(task, 0))
}

fn check_batch(task: &dyn Task, model: &dyn Model, batch: &Batch) -> Result<(), TrainError> {
    let (name, tokens) = (|| task.name().to_string(), batch.tokens());
    if batch.is_empty() {
        return Err(TrainError::NoExamples(name()));
    }
    if !model.reads(tokens) {
        return Err(TrainError::Tokens { task: name(), tokens });
    }
    // What a model reads and nobody gives would be zero.
    let sizes = batch.sizes();
    for entry in model.build(tokens).graph.entries() {
        let Op::Input { name: input } = &entry.op else { continue };
        if is_dropout(input) {
            continue;
        }
        let Some(&(_, found)) = sizes.iter().find(|(given, _)| given == input) else {
            let given = sizes.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            return Err(TrainError::Missing { task: name(), input: input.clone(), given });
        };
        let (rows, cols) = (entry.rows, entry.cols);
        if found != rows * cols {
            return Err(TrainError::Shape { task: name(), input: input.clone(), found, rows, cols });
        }
    }
    Ok(())
}

/// A machine for batches of as many examples and tokens. It reads kinds of token where that is less work.
pub(crate) fn machine<E: Elem>(
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

/// The window that a learner starts with, whatever its model's, unless that is all tokens: of a learner at its start, scores
/// differ by so little that distance outweighs them soon. It is widened before it is too narrow.
const FIRST_WINDOW: usize = 24;

fn narrowed(model: &dyn Model, tokens: usize) -> Option<Arc<dyn Model>> {
    let own = model.window()?;
    if FIRST_WINDOW < own && own < tokens { model.with_window(FIRST_WINDOW) } else { None }
}

/// The model with as large a window as the last pass of its machine needed, if it has less.
pub(crate) fn widened<E: Elem>(model: &dyn Model, m: &dyn Machine<E>, tokens: usize) -> Option<Arc<dyn Model>> {
    let own = model.window()?;
    // A learner that has diverged sees no better through a wider window.
    let excess = Some(m.window_excess()).filter(|excess| excess.is_finite())?;
    let enough = crate::model::window_needed(excess).min(tokens);
    // A quarter more, so that it is not made anew at every step.
    if enough > own { model.with_window((enough + enough / 4).next_multiple_of(8)) } else { None }
}

/// Learners in training: one, or up to [`Trainer::learners_per_machine`] side by side, none of which changes what becomes of another.
pub struct Trainer<'a, E: Elem = f32> {
    task: &'a dyn Task,
    model: Arc<dyn Model>,
    params: Vec<Param>,
    /// Of every learner; all have as many steps.
    configs: Vec<TrainConfig>,
    /// Whether they are all the same.
    is_uniform: bool,
    steps: usize,
    isa: Isa,
    seeds: Vec<u64>,
    step: usize,
    batch: Batch,
    /// What is dropped, if anything is.
    dropout: Option<Dropout>,
    side_by_side: bool,
    machine: Box<dyn Machine<E>>,
    /// Those who may help.
    crew: Option<Arc<Crew>>,
    /// Losses of the last step of those who went on from a state, by learner.
    last_loss: Vec<f64>,
    /// Whether the machine has made a step.
    has_stepped: bool,
    losses: Vec<Losses>,
    /// Room to hand a batch to the machine.
    numbers: Vec<E>,
}

impl<'a, E: Elem> Trainer<'a, E> {
    /// How many learners of a model are best trained at once on a task.
    pub fn learners_per_machine(task: &dyn Task, model: &dyn Model, isa: Isa) -> usize {
        learners_per_machine::<E>(task, model, isa)
    }

    /// The machine of such learners: a batch of so many examples with so many tokens, learners side by side or one alone.
    /// It reads kinds of token where that is less work.
    pub fn machine_for(
        model: &dyn Model,
        kinds: Option<&Kinds>,
        tokens: usize,
        (batch, side_by_side): (usize, bool),
        isa: Isa,
    ) -> Result<Box<dyn Machine<E>>, CompileError> {
        machine(model, kinds, tokens, (batch, side_by_side), isa)
    }

    /// Learners at their start, one for each seed.
    pub fn new(
        task: &'a dyn Task,
        model: Arc<dyn Model>,
        config: ValidConfig,
        isa: Isa,
        seeds: &[u64],
    ) -> Result<Self, TrainError> {
        let learners: Vec<(ValidConfig, u64)> = seeds.iter().map(|&seed| (config, seed)).collect();
        Trainer::of_learners(task, model, &learners, isa)
    }

    /// The same with a configuration for each learner; all take the same number of steps.
    pub fn of_learners(
        task: &'a dyn Task,
        model: Arc<dyn Model>,
        learners: &[(ValidConfig, u64)],
        isa: Isa,
    ) -> Result<Self, TrainError> {
        let Some((first, seed)) = learners.first() else { return Err(TrainError::Seeds { found: 0, most: 1 }) };
        let steps = first.get().steps;
        if let Some((other, _)) = learners.iter().find(|(config, _)| config.get().steps != steps) {
            return Err(TrainError::Steps(steps, other.get().steps));
        }
        let batch = first_batch(task, *seed);
        check_batch(task, &*model, &batch)?;
        let model = model.in_training().unwrap_or(model);
        let model = narrowed(&*model, batch.tokens()).unwrap_or(model);
        let dropout = match model.dropout() {
            0.0 => None,
            share => Dropout::of(share, &model.build(batch.tokens())),
        };
        let side_by_side = side_by_side(&*model, &batch);
        let machine = machine::<E>(&*model, batch.kinds(), batch.tokens(), (batch.len(), side_by_side), isa)?;
        if learners.len() > machine.lanes() {
            return Err(TrainError::Seeds { found: learners.len(), most: machine.lanes() });
        }
        let mut trainer = Trainer {
            task,
            params: model.params(),
            model,
            configs: learners.iter().map(|(config, _)| *config.get()).collect(),
            is_uniform: learners.iter().all(|(config, _)| config == first),
            steps,
            isa,
            seeds: learners.iter().map(|(_, seed)| *seed).collect(),
            step: 0,
            batch,
            dropout,
            side_by_side,
            machine,
            crew: None,
            last_loss: vec![f64::NAN; learners.len()],
            has_stepped: false,
            losses: vec![Losses::new(steps); learners.len()],
            numbers: vec![],
        };
        trainer.set_clips();
        for lane in 0..trainer.machine.lanes() {
            for (name, w) in Param::initial(&trainer.params, trainer.seed_of(lane)) {
                trainer.machine.set_param(lane, &name, &w.iter().map(|&x| E::of(x)).collect::<Vec<_>>());
            }
        }
        trainer.load()?;
        Ok(trainer)
    }

    /// From now on, threads of a crew that have nothing to do help, where one learner is work enough for several. It
    /// comes out the same, bit for bit.
    pub fn join_crew(&mut self, crew: &Arc<Crew>) {
        self.machine.join_crew(crew);
        self.crew = Some(crew.clone());
    }

    /// What every lane has of its learner's configuration; idle ones repeat the last.
    fn by_lane<T>(&self, of: impl Fn(&TrainConfig) -> T) -> Vec<T> {
        (0..self.machine.lanes()).map(|lane| of(&self.configs[lane.min(self.configs.len() - 1)])).collect()
    }

    fn set_clips(&mut self) {
        let clips = self.by_lane(|config| config.clip);
        self.machine.set_clip(&clips);
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
            if let Some(input) = self.model.padding() {
                self.batch.longest_first(input);
            }
            let fail = |source| TrainError::Input { task: self.task.name().into(), source };
            self.batch.set(&mut *self.machine, lane, &mut self.numbers).map_err(fail)?;
            let seed = self.seed_of(lane);
            let drawn = self.dropout.iter().flat_map(|d| d.draw(seed, self.step as u32, expected));
            for (input, kept) in drawn {
                self.numbers.clear();
                self.numbers.extend(kept.into_iter().map(E::of));
                self.machine.set_input(lane, input, &self.numbers).map_err(fail)?;
            }
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
        if self.step == self.steps {
            return Ok(false);
        }
        if self.step > 0 && (self.task.changes() == Changes::ByStep || self.dropout.is_some()) {
            self.load()?;
        }
        self.sharpen();
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
        let adam = |config: &TrainConfig| config.adam_at(self.step).at(self.step);
        if self.is_uniform {
            self.machine.descend(&[adam(&self.configs[0])]);
        } else {
            let each = self.by_lane(adam);
            self.machine.descend(&each);
        }
        (self.step, self.has_stepped) = (self.step + 1, true);
        Ok(true)
    }

    /// Multiplies what the gates see, if the model has any and this is a step at which they are sharpened.
    fn sharpen(&mut self) {
        let step = self.step;
        if self.configs.iter().all(|config| config.sharpen_at(step).is_none()) {
            return;
        }
        let factors = self.by_lane(|config| config.sharpen_at(step));
        for name in self.model.gates() {
            for (lane, factor) in factors.iter().enumerate() {
                let Some(factor) = factor else { continue };
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
        (self.step, self.has_stepped) = (states[0].step.min(self.steps), false);
        let widest = states.iter().map(|s| s.window).max().unwrap_or(0);
        if self.model.window().is_some_and(|own| own < widest)
            && let Some(model) = self.model.with_window(widest.min(2 * self.batch.tokens()))
        {
            self.rebuild(model)?;
            self.load()?;
        }
        for (learner, state) in states.iter().enumerate() {
            self.last_loss[learner] = state.last_loss;
            self.losses[learner] = Losses::resumed(self.steps, state.losses);
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
        self.set_clips();
        self.crew.iter().for_each(|crew| self.machine.join_crew(crew));
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
