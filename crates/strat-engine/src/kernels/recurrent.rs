//! What carries a state from token to token: the LSTM's cell, and states that stay as
//! they are on padding.

use crate::math;
use crate::simd::Simd;

/// `y[t] = a[t]` where `mask[t]` is not zero, else `b[t]`; one example.
#[inline(always)]
pub fn select<S: Simd>(mask: &[S], a: &[S], b: &[S], y: &mut [S]) {
    let cols = y.len() / mask.len();
    for (t, &mask) in mask.iter().enumerate() {
        let row = t * cols..(t + 1) * cols;
        for ((y, a), b) in y[row.clone()].iter_mut().zip(&a[row.clone()]).zip(&b[row]) {
            *y = a.select(mask, *b);
        }
    }
}

/// `dx[t] += dy[t]` where `mask[t]` is not zero, or, if not `chosen`, where it is.
#[inline(always)]
pub fn select_grad<S: Simd>(mask: &[S], chosen: bool, dy: &[S], dx: &mut [S]) {
    let cols = dy.len() / mask.len();
    for (t, &mask) in mask.iter().enumerate() {
        let row = t * cols..(t + 1) * cols;
        for (dx, dy) in dx[row.clone()].iter_mut().zip(&dy[row]) {
            let sum = dx.add(*dy);
            *dx = if chosen { sum.select(mask, *dx) } else { dx.select(mask, sum) };
        }
    }
}

/// `c ← σ(f) c + σ(i) tanh(g)`, `h ← σ(o) tanh(c)`; one example, `width` units.
///
/// Rows of `gates` are `[i, f, g, o]`, of `state` and `y` `[h, c]`; `kept`, for the
/// gradient, takes the gates' values and `tanh(c)`.
#[inline(always)]
pub fn lstm_cell<S: Simd>(width: usize, gates: &[S], state: &[S], kept: &mut [S], y: &mut [S]) {
    let rows = y.len() / (2 * width);
    assert!(gates.len() == 4 * width * rows && state.len() == y.len() && kept.len() == 5 * width * rows);
    for t in 0..rows {
        let (gates, kept) = (&gates[t * 4 * width..][..4 * width], &mut kept[t * 5 * width..][..5 * width]);
        let c = &state[(2 * t + 1) * width..][..width];
        let (to_h, to_c) = y[t * 2 * width..][..2 * width].split_at_mut(width);
        for u in 0..width {
            let (i, f) = (math::sigmoid(gates[u]), math::sigmoid(gates[width + u]));
            let (g, o) = (math::tanh(gates[2 * width + u]), math::sigmoid(gates[3 * width + u]));
            let next = f.fma(c[u], i.mul(g));
            let squashed = math::tanh(next);
            to_c[u] = next;
            to_h[u] = o.mul(squashed);
            kept[u] = i;
            kept[width + u] = f;
            kept[2 * width + u] = g;
            kept[3 * width + u] = o;
            kept[4 * width + u] = squashed;
        }
    }
}

/// Adds to the gradients of the gates' sums and of the state before, if they have one,
/// given what [`lstm_cell`] kept, that state, and the gradient of `[h, c]` after.
#[inline(always)]
pub fn lstm_cell_grad<S: Simd>(
    width: usize,
    (kept, state): (&[S], &[S]),
    dy: &[S],
    (mut dgates, mut dstate): (Option<&mut [S]>, Option<&mut [S]>),
) {
    let rows = dy.len() / (2 * width);
    let one = S::of(1.0);
    assert!(kept.len() == 5 * width * rows && state.len() == dy.len());
    for t in 0..rows {
        let (kept, c) = (&kept[t * 5 * width..][..5 * width], &state[(2 * t + 1) * width..][..width]);
        let (dh, dc) = dy[t * 2 * width..][..2 * width].split_at(width);
        for u in 0..width {
            let (i, f, g) = (kept[u], kept[width + u], kept[2 * width + u]);
            let (o, squashed) = (kept[3 * width + u], kept[4 * width + u]);
            let dc = squashed.nfma(squashed, one).fma(dh[u].mul(o), dc[u]);
            if let Some(d) = &mut dgates {
                let d = &mut d[t * 4 * width..][..4 * width];
                d[u] = i.nfma(i, i).fma(dc.mul(g), d[u]);
                d[width + u] = f.nfma(f, f).fma(dc.mul(c[u]), d[width + u]);
                d[2 * width + u] = g.nfma(g, one).fma(dc.mul(i), d[2 * width + u]);
                d[3 * width + u] = o.nfma(o, o).fma(dh[u].mul(squashed), d[3 * width + u]);
            }
            if let Some(d) = &mut dstate {
                let d = &mut d[(2 * t + 1) * width + u];
                *d = dc.fma(f, *d);
            }
        }
    }
}
