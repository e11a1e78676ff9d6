//! One node's value from its operands'.

use super::graph::{Node, Op};
use super::kernels::affine::{self, MAX_TERMS};
use super::kernels::contract::View;
use super::kernels::mix::Dims;
use super::kernels::{elementwise, kind_routes, layer_norm, loss, mix, rearrange, recurrent, softmax, window};
use super::memory::Memory;
use super::simd::{Kernel, Simd};

/// Computes `node` for the examples that `memory` shows.
pub(crate) struct Compute<'a, S: Simd> {
    pub memory: Memory<'a, S>,
    pub node: Node,
    /// The node's biases (`Softmax`) or their exponentials (`Mass`) in the number type.
    pub bias: &'a [S::Elem],
}

impl<S: Simd> Kernel for Compute<'_, S> {
    #[inline(always)]
    fn run(self) {
        let Compute { memory: m, node: n, bias: numbers } = self;
        let e = m.plan.graph.entry(n);
        let runs = &m.plan.runs[n.index()];
        let shape = |x: Node| m.plan.graph.shape(x);
        match &e.op {
            Op::Param { .. } | Op::Input { .. } => {}
            Op::Constant { data } => {
                for (y, &x) in m.value_mut(n).iter_mut().zip(data.iter()) {
                    *y = S::of(x);
                }
            }
            Op::OneHot { index, .. } => rearrange::one_hot(e.cols, m.value(*index), m.value_mut(n)),
            Op::Linear { x, w } => {
                let (ins, xs, ws) = (shape(*x)[1], m.value(*x), m.value(*w));
                let term = affine::Term { a: View::rows(xs, ins), b: View::rows(ws, ins), len: ins };
                affine::affine(xs.len() / ins, e.cols, &[term], None, false, m.value_mut(n));
            }
            Op::Add { a, b } => elementwise::add(m.value(*a), m.value(*b), m.value_mut(n)),
            Op::Mul { a, b } => elementwise::mul(m.value(*a), m.value(*b), m.value_mut(n)),
            Op::Scale { x, by } => elementwise::scale(*by, m.value(*x), m.value_mut(n)),
            Op::LayerNorm { x } => layer_norm::layer_norm(e.cols, m.value(*x), m.value_mut(n), m.aux(n)),
            Op::Sigmoid { x } => elementwise::sigmoid(m.value(*x), m.value_mut(n)),
            Op::Scores { q, k, heads, .. } => {
                let d = Dims { rows: e.rows, keys: shape(*k)[0], cols: shape(*q)[1], heads: *heads };
                for i in 0..m.examples(n) {
                    mix::scores(d, runs, m.example(*q, i), m.example(*k, i), m.example_mut(n, i));
                }
            }
            Op::Softmax { x, heads, bias } => {
                if let Some((q, k, scale)) = m.plan.graph.windowed(*x) {
                    for (i, excess) in m.aux(n)[..m.examples(n)].iter_mut().enumerate() {
                        let (q, k) = (m.example(q, i), m.example(k, i));
                        let d = window::Dims { rows: e.rows, window: e.cols, cols: q.len() / e.rows };
                        *excess = window::excess(d, scale, (q, k), m.example(*x, i), (bias, numbers));
                    }
                }
                let (x, y, keys) = (m.value(*x), m.value_mut(n), bias.cols);
                for r in 0..x.len() / keys {
                    let t = r / heads % bias.reach.len();
                    let row = r * keys..(r + 1) * keys;
                    softmax::softmax(&numbers[t * keys..][..keys], bias.reach[t], &x[row.clone()], &mut y[row]);
                }
            }
            Op::Mix { a, x, heads, .. } => {
                let d = Dims { rows: e.rows, keys: shape(*x)[0], cols: e.cols, heads: *heads };
                for i in 0..m.examples(n) {
                    mix::mix(d, runs, m.example(*a, i), m.example(*x, i), m.example_mut(n, i), false);
                }
            }
            Op::WindowScores { q, k } => {
                let d = window::Dims { rows: e.rows, window: e.cols, cols: shape(*q)[1] };
                for i in 0..m.examples(n) {
                    window::scores(d, m.example(*q, i), m.example(*k, i), m.example_mut(n, i), false);
                }
            }
            Op::WindowMix { a, x } => {
                let d = window::Dims { rows: e.rows, window: shape(*a)[1], cols: e.cols };
                for i in 0..m.examples(n) {
                    window::mix(d, m.example(*a, i), m.example(*x, i), m.example_mut(n, i), false);
                }
            }
            Op::SumRows { x, weight } => {
                for i in 0..m.examples(n) {
                    rearrange::sum_rows(m.example(*x, i), m.example(*weight, i), m.example_mut(n, i));
                }
            }
            Op::Concat { parts } => {
                let mut start = 0;
                for &p in parts {
                    let cols = shape(p)[1];
                    for i in 0..m.examples(n) {
                        let to = (m.example_mut(n, i), e.cols, start);
                        rearrange::columns((m.example(p, i), cols, 0), to, cols, false);
                    }
                    start += cols;
                }
            }
            Op::Columns { x, start, len } => {
                rearrange::columns((m.value(*x), shape(*x)[1], *start), (m.value_mut(n), *len, 0), *len, false);
            }
            Op::Take { x, rows } => {
                for i in 0..m.examples(n) {
                    rearrange::take(*rows, e.cols, m.example(*x, i), m.example_mut(n, i));
                }
            }
            Op::Place { x, rows, .. } => {
                for i in 0..m.examples(n) {
                    rearrange::place(*rows, e.cols, m.example(*x, i), m.example_mut(n, i));
                }
            }
            Op::ExpRows { x, heads } => softmax::exp_rows(e.cols / heads, m.value(*x), m.value_mut(n)),
            Op::Normalize { x, mass, heads } => {
                let (keys, per, inverse) = (e.cols / heads, e.rows * heads, m.aux(n));
                for i in 0..m.examples(n) {
                    let (y, inverse) = (m.example_mut(n, i), &mut inverse[i * per..][..per]);
                    softmax::normalize(*heads, keys, m.example(*x, i), m.example(*mass, i), y, inverse);
                }
            }
            Op::Mass { one_hot, bias } => {
                for i in 0..m.examples(n) {
                    rearrange::mass(bias, numbers, e.cols, m.example(*one_hot, i), m.example_mut(n, i));
                }
            }
            Op::SplitHeads { x, heads } => rearrange::split_heads(*heads, e.cols, m.value(*x), m.value_mut(n)),
            Op::Affine { terms, bias, sigmoid } => {
                let bias = bias.map(|b| m.value(b));
                let (calls, rows) = m.affine_calls(n, terms);
                for i in 0..calls {
                    let mut views =
                        [affine::Term { a: View::rows(&[], 0), b: View::rows(&[], 0), len: 0 }; MAX_TERMS];
                    for (view, t) in views.iter_mut().zip(terms) {
                        *view = m.affine_term(t, i, calls);
                    }
                    let y = &mut m.value_mut(n)[i * rows * e.cols..][..rows * e.cols];
                    affine::affine(rows, e.cols, &views[..terms.len()], bias, *sigmoid, y);
                }
            }
            Op::KindRoutes { one_hot, e: table, mass, heads, .. } => {
                let (inverse, per) = (m.aux(n), e.rows * heads);
                for i in 0..m.examples(n) {
                    let rows = kind_routes::Rows { one_hot: m.example(*one_hot, i), mass: m.example(*mass, i) };
                    let (y, inverse) = (m.example_mut(n, i), &mut inverse[i * per..][..per]);
                    kind_routes::kind_routes(runs, e.cols / heads, *heads, rows, m.value(*table), y, inverse);
                }
            }
            Op::Tanh { x } => elementwise::tanh(m.value(*x), m.value_mut(n)),
            Op::Exp { x } => elementwise::exp(m.value(*x), m.value_mut(n)),
            Op::LogAbs { x } => elementwise::log_abs(m.value(*x), m.value_mut(n)),
            Op::Gelu { x } => elementwise::gelu(m.value(*x), m.value_mut(n), m.aux(n)),
            Op::AddOffsets { x, table, offset } => {
                let keys = offset.len() / e.rows;
                for i in 0..m.examples(n) {
                    let (x, table) = (m.example(*x, i), m.example(*table, i));
                    elementwise::add_offsets(keys, offset, x, table, m.example_mut(n, i));
                }
            }
            Op::CrossEntropy { x, target, weight } => {
                let (share, per) = (m.aux(n), m.plan.aux[n.index()].len);
                for i in 0..m.examples(n) {
                    let (x, target, weight) = (m.example(*x, i), m.example(*target, i), m.example(*weight, i));
                    let share = &mut share[i * per..][..per];
                    m.example_mut(n, i)[0] = loss::cross_entropy(x.len() / weight.len(), x, target, weight, share);
                }
            }
            Op::BinaryCrossEntropy { x, target, weight } => {
                for i in 0..m.examples(n) {
                    let (x, target, weight) = (m.example(*x, i), m.example(*target, i), m.example(*weight, i));
                    m.example_mut(n, i)[0] = loss::binary_cross_entropy(x, target, weight);
                }
            }
            Op::Select { mask, a, b } => {
                for i in 0..m.examples(n) {
                    let (a, b) = (m.example(*a, i), m.example(*b, i));
                    recurrent::select(m.example(*mask, i), a, b, m.example_mut(n, i));
                }
            }
            Op::LstmCell { gates, state } => {
                let (kept, per) = (m.aux(n), 5 * e.rows * e.cols / 2);
                for i in 0..m.examples(n) {
                    let kept = &mut kept[i * per..][..per];
                    recurrent::lstm_cell(
                        e.cols / 2,
                        m.example(*gates, i),
                        m.example(*state, i),
                        kept,
                        m.example_mut(n, i),
                    );
                }
            }
            Op::SquaredError { x, target } => {
                for i in 0..m.examples(n) {
                    loss::squared_error(m.example(*x, i), m.example(*target, i), m.example_mut(n, i));
                }
            }
        }
    }
}
