//! Attention within a window in one step: scores, softmax and mixed rows of some rows at a time, while all of it is in the
//! first-level cache. Neither scores nor routes are kept: to compute them again backwards costs less than to write and read
//! them, since those of a long example fit no cache.
//!
//! The rows of a block share a rectangle of cells, one for each key that any of them sees. Cells out of a row's sight are
//! zero, so that products run over whole rectangles.

use super::contract::{View, contract};
use super::window::Keys;
use crate::graph::Bias;
use crate::math::exp;
use crate::simd::Simd;

/// Rows of a block.
const BLOCK: usize = 8;
/// Keys whose gradients are worked on at a time: with their values and those of a block they fit the first-level cache.
const SPAN: usize = 16;

/// Sizes for one example.
#[derive(Clone, Copy)]
pub struct Dims {
    /// Tokens.
    pub rows: usize,
    /// How many of them a token sees, with itself.
    pub window: usize,
    /// Columns of queries and keys.
    pub cols: usize,
    /// Columns of what is mixed.
    pub values: usize,
}

impl Dims {
    /// Cells from one row of a block to the next.
    #[inline(always)]
    fn wide(self) -> usize {
        self.window + BLOCK - 1
    }
    /// What is kept of an example: one number, two of each row, and room for a block.
    #[inline(always)]
    pub fn kept(self) -> usize {
        1 + 2 * self.rows + Keys::<()>::room(self.cols) + BLOCK * self.wide()
    }
    /// Rows of the block that starts at `t`, and the keys that it sees.
    #[inline(always)]
    fn block(self, t: usize) -> (usize, usize, usize) {
        let end = self.rows.min(t + BLOCK);
        (end - t, (t + 1).saturating_sub(self.window), end)
    }
    /// Of the keys `first..last`, those that row `t` sees, and what its bias says of them.
    #[inline(always)]
    fn seen<'a, E>(
        self,
        t: usize,
        (bias, numbers): (&Bias, &'a [E]),
        (first, last): (usize, usize),
    ) -> (usize, usize, &'a [E]) {
        // Column `u` of the bias is about key `t + u + 1 − window`.
        let (from, to) = bias.reach[t];
        let low = first.max(t + 1 + from - self.window);
        let high = last.min(t + 1 + to - self.window).max(low);
        (low, high, &numbers[t * self.window + low + self.window - t - 1..][..high - low])
    }
}

/// `y = softmax(scale q·k + bias) v` within the window. Of what is kept, the first number is by how much the score of a key
/// out of sight could exceed the best one in sight, distance left aside.
#[inline(always)]
pub fn attend<S: Simd>(
    d: Dims,
    scale: f64,
    bias: (&Bias, &[S::Elem]),
    [q, k, v]: [&[S]; 3],
    y: &mut [S],
    kept: &mut [S],
) {
    let (excess, rest) = kept.split_at_mut(1);
    let (kept, rest) = rest.split_at_mut(2 * d.rows);
    let (room, cells) = rest.split_at_mut(Keys::<()>::room(d.cols));
    let all = Keys::of(k, d.cols, room);
    let (scale, wide) = (S::of(scale), d.wide());
    let mut most = S::zero();
    for t in (0..d.rows).step_by(BLOCK) {
        let (count, first, last) = d.block(t);
        let keys = last - first;
        let (a, b) = (View::rows(&q[t * d.cols..], d.cols), View::rows(&k[first * d.cols..], d.cols));
        contract([count, keys, d.cols], a, b, cells, wide, false);
        for (i, cells) in cells.chunks_exact_mut(wide).enumerate().take(count) {
            let t = t + i;
            let (low, high, numbers) = d.seen(t, bias, (first, last));
            let (best, share) = exponentials(scale, numbers, &mut cells[low - first..high - first]);
            cells[..low - first].fill(S::zero());
            cells[high - first..keys].fill(S::zero());
            (kept[2 * t], kept[2 * t + 1]) = (best, share);
            most = all.most(&q[t * d.cols..][..d.cols], scale).sub(best).max(most);
        }
        let (a, b) = (View::rows(cells, wide), View::rows(&v[first * d.values..], d.values).t());
        contract([count, d.values, keys], a, b, &mut y[t * d.values..], d.values, false);
        for (y, kept) in y[t * d.values..].chunks_exact_mut(d.values).zip(kept[2 * t..].chunks_exact(2)).take(count)
        {
            for y in y {
                *y = y.mul(kept[1]);
            }
        }
    }
    excess[0] = most;
}

