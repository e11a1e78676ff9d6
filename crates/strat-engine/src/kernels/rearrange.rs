//! Moving rows and columns, summing rows, and what is made from token kinds.

use crate::graph::{Bias, Rows};
use crate::simd::{Kernel, Number, Simd};

/// Sets everything to zero.
pub struct Clear<'a, S>(pub &'a mut [S]);

impl<S: Simd> Kernel for Clear<'_, S> {
    #[inline(always)]
    fn run(self) {
        self.0.fill(S::zero());
    }
}

/// `y[c] = Σₜ weight[t] x[t,c]`, one example.
#[inline(always)]
pub fn sum_rows<S: Simd>(x: &[S], weight: &[S], y: &mut [S]) {
    let cols = y.len();
    for (c, y) in (0..cols).step_by(4).zip(y.chunks_mut(4)) {
        match y.len() {
            4 => sum_columns::<S, 4>(x, cols, c, weight, y),
            3 => sum_columns::<S, 3>(x, cols, c, weight, y),
            2 => sum_columns::<S, 2>(x, cols, c, weight, y),
            _ => sum_columns::<S, 1>(x, cols, c, weight, y),
        }
    }
}

/// `N` columns from `start` on.
#[inline(always)]
fn sum_columns<S: Simd, const N: usize>(x: &[S], cols: usize, start: usize, weight: &[S], y: &mut [S]) {
    let mut sum = [S::zero(); N];
    for (x, weight) in x.chunks_exact(cols).zip(weight) {
        let x = &x[start..start + N];
        for c in 0..N {
            sum[c] = weight.fma(x[c], sum[c]);
        }
    }
    y.copy_from_slice(&sum);
}

/// `dx[t,c] += weight[t] dy[c]`
#[inline(always)]
pub fn sum_rows_grad<S: Simd>(weight: &[S], dy: &[S], dx: &mut [S]) {
    for (dx, w) in dx.chunks_exact_mut(dy.len()).zip(weight) {
        for (dx, dy) in dx.iter_mut().zip(dy) {
            *dx = dy.fma(*w, *dx);
        }
    }
}

/// Copies (or with `add` adds) `len` columns of each row of `from` to those of `to`.
#[inline(always)]
pub fn columns<S: Simd>(
    (from, from_cols, from_start): (&[S], usize, usize),
    (to, to_cols, to_start): (&mut [S], usize, usize),
    len: usize,
    add: bool,
) {
    for (from, to) in from.chunks_exact(from_cols).zip(to.chunks_exact_mut(to_cols)) {
        for (from, to) in from[from_start..from_start + len].iter().zip(&mut to[to_start..to_start + len]) {
            *to = if add { to.add(*from) } else { *from };
        }
    }
}

/// The chosen rows of one example.
#[inline(always)]
pub fn take<S: Simd>(rows: Rows, cols: usize, x: &[S], y: &mut [S]) {
    for (t, y) in rows.iter().zip(y.chunks_exact_mut(cols)) {
        y.copy_from_slice(&x[t * cols..][..cols]);
    }
}

/// `dx[rows] += dy`
#[inline(always)]
pub fn take_grad<S: Simd>(rows: Rows, cols: usize, dy: &[S], dx: &mut [S]) {
    for (t, dy) in rows.iter().zip(dy.chunks_exact(cols)) {
        for (dx, dy) in dx[t * cols..][..cols].iter_mut().zip(dy) {
            *dx = dx.add(*dy);
        }
    }
}

/// One example's rows into a zero matrix.
#[inline(always)]
pub fn place<S: Simd>(rows: Rows, cols: usize, x: &[S], y: &mut [S]) {
    y.fill(S::zero());
    for (t, x) in rows.iter().zip(x.chunks_exact(cols)) {
        y[t * cols..][..cols].copy_from_slice(x);
    }
}

/// `dx += dy[rows]`
#[inline(always)]
pub fn place_grad<S: Simd>(rows: Rows, cols: usize, dy: &[S], dx: &mut [S]) {
    for (t, dx) in rows.iter().zip(dx.chunks_exact_mut(cols)) {
        for (dx, dy) in dx.iter_mut().zip(&dy[t * cols..][..cols]) {
            *dx = dx.add(*dy);
        }
    }
}

/// `y[t,k] = 1 if index[t] = k + 1 else 0`
#[inline(always)]
pub fn one_hot<S: Simd>(kinds: usize, index: &[S], y: &mut [S]) {
    for (i, y) in index.iter().zip(y.chunks_exact_mut(kinds)) {
        for (k, y) in y.iter_mut().enumerate() {
            *y = i.equals(S::of((k + 1) as f64));
        }
    }
}

/// `y[t,k] = Σⱼ weight[t,j] one_hot[j,k]` for one example; `weight` is `exp(bias)`.
#[inline(always)]
pub fn mass<S: Simd>(bias: &Bias, weight: &[S::Elem], kinds: usize, one_hot: &[S], y: &mut [S]) {
    for (t, y) in y.chunks_exact_mut(kinds).enumerate() {
        y.fill(S::zero());
        let (low, high) = bias.reach[t];
        for j in low..high {
            let w = S::splat(weight[t * bias.cols + j]);
            for (y, o) in y.iter_mut().zip(&one_hot[j * kinds..]) {
                *y = w.fma(*o, *y);
            }
        }
    }
}

/// `exp` of every bias, for [`mass`].
pub fn mass_weights<E: Number>(bias: &Bias) -> Vec<E> {
    bias.data.iter().map(|&b| E::of(libm::exp(b))).collect()
}

/// Row `h·K + k` keeps head `h`'s columns of row `k` (or, backward, adds them up).
#[inline(always)]
pub fn split_heads<S: Simd>(heads: usize, cols: usize, x: &[S], y: &mut [S]) {
    let (keys, width) = (x.len() / cols, cols / heads);
    for (hk, y) in y.chunks_exact_mut(cols).enumerate() {
        let (h, k) = (hk / keys, hk % keys);
        y.fill(S::zero());
        y[h * width..][..width].copy_from_slice(&x[k * cols + h * width..][..width]);
    }
}

/// `dx[k] += Σₕ` of head `h`'s columns of `dy[h·K + k]`
#[inline(always)]
pub fn split_heads_grad<S: Simd>(heads: usize, cols: usize, dy: &[S], dx: &mut [S]) {
    let (keys, width) = (dx.len() / cols, cols / heads);
    for (hk, dy) in dy.chunks_exact(cols).enumerate() {
        let (h, k) = (hk / keys, hk % keys);
        let dx = &mut dx[k * cols + h * width..][..width];
        for (dx, dy) in dx.iter_mut().zip(&dy[h * width..]) {
            *dx = dx.add(*dy);
        }
    }
}
