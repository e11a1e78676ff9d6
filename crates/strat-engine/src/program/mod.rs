//! A planned graph at work on one vector of learners or examples.

mod alone;
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
use super::plan::{Plan, Slot};
use super::simd::{Number, Simd};
use std::ops::Range;

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
    /// How many examples of the batch each node matters for: those after them are masked, in every lane.
    needed: Vec<usize>,
}

impl<S: Simd> Program<S> {
    pub fn new(spec: CompileSpec<'_>, kinds: Vec<Kinds>) -> Result<Self, CompileError> {
        let CompileSpec { output, loss, .. } = spec;
        let shared = spec.lanes == Lanes::Examples;
        let batch = if shared { spec.batch.div_ceil(S::LANES) } else { spec.batch };
        let plan = Plan::new(spec.graph.clone(), [output, loss], batch, spec.frozen);
        let out_len = plan.value[output.index()].len;
        let biases = plan.graph.entries.iter().map(|e| match &e.op {
            Op::Mass { bias, .. } => mass_weights(bias),
            Op::Softmax { bias, .. } | Op::WindowAttend { bias, .. } => {
                bias.data.iter().map(|&b| S::Elem::of(b)).collect()
            }
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
            needed: vec![batch; plan.graph.entries.len()],
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

    /// The examples of a part that a node matters for; none if there are none.
    fn needed(&self, node: Node, part: Part) -> Option<Part> {
        let count = part.count.min(self.needed[node.index()].saturating_sub(part.first));
        (count > 0).then_some(Part { count, ..part })
    }

    /// Looks at masks, which are loaded: from some example on they may be zero in all of these lanes.
    fn look_at_masks(&mut self, lanes: Range<usize>) {
        // What is not a number is not zero.
        let is_zero = |v: &[S]| {
            let mut lanes_of_each = S::numbers(v).chunks_exact(S::LANES).map(|x| &x[lanes.clone()]);
            lanes_of_each.all(|lanes| lanes.iter().all(|&x| x == S::Elem::default()))
        };
        let mut last = None;
        for (needed, mask) in self.needed.iter_mut().zip(&self.plan.mask) {
            let Some(mask) = *mask else { continue };
            let count = match last {
                // Most have the same mask as the one before.
                Some((same, count)) if same == mask => count,
                _ => {
                    let slot = self.plan.value[mask.index()];
                    let mut all = self.arena[slot.offset..][..slot.len * self.plan.batch].chunks_exact(slot.len);
                    all.rposition(|v| !is_zero(v)).map_or(0, |at| at + 1)
                }
            };
            (*needed, last) = (count, Some((mask, count)));
        }
    }

    fn compute(&mut self, node: Node, part: Part) {
        let memory = Arena::new(&self.plan, &mut self.arena, part);
        S::vectorize(Compute { memory, node, bias: &self.biases[node.index()] });
    }

    fn differentiate(&mut self, node: Node, part: Part) {
        let memory = Arena::new(&self.plan, &mut self.arena, part);
        S::vectorize(Differentiate { memory, node, bias: &self.biases[node.index()] });
    }

    /// One pass over the batch, chunk by chunk; with `backward` also its gradients. All kernels are in it, so that it stands
    /// in a program once.
    #[inline(never)]
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
                let node = self.plan.by_example[i];
                if let Some(part) = self.needed(node, part) {
                    self.compute(node, part);
                }
            }
            self.keep(part);
            if backward {
                S::vectorize(Clear(&mut self.arena[self.plan.chunk_grads.clone()]));
                self.begin(part);
                for i in (0..self.plan.by_example.len()).rev() {
                    let node = self.plan.by_example[i];
                    if let Some(part) = self.needed(node, part) {
                        self.differentiate(node, part);
                    }
                }
                for (table, products) in &self.plan.gathered {
                    let memory = Arena::new(&self.plan, &mut self.arena, part);
                    S::vectorize(GatherTable { memory, table: *table, products, needed: &self.needed });
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
            let has_window = match self.plan.graph.entry(n).op {
                Op::Softmax { x, .. } => self.plan.graph.windowed(x).is_some(),
                Op::WindowAttend { .. } => true,
                _ => false,
            };
            if has_window {
                // The first of what is kept of each example.
                let Slot { offset, len, .. } = self.plan.aux[n.index()];
                for x in (0..part.count).flat_map(|i| S::numbers(&self.arena[offset + i * len..][..1])) {
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
