//! One node's gradient, passed on to its operands': the chain rule, operation by operation.

use super::graph::{Node, Op};
use super::kernels::contract::{View, contract};
use super::kernels::large;
use super::kernels::mix::Dims;
use super::kernels::{
    affine, elementwise, kind_routes, layer_norm, loss, mix, rearrange, recurrent, softmax, window,
};
use super::memory::Memory;
use super::simd::{Kernel, Simd};

/// Adds what `node` contributes to the gradients of its operands.
pub(crate) struct Differentiate<'a, S: Simd> {
    pub memory: Memory<'a, S>,
    pub node: Node,
}

impl<S: Simd> Kernel for Differentiate<'_, S> {
    #[inline(always)]
    fn run(self) {
        let Differentiate { memory: m, node: n } = self;
        let Some(dy) = m.grad(n) else { return };
        let e = m.plan.graph.entry(n);
        if let Op::Affine { sigmoid: true, .. } = e.op {
            affine::through_sigmoid(m.value(n), dy);
        }
        let dy: &[S] = dy;
        let runs = &m.plan.runs[n.index()];
        let shape = |x: Node| m.plan.graph.shape(x);
        let len = e.rows * e.cols;
        match &e.op {
            Op::Param { .. } | Op::Input { .. } | Op::Constant { .. } | Op::OneHot { .. } | Op::Mass { .. } => {}
            Op::Linear { x, w } => {
                let ins = shape(*x)[1];
                let rows = dy.len() / e.cols;
                if let Some(dx) = m.grad(*x) {
                    affine::grad_rows(rows, e.cols, dy, View::rows(m.value(*w), ins), ins, dx, ins);
                }
                if let Some(dw) = m.grad(*w).filter(|_| !m.plan.is_gathered(n, *w)) {
                    let (dy, x) = (View::rows(dy, e.cols).t(), View::rows(m.value(*x), ins).t());
                    contract([e.cols, ins, rows], dy, x, dw, ins, true);
                }
            }
            Op::Add { a, b } => {
                for x in [a, b] {
                    if let Some(dx) = m.grad(*x) {
                        elementwise::add_grad(dy, dx);
                    }
                }
            }
            Op::Mul { a, b } => {
                for (x, other) in [(a, b), (b, a)] {
                    if let Some(dx) = m.grad(*x) {
                        elementwise::mul_grad(dy, m.value(*other), dx);
                    }
                }
            }
            Op::Scale { x, by } => {
                if let Some(dx) = m.grad(*x) {
                    elementwise::scale_grad(*by, dy, dx);
                }
            }
            Op::LayerNorm { x } => {
                if let Some(dx) = m.grad(*x) {
                    layer_norm::layer_norm_grad(e.cols, m.value(n), m.aux(n), dy, dx);
                }
            }
            Op::Sigmoid { x } => {
                if let Some(dx) = m.grad(*x) {
                    elementwise::sigmoid_grad(m.value(n), dy, dx);
                }
            }
            Op::Scores { q, k, heads, .. } => {
                let d = Dims { rows: e.rows, keys: shape(*k)[0], cols: shape(*q)[1], heads: *heads };
                for (i, dy) in dy.chunks_exact(len).enumerate() {
                    if let Some(dq) = m.grad_example(*q, i) {
                        mix::mix(d, runs, dy, m.example(*k, i), dq, true);
                    }
                    if let Some(dk) = m.grad_example(*k, i) {
                        mix::mix_grad_x(d, runs, dy, m.example(*q, i), dk);
                    }
                }
            }
            Op::Softmax { x, heads, bias } => {
                if let Some(dx) = m.grad(*x) {
                    let (y, keys) = (m.value(n), bias.cols);
                    for r in 0..y.len() / keys {
                        let reach = bias.reach[r / heads % bias.reach.len()];
                        let row = r * keys..(r + 1) * keys;
                        softmax::softmax_grad(reach, &y[row.clone()], &dy[row.clone()], &mut dx[row]);
                    }
                }
            }
            Op::Mix { a, x, heads, .. } => {
                let d = Dims { rows: e.rows, keys: shape(*x)[0], cols: e.cols, heads: *heads };
                for (i, dy) in dy.chunks_exact(len).enumerate() {
                    if let Some(da) = m.grad_example(*a, i) {
                        mix::mix_grad_a(d, runs, dy, m.example(*x, i), da);
                    }
                    if let Some(dx) = m.grad_example(*x, i) {
                        mix::mix_grad_x(d, runs, m.example(*a, i), dy, dx);
                    }
                }
            }
            Op::WindowScores { q, k } => {
                let d = window::Dims { rows: e.rows, window: e.cols, cols: shape(*q)[1] };
                for (i, dy) in dy.chunks_exact(len).enumerate() {
                    if let Some(dq) = m.grad_example(*q, i) {
                        window::mix(d, dy, m.example(*k, i), dq, true);
                    }
                    if let Some(dk) = m.grad_example(*k, i) {
                        window::mix_grad_x(d, dy, m.example(*q, i), dk);
                    }
                }
            }
            Op::WindowMix { a, x } => {
                let d = window::Dims { rows: e.rows, window: shape(*a)[1], cols: e.cols };
                for (i, dy) in dy.chunks_exact(len).enumerate() {
                    if let Some(da) = m.grad_example(*a, i) {
                        window::scores(d, dy, m.example(*x, i), da, true);
                    }
                    if let Some(dx) = m.grad_example(*x, i) {
                        window::mix_grad_x(d, m.example(*a, i), dy, dx);
                    }
                }
            }
            Op::SumRows { x, weight } => {
                for (i, dy) in dy.chunks_exact(len).enumerate() {
                    if let Some(dx) = m.grad_example(*x, i) {
                        rearrange::sum_rows_grad(m.example(*weight, i), dy, dx);
                    }
                }
            }
            Op::Concat { parts } => {
                let mut start = 0;
                for &p in parts {
                    let cols = shape(p)[1];
                    for (i, dy) in dy.chunks_exact(len).enumerate() {
                        if let Some(dx) = m.grad_example(p, i) {
                            rearrange::columns((dy, e.cols, start), (dx, cols, 0), cols, true);
                        }
                    }
                    start += cols;
                }
            }
            Op::Columns { x, start, len } => {
                if let Some(dx) = m.grad(*x) {
                    rearrange::columns((dy, *len, 0), (dx, shape(*x)[1], *start), *len, true);
                }
            }
            Op::Take { x, rows } => {
                for (i, dy) in dy.chunks_exact(len).enumerate() {
                    if let Some(dx) = m.grad_example(*x, i) {
                        rearrange::take_grad(*rows, e.cols, dy, dx);
                    }
                }
            }
            Op::Place { x, rows, .. } => {
                for (i, dy) in dy.chunks_exact(len).enumerate() {
                    if let Some(dx) = m.grad_example(*x, i) {
                        rearrange::place_grad(*rows, e.cols, dy, dx);
                    }
                }
            }
            Op::ExpRows { x, .. } => {
                if let Some(dx) = m.grad(*x) {
                    softmax::exp_rows_grad(m.value(n), dy, dx);
                }
            }
            Op::Normalize { x, mass, heads } => {
                let (keys, per, inverse) = (e.cols / heads, e.rows * heads, m.aux(n));
                for (i, dy) in dy.chunks_exact(len).enumerate() {
                    if let Some(dx) = m.grad_example(*x, i) {
                        let kept = (m.example(n, i), &inverse[i * per..][..per]);
                        softmax::normalize_grad(*heads, keys, m.example(*mass, i), kept, dy, dx);
                    }
                }
            }
            Op::SplitHeads { x, heads } => {
                if let Some(dx) = m.grad(*x) {
                    rearrange::split_heads_grad(*heads, e.cols, dy, dx);
                }
            }
            Op::Affine { terms, bias, .. } => {
                if let Some(db) = bias.and_then(|b| m.grad(b)) {
                    affine::grad_bias(dy, db);
                }
                for t in terms {
                    let (calls, rows) = m.affine_calls(n, std::slice::from_ref(t));
                    for i in 0..calls {
                        let v = m.affine_term(t, i, calls);
                        let dz = &dy[i * rows * e.cols..][..rows * e.cols];
                        if let Some(da) = m.grad(t.a) {
                            let at = m.affine_rows(t, i, calls);
                            affine::grad_rows(rows, e.cols, dz, v.b, v.len, &mut da[at..], v.a.outer);
                        }
                        let apart = !(t.by_rows && t.rows.is_none() && m.plan.is_gathered(n, t.table));
                        if let Some(db) = m.grad(t.table).filter(|_| apart) {
                            affine::grad_table([rows, e.cols, v.len], dz, v.a, t.by_rows, db);
                        }
                    }
                }
            }
            Op::KindRoutes { one_hot, e: table, mass, heads, .. } => {
                if let Some(de) = m.grad(*table) {
                    let (inverse, per) = (m.aux(n), e.rows * heads);
                    for (i, dy) in dy.chunks_exact(len).enumerate() {
                        let rows = kind_routes::Rows { one_hot: m.example(*one_hot, i), mass: m.example(*mass, i) };
                        let kept = (m.example(n, i), &inverse[i * per..][..per]);
                        kind_routes::kind_routes_grad(runs, e.cols / heads, *heads, rows, kept, dy, de);
                    }
                }
            }
            Op::Tanh { x } => {
                if let Some(dx) = m.grad(*x) {
                    elementwise::tanh_grad(m.value(n), dy, dx);
                }
            }
            Op::Exp { x } => {
                if let Some(dx) = m.grad(*x) {
                    elementwise::mul_grad(dy, m.value(n), dx);
                }
            }
            Op::LogAbs { x } => {
                if let Some(dx) = m.grad(*x) {
                    elementwise::log_abs_grad(m.value(*x), dy, dx);
                }
            }
            Op::Gelu { x } => {
                if let Some(dx) = m.grad(*x) {
                    elementwise::mul_grad(dy, m.aux(n), dx);
                }
            }
            Op::AddOffsets { x, table, offset } => {
                if let Some(dx) = m.grad(*x) {
                    elementwise::add_grad(dy, dx);
                }
                for (i, dy) in dy.chunks_exact(len).enumerate() {
                    if let Some(dtable) = m.grad_example(*table, i) {
                        elementwise::add_offsets_grad(offset.len() / e.rows, offset, dy, dtable);
                    }
                }
            }
            Op::CrossEntropy { x, target, weight } => {
                let (share, per) = (m.aux(n), m.plan.aux[n.index()].len);
                for (i, dy) in dy.iter().enumerate() {
                    if let Some(dx) = m.grad_example(*x, i) {
                        let (target, weight) = (m.example(*target, i), m.example(*weight, i));
                        let share = &share[i * per..][..per];
                        loss::cross_entropy_grad(per / weight.len(), target, weight, share, *dy, dx);
                    }
                }
            }
            Op::BinaryCrossEntropy { x, target, weight } => {
                for (i, dy) in dy.iter().enumerate() {
                    if let Some(dx) = m.grad_example(*x, i) {
                        let (target, weight) = (m.example(*target, i), m.example(*weight, i));
                        loss::binary_cross_entropy_grad(m.example(*x, i), target, weight, *dy, dx);
                    }
                }
            }
            Op::Select { mask, a, b } => {
                for (i, dy) in dy.chunks_exact(len).enumerate() {
                    let mask = m.example(*mask, i);
                    if let Some(da) = m.grad_example(*a, i) {
                        recurrent::select_grad(mask, true, dy, da);
                    }
                    if let Some(db) = m.grad_example(*b, i) {
                        recurrent::select_grad(mask, false, dy, db);
                    }
                }
            }
            Op::LstmCell { gates, state } => {
                let (kept, per) = (m.aux(n), 5 * e.rows * e.cols / 2);
                for (i, dy) in dy.chunks_exact(len).enumerate() {
                    let kept = (&kept[i * per..][..per], m.example(*state, i));
                    let into = (m.grad_example(*gates, i), m.grad_example(*state, i));
                    recurrent::lstm_cell_grad(e.cols / 2, kept, dy, into);
                }
            }
            Op::SquaredError { x, target } => {
                for (i, dy) in dy.chunks_exact(len).enumerate() {
                    if let Some(dx) = m.grad_example(*x, i) {
                        loss::squared_error_grad(m.example(*x, i), m.example(*target, i), dy, dx);
                    }
                }
            }
        }
    }
}

/// Adds to a large table's gradient what all the operations that multiply by it contribute.
pub(crate) struct GatherTable<'a, S: Simd> {
    pub memory: Memory<'a, S>,
    pub table: Node,
    /// The operations and their other factors.
    pub products: &'a [(Node, Node)],
}

impl<S: Simd> Kernel for GatherTable<'_, S> {
    #[inline(always)]
    fn run(self) {
        let m = self.memory;
        let [outs, ins] = m.plan.graph.shape(self.table);
        let Some(dw) = m.grad(self.table) else { return };
        let mut sum = large::Gather::new(dw, outs, ins);
        for &(y, x) in self.products {
            if let Some(dz) = m.grad(y) {
                sum.push(dz, m.value(x));
            }
        }
        sum.finish();
    }
}
