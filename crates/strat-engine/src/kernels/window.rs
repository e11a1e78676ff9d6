//! Attention of each token to itself and the `window − 1` tokens before it. Column `u` of row
//! `t` belongs to key `t + u + 1 − window`; where that is negative, the column is left alone.
//!
//! Row `t` and key `j` meet at `t·window + (j + window − 1 − t)`, so within the window the
//! scores are an ordinary matrix whose rows lie `window − 1` apart, and go through
//! [`contract`] four rows at a time; what sticks out of such a block is done row by row.

use super::contract::{View, contract};
use crate::graph::Bias;
use crate::simd::Simd;

/// Rows that share a pass over their keys.
const BLOCK: usize = 4;

/// Sizes for one example.
#[derive(Clone, Copy)]
pub struct Dims {
    /// Tokens.
    pub rows: usize,
    /// How many of them a token sees.
    pub window: usize,
    /// Columns of queries and keys, or of what is mixed.
    pub cols: usize,
}

impl Dims {
    /// Where row `t` and key `j` meet.
    #[inline(always)]
    fn at(self, t: usize, j: usize) -> usize {
        t * self.window + (j + self.window - 1 - t)
    }
    /// Keys in sight of row `t`.
    #[inline(always)]
    fn keys(self, t: usize) -> (usize, usize) {
        ((t + 1).saturating_sub(self.window), t + 1)
    }
    /// Keys in sight of all rows of `t..end`; may be empty.
    #[inline(always)]
    fn shared_keys(self, t: usize, end: usize) -> (usize, usize) {
        (self.keys(end - 1).0, t + 1)
    }
    /// Rows that see key `j`.
    #[inline(always)]
    fn readers(self, j: usize) -> (usize, usize) {
        (j, (j + self.window).min(self.rows))
    }
}

/// `s[t,j] = q[t]·k[j]`, added to what is there if `accumulate`.
#[inline(always)]
pub fn scores<S: Simd>(d: Dims, q: &[S], k: &[S], s: &mut [S], accumulate: bool) {
    for t in (0..d.rows).step_by(BLOCK) {
        let end = d.rows.min(t + BLOCK);
        let (low, high) = d.shared_keys(t, end);
        if low < high {
            let (a, b) = (View::rows(&q[t * d.cols..], d.cols), View::rows(&k[low * d.cols..], d.cols));
            contract([end - t, high - low, d.cols], a, b, &mut s[d.at(t, low)..], d.window - 1, accumulate);
        }
        for t in t..end {
            let (first, last) = d.keys(t);
            for (from, to) in [(first, low.min(last)), (high.max(low.min(last)), last)] {
                let (a, b) = (View::rows(&q[t * d.cols..], d.cols), View::rows(&k[from * d.cols..], d.cols));
                contract([1, to - from, d.cols], a, b, &mut s[d.at(t, from)..], 0, accumulate);
            }
        }
    }
}

/// `y[t] = Σⱼ a[t,j] x[j]`, added to what is there if `accumulate`.
#[inline(always)]
pub fn mix<S: Simd>(d: Dims, a: &[S], x: &[S], y: &mut [S], accumulate: bool) {
    for t in (0..d.rows).step_by(BLOCK) {
        let end = d.rows.min(t + BLOCK);
        let (low, high) = d.shared_keys(t, end);
        let together = low < high;
        if together {
            let (a, b) = (View::rows(&a[d.at(t, low)..], d.window - 1), View::rows(&x[low * d.cols..], d.cols).t());
            contract([end - t, d.cols, high - low], a, b, &mut y[t * d.cols..], d.cols, accumulate);
        }
        for t in t..end {
            let (first, last) = d.keys(t);
            let mut accumulate = accumulate || together;
            for (from, to) in [(first, low.min(last)), (high.max(low.min(last)), last)] {
                if from == to {
                    continue;
                }
                let (a, b) = (View::rows(&a[d.at(t, from)..], 0), View::rows(&x[from * d.cols..], d.cols).t());
                contract([1, d.cols, to - from], a, b, &mut y[t * d.cols..], d.cols, accumulate);
                accumulate = true;
            }
        }
    }
}

