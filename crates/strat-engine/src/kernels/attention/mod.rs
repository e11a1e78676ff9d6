//! Attention of one learner whose rows sit on lanes: scores, softmax and routed rows, example by example and head by
//! head, so that an example's routes stay in the cache.
//!
//! Rows of all examples follow one another, so an example starts at any lane. Its queries are worked on in the
//! vectors they lie in; lanes of its neighbours are computed too and then weigh nothing. Keys and values enter as
//! single numbers, for which their columns are copied side by side. Backward, routes are transposed so that keys sit on
//! lanes; then every product is [`Product`](super::rows::Product).
//!
//! Heads have columns of their own in all that is written, so that several threads can do some heads each.

mod parts;

use super::columns::ViewMut;
use super::rows::TILE_ROWS;
use crate::simd::{Kernel, Simd};
use parts::{Block, gather, mark_own, mix, mix_transposed, scores, softmax, softmax_grad, transpose};
use std::ops::Range;

/// Sizes.
#[derive(Clone, Copy, Debug)]
pub struct Dims {
    /// Examples.
    pub examples: usize,
    /// Tokens of each.
    pub tokens: usize,
    /// Columns of queries and keys.
    pub cols: usize,
    /// Columns of values.
    pub value_cols: usize,
    /// Heads that all columns are split into.
    pub heads: usize,
    /// What scores are multiplied by.
    pub scale: f64,
}

impl Dims {
    /// The most vectors that an example's rows lie in.
    fn most_vectors(self, lanes: usize) -> usize {
        (lanes - 1 + self.tokens).div_ceil(lanes)
    }

    /// Vectors of routes that are kept for backward: `[example, head, block of queries, key, vector of the block]`.
    pub fn kept(self, lanes: usize) -> usize {
        self.examples * self.heads * self.kept_by_head(lanes)
    }

    /// Columns of what is kept: for each head, in a row for each example.
    pub fn kept_by_head(self, lanes: usize) -> usize {
        self.tokens * self.most_vectors(lanes)
    }

    /// Vectors of room that the kernels need.
    pub fn room(self, lanes: usize) -> usize {
        let vectors = self.most_vectors(lanes);
        let columns = (self.cols + self.value_cols) / self.heads;
        vectors + 2 * columns * vectors + TILE_ROWS * self.tokens + 2 * TILE_ROWS * lanes * vectors
    }

    /// Where example `i` lies.
    fn place(self, i: usize, lanes: usize) -> Place {
        let first = i * self.tokens;
        let start = first % lanes;
        Place { vector: first / lanes, start, vectors: (start + self.tokens).div_ceil(lanes), tokens: self.tokens }
    }
}

/// An example's rows: lanes `start..start + tokens` of `vectors` vectors from `vector` on.
#[derive(Clone, Copy)]
struct Place {
    vector: usize,
    start: usize,
    vectors: usize,
    tokens: usize,
}

/// `y = concat_h(softmax(scale q_h·k_h) v_h)` for some heads
pub struct Attend<'a, S> {
    /// Sizes.
    pub dims: Dims,
    /// Which heads.
    pub heads: Range<usize>,
    /// Queries, `[rows, cols]`.
    pub q: &'a [S],
    /// Keys.
    pub k: &'a [S],
    /// Values, `[rows, value_cols]`.
    pub v: &'a [S],
    /// The routes of these heads, for backward: [`Dims::kept_by_head`] columns for each.
    pub kept: ViewMut<'a, S>,
    /// Their columns of the result.
    pub y: ViewMut<'a, S>,
    /// [`Dims::room`]
    pub room: &'a mut [S],
}

impl<S: Simd> Kernel for Attend<'_, S> {
    #[inline(always)]
    fn run(self) {
        let Attend { dims: d, heads, q, k, v, mut kept, mut y, room } = self;
        let (width, value_width) = (d.cols / d.heads, d.value_cols / d.heads);
        clear(&mut y);
        for i in 0..d.examples {
            let place = d.place(i, S::LANES);
            let (own, room) = room.split_at_mut(place.vectors);
            mark_own(place, own);
            let (keys, room) = room.split_at_mut(width * place.vectors);
            let (values, _) = room.split_at_mut(value_width * place.vectors);
            for (at, (h, kept)) in
                heads.clone().zip(kept.row(i).chunks_exact_mut(d.kept_by_head(S::LANES))).enumerate()
            {
                gather(place, k, d.cols, h * width, keys);
                gather(place, v, d.value_cols, h * value_width, values);
                let mut first = 0;
                while first < place.vectors {
                    let count = (place.vectors - first).min(TILE_ROWS);
                    let block = Block { place, first, count };
                    let (routes, next) = kept[first * d.tokens..].split_at_mut(count * d.tokens);
                    let next = &next[..next.len().min(TILE_ROWS * d.tokens)];
                    let rows = place.vector + first;
                    scores::<S>(block, (&q[rows * d.cols + h * width..], d.cols), width, keys, routes, next);
                    let own = &own[first..first + count];
                    match count {
                        3 => softmax::<S, 3>(d.scale, own, routes),
                        2 => softmax::<S, 2>(d.scale, own, routes),
                        _ => softmax::<S, 1>(d.scale, own, routes),
                    }
                    let to = y.part(rows..rows + count, at * value_width..(at + 1) * value_width);
                    mix::<S>(block, routes, values, to, &[]);
                    first += count;
                }
            }
        }
    }
}

/// Columns of a gradient, and whether something is there already.
pub type GradColumns<'a, S> = Option<(ViewMut<'a, S>, bool)>;

