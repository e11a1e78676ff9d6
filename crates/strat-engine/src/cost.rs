//! How much arithmetic a graph is: additions, multiplications, divisions and square
//! roots that the kernels carry out per learner, a fused multiply-add counting two.

use super::graph::{Graph, Node, Op, Varies};

/// Arithmetic of `exp` in `f32`: reduction, polynomial, scaling.
pub(super) const EXP: usize = 24;
/// Arithmetic of `σ`.
pub(super) const SIGMOID: usize = EXP + 3;
/// Arithmetic of `tanh`.
const TANH: usize = EXP + 5;
/// Arithmetic of `ln`.
const LN: usize = 22;
/// Arithmetic of Φ and its density.
pub(super) const NORMAL: usize = EXP + 28;
/// Arithmetic of one weight's Adam step.
pub(super) const ADAM: usize = 12;

/// Operations of one training step (forward, backward, Adam) on a batch.
pub fn step_flops(graph: &Graph, batch: usize) -> usize {
    let mut total = 0;
    for e in &graph.entries {
        let times = match e.varies {
            Varies::Never | Varies::ByBatch => continue,
            Varies::ByStep => 1,
            Varies::ByExample => batch,
        };
        let (forward, backward) = node_flops(graph, e.rows, e.cols, &e.op);
        total += times * (forward + backward);
        if matches!(e.op, Op::Param { .. }) {
            total += ADAM * e.rows * e.cols;
        }
    }
    total
}

/// Forward and backward of one node for one example.
fn node_flops(g: &Graph, rows: usize, cols: usize, op: &Op) -> (usize, usize) {
    let size = rows * cols;
    // Gradients are computed for operands that depend on parameters.
    let learned = |n: Node| matches!(g.entry(n).varies, Varies::ByStep | Varies::ByExample) as usize;
    let width = |n: Node| g.shape(n)[1];
    match op {
        Op::Linear { x, w } => {
            let f = 2 * size * width(*x);
            (f, f * (learned(*x) + learned(*w)))
        }
        Op::Scores { q, k, heads, reach } => {
            let pairs: usize = reach.iter().map(|r| r.1 - r.0).sum();
            let f = 2 * pairs * heads * (width(*q) / heads);
            (f, f * (learned(*q) + learned(*k)))
        }
        Op::Mix { a, x, reach, .. } => {
            let f = 2 * cols * reach.iter().map(|r| r.1 - r.0).sum::<usize>();
            (f, f * (learned(*a) + learned(*x)))
        }
        Op::WindowScores { q, k } => {
            let f = 2 * size * width(*q);
            (f, f * (learned(*q) + learned(*k)))
        }
        Op::WindowMix { a, x } => {
            let f = 2 * size * width(*a);
            (f, f * (learned(*a) + learned(*x)))
        }
        Op::WindowAttend { q, k, v, bias, .. } => {
            let pairs = bias.reach.iter().map(|r| r.1 - r.0).sum::<usize>();
            let (scores, mixed) = (2 * pairs * width(*q), 2 * pairs * cols);
            let backward = scores * (learned(*q) + learned(*k)) + mixed * (1 + learned(*v)) + 3 * pairs;
            (scores + mixed + pairs * (EXP + 6), backward)
        }
        // What is computed again backwards counts once.
        Op::Ffn { x, w, bias } => {
            let hidden = rows * g.shape(w[0])[0];
            let (first, second) = (2 * hidden * width(*x), 2 * hidden * cols);
            let biases = [hidden, size].iter().zip(bias).map(|(n, b)| n * b.is_some() as usize).sum::<usize>();
            let backward = first * (1 + learned(*x)) + 2 * second + biases + hidden;
            (first + second + biases + hidden * (NORMAL + 3), backward)
        }
        Op::Affine { terms, bias, sigmoid } => {
            let (mut f, mut b) = (size * bias.is_some() as usize, size * bias.is_some() as usize);
            for t in terms {
                let one = 2 * size * width(t.a);
                f += one;
                b += one * (learned(t.a) + learned(t.table));
            }
            let act = *sigmoid as usize;
            (f + act * size * SIGMOID, b + act * size * 3)
        }
        Op::KindRoutes { reach, .. } => {
            let products: usize = reach.iter().map(|r| 2 * (r.1 - r.0) * cols).sum();
            (products + 3 * size, products + 5 * size)
        }
        Op::Add { a, b } => (size, size * (learned(*a) + learned(*b))),
        Op::Mul { a, b } => (size, 2 * size * (learned(*a) + learned(*b))),
        Op::Scale { .. } => (size, 2 * size),
        Op::LayerNorm { .. } => (6 * size, 9 * size),
        Op::ScaledNorm { .. } => (8 * size, 13 * size),
        Op::Sigmoid { .. } => (size * SIGMOID, 4 * size),
        Op::Softmax { heads, bias, .. } => {
            let pairs = heads * bias.reach.iter().map(|r| r.1 - r.0).sum::<usize>();
            (pairs * (EXP + 5), 5 * pairs)
        }
        Op::SumRows { x, .. } => {
            let f = 2 * g.shape(*x)[0] * cols;
            (f, f)
        }
        Op::ExpRows { .. } => (size * (EXP + 2), 2 * size),
        Op::Normalize { .. } => (3 * size, 6 * size),
        Op::SquaredError { .. } => (2, 4),
        Op::Tanh { .. } => (size * TANH, 3 * size),
        Op::Exp { .. } => (size * EXP, 2 * size),
        Op::LogAbs { .. } => (size * (LN + 1), 4 * size),
        Op::Gelu { .. } => (size * (NORMAL + 3), 2 * size),
        Op::AddOffsets { .. } => (size, 2 * size),
        Op::CrossEntropy { x, .. } => {
            let size = g.shape(*x)[0] * width(*x);
            (size * (EXP + 6), 3 * size)
        }
        Op::BinaryCrossEntropy { x, .. } => {
            let rows = g.shape(*x)[0];
            (rows * (EXP + LN + 6), rows * (SIGMOID + 4))
        }
        Op::Select { .. } => (0, 2 * size),
        // Three sigmoids, two tanh, four products and sums; `size` is twice the width.
        Op::LstmCell { .. } => (size / 2 * (3 * SIGMOID + 2 * TANH + 4), size / 2 * 30),
        Op::Place { .. } | Op::Take { .. } | Op::Concat { .. } | Op::Columns { .. } => (0, size),
        Op::SplitHeads { x, .. } => (0, g.shape(*x)[0] * cols),
        Op::Param { .. } | Op::Input { .. } | Op::Constant { .. } | Op::OneHot { .. } | Op::Mass { .. } => (0, 0),
    }
}
