//! AVX2 with FMA, and AVX-512.

use super::{Kernel, Simd};
use std::arch::x86_64::*;

/// Calls what needs the instruction set.
macro_rules! instruction {
    ($call:expr) => {
        // SAFETY: the machine has the instruction set: the types are private to this crate, and only
        // `Number::dispatch` names them, after asserting that. All intrinsics here work on values alone, but for
        // the prefetch, for which any address will do.
        unsafe { $call }
    };
}

macro_rules! x86 {
    (
        name: $name:ident,
        doc: $doc:literal,
        raw: $raw:ident,
        elem: $t:ident,
        lanes: $lanes:literal,
        features: $features:literal,
        shift: $shift:literal,
        splat: $set1:ident,
        add: $add:ident,
        sub: $sub:ident,
        mul: $mul:ident,
        div: $div:ident,
        fma: $fma:ident,
        nfma: $nfma:ident,
        max: $max:ident,
        min: $min:ident,
        sqrt: $sqrt:ident,
        round: $round:ident,
        to_bits: $to_bits:ident,
        shift_left: $shl:ident,
        from_bits: $from_bits:ident,
        equals: $equals:ident,
        shift_right: $shr:ident,
        or: $or:ident,
        select: $select:ident,
        exchange: $exchange:ident $(,)?
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
                instruction!($name($fma(self.0, b.0, c.0)))
            }
            #[inline(always)]
            fn nfma(self, b: Self, c: Self) -> Self {
                instruction!($name($nfma(self.0, b.0, c.0)))
            }
            #[inline(always)]
            fn max(self, o: Self) -> Self {
                instruction!($name($max(self.0, o.0)))
            }
            #[inline(always)]
            fn min(self, o: Self) -> Self {
                instruction!($name($min(self.0, o.0)))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                instruction!($name($sqrt(self.0)))
            }
            #[inline(always)]
            fn round(self) -> Self {
                instruction!($name($round!(self.0)))
            }
            #[inline(always)]
            fn exp2i(self) -> Self {
                let shifted = self.add(Self::splat(<$t as super::Number>::EXP2_MAGIC));
                instruction!($name($from_bits($shl::<$shift>($to_bits(shifted.0)))))
            }
            #[inline(always)]
            fn log2i(self) -> Self {
                // 2^(mantissa bits), whose low bits take the shifted exponent.
                let magic = <$t as super::Number>::EXP2_MAGIC;
                let whole = Self::splat(magic - ($t::MAX_EXP - 1) as $t);
                let raised = instruction!($from_bits($or($shr::<$shift>($to_bits(self.0)), $to_bits(whole.0))));
                $name(raised).sub(Self::splat(magic))
            }
            #[inline(always)]
            fn select(self, mask: Self, o: Self) -> Self {
                instruction!($name($select!(self.0, mask.0, o.0)))
            }
            #[inline(always)]
            fn equals(self, o: Self) -> Self {
                instruction!($name($equals!(self.0, o.0)))
            }
            #[inline(always)]
            fn exchange(self, o: Self, run: usize) -> (Self, Self) {
                let (even, odd) = instruction!($exchange!(self.0, o.0, run));
                ($name(even), $name(odd))
            }
            #[inline(always)]
            fn prefetch(at: *const Self) {
                instruction!(_mm_prefetch::<_MM_HINT_T0>(at.cast()))
            }
            #[inline(always)]
            fn vectorize(kernel: impl Kernel) {
                #[target_feature(enable = $features)]
                #[inline(never)] // once per kernel, not once per place that calls it
                fn inside(kernel: impl Kernel) {
                    kernel.run();
                }
                instruction!(inside(kernel))
            }
        }
    };
}

const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

