//! One number in, one number out. An operand shorter than the result repeats:
//! a bias row for every token, a table for every example.

use crate::math;
use crate::simd::{Number, Simd};

/// The runs `(length, at, at in a, at in b)` in which a result of `total` elements and
/// operands that repeat every `a` and `b` elements are all contiguous.
#[inline(always)]
fn runs(total: usize, a: usize, b: usize) -> impl Iterator<Item = (usize, usize, usize, usize)> {
    let len = total.min(a).min(b).max(1);
    assert!(total.is_multiple_of(a) && total.is_multiple_of(b) && a.is_multiple_of(len) && b.is_multiple_of(len));
    (0..total).step_by(len).map(move |at| (len, at, at % a, at % b))
}

/// `y = a + b`
#[inline(always)]
pub fn add<S: Simd>(a: &[S], b: &[S], y: &mut [S]) {
    for (n, i, ia, ib) in runs(y.len(), a.len(), b.len()) {
        for ((y, a), b) in y[i..i + n].iter_mut().zip(&a[ia..ia + n]).zip(&b[ib..ib + n]) {
            *y = a.add(*b);
        }
    }
}

/// The gradient of so few columns is summed in registers.
pub const FEW_COLUMNS: usize = 4;

/// `dx += dy`, summed over the repeats of `dx`.
#[inline(always)]
pub fn add_grad<S: Simd>(dy: &[S], dx: &mut [S]) {
    let n = dx.len();
    if n > FEW_COLUMNS {
        for dy in dy.chunks_exact(n) {
            for (dx, dy) in dx.iter_mut().zip(dy) {
                *dx = dx.add(*dy);
            }
        }
        return;
    }
    // Few columns: keep each sum in a register.
    for (c, dx) in dx.iter_mut().enumerate() {
        let mut sum = S::zero();
        for dy in dy.chunks_exact(n) {
            sum = sum.add(dy[c]);
        }
        *dx = dx.add(sum);
    }
}

/// `y = a ⊙ b`
#[inline(always)]
pub fn mul<S: Simd>(a: &[S], b: &[S], y: &mut [S]) {
    for (n, i, ia, ib) in runs(y.len(), a.len(), b.len()) {
        for ((y, a), b) in y[i..i + n].iter_mut().zip(&a[ia..ia + n]).zip(&b[ib..ib + n]) {
            *y = a.mul(*b);
        }
    }
}

/// `da += dy ⊙ b`, summed over the repeats of `da`.
#[inline(always)]
pub fn mul_grad<S: Simd>(dy: &[S], b: &[S], da: &mut [S]) {
    for (n, i, ia, ib) in runs(dy.len(), da.len(), b.len()) {
        for ((da, dy), b) in da[ia..ia + n].iter_mut().zip(&dy[i..i + n]).zip(&b[ib..ib + n]) {
            *da = dy.fma(*b, *da);
        }
    }
}

/// `y = a ⊙ y`
#[inline(always)]
pub fn mul_in_place<S: Simd>(a: &[S], y: &mut [S]) {
    for (y, a) in y.iter_mut().zip(a) {
        *y = y.mul(*a);
    }
}

/// `y = by · x`
#[inline(always)]
pub fn scale<S: Simd>(by: f64, x: &[S], y: &mut [S]) {
    let by = S::of(by);
    for (y, x) in y.iter_mut().zip(x) {
        *y = x.mul(by);
    }
}

/// `dx += by · dy`
#[inline(always)]
pub fn scale_grad<S: Simd>(by: f64, dy: &[S], dx: &mut [S]) {
    let by = S::of(by);
    for (dx, dy) in dx.iter_mut().zip(dy) {
        *dx = dy.fma(by, *dx);
    }
}

/// `y = σ(x)`
#[inline(always)]
pub fn sigmoid<S: Simd>(x: &[S], y: &mut [S]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = math::sigmoid(*x);
    }
}

/// `y = σ(y)`
#[inline(always)]
pub fn sigmoid_in_place<S: Simd>(y: &mut [S]) {
    for y in y {
        *y = math::sigmoid(*y);
    }
}

/// `dx += dy · y (1 − y)`
#[inline(always)]
pub fn sigmoid_grad<S: Simd>(y: &[S], dy: &[S], dx: &mut [S]) {
    for ((dx, y), dy) in dx.iter_mut().zip(y).zip(dy) {
        *dx = y.nfma(*y, *y).fma(*dy, *dx);
    }
}

/// `y = tanh x`
#[inline(always)]
pub fn tanh<S: Simd>(x: &[S], y: &mut [S]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = math::tanh(*x);
    }
}

/// `dx += dy (1 − y²)`
#[inline(always)]
pub fn tanh_grad<S: Simd>(y: &[S], dy: &[S], dx: &mut [S]) {
    for ((dx, y), dy) in dx.iter_mut().zip(y).zip(dy) {
        *dx = y.nfma(*y, S::of(1.0)).fma(*dy, *dx);
    }
}

