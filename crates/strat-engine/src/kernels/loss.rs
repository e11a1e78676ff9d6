//! Losses: one number from all rows of an example.

use crate::math::{self, abs, exp};
use crate::simd::Simd;

/// `y = (x − target)²`
#[inline(always)]
pub fn squared_error<S: Simd>(x: &[S], target: &[S], y: &mut [S]) {
    for ((y, x), t) in y.iter_mut().zip(x).zip(target) {
        let e = x.sub(*t);
        *y = e.mul(e);
    }
}

/// `dx += 2 (x − target) dy`
#[inline(always)]
pub fn squared_error_grad<S: Simd>(x: &[S], target: &[S], dy: &[S], dx: &mut [S]) {
    for (((dx, x), t), dy) in dx.iter_mut().zip(x).zip(target).zip(dy) {
        let e = x.sub(*t);
        *dx = e.add(e).fma(*dy, *dx);
    }
}

/// `Σₜ weight[t] (ln Σ exp x[t] − target[t]·x[t])`; the softmax of each row goes into `share`.
#[inline(always)]
pub fn cross_entropy<S: Simd>(cols: usize, x: &[S], target: &[S], weight: &[S], share: &mut [S]) -> S {
    let rows = x.chunks_exact(cols).zip(target.chunks_exact(cols)).zip(share.chunks_exact_mut(cols)).zip(weight);
    let mut total = S::zero();
    for (((x, target), share), weight) in rows {
        let mut max = x[0];
        for x in &x[1..] {
            max = x.max(max);
        }
        let (mut sum, mut chosen) = (S::zero(), S::zero());
        for ((x, t), p) in x.iter().zip(target).zip(&mut *share) {
            *p = exp(x.sub(max));
            sum = sum.add(*p);
            chosen = t.fma(x.sub(max), chosen);
        }
        let inverse = S::of(1.0).div(sum);
        for p in share {
            *p = p.mul(inverse);
        }
        total = math::ln(sum).sub(chosen).fma(*weight, total);
    }
    total
}

/// `dx[t] += weight[t] (share[t] − target[t]) dy`
#[inline(always)]
pub fn cross_entropy_grad<S: Simd>(cols: usize, target: &[S], weight: &[S], share: &[S], dy: S, dx: &mut [S]) {
    let rows = dx.chunks_exact_mut(cols).zip(target.chunks_exact(cols)).zip(share.chunks_exact(cols)).zip(weight);
    for (((dx, target), share), weight) in rows {
        let scale = weight.mul(dy);
        for ((dx, t), p) in dx.iter_mut().zip(target).zip(share) {
            *dx = p.sub(*t).fma(scale, *dx);
        }
    }
}

/// `Σₜ weight[t] (ln(1 + exp x[t]) − target[t] x[t])`
#[inline(always)]
pub fn binary_cross_entropy<S: Simd>(x: &[S], target: &[S], weight: &[S]) -> S {
    let mut total = S::zero();
    for ((x, t), weight) in x.iter().zip(target).zip(weight) {
        // ln(1 + eˣ) = max(x, 0) + ln(1 + e^−|x|), which cannot overflow
        let tail = math::ln(S::of(1.0).add(exp(S::zero().sub(abs(*x)))));
        let loss = t.nfma(*x, S::zero().max(*x).add(tail));
        total = loss.fma(*weight, total);
    }
    total
}

/// `dx[t] += weight[t] (σ(x[t]) − target[t]) dy`
#[inline(always)]
pub fn binary_cross_entropy_grad<S: Simd>(x: &[S], target: &[S], weight: &[S], dy: S, dx: &mut [S]) {
    for (((dx, x), t), weight) in dx.iter_mut().zip(x).zip(target).zip(weight) {
        *dx = math::sigmoid(*x).sub(*t).fma(weight.mul(dy), *dx);
    }
}
