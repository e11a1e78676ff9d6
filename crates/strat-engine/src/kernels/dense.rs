//! A linear map of rows on lanes, with everything that is done to its operand and its result on the way:
//! `y = times ⊙ act(W (γ ⊙ x + β) + b + residual)`.
//!
//! Scale and shift of a LayerNorm go into the table: `W (γ ⊙ x + β) = (W diag γ) x + W β`. That is one multiplication
//! a weight instead of two operations a row; and their gradients follow from the table's, so that rows which nothing
//! learned has touched need no gradient at all.
//!
//! Where the last columns of `x` are alike in every row, they are one column: their weights are added up, and each
//! gets the same gradient. (Of Sudoku's 64 Type channels 27 are never used.)
//!
//! Forward, and backward but for the tables, a row needs no other row; and each row of a table's gradient is a sum of its
//! own over all rows. So several threads can do some rows each, and then some rows of the table each.

use super::columns::ViewMut;
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
    /// For backward: the result of GELU, with `times` alone.
    pub value: &'a mut [S],
    /// And its slope.
    pub slope: &'a mut [S],
    /// `[rows, outs]`
    pub y: &'a mut [S],
    /// [`room_of`] so many numbers.
    pub room: &'a mut [S::Elem],
}

impl<S: Simd> Kernel for Dense<'_, S> {
    #[inline(always)]
    fn run(self) {
        let Dense { dims: [outs, ins], x, norm, act, times, value, slope, y, room, .. } = self;
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
                c: ViewMut::rows(now, outs),
                start,
                next: &later[..block.min(later.len())],
            });
            // While it is in the first-level cache.
            match act {
                Act::None => {}
                Act::Sigmoid => elementwise::sigmoid_in_place(now),
                Act::Gelu => match times {
                    None => elementwise::gelu_in_place(now, &mut slope[i * block..]),
                    Some(times) => {
                        let (value, slope) = (&mut value[i * block..], &mut slope[i * block..]);
                        elementwise::gated_gelu_in_place(&times[i * block..], now, value, slope);
                    }
                },
            }
            (y, i) = (later, i + 1);
        }
    }
}

/// Passes on what [`Dense`] does to rows.
pub struct DenseGrad<'a, S: Simd> {
    /// Columns of `y` and of `x`.
    pub dims: [usize; 2],
    /// The operand, all rows: [`TableGrad`] reads them next.
    pub x: &'a [S],
    /// The table.
    pub w: &'a [S::Elem],
    /// The scale of `x`, if it has one.
    pub scale: Option<&'a [S::Elem]>,
    /// What was done to the sum.
    pub act: Act,
    /// The result, if it was σ.
    pub y: &'a [S],
    /// As in [`Dense`].
    pub times: Option<&'a [S]>,
    /// As in [`Dense`].
    pub value: &'a [S],
    /// As in [`Dense`].
    pub slope: &'a [S],
    /// The result's gradient; afterwards that of the sum.
    pub dy: &'a mut [S],
    /// The gradient of `times`, and whether something is there already.
    pub dtimes: Option<(&'a mut [S], bool)>,
    /// The operand's gradient, and whether something is there already.
    pub dx: Option<(&'a mut [S], bool)>,
    /// Room as in [`Dense`].
    pub room: &'a mut [S::Elem],
}

impl<S: Simd> Kernel for DenseGrad<'_, S> {
    #[inline(always)]
    fn run(self) {
        let DenseGrad { dims: [outs, ins], w, dy, slope, .. } = self;
        match self.act {
            Act::None => {}
            Act::Sigmoid => affine::through_sigmoid(self.y, dy),
            Act::Gelu => match self.times {
                None => elementwise::mul_in_place(slope, dy),
                Some(times) => elementwise::gated_gelu_grad((times, self.value, slope), dy, self.dtimes),
            },
        }
        let Some((dx, there)) = self.dx else { return };
        let table = &mut self.room[..outs * ins];
        let mut w = w;
        if let Some(scale) = self.scale {
            scale_columns(w, scale, table);
            w = table;
        }
        S::vectorize(Product {
            dims: [dy.len() / outs, ins, outs],
            a: View::rows(dy, outs),
            b: View::rows(w, ins).t(),
            c: ViewMut::rows(dx, ins),
            start: if there { Start::Sum } else { Start::Zero },
            next: self.x,
        });
    }
}

