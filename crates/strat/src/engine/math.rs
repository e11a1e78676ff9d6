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
