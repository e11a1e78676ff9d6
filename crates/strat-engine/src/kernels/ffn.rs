//! `y = W₂ GELU(W₁ x + b₁) + b₂`, a few rows at a time: what is between the two maps stays in the first-level cache. It is
//! computed again backwards, since that of a long example fits no cache.

use super::affine::{Term, affine, grad_bias, grad_rows, grad_table};
use super::contract::{View, contract};
use super::elementwise::{gelu_in_place, mul_in_place};
use crate::simd::Simd;

/// The most columns between the two maps.
pub const MOST_HIDDEN: usize = 64;
/// Rows that are worked on at a time.
const BLOCK: usize = 8;

/// Columns of `x`, between the maps, and of `y`.
pub type Widths = [usize; 3];

/// `z = W₁ x + b₁` as `GELU(z)`, with its slope, for some rows.
#[inline(always)]
fn hidden<S: Simd>(
    [ins, hidden, _]: Widths,
    (x, w, bias): (&[S], &[S], Option<&[S]>),
    value: &mut [S],
    slope: &mut [S],
) {
    let term = Term { a: View::rows(x, ins), b: View::rows(w, ins), len: ins };
    affine(x.len() / ins, hidden, &[term], bias, false, value);
    gelu_in_place(value, slope);
}

/// Forward.
#[inline(always)]
pub fn ffn<S: Simd>(widths: Widths, x: &[S], w: [&[S]; 2], bias: [Option<&[S]>; 2], y: &mut [S]) {
    let [ins, wide, outs] = widths;
    let (mut value, mut slope) = ([S::zero(); BLOCK * MOST_HIDDEN], [S::zero(); BLOCK * MOST_HIDDEN]);
    for (x, y) in x.chunks(BLOCK * ins).zip(y.chunks_mut(BLOCK * outs)) {
        let rows = x.len() / ins;
        hidden(widths, (x, w[0], bias[0]), &mut value[..rows * wide], &mut slope[..rows * wide]);
        let term = Term { a: View::rows(&value[..rows * wide], wide), b: View::rows(w[1], wide), len: wide };
        affine(rows, outs, &[term], bias[1], false, y);
    }
}

/// Backward: adds to the gradients of `x`, the two tables and the two biases, where there are such.
#[inline(always)]
pub fn ffn_grad<S: Simd>(
    widths: Widths,
    x: &[S],
    w: [&[S]; 2],
    bias: Option<&[S]>,
    dy: &[S],
    [mut dx, mut dw1, mut dw2, mut db1, mut db2]: [Option<&mut [S]>; 5],
) {
    let [ins, wide, outs] = widths;
    let (mut value, mut slope) = ([S::zero(); BLOCK * MOST_HIDDEN], [S::zero(); BLOCK * MOST_HIDDEN]);
    for (i, (x, dy)) in x.chunks(BLOCK * ins).zip(dy.chunks(BLOCK * outs)).enumerate() {
        let rows = x.len() / ins;
        let (value, slope) = (&mut value[..rows * wide], &mut slope[..rows * wide]);
        hidden(widths, (x, w[0], bias), value, slope);
        if let Some(dw) = &mut dw2 {
            grad_table([rows, outs, wide], dy, View::rows(value, wide), true, dw);
        }
        if let Some(db) = &mut db2 {
            grad_bias(dy, db);
        }
        contract([rows, wide, outs], View::rows(dy, outs), View::rows(w[1], wide).t(), value, wide, false);
        mul_in_place(slope, value);
        if let Some(dw) = &mut dw1 {
            grad_table([rows, wide, ins], value, View::rows(x, ins), true, dw);
        }
        if let Some(db) = &mut db1 {
            grad_bias(value, db);
        }
        if let Some(dx) = &mut dx {
            let dx = &mut dx[i * BLOCK * ins..][..x.len()];
            grad_rows(rows, wide, value, View::rows(w[0], ins), ins, dx, ins);
        }
    }
}