// Operations that are more than one intrinsic. Macros, because a closure or function
// around an intrinsic would not be inlined into code compiled for the instruction set.
macro_rules! round_256_ps {
    ($x:expr) => {
        _mm256_round_ps::<NEAREST>($x)
    };
}
macro_rules! round_256_pd {
    ($x:expr) => {
        _mm256_round_pd::<NEAREST>($x)
    };
}
macro_rules! round_512_ps {
    ($x:expr) => {
        _mm512_roundscale_ps::<0>($x)
    };
}
macro_rules! round_512_pd {
    ($x:expr) => {
        _mm512_roundscale_pd::<0>($x)
    };
}
macro_rules! equals_256_ps {
    ($a:expr, $b:expr) => {
        _mm256_and_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>($a, $b), _mm256_set1_ps(1.0))
    };
}
macro_rules! equals_256_pd {
    ($a:expr, $b:expr) => {
        _mm256_and_pd(_mm256_cmp_pd::<_CMP_EQ_OQ>($a, $b), _mm256_set1_pd(1.0))
    };
}
macro_rules! equals_512_ps {
    ($a:expr, $b:expr) => {
        _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_EQ_OQ>($a, $b), _mm512_set1_ps(1.0))
    };
}
macro_rules! equals_512_pd {
    ($a:expr, $b:expr) => {
        _mm512_maskz_mov_pd(_mm512_cmp_pd_mask::<_CMP_EQ_OQ>($a, $b), _mm512_set1_pd(1.0))
    };
}
macro_rules! select_256_ps {
    ($a:expr, $mask:expr, $b:expr) => {
        _mm256_blendv_ps($b, $a, _mm256_cmp_ps::<_CMP_NEQ_UQ>($mask, _mm256_setzero_ps()))
    };
}
macro_rules! select_256_pd {
    ($a:expr, $mask:expr, $b:expr) => {
        _mm256_blendv_pd($b, $a, _mm256_cmp_pd::<_CMP_NEQ_UQ>($mask, _mm256_setzero_pd()))
    };
}
macro_rules! select_512_ps {
    ($a:expr, $mask:expr, $b:expr) => {
        _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_NEQ_UQ>($mask, _mm512_setzero_ps()), $b, $a)
    };
}
macro_rules! select_512_pd {
    ($a:expr, $mask:expr, $b:expr) => {
        _mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_NEQ_UQ>($mask, _mm512_setzero_pd()), $b, $a)
    };
}
macro_rules! exchange_256_ps {
    ($a:expr, $b:expr, $run:expr) => {
        match $run {
            4 => (_mm256_permute2f128_ps::<0x20>($a, $b), _mm256_permute2f128_ps::<0x31>($a, $b)),
            2 => {
                let (a, b) = (_mm256_castps_pd($a), _mm256_castps_pd($b));
                (_mm256_castpd_ps(_mm256_unpacklo_pd(a, b)), _mm256_castpd_ps(_mm256_unpackhi_pd(a, b)))
            }
            _ => {
                let (even, odd) = (_mm256_moveldup_ps($b), _mm256_movehdup_ps($a));
                (_mm256_blend_ps::<0xAA>($a, even), _mm256_blend_ps::<0xAA>(odd, $b))
            }
        }
    };
}
macro_rules! exchange_256_pd {
    ($a:expr, $b:expr, $run:expr) => {
        match $run {
            2 => (_mm256_permute2f128_pd::<0x20>($a, $b), _mm256_permute2f128_pd::<0x31>($a, $b)),
            _ => (_mm256_unpacklo_pd($a, $b), _mm256_unpackhi_pd($a, $b)),
        }
    };
}
macro_rules! exchange_512_ps {
    ($a:expr, $b:expr, $run:expr) => {
        match $run {
            8 => (_mm512_shuffle_f32x4::<0x44>($a, $b), _mm512_shuffle_f32x4::<0xEE>($a, $b)),
            4 => (
                _mm512_mask_shuffle_f32x4::<0xA0>($a, 0xF0F0, $b, $b),
                _mm512_mask_shuffle_f32x4::<0xF5>($b, 0x0F0F, $a, $a),
            ),
            2 => {
                let (a, b) = (_mm512_castps_pd($a), _mm512_castps_pd($b));
                (_mm512_castpd_ps(_mm512_unpacklo_pd(a, b)), _mm512_castpd_ps(_mm512_unpackhi_pd(a, b)))
            }
            _ => (_mm512_mask_moveldup_ps($a, 0xAAAA, $b), _mm512_mask_movehdup_ps($b, 0x5555, $a)),
        }
    };
}
macro_rules! exchange_512_pd {
    ($a:expr, $b:expr, $run:expr) => {
        match $run {
            4 => (_mm512_shuffle_f64x2::<0x44>($a, $b), _mm512_shuffle_f64x2::<0xEE>($a, $b)),
            2 => (
                _mm512_mask_shuffle_f64x2::<0xA0>($a, 0xCC, $b, $b),
                _mm512_mask_shuffle_f64x2::<0xF5>($b, 0x33, $a, $a),
            ),
            _ => (_mm512_unpacklo_pd($a, $b), _mm512_unpackhi_pd($a, $b)),
        }
    };
}

