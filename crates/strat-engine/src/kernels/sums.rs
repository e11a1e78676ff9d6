//! `dW[o,i] += Σₜ dY[t,o] X[t,i]` over rows `t` that sit on lanes, into single numbers: the gradient of a table that
//! all rows share.
//!
//! A tile of 4 × 4 sums runs over all vectors of rows; then their lanes are added up, sixteen sums at once.

use super::contract::covers;
use crate::simd::{Kernel, MOST_LANES, Simd};

/// Rows of the table in a tile; [`Sums`] needs room for so many columns of `dY`.
pub const TALL: usize = 4;
/// Columns of the table in a tile.
const WIDE: usize = 4;

/// The sums.
pub struct Sums<'a, S: Simd> {
    /// Vectors of rows, columns of `dY`, columns of `X`.
    pub dims: [usize; 3],
    /// `[rows, outs]`, rows `dy_outer` apart.
    pub dy: &'a [S],
    /// At least `outs`.
    pub dy_outer: usize,
    /// `[rows, ins]`, rows `x_outer` apart.
    pub x: &'a [S],
    /// At least `ins`.
    pub x_outer: usize,
    /// Room for `rows · TALL` vectors.
    pub panel: &'a mut [S],
    /// `[outs, ins]`, added to.
    pub dw: &'a mut [S::Elem],
    /// The same for a column of ones instead of `X`: `db[o] += Σₜ dY[t,o]`.
    pub db: Option<&'a mut [S::Elem]>,
}

impl<S: Simd> Kernel for Sums<'_, S> {
    #[inline(always)]
    fn run(mut self) {
        let [rows, outs, ins] = self.dims;
        let (outer, dy_outer) = (self.x_outer, self.dy_outer);
        let is = |len: usize, a: usize, b: usize| a.checked_mul(b) == Some(len);
        let has_dy = rows == 0 || outs == 0 || covers([rows, outs], (dy_outer, 1), self.dy.len());
        let fits = has_dy && is(self.x.len(), rows, outer) && is(self.dw.len(), outs, ins);
        assert!(fits && ins <= outer && outs <= dy_outer, "sums: not {rows} rows, {outs} × {ins}");
        let fits = rows.checked_mul(TALL).is_some_and(|room| room <= self.panel.len());
        assert!(fits && self.db.as_ref().is_none_or(|db| db.len() == outs), "sums: too little room");
        let mut o = 0;
        while o < outs {
            let tall = (outs - o).min(TALL);
            let mut column = [[S::zero(); 1]; TALL];
            for (to, from) in self.panel.chunks_exact_mut(tall).zip(self.dy.chunks(dy_outer).take(rows)) {
                for i in 0..tall {
                    to[i] = from[o + i];
                    column[i][0] = column[i][0].add(from[o + i]);
                }
            }
            if let Some(db) = &mut self.db {
                add_totals(&column, &mut db[o..], 1, tall);
            }
            let mut j = 0;
            while j < ins {
                let wide = (ins - j).min(WIDE);
                let (panel, x, dw) = (&*self.panel, &self.x[j..], &mut self.dw[o * ins + j..]);
                let next = (self.dy.as_ptr().wrapping_add(o + TALL + j / WIDE % TALL), dy_outer);
                match tall {
                    4 => columns::<S, 4>(wide, rows, panel, (x, outer), next, (dw, ins)),
                    3 => columns::<S, 3>(wide, rows, panel, (x, outer), next, (dw, ins)),
                    2 => columns::<S, 2>(wide, rows, panel, (x, outer), next, (dw, ins)),
                    _ => columns::<S, 1>(wide, rows, panel, (x, outer), next, (dw, ins)),
                }
                j += wide;
            }
            o += tall;
        }
    }
}

/// A tile of columns. `next` is what is needed next and how far its rows are apart: a column that another thread may have
/// written, so that the core would wait for it.
#[inline(always)]
fn columns<S: Simd, const O: usize>(
    wide: usize,
    rows: usize,
    panel: &[S],
    x: (&[S], usize),
    next: (*const S, usize),
    dw: (&mut [S::Elem], usize),
) {
    match wide {
        4 => tile::<S, O, 4>(rows, panel, x, next, dw),
        3 => tile::<S, O, 3>(rows, panel, x, next, dw),
        2 => tile::<S, O, 2>(rows, panel, x, next, dw),
        _ => tile::<S, O, 1>(rows, panel, x, next, dw),
    }
}

#[inline(always)]
fn tile<S: Simd, const O: usize, const I: usize>(
    rows: usize,
    panel: &[S],
    (x, outer): (&[S], usize),
    (mut next, next_outer): (*const S, usize),
    (dw, ins): (&mut [S::Elem], usize),
) {
    assert!(rows == 0 || covers([rows, O], (O, 1), panel.len()) && covers([rows, I], (outer, 1), x.len()));
    let mut sum = [[S::zero(); I]; O];
    let (mut p, mut x) = (panel.as_ptr(), x.as_ptr());
    for _ in 0..rows {
        // SAFETY: the assert covers `rows` rows of both.
        unsafe {
            let mut xv = [S::zero(); I];
            for j in 0..I {
                xv[j] = *x.add(j);
            }
            for i in 0..O {
                let dy = *p.add(i);
                for j in 0..I {
                    sum[i][j] = dy.fma(xv[j], sum[i][j]);
                }
            }
        }
        S::prefetch(next);
        next = next.wrapping_add(next_outer);
        p = p.wrapping_add(O);
        x = x.wrapping_add(outer);
    }
    add_totals(&sum, dw, ins, O);
}

/// Adds the sums over the lanes of the first `tall` rows of `sum` to `to`, whose rows are `outer` apart.
#[inline(always)]
fn add_totals<S: Simd, const O: usize, const I: usize>(
    sum: &[[S; I]; O],
    to: &mut [S::Elem],
    outer: usize,
    tall: usize,
) {
    let mut totals = [S::zero(); TALL * WIDE];
    for (first, total) in (0..O * I).step_by(S::LANES).zip(&mut totals) {
        let mut some = [S::zero(); MOST_LANES];
        for at in first..(first + S::LANES).min(O * I) {
            some[at - first] = sum[at / I][at % I];
        }
        *total = S::horizontal_sums(&mut some);
    }
    let (totals, _) = S::numbers(&totals).as_chunks::<I>();
    for (i, totals) in totals.iter().enumerate().take(tall) {
        let to = &mut to[i * outer..][..I];
        for j in 0..I {
            to[j] = to[j] + totals[j];
        }
    }
}
