//! A linear map of rows on lanes, with everything that is done to its operand and its result on the way:
//! `y = times ⊙ act(W (γ ⊙ x + β) + b + residual)`.
//!
//! Scale and shift of a LayerNorm go into the table: `W (γ ⊙ x + β) = (W diag γ) x + W β`. That is one multiplication
//! a weight instead of two operations a row; and their gradients follow from the table's, so that rows which nothing
//! learned has touched need no gradient at all.
//!
//! Where the last columns of `x` are alike in every row, they are one column: their weights are added up, and each
//! gets the same gradient. (Of Sudoku's 64 Type channels 27 are never used.)

use super::contract::View;
use super::rows::{Product, Start, TILE_ROWS};
use super::sums::{Sums, TALL};
use super::{affine, elementwise};
use crate::simd::{Kernel, MOST_LANES, Number, Simd};

/// What is done to the sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Nothing.
    None,
    /// `σ`
    Sigmoid,
    /// GELU.
    Gelu,
}

/// A LayerNorm's scale and shift.
#[derive(Clone, Copy)]
pub struct Norm<'a, E> {
    /// γ
    pub scale: &'a [E],
    /// β
    pub shift: &'a [E],
}

/// The map.
pub struct Dense<'a, S: Simd> {
    /// Columns of `y` and of `x`.
    pub dims: [usize; 2],
    /// `[rows, ins]`
    pub x: &'a [S],
    /// Columns of `x` up to and with the first that all later ones are like; only used with `norm`.
    pub distinct: usize,
    /// `[outs, ins]`
    pub w: &'a [S::Elem],
    /// Of `x`.
    pub norm: Option<Norm<'a, S::Elem>>,
    /// `[outs]`
    pub bias: Option<&'a [S::Elem]>,
    /// `[rows, outs]`
    pub residual: Option<&'a [S]>,
    /// What is done to the sum.
    pub act: Act,
    /// What the result of GELU is multiplied by, `[rows, outs]`.
    pub times: Option<&'a [S]>,
    /// For backward: the slope of GELU; before it, with `times`, its result.
    pub kept: &'a mut [S],
    /// `[rows, outs]`
    pub y: &'a mut [S],
    /// [`room_of`] so many numbers.
    pub room: &'a mut [S::Elem],
}

impl<S: Simd> Kernel for Dense<'_, S> {
    #[inline(always)]
    fn run(self) {
        let Dense { dims: [outs, ins], x, norm, act, times, kept, y, room, .. } = self;
        let (mut w, mut bias, mut depth) = (self.w, self.bias, ins);
        if let Some(norm) = norm {
            depth = self.distinct;
            let (table, shift) = room[..outs * depth + outs].split_at_mut(outs * depth);
            scale_columns(w, norm.scale, table);
            shifts::<S>(w, norm.shift, bias, shift);
            (w, bias) = (table, Some(&*shift));
        }
        let block = TILE_ROWS * outs;
        let mut y = y;
        let mut i = 0;
        while !y.is_empty() {
            let (now, later) = y.split_at_mut(block.min(y.len()));
            let start = match (self.residual, bias) {
                (Some(rows), bias) => Start::Rows(&rows[i * block..], bias),
                (None, Some(bias)) => Start::Bias(bias),
                (None, None) => Start::Zero,
            };
            S::vectorize(Product {
                dims: [now.len() / outs, outs, depth],
                a: View::rows(&x[i * TILE_ROWS * ins..], ins),
                b: View::rows(w, depth),
                c: now,
                c_steps: (outs, 1),
                start,
                next: &later[..block.min(later.len())],
            });
            // While it is in the first-level cache.
            match act {
                Act::None => {}
                Act::Sigmoid => elementwise::sigmoid_in_place(now),
                Act::Gelu => match times {
                    None => elementwise::gelu_in_place(now, &mut kept[i * block..]),
                    Some(times) => {
                        let (value, slope) = kept.split_at_mut(times.len());
                        let (value, slope) = (&mut value[i * block..], &mut slope[i * block..]);
                        elementwise::gated_gelu_in_place(&times[i * block..], now, value, slope);
                    }
                },
            }
            (y, i) = (later, i + 1);
        }
    }
}

/// Gradients of a norm's scale and shift.
pub struct NormGrad<'a, E> {
    /// dγ
    pub scale: &'a mut [E],
    /// dβ
    pub shift: &'a mut [E],
}

