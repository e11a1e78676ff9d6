//! Plain Rust: four lanes as an array. Runs everywhere; the other instruction
//! sets are tested against it.

use super::{Elem, Kernel, Simd};

/// Four numbers.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Portable<T>([T; 4]);

macro_rules! portable {
    ($t:ident, $shift:literal) => {
        impl super::sealed::Sealed for Portable<$t> {}
        impl Simd for Portable<$t> {
            type Elem = $t;
            const LANES: usize = 4;
            #[inline(always)]
            fn splat(x: $t) -> Self {
                Portable([x; 4])
            }
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                Portable(std::array::from_fn(|i| self.0[i] + o.0[i]))
            }
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                Portable(std::array::from_fn(|i| self.0[i] - o.0[i]))
            }
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                Portable(std::array::from_fn(|i| self.0[i] * o.0[i]))
            }
            #[inline(always)]
            fn div(self, o: Self) -> Self {
                Portable(std::array::from_fn(|i| self.0[i] / o.0[i]))
            }
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self {
                Portable(std::array::from_fn(|i| self.0[i] * b.0[i] + c.0[i]))
            }
            #[inline(always)]
            fn nfma(self, b: Self, c: Self) -> Self {
                Portable(std::array::from_fn(|i| c.0[i] - self.0[i] * b.0[i]))
            }
            #[inline(always)]
            fn max(self, o: Self) -> Self {
                let pick = |a: $t, b: $t| if a > b { a } else { b };
                Portable(std::array::from_fn(|i| pick(self.0[i], o.0[i])))
            }
            #[inline(always)]
            fn min(self, o: Self) -> Self {
                let pick = |a: $t, b: $t| if a < b { a } else { b };
                Portable(std::array::from_fn(|i| pick(self.0[i], o.0[i])))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Portable(self.0.map($t::sqrt))
            }
            #[inline(always)]
            fn round(self) -> Self {
                Portable(self.0.map($t::round_ties_even))
            }
            #[inline(always)]
            fn exp2i(self) -> Self {
                Portable(self.0.map(|n| $t::from_bits((n + $t::EXP2_MAGIC).to_bits() << $shift)))
            }
            #[inline(always)]
            fn log2i(self) -> Self {
                // 2^(mantissa bits), whose low bits take the shifted exponent.
                let base = ($t::MANTISSA_DIGITS - 1) as i32;
                let whole = $t::EXP2_MAGIC - ($t::MAX_EXP - 1) as $t;
                debug_assert_eq!(whole, (2 as $t).powi(base));
                Portable(self.0.map(|x| $t::from_bits(x.to_bits() >> $shift | whole.to_bits()) - $t::EXP2_MAGIC))
            }
            #[inline(always)]
            fn select(self, mask: Self, o: Self) -> Self {
                let pick = |i: usize| if mask.0[i] != 0.0 { self.0[i] } else { o.0[i] };
                Portable(std::array::from_fn(pick))
            }
            #[inline(always)]
            fn equals(self, o: Self) -> Self {
                let one = |same: bool| if same { 1.0 } else { 0.0 };
                Portable(std::array::from_fn(|i| one(self.0[i] == o.0[i])))
            }
            #[inline(always)]
            fn vectorize(kernel: impl Kernel) {
                kernel.run();
            }
        }
    };
}
portable!(f32, 23);
portable!(f64, 52);
