//! A planned graph at work on one vector of learners: load a batch, step, read.

use super::backward::{Differentiate, GatherTable};
use super::cost::step_flops;
use super::error::{CompileError, InputError, MOST_BYTES};
use super::forward::Compute;
use super::graph::{Graph, Node, Op, Varies};
use super::kernels::adam::AdamStep;
use super::kernels::rearrange::{Clear, mass_weights};
use super::kinds::{self, Kinds, kinds_of};
use super::memory::{Arena, Layout, Part};
use super::optimizer::{Optimizer, totals};
use super::pages::filled;
use super::plan::Plan;
use super::simd::{Elem, Isa, Simd, Visitor};
use super::tokens::Rows;

/// What the lanes of a vector hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// A learner each, with weights and examples of its own: for models so small that a
    /// vector of them fits the cache.
    Learners,
    /// An example each, of the same learner.
    Examples,
    /// A row of an example each, of the same learner: for models that answer at every token.
    Tokens,
}

impl Lanes {
    /// What the lanes should hold for a single learner: rows, if it answers at every token, since then hardly a
    /// lane is idle; else examples, so that rows which the answer does not need are not computed.
    pub fn of_one_learner(graph: &Graph, output: Node, loss: Node) -> Lanes {
        let (graph, roots) = super::rules::simplify(graph, &[output, loss]);
        match super::tokens::fits(&graph, roots[0], roots[1]) {
            true => Lanes::Tokens,
            false => Lanes::Examples,
        }
    }
}

/// A group of learners that train side by side (or a single one), made by [`compile`].
/// A learner's numbers never depend on who is in the other lanes.
pub trait Machine<E: Elem>: Send {
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
    /// From now on, steps shorten each learner's gradient to this length, if it is longer.
    fn set_clip(&mut self, clip: Option<f64>);
    /// One Adam step along the gradients.
    fn descend(&mut self, adam: AdamStep);
    /// [`Machine::gradients`], then [`Machine::descend`].
    fn step(&mut self, adam: AdamStep) {
        self.gradients();
        self.descend(adam);
    }
    /// The optimizer's two moments of a learner's parameter; none if it is frozen.
    fn moments(&self, lane: usize, name: &str) -> Option<[Vec<E>; 2]>;
    /// Sets them.
    fn set_moments(&mut self, lane: usize, name: &str, moments: [&[E]; 2]);
    /// In the last pass, by how much the score of a token outside the window of a windowed attention could have exceeded
    /// the best one inside, but for its distance: how much those tokens can have mattered.
    fn excess(&self) -> f64;
    /// Arithmetic that one step of a learner carries out; see [`cost`](super::cost).
    fn step_flops(&self) -> usize;
    /// Memory that it has reserved.
    fn bytes(&self) -> usize;
    /// A learner's output for every example of the batch.
    fn output(&self, lane: usize) -> Vec<E>;
    /// A learner's mean loss over the batch.
    fn loss(&self, lane: usize) -> E;
}

/// What to compile.
#[derive(Clone, Copy)]
pub struct Source<'a> {
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

/// Plans a graph and builds a machine for it on one instruction set.
pub fn compile<E: Elem>(source: Source<'_>, isa: Isa) -> Result<Box<dyn Machine<E>>, CompileError> {
    source.check(isa)?;
    E::machine(source, isa)
}

/// [`compile`], without rules and fusion: so that tests reach every kernel, and to see what those gain.
pub fn compile_as_written<E: Elem>(source: Source<'_>, isa: Isa) -> Result<Box<dyn Machine<E>>, CompileError> {
    source.check(isa)?;
    E::machine_as_written(source, isa)
}

impl Source<'_> {
    /// What can be said before anything is planned.
    fn check(&self, isa: Isa) -> Result<(), CompileError> {
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

impl<E: Elem> Visitor<E> for Source<'_> {
    type Out = Result<Box<dyn Machine<E>>, CompileError>;
    fn visit<S: Simd<Elem = E>>(self) -> Self::Out {
        let (roots, kinds) = ([self.output, self.loss], kinds_of(self.graph));
        if self.lanes == Lanes::Tokens {
            let (graph, roots) = super::rules::simplify(self.graph, &roots);
            return Ok(Box::new(Rows::<S>::new(Source {
                graph: &graph,
                output: roots[0],
                loss: roots[1],
                ..self
            })?));
        }
        let (graph, roots) = super::optimized(self.graph, &roots);
        let source = Source { graph: &graph, output: roots[0], loss: roots[1], ..self };
        Ok(Box::new(Program::<S>::new(source, kinds)?))
    }
}

