//! What is compiled, and what comes of it: a machine that loads a batch, steps, and is read.

use super::crew::Crew;
use super::error::{CompileError, InputError, MOST_BYTES};
use super::graph::{Graph, Node};
use super::kernels::adam::AdamStep;
use super::pages::filled;
use super::simd::{Isa, Number};
use std::sync::Arc;

/// What the lanes of a vector hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lanes {
    /// A learner each, with weights and examples of its own: for models so small that a
    /// vector of them fits the cache.
    Learners,
    /// An example each, of the same learner.
    Examples,
    /// A row of an example each, of the same learner: for models that answer at every token.
    Tokens,
}

/// A group of learners that train side by side (or a single one), made by [`compile`](crate::compile()).
/// A learner's numbers never depend on who is in the other lanes.
pub trait Machine<E: Number>: Send {
    /// How many learners it holds; below, `lane` says which.
    fn lanes(&self) -> usize;
    /// Sets a learner's parameter by name, row-major. Panics if there is none of that name and length, as do the other
    /// functions that name one: parameters are the model's own.
    fn set_param(&mut self, lane: usize, name: &str, data: &[E]);
    /// A learner's parameter.
    fn param(&self, lane: usize, name: &str) -> Vec<E>;
    /// The gradient of the mean loss of the last [`Machine::gradients`] or [`Machine::step`].
    fn gradient(&self, lane: usize, name: &str) -> Vec<E>;
    /// Whether it reads an input of this name.
    fn has_input(&self, name: &str) -> bool;
    /// Sets a learner's input for the whole batch, example by example, row-major. Kinds of token are checked; other
    /// numbers may be anything, and what is not finite shows in the loss.
    fn set_input(&mut self, lane: usize, name: &str, data: &[E]) -> Result<(), InputError>;
    /// Computes what depends on the inputs alone; call once after the inputs are set.
    fn load(&mut self);
    /// Computes outputs and losses.
    fn forward(&mut self);
    /// Computes outputs, losses and gradients.
    fn gradients(&mut self);
    /// Forgets the optimizer's moments.
    fn reset_moments(&mut self);
    /// From now on, steps shorten each learner's gradient to this length, if it is longer. There is one length for
    /// all learners, or one for each. Panics if there are others, as does [`Machine::descend`].
    fn set_clip(&mut self, clip: &[Option<f64>]);
    /// One Adam step along the gradients, with the same constants for all learners or some for each.
    fn descend(&mut self, adam: &[AdamStep]);
    /// [`Machine::gradients`], then [`Machine::descend`].
    fn step(&mut self, adam: &[AdamStep]) {
        self.gradients();
        self.descend(adam);
    }
    /// The optimizer's two moments of a learner's parameter; none if it is frozen.
    fn moments(&self, lane: usize, name: &str) -> Option<[Vec<E>; 2]>;
    /// Sets them.
    fn set_moments(&mut self, lane: usize, name: &str, moments: [&[E]; 2]);
    /// In the last pass, by how much the score of a token outside the window of a windowed attention could have exceeded
    /// the best one inside, but for its distance: how much those tokens can have mattered.
    fn window_excess(&self) -> f64;
    /// Arithmetic that one step of a learner carries out; see [`step_flops`](crate::step_flops).
    fn step_flops(&self) -> usize;
    /// From now on, those of a crew who have nothing to do may take parts of its work. No number depends on whether they do.
    /// With rows on lanes; others are too small to be worth it, and do nothing with this.
    fn join_crew(&mut self, _crew: &Arc<Crew>) {}
    /// Parts of its work that others than the thread that it was called by have done.
    fn helped(&self) -> u64 {
        0
    }
    /// Memory that it has reserved.
    fn bytes(&self) -> usize;
    /// A learner's output for every example of the batch.
    fn output(&self, lane: usize) -> Vec<E>;
    /// A learner's mean loss over the batch.
    fn loss(&self, lane: usize) -> E;
}

/// A number as it leaves a machine: what is no number is always the same one. Which of several meet in an addition depends
/// on how a compiler ordered it, in one tile of a product or another.
pub(crate) fn plain<E: Number>(x: E) -> E {
    if x.f64().is_nan() { E::of(f64::NAN) } else { x }
}

/// Settings are for all learners or for each.
pub(crate) fn check_settings<T>(settings: &[T], learners: usize) {
    let given = settings.len();
    assert!(
        given == 1 || given == learners,
        "settings should be of 1 learner or of {learners}, but are of {given}"
    );
}

/// What to compile.
#[derive(Clone, Copy)]
pub struct CompileSpec<'a> {
    /// The model.
    pub graph: &'a Graph,
    /// Its prediction.
    pub output: Node,
    /// Its loss on one example, `[1, 1]`; the batch's loss is the mean.
    pub loss: Node,
    /// Examples in a batch.
    pub batch: usize,
    /// Parameters that stay as they are set.
    pub frozen: &'a [&'a str],
    /// What the lanes hold.
    pub lanes: Lanes,
}

impl CompileSpec<'_> {
    /// What can be said before anything is planned.
    pub(crate) fn check(&self, isa: Isa) -> Result<(), CompileError> {
        if !isa.available() {
            return Err(CompileError::Isa(isa));
        }
        if self.batch == 0 {
            return Err(CompileError::EmptyBatch);
        }
        match self.graph.shape(self.loss) {
            [1, 1] => Ok(()),
            [rows, cols] => Err(CompileError::Loss { rows, cols }),
        }
    }

    /// So many copies, if that is not too much.
    pub(crate) fn room<T: Copy>(&self, x: T, len: usize) -> Result<Vec<T>, CompileError> {
        let batch = self.batch;
        let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| bytes <= MOST_BYTES);
        let bytes = bytes.ok_or(CompileError::TooLarge { batch })?;
        filled(x, len).map_err(|_| CompileError::NoMemory { batch, bytes })
    }
}
