//! Softmax over tokens, and its two halves when attention is between kinds.

use super::EXP_ROWS_OFFSET;
use crate::math::exp;
use crate::simd::{Number, Simd};

/// One row and head: softmax of `x[j] + bias[j]` for `j` in `low..high`, zero elsewhere.
#[inline(always)]
pub fn softmax<S: Simd>(bias: &[S::Elem], (low, high): (usize, usize), x: &[S], y: &mut [S]) {
    let (x, b) = (&x[low..high], &bias[low..high]);
    let mut max = x[0].add(S::splat(b[0]));
    for (v, &b) in x.iter().zip(b).skip(1) {
        max = v.add(S::splat(b)).max(max);
    }
    let mut sum = S::zero();
    for ((v, &b), y) in x.iter().zip(b).zip(&mut y[low..high]) {
        *y = exp(v.add(S::splat(b)).sub(max));
        sum = sum.add(*y);
    }
    let scale = S::of(1.0).div(sum);
    for y in &mut y[low..high] {
        *y = y.mul(scale);
    }
    y[..low].fill(S::zero());
    y[high..].fill(S::zero());
}

/// `dx[j] += y[j] (dy[j] − Σ dy·y)` for one row and head.
#[inline(always)]
pub fn softmax_grad<S: Simd>((low, high): (usize, usize), y: &[S], dy: &[S], dx: &mut [S]) {
    let (y, dy) = (&y[low..high], &dy[low..high]);
    let mut dot = S::zero();
    for (y, dy) in y.iter().zip(dy) {
        dot = y.fma(*dy, dot);
    }
    for ((y, dy), dx) in y.iter().zip(dy).zip(&mut dx[low..high]) {
        *dx = y.fma(dy.sub(dot), *dx);
    }
}

/// `y = exp(x − max + offset)` over each run of `keys` columns.
#[inline(always)]
pub fn exp_rows<S: Simd>(keys: usize, x: &[S], y: &mut [S]) {
    for (x, y) in x.chunks_exact(keys).zip(y.chunks_exact_mut(keys)) {
        let mut max = x[0];
        for v in &x[1..] {
            max = v.max(max);
        }
        let shift = max.sub(S::of(EXP_ROWS_OFFSET));
        for (x, y) in x.iter().zip(y) {
            *y = exp(x.sub(shift));
        }
    }
}

/// `dx += y dy`: the shift is a common factor of the row, which cancels later.
#[inline(always)]
pub fn exp_rows_grad<S: Simd>(y: &[S], dy: &[S], dx: &mut [S]) {
    for ((y, dy), dx) in y.iter().zip(dy).zip(dx) {
        *dx = y.fma(*dy, *dx);
    }
}

/// `y[h,k] = x[h,k] mass[k] / Σ`, and `1/Σ` of each head into `inverse`.
#[inline(always)]
pub fn normalize<S: Simd>(heads: usize, keys: usize, x: &[S], mass: &[S], y: &mut [S], inverse: &mut [S]) {
    let per_row = heads * keys;
    let rows = x.len() / per_row;
    assert!(y.len() == x.len() && inverse.len() == rows * heads && mass.len() == rows * keys);
    for t in 0..rows {
        let mass = &mass[t * keys..][..keys];
        for h in 0..heads {
            let at = t * per_row + h * keys;
            let (x, y) = (&x[at..][..keys], &mut y[at..][..keys]);
            let mut sum = S::zero();
            for k in 0..keys {
                y[k] = x[k].mul(mass[k]);
                sum = sum.add(y[k]);
            }
            // A token that sees nothing (padding) routes nothing.
            let scale = S::of(1.0).div(S::splat(S::Elem::TINY).max(sum));
            inverse[t * heads + h] = scale;
            for y in y {
                *y = y.mul(scale);
            }
        }
    }
}

/// `dx[h,k] += mass[k]/Σ · (dy[h,k] − Σ dy·y)`
#[inline(always)]
pub fn normalize_grad<S: Simd>(
    heads: usize,
    keys: usize,
    mass: &[S],
    (y, inverse): (&[S], &[S]),
    dy: &[S],
    dx: &mut [S],
) {
    let per_row = heads * keys;
    let rows = y.len() / per_row;
    assert!(
        dy.len() == y.len() && dx.len() == y.len() && inverse.len() == rows * heads && mass.len() == rows * keys
    );
    for t in 0..rows {
        let mass = &mass[t * keys..][..keys];
        for h in 0..heads {
            let at = t * per_row + h * keys;
            let (y, dy, dx) = (&y[at..][..keys], &dy[at..][..keys], &mut dx[at..][..keys]);
            let mut dot = S::zero();
            for k in 0..keys {
                dot = y[k].fma(dy[k], dot);
            }
            let scale = inverse[t * heads + h];
            for k in 0..keys {
                dx[k] = mass[k].mul(scale).fma(dy[k].sub(dot), dx[k]);
            }
        }
    }
}
