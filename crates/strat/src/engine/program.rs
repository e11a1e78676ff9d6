//! A planned graph at work on one vector of learners: load a batch, step, read.

use super::graph::{Graph, Node, Op, Varies};
use super::kernels::adam::{AdamStep, adam};
use super::kernels::contract::{View, contract};
use super::kernels::mix::Dims;
use super::kernels::{elementwise, mix, rearrange, softmax};
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
    E::dispatch(isa, source)
}

impl<E: Elem> Visitor<E> for Source<'_> {
    type Out = Box<dyn Machine<E>>;
    fn visit<S: Simd<Elem = E>>(self) -> Self::Out {
        Box::new(Program::<S>::new(self))
    }
}

struct Program<S: Simd> {
    plan: Plan,
    arena: Vec<S>,
    /// Adam's moments, in the order of `plan.trained`.
    moments: Vec<[Vec<S>; 2]>,
    output: Node,
    loss: Node,
    outputs: Vec<S>,
    losses: Vec<S>,
    /// `exp(bias)` of every `Mass` node, by node.
    mass_weights: Vec<Vec<S::Elem>>,
    /// Every `Softmax` node's bias in the number type, by node.
    biases: Vec<Vec<S::Elem>>,
}

/// The arena, cut into slices by slots.
///
/// SAFETY of all of it: slots of different nodes never overlap (the plan reserves each
/// range once), a kernel writes only the slot of its own node or gradients, and never
/// reads what it writes except through the one mutable slice.
#[derive(Clone, Copy)]
struct Arena<S>(*mut S);

impl<S> Arena<S> {
    #[inline(always)]
    fn get<'a>(self, offset: usize, len: usize) -> &'a [S] {
        unsafe { std::slice::from_raw_parts(self.0.add(offset), len) }
    }
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    fn get_mut<'a>(self, offset: usize, len: usize) -> &'a mut [S] {
        unsafe { std::slice::from_raw_parts_mut(self.0.add(offset), len) }
    }
}

/// The examples a kernel works on: `count` from `first` of the batch.
#[derive(Clone, Copy)]
struct Part {
    first: usize,
    count: usize,
}

impl<S: Simd> Program<S> {
    fn new(source: Source<'_>) -> Self {
        let (graph, roots) = super::rules::simplify(source.graph, &[source.output, source.loss]);
        let plan = Plan::new(graph, source.batch, source.frozen);
        let (output, loss) = (roots[0], roots[1]);
        let out_len = plan.value[output.index()].len;
        let per_node = |f: &dyn Fn(&Op) -> Vec<S::Elem>| plan.graph.entries.iter().map(|e| f(&e.op)).collect();
        let mut program = Program {
            arena: vec![S::zero(); plan.arena],
            moments: plan
                .trained
                .iter()
                .map(|p| [(); 2].map(|_| vec![S::zero(); plan.value[p.index()].len]))
                .collect(),
            outputs: vec![S::zero(); out_len * source.batch],
            losses: vec![S::zero(); source.batch],
            mass_weights: per_node(&|op| match op {
                Op::Mass { bias, .. } => rearrange::mass_weights(bias),
                _ => vec![],
            }),
            biases: per_node(&|op| match op {
                Op::Softmax { bias, .. } => bias.data.iter().map(|&b| S::Elem::of(b)).collect(),
                _ => vec![],
            }),
            output,
            loss,
            plan,
        };
        for n in program.plan.once.clone() {
            program.compute(n, Part { first: 0, count: 1 });
        }
        program
    }

    /// Where a node's values for `part` lie: offset, length, and distance between examples.
    #[inline(always)]
    fn place(&self, n: Node, slot: Slot, part: Part) -> (usize, usize, usize) {
        match self.plan.graph.entry(n).varies {
            Varies::Never | Varies::ByStep => (slot.offset, slot.len, 0),
            Varies::ByBatch => (slot.offset + part.first * slot.len, part.count * slot.len, slot.len),
            Varies::ByExample => (slot.offset, part.count * slot.len, slot.len),
        }
    }

