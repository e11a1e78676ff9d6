//! LayerNorm row by row, without scale and shift and with them.

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

/// `y = γ (x − mean) / √(variance + ε) + β`; the mean and the reciprocal of the root of each row go into `kept`.
#[inline(always)]
pub fn scaled_norm<S: Simd>(x: &[S], [scale, shift]: [&[S]; 2], y: &mut [S], kept: &mut [S]) {
    let cols = scale.len();
    let share = S::of(1.0 / cols as f64);
    for ((x, y), kept) in x.chunks_exact(cols).zip(y.chunks_exact_mut(cols)).zip(kept.chunks_exact_mut(2)) {
        let mut sum = S::zero();
        for x in x {
            sum = sum.add(*x);
        }
        let mean = sum.mul(share);
        let mut squares = S::zero();
        for x in x {
            let apart = x.sub(mean);
            squares = apart.fma(apart, squares);
        }
        let variance = squares.fma(share, S::of(LAYER_NORM_EPSILON));
        let inverse = S::of(1.0).div(variance.sqrt());
        (kept[0], kept[1]) = (mean, inverse);
        for ((y, x), (scale, shift)) in y.iter_mut().zip(x).zip(scale.iter().zip(shift)) {
            *y = x.sub(mean).mul(inverse).mul(*scale).add(*shift);
        }
    }
}

/// The same backwards: adds to the gradients of `x`, `γ` and `β`, where there are such.
#[inline(always)]
pub fn scaled_norm_grad<S: Simd>(
    x: &[S],
    scale: &[S],
    kept: &[S],
    dy: &[S],
    [mut dx, mut dscale, mut dshift]: [Option<&mut [S]>; 3],
) {
    let cols = scale.len();
    let share = S::of(1.0 / cols as f64);
    let rows = x.chunks_exact(cols).zip(dy.chunks_exact(cols)).zip(kept.chunks_exact(2));
    for (i, ((x, dy), kept)) in rows.enumerate() {
        let (mean, inverse) = (kept[0], kept[1]);
        if let Some(dscale) = &mut dscale {
            for ((dscale, x), dy) in dscale.iter_mut().zip(x).zip(dy) {
                *dscale = dy.fma(x.sub(mean).mul(inverse), *dscale);
            }
        }
        if let Some(dshift) = &mut dshift {
            for (dshift, dy) in dshift.iter_mut().zip(dy) {
                *dshift = dshift.add(*dy);
            }
        }
        let Some(dx) = &mut dx else { continue };
        let (mut sum, mut dot) = (S::zero(), S::zero());
        for ((x, dy), scale) in x.iter().zip(dy).zip(scale) {
            let dy = dy.mul(*scale);
            sum = sum.add(dy);
            dot = x.sub(mean).mul(inverse).fma(dy, dot);
        }
        let (middle, along) = (sum.mul(share), dot.mul(share));
        let dx = &mut dx[i * cols..][..cols];
        for (((x, dy), scale), dx) in x.iter().zip(dy).zip(scale).zip(dx) {
            let y = x.sub(mean).mul(inverse);
            *dx = y.nfma(along, dy.mul(*scale).sub(middle)).fma(inverse, *dx);
        }
    }
}