/// A graph to be run as it stands.
pub(super) struct AsWritten<'a>(pub Source<'a>);

impl<E: Elem> Visitor<E> for AsWritten<'_> {
    type Out = Result<Box<dyn Machine<E>>, CompileError>;
    fn visit<S: Simd<Elem = E>>(self) -> Self::Out {
        Ok(Box::new(Program::<S>::new(self.0, kinds_of(self.0.graph))?))
    }
}

struct Program<S: Simd> {
    plan: Plan,
    arena: Vec<S>,
    optimizer: Optimizer<S>,
    /// Do the lanes hold examples of one learner, not learners?
    shared: bool,
    /// Examples in a learner's batch.
    examples: usize,
    /// The longest gradient.
    clip: Option<f64>,
    output: Node,
    loss: Node,
    outputs: Vec<S>,
    losses: Vec<S>,
    excess: f64,
    kinds: Vec<Kinds>,
    /// Of each node that has them: biases, or their exponentials, in the number type.
    biases: Vec<Vec<S::Elem>>,
}

impl<S: Simd> Program<S> {
    fn new(source: Source<'_>, kinds: Vec<Kinds>) -> Result<Self, CompileError> {
        let Source { output, loss, .. } = source;
        let shared = source.lanes == Lanes::Examples;
        let batch = match shared {
            false => source.batch,
            true => source.batch.div_ceil(S::LANES),
        };
        let plan = Plan::new(source.graph.clone(), batch, source.frozen);
        let out_len = plan.value[output.index()].len;
        let biases = plan.graph.entries.iter().map(|e| match &e.op {
            Op::Mass { bias, .. } => mass_weights(bias),
            Op::Softmax { bias, .. } => bias.data.iter().map(|&b| S::Elem::of(b)).collect(),
            _ => vec![],
        });
        let mut program = Program {
            arena: source.room(S::zero(), plan.arena)?,
            optimizer: Optimizer::new(&plan, shared),
            shared,
            examples: source.batch,
            clip: None,
            outputs: source.room(S::zero(), out_len.saturating_mul(batch))?,
            losses: source.room(S::zero(), batch)?,
            excess: 0.0,
            biases: biases.collect(),
            output,
            loss,
            kinds,
            plan,
        };
        for i in 0..program.plan.once.len() {
            program.compute(program.plan.once[i], Part::NONE);
        }
        Ok(program)
    }

    fn compute(&mut self, node: Node, part: Part) {
        let memory = Arena::new(&self.plan, &mut self.arena, part);
        S::vectorize(Compute { memory, node, bias: &self.biases[node.index()] });
    }

    fn differentiate(&mut self, node: Node, part: Part) {
        let memory = Arena::new(&self.plan, &mut self.arena, part);
        S::vectorize(Differentiate { memory, node });
    }

    /// One pass over the batch, chunk by chunk; with `backward` also its gradients.
    fn pass(&mut self, backward: bool) {
        for i in 0..self.plan.by_step.len() {
            self.compute(self.plan.by_step[i], Part::NONE);
        }
        if backward {
            S::vectorize(Clear(&mut self.arena[self.plan.step_grads.clone()]));
        }
        self.excess = 0.0;
        for first in (0..self.plan.batch).step_by(self.plan.chunk) {
            let part = Part { first, count: self.plan.chunk.min(self.plan.batch - first) };
            for i in 0..self.plan.by_example.len() {
                self.compute(self.plan.by_example[i], part);
            }
            self.keep(part);
            if backward {
                S::vectorize(Clear(&mut self.arena[self.plan.chunk_grads.clone()]));
                self.begin(part);
                for i in (0..self.plan.by_example.len()).rev() {
                    self.differentiate(self.plan.by_example[i], part);
                }
                for (table, products) in &self.plan.gathered {
                    let memory = Arena::new(&self.plan, &mut self.arena, part);
                    S::vectorize(GatherTable { memory, table: *table, products });
                }
            }
        }
        if backward {
            for i in (0..self.plan.by_step.len()).rev() {
                self.differentiate(self.plan.by_step[i], Part::NONE);
            }
        }
    }