/// Adds to the gradients of some rows of [`Dense`]'s table. Where there is a norm, those of its scale and shift follow with
/// [`NormGrad`].
pub struct TableGrad<'a, S: Simd> {
    /// Columns of `y` and of `x`.
    pub dims: [usize; 2],
    /// Which columns of `y`, as many as `dw` has rows.
    pub first: usize,
    /// Gradient of the sum, all rows and columns.
    pub dy: &'a [S],
    /// The operand, all rows.
    pub x: &'a [S],
    /// Of `x`; with it, `x` is as in [`Dense`].
    pub norm: Option<Norm<'a, S::Elem>>,
    /// Of `dy`, these columns' gradient of the table.
    pub dw: &'a mut [S::Elem],
    /// Nothing is there yet: it is cleared first, by the thread that has it in its cache then.
    pub begins: bool,
    /// And of the bias.
    pub db: Option<&'a mut [S::Elem]>,
    /// With a norm, for [`NormGrad`]: `[outs, distinct]`, the gradient of `W diag γ`.
    pub d: &'a mut [S::Elem],
    /// And the sums of columns of `dy`.
    pub sums: &'a mut [S::Elem],
    /// Room for a vector for each row times [`TALL`].
    pub panel: &'a mut [S],
}

impl<S: Simd> Kernel for TableGrad<'_, S> {
    #[inline(always)]
    fn run(self) {
        let TableGrad { dims: [all, ins], first, dy, x, norm, dw, begins, db, d, sums, panel } = self;
        let (rows, outs) = (dy.len() / all, dw.len() / ins);
        if begins {
            dw.fill(S::Elem::default());
        }
        let dy = &dy[first..];
        let panel = &mut panel[..rows * TALL];
        let Some(norm) = norm else {
            let dims = [rows, outs, ins];
            return S::vectorize(Sums { dims, dy, dy_outer: all, x, x_outer: ins, panel, dw, db });
        };
        let depth = d.len() / outs;
        d.fill(S::Elem::default());
        sums.fill(S::Elem::default());
        let dims = [rows, outs, depth];
        S::vectorize(Sums { dims, dy, dy_outer: all, x, x_outer: ins, panel, dw: d, db: Some(&mut *sums) });
        if let Some(db) = db {
            for (db, &sum) in db.iter_mut().zip(&*sums) {
                *db = *db + sum;
            }
        }
        // Slices of equal length: an iterator that skips would count to its start, one column after the other.
        let [(scale, scale_alike), (shift, shift_alike)] = [norm.scale, norm.shift].map(|all| all.split_at(depth));
        for ((dw, d), &sum) in dw.chunks_exact_mut(ins).zip(d.chunks_exact(depth)).zip(&*sums) {
            let (dw, alike) = dw.split_at_mut(depth);
            for (((dw, &scale), &shift), &d) in dw.iter_mut().zip(scale).zip(shift).zip(d) {
                *dw = *dw + d * scale + sum * shift;
            }
            let last = d[depth - 1];
            for ((dw, &scale), &shift) in alike.iter_mut().zip(scale_alike).zip(shift_alike) {
                *dw = *dw + last * scale + sum * shift;
            }
        }
    }
}

/// Adds to the gradients of a norm's scale and shift, from what [`TableGrad`] says of all rows.
pub struct NormGrad<'a, E> {
    /// The table.
    pub w: &'a [E],
    /// As in [`TableGrad`].
    pub d: &'a [E],
    /// As in [`TableGrad`].
    pub sums: &'a [E],
    /// dγ
    pub scale: &'a mut [E],
    /// dβ
    pub shift: &'a mut [E],
}

impl<E: Number> Kernel for NormGrad<'_, E> {
    #[inline(always)]
    fn run(self) {
        let NormGrad { w, d, sums, scale, shift } = self;
        let (ins, depth) = (scale.len(), d.len() / sums.len());
        let (scale, scale_alike) = scale.split_at_mut(depth);
        for ((w, d), &sum) in w.chunks_exact(ins).zip(d.chunks_exact(depth)).zip(sums) {
            for (shift, &w) in shift.iter_mut().zip(w) {
                *shift = *shift + sum * w;
            }
            let (w, alike) = w.split_at(depth);
            for ((scale, &w), &d) in scale.iter_mut().zip(w).zip(d) {
                *scale = *scale + d * w;
            }
            let last = d[depth - 1];
            for (scale, &w) in scale_alike.iter_mut().zip(alike) {
                *scale = *scale + last * w;
            }
        }
    }
}

/// Numbers of room for a table of these dimensions: the table, and a column.
pub fn room_of([outs, ins]: [usize; 2]) -> usize {
    outs * ins + outs
}

/// `to = W diag γ`, its last columns added up if `to` has fewer.
#[inline(always)]
fn scale_columns<E: Number>(w: &[E], scale: &[E], to: &mut [E]) {
    let depth = to.len() / (w.len() / scale.len());
    let (own, alike) = scale.split_at(depth);
    for (to, w) in to.chunks_exact_mut(depth).zip(w.chunks_exact(scale.len())) {
        let (w, others) = w.split_at(depth);
        for ((to, &w), &s) in to.iter_mut().zip(w).zip(own) {
            *to = w * s;
        }
        let last = &mut to[depth - 1];
        for (&w, &s) in others.iter().zip(alike) {
            *last = *last + w * s;
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