/// Adds what [`Attend`] passes on to the gradients of queries, keys and values, of those that have one.
pub struct AttendGrad<'a, S> {
    /// Sizes.
    pub dims: Dims,
    /// Which heads.
    pub heads: Range<usize>,
    /// Queries.
    pub q: &'a [S],
    /// Keys.
    pub k: &'a [S],
    /// Values.
    pub v: &'a [S],
    /// The routes of all heads.
    pub kept: &'a [S],
    /// The result.
    pub y: &'a [S],
    /// Its gradient.
    pub dy: &'a [S],
    /// Of queries.
    pub dq: GradColumns<'a, S>,
    /// Of keys.
    pub dk: GradColumns<'a, S>,
    /// Of values.
    pub dv: GradColumns<'a, S>,
    /// [`Dims::room`]
    pub room: &'a mut [S],
}

impl<S: Simd> Kernel for AttendGrad<'_, S> {
    #[inline(always)]
    fn run(self) {
        let AttendGrad { dims: d, heads, q, k, v, kept, y, dy, dq, dk, dv, room } = self;
        let (width, value_width) = (d.cols / d.heads, d.value_cols / d.heads);
        let (mut dq, mut dk, mut dv) = (started(dq), started(dk), started(dv));
        for (i, kept) in kept.chunks_exact(d.heads * d.kept_by_head(S::LANES)).enumerate() {
            let place = d.place(i, S::LANES);
            let (queries, room) = room.split_at_mut(width * place.vectors);
            let (keys, room) = room.split_at_mut(width * place.vectors);
            let (values, room) = room.split_at_mut(value_width * place.vectors);
            let (grads, room) = room.split_at_mut(value_width * place.vectors);
            let (dscores, room) = room.split_at_mut(TILE_ROWS * d.tokens);
            let (transposed, transposed_grads) = room.split_at_mut(TILE_ROWS * S::LANES * place.vectors);
            // Their rows were last seen a whole pass ago.
            let [next_q, next_k] = [q, k].map(|x| rows_of(d, i + 1, x, d.cols));
            let next_v = rows_of(d, i + 1, v, d.value_cols);
            for (at, h) in heads.clone().enumerate() {
                let kept = &kept[h * d.kept_by_head(S::LANES)..][..d.kept_by_head(S::LANES)];
                gather(place, q, d.cols, h * width, queries);
                gather(place, k, d.cols, h * width, keys);
                gather(place, v, d.value_cols, h * value_width, values);
                gather(place, dy, d.value_cols, h * value_width, grads);
                let all = place.vector..place.vector + place.vectors;
                let (own, own_values) = (at * width..(at + 1) * width, at * value_width..(at + 1) * value_width);
                let mut first = 0;
                while first < place.vectors {
                    let count = (place.vectors - first).min(TILE_ROWS);
                    let block = Block { place, first, count };
                    let (routes, next) = kept[first * d.tokens..].split_at(count * d.tokens);
                    let next = &next[..next.len().min(TILE_ROWS * d.tokens)];
                    let dscores = &mut dscores[..count * d.tokens];
                    let rows = place.vector + first..place.vector + first + count;
                    let values_at = rows.start * d.value_cols + h * value_width;
                    // da[q,k] = Σ_c dy[q,c] v[k,c]
                    scores::<S>(block, (&dy[values_at..], d.value_cols), value_width, values, dscores, next);
                    let results = (&y[values_at..], &dy[values_at..], d.value_cols, value_width);
                    match count {
                        3 => softmax_grad::<S, 3>(d.scale, results, routes, dscores),
                        2 => softmax_grad::<S, 2>(d.scale, results, routes, dscores),
                        _ => softmax_grad::<S, 1>(d.scale, results, routes, dscores),
                    }
                    // dq[q,c] += Σₖ ds[q,k] k[k,c]
                    if let Some(dq) = &mut dq {
                        mix::<S>(block, dscores, keys, dq.part(rows, own.clone()), share(next_q, h, d.heads));
                    }
                    transpose(block, routes, transposed);
                    transpose(block, dscores, transposed_grads);
                    // dv[k,c] += Σ_q a[q,k] dy[q,c],  dk[k,c] += Σ_q ds[q,k] q[q,c]
                    if let Some(dv) = &mut dv {
                        let (to, next) = (dv.part(all.clone(), own_values.clone()), share(next_v, h, d.heads));
                        mix_transposed::<S>(block, transposed, grads, to, next);
                    }
                    if let Some(dk) = &mut dk {
                        let (to, next) = (dk.part(all.clone(), own.clone()), share(next_k, h, d.heads));
                        mix_transposed::<S>(block, transposed_grads, queries, to, next);
                    }
                    first += count;
                }
            }
        }
    }
}

/// Zero in all columns.
#[inline(always)]
fn clear<S: Simd>(to: &mut ViewMut<'_, S>) {
    for i in 0..to.shape()[0] {
        to.row(i).fill(S::zero());
    }
}

/// What is to be added to, cleared unless something is there.
#[inline(always)]
fn started<S: Simd>(to: GradColumns<'_, S>) -> Option<ViewMut<'_, S>> {
    let (mut to, there) = to?;
    if !there {
        clear(&mut to);
    }
    Some(to)
}

/// The vectors that example `i` lies in; none if there is no such example.
#[inline(always)]
fn rows_of<S: Simd>(d: Dims, i: usize, x: &[S], cols: usize) -> &[S] {
    let place = d.place(i, S::LANES);
    if i < d.examples { &x[place.vector * cols..][..place.vectors * cols] } else { &[] }
}

/// Part `i` of `parts`.
#[inline(always)]
fn share<S>(x: &[S], i: usize, parts: usize) -> &[S] {
    &x[x.len() * i / parts..x.len() * (i + 1) / parts]
}