    /// The loss's own gradient, if it depends on a parameter that is trained.
    fn begin(&mut self, part: Part) {
        let Some(slot) = self.plan.grad[self.loss.index()] else { return };
        let by_example = self.plan.graph.entry(self.loss).varies == Varies::ByExample;
        for i in 0..part.count {
            let (share, at) = (self.share(part.first + i), slot.offset + if by_example { i } else { 0 });
            self.arena[at] = self.arena[at].add(share);
        }
    }

    /// What a vector of examples weighs in the mean loss: nothing in idle lanes.
    fn share(&self, at: usize) -> S {
        let mut share = [S::of(1.0 / self.examples as f64)];
        if self.shared {
            let filled = self.examples - at * S::LANES;
            S::numbers_mut(&mut share).iter_mut().skip(filled).for_each(|x| *x = S::Elem::default());
        }
        share[0]
    }

    /// Copies a chunk's outputs and losses out before the next chunk overwrites them.
    fn keep(&mut self, part: Part) {
        let at = Layout { plan: &self.plan, part };
        for &n in &self.plan.by_example {
            if let Op::Softmax { x, .. } = self.plan.graph.entry(n).op
                && self.plan.graph.windowed(x).is_some()
            {
                for x in S::numbers(&self.arena[self.plan.aux[n.index()].offset..][..part.count]) {
                    // `max` would forget a NaN, which counts as endless.
                    let excess = if x.f64().is_nan() { f64::INFINITY } else { x.f64() };
                    self.excess = self.excess.max(excess);
                }
            }
        }
        for (node, to) in [(self.output, &mut self.outputs), (self.loss, &mut self.losses)] {
            let len = self.plan.value[node.index()].len;
            for (i, to) in to[part.first * len..][..part.count * len].chunks_exact_mut(len).enumerate() {
                to.copy_from_slice(&self.arena[at.example(node, i)]);
            }
        }
    }

    fn slot_of(&self, list: &[(String, Node)], name: &str) -> Node {
        let found = list.iter().find(|p| p.0 == name);
        found.unwrap_or_else(|| panic!("no {name:?} in this model")).1
    }

    /// A learner's numbers of matrices of `len` vectors, one for each example.
    fn read(&self, v: &[S], lane: usize, len: usize) -> Vec<S::Elem> {
        let numbers = S::numbers(v);
        match self.shared {
            false => strided(numbers, lane, S::LANES).collect(),
            true => {
                let start = |i: usize| i / S::LANES * len * S::LANES + i % S::LANES;
                let one = |i| strided(numbers, start(i), S::LANES).take(len);
                (0..self.examples).flat_map(one).collect()
            }
        }
    }
}

/// Every `step`-th number from `start` on.
fn strided<E: Copy>(v: &[E], start: usize, step: usize) -> impl Iterator<Item = E> {
    v[start..].iter().step_by(step).copied()
}

impl<S: Simd> Machine<S::Elem> for Program<S> {
    fn lanes(&self) -> usize {
        match self.shared {
            false => S::LANES,
            true => 1,
        }
    }

    fn set_param(&mut self, lane: usize, name: &str, data: &[S::Elem]) {
        let slot = self.plan.value[self.slot_of(&self.plan.params, name).index()];
        assert_eq!(slot.len, data.len(), "parameter {name:?}");
        let to = &mut self.arena[slot.offset..][..slot.len];
        match self.shared {
            false => {
                for (to, &x) in S::numbers_mut(to)[lane..].iter_mut().step_by(S::LANES).zip(data) {
                    *to = x;
                }
            }
            true => to.iter_mut().zip(data).for_each(|(to, &x)| *to = S::splat(x)),
        }
    }

    fn param(&self, lane: usize, name: &str) -> Vec<S::Elem> {
        let slot = self.plan.value[self.slot_of(&self.plan.params, name).index()];
        strided(S::numbers(&self.arena[slot.offset..][..slot.len]), lane, S::LANES).collect()
    }