/// Adds what [`Dense`] passes on.
pub struct DenseGrad<'a, S: Simd> {
    /// Columns of `y` and of `x`.
    pub dims: [usize; 2],
    /// The operand.
    pub x: &'a [S],
    /// As in [`Dense`].
    pub distinct: usize,
    /// The table.
    pub w: &'a [S::Elem],
    /// Of `x`.
    pub norm: Option<Norm<'a, S::Elem>>,
    /// What was done to the sum.
    pub act: Act,
    /// The result, if it was σ.
    pub y: &'a [S],
    /// As in [`Dense`].
    pub times: Option<&'a [S]>,
    /// As in [`Dense`].
    pub kept: &'a [S],
    /// The result's gradient; afterwards that of the sum.
    pub dy: &'a mut [S],
    /// The gradient of `times`, and whether something is there already.
    pub dtimes: Option<(&'a mut [S], bool)>,
    /// The operand's gradient, and whether something is there already.
    pub dx: Option<(&'a mut [S], bool)>,
    /// The table's.
    pub dw: &'a mut [S::Elem],
    /// The norm's.
    pub dnorm: Option<NormGrad<'a, S::Elem>>,
    /// The bias's.
    pub db: Option<&'a mut [S::Elem]>,
    /// Room as in [`Dense`].
    pub room: &'a mut [S::Elem],
    /// Room for [`Sums`].
    pub panel: &'a mut [S],
}

impl<S: Simd> Kernel for DenseGrad<'_, S> {
    #[inline(always)]
    fn run(self) {
        let DenseGrad { dims: [outs, ins], x, w, norm, dy, dx, dw, room, panel, .. } = self;
        let rows = dy.len() / outs;
        match self.act {
            Act::None => {}
            Act::Sigmoid => affine::through_sigmoid(self.y, dy),
            Act::Gelu => match self.times {
                None => elementwise::mul_in_place(self.kept, dy),
                Some(times) => {
                    let (value, slope) = self.kept.split_at(times.len());
                    elementwise::gated_gelu_grad((times, value, slope), dy, self.dtimes);
                }
            },
        }
        let dy = &*dy;
        let (room, sums) = room[..room_of(self.dims)].split_at_mut(outs * ins + ins);
        let (table, expanded) = room.split_at_mut(outs * ins);
        if let Some((dx, there)) = dx {
            let mut w = w;
            if let Some(norm) = norm {
                scale_columns(w, norm.scale, table);
                w = table;
            }
            S::vectorize(Product {
                dims: [rows, ins, outs],
                a: View::rows(dy, outs),
                b: View::rows(w, ins).t(),
                c: dx,
                c_steps: (ins, 1),
                start: if there { Start::Sum } else { Start::Zero },
                next: x,
            });
        }
        let panel = &mut panel[..rows * TALL];
        let (Some(norm), Some(dnorm)) = (norm, self.dnorm) else {
            return S::vectorize(Sums { dims: [rows, outs, ins], dy, x, x_outer: ins, panel, dw, db: self.db });
        };
        let depth = self.distinct;
        let table = &mut table[..outs * depth];
        table.fill(S::Elem::default());
        sums.fill(S::Elem::default());
        let dims = [rows, outs, depth];
        S::vectorize(Sums { dims, dy, x, x_outer: ins, panel, dw: table, db: Some(sums) });
        if let Some(db) = self.db {
            for (db, &sum) in db.iter_mut().zip(&*sums) {
                *db = *db + sum;
            }
        }
        for (o, &sum) in sums.iter().enumerate() {
            let row = o * ins..(o + 1) * ins;
            let mut d = &table[o * depth..][..depth];
            if depth < ins {
                let (own, alike) = expanded.split_at_mut(depth);
                own.copy_from_slice(d);
                alike.fill(d[depth - 1]);
                d = expanded;
            }
            unfold(sum, d, &w[row.clone()], norm, &mut dw[row], dnorm.scale, dnorm.shift);
        }
    }
}

/// From the gradients `d` of a row of `W diag γ` and `sum` of its part of `W β` to those of `W`, `γ` and `β`.
#[inline(always)]
fn unfold<E: Number>(
    sum: E,
    d: &[E],
    w: &[E],
    norm: Norm<'_, E>,
    dw: &mut [E],
    dscale: &mut [E],
    dshift: &mut [E],
) {
    let n = d.len();
    let (w, dw, scale, shift) = (&w[..n], &mut dw[..n], &norm.scale[..n], &norm.shift[..n]);
    let (dscale, dshift) = (&mut dscale[..n], &mut dshift[..n]);
    for i in 0..n {
        dw[i] = dw[i] + d[i] * scale[i] + sum * shift[i];
        dscale[i] = dscale[i] + d[i] * w[i];
        dshift[i] = dshift[i] + sum * w[i];
    }
}

/// Numbers of room for a table of these dimensions: the table, one row, and a column.
pub fn room_of([outs, ins]: [usize; 2]) -> usize {
    outs * ins + ins + outs
}

/// `to = W diag γ`, its last columns added up if `to` has fewer.
#[inline(always)]
fn scale_columns<E: Number>(w: &[E], scale: &[E], to: &mut [E]) {
    let depth = to.len() / (w.len() / scale.len());
    for (to, w) in to.chunks_exact_mut(depth).zip(w.chunks_exact(scale.len())) {
        for ((to, &w), &s) in to.iter_mut().zip(w).zip(scale) {
            *to = w * s;
        }
        for (&w, &s) in w.iter().zip(scale).skip(depth) {
            to[depth - 1] = to[depth - 1] + w * s;
        }
    }
}

/// `to = W β + bias`, a vector of rows at a time.
#[inline(always)]
fn shifts<S: Simd>(w: &[S::Elem], shift: &[S::Elem], bias: Option<&[S::Elem]>, to: &mut [S::Elem]) {
    let ins = shift.len();
    let whole = ins / S::LANES * S::LANES;
    for (first, to) in (0..to.len()).step_by(S::LANES).zip(to.chunks_mut(S::LANES)) {
        let mut sum = [S::zero(); MOST_LANES];
        for o in 0..to.len() {
            let row = &w[(first + o) * ins..][..ins];
            for i in (0..whole).step_by(S::LANES) {
                sum[o] = S::load(&row[i..]).fma(S::load(&shift[i..]), sum[o]);
            }
        }
        let sums = [S::horizontal_sums(&mut sum)];
        for (o, to) in to.iter_mut().enumerate() {
            *to = S::numbers(&sums)[o];
            let row = &w[(first + o) * ins..][..ins];
            for i in whole..ins {
                *to = *to + row[i] * shift[i];
            }
            if let Some(bias) = bias {
                *to = *to + bias[first + o];
            }
        }
    }
}