    /// Computes one node for some examples (any, if it is the same for all).
    fn compute(&mut self, n: Node, part: Part) {
        let plan = &self.plan;
        let arena = Arena(self.arena.as_mut_ptr());
        let val = |n: Node| {
            let (at, len, _) = self.place(n, plan.value[n.index()], part);
            arena.get(at, len)
        };
        let e = plan.graph.entry(n);
        let (at, len, step) = self.place(n, plan.value[n.index()], part);
        let y = arena.get_mut(at, len);
        let examples = if step == 0 { 1 } else { part.count };
        // One example of an operand that may be the same for all.
        let example = |x: Node, i: usize| {
            let (at, _, step) = self.place(x, plan.value[x.index()], part);
            arena.get(at + i * step, plan.value[x.index()].len)
        };
        let shape = |x: Node| plan.graph.shape(x);
        match &e.op {
            Op::Param { .. } | Op::Input { .. } => {}
            Op::Constant { data } => {
                for (y, &x) in y.iter_mut().zip(data.iter()) {
                    *y = S::of(x);
                }
            }
            Op::OneHot { index, .. } => S::vectorize(|| rearrange::one_hot(e.cols, val(*index), y)),
            Op::Linear { x, w } => {
                let (ins, xs, ws) = (shape(*x)[1], val(*x), val(*w));
                let dims = [xs.len() / ins, e.cols, ins];
                S::vectorize(|| contract(dims, View::rows(xs, ins), View::rows(ws, ins), y, e.cols, false));
            }
            Op::Add { a, b } => S::vectorize(|| elementwise::add(val(*a), val(*b), y)),
            Op::Mul { a, b } => S::vectorize(|| elementwise::mul(val(*a), val(*b), y)),
            Op::Scale { x, by } => S::vectorize(|| elementwise::scale(*by, val(*x), y)),
            Op::Sigmoid { x } => S::vectorize(|| elementwise::sigmoid(val(*x), y)),
            Op::Scores { q, k, heads, reach } => {
                let d = Dims { rows: e.rows, keys: shape(*k)[0], cols: shape(*q)[1], heads: *heads };
                for i in 0..examples {
                    let y = arena.get_mut(at + i * step, e.rows * e.cols);
                    S::vectorize(|| mix::scores(d, reach, example(*q, i), example(*k, i), y));
                }
            }
            Op::Softmax { x, heads, bias } => {
                let (x, keys) = (val(*x), bias.cols);
                S::vectorize(|| {
                    for r in 0..x.len() / keys {
                        let t = r / heads % bias.reach.len();
                        let b = &self.biases[n.index()][t * keys..][..keys];
                        softmax::softmax(b, bias.reach[t], &x[r * keys..][..keys], &mut y[r * keys..][..keys]);
                    }
                });
            }
            Op::Mix { a, x, heads, reach } => {
                let d = Dims { rows: e.rows, keys: shape(*x)[0], cols: e.cols, heads: *heads };
                for i in 0..examples {
                    let y = arena.get_mut(at + i * step, e.rows * e.cols);
                    S::vectorize(|| mix::mix(d, reach, example(*a, i), example(*x, i), y, false));
                }
            }
            Op::SumRows { x, weight } => {
                for i in 0..examples {
                    let y = arena.get_mut(at + i * step, e.cols);
                    S::vectorize(|| rearrange::sum_rows(example(*x, i), example(*weight, i), y));
                }
            }
            Op::Concat { parts } => {
                let mut start = 0;
                for &p in parts {
                    let cols = shape(p)[1];
                    for i in 0..examples {
                        let y = arena.get_mut(at + i * step, e.rows * e.cols);
                        S::vectorize(|| {
                            rearrange::columns((example(p, i), cols, 0), (y, e.cols, start), cols, false)
                        });
                    }
                    start += cols;
                }
            }
            Op::Columns { x, start, len } => {
                S::vectorize(|| rearrange::columns((val(*x), shape(*x)[1], *start), (y, *len, 0), *len, false));
            }
            Op::Take { x, rows } => {
                for i in 0..examples {
                    let y = arena.get_mut(at + i * step, e.rows * e.cols);
                    S::vectorize(|| rearrange::take(*rows, e.cols, example(*x, i), y));
                }
            }
            Op::Place { x, rows, .. } => {
                for i in 0..examples {
                    let y = arena.get_mut(at + i * step, e.rows * e.cols);
                    S::vectorize(|| rearrange::place(*rows, e.cols, example(*x, i), y));
                }
            }
            Op::ExpRows { x, heads } => S::vectorize(|| softmax::exp_rows(e.cols / heads, val(*x), y)),
            Op::Normalize { x, mass, heads } => {
                let (aux_at, aux_len, _) = self.place(n, plan.aux[n.index()], part);
                let inverse = arena.get_mut(aux_at, aux_len);
                S::vectorize(|| softmax::normalize(*heads, e.cols / heads, val(*x), val(*mass), y, inverse));
            }
            Op::Mass { one_hot, bias } => {
                for i in 0..examples {
                    let y = arena.get_mut(at + i * step, e.rows * e.cols);
                    let weights = &self.mass_weights[n.index()];
                    S::vectorize(|| rearrange::mass(bias, weights, e.cols, example(*one_hot, i), y));
                }
            }
            Op::SplitHeads { x, heads } => S::vectorize(|| rearrange::split_heads(*heads, e.cols, val(*x), y)),
            Op::SquaredError { x, target } => S::vectorize(|| elementwise::squared_error(val(*x), val(*target), y)),
        }
    }

