//! One node's value from its operands'.

use super::graph::{Node, Op};
use super::kernels::affine::{self, MAX_TERMS};
use super::kernels::contract::View;
use super::kernels::mix::Dims;
use super::kernels::{
    band, elementwise, ffn, kind_routes, layer_norm, loss, mix, rearrange, recurrent, softmax, window,
};
use super::memory::Arena;
use super::simd::{Kernel, Simd};

/// Computes `node` for the examples that `memory` shows.
pub(crate) struct Compute<'a, S: Simd> {
    pub memory: Arena<'a, S>,
    pub node: Node,
    /// The node's biases (`Softmax`) or their exponentials (`Mass`) in the number type.
    pub bias: &'a [S::Elem],
}

impl<S: Simd> Kernel for Compute<'_, S> {
    #[inline(always)]
    fn run(self) {
        let Compute { memory, node: n, bias: numbers } = self;
        let (y, kept, m) = memory.own(n);
        let plan = m.at.plan;
        let e = plan.graph.entry(n);
        let runs = &plan.runs[n.index()];
        let shape = |x: Node| plan.graph.shape(x);
        // Of one example.
        let (examples, len, kept_len) = (m.at.examples(n), e.rows * e.cols, plan.aux[n.index()].len);
        match &e.op {
            Op::Param { .. } | Op::Input { .. } => {}
            Op::Constant { data } => {
                for (y, &x) in y.iter_mut().zip(data.iter()) {
                    *y = S::of(x);
                }
            }
            Op::OneHot { index, .. } => rearrange::one_hot(e.cols, m.value(*index), y),
            Op::Linear { x, w } => {
                let (ins, xs, ws) = (shape(*x)[1], m.value(*x), m.value(*w));
                let term = affine::Term { a: View::rows(xs, ins), b: View::rows(ws, ins), len: ins };
                affine::affine(xs.len() / ins, e.cols, &[term], None, false, y);
            }
            Op::Add { a, b } if m.at.broadcast_calls(n, *b) == 1 => elementwise::add(m.value(*a), m.value(*b), y),
            Op::Add { a, b } => {
                for (i, y) in y.chunks_exact_mut(len).enumerate() {
                    elementwise::add(m.example(*a, i), m.example(*b, i), y);
                }
            }
            Op::Mul { a, b } => elementwise::mul(m.value(*a), m.value(*b), y),
            Op::Scale { x, by } => elementwise::scale(*by, m.value(*x), y),
            Op::LayerNorm { x } => layer_norm::layer_norm(e.cols, m.value(*x), y, kept),
            Op::ScaledNorm { x, scale, shift } => {
                layer_norm::scaled_norm(m.value(*x), [m.value(*scale), m.value(*shift)], y, kept);
            }
            Op::Sigmoid { x } => elementwise::sigmoid(m.value(*x), y),
            Op::Scores { q, k, heads, .. } => {
                let d = Dims { keys: shape(*k)[0], cols: shape(*q)[1], heads: *heads };
                for i in 0..examples {
                    mix::scores(d, runs, m.example(*q, i), m.example(*k, i), &mut y[i * len..][..len]);
                }
            }
            Op::Softmax { x, heads, bias } => {
                if let Some((q, k, scale)) = plan.graph.windowed(*x) {
                    for (i, kept) in kept.chunks_exact_mut(kept_len).enumerate() {
                        let (q, k) = (m.example(q, i), m.example(k, i));
                        let d = window::Dims { rows: e.rows, window: e.cols, cols: q.len() / e.rows };
                        let (excess, room) = kept.split_at_mut(1);
                        let keys = window::Keys::of(k, d.cols, room);
                        excess[0] = window::excess(d, scale, q, keys, m.example(*x, i), (bias, numbers));
                    }
                }
                let (x, keys) = (m.value(*x), bias.cols);
                for r in 0..x.len() / keys {
                    let t = r / heads % bias.reach.len();
                    let row = r * keys..(r + 1) * keys;
                    softmax::softmax(&numbers[t * keys..][..keys], bias.reach[t], &x[row.clone()], &mut y[row]);
                }
            }
            Op::Mix { a, x, heads, .. } => {
                let d = Dims { keys: shape(*x)[0], cols: e.cols, heads: *heads };
                for i in 0..examples {
                    mix::mix(d, runs, m.example(*a, i), m.example(*x, i), &mut y[i * len..][..len], false);
                }
            }
            Op::WindowScores { q, k } => {
                let d = window::Dims { rows: e.rows, window: e.cols, cols: shape(*q)[1] };
                for i in 0..examples {
                    window::scores(d, m.example(*q, i), m.example(*k, i), &mut y[i * len..][..len], false);
                }
            }
            Op::WindowMix { a, x } => {
                let d = window::Dims { rows: e.rows, window: shape(*a)[1], cols: e.cols };
                for i in 0..examples {
                    window::mix(d, m.example(*a, i), m.example(*x, i), &mut y[i * len..][..len], false);
                }
            }
            Op::WindowAttend { q, k, v, scale, bias } => {
                let d = band::Dims { rows: e.rows, window: bias.cols, cols: shape(*q)[1], values: e.cols };
                for (i, (y, kept)) in parts(y, len, kept, kept_len) {
                    let read = [*q, *k, *v].map(|x| m.example(x, i));
                    band::attend(d, *scale, (bias, numbers), read, y, kept);
                }
            }
            Op::Ffn { x, w, bias } => {
                let widths = [shape(*x)[1], shape(w[0])[0], e.cols];
                let bias = bias.map(|b| b.map(|b| m.value(b)));
                ffn::ffn(widths, m.value(*x), w.map(|w| m.value(w)), bias, y);
            }
            Op::SumRows { x, weight } => {
                for i in 0..examples {
                    rearrange::sum_rows(m.example(*x, i), m.example(*weight, i), &mut y[i * len..][..len]);
                }
            }
            Op::Concat { parts } => {
                let mut start = 0;
                for &p in parts {
                    let cols = shape(p)[1];
                    for i in 0..examples {
                        let to = (&mut y[i * len..][..len], e.cols, start);
                        rearrange::columns((m.example(p, i), cols, 0), to, cols, false);
                    }
                    start += cols;
                }
            }
            Op::Columns { x, start, len } => {
                rearrange::columns((m.value(*x), shape(*x)[1], *start), (y, *len, 0), *len, false);
            }
            Op::Take { x, rows } => {
                for i in 0..examples {
                    rearrange::take(*rows, e.cols, m.example(*x, i), &mut y[i * len..][..len]);
                }
            }
            Op::Place { x, rows, .. } => {
                for i in 0..examples {
                    rearrange::place(*rows, e.cols, m.example(*x, i), &mut y[i * len..][..len]);
                }
            }
            Op::ExpRows { x, heads } => softmax::exp_rows(e.cols / heads, m.value(*x), y),
            Op::Normalize { x, mass, heads } => {
                for (i, (y, inverse)) in parts(y, len, kept, kept_len) {
                    softmax::normalize(*heads, e.cols / heads, m.example(*x, i), m.example(*mass, i), y, inverse);
                }
            }
            Op::Mass { one_hot, bias } => {
                for i in 0..examples {
                    rearrange::mass(bias, numbers, e.cols, m.example(*one_hot, i), &mut y[i * len..][..len]);
                }
            }
            Op::SplitHeads { x, heads } => {
                for (i, y) in y.chunks_exact_mut(len).enumerate() {
                    rearrange::split_heads(*heads, e.cols, m.example(*x, i), y);
                }
            }
            Op::Affine { terms, bias, sigmoid } => {
                let bias = bias.map(|b| m.value(b));
                let (calls, rows) = m.at.affine_calls(n, terms);
                let mut firsts = [(affine::Term::NONE, 0); MAX_TERMS];
                for (first, t) in firsts.iter_mut().zip(terms) {
                    *first = m.affine_term(t, calls);
                }
                for (i, y) in y.chunks_exact_mut(rows * e.cols).enumerate() {
                    let mut views = [affine::Term::NONE; MAX_TERMS];
                    for (view, (first, step)) in views.iter_mut().zip(&firsts[..terms.len()]) {
                        *view = first.from(i * step);
                    }
                    affine::affine(rows, e.cols, &views[..terms.len()], bias, *sigmoid, y);
                }
            }
            Op::KindRoutes { one_hot, e: table, mass, heads, .. } => {
                for (i, (y, inverse)) in parts(y, len, kept, kept_len) {
                    let rows = kind_routes::Rows { one_hot: m.example(*one_hot, i), mass: m.example(*mass, i) };
                    kind_routes::kind_routes(runs, e.cols / heads, *heads, rows, m.value(*table), y, inverse);
                }
            }
            Op::Tanh { x } => elementwise::tanh(m.value(*x), y),
            Op::Exp { x } => elementwise::exp(m.value(*x), y),
            Op::LogAbs { x } => elementwise::log_abs(m.value(*x), y),
            Op::Gelu { x } => elementwise::gelu(m.value(*x), y, kept),
            Op::AddOffsets { x, table, offset } => {
                let keys = offset.len() / e.rows;
                for i in 0..examples {
                    let (x, table) = (m.example(*x, i), m.example(*table, i));
                    elementwise::add_offsets(keys, offset, x, table, &mut y[i * len..][..len]);
                }
            }
            Op::CrossEntropy { x, target, weight } => {
                for (i, (y, share)) in parts(y, len, kept, kept_len) {
                    let (x, target, weight) = (m.example(*x, i), m.example(*target, i), m.example(*weight, i));
                    y[0] = loss::cross_entropy(x.len() / weight.len(), x, target, weight, share);
                }
            }
            Op::BinaryCrossEntropy { x, target, weight } => {
                for (i, y) in y.iter_mut().enumerate() {
                    let (x, target, weight) = (m.example(*x, i), m.example(*target, i), m.example(*weight, i));
                    *y = loss::binary_cross_entropy(x, target, weight);
                }
            }
            Op::Select { mask, a, b } => {
                for i in 0..examples {
                    let (a, b) = (m.example(*a, i), m.example(*b, i));
                    recurrent::select(m.example(*mask, i), a, b, &mut y[i * len..][..len]);
                }
            }
            Op::LstmCell { gates, state } => {
                for (i, (y, kept)) in parts(y, len, kept, kept_len) {
                    recurrent::lstm_cell(e.cols / 2, m.example(*gates, i), m.example(*state, i), kept, y);
                }
            }
            Op::SquaredError { x, target } => {
                for i in 0..examples {
                    loss::squared_error(m.example(*x, i), m.example(*target, i), &mut y[i * len..][..len]);
                }
            }
        }
    }
}

/// Each example of a node's value with what is kept of it.
#[inline(always)]
fn parts<'a, S>(
    y: &'a mut [S],
    len: usize,
    kept: &'a mut [S],
    kept_len: usize,
) -> impl Iterator<Item = (usize, (&'a mut [S], &'a mut [S]))> {
    y.chunks_exact_mut(len).zip(kept.chunks_exact_mut(kept_len)).enumerate()
}