/// `y = eˣ`
#[inline(always)]
pub fn exp<S: Simd>(x: &[S], y: &mut [S]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = math::exp(*x);
    }
}

/// Keeps the logarithm of zero finite.
pub const LOG_OFFSET: f64 = 1e-7;

/// `y = ln(|x| + 1e-7)`
#[inline(always)]
pub fn log_abs<S: Simd>(x: &[S], y: &mut [S]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = math::ln(math::abs(*x).add(S::of(LOG_OFFSET)));
    }
}

/// `dx += dy sign(x) / (|x| + 1e-7)`, where the sign of zero is zero.
#[inline(always)]
pub fn log_abs_grad<S: Simd>(x: &[S], dy: &[S], dx: &mut [S]) {
    for ((dx, x), dy) in dx.iter_mut().zip(x).zip(dy) {
        let size = math::abs(*x);
        let sign = x.div(size.max(S::splat(S::Elem::TINY)));
        *dx = sign.div(size.add(S::of(LOG_OFFSET))).fma(*dy, *dx);
    }
}

/// `y = x Φ(x)`, and its slope `Φ(x) + x φ(x)`.
#[inline(always)]
pub fn gelu<S: Simd>(x: &[S], y: &mut [S], slope: &mut [S]) {
    for ((y, x), slope) in y.iter_mut().zip(x).zip(slope) {
        let (below, density) = math::normal(*x);
        *y = x.mul(below);
        *slope = x.fma(density, below);
    }
}

/// `y = y Φ(y)`, and its slope.
#[inline(always)]
pub fn gelu_in_place<S: Simd>(y: &mut [S], slope: &mut [S]) {
    for (y, slope) in y.iter_mut().zip(slope) {
        let (below, density) = math::normal(*y);
        *slope = y.fma(density, below);
        *y = y.mul(below);
    }
}

/// `y = times ⊙ y Φ(y)`; what is multiplied, and its slope.
#[inline(always)]
pub fn gated_gelu_in_place<S: Simd>(times: &[S], y: &mut [S], value: &mut [S], slope: &mut [S]) {
    for (((y, times), value), slope) in y.iter_mut().zip(times).zip(value).zip(slope) {
        let (below, density) = math::normal(*y);
        *slope = y.fma(density, below);
        *value = y.mul(below);
        *y = times.mul(*value);
    }
}

/// `dtimes = dy ⊙ value`, added to what is there if `there`, and `dy = dy ⊙ times ⊙ slope`.
#[inline(always)]
pub fn gated_gelu_grad<S: Simd>(
    (times, value, slope): (&[S], &[S], &[S]),
    dy: &mut [S],
    dtimes: Option<(&mut [S], bool)>,
) {
    let Some((dtimes, there)) = dtimes else {
        for ((dy, times), slope) in dy.iter_mut().zip(times).zip(slope) {
            *dy = dy.mul(*times).mul(*slope);
        }
        return;
    };
    for ((((dy, times), value), slope), dtimes) in dy.iter_mut().zip(times).zip(value).zip(slope).zip(dtimes) {
        let own = dy.mul(*value);
        *dtimes = if there { dtimes.add(own) } else { own };
        *dy = dy.mul(*times).mul(*slope);
    }
}

/// `y[t, h·K + k] = x[t, h·K + k] + table[h, offset[t,k]]` for one example.
#[inline(always)]
pub fn add_offsets<S: Simd>(keys: usize, offset: &[u32], x: &[S], table: &[S], y: &mut [S]) {
    let heads = x.len() / offset.len();
    let places = table.len() / heads;
    let rows = x.chunks_exact(heads * keys).zip(y.chunks_exact_mut(heads * keys)).zip(offset.chunks_exact(keys));
    for ((x, y), offset) in rows {
        for h in 0..heads {
            let (x, y, table) = (&x[h * keys..], &mut y[h * keys..], &table[h * places..]);
            for (k, &place) in offset.iter().enumerate() {
                y[k] = x[k].add(table[place as usize]);
            }
        }
    }
}

/// `dtable[h, offset[t,k]] += dy[t, h·K + k]`
#[inline(always)]
pub fn add_offsets_grad<S: Simd>(keys: usize, offset: &[u32], dy: &[S], dtable: &mut [S]) {
    let heads = dy.len() / offset.len();
    let places = dtable.len() / heads;
    for (dy, offset) in dy.chunks_exact(heads * keys).zip(offset.chunks_exact(keys)) {
        for h in 0..heads {
            let (dy, dtable) = (&dy[h * keys..], &mut dtable[h * places..]);
            for (k, &place) in offset.iter().enumerate() {
                dtable[place as usize] = dtable[place as usize].add(dy[k]);
            }
        }
    }
}
