//! Routes applied to rows (`Mix`) and query–key products (`Scores`).

use super::contract::{View, contract};
use crate::engine::simd::Simd;

/// Sizes of an attention-like operation for one example.
#[derive(Clone, Copy)]
pub struct Dims {
    /// Queries.
    pub rows: usize,
    /// Keys.
    pub keys: usize,
    /// Columns of the mixed rows (or of queries and keys).
    pub cols: usize,
    /// Heads that the columns are split into.
    pub heads: usize,
}

/// Rows whose reach is the same, as `(first, count, low, high)`: one call each.
#[inline(always)]
fn runs(reach: &[(usize, usize)]) -> impl Iterator<Item = (usize, usize, usize, usize)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let &(low, high) = reach.get(at)?;
        let first = at;
        while at < reach.len() && reach[at] == (low, high) {
            at += 1;
        }
        Some((first, at - first, low, high))
    })
}

/// `y[t,c] = Σₖ a[t, h(c)·K + k] x[k,c]` over `k` in `reach[t]`, added to `y` if `accumulate`.
#[inline(always)]
pub fn mix<S: Simd>(d: Dims, reach: &[(usize, usize)], a: &[S], x: &[S], y: &mut [S], accumulate: bool) {
    let (width, a_cols) = (d.cols / d.heads, d.heads * d.keys);
    for h in 0..d.heads {
        for (t, count, low, high) in runs(reach) {
            let a = View::rows(&a[t * a_cols + h * d.keys + low..], a_cols);
            let x = View::rows(&x[low * d.cols + h * width..], d.cols).t();
            let y = &mut y[t * d.cols + h * width..];
            contract([count, width, high - low], a, x, y, d.cols, accumulate);
        }
    }
}

/// `da[t,k] += Σ_c dy[t,c] x[k,c]`
#[inline(always)]
pub fn mix_grad_a<S: Simd>(d: Dims, reach: &[(usize, usize)], dy: &[S], x: &[S], da: &mut [S]) {
    let (width, a_cols) = (d.cols / d.heads, d.heads * d.keys);
    for h in 0..d.heads {
        for (t, count, low, high) in runs(reach) {
            let dy = View::rows(&dy[t * d.cols + h * width..], d.cols);
            let x = View::rows(&x[low * d.cols + h * width..], d.cols);
            let da = &mut da[t * a_cols + h * d.keys + low..];
            contract([count, high - low, width], dy, x, da, a_cols, true);
        }
    }
}

/// `dx[k,c] += Σₜ a[t,k] dy[t,c]`
#[inline(always)]
pub fn mix_grad_x<S: Simd>(d: Dims, reach: &[(usize, usize)], a: &[S], dy: &[S], dx: &mut [S]) {
    let (width, a_cols) = (d.cols / d.heads, d.heads * d.keys);
    for h in 0..d.heads {
        for (t, count, low, high) in runs(reach) {
            let a = View::rows(&a[t * a_cols + h * d.keys + low..], a_cols).t();
            let dy = View::rows(&dy[t * d.cols + h * width..], d.cols).t();
            let dx = &mut dx[low * d.cols + h * width..];
            contract([high - low, width, count], a, dy, dx, d.cols, true);
        }
    }
}

/// `s[t, h·K + k] = Σ_{c in h} q[t,c] k[k,c]` for `k` in `reach[t]`; the rest is left alone.
#[inline(always)]
pub fn scores<S: Simd>(d: Dims, reach: &[(usize, usize)], q: &[S], k: &[S], s: &mut [S]) {
    let (width, s_cols) = (d.cols / d.heads, d.heads * d.keys);
    for h in 0..d.heads {
        for (t, count, low, high) in runs(reach) {
            let q = View::rows(&q[t * d.cols + h * width..], d.cols);
            let k = View::rows(&k[low * d.cols + h * width..], d.cols);
            let s = &mut s[t * s_cols + h * d.keys + low..];
            contract([count, high - low, width], q, k, s, s_cols, false);
        }
    }
}
