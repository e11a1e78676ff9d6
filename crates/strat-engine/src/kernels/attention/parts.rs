//! The parts of attention, for one head and a block of an example's queries.

use super::Place;
use crate::kernels::columns::ViewMut;
use crate::kernels::contract::View;
use crate::kernels::rows::{Product, Start};
use crate::math::exp;
use crate::simd::{MOST_LANES, Number, Simd};

/// Some of the vectors that an example's queries lie in: `count` from `first` on.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub place: Place,
    pub first: usize,
    pub count: usize,
}

/// Rows `.1` apart.
type Rows<T> = (T, usize);

/// 1 in the lanes that are the example's own.
#[inline(always)]
pub(super) fn mark_own<S: Simd>(place: Place, own: &mut [S]) {
    own.fill(S::zero());
    let own = &mut S::numbers_mut(own)[place.start..place.start + place.tokens];
    own.fill(S::Elem::of(1.0));
}

/// An example's columns from `start` on, as many as fit `to`: `to[c]` are the vectors of column `c`. Asks for those of the next
/// example, which another thread may have written.
#[inline(always)]
pub(super) fn gather<S: Simd>(place: Place, x: &[S], cols: usize, start: usize, to: &mut [S]) {
    for (v, x) in x[place.vector * cols..].chunks(cols).take(place.vectors).enumerate() {
        for (to, x) in to[v..].iter_mut().step_by(place.vectors).zip(&x[start..]) {
            *to = *x;
            S::prefetch((&raw const *x).wrapping_add(place.vectors * cols));
        }
    }
}

/// `s[k, q] = Σ_c x[q,c] keys[c,k]` for a block of queries.
#[inline(always)]
pub(super) fn scores<S: Simd>(b: Block, x: Rows<&[S]>, width: usize, keys: &[S], s: &mut [S], next: &[S]) {
    let place = b.place;
    let keys = &S::numbers(keys)[place.start..];
    S::vectorize(Product {
        dims: [b.count, place.tokens, width],
        a: View::rows(x.0, x.1),
        b: View { data: keys, outer: 1, inner: place.vectors * S::LANES },
        c: ViewMut::new(s, [b.count, place.tokens], (1, b.count)),
        start: Start::Zero,
        next,
    });
}

/// `y[q,c] += Σₖ a[k, q] values[c,k]` for a block of queries.
#[inline(always)]
pub(super) fn mix<S: Simd>(b: Block, a: &[S], values: &[S], y: ViewMut<'_, S>, next: &[S]) {
    let place = b.place;
    let values = &S::numbers(values)[place.start..];
    S::vectorize(Product {
        dims: [b.count, y.shape()[1], place.tokens],
        a: View { data: a, outer: 1, inner: b.count },
        b: View { data: values, outer: place.vectors * S::LANES, inner: 1 },
        c: y,
        start: Start::Sum,
        next,
    });
}

/// `y[k,c] += Σ_q a[q, k] values[c,q]` for all keys, over the queries of a block.
#[inline(always)]
pub(super) fn mix_transposed<S: Simd>(b: Block, a: &[S], values: &[S], y: ViewMut<'_, S>, next: &[S]) {
    let place = b.place;
    let from = (b.first * S::LANES).max(place.start);
    let to = ((b.first + b.count) * S::LANES).min(place.start + place.tokens);
    S::vectorize(Product {
        dims: [place.vectors, y.shape()[1], to - from],
        a: View { data: &a[(from - b.first * S::LANES) * place.vectors..], outer: 1, inner: place.vectors },
        b: View { data: &S::numbers(values)[from..], outer: place.vectors * S::LANES, inner: 1 },
        c: y,
        start: Start::Sum,
        next,
    });
}

/// `a[k, q]` of a block of queries as `to[q, k]`, zero for keys that are not the example's own.
#[inline(always)]
pub(super) fn transpose<S: Simd>(b: Block, a: &[S], to: &mut [S]) {
    let (place, block) = (b.place, b.count);
    for k in 0..place.vectors {
        // Keys of the example in this vector: in lanes `low..high`.
        let low = place.start.saturating_sub(k * S::LANES);
        let high = (place.start + place.tokens - k * S::LANES).min(S::LANES);
        let a = &a[(k * S::LANES + low - place.start) * block..];
        let mut edge = [S::zero(); MOST_LANES];
        for q in 0..block {
            let to = (&mut to[q * S::LANES * place.vectors + k..], place.vectors);
            if (low, high) == (0, S::LANES) {
                transpose_tile((&a[q..], block), to);
            } else {
                for lane in low..high {
                    edge[lane] = a[(lane - low) * block + q];
                }
                transpose_tile((&edge, 1), to);
            }
        }
    }
}

/// `LANES` rows transposed.
#[inline(always)]
fn transpose_tile<S: Simd>(from: Rows<&[S]>, to: Rows<&mut [S]>) {
    let last = S::LANES - 1;
    let has = |step: usize, len: usize| last.checked_mul(step).is_some_and(|last| last < len);
    assert!(has(from.1, from.0.len()) && has(to.1, to.0.len()), "transpose: too short");
    let mut tile = [S::zero(); MOST_LANES];
    for lane in 0..S::LANES {
        // SAFETY: the assert covers the last row.
        tile[lane] = unsafe { *from.0.get_unchecked(lane * from.1) };
    }
    S::transpose(&mut tile);
    for lane in 0..S::LANES {
        // SAFETY: the assert covers the last row.
        unsafe { *to.0.get_unchecked_mut(lane * to.1) = tile[lane] };
    }
}

/// Softmax over the keys of `scale · s[k, q]`, in place; zero where `own` is.
#[inline(always)]
pub(super) fn softmax<S: Simd, const N: usize>(scale: f64, own: &[S], s: &mut [S]) {
    let (keys, _) = s.as_chunks_mut::<N>();
    let mut most = keys[0];
    for s in &*keys {
        for q in 0..N {
            most[q] = s[q].max(most[q]);
        }
    }
    let scale = S::of(scale);
    let mut sum = [S::zero(); N];
    for s in &mut *keys {
        for q in 0..N {
            s[q] = exp(s[q].sub(most[q]).mul(scale));
            sum[q] = sum[q].add(s[q]);
        }
    }
    let mut share = [S::zero(); N];
    for q in 0..N {
        share[q] = own[q].div(sum[q]);
    }
    for s in keys {
        for q in 0..N {
            s[q] = s[q].mul(share[q]);
        }
    }
}

/// `ds = scale · a (da − Σ dy·y)` in place of `da`.
#[inline(always)]
pub(super) fn softmax_grad<S: Simd, const N: usize>(
    scale: f64,
    (y, dy, cols, width): (&[S], &[S], usize, usize),
    a: &[S],
    da: &mut [S],
) {
    let scale = S::of(scale);
    let mut dot = [S::zero(); N];
    for q in 0..N {
        for (y, dy) in y[q * cols..][..width].iter().zip(&dy[q * cols..][..width]) {
            dot[q] = y.fma(*dy, dot[q]);
        }
    }
    let ((a, _), (da, _)) = (a.as_chunks::<N>(), da.as_chunks_mut::<N>());
    for (a, da) in a.iter().zip(da) {
        for q in 0..N {
            da[q] = da[q].sub(dot[q]).mul(scale).mul(a[q]);
        }
    }
}
