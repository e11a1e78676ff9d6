//! NEON, which every aarch64 has.

use super::{Kernel, Number, Simd};
use std::arch::aarch64::*;

/// Calls what needs the instruction set.
macro_rules! instruction {
    ($call:expr) => {
        // SAFETY: NEON is part of the architecture that this module is compiled for, and the intrinsics work on
        // values alone.
        unsafe { $call }
    };
}

macro_rules! neon {
    ($name:ident, $doc:literal, $raw:ident, $t:ident, $lanes:literal, $shift:literal, $set1:ident, $add:ident,
     $sub:ident, $mul:ident, $div:ident, $fma:ident, $fms:ident, $gt:ident, $lt:ident, $bsl:ident, $sqrt:ident,
     $round:ident, $to_bits:ident, $shl:ident, $from_bits:ident, $ceq:ident, $shr:ident, $or:ident,
     $to_unsigned:ident, $from_unsigned:ident) => {
        #[doc = $doc]
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $name($raw);

        impl super::sealed::Sealed for $name {}
        impl Simd for $name {
            type Elem = $t;
            const LANES: usize = $lanes;
            #[inline(always)]
            fn splat(x: $t) -> Self {
                instruction!($name($set1(x)))
            }
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                instruction!($name($add(self.0, o.0)))
            }
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                instruction!($name($sub(self.0, o.0)))
            }
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                instruction!($name($mul(self.0, o.0)))
            }
            #[inline(always)]
            fn div(self, o: Self) -> Self {
                instruction!($name($div(self.0, o.0)))
            }
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self {
                instruction!($name($fma(c.0, self.0, b.0)))
            }
            #[inline(always)]
            fn nfma(self, b: Self, c: Self) -> Self {
                instruction!($name($fms(c.0, self.0, b.0)))
            }
            #[inline(always)]
            fn max(self, o: Self) -> Self {
                instruction!($name($bsl($gt(self.0, o.0), self.0, o.0)))
            }
            #[inline(always)]
            fn min(self, o: Self) -> Self {
                instruction!($name($bsl($lt(self.0, o.0), self.0, o.0)))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                instruction!($name($sqrt(self.0)))
            }
            #[inline(always)]
            fn round(self) -> Self {
                instruction!($name($round(self.0)))
            }
            #[inline(always)]
            fn exp2i(self) -> Self {
                let shifted = self.add(Self::splat($t::EXP2_MAGIC));
                instruction!($name($from_bits($shl::<$shift>($to_bits(shifted.0)))))
            }
            #[inline(always)]
            fn log2i(self) -> Self {
                // 2^(mantissa bits), whose low bits take the shifted exponent.
                let whole = Self::splat($t::EXP2_MAGIC - ($t::MAX_EXP - 1) as $t);
                let raised =
                    instruction!($from_unsigned($or($shr::<$shift>($to_unsigned(self.0)), $to_unsigned(whole.0))));
                $name(raised).sub(Self::splat($t::EXP2_MAGIC))
            }
            #[inline(always)]
            fn select(self, mask: Self, o: Self) -> Self {
                instruction!($name($bsl($ceq(mask.0, $set1(0.0)), o.0, self.0)))
            }
            #[inline(always)]
            fn equals(self, o: Self) -> Self {
                instruction!($name($bsl($ceq(self.0, o.0), $set1(1.0), $set1(0.0))))
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

neon!(
    F32x4,
    "Four `f32`.",
    float32x4_t,
    f32,
    4,
    23,
    vdupq_n_f32,
    vaddq_f32,
    vsubq_f32,
    vmulq_f32,
    vdivq_f32,
    vfmaq_f32,
    vfmsq_f32,
    vcgtq_f32,
    vcltq_f32,
    vbslq_f32,
    vsqrtq_f32,
    vrndnq_f32,
    vreinterpretq_s32_f32,
    vshlq_n_s32,
    vreinterpretq_f32_s32,
    vceqq_f32,
    vshrq_n_u32,
    vorrq_u32,
    vreinterpretq_u32_f32,
    vreinterpretq_f32_u32
);
neon!(
    F64x2,
    "Two `f64`.",
    float64x2_t,
    f64,
    2,
    52,
    vdupq_n_f64,
    vaddq_f64,
    vsubq_f64,
    vmulq_f64,
    vdivq_f64,
    vfmaq_f64,
    vfmsq_f64,
    vcgtq_f64,
    vcltq_f64,
    vbslq_f64,
    vsqrtq_f64,
    vrndnq_f64,
    vreinterpretq_s64_f64,
    vshlq_n_s64,
    vreinterpretq_f64_s64,
    vceqq_f64,
    vshrq_n_u64,
    vorrq_u64,
    vreinterpretq_u64_f64,
    vreinterpretq_f64_u64
);
