//! A planned graph at work on one vector of learners: load a batch, step, read.

use super::backward::{Differentiate, GatherTable};
use super::forward::Compute;
use super::graph::{Graph, Node, Op};
use super::kernels::adam::{Adam, AdamStep, Shorten};
use super::kernels::rearrange::{Clear, mass_weights};
use super::memory::{Memory, Part};
use super::plan::{Plan, Slot};
use super::simd::{Elem, Isa, Simd, Visitor};

/// A group of learners that train side by side, one per lane.
///
/// Made by [`compile`]. A learner's numbers never depend on who is in the other lanes.
pub trait Machine<E: Elem>: Send {
    /// How many learners it holds.
    fn lanes(&self) -> usize;
    /// Sets a learner's parameter by name, row-major.
    fn set_param(&mut self, lane: usize, name: &str, data: &[E]);
    /// A learner's parameter.
    fn param(&self, lane: usize, name: &str) -> Vec<E>;
    /// The gradient of the mean loss of the last [`Machine::gradients`] or [`Machine::step`].
    fn gradient(&self, lane: usize, name: &str) -> Vec<E>;
    /// Sets a learner's input for the whole batch, example by example, row-major.
    fn set_input(&mut self, lane: usize, name: &str, data: &[E]);
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
    /// [`Machine::gradients`], then one Adam step.
    fn step(&mut self, adam: AdamStep);
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
}

/// Plans a graph and builds a machine for it on one instruction set.
pub fn compile<E: Elem>(source: Source<'_>, isa: Isa) -> Box<dyn Machine<E>> {
    E::machine(source, isa)
}

impl<E: Elem> Visitor<E> for Source<'_> {
    type Out = Box<dyn Machine<E>>;
    fn visit<S: Simd<Elem = E>>(self) -> Self::Out {
        let (graph, roots) = super::optimized(self.graph, &[self.output, self.loss]);
        Box::new(Program::<S>::new(Source { graph: &graph, output: roots[0], loss: roots[1], ..self }))
    }
}

/// A graph to be run as it stands, so that tests reach every kernel.
#[cfg(test)]
pub(super) struct AsWritten<'a>(pub Source<'a>);

#[cfg(test)]
impl<E: Elem> Visitor<E> for AsWritten<'_> {
    type Out = Box<dyn Machine<E>>;
    fn visit<S: Simd<Elem = E>>(self) -> Self::Out {
        Box::new(Program::<S>::new(self.0))
    }
}

struct Program<S: Simd> {
    plan: Plan,
    arena: Vec<S>,
    /// Adam's moments, in the order of `plan.trained`.
    moments: Vec<[Vec<S>; 2]>,
    /// The longest gradient.
    clip: Option<f64>,
    output: Node,
    loss: Node,
    outputs: Vec<S>,
    losses: Vec<S>,
    /// Of each node that has them: biases, or their exponentials, in the number type.
    biases: Vec<Vec<S::Elem>>,
}

impl<S: Simd> Program<S> {
    fn new(source: Source<'_>) -> Self {
        let Source { output, loss, .. } = source;
        let plan = Plan::new(source.graph.clone(), source.batch, source.frozen);
        let out_len = plan.value[output.index()].len;
        let biases = plan.graph.entries.iter().map(|e| match &e.op {
            Op::Mass { bias, .. } => mass_weights(bias),
            Op::Softmax { bias, .. } => bias.data.iter().map(|&b| S::Elem::of(b)).collect(),
            _ => vec![],
        });
        let moments = |run: &(usize, usize, usize)| [(); 2].map(|_| vec![S::zero(); run.2]);
        let mut program = Program {
            arena: vec![S::zero(); plan.arena],
            moments: plan.trained.iter().map(moments).collect(),
            clip: None,
            outputs: vec![S::zero(); out_len * source.batch],
            losses: vec![S::zero(); source.batch],
            biases: biases.collect(),
            output,
            loss,
            plan,
        };
        for i in 0..program.plan.once.len() {
            program.compute(program.plan.once[i], Part::NONE);
        }
        program
    }

    fn compute(&mut self, node: Node, part: Part) {
        let memory = Memory::new(&self.plan, &mut self.arena, part);
        S::vectorize(Compute { memory, node, bias: &self.biases[node.index()] });
    }

