//! The numbers that the engine computes in, with what [`math`](crate::math) needs to know of each.

#[cfg(target_arch = "aarch64")]
use super::neon::{F32x4, F64x2};
#[cfg(not(target_arch = "x86_64"))]
use super::portable::Portable;
#[cfg(target_arch = "x86_64")]
use super::sse2;
#[cfg(target_arch = "x86_64")]
use super::x86::{F32x8, F32x16, F64x4, F64x8};
use super::{Isa, Simd};
use std::fmt;

/// The portable set's four lanes of `f32`.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
type Portable32 = super::wasm::F32x4;
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
type Portable32 = Portable<f32>;
#[cfg(not(target_arch = "x86_64"))]
type Portable64 = Portable<f64>;

/// A number type the engine computes in: `f32` or `f64`. Sealed.
pub trait Number:
    super::sealed::Sealed
    + Copy
    + Send
    + Sync
    + PartialOrd
    + fmt::Debug
    + Default
    + std::ops::Add<Output = Self>
    + std::ops::Mul<Output = Self>
    + 'static
{
    /// Its name in a safetensors header.
    const DTYPE: safetensors::Dtype;
    /// `2^(mantissa bits) + exponent bias`: added to an integral `n`, it leaves
    /// `n + bias` in the low mantissa bits, ready to be shifted into the exponent.
    #[doc(hidden)]
    const EXP2_MAGIC: Self;
    /// Where `exp` neither overflows nor leaves the normal numbers.
    #[doc(hidden)]
    const EXP_RANGE: (Self, Self);
    /// ln 2 as a short leading part and the rest (Cody–Waite reduction).
    #[doc(hidden)]
    const LN2: (Self, Self);
    /// 1/k! for k = degree, …, 1, 0: enough terms for |r| ≤ ½ ln 2.
    #[doc(hidden)]
    const EXP_TAYLOR: &'static [Self];
    /// The smallest normal number.
    #[doc(hidden)]
    const TINY: Self;
    /// The largest power of two whose inverse is normal.
    #[doc(hidden)]
    const LN_MOST: Self;
    /// 2/(2k + 1) for k = degree, …, 1, 0: enough terms of `ln` for |s| ≤ 3 − √8.
    #[doc(hidden)]
    const LN_SERIES: &'static [Self];
    /// Beyond it `tanh(x / 2)` is 1.
    #[doc(hidden)]
    const TANH_MOST: Self;
    /// Beyond it Φ is 0 or 1.
    #[doc(hidden)]
    const ERFC_MOST: Self;
    /// `R` in [`normal`](crate::math::normal), highest power first.
    #[doc(hidden)]
    const ERFC_SERIES: &'static [Self];
    /// From `f64`, rounded to nearest.
    fn of(x: f64) -> Self;
    /// To `f64`, exactly.
    fn f64(self) -> f64;
    /// Little-endian bytes, appended.
    fn write_le(self, out: &mut Vec<u8>);
    /// What was written so, bit for bit, also if it is no number.
    ///
    /// # Panics
    /// If there are not as many bytes as the type has.
    fn read_le(bytes: &[u8]) -> Self;
    /// Runs a computation on the type's vector of an instruction set.
    #[doc(hidden)]
    fn dispatch<V: Visitor<Self>>(isa: Isa, visitor: V) -> V::Out;
}

/// A computation that is generic over the vector type; see [`Number::dispatch`].
pub trait Visitor<E: Number> {
    /// What it gives back.
    type Out;
    /// Runs it on one vector type.
    fn visit<S: Simd<Elem = E>>(self) -> Self::Out;
}