    /// Passes one node's gradient on to its operands.
    fn differentiate(&mut self, n: Node, part: Part) {
        let plan = &self.plan;
        let arena = Arena(self.arena.as_mut_ptr());
        let Some(own) = plan.grad[n.index()] else { return };
        let val = |n: Node| {
            let (at, len, _) = self.place(n, plan.value[n.index()], part);
            arena.get(at, len)
        };
        let grad = |n: Node| {
            plan.grad[n.index()].map(|slot| {
                let (at, len, _) = self.place(n, slot, part);
                arena.get_mut(at, len)
            })
        };
        let (at, len, step) = self.place(n, own, part);
        let dy = arena.get(at, len);
        let examples = if step == 0 { 1 } else { part.count };
        let e = plan.graph.entry(n);
        let example = |x: Node, i: usize| {
            let (at, _, step) = self.place(x, plan.value[x.index()], part);
            arena.get(at + i * step, plan.value[x.index()].len)
        };
        let example_grad = |x: Node, i: usize| {
            plan.grad[x.index()].map(|slot| {
                let (at, _, step) = self.place(x, slot, part);
                arena.get_mut(at + i * step, slot.len)
            })
        };
        let dy_of = |i: usize| arena.get(at + i * step, own.len);
        let shape = |x: Node| plan.graph.shape(x);
        match &e.op {
            Op::Param { .. } | Op::Input { .. } | Op::Constant { .. } | Op::OneHot { .. } | Op::Mass { .. } => {}
            Op::Linear { x, w } => {
                let ins = shape(*x)[1];
                let rows = dy.len() / e.cols;
                if let Some(dx) = grad(*x) {
                    let w = View::rows(val(*w), ins).t();
                    S::vectorize(|| contract([rows, ins, e.cols], View::rows(dy, e.cols), w, dx, ins, true));
                }
                if let Some(dw) = grad(*w) {
                    let (dy, x) = (View::rows(dy, e.cols).t(), View::rows(val(*x), ins).t());
                    S::vectorize(|| contract([e.cols, ins, rows], dy, x, dw, ins, true));
                }
            }
            Op::Add { a, b } => {
                for x in [a, b] {
                    if let Some(dx) = grad(*x) {
                        S::vectorize(|| elementwise::add_grad(dy, dx));
                    }
                }
            }
            Op::Mul { a, b } => {
                for (x, other) in [(a, b), (b, a)] {
                    if let Some(dx) = grad(*x) {
                        S::vectorize(|| elementwise::mul_grad(dy, val(*other), dx));
                    }
                }
            }
            Op::Scale { x, by } => {
                let dx = grad(*x).expect("a gradient comes from the one operand");
                S::vectorize(|| elementwise::scale_grad(*by, dy, dx));
            }
            Op::Sigmoid { x } => {
                let dx = grad(*x).expect("a gradient comes from the one operand");
                S::vectorize(|| elementwise::sigmoid_grad(val(n), dy, dx));
            }
            Op::Scores { q, k, heads, reach } => {
                let d = Dims { rows: e.rows, keys: shape(*k)[0], cols: shape(*q)[1], heads: *heads };
                for i in 0..examples {
                    if let Some(dq) = example_grad(*q, i) {
                        S::vectorize(|| mix::mix(d, reach, dy_of(i), example(*k, i), dq, true));
                    }
                    if let Some(dk) = example_grad(*k, i) {
                        S::vectorize(|| mix::mix_grad_x(d, reach, dy_of(i), example(*q, i), dk));
                    }
                }
            }
            Op::Softmax { x, heads, bias } => {
                let (y, keys) = (val(n), bias.cols);
                let dx = grad(*x).expect("a gradient comes from the one operand");
                S::vectorize(|| {
                    for r in 0..y.len() / keys {
                        let reach = bias.reach[r / heads % bias.reach.len()];
                        let row = r * keys..(r + 1) * keys;
                        softmax::softmax_grad(reach, &y[row.clone()], &dy[row.clone()], &mut dx[row]);
                    }
                });
            }
            Op::Mix { a, x, heads, reach } => {
                let d = Dims { rows: e.rows, keys: shape(*x)[0], cols: e.cols, heads: *heads };
                for i in 0..examples {
                    if let Some(da) = example_grad(*a, i) {
                        S::vectorize(|| mix::mix_grad_a(d, reach, dy_of(i), example(*x, i), da));
                    }
                    if let Some(dx) = example_grad(*x, i) {
                        S::vectorize(|| mix::mix_grad_x(d, reach, example(*a, i), dy_of(i), dx));
                    }
                }
            }
            Op::SumRows { x, weight } => {
                for i in 0..examples {
                    if let Some(dx) = example_grad(*x, i) {
                        S::vectorize(|| rearrange::sum_rows_grad(example(*weight, i), dy_of(i), dx));
                    }
                }
            }
            Op::Concat { parts } => {
                let mut start = 0;
                for &p in parts {
                    let cols = shape(p)[1];
                    for i in 0..examples {
                        if let Some(dx) = example_grad(p, i) {
                            S::vectorize(|| {
                                rearrange::columns((dy_of(i), e.cols, start), (dx, cols, 0), cols, true)
                            });
                        }
                    }
                    start += cols;
                }
            }
            Op::Columns { x, start, len } => {
                let dx = grad(*x).expect("a gradient comes from the one operand");
                S::vectorize(|| rearrange::columns((dy, *len, 0), (dx, shape(*x)[1], *start), *len, true));
            }
            Op::Take { x, rows } => {
                for i in 0..examples {
                    let dx = example_grad(*x, i).expect("a gradient comes from the one operand");
                    S::vectorize(|| rearrange::take_grad(*rows, e.cols, dy_of(i), dx));
                }
            }
            Op::Place { x, rows, .. } => {
                for i in 0..examples {
                    let dx = example_grad(*x, i).expect("a gradient comes from the one operand");
                    S::vectorize(|| rearrange::place_grad(*rows, e.cols, dy_of(i), dx));
                }
            }
            Op::ExpRows { x, .. } => {
                let dx = grad(*x).expect("a gradient comes from the one operand");
                S::vectorize(|| softmax::exp_rows_grad(val(n), dy, dx));
            }
            Op::Normalize { x, mass, heads } => {
                let (aux_at, aux_len, _) = self.place(n, plan.aux[n.index()], part);
                let inverse = arena.get(aux_at, aux_len);
                let dx = grad(*x).expect("a mass has no gradient");
                S::vectorize(|| {
                    softmax::normalize_grad(*heads, e.cols / heads, val(*mass), val(n), inverse, dy, dx)
                });
            }
            Op::SplitHeads { x, heads } => {
                let dx = grad(*x).expect("a gradient comes from the one operand");
                S::vectorize(|| rearrange::split_heads_grad(*heads, e.cols, dy, dx));
            }
            Op::SquaredError { x, target } => {
                let dx = grad(*x).expect("a target has no gradient");
                S::vectorize(|| elementwise::squared_error_grad(val(*x), val(*target), dy, dx));
            }
        }
    }

