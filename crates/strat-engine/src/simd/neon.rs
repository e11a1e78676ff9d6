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
    (
        name: $name:ident,
        doc: $doc:literal,
        raw: $raw:ident,
        elem: $t:ident,
        lanes: $lanes:literal,
        shift: $shift:literal,
        splat: $set1:ident,
        add: $add:ident,
        sub: $sub:ident,
        mul: $mul:ident,
        div: $div:ident,
        fma: $fma:ident,
        fms: $fms:ident,
        greater: $gt:ident,
        less: $lt:ident,
        choose: $bsl:ident,
        sqrt: $sqrt:ident,
        round: $round:ident,
        to_bits: $to_bits:ident,
        shift_left: $shl:ident,
        from_bits: $from_bits:ident,
        equals: $ceq:ident,
        shift_right: $shr:ident,
        or: $or:ident,
        to_unsigned: $to_unsigned:ident,
        from_unsigned: $from_unsigned:ident $(,)?
    ) => {
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
    name: F32x4,
    doc: "Four `f32`.",
    raw: float32x4_t,
    elem: f32,
    lanes: 4,
    shift: 23,
    splat: vdupq_n_f32,
    add: vaddq_f32,
    sub: vsubq_f32,
    mul: vmulq_f32,
    div: vdivq_f32,
    fma: vfmaq_f32,
    fms: vfmsq_f32,
    greater: vcgtq_f32,
    less: vcltq_f32,
    choose: vbslq_f32,
    sqrt: vsqrtq_f32,
    round: vrndnq_f32,
    to_bits: vreinterpretq_s32_f32,
    shift_left: vshlq_n_s32,
    from_bits: vreinterpretq_f32_s32,
    equals: vceqq_f32,
    shift_right: vshrq_n_u32,
    or: vorrq_u32,
    to_unsigned: vreinterpretq_u32_f32,
    from_unsigned: vreinterpretq_f32_u32,
);
neon!(
    name: F64x2,
    doc: "Two `f64`.",
    raw: float64x2_t,
    elem: f64,
    lanes: 2,
    shift: 52,
    splat: vdupq_n_f64,
    add: vaddq_f64,
    sub: vsubq_f64,
    mul: vmulq_f64,
    div: vdivq_f64,
    fma: vfmaq_f64,
    fms: vfmsq_f64,
    greater: vcgtq_f64,
    less: vcltq_f64,
    choose: vbslq_f64,
    sqrt: vsqrtq_f64,
    round: vrndnq_f64,
    to_bits: vreinterpretq_s64_f64,
    shift_left: vshlq_n_s64,
    from_bits: vreinterpretq_f64_s64,
    equals: vceqq_f64,
    shift_right: vshrq_n_u64,
    or: vorrq_u64,
    to_unsigned: vreinterpretq_u64_f64,
    from_unsigned: vreinterpretq_f64_u64,
);