macro_rules! number {
    (
        $t:ident,
        vectors: { avx512: $avx512:ident, avx2: $avx2:ident, sse2: $sse2:ident, neon: $neon:ident, portable: $portable:ident },
        dtype: $dtype:ident,
        exp2_magic: $exp2_magic:expr,
        exp_range: $exp_range:expr,
        ln2: $ln2:expr,
        exp_taylor: $exp_taylor:expr,
        ln_most: $ln_most:expr,
        ln_series: $ln_series:expr,
        tanh_most: $tanh_most:expr,
        erfc_most: $erfc_most:expr,
        erfc_series: $erfc_series:expr $(,)?
    ) => {
        impl super::sealed::Sealed for $t {}
        impl Number for $t {
            const DTYPE: safetensors::Dtype = safetensors::Dtype::$dtype;
            const EXP2_MAGIC: $t = $exp2_magic;
            const EXP_RANGE: ($t, $t) = $exp_range;
            const LN2: ($t, $t) = $ln2;
            const EXP_TAYLOR: &'static [$t] = &$exp_taylor;
            const TINY: $t = $t::MIN_POSITIVE;
            const LN_MOST: $t = $ln_most;
            const LN_SERIES: &'static [$t] = &$ln_series;
            const TANH_MOST: $t = $tanh_most;
            const ERFC_MOST: $t = $erfc_most;
            const ERFC_SERIES: &'static [$t] = &$erfc_series;
            fn of(x: f64) -> $t {
                x as $t
            }
            fn f64(self) -> f64 {
                self.into()
            }
            fn write_le(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn read_le(bytes: &[u8]) -> Self {
                $t::from_le_bytes(bytes.try_into().expect("as many bytes as it has"))
            }
            fn dispatch<V: Visitor<$t>>(isa: Isa, visitor: V) -> V::Out {
                assert!(isa.available(), "{isa} is not available on this machine");
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 => visitor.visit::<$avx512>(),
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 => visitor.visit::<$avx2>(),
                    #[cfg(target_arch = "aarch64")]
                    Isa::Neon => visitor.visit::<$neon>(),
                    #[cfg(target_arch = "x86_64")]
                    _ => visitor.visit::<sse2::$sse2>(),
                    #[cfg(not(target_arch = "x86_64"))]
                    _ => visitor.visit::<$portable>(),
                }
            }
        }
    };
}

number!(
    f32,
    vectors: { avx512: F32x16, avx2: F32x8, sse2: F32x4, neon: F32x4, portable: Portable32 },
    dtype: F32,
    exp2_magic: 8_388_608.0 + 127.0,
    exp_range: (-87.3, 88.3),
    ln2: (0.693_359_4, -2.121_944_4e-4),
    exp_taylor: [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0],
    ln_most: 8.507_059e37, // 2^126
    ln_series: [2.0 / 11.0, 2.0 / 9.0, 2.0 / 7.0, 2.0 / 5.0, 2.0 / 3.0, 2.0],
    tanh_most: 20.0,
    erfc_most: 13.2,
    erfc_series: [
        0.075_896_62,
        -0.109_262_17,
        -0.162_178_41,
        0.097_342_29,
        0.582_986_33,
        1.015_416_9,
        1.157_281_4,
        0.993_164_8,
        0.676_57,
        0.187_106_37
    ],
);
number!(
    f64,
    vectors: { avx512: F64x8, avx2: F64x4, sse2: F64x4, neon: F64x2, portable: Portable64 },
    dtype: F64,
    exp2_magic: 4_503_599_627_370_496.0 + 1023.0,
    exp_range: (-708.0, 709.0),
    ln2: (6.931_457_519_531_25e-1, 1.428_606_820_309_417_2e-6),
    exp_taylor: [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0
    ],
    ln_most: 4.494_232_837_155_79e307, // 2^1022
    ln_series: [
        2.0 / 23.0,
        2.0 / 21.0,
        2.0 / 19.0,
        2.0 / 17.0,
        2.0 / 15.0,
        2.0 / 13.0,
        2.0 / 11.0,
        2.0 / 9.0,
        2.0 / 7.0,
        2.0 / 5.0,
        2.0 / 3.0,
        2.0
    ],
    tanh_most: 40.0,
    erfc_most: 38.4,
    erfc_series: [
        -0.001_042_334_391_647_273_2,
        -0.001_427_229_239_076_550_8,
        0.006_395_598_594_230_245_5,
        -0.001_125_604_213_452_983_5,
        -0.010_624_300_832_769_294,
        0.007_177_182_472_015_204,
        0.011_247_795_146_441_752,
        -0.014_547_847_331_441_679,
        -0.009_732_667_089_112_92,
        0.023_549_398_747_204_28,
        0.008_377_554_417_086_173,
        -0.037_324_575_215_203_146,
        -0.011_719_087_777_013_576,
        0.062_903_654_993_138_05,
        0.036_864_982_625_023_88,
        -0.108_120_405_387_760_59,
        -0.156_599_046_167_105_46,
        0.096_239_292_941_362_85,
        0.582_745_018_076_592_6,
        1.015_484_301_732_976_4,
        1.157_284_750_712_640_3,
        0.993_163_610_322_106_2,
        0.676_569_961_158_792_1,
        0.187_106_376_711_470_68
    ],
);
