//! Routes applied to rows (`Mix`) and query–key products (`Scores`).

use super::contract::{View, contract};
use crate::graph::Rows;
use crate::simd::Simd;

/// Sizes of an attention-like operation for one example.
#[derive(Clone, Copy)]
pub struct Dims {
    /// Keys.
    pub keys: usize,
    /// Columns of the mixed rows (or of queries and keys).
    pub cols: usize,
    /// Heads that the columns are split into.
    pub heads: usize,
}

/// Rows with the same reach, evenly spaced: one call each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The rows.
    pub rows: Rows,
    /// The first key within reach.
    pub low: usize,
    /// One past the last.
    pub high: usize,
}

/// `reach` as few runs, each row in exactly one.
///
/// Evenly spaced rows of the same reach go together as they are. Where that leaves most
/// rows alone (a causal mask), neighbours share the union of their reach: what lies
/// outside a row's own reach is zero in every operand, and four rows at a time cost less
/// than one by one.
pub fn runs(reach: &[(usize, usize)]) -> Vec<Run> {
    let mut runs: Vec<Run> = vec![];
    for (t, &(low, high)) in reach.iter().enumerate() {
        match runs.iter_mut().find(|r| (r.low, r.high) == (low, high)) {
            Some(r) if r.rows.count == 1 => {
                r.rows.step = t - r.rows.start;
                r.rows.count = 2;
            }
            Some(r) if t == r.rows.start + r.rows.step * r.rows.count => r.rows.count += 1,
            _ => runs.push(Run { rows: Rows { start: t, step: 1, count: 1 }, low, high }),
        }
    }
    let blocks = reach.len().div_ceil(4);
    if runs.len() <= blocks {
        return runs;
    }
    let block = |b: usize| {
        let rows = 4 * b..reach.len().min(4 * b + 4);
        let (low, high) = reach[rows.clone()].iter().fold((usize::MAX, 0), |u, r| (u.0.min(r.0), u.1.max(r.1)));
        Run { rows: Rows { start: rows.start, step: 1, count: rows.len() }, low, high }
    };
    (0..blocks).map(block).collect()
}

/// `y[t,c] = Σₖ a[t, h(c)·K + k] x[k,c]` over the keys within reach, added to `y` if `accumulate`.
#[inline(always)]
pub fn mix<S: Simd>(d: Dims, runs: &[Run], a: &[S], x: &[S], y: &mut [S], accumulate: bool) {
    let (width, a_cols) = (d.cols / d.heads, d.heads * d.keys);
    for h in 0..d.heads {
        for &Run { rows: Rows { start: t, step, count }, low, high } in runs {
            let a = View::rows(&a[t * a_cols + h * d.keys + low..], step * a_cols);
            let x = View::rows(&x[low * d.cols + h * width..], d.cols).t();
            let y = &mut y[t * d.cols + h * width..];
            contract([count, width, high - low], a, x, y, step * d.cols, accumulate);
        }
    }
}

/// `da[t,k] += Σ_c dy[t,c] x[k,c]`
#[inline(always)]
pub fn mix_grad_a<S: Simd>(d: Dims, runs: &[Run], dy: &[S], x: &[S], da: &mut [S]) {
    let (width, a_cols) = (d.cols / d.heads, d.heads * d.keys);
    for h in 0..d.heads {
        for &Run { rows: Rows { start: t, step, count }, low, high } in runs {
            let dy = View::rows(&dy[t * d.cols + h * width..], step * d.cols);
            let x = View::rows(&x[low * d.cols + h * width..], d.cols);
            let da = &mut da[t * a_cols + h * d.keys + low..];
            contract([count, high - low, width], dy, x, da, step * a_cols, true);
        }
    }
}

/// `dx[k,c] += Σₜ a[t,k] dy[t,c]`
#[inline(always)]
pub fn mix_grad_x<S: Simd>(d: Dims, runs: &[Run], a: &[S], dy: &[S], dx: &mut [S]) {
    let (width, a_cols) = (d.cols / d.heads, d.heads * d.keys);
    for h in 0..d.heads {
        for &Run { rows: Rows { start: t, step, count }, low, high } in runs {
            let a = View::rows(&a[t * a_cols + h * d.keys + low..], step * a_cols).t();
            let dy = View::rows(&dy[t * d.cols + h * width..], step * d.cols).t();
            let dx = &mut dx[low * d.cols + h * width..];
            contract([high - low, width, count], a, dy, dx, d.cols, true);
        }
    }
}

/// `s[t, h·K + k] = Σ_{c in h} q[t,c] k[k,c]` for keys within reach; the rest is left alone.
#[inline(always)]
pub fn scores<S: Simd>(d: Dims, runs: &[Run], q: &[S], k: &[S], s: &mut [S]) {
    let (width, s_cols) = (d.cols / d.heads, d.heads * d.keys);
    for h in 0..d.heads {
        for &Run { rows: Rows { start: t, step, count }, low, high } in runs {
            let q = View::rows(&q[t * d.cols + h * width..], step * d.cols);
            let k = View::rows(&k[low * d.cols + h * width..], d.cols);
            let s = &mut s[t * s_cols + h * d.keys + low..];
            contract([count, high - low, width], q, k, s, step * s_cols, false);
        }
    }
}