    /// One pass over the batch, chunk by chunk; with `backward` also its gradients.
    fn pass(&mut self, backward: bool) {
        let whole = Part { first: 0, count: 1 };
        for i in 0..self.plan.by_step.len() {
            self.compute(self.plan.by_step[i], whole);
        }
        if backward {
            self.arena[self.plan.step_grads.clone()].fill(S::zero());
        }
        let seed = S::of(1.0 / self.plan.batch as f64);
        for first in (0..self.plan.batch).step_by(self.plan.chunk) {
            let part = Part { first, count: self.plan.chunk.min(self.plan.batch - first) };
            for i in 0..self.plan.by_example.len() {
                self.compute(self.plan.by_example[i], part);
            }
            self.keep(part);
            if backward {
                self.arena[self.plan.chunk_grads.clone()].fill(S::zero());
                let slot = self.plan.grad[self.loss.index()].expect("the loss depends on a trained parameter");
                self.arena[slot.offset..slot.offset + part.count].fill(seed);
                for i in (0..self.plan.by_example.len()).rev() {
                    self.differentiate(self.plan.by_example[i], part);
                }
            }
        }
        if backward {
            for i in (0..self.plan.by_step.len()).rev() {
                self.differentiate(self.plan.by_step[i], whole);
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

    fn step(&mut self, step: AdamStep) {
        self.pass(true);
        let arena = Arena(self.arena.as_mut_ptr());
        for (p, [m, v]) in self.plan.trained.iter().zip(&mut self.moments) {
            let (slot, grad) = (self.plan.value[p.index()], self.plan.grad[p.index()].expect("trained"));
            let (p, g) = (arena.get_mut(slot.offset, slot.len), arena.get(grad.offset, grad.len));
            S::vectorize(|| adam(step, p, g, m, v));
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
