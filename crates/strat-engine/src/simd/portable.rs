//! Plain Rust: four lanes as an array. Runs everywhere; on x86-64 the same is written with SSE2.

use super::{Kernel, Number, Simd};

/// Four numbers.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Portable<T>([T; 4]);

/// An expression for every lane, written out: a closure would be one more function to inline wherever an operation is
/// used, and these are used so often that most of the time to compile this crate would go into that.
macro_rules! lanes {
    ($lane:ident => $number:expr) => {
        Portable([lanes!(@0, $lane, $number), lanes!(@1, $lane, $number), lanes!(@2, $lane, $number), lanes!(@3, $lane, $number)])
    };
    (@$at:literal, $lane:ident, $number:expr) => {{
        const $lane: usize = $at;
        $number
    }};
}

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
                lanes!(I => self.0[I] + o.0[I])
            }
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                lanes!(I => self.0[I] - o.0[I])
            }
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                lanes!(I => self.0[I] * o.0[I])
            }
            #[inline(always)]
            fn div(self, o: Self) -> Self {
                lanes!(I => self.0[I] / o.0[I])
            }
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self {
                lanes!(I => self.0[I] * b.0[I] + c.0[I])
            }
            #[inline(always)]
            fn nfma(self, b: Self, c: Self) -> Self {
                lanes!(I => c.0[I] - self.0[I] * b.0[I])
            }
            #[inline(always)]
            fn max(self, o: Self) -> Self {
                lanes!(I => if self.0[I] > o.0[I] { self.0[I] } else { o.0[I] })
            }
            #[inline(always)]
            fn min(self, o: Self) -> Self {
                lanes!(I => if self.0[I] < o.0[I] { self.0[I] } else { o.0[I] })
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                lanes!(I => self.0[I].sqrt())
            }
            #[inline(always)]
            fn round(self) -> Self {
                // Without a call for every lane: from here on, all numbers are whole.
                const WHOLE: $t = (1u64 << ($t::MANTISSA_DIGITS - 1)) as $t;
                lanes!(I => {
                    let (x, size) = (self.0[I], self.0[I].abs());
                    if size < WHOLE { ((size + WHOLE) - WHOLE).copysign(x) } else { x }
                })
            }
            #[inline(always)]
            fn exp2i(self) -> Self {
                lanes!(I => $t::from_bits((self.0[I] + $t::EXP2_MAGIC).to_bits() << $shift))
            }
            #[inline(always)]
            fn log2i(self) -> Self {
                // 2^(mantissa bits), whose low bits take the shifted exponent.
                const WHOLE: $t = $t::EXP2_MAGIC - ($t::MAX_EXP - 1) as $t;
                lanes!(I => $t::from_bits(self.0[I].to_bits() >> $shift | WHOLE.to_bits()) - $t::EXP2_MAGIC)
            }
            #[inline(always)]
            fn select(self, mask: Self, o: Self) -> Self {
                lanes!(I => if mask.0[I] != 0.0 { self.0[I] } else { o.0[I] })
            }
            #[inline(always)]
            fn equals(self, o: Self) -> Self {
                lanes!(I => if self.0[I] == o.0[I] { 1.0 } else { 0.0 })
            }
            #[inline(always)]
            fn vectorize(kernel: impl Kernel) {
                #[inline(never)] // once per kernel, not once per place that calls it
                fn inside(kernel: impl Kernel) {
                    kernel.run();
                }
                inside(kernel);
            }
        }
    };
}
portable!(f32, 23);
portable!(f64, 52);