/// `exp(x − best)` in place of scores, with `x = scale · score + bias`; the best `x`, and one over the sum.
#[inline(always)]
fn exponentials<S: Simd>(scale: S, bias: &[S::Elem], scores: &mut [S]) -> (S, S) {
    let mut best = scores[0].fma(scale, S::splat(bias[0]));
    for (x, &b) in scores.iter_mut().zip(bias) {
        *x = x.fma(scale, S::splat(b));
        best = x.max(best);
    }
    let mut sum = S::zero();
    for x in scores {
        *x = exp(x.sub(best));
        sum = sum.add(*x);
    }
    (best, S::of(1.0).div(sum))
}

/// The same backwards: adds to the gradients of queries, keys and values, where there are such.
#[inline(always)]
pub fn attend_grad<S: Simd>(
    d: Dims,
    scale: f64,
    bias: (&Bias, &[S::Elem]),
    [q, k, v]: [&[S]; 3],
    (y, dy): (&[S], &[S]),
    kept: &[S],
    [mut dq, mut dk, mut dv]: [Option<&mut [S]>; 3],
) {
    let (kept, scale) = (&kept[1..], S::of(scale));
    let (mut routes, mut slopes) = ([S::zero(); BLOCK * SPAN], [S::zero(); BLOCK * SPAN]);
    for t in (0..d.rows).step_by(BLOCK) {
        let (count, low, high) = d.block(t);
        let (q, dy) = (&q[t * d.cols..][..count * d.cols], &dy[t * d.values..][..count * d.values]);
        // Σⱼ aⱼ daⱼ of each row is dy·y.
        let mut mean = [S::zero(); BLOCK];
        for (i, mean) in mean[..count].iter_mut().enumerate() {
            let y = &y[(t + i) * d.values..][..d.values];
            for (y, dy) in y.iter().zip(&dy[i * d.values..]) {
                *mean = y.fma(*dy, *mean);
            }
        }
        for first in (low..high).step_by(SPAN) {
            let keys = SPAN.min(high - first);
            let k = View::rows(&k[first * d.cols..], d.cols);
            contract([count, keys, d.cols], View::rows(q, d.cols), k, &mut routes, SPAN, false);
            for (i, cells) in routes.chunks_exact_mut(SPAN).enumerate().take(count) {
                let (low, high, numbers) = d.seen(t + i, bias, (first, first + keys));
                let (best, share) = (kept[2 * (t + i)], kept[2 * (t + i) + 1]);
                cells[..low - first].fill(S::zero());
                for (x, &b) in cells[low - first..high - first].iter_mut().zip(numbers) {
                    *x = exp(x.fma(scale, S::splat(b)).sub(best)).mul(share);
                }
                cells[high - first..keys].fill(S::zero());
            }
            let a = View::rows(&routes, SPAN);
            if let Some(dv) = &mut dv {
                let dy = View::rows(dy, d.values).t();
                contract([keys, d.values, count], a.t(), dy, &mut dv[first * d.values..], d.values, true);
            }
            if dq.is_none() && dk.is_none() {
                continue;
            }
            let values = View::rows(&v[first * d.values..], d.values);
            contract([count, keys, d.values], View::rows(dy, d.values), values, &mut slopes, SPAN, false);
            for (i, (cells, a)) in
                slopes.chunks_exact_mut(SPAN).zip(routes.chunks_exact(SPAN)).enumerate().take(count)
            {
                for (x, a) in cells[..keys].iter_mut().zip(a) {
                    *x = x.sub(mean[i]).mul(a.mul(scale));
                }
            }
            let slopes = View::rows(&slopes, SPAN);
            if let Some(dq) = &mut dq {
                contract([count, d.cols, keys], slopes, k.t(), &mut dq[t * d.cols..], d.cols, true);
            }
            if let Some(dk) = &mut dk {
                let q = View::rows(q, d.cols).t();
                contract([keys, d.cols, count], slopes.t(), q, &mut dk[first * d.cols..], d.cols, true);
            }
        }
    }
}
