//! [`Isa::Portable`](crate::Isa::Portable) in a browser that has vectors of 128 bits: the same four lanes with the same bits as
//! plain Rust, without fused multiply-add. What is four operations there is one here, so that a page has less to load.

use super::{Kernel, Number, Simd};
use std::arch::wasm32::*;

/// Four `f32`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct F32x4(v128);

impl super::sealed::Sealed for F32x4 {}
impl Simd for F32x4 {
    type Elem = f32;
    const LANES: usize = 4;
    #[inline(always)]
    fn splat(x: f32) -> Self {
        F32x4(f32x4_splat(x))
    }
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        F32x4(f32x4_add(self.0, o.0))
    }
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        F32x4(f32x4_sub(self.0, o.0))
    }
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        F32x4(f32x4_mul(self.0, o.0))
    }
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        F32x4(f32x4_div(self.0, o.0))
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
        // The second, if it is larger than the first: with a NaN the first.
        F32x4(f32x4_pmax(o.0, self.0))
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        F32x4(f32x4_pmin(o.0, self.0))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        F32x4(f32x4_sqrt(self.0))
    }
    #[inline(always)]
    fn round(self) -> Self {
        F32x4(f32x4_nearest(self.0))
    }
    #[inline(always)]
    fn exp2i(self) -> Self {
        F32x4(u32x4_shl(self.add(Self::splat(f32::EXP2_MAGIC)).0, 23))
    }
    #[inline(always)]
    fn log2i(self) -> Self {
        // 2^(mantissa bits), whose low bits take the shifted exponent.
        let whole = f32x4_splat(f32::EXP2_MAGIC - (f32::MAX_EXP - 1) as f32);
        F32x4(v128_or(u32x4_shr(self.0, 23), whole)).sub(Self::splat(f32::EXP2_MAGIC))
    }
    #[inline(always)]
    fn select(self, mask: Self, o: Self) -> Self {
        F32x4(v128_bitselect(self.0, o.0, f32x4_ne(mask.0, f32x4_splat(0.0))))
    }
    #[inline(always)]
    fn equals(self, o: Self) -> Self {
        F32x4(v128_and(f32x4_eq(self.0, o.0), f32x4_splat(1.0)))
    }
    #[inline(always)]
    fn exchange(self, o: Self, run: usize) -> (Self, Self) {
        let (a, b) = (self.0, o.0);
        if run == 2 {
            (F32x4(u32x4_shuffle::<0, 1, 4, 5>(a, b)), F32x4(u32x4_shuffle::<2, 3, 6, 7>(a, b)))
        } else {
            (F32x4(u32x4_shuffle::<0, 4, 2, 6>(a, b)), F32x4(u32x4_shuffle::<1, 5, 3, 7>(a, b)))
        }
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
