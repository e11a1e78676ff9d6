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
        let [gi, gf, gg, go] = columns(&gates[t * 4 * width..], width);
        let [ki, kf, kg, ko, ks] = columns_mut(&mut kept[t * 5 * width..], width);
        let [_, c] = columns(&state[t * 2 * width..], width);
        let [to_h, to_c] = columns_mut(&mut y[t * 2 * width..], width);
        for u in 0..width {
            let (i, f) = (math::sigmoid(gi[u]), math::sigmoid(gf[u]));
            let (g, o) = (math::tanh(gg[u]), math::sigmoid(go[u]));
            let next = f.fma(c[u], i.mul(g));
            let squashed = math::tanh(next);
            to_c[u] = next;
            to_h[u] = o.mul(squashed);
            ki[u] = i;
            kf[u] = f;
            kg[u] = g;
            ko[u] = o;
            ks[u] = squashed;
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
    [mut dgates, mut dstate]: [Option<&mut [S]>; 2],
) {
    let rows = dy.len() / (2 * width);
    let one = S::of(1.0);
    assert!(kept.len() == 5 * width * rows && state.len() == dy.len());
    for t in 0..rows {
        let [ki, kf, kg, ko, ks] = columns(&kept[t * 5 * width..], width);
        let ([_, c], [dh, dc]) = (columns(&state[t * 2 * width..], width), columns(&dy[t * 2 * width..], width));
        if let Some(d) = &mut dgates {
            let [di, df, dg, d_o] = columns_mut(&mut d[t * 4 * width..], width);
            for u in 0..width {
                let (i, f, g, o, squashed) = (ki[u], kf[u], kg[u], ko[u], ks[u]);
                let dc = squashed.nfma(squashed, one).fma(dh[u].mul(o), dc[u]);
                di[u] = i.nfma(i, i).fma(dc.mul(g), di[u]);
                df[u] = f.nfma(f, f).fma(dc.mul(c[u]), df[u]);
                dg[u] = g.nfma(g, one).fma(dc.mul(i), dg[u]);
                d_o[u] = o.nfma(o, o).fma(dh[u].mul(squashed), d_o[u]);
            }
        }
        if let Some(d) = &mut dstate {
            let [_, d] = columns_mut(&mut d[t * 2 * width..], width);
            for u in 0..width {
                let dc = ks[u].nfma(ks[u], one).fma(dh[u].mul(ko[u]), dc[u]);
                d[u] = dc.fma(kf[u], d[u]);
            }
        }
    }
}

/// Groups of so many columns, side by side.
#[inline(always)]
fn columns<S, const N: usize>(row: &[S], width: usize) -> [&[S]; N] {
    std::array::from_fn(|i| &row[i * width..][..width])
}

/// The same, to be written.
#[inline(always)]
fn columns_mut<S, const N: usize>(row: &mut [S], width: usize) -> [&mut [S]; N] {
    let mut groups = row.chunks_exact_mut(width);
    std::array::from_fn(|_| groups.next().expect("as many columns as there are"))
}
