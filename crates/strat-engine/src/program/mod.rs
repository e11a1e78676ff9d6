//! A planned graph at work on one vector of learners or examples.

mod machine;

use super::backward::{Differentiate, GatherTable};
use super::error::CompileError;
use super::forward::Compute;
use super::graph::{Node, Op, Varies};
use super::kernels::adam::Clip;
use super::kernels::rearrange::{Clear, mass_weights};
use super::kinds::Kinds;
use super::machine::{CompileSpec, Lanes};
use super::memory::{Arena, Layout, Part};
use super::optimizer::Optimizer;
use super::plan::Plan;
use super::simd::{Number, Simd};

pub(crate) struct Program<S: Simd> {
    plan: Plan,
    arena: Vec<S>,
    optimizer: Optimizer<S>,
    /// Do the lanes hold examples of one learner, not learners?
    shared: bool,
    /// Examples in a learner's batch.
    examples: usize,
    /// The longest gradients.
    clip: Option<Clip<S>>,
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
    pub fn new(spec: CompileSpec<'_>, kinds: Vec<Kinds>) -> Result<Self, CompileError> {
        let CompileSpec { output, loss, .. } = spec;
        let shared = spec.lanes == Lanes::Examples;
        let batch = if shared { spec.batch.div_ceil(S::LANES) } else { spec.batch };
        let plan = Plan::new(spec.graph.clone(), batch, spec.frozen);
        let out_len = plan.value[output.index()].len;
        let biases = plan.graph.entries.iter().map(|e| match &e.op {
            Op::Mass { bias, .. } => mass_weights(bias),
            Op::Softmax { bias, .. } => bias.data.iter().map(|&b| S::Elem::of(b)).collect(),
            _ => vec![],
        });
        let mut program = Program {
            arena: spec.room(S::zero(), plan.arena)?,
            optimizer: Optimizer::new(&plan, shared),
            shared,
            examples: spec.batch,
            clip: None,
            outputs: spec.room(S::zero(), out_len.saturating_mul(batch))?,
            losses: spec.room(S::zero(), batch)?,
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
        if !self.shared {
            return strided(numbers, lane, S::LANES).collect();
        }
        let start = |i: usize| i / S::LANES * len * S::LANES + i % S::LANES;
        let one = |i| strided(numbers, start(i), S::LANES).take(len);
        (0..self.examples).flat_map(one).collect()
    }
}

/// Every `step`-th number from `start` on.
fn strided<E: Copy>(v: &[E], start: usize, step: usize) -> impl Iterator<Item = E> {
    v[start..].iter().step_by(step).copied()
}
