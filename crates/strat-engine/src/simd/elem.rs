//! The numbers that the engine computes in, with what [`math`](crate::math) needs to know of each.

#[cfg(target_arch = "aarch64")]
use super::neon::{F32x4, F64x2};
use super::portable::Portable;
#[cfg(target_arch = "x86_64")]
use super::x86::{F32x8, F32x16, F64x4, F64x8};
use super::{Isa, Simd};
use crate::error::CompileError;
use crate::program::{AsWritten, Machine, Source};
use std::fmt;

/// A number type the engine computes in: `f32` or `f64`. Sealed.
pub trait Elem:
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
    const EXP2_MAGIC: Self;
    /// Where `exp` neither overflows nor leaves the normal numbers.
    const EXP_RANGE: (Self, Self);
    /// ln 2 as a short leading part and the rest (Cody–Waite reduction).
    const LN2: (Self, Self);
    /// 1/k! for k = degree, …, 1, 0: enough terms for |r| ≤ ½ ln 2.
    const EXP_TAYLOR: &'static [Self];
    /// The smallest normal number.
    const TINY: Self;
    /// The largest power of two whose inverse is normal.
    const LN_MOST: Self;
    /// 2/(2k + 1) for k = degree, …, 1, 0: enough terms of `ln` for |s| ≤ 3 − √8.
    const LN_SERIES: &'static [Self];
    /// Beyond it `tanh(x / 2)` is 1.
    const TANH_MOST: Self;
    /// Beyond it Φ is 0 or 1.
    const ERFC_MOST: Self;
    /// `R` in [`normal`](crate::math::normal), highest power first.
    const ERFC_SERIES: &'static [Self];
    /// From `f64`, rounded to nearest.
    fn of(x: f64) -> Self;
    /// To `f64`, exactly.
    fn f64(self) -> f64;
    /// Little-endian bytes, appended.
    fn write_le(self, out: &mut Vec<u8>);
    /// Runs a computation on the type's vector of an instruction set.
    fn dispatch<V: Visitor<Self>>(isa: Isa, visitor: V) -> V::Out;
    /// Plans a graph and builds a machine for it on an instruction set. Not generic, so
    /// that the kernels are compiled once, with this crate, and not into every user of it.
    fn machine(source: Source<'_>, isa: Isa) -> Result<Box<dyn Machine<Self>>, CompileError>;
    /// [`Elem::machine`] for the graph as it stands.
    fn machine_as_written(source: Source<'_>, isa: Isa) -> Result<Box<dyn Machine<Self>>, CompileError>;
}

/// A computation that is generic over the vector type; see [`Elem::dispatch`].
pub trait Visitor<E: Elem> {
    /// What it gives back.
    type Out;
    /// Runs it on one vector type.
    fn visit<S: Simd<Elem = E>>(self) -> Self::Out;
}

macro_rules! elem {
    ($t:ident, $dtype:ident, $magic:expr, $range:expr, $ln2:expr, $wide:ident, $narrow:ident, $neon:ident, $taylor:expr,
     $ln_most:expr, $ln_series:expr, $tanh_most:expr, $erfc_most:expr, $erfc_series:expr) => {
        impl super::sealed::Sealed for $t {}
        impl Elem for $t {
            const DTYPE: safetensors::Dtype = safetensors::Dtype::$dtype;
            const EXP2_MAGIC: $t = $magic;
            const EXP_RANGE: ($t, $t) = $range;
            const LN2: ($t, $t) = $ln2;
            const EXP_TAYLOR: &'static [$t] = &$taylor;
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
            fn dispatch<V: Visitor<$t>>(isa: Isa, visitor: V) -> V::Out {
                assert!(isa.available(), "{isa} is not available on this machine");
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 => visitor.visit::<$wide>(),
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 => visitor.visit::<$narrow>(),
                    #[cfg(target_arch = "aarch64")]
                    Isa::Neon => visitor.visit::<$neon>(),
                    _ => visitor.visit::<Portable<$t>>(),
                }
            }
            fn machine(source: Source<'_>, isa: Isa) -> Result<Box<dyn Machine<$t>>, CompileError> {
                Self::dispatch(isa, source)
            }
            fn machine_as_written(source: Source<'_>, isa: Isa) -> Result<Box<dyn Machine<$t>>, CompileError> {
                Self::dispatch(isa, AsWritten(source))
            }
        }
    };
}

elem!(
    f32,
    F32,
    8_388_608.0 + 127.0,
    (-87.3, 88.3),
    (0.693_359_4, -2.121_944_4e-4),
    F32x16,
    F32x8,
    F32x4,
    [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0],
    8.507_059e37, // 2^126
    [2.0 / 11.0, 2.0 / 9.0, 2.0 / 7.0, 2.0 / 5.0, 2.0 / 3.0, 2.0],
    20.0,
    13.2,
    [
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
    ]
);
elem!(
    f64,
    F64,
    4_503_599_627_370_496.0 + 1023.0,
    (-708.0, 709.0),
    (6.931_457_519_531_25e-1, 1.428_606_820_309_417_2e-6),
    F64x8,
    F64x4,
    F64x2,
    [
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
    4.494_232_837_155_79e307, // 2^1022
    [
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
    40.0,
    38.4,
    [
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
    ]
);
