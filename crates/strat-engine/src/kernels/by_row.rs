//! What is done to rows on lanes beside products: each row needs no other.

use super::{elementwise, layer_norm, loss, rearrange};
use crate::simd::{Kernel, Simd};

/// Some rows of a step, forward or backward. A gradient comes with whether something is there already.
pub enum ByRow<'a, S> {
    /// LayerNorm of so many columns: operand, result, and what is kept.
    Norm(usize, &'a [S], &'a mut [S], &'a mut [S]),
    /// Result, what was kept, the result's gradient, and the operand's.
    NormGrad(usize, [&'a [S]; 3], &'a mut [S], bool),
    /// `y = a + b`
    Add([&'a [S]; 2], &'a mut [S]),
    /// `y = a ⊙ b`
    Mul([&'a [S]; 2], &'a mut [S]),
    /// `dx += dy`
    PassOn(&'a [S], &'a mut [S], bool),
    /// `dx += dy ⊙ other`
    MulGrad([&'a [S]; 2], &'a mut [S], bool),
    /// All columns to some, which start there: the first with so many columns, the other with so many.
    Columns((&'a [S], usize), (&'a mut [S], usize), usize),
    /// Back: some columns, which start there, of the first are added to all of the other.
    ColumnsGrad((&'a [S], usize), (&'a mut [S], usize), usize, bool),
    /// Of [`CrossEntropy`] of so many columns: target, weight and what was kept, the loss's gradient, and the operand's.
    CrossEntropyGrad(usize, [&'a [S]; 3], S, &'a mut [S], bool),
}

impl<S: Simd> Kernel for ByRow<'_, S> {
    #[inline(always)]
    fn run(self) {
        match self {
            ByRow::Norm(cols, x, y, kept) => layer_norm::layer_norm(cols, x, y, kept),
            ByRow::NormGrad(cols, [y, kept, dy], dx, there) => {
                if !there {
                    dx.fill(S::zero());
                }
                layer_norm::layer_norm_grad(cols, y, kept, dy, dx);
            }
            ByRow::Add([a, b], y) => elementwise::add(a, b, y),
            ByRow::Mul([a, b], y) | ByRow::MulGrad([a, b], y, false) => elementwise::mul(a, b, y),
            ByRow::PassOn(dy, dx, false) => dx.copy_from_slice(dy),
            ByRow::PassOn(dy, dx, true) => elementwise::add_grad(dy, dx),
            ByRow::MulGrad([dy, other], dx, true) => elementwise::mul_grad(dy, other, dx),
            ByRow::Columns((x, cols), (y, all), start) => {
                rearrange::columns((x, cols, 0), (y, all, start), cols, false);
            }
            ByRow::ColumnsGrad((dy, all), (dx, cols), start, there) => {
                if !there {
                    dx.fill(S::zero());
                }
                rearrange::columns((dy, all, start), (dx, cols, 0), cols, true);
            }
            ByRow::CrossEntropyGrad(cols, [target, weight, kept], dy, dx, there) => {
                if !there {
                    dx.fill(S::zero());
                }
                loss::cross_entropy_grad(cols, target, weight, kept, dy, dx);
            }
        }
    }
}

/// The loss of all rows, added to `sum`.
pub struct CrossEntropy<'a, S> {
    /// Columns of `x`.
    pub cols: usize,
    /// `[rows, cols]`
    pub x: &'a [S],
    /// Shares of the columns.
    pub target: &'a [S],
    /// Of each row.
    pub weight: &'a [S],
    /// For backward.
    pub kept: &'a mut [S],
    /// What is added to.
    pub sum: &'a mut S,
}

impl<S: Simd> Kernel for CrossEntropy<'_, S> {
    #[inline(always)]
    fn run(self) {
        let CrossEntropy { cols, x, target, weight, kept, sum } = self;
        let total = loss::cross_entropy(cols, x, target, weight, kept);
        *sum = sum.add(total);
    }
}
