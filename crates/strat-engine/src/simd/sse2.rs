//! [`Isa::Portable`](crate::Isa::Portable) on x86-64, all of which have SSE2: the same four lanes with the same bits as plain
//! Rust, without fused multiply-add. What is four operations there is one here, or two for `f64`, so that there is less to
//! compile.

use super::{Kernel, Number, Simd};
use std::arch::x86_64::*;

/// Calls what needs SSE2.
macro_rules! instruction {
    ($call:expr) => {
        // SAFETY: every x86-64 has SSE2, and all intrinsics here work on values alone.
        unsafe { $call }
    };
}

macro_rules! sse2 {
    (
        name: $name:ident,
        doc: $doc:literal,
        raw: $raw:ident,
        elem: $t:ident,
        vectors: [$($i:literal)+],
        shift: $shift:literal,
        splat: $splat:ident,
        add: $add:ident,
        sub: $sub:ident,
        mul: $mul:ident,
        div: $div:ident,
        max: $max:ident,
        min: $min:ident,
        sqrt: $sqrt:ident,
        and: $and:ident,
        and_not: $and_not:ident,
        or: $or:ident,
        less: $less:ident,
        equal: $equal:ident,
        not_equal: $not_equal:ident,
        to_bits: $to_bits:ident,
        from_bits: $from_bits:ident,
        shift_left: $shl:ident,
        shift_right: $shr:ident,
        exchange: $exchange:ident $(,)?
    ) => {
        #[doc = $doc]
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $name([$raw; [$($i),+].len()]);

        impl $name {
            /// `a` where `mask` is set, else `b`.
            #[inline(always)]
            fn choose(mask: $raw, a: $raw, b: $raw) -> $raw {
                instruction!($or($and(mask, a), $and_not(mask, b)))
            }
        }

        impl super::sealed::Sealed for $name {}
        impl Simd for $name {
            type Elem = $t;
            const LANES: usize = 4;
            #[inline(always)]
            fn splat(x: $t) -> Self {
                $name([instruction!($splat(x)); [$($i),+].len()])
            }
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                $name([$(instruction!($add(self.0[$i], o.0[$i]))),+])
            }
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                $name([$(instruction!($sub(self.0[$i], o.0[$i]))),+])
            }
            #[inline(always)]
            fn mul(self, o: Self) -> Self {
                $name([$(instruction!($mul(self.0[$i], o.0[$i]))),+])
            }
            #[inline(always)]
            fn div(self, o: Self) -> Self {
                $name([$(instruction!($div(self.0[$i], o.0[$i]))),+])
            }
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self {
                self.mul(b).add(c)
            }
            #[inline(always)]
            fn nfma(self, b: Self, c: Self) -> Self {
                c.sub(self.mul(b))
            }
            #[inline(always)]
            fn max(self, o: Self) -> Self {
                $name([$(instruction!($max(self.0[$i], o.0[$i]))),+])
            }
            #[inline(always)]
            fn min(self, o: Self) -> Self {
                $name([$(instruction!($min(self.0[$i], o.0[$i]))),+])
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $name([$(instruction!($sqrt(self.0[$i]))),+])
            }
            #[inline(always)]
            fn round(self) -> Self {
                // There is no instruction for it; from here on, all numbers are whole.
                const WHOLE: $t = (1u64 << ($t::MANTISSA_DIGITS - 1)) as $t;
                let (x, [whole, sign]) = (self.0, instruction!([$splat(WHOLE), $splat(-0.0)]));
                $name([$(instruction!({
                    let size = $and_not(sign, x[$i]);
                    let rounded = $or($sub($add(size, whole), whole), $and(sign, x[$i]));
                    Self::choose($less(size, whole), rounded, x[$i])
                })),+])
            }
            #[inline(always)]
            fn exp2i(self) -> Self {
                let shifted = self.add(Self::splat($t::EXP2_MAGIC));
                $name([$(instruction!($from_bits($shl::<$shift>($to_bits(shifted.0[$i]))))),+])
            }
            #[inline(always)]
            fn log2i(self) -> Self {
                // 2^(mantissa bits), whose low bits take the shifted exponent.
                let whole = instruction!($splat($t::EXP2_MAGIC - ($t::MAX_EXP - 1) as $t));
                let raised = $name([$(instruction!($or($from_bits($shr::<$shift>($to_bits(self.0[$i]))), whole))),+]);
                raised.sub(Self::splat($t::EXP2_MAGIC))
            }
            #[inline(always)]
            fn select(self, mask: Self, o: Self) -> Self {
                let zero = instruction!($splat(0.0));
                $name([$(Self::choose(instruction!($not_equal(mask.0[$i], zero)), self.0[$i], o.0[$i])),+])
            }
            #[inline(always)]
            fn equals(self, o: Self) -> Self {
                $name([$(instruction!($and($equal(self.0[$i], o.0[$i]), $splat(1.0)))),+])
            }
            #[inline(always)]
            fn exchange(self, o: Self, run: usize) -> (Self, Self) {
                let (even, odd) = $exchange(self.0, o.0, run);
                ($name(even), $name(odd))
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

#[inline(always)]
fn exchange_ps([a]: [__m128; 1], [b]: [__m128; 1], run: usize) -> ([__m128; 1], [__m128; 1]) {
    instruction!({
        let (low, high) = if run == 2 { (a, b) } else { (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b)) };
        ([_mm_movelh_ps(low, high)], [_mm_movehl_ps(high, low)])
    })
}

#[inline(always)]
fn exchange_pd(a: [__m128d; 2], b: [__m128d; 2], run: usize) -> ([__m128d; 2], [__m128d; 2]) {
    if run == 2 {
        return ([a[0], b[0]], [a[1], b[1]]);
    }
    instruction!((
        [_mm_unpacklo_pd(a[0], b[0]), _mm_unpacklo_pd(a[1], b[1])],
        [_mm_unpackhi_pd(a[0], b[0]), _mm_unpackhi_pd(a[1], b[1])]
    ))
}

sse2!(
    name: F32x4,
    doc: "Four `f32`.",
    raw: __m128,
    elem: f32,
    vectors: [0],
    shift: 23,
    splat: _mm_set1_ps,
    add: _mm_add_ps,
    sub: _mm_sub_ps,
    mul: _mm_mul_ps,
    div: _mm_div_ps,
    max: _mm_max_ps,
    min: _mm_min_ps,
    sqrt: _mm_sqrt_ps,
    and: _mm_and_ps,
    and_not: _mm_andnot_ps,
    or: _mm_or_ps,
    less: _mm_cmplt_ps,
    equal: _mm_cmpeq_ps,
    not_equal: _mm_cmpneq_ps,
    to_bits: _mm_castps_si128,
    from_bits: _mm_castsi128_ps,
    shift_left: _mm_slli_epi32,
    shift_right: _mm_srli_epi32,
    exchange: exchange_ps,
);

sse2!(
    name: F64x4,
    doc: "Four `f64`.",
    raw: __m128d,
    elem: f64,
    vectors: [0 1],
    shift: 52,
    splat: _mm_set1_pd,
    add: _mm_add_pd,
    sub: _mm_sub_pd,
    mul: _mm_mul_pd,
    div: _mm_div_pd,
    max: _mm_max_pd,
    min: _mm_min_pd,
    sqrt: _mm_sqrt_pd,
    and: _mm_and_pd,
    and_not: _mm_andnot_pd,
    or: _mm_or_pd,
    less: _mm_cmplt_pd,
    equal: _mm_cmpeq_pd,
    not_equal: _mm_cmpneq_pd,
    to_bits: _mm_castpd_si128,
    from_bits: _mm_castsi128_pd,
    shift_left: _mm_slli_epi64,
    shift_right: _mm_srli_epi64,
    exchange: exchange_pd,
);