    fn differentiate(&mut self, node: Node, part: Part) {
        let memory = Memory::new(&self.plan, &mut self.arena, part);
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
        let seed = S::of(1.0 / self.plan.batch as f64);
        for first in (0..self.plan.batch).step_by(self.plan.chunk) {
            let part = Part { first, count: self.plan.chunk.min(self.plan.batch - first) };
            for i in 0..self.plan.by_example.len() {
                self.compute(self.plan.by_example[i], part);
            }
            self.keep(part);
            if backward {
                S::vectorize(Clear(&mut self.arena[self.plan.chunk_grads.clone()]));
                let slot = self.plan.grad[self.loss.index()].expect("the loss depends on a trained parameter");
                self.arena[slot.offset..slot.offset + part.count].fill(seed);
                for i in (0..self.plan.by_example.len()).rev() {
                    self.differentiate(self.plan.by_example[i], part);
                }
                for (table, products) in &self.plan.gathered {
                    let memory = Memory::new(&self.plan, &mut self.arena, part);
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

    /// Copies a chunk's outputs and losses out before the next chunk overwrites them.
    fn keep(&mut self, part: Part) {
        for (node, to) in [(self.output, &mut self.outputs), (self.loss, &mut self.losses)] {
            let Slot { offset, len } = self.plan.value[node.index()];
            to[part.first * len..][..part.count * len].copy_from_slice(&self.arena[offset..][..part.count * len]);
        }
    }

    fn slot_of(&self, list: &[(String, Node)], name: &str) -> Node {
        let found = list.iter().find(|p| p.0 == name);
        found.unwrap_or_else(|| panic!("no {name:?} in this model")).1
    }

    /// One lane of `len` vectors from `offset`.
    fn lane(v: &[S], lane: usize) -> Vec<S::Elem> {
        S::numbers(v)[lane..].iter().step_by(S::LANES).copied().collect()
    }

    fn set_lane(v: &mut [S], lane: usize, data: &[S::Elem]) {
        assert_eq!(v.len(), data.len());
        for (to, &x) in S::numbers_mut(v)[lane..].iter_mut().step_by(S::LANES).zip(data) {
            *to = x;
        }
    }
}

impl<S: Simd> Machine<S::Elem> for Program<S> {
    fn lanes(&self) -> usize {
        S::LANES
    }

    fn set_param(&mut self, lane: usize, name: &str, data: &[S::Elem]) {
        let slot = self.plan.value[self.slot_of(&self.plan.params, name).index()];
        Self::set_lane(&mut self.arena[slot.offset..][..slot.len], lane, data);
    }

    fn param(&self, lane: usize, name: &str) -> Vec<S::Elem> {
        let slot = self.plan.value[self.slot_of(&self.plan.params, name).index()];
        Self::lane(&self.arena[slot.offset..][..slot.len], lane)
    }

    fn gradient(&self, lane: usize, name: &str) -> Vec<S::Elem> {
        let n = self.slot_of(&self.plan.params, name);
        match self.plan.grad[n.index()] {
            Some(slot) => Self::lane(&self.arena[slot.offset..][..slot.len], lane),
            None => vec![S::Elem::default(); self.plan.value[n.index()].len],
        }
    }

    fn set_input(&mut self, lane: usize, name: &str, data: &[S::Elem]) {
        let slot = self.plan.value[self.slot_of(&self.plan.inputs, name).index()];
        Self::set_lane(&mut self.arena[slot.offset..][..slot.len * self.plan.batch], lane, data);
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
        self.moments.iter_mut().flatten().for_each(|m| m.fill(S::zero()));
    }

    fn set_clip(&mut self, clip: Option<f64>) {
        self.clip = clip;
    }

    fn step(&mut self, step: AdamStep) {
        self.pass(true);
        let mut shorten = S::of(1.0);
        if let Some(most) = self.clip {
            let grads = self.plan.step_grads.start..self.plan.trained.last().map_or(0, |run| run.1 + run.2);
            S::vectorize(Shorten { most, g: &self.arena[grads], by: &mut shorten });
        }
        for (&run, [m, v]) in self.plan.trained.iter().zip(&mut self.moments) {
            let (p, g) = Memory::new(&self.plan, &mut self.arena, Part::NONE).trained(run);
            S::vectorize(Adam { step, shorten, p, g, m, v });
        }
    }

    fn output(&self, lane: usize) -> Vec<S::Elem> {
        Self::lane(&self.outputs, lane)
    }

    fn loss(&self, lane: usize) -> S::Elem {
        let sum: f64 = Self::lane(&self.losses, lane).into_iter().map(S::Elem::f64).sum();
        S::Elem::of(sum / self.plan.batch as f64)
    }
}