/// `dx[j] += Σₜ a[t,j] dy[t]`
#[inline(always)]
pub fn mix_grad_x<S: Simd>(d: Dims, a: &[S], dy: &[S], dx: &mut [S]) {
    for j in (0..d.rows).step_by(BLOCK) {
        let end = d.rows.min(j + BLOCK);
        let (low, high) = (end - 1, d.readers(j).1);
        if low < high {
            let a = View { data: &a[d.at(low, j)..], outer: 1, inner: d.window - 1 };
            let dy = View::rows(&dy[low * d.cols..], d.cols).t();
            contract([end - j, d.cols, high - low], a, dy, &mut dx[j * d.cols..], d.cols, true);
        }
        for j in j..end {
            let (first, last) = d.readers(j);
            for (from, to) in [(first, low.min(last)), (high.max(low.min(last)), last)] {
                if from == to {
                    continue;
                }
                let a = View { data: &a[d.at(from, j)..], outer: 1, inner: d.window - 1 };
                let dy = View::rows(&dy[from * d.cols..], d.cols).t();
                contract([1, d.cols, to - from], a, dy, &mut dx[j * d.cols..], d.cols, true);
            }
        }
    }
}

/// What is known of all keys of an example: for each column the smallest and the largest number, and how far the farthest
/// key is from the middle of those.
pub struct Keys<'a, S> {
    low: &'a [S],
    high: &'a [S],
    radius: S,
}

impl Keys<'_, ()> {
    /// How much room that takes.
    #[inline(always)]
    pub fn room(cols: usize) -> usize {
        2 * cols
    }
}

impl<'a, S: Simd> Keys<'a, S> {
    /// Of keys with so many columns. Keys that are no numbers are passed over.
    #[inline(always)]
    pub fn of(k: &[S], cols: usize, room: &'a mut [S]) -> Self {
        let (low, high) = room.split_at_mut(cols);
        low.copy_from_slice(&k[..cols]);
        high.copy_from_slice(&k[..cols]);
        for k in k.chunks_exact(cols) {
            for ((k, low), high) in k.iter().zip(&mut *low).zip(&mut *high) {
                *low = k.min(*low);
                *high = k.max(*high);
            }
        }
        let (half, mut most) = (S::of(0.5), S::zero());
        for k in k.chunks_exact(cols) {
            let mut square = S::zero();
            for ((k, low), high) in k.iter().zip(&*low).zip(&*high) {
                let apart = low.add(*high).nfma(half, *k);
                square = apart.fma(apart, square);
            }
            most = square.max(most);
        }
        Keys { low, high, radius: most.sqrt() }
    }

    /// What `scale q·k` is at most, whatever the key: each key is in the box of those numbers, and in the ball around its
    /// middle.
    #[inline(always)]
    pub fn most(&self, q: &[S], scale: S) -> S {
        let [mut of_box, mut middle, mut square] = [S::zero(); 3];
        for ((q, low), high) in q.iter().zip(self.low).zip(self.high) {
            let q = q.mul(scale);
            let (low, high) = (q.mul(*low), q.mul(*high));
            of_box = of_box.add(low.max(high));
            middle = middle.add(low.add(high));
            square = q.fma(q, square);
        }
        of_box.min(square.sqrt().fma(self.radius, middle.mul(S::of(0.5))))
    }
}

/// By how much the score of a key out of sight could exceed the best one in sight, distance left aside: the most that
/// `scale q[t]·k` can be, less `maxⱼ (x[t,j] + bias[t,j])`, of all rows, `x` being scaled scores. Rows with NaN are passed over:
/// they give NaN in a window of any width.
#[inline(always)]
pub fn excess<S: Simd>(
    d: Dims,
    scale: f64,
    q: &[S],
    keys: Keys<'_, S>,
    x: &[S],
    (bias, numbers): (&Bias, &[S::Elem]),
) -> S {
    let mut most = S::zero();
    for (t, q) in q.chunks_exact(d.cols).enumerate() {
        let (low, high) = bias.reach[t];
        let (x, b) = (&x[t * d.window..][low..high], &numbers[t * d.window..][low..high]);
        let mut best = x[0].add(S::splat(b[0]));
        for (x, &b) in x.iter().zip(b) {
            best = x.add(S::splat(b)).max(best);
        }
        most = keys.most(q, S::of(scale)).sub(best).max(most);
    }
    most
}
