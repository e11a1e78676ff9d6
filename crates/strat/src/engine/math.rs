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
    use super::super::simd::{Isa, Visitor};
    use super::*;

    /// Largest relative error of `exp` and `sigmoid` over a fine grid.
    struct Worst;
    impl<E: Elem> Visitor<E> for Worst {
        type Out = (f64, f64);
        fn visit<S: Simd<Elem = E>>(self) -> (f64, f64) {
            let mut worst = (0f64, 0f64);
            for i in -80_000..80_000 {
                let x = E::of(i as f64 * 1.0371e-3);
                let (mut e, mut s) = ([S::zero()], [S::zero()]);
                S::vectorize(|| {
                    e[0] = exp(S::splat(x));
                    s[0] = sigmoid(S::splat(x));
                });
                let (e, s) = (S::numbers(&e)[0].f64(), S::numbers(&s)[0].f64());
                let (te, ts) = (libm::exp(x.f64()), 1.0 / (1.0 + libm::exp(-x.f64())));
                worst = (worst.0.max((e / te - 1.0).abs()), worst.1.max((s / ts - 1.0).abs()));
            }
            worst
        }
    }

    #[test]
    fn exp_and_sigmoid_are_accurate_on_every_instruction_set() {
        for isa in Isa::all_available() {
            let (e, s) = f32::dispatch(isa, Worst);
            assert!(e < 2.5e-7 && s < 3.5e-7, "{isa} f32: {e:e} {s:e}");
            let (e, s) = f64::dispatch(isa, Worst);
            assert!(e < 5e-16 && s < 7e-16, "{isa} f64: {e:e} {s:e}");
        }
    }

    /// exp at the ends of the range and beyond, and NaN.
    struct Edges;
    impl<E: Elem> Visitor<E> for Edges {
        type Out = Vec<f64>;
        fn visit<S: Simd<Elem = E>>(self) -> Vec<f64> {
            [-1e30, -1e4, 0.0, 1e4, 1e30, f64::NAN]
                .map(|x| {
                    let mut e = [S::zero()];
                    S::vectorize(|| e[0] = sigmoid(S::of(x)));
                    S::numbers(&e)[0].f64()
                })
                .to_vec()
        }
    }

    #[test]
    fn sigmoid_saturates_and_passes_nan_on() {
        for isa in Isa::all_available() {
            for v in [f32::dispatch(isa, Edges), f64::dispatch(isa, Edges)] {
                assert!(v[0] < 1e-37 && v[1] < 1e-37, "{isa} {v:?}");
                assert_eq!(v[2], 0.5);
                assert_eq!((v[3], v[4]), (1.0, 1.0));
                assert!(v[5].is_nan(), "{isa}");
            }
        }
    }
}
