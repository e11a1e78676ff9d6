//! Elementary functions with fixed results: the same bits on every machine of
//! one instruction set, whatever its C library.

use super::simd::{Number, Simd};

/// eˣ, clamped to the normal range of the type; relative error below 2 ulp.
#[inline(always)]
pub fn exp<S: Simd>(x: S) -> S {
    let (low, high) = S::Elem::EXP_RANGE;
    // The bound comes first so that NaN passes through both comparisons.
    let x = S::splat(low).max(S::splat(high).min(x));
    let n = x.mul(S::of(std::f64::consts::LOG2_E)).round();
    let (head, tail) = S::Elem::LN2;
    let r = n.nfma(S::splat(tail), n.nfma(S::splat(head), x));
    let mut p = S::splat(S::Elem::EXP_TAYLOR[0]);
    for &c in &S::Elem::EXP_TAYLOR[1..] {
        p = p.fma(r, S::splat(c));
    }
    p.mul(n.exp2i())
}

/// The logistic function 1 / (1 + e⁻ˣ).
#[inline(always)]
pub fn sigmoid<S: Simd>(x: S) -> S {
    let one = S::of(1.0);
    one.div(one.add(exp(S::zero().sub(x))))
}

/// The hyperbolic tangent, from e²ˣ − 1, which keeps its digits near 0.
#[inline(always)]
pub fn tanh<S: Simd>(x: S) -> S {
    let most = S::splat(S::Elem::TANH_MOST);
    // The bound comes first so that NaN passes through both comparisons.
    let x = S::zero().sub(most).max(most.min(x.add(x)));
    let n = x.mul(S::of(std::f64::consts::LOG2_E)).round();
    let (head, tail) = S::Elem::LN2;
    let r = n.nfma(S::splat(tail), n.nfma(S::splat(head), x));
    // eʳ − 1 = r + r² (1/2 + r/6 + …)
    let series = S::Elem::EXP_TAYLOR;
    let mut p = S::splat(series[0]);
    for &c in &series[1..series.len() - 2] {
        p = p.fma(r, S::splat(c));
    }
    let p = p.fma(r.mul(r), r);
    // 2ⁿ eʳ − 1 = 2ⁿ (eʳ − 1) + (2ⁿ − 1)
    let power = n.exp2i();
    let e = power.fma(p, power.sub(S::of(1.0)));
    e.div(e.add(S::of(2.0)))
}

/// The natural logarithm of a positive normal number; above 2¹⁰²² (`f32`: 2¹²⁶) that of the bound.
#[inline(always)]
pub fn ln<S: Simd>(x: S) -> S {
    let x = S::splat(S::Elem::LN_MOST).min(x);
    // x = 2ⁿ m with √½ ≤ m < √2
    let n = x.mul(S::of(std::f64::consts::SQRT_2)).log2i();
    let m = x.mul(S::zero().sub(n).exp2i());
    // ln m = 2 (s + s³/3 + s⁵/5 + …)
    let one = S::of(1.0);
    let s = m.sub(one).div(m.add(one));
    let square = s.mul(s);
    let mut p = S::splat(S::Elem::LN_SERIES[0]);
    for &c in &S::Elem::LN_SERIES[1..] {
        p = p.fma(square, S::splat(c));
    }
    let (head, tail) = S::Elem::LN2;
    n.fma(S::splat(head), n.fma(S::splat(tail), s.mul(p)))
}

/// Φ(x) = ½ erfc(−x/√2), the normal distribution function, and its density φ(x); the
/// absolute error is below 2 ulp of 1, the relative one grows with x² where Φ vanishes.
#[inline(always)]
pub fn normal<S: Simd>(x: S) -> (S, S) {
    // erfc z = e^(−z²) R(t) with t = 1 / (1 + 0.35 z), R a polynomial in t − ½.
    let size = S::splat(S::Elem::ERFC_MOST).min(abs(x));
    let bell = exp(size.mul(size).mul(S::of(-0.5)));
    let one = S::of(1.0);
    let t = one.div(size.fma(S::of(0.35 * std::f64::consts::FRAC_1_SQRT_2), one));
    let u = t.sub(S::of(0.5));
    let mut p = S::splat(S::Elem::ERFC_SERIES[0]);
    for &c in &S::Elem::ERFC_SERIES[1..] {
        p = p.fma(u, S::splat(c));
    }
    let tail = p.mul(bell).mul(S::of(0.5));
    let density = bell.mul(S::of(0.398_942_280_401_432_7)); // 1/√(2π)
    let negative = x.min(S::zero());
    (tail.select(negative, one.sub(tail)), density)
}

/// |x|
#[inline(always)]
pub fn abs<S: Simd>(x: S) -> S {
    x.max(S::zero().sub(x))
}
