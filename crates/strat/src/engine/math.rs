//! Elementary functions with fixed results: the same bits on every machine of
//! one instruction set, whatever its C library.

use super::simd::{Elem, Simd};

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

#[cfg(test)]
mod tests {
    use super::super::simd::{Isa, Kernel, Visitor};
    use super::*;

    /// `exp` and `sigmoid` of some numbers.
    struct Both<'a, S> {
        x: &'a [S],
        exp: &'a mut [S],
        sigmoid: &'a mut [S],
    }
    impl<S: Simd> Kernel for Both<'_, S> {
        #[inline(always)]
        fn run(self) {
            for ((x, e), s) in self.x.iter().zip(self.exp).zip(self.sigmoid) {
                *e = exp(*x);
                *s = sigmoid(*x);
            }
        }
    }

    struct Of<'a>(&'a [f64]);
    impl<E: Elem> Visitor<E> for Of<'_> {
        type Out = Vec<[f64; 3]>;
        /// `[x, exp x, sigmoid x]` of each number, as rounded to the type.
        fn visit<S: Simd<Elem = E>>(self) -> Self::Out {
            let x: Vec<S> = self.0.iter().map(|&x| S::of(x)).collect();
            let (mut e, mut s) = (x.clone(), x.clone());
            S::vectorize(Both { x: &x, exp: &mut e, sigmoid: &mut s });
            let first = |v: &[S], i: usize| S::numbers(&v[i..=i])[0].f64();
            (0..x.len()).map(|i| [first(&x, i), first(&e, i), first(&s, i)]).collect()
        }
    }

    #[test]
    fn exp_and_sigmoid_are_accurate_on_every_instruction_set() {
        let grid: Vec<f64> = (-80_000..80_000).map(|i| f64::from(i) * 1.0371e-3).collect();
        let worst = |rows: Vec<[f64; 3]>| {
            rows.iter().fold((0f64, 0f64), |(we, ws), &[x, e, s]| {
                let (te, ts) = (libm::exp(x), 1.0 / (1.0 + libm::exp(-x)));
                (we.max((e / te - 1.0).abs()), ws.max((s / ts - 1.0).abs()))
            })
        };
        for isa in Isa::all_available() {
            let (e, s) = worst(f32::dispatch(isa, Of(&grid)));
            assert!(e < 2.5e-7 && s < 3.5e-7, "{isa} f32: {e:e} {s:e}");
            let (e, s) = worst(f64::dispatch(isa, Of(&grid)));
            assert!(e < 5e-16 && s < 7e-16, "{isa} f64: {e:e} {s:e}");
        }
    }

    /// `tanh` and `ln` of some numbers.
    struct TanhLn<'a, S> {
        x: &'a [S],
        tanh: &'a mut [S],
        ln: &'a mut [S],
    }
    impl<S: Simd> Kernel for TanhLn<'_, S> {
        #[inline(always)]
        fn run(self) {
            for ((x, t), l) in self.x.iter().zip(self.tanh).zip(self.ln) {
                *t = tanh(*x);
                *l = ln(*x);
            }
        }
    }

    struct OfTanhLn<'a>(&'a [f64]);
    impl<E: Elem> Visitor<E> for OfTanhLn<'_> {
        type Out = Vec<[f64; 3]>;
        /// `[x, tanh x, ln x]` of each number, as rounded to the type.
        fn visit<S: Simd<Elem = E>>(self) -> Self::Out {
            let x: Vec<S> = self.0.iter().map(|&x| S::of(x)).collect();
            let (mut t, mut l) = (x.clone(), x.clone());
            S::vectorize(TanhLn { x: &x, tanh: &mut t, ln: &mut l });
            let first = |v: &[S], i: usize| S::numbers(&v[i..=i])[0].f64();
            (0..x.len()).map(|i| [first(&x, i), first(&t, i), first(&l, i)]).collect()
        }
    }

    #[test]
    fn tanh_is_accurate_on_every_instruction_set() {
        // Small numbers too: the error is relative.
        let linear = (1..60_000).map(|i| f64::from(i) * 4.0371e-4);
        let small = (1..600).map(|i| libm::exp(-0.05 * f64::from(i)));
        let grid: Vec<f64> = linear.chain(small).flat_map(|x| [x, -x]).collect();
        let worst =
            |rows: Vec<[f64; 3]>| rows.iter().fold(0f64, |w, &[x, t, _]| w.max((t / libm::tanh(x) - 1.0).abs()));
        for isa in Isa::all_available() {
            let e = worst(f32::dispatch(isa, OfTanhLn(&grid)));
            assert!(e < 3.5e-7, "{isa} f32: {e:e}");
            let e = worst(f64::dispatch(isa, OfTanhLn(&grid)));
            assert!(e < 9e-16, "{isa} f64: {e:e}");
        }
    }

    #[test]
    fn ln_is_accurate_on_every_instruction_set() {
        // All magnitudes of f32, and close to 1, where the error is still relative.
        let wide = (-80_000..80_000).map(|i| libm::exp(f64::from(i) * 1.0371e-3));
        let near = (1..20_000).map(|i| 1.0 + f64::from(i - 10_000) * 1.7e-5);
        let grid: Vec<f64> = wide.chain(near).collect();
        let worst = |rows: Vec<[f64; 3]>| {
            let error = |&[x, _, l]: &[f64; 3]| match libm::log(x) {
                0.0 => l.abs(),
                t => (l / t - 1.0).abs(),
            };
            rows.iter().map(error).fold(0f64, f64::max)
        };
        for isa in Isa::all_available() {
            let e = worst(f32::dispatch(isa, OfTanhLn(&grid)));
            assert!(e < 3.5e-7, "{isa} f32: {e:e}");
            let e = worst(f64::dispatch(isa, OfTanhLn(&grid)));
            assert!(e < 9e-16, "{isa} f64: {e:e}");
        }
    }

    #[test]
    fn tanh_and_ln_at_the_edges() {
        for isa in Isa::all_available() {
            let edges = [0.0, -1e30, 1e30, f64::NAN, 1e-7];
            for v in [f32::dispatch(isa, OfTanhLn(&edges)), f64::dispatch(isa, OfTanhLn(&edges))] {
                let t: Vec<f64> = v.iter().map(|row| row[1]).collect();
                assert_eq!(t[..3], [0.0, -1.0, 1.0], "{isa}");
                assert!(t[3].is_nan() && v[3][2].is_nan(), "{isa}");
            }
            let v = f64::dispatch(isa, OfTanhLn(&[f64::MIN_POSITIVE, f64::MAX, f64::INFINITY]));
            for (row, want) in v.iter().zip([-708.396_418_532_264, 708.396_418_532_264, 708.396_418_532_264]) {
                assert!((row[2] - want).abs() < 1e-9, "{isa}: {row:?}");
            }
        }
    }

    #[test]
    fn sigmoid_saturates_and_passes_nan_on() {
        let edges = [-1e30, -1e4, 0.0, 1e4, 1e30, f64::NAN];
        for isa in Isa::all_available() {
            for v in [f32::dispatch(isa, Of(&edges)), f64::dispatch(isa, Of(&edges))] {
                let s: Vec<f64> = v.iter().map(|row| row[2]).collect();
                assert!(s[0] < 1e-37 && s[1] < 1e-37, "{isa} {s:?}");
                assert_eq!(s[2..5], [0.5, 1.0, 1.0]);
                assert!(s[5].is_nan(), "{isa}");
            }
        }
    }
}
