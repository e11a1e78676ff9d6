//! How much arithmetic the steps are, counted as in [`cost`](crate::cost).

use super::lower::{Lowered, Mat, Step};
use crate::cost::{ADAM, EXP, NORMAL, SIGMOID};
use crate::kernels::dense::Act;

/// Operations of one training step (forward, backward, Adam) on a batch. Idle lanes do not count.
pub(super) fn step_flops(l: &Lowered, distinct: &[usize], examples: usize) -> usize {
    let rows: usize = l.steps.iter().map(|s| row_flops(l, distinct, s)).sum();
    let tables: usize = l.steps.iter().map(|s| table_flops(l, s)).sum();
    let weights: usize = l.tables.iter().map(|t| t.len).sum();
    examples * l.tokens * rows + tables + ADAM * weights
}

/// Forward and backward of one row.
fn row_flops(l: &Lowered, distinct: &[usize], step: &Step) -> usize {
    let cols = |m: Mat| l.mats[m.0].cols;
    let learned = |m: Mat| usize::from(!l.mats[m.0].by_batch);
    match step {
        Step::Norm { x, .. } => 15 * cols(*x),
        Step::Dense(d) => {
            let (outs, ins) = (cols(d.y), if d.norm.is_some() { distinct[d.x.0] } else { cols(d.x) });
            let sums = usize::from(d.bias.is_some() || d.norm.is_some());
            let act = match d.act {
                Act::None => 0,
                Act::Sigmoid => SIGMOID + 3,
                Act::Gelu => NORMAL + 3 + 1,
            };
            let times = 4 * usize::from(d.times.is_some());
            2 * outs * ins * (2 + learned(d.x))
                + outs * (2 * sums + 2 * usize::from(d.residual.is_some()) + act + times)
        }
        // Scores and routed rows, forward and for both operands backward; softmax.
        Step::Attend { q, v, heads, .. } => l.tokens * (6 * (cols(*q) + cols(*v)) + heads * (EXP + 5 + 3)),
        Step::Add { a, b, .. } => cols(*a) * (1 + learned(*a) + learned(*b)),
        Step::Mul { a, b, .. } => cols(*a) * (1 + 2 * (learned(*a) + learned(*b))),
        Step::Concat { parts, .. } => parts.iter().map(|p| cols(*p) * learned(*p)).sum(),
        Step::CrossEntropy { x, .. } => cols(*x) * (EXP + 6 + 3),
    }
}

/// What a LayerNorm's scale and shift cost in the tables they are folded into.
fn table_flops(l: &Lowered, step: &Step) -> usize {
    match step {
        Step::Dense(d) if d.norm.is_some() => 12 * l.tables[d.w.0].len,
        _ => 0,
    }
}
