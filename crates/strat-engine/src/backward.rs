//! One node's gradient, passed on to its operands': the chain rule, operation by operation.

use super::graph::{Node, Op};
use super::kernels::contract::{View, contract};
use super::kernels::large;
use super::kernels::mix::Dims;
use super::kernels::{
    affine, band, elementwise, ffn, kind_routes, layer_norm, loss, mix, rearrange, recurrent, softmax, window,
};
use super::memory::{Arena, Memory};
use super::simd::{Kernel, Simd};

/// Adds what `node` contributes to the gradients of its operands.
pub(crate) struct Differentiate<'a, S: Simd> {
    pub memory: Arena<'a, S>,
    pub node: Node,
    /// As in [`Compute`](super::forward::Compute).
    pub bias: &'a [S::Elem],
}

impl<S: Simd> Kernel for Differentiate<'_, S> {
    #[inline(always)]
    fn run(self) {
        let Differentiate { mut memory, node: n, bias: numbers } = self;
        let (plan, at) = (memory.at.plan, memory.at);
        let e = plan.graph.entry(n);
        let Some((dy, m)) = memory.grad(n) else { return };
        if let Op::Affine { sigmoid: true, .. } = e.op {
            affine::through_sigmoid(m.value(n), dy);
        }
        let runs = &plan.runs[n.index()];
        let shape = |x: Node| plan.graph.shape(x);
        let examples = at.examples(n);
        match &e.op {
            Op::Param { .. } | Op::Input { .. } | Op::Constant { .. } | Op::OneHot { .. } | Op::Mass { .. } => {}
            Op::Linear { x, w } => {
                let ins = shape(*x)[1];
                if let Some((dx, m)) = memory.grad(*x) {
                    let (dy, w) = (m.grad(n), View::rows(m.value(*w), ins));
                    affine::grad_rows(dy.len() / e.cols, e.cols, dy, w, ins, dx, ins);
                }
                if !plan.is_gathered(n, *w)
                    && let Some((dw, m)) = memory.grad(*w)
                {
                    let (dy, x) = (m.grad(n), View::rows(m.value(*x), ins).t());
                    contract([e.cols, ins, dy.len() / e.cols], View::rows(dy, e.cols).t(), x, dw, ins, true);
                }
            }
            Op::Add { a, b } if at.broadcast_calls(n, *b) == 1 => {
                for x in [a, b] {
                    if let Some((dx, m)) = memory.grad(*x) {
                        elementwise::add_grad(m.grad(n), dx);
                    }
                }
            }
            Op::Add { a, b } => {
                for i in 0..examples {
                    for x in [a, b] {
                        if let Some((dx, m)) = memory.grad_example(*x, i) {
                            elementwise::add_grad(m.grad_example(n, i), dx);
                        }
                    }
                }
            }
            Op::Mul { a, b } => {
                for (x, other) in [(a, b), (b, a)] {
                    if let Some((dx, m)) = memory.grad(*x) {
                        let dy = m.grad(n);
                        elementwise::mul_grad(dy, m.value(*other), dx);
                    }
                }
            }
            Op::Scale { x, by } => {
                if let Some((dx, m)) = memory.grad(*x) {
                    let dy = m.grad(n);
                    elementwise::scale_grad(*by, dy, dx);
                }
            }
            Op::LayerNorm { x } => {
                if let Some((dx, m)) = memory.grad(*x) {
                    let dy = m.grad(n);
                    layer_norm::layer_norm_grad(e.cols, m.value(n), m.kept(n), dy, dx);
                }
            }
            Op::ScaledNorm { x, scale, shift } => {
                let (into, m): (_, Memory<'_, S, 4>) = memory.grads([*x, *scale, *shift].map(Some));
                layer_norm::scaled_norm_grad(m.value(*x), m.value(*scale), m.kept(n), m.grad(n), into);
            }
            Op::Sigmoid { x } => {
                if let Some((dx, m)) = memory.grad(*x) {
                    let dy = m.grad(n);
                    elementwise::sigmoid_grad(m.value(n), dy, dx);
                }
            }
            Op::Scores { q, k, heads, .. } => {
                let d = Dims { keys: shape(*k)[0], cols: shape(*q)[1], heads: *heads };
                for i in 0..examples {
                    if let Some((dq, m)) = memory.grad_example(*q, i) {
                        let dy = m.grad_example(n, i);
                        mix::mix(d, runs, dy, m.example(*k, i), dq, true);
                    }
                    if let Some((dk, m)) = memory.grad_example(*k, i) {
                        let dy = m.grad_example(n, i);
                        mix::mix_grad_x(d, runs, dy, m.example(*q, i), dk);
                    }
                }
            }
            Op::Softmax { x, heads, bias } => {
                if let Some((dx, m)) = memory.grad(*x) {
                    let dy = m.grad(n);
                    let (y, keys) = (m.value(n), bias.cols);
                    for r in 0..y.len() / keys {
                        let reach = bias.reach[r / heads % bias.reach.len()];
                        let row = r * keys..(r + 1) * keys;
                        softmax::softmax_grad(reach, &y[row.clone()], &dy[row.clone()], &mut dx[row]);
                    }
                }
            }
            Op::Mix { a, x, heads, .. } => {
                let d = Dims { keys: shape(*x)[0], cols: e.cols, heads: *heads };
                for i in 0..examples {
                    if let Some((da, m)) = memory.grad_example(*a, i) {
                        let dy = m.grad_example(n, i);
                        mix::mix_grad_a(d, runs, dy, m.example(*x, i), da);
                    }
                    if let Some((dx, m)) = memory.grad_example(*x, i) {
                        let dy = m.grad_example(n, i);
                        mix::mix_grad_x(d, runs, m.example(*a, i), dy, dx);
                    }
                }
            }
            Op::WindowScores { q, k } => {
                let d = window::Dims { rows: e.rows, window: e.cols, cols: shape(*q)[1] };
                for i in 0..examples {
                    if let Some((dq, m)) = memory.grad_example(*q, i) {
                        let dy = m.grad_example(n, i);
                        window::mix(d, dy, m.example(*k, i), dq, true);
                    }
                    if let Some((dk, m)) = memory.grad_example(*k, i) {
                        let dy = m.grad_example(n, i);
                        window::mix_grad_x(d, dy, m.example(*q, i), dk);
                    }
                }
            }
            Op::WindowMix { a, x } => {
                let d = window::Dims { rows: e.rows, window: shape(*a)[1], cols: e.cols };
                for i in 0..examples {
                    if let Some((da, m)) = memory.grad_example(*a, i) {
                        let dy = m.grad_example(n, i);
                        window::scores(d, dy, m.example(*x, i), da, true);
                    }
                    if let Some((dx, m)) = memory.grad_example(*x, i) {
                        let dy = m.grad_example(n, i);
                        window::mix_grad_x(d, m.example(*a, i), dy, dx);
                    }
                }
            }
            Op::WindowAttend { q, k, v, scale, bias } => {
                let d = band::Dims { rows: e.rows, window: bias.cols, cols: shape(*q)[1], values: e.cols };
                for i in 0..examples {
                    let (into, m): (_, Memory<'_, S, 4>) = memory.grads_example([*q, *k, *v], i);
                    let (y, read) =
                        ((m.example(n, i), m.grad_example(n, i)), [*q, *k, *v].map(|x| m.example(x, i)));
                    band::attend_grad(d, *scale, (bias, numbers), read, y, m.kept_example(n, i), into);
                }
            }
            Op::Ffn { x, w, bias } => {
                let widths = [shape(*x)[1], shape(w[0])[0], e.cols];
                let nodes = [Some(*x), Some(w[0]), Some(w[1]), bias[0], bias[1]];
                let (into, m): (_, Memory<'_, S, 6>) = memory.grads(nodes);
                let (tables, bias) = ([m.value(w[0]), m.value(w[1])], bias[0].map(|b| m.value(b)));
                ffn::ffn_grad(widths, m.value(*x), tables, bias, m.grad(n), into);
            }
            Op::SumRows { x, weight } => {
                for i in 0..examples {
                    if let Some((dx, m)) = memory.grad_example(*x, i) {
                        let dy = m.grad_example(n, i);
                        rearrange::sum_rows_grad(m.example(*weight, i), dy, dx);
                    }
                }
            }
            Op::Concat { parts } => {
                let mut start = 0;
                for &p in parts {
                    let cols = shape(p)[1];
                    for i in 0..examples {
                        if let Some((dx, m)) = memory.grad_example(p, i) {
                            let dy = m.grad_example(n, i);
                            rearrange::columns((dy, e.cols, start), (dx, cols, 0), cols, true);
                        }
                    }
                    start += cols;
                }
            }
            Op::Columns { x, start, len } => {
                if let Some((dx, m)) = memory.grad(*x) {
                    let dy = m.grad(n);
                    rearrange::columns((dy, *len, 0), (dx, shape(*x)[1], *start), *len, true);
                }
            }
            Op::Take { x, rows } => {
                for i in 0..examples {
                    if let Some((dx, m)) = memory.grad_example(*x, i) {
                        let dy = m.grad_example(n, i);
                        rearrange::take_grad(*rows, e.cols, dy, dx);
                    }
                }
            }
            Op::Place { x, rows, .. } => {
                for i in 0..examples {
                    if let Some((dx, m)) = memory.grad_example(*x, i) {
                        let dy = m.grad_example(n, i);
                        rearrange::place_grad(*rows, e.cols, dy, dx);
                    }
                }
            }
            Op::ExpRows { x, .. } => {
                if let Some((dx, m)) = memory.grad(*x) {
                    let dy = m.grad(n);
                    softmax::exp_rows_grad(m.value(n), dy, dx);
                }
            }
            Op::Normalize { x, mass, heads } => {
                for i in 0..examples {
                    if let Some((dx, m)) = memory.grad_example(*x, i) {
                        let dy = m.grad_example(n, i);
                        let kept = (m.example(n, i), m.kept_example(n, i));
                        softmax::normalize_grad(*heads, e.cols / heads, m.example(*mass, i), kept, dy, dx);
                    }
                }
            }
            Op::SplitHeads { x, heads } => {
                for i in 0..examples {
                    if let Some((dx, m)) = memory.grad_example(*x, i) {
                        rearrange::split_heads_grad(*heads, e.cols, m.grad_example(n, i), dx);
                    }
                }
            }
            Op::Affine { terms, bias, .. } => {
                if let Some(b) = bias
                    && let Some((db, m)) = memory.grad(*b)
                {
                    affine::grad_bias(m.grad(n), db);
                }
                for t in terms {
                    let (calls, rows) = at.affine_calls(n, std::slice::from_ref(t));
                    if let Some((da, m)) = memory.grad(t.a) {
                        let ((v, step), first) = (m.affine_term(t, calls), at.affine_rows(t, calls).0);
                        for (i, dz) in m.grad(n).chunks_exact(rows * e.cols).enumerate() {
                            let da = &mut da[first + i * step..];
                            affine::grad_rows(rows, e.cols, dz, v.b, v.len, da, v.a.outer);
                        }
                    }
                    let apart = !(t.by_rows && t.rows.is_none() && plan.is_gathered(n, t.table));
                    if apart && let Some((db, m)) = memory.grad(t.table) {
                        let (v, step) = m.affine_term(t, calls);
                        for (i, dz) in m.grad(n).chunks_exact(rows * e.cols).enumerate() {
                            affine::grad_table([rows, e.cols, v.len], dz, v.from(i * step).a, t.by_rows, db);
                        }
                    }
                }
            }
            Op::KindRoutes { one_hot, e: table, mass, heads, .. } => {
                if let Some((de, m)) = memory.grad(*table) {
                    for i in 0..examples {
                        let rows = kind_routes::Rows { one_hot: m.example(*one_hot, i), mass: m.example(*mass, i) };
                        let (kept, dy) = ((m.example(n, i), m.kept_example(n, i)), m.grad_example(n, i));
                        kind_routes::kind_routes_grad(runs, e.cols / heads, *heads, rows, kept, dy, de);
                    }
                }
            }
            Op::Tanh { x } => {
                if let Some((dx, m)) = memory.grad(*x) {
                    let dy = m.grad(n);
                    elementwise::tanh_grad(m.value(n), dy, dx);
                }
            }
            Op::Exp { x } => {
                if let Some((dx, m)) = memory.grad(*x) {
                    let dy = m.grad(n);
                    elementwise::mul_grad(dy, m.value(n), dx);
                }
            }
            Op::LogAbs { x } => {
                if let Some((dx, m)) = memory.grad(*x) {
                    let dy = m.grad(n);
                    elementwise::log_abs_grad(m.value(*x), dy, dx);
                }
            }
            Op::Gelu { x } => {
                if let Some((dx, m)) = memory.grad(*x) {
                    let dy = m.grad(n);
                    elementwise::mul_grad(dy, m.kept(n), dx);
                }
            }
            Op::AddOffsets { x, table, offset } => {
                if let Some((dx, m)) = memory.grad(*x) {
                    let dy = m.grad(n);
                    elementwise::add_grad(dy, dx);
                }
                for i in 0..examples {
                    if let Some((dtable, m)) = memory.grad_example(*table, i) {
                        let dy = m.grad_example(n, i);
                        elementwise::add_offsets_grad(offset.len() / e.rows, offset, dy, dtable);
                    }
                }
            }
            Op::CrossEntropy { x, target, weight } => {
                for i in 0..examples {
                    if let Some((dx, m)) = memory.grad_example(*x, i) {
                        let (target, weight) = (m.example(*target, i), m.example(*weight, i));
                        let (share, dy) = (m.kept_example(n, i), m.grad_example(n, i)[0]);
                        loss::cross_entropy_grad(share.len() / weight.len(), target, weight, share, dy, dx);
                    }
                }
            }
            Op::BinaryCrossEntropy { x, target, weight } => {
                for i in 0..examples {
                    if let Some((dx, m)) = memory.grad_example(*x, i) {
                        let (x, target, weight) = (m.example(*x, i), m.example(*target, i), m.example(*weight, i));
                        loss::binary_cross_entropy_grad(x, target, weight, m.grad_example(n, i)[0], dx);
                    }
                }
            }
            Op::Select { mask, a, b } => {
                for i in 0..examples {
                    for (x, chosen) in [(a, true), (b, false)] {
                        if let Some((dx, m)) = memory.grad_example(*x, i) {
                            recurrent::select_grad(m.example(*mask, i), chosen, m.grad_example(n, i), dx);
                        }
                    }
                }
            }
            Op::LstmCell { gates, state } => {
                for i in 0..examples {
                    let (into, m): (_, Memory<'_, S, 3>) = memory.grads_example([*gates, *state], i);
                    let (kept, dy) = ((m.kept_example(n, i), m.example(*state, i)), m.grad_example(n, i));
                    recurrent::lstm_cell_grad(e.cols / 2, kept, dy, into);
                }
            }
            Op::SquaredError { x, target } => {
                for i in 0..examples {
                    if let Some((dx, m)) = memory.grad_example(*x, i) {
                        let dy = m.grad_example(n, i);
                        loss::squared_error_grad(m.example(*x, i), m.example(*target, i), dy, dx);
                    }
                }
            }
        }
    }
}

/// Adds to a large table's gradient what all the operations that multiply by it contribute.
pub(crate) struct GatherTable<'a, S: Simd> {
    pub memory: Arena<'a, S>,
    pub table: Node,
    /// The operations and their other factors.
    pub products: &'a [(Node, Node)],
    /// How many examples of the batch each node matters for.
    pub needed: &'a [usize],
}

impl<S: Simd> Kernel for GatherTable<'_, S> {
    #[inline(always)]
    fn run(self) {
        let mut memory = self.memory;
        let at = memory.at;
        let [outs, ins] = at.plan.graph.shape(self.table);
        let Some((dw, m)) = memory.grad(self.table) else { return };
        let mut sum = large::Gather::new(dw, outs, ins);
        for &(y, x) in self.products {
            let examples = at.part.count.min(self.needed[y.index()].saturating_sub(at.part.first));
            let rows = examples * at.plan.graph.entry(y).rows;
            sum.push(&m.grad(y)[..rows * outs], &m.value(x)[..rows * ins]);
        }
        sum.finish();
    }
}