x86!(
    name: F32x8,
    doc: "Eight `f32`.",
    raw: __m256,
    elem: f32,
    lanes: 8,
    features: "avx2,fma",
    shift: 23,
    splat: _mm256_set1_ps,
    add: _mm256_add_ps,
    sub: _mm256_sub_ps,
    mul: _mm256_mul_ps,
    div: _mm256_div_ps,
    fma: _mm256_fmadd_ps,
    nfma: _mm256_fnmadd_ps,
    max: _mm256_max_ps,
    min: _mm256_min_ps,
    sqrt: _mm256_sqrt_ps,
    round: round_256_ps,
    to_bits: _mm256_castps_si256,
    shift_left: _mm256_slli_epi32,
    from_bits: _mm256_castsi256_ps,
    equals: equals_256_ps,
    shift_right: _mm256_srli_epi32,
    or: _mm256_or_si256,
    select: select_256_ps,
    exchange: exchange_256_ps,
);
x86!(
    name: F64x4,
    doc: "Four `f64`.",
    raw: __m256d,
    elem: f64,
    lanes: 4,
    features: "avx2,fma",
    shift: 52,
    splat: _mm256_set1_pd,
    add: _mm256_add_pd,
    sub: _mm256_sub_pd,
    mul: _mm256_mul_pd,
    div: _mm256_div_pd,
    fma: _mm256_fmadd_pd,
    nfma: _mm256_fnmadd_pd,
    max: _mm256_max_pd,
    min: _mm256_min_pd,
    sqrt: _mm256_sqrt_pd,
    round: round_256_pd,
    to_bits: _mm256_castpd_si256,
    shift_left: _mm256_slli_epi64,
    from_bits: _mm256_castsi256_pd,
    equals: equals_256_pd,
    shift_right: _mm256_srli_epi64,
    or: _mm256_or_si256,
    select: select_256_pd,
    exchange: exchange_256_pd,
);
x86!(
    name: F32x16,
    doc: "Sixteen `f32`.",
    raw: __m512,
    elem: f32,
    lanes: 16,
    features: "avx512f,avx512vl,avx512dq,avx2,fma",
    shift: 23,
    splat: _mm512_set1_ps,
    add: _mm512_add_ps,
    sub: _mm512_sub_ps,
    mul: _mm512_mul_ps,
    div: _mm512_div_ps,
    fma: _mm512_fmadd_ps,
    nfma: _mm512_fnmadd_ps,
    max: _mm512_max_ps,
    min: _mm512_min_ps,
    sqrt: _mm512_sqrt_ps,
    round: round_512_ps,
    to_bits: _mm512_castps_si512,
    shift_left: _mm512_slli_epi32,
    from_bits: _mm512_castsi512_ps,
    equals: equals_512_ps,
    shift_right: _mm512_srli_epi32,
    or: _mm512_or_si512,
    select: select_512_ps,
    exchange: exchange_512_ps,
);
x86!(
    name: F64x8,
    doc: "Eight `f64`.",
    raw: __m512d,
    elem: f64,
    lanes: 8,
    features: "avx512f,avx512vl,avx512dq,avx2,fma",
    shift: 52,
    splat: _mm512_set1_pd,
    add: _mm512_add_pd,
    sub: _mm512_sub_pd,
    mul: _mm512_mul_pd,
    div: _mm512_div_pd,
    fma: _mm512_fmadd_pd,
    nfma: _mm512_fnmadd_pd,
    max: _mm512_max_pd,
    min: _mm512_min_pd,
    sqrt: _mm512_sqrt_pd,
    round: round_512_pd,
    to_bits: _mm512_castpd_si512,
    shift_left: _mm512_slli_epi64,
    from_bits: _mm512_castsi512_pd,
    equals: equals_512_pd,
    shift_right: _mm512_srli_epi64,
    or: _mm512_or_si512,
    select: select_512_pd,
    exchange: exchange_512_pd,
);