    fn gradient(&self, lane: usize, name: &str) -> Vec<S::Elem> {
        let n = self.slot_of(&self.plan.params, name);
        let Some(slot) = self.plan.grad[n.index()] else {
            return vec![S::Elem::default(); self.plan.value[n.index()].len];
        };
        let grads = &self.arena[slot.offset..][..slot.len];
        match self.shared {
            false => strided(S::numbers(grads), lane, S::LANES).collect(),
            true => totals(grads),
        }
    }

    fn has_input(&self, name: &str) -> bool {
        self.plan.inputs.iter().any(|input| input.0 == name)
    }

    fn set_input(&mut self, lane: usize, name: &str, data: &[S::Elem]) -> Result<(), InputError> {
        let found = self.plan.inputs.iter().find(|input| input.0 == name);
        let node = found.ok_or_else(|| InputError::Name { name: name.into() })?.1;
        if lane >= self.lanes() {
            return Err(InputError::Lane { name: name.into(), lane, lanes: self.lanes() });
        }
        let slot = self.plan.value[node.index()];
        let (expected, found) = (slot.len * self.examples, data.len());
        if expected != found {
            return Err(InputError::Length { name: name.into(), expected, found });
        }
        kinds::check(&self.kinds, name, data)?;
        let to = S::numbers_mut(&mut self.arena[slot.offset..][..slot.len * self.plan.batch]);
        match self.shared {
            false => {
                for (to, &x) in to[lane..].iter_mut().step_by(S::LANES).zip(data) {
                    *to = x;
                }
            }
            true => {
                // Idle lanes repeat the last example, so that they meet nothing unusual.
                for i in 0..self.plan.batch * S::LANES {
                    let from = &data[i.min(self.examples - 1) * slot.len..][..slot.len];
                    let to = &mut to[i / S::LANES * slot.len * S::LANES + i % S::LANES..];
                    for (to, &x) in to.iter_mut().step_by(S::LANES).zip(from) {
                        *to = x;
                    }
                }
            }
        }
        Ok(())
    }

    fn load(&mut self) {
        let whole = Part { first: 0, count: self.plan.batch };
        for i in 0..self.plan.by_batch.len() {
            self.compute(self.plan.by_batch[i], whole);
        }
    }

    fn forward(&mut self) {
        self.pass(false);
    }

    fn gradients(&mut self) {
        self.pass(true);
    }

    fn reset_moments(&mut self) {
        self.optimizer.reset();
    }

    fn set_clip(&mut self, clip: Option<f64>) {
        self.clip = clip;
    }

    fn moments(&self, lane: usize, name: &str) -> Option<[Vec<S::Elem>; 2]> {
        let slot = self.plan.value[self.slot_of(&self.plan.params, name).index()];
        self.optimizer.moments(&self.plan, slot).map(|m| m.map(|(m, step)| strided(m, lane, step).collect()))
    }

    fn set_moments(&mut self, lane: usize, name: &str, moments: [&[S::Elem]; 2]) {
        let slot = self.plan.value[self.slot_of(&self.plan.params, name).index()];
        if let Some(own) = self.optimizer.moments_mut(&self.plan, slot) {
            for ((own, step), given) in own.into_iter().zip(moments) {
                own[lane..].iter_mut().step_by(step).zip(given).for_each(|(own, &x)| *own = x);
            }
        }
    }

    fn descend(&mut self, step: AdamStep) {
        self.optimizer.step(&self.plan, &mut self.arena, self.clip, step);
    }

    fn excess(&self) -> f64 {
        self.excess
    }

    fn step_flops(&self) -> usize {
        step_flops(&self.plan.graph, self.examples)
    }

    fn bytes(&self) -> usize {
        let moments = match &self.optimizer {
            Optimizer::ByLane(moments) => moments.iter().flatten().map(Vec::len).sum(),
            Optimizer::Packed { p, g, m, v } => [p, g, m, v].map(Vec::len).iter().sum::<usize>(),
        };
        let vectors = self.arena.len() + moments + self.outputs.len() + self.losses.len();
        vectors * size_of::<S>()
    }

    fn output(&self, lane: usize) -> Vec<S::Elem> {
        self.read(&self.outputs, lane, self.plan.value[self.output.index()].len)
    }

    fn loss(&self, lane: usize) -> S::Elem {
        let sum: f64 = self.read(&self.losses, lane, 1).into_iter().map(S::Elem::f64).sum();
        S::Elem::of(sum / self.examples as f64)
    }
}
