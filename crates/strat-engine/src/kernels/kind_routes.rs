//! Routes of tokens over few kinds, in one go: the row of a table of exponentials that
//! the token's kind names, times what the token can see of each kind, normalized.
//!
//! `y[t, h·K + k] = w / Σ w` with `w[t, h·K + k] = (Σⱼ one_hot[t,j] e[j, h·K + k]) mass[t,k]`

use super::mix::Run;
use crate::simd::{Number, Simd};

/// More kinds than this are left to the separate operations.
pub const MAX_KINDS: usize = 4;

/// Rows of one example.
#[derive(Clone, Copy)]
pub struct Rows<'a, S> {
    /// `[t, K]`
    pub one_hot: &'a [S],
    /// `[t, K]`
    pub mass: &'a [S],
}

macro_rules! for_sizes {
    ($run:expr, $kinds:expr, $f:ident, $args:tt) => {
        match ($run.high - $run.low, $kinds) {
            (1, 2) => for_sizes!(@ $f 1 2 $args),
            (2, 2) => for_sizes!(@ $f 2 2 $args),
            (1, 3) => for_sizes!(@ $f 1 3 $args),
            (2, 3) => for_sizes!(@ $f 2 3 $args),
            (3, 3) => for_sizes!(@ $f 3 3 $args),
            (1, 4) => for_sizes!(@ $f 1 4 $args),
            (2, 4) => for_sizes!(@ $f 2 4 $args),
            (3, 4) => for_sizes!(@ $f 3 4 $args),
            (4, 4) => for_sizes!(@ $f 4 4 $args),
            (reach, kinds) => unreachable!("{reach} of {kinds} kinds"),
        }
    };
    (@ $f:ident $r:literal $k:literal ($($a:expr),*)) => { $f::<S, $r, $k>($($a),*) };
}

/// Forward for one example; `1/Σ` of each row and head goes into `inverse`.
#[inline(always)]
pub fn kind_routes<S: Simd>(
    runs: &[Run],
    kinds: usize,
    heads: usize,
    rows: Rows<'_, S>,
    e: &[S],
    y: &mut [S],
    inverse: &mut [S],
) {
    for &run in runs {
        for h in 0..heads {
            for_sizes!(run, kinds, forward, (run, (h, heads), rows, e, y, inverse));
        }
    }
}

/// Columns of head `h` of the table rows within reach.
#[inline(always)]
fn table<S: Simd, const R: usize, const K: usize>(run: Run, (h, heads): (usize, usize), e: &[S]) -> [[S; K]; R] {
    let mut out = [[S::zero(); K]; R];
    for j in 0..R {
        for k in 0..K {
            out[j][k] = e[(run.low + j) * heads * K + h * K + k];
        }
    }
    out
}

/// Has it so many rows of so many elements?
#[inline(always)]
fn has<S>(rows: usize, cols: usize, x: &[S]) -> bool {
    rows.checked_mul(cols).is_some_and(|len| len <= x.len())
}

/// One past the last row of a run, all of which are in `rows` and reach no more than `K` kinds.
#[inline(always)]
fn end_of<S, const R: usize, const K: usize>(run: Run, (h, heads): (usize, usize), rows: Rows<'_, S>) -> usize {
    let Rows { one_hot, mass } = rows;
    let end = run.rows.checked_end().filter(|&end| has(end, K, one_hot) && has(end, K, mass));
    let heads_fit = h < heads && heads.checked_mul(K).is_some();
    assert!(run.low.checked_add(R).is_some_and(|high| high <= K) && heads_fit, "kind_routes: kinds out of reach");
    end.expect("kind_routes: operand too short")
}

#[inline(always)]
fn forward<S: Simd, const R: usize, const K: usize>(
    run: Run,
    head: (usize, usize),
    rows: Rows<'_, S>,
    e: &[S],
    y: &mut [S],
    inverse: &mut [S],
) {
    let e: [[S; K]; R] = table(run, head, e);
    let (h, heads) = head;
    let end = end_of::<S, R, K>(run, (h, heads), rows);
    assert!(has(end, heads * K, y) && has(end, heads, inverse), "kind_routes: result too short");
    for i in 0..run.rows.count {
        let t = run.rows.start + i * run.rows.step;
        // SAFETY: `t < end`, and the asserts above cover every row below `end`.
        let (one_hot, mass, y, inverse) = unsafe {
            (
                rows.one_hot.get_unchecked(t * K + run.low..t * K + run.low + R),
                rows.mass.get_unchecked(t * K..t * K + K),
                y.get_unchecked_mut((t * heads + h) * K..(t * heads + h) * K + K),
                inverse.get_unchecked_mut(t * heads + h),
            )
        };
        let mut w = [S::zero(); K];
        let mut sum = S::zero();
        for k in 0..K {
            let mut v = one_hot[0].mul(e[0][k]);
            for j in 1..R {
                v = one_hot[j].fma(e[j][k], v);
            }
            w[k] = v.mul(mass[k]);
            sum = sum.add(w[k]);
        }
        // A token that sees nothing (padding) routes nothing.
        let scale = S::of(1.0).div(S::splat(S::Elem::TINY).max(sum));
        *inverse = scale;
        for k in 0..K {
            y[k] = w[k].mul(scale);
        }
    }
}

/// `de[j, h·K + k] += Σₜ one_hot[t,j] · mass[t,k]/Σ · (dy[t, h·K + k] − dy·y)` for one example.
#[inline(always)]
pub fn kind_routes_grad<S: Simd>(
    runs: &[Run],
    kinds: usize,
    heads: usize,
    rows: Rows<'_, S>,
    (y, inverse): (&[S], &[S]),
    dy: &[S],
    de: &mut [S],
) {
    for &run in runs {
        for h in 0..heads {
            for_sizes!(run, kinds, backward, (run, (h, heads), rows, (y, inverse), dy, de));
        }
    }
}

#[inline(always)]
fn backward<S: Simd, const R: usize, const K: usize>(
    run: Run,
    (h, heads): (usize, usize),
    rows: Rows<'_, S>,
    (y, inverse): (&[S], &[S]),
    dy: &[S],
    de: &mut [S],
) {
    let mut sum = [[S::zero(); K]; R];
    let end = end_of::<S, R, K>(run, (h, heads), rows);
    assert!(
        has(end, heads * K, y) && has(end, heads * K, dy) && has(end, heads, inverse),
        "kind_routes: result too short"
    );
    for i in 0..run.rows.count {
        let t = run.rows.start + i * run.rows.step;
        let at = (t * heads + h) * K;
        // SAFETY: `t < end`, and the asserts above cover every row below `end`.
        let (one_hot, mass, y, dy, scale) = unsafe {
            (
                rows.one_hot.get_unchecked(t * K + run.low..t * K + run.low + R),
                rows.mass.get_unchecked(t * K..t * K + K),
                y.get_unchecked(at..at + K),
                dy.get_unchecked(at..at + K),
                *inverse.get_unchecked(t * heads + h),
            )
        };
        let mut dot = y[0].mul(dy[0]);
        for k in 1..K {
            dot = y[k].fma(dy[k], dot);
        }
        for k in 0..K {
            let dw = mass[k].mul(scale).mul(dy[k].sub(dot));
            for j in 0..R {
                sum[j][k] = one_hot[j].fma(dw, sum[j][k]);
            }
        }
    }
    for j in 0..R {
        for k in 0..K {
            let d = &mut de[(run.low + j) * heads * K + h * K + k];
            *d = d.add(sum[j][k]);
        }
    }
}
