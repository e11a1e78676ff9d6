//! LayerNorm without scale and shift, row by row.

use super::LAYER_NORM_EPSILON;
use crate::simd::Simd;

/// `y = (x − mean) / √(variance + ε)`; the reciprocal of the root goes into `inverse`.
#[inline(always)]
pub fn layer_norm<S: Simd>(cols: usize, x: &[S], y: &mut [S], inverse: &mut [S]) {
    let share = S::of(1.0 / cols as f64);
    for ((x, y), inverse) in x.chunks_exact(cols).zip(y.chunks_exact_mut(cols)).zip(inverse) {
        let mut sum = S::zero();
        for x in x {
            sum = sum.add(*x);
        }
        let mean = sum.mul(share);
        let mut squares = S::zero();
        for (x, y) in x.iter().zip(&mut *y) {
            *y = x.sub(mean);
            squares = y.fma(*y, squares);
        }
        let variance = squares.fma(share, S::of(LAYER_NORM_EPSILON));
        *inverse = S::of(1.0).div(variance.sqrt());
        for y in y {
            *y = y.mul(*inverse);
        }
    }
}

/// `dx += inverse · (dy − mean(dy) − y · mean(dy · y))`
#[inline(always)]
pub fn layer_norm_grad<S: Simd>(cols: usize, y: &[S], inverse: &[S], dy: &[S], dx: &mut [S]) {
    let share = S::of(1.0 / cols as f64);
    let rows = y.chunks_exact(cols).zip(dy.chunks_exact(cols)).zip(dx.chunks_exact_mut(cols)).zip(inverse);
    for (((y, dy), dx), inverse) in rows {
        let (mut sum, mut dot) = (S::zero(), S::zero());
        for (y, dy) in y.iter().zip(dy) {
            sum = sum.add(*dy);
            dot = y.fma(*dy, dot);
        }
        let (mean, along) = (sum.mul(share), dot.mul(share));
        for ((y, dy), dx) in y.iter().zip(dy).zip(dx) {
            *dx = y.nfma(along, dy.sub(mean)).fma(*inverse, *dx);
        }
    }
}
