//! Lanes: the one place that knows instruction sets.
//!
//! A [`Simd`] value is a vector of `LANES` numbers, one per learner. Kernels are
//! written once, generic over `S: Simd`, `#[inline(always)]`, and are entered
//! through [`Simd::vectorize`] as a [`Kernel`], compiled for the instruction set of `S`.
//! Every operation is elementwise, so a learner's bits cannot depend on the
//! learner in the next lane.

#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::program::{AsWritten, Machine, Source};
use std::fmt;

#[cfg(target_arch = "aarch64")]
pub(crate) use neon::{F32x4, F64x2};
pub(crate) use portable::Portable;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{F32x8, F32x16, F64x4, F64x8};

/// A number type the engine computes in: `f32` or `f64`.
pub trait Elem:
    Copy
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
    /// `R` in [`normal`](super::math::normal), highest power first.
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
    fn machine(source: Source<'_>, isa: Isa) -> Box<dyn Machine<Self>>;
    /// [`Elem::machine`] for the graph as it stands.
    fn machine_as_written(source: Source<'_>, isa: Isa) -> Box<dyn Machine<Self>>;
}

/// A computation that is generic over the vector type; see [`Elem::dispatch`].
pub trait Visitor<E: Elem> {
    /// What it gives back.
    type Out;
    /// Runs it on one vector type.
    fn visit<S: Simd<Elem = E>>(self) -> Self::Out;
}

/// Code that is compiled once per instruction set.
///
/// Every function on the way from [`Kernel::run`] to a vector operation must be
/// `#[inline(always)]`, and vector operations must not stand in closures, which cannot
/// be: what is not inlined is compiled without the instruction set and calls a function
/// for every addition.
pub trait Kernel {
    /// The code; implement it `#[inline(always)]`.
    fn run(self);
}

/// A vector of numbers, one per learner.
pub trait Simd: Copy + Send + Sync + 'static {
    /// The number in each lane.
    type Elem: Elem;
    /// How many there are.
    const LANES: usize;
    /// The same number in every lane.
    fn splat(x: Self::Elem) -> Self;
    /// `self + o`
    fn add(self, o: Self) -> Self;
    /// `self − o`
    fn sub(self, o: Self) -> Self;
    /// `self · o`
    fn mul(self, o: Self) -> Self;
    /// `self / o`, correctly rounded.
    fn div(self, o: Self) -> Self;
    /// `self · b + c`, fused where the instruction set has it.
    fn fma(self, b: Self, c: Self) -> Self;
    /// `c − self · b`, fused where the instruction set has it.
    fn nfma(self, b: Self, c: Self) -> Self;
    /// The larger; `o` where `self` is NaN.
    fn max(self, o: Self) -> Self;
    /// The smaller; `o` where `self` is NaN.
    fn min(self, o: Self) -> Self;
    /// Correctly rounded square root.
    fn sqrt(self) -> Self;
    /// Nearest integer, ties to even.
    fn round(self) -> Self;
    /// `2^self` for integral `self` in the normal exponent range.
    fn exp2i(self) -> Self;
    /// `⌊log₂ self⌋` of a positive normal number: the inverse of [`Simd::exp2i`].
    fn log2i(self) -> Self;
    /// `self` where `mask` is not zero, else `o`, which may be anything there.
    fn select(self, mask: Self, o: Self) -> Self;
    /// 1 where equal, else 0.
    fn equals(self, o: Self) -> Self;
    /// Runs a kernel, compiled for this instruction set.
    fn vectorize(kernel: impl Kernel);

    /// Brings what lies there closer to the core, if the instruction set can; any address will do.
    #[inline(always)]
    fn prefetch(_at: *const Self) {}

    /// Runs of `run` lanes exchanged: with `self` as `a₀ a₁ a₂ a₃ …` and `o` as `b₀ b₁ b₂ b₃ …`, in such runs,
    /// `(a₀ b₀ a₂ b₂ …, a₁ b₁ a₃ b₃ …)`.
    #[inline(always)]
    fn exchange(self, o: Self, run: usize) -> (Self, Self) {
        let (mut even, mut odd) = ([self], [o]);
        let (low, high) = (Self::numbers_mut(&mut even), Self::numbers_mut(&mut odd));
        for pair in (0..Self::LANES).step_by(2 * run) {
            for i in pair..pair + run {
                std::mem::swap(&mut low[i + run], &mut high[i]);
            }
        }
        (even[0], odd[0])
    }

    /// Zero in every lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(Self::Elem::default())
    }
    /// Splat of a constant given as `f64`.
    #[inline(always)]
    fn of(x: f64) -> Self {
        Self::splat(Self::Elem::of(x))
    }
    /// The sum of all lanes, halves added to halves.
    #[inline(always)]
    fn total(self) -> Self::Elem {
        let mut v = [self, Self::zero()];
        let mut half = Self::LANES / 2;
        while half > 0 {
            // v[1] = v[0] moved down by `half` lanes
            let (low, high) = Self::numbers_mut(&mut v).split_at_mut(Self::LANES);
            high[..half].copy_from_slice(&low[half..2 * half]);
            v[0] = v[0].add(v[1]);
            half /= 2;
        }
        Self::numbers(&v)[0]
    }
    /// The first `LANES` vectors turned: lane `i` of vector `j` becomes lane `j` of vector `i`.
    #[inline(always)]
    fn turn(v: &mut [Self; MOST_LANES]) {
        // Not in a loop, so that the vectors stay in registers.
        exchange_runs(v, 8);
        exchange_runs(v, 4);
        exchange_runs(v, 2);
        exchange_runs(v, 1);
    }
    /// The sums over the lanes of the first `LANES` vectors, that of vector `i` in lane `i`, halves added to halves.
    /// The vectors are spent.
    #[inline(always)]
    fn totals(v: &mut [Self; MOST_LANES]) -> Self {
        add_runs(v, 8);
        add_runs(v, 4);
        add_runs(v, 2);
        add_runs(v, 1);
        v[0]
    }
    /// The first `LANES` of some numbers.
    #[inline(always)]
    fn load(from: &[Self::Elem]) -> Self {
        assert!(from.len() >= Self::LANES);
        // SAFETY: there are that many numbers, and a vector is nothing else.
        unsafe { from.as_ptr().cast::<Self>().read_unaligned() }
    }
    /// A slice of vectors as its numbers, lane fastest.
    fn numbers(v: &[Self]) -> &[Self::Elem] {
        // SAFETY: every implementor is `LANES` numbers without padding.
        unsafe { std::slice::from_raw_parts(v.as_ptr().cast(), v.len() * Self::LANES) }
    }
    /// The same, writable.
    fn numbers_mut(v: &mut [Self]) -> &mut [Self::Elem] {
        // SAFETY: as above; any bit pattern is a valid number.
        unsafe { std::slice::from_raw_parts_mut(v.as_mut_ptr().cast(), v.len() * Self::LANES) }
    }
}

/// A step of [`Simd::turn`]; none if vectors have no more lanes than `run`.
#[inline(always)]
fn exchange_runs<S: Simd>(v: &mut [S; MOST_LANES], run: usize) {
    for i in 0..S::LANES {
        if run < S::LANES && i & run == 0 {
            (v[i], v[i + run]) = v[i].exchange(v[i + run], run);
        }
    }
}

/// A step of [`Simd::totals`]; none if vectors have no more lanes than `run`.
#[inline(always)]
fn add_runs<S: Simd>(v: &mut [S; MOST_LANES], run: usize) {
    for i in 0..run {
        if run < S::LANES {
            let (low, high) = v[i].exchange(v[i + run], run);
            v[i] = low.add(high);
        }
    }
}

/// The most lanes that any instruction set has.
pub const MOST_LANES: usize = 16;

/// An instruction set the engine has kernels for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// 512-bit vectors.
    Avx512,
    /// 256-bit vectors with fused multiply-add.
    Avx2,
    /// 128-bit vectors of every aarch64.
    Neon,
    /// Plain Rust, whatever the compiler makes of it; no fused multiply-add.
    Portable,
}

impl Isa {
    const ALL: [Isa; 4] = [Isa::Avx512, Isa::Avx2, Isa::Neon, Isa::Portable];

    /// Name as used by `STRAT_ISA` and in records.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Avx512 => "avx512",
            Isa::Avx2 => "avx2",
            Isa::Neon => "neon",
            Isa::Portable => "portable",
        }
    }

    /// Does this machine have it?
    pub fn available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                std::is_x86_feature_detected!("avx512f")
                    && std::is_x86_feature_detected!("avx512vl")
                    && std::is_x86_feature_detected!("avx512dq")
            }
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => true,
            Isa::Portable => true,
            #[allow(unreachable_patterns)]
            _ => false,
        }
    }

    /// All that this machine has, best first.
    pub fn all_available() -> impl Iterator<Item = Isa> {
        Self::ALL.into_iter().filter(|isa| isa.available())
    }

    /// The best this machine has, or the one `STRAT_ISA` asks for.
    pub fn detect() -> Result<Isa, UnknownIsa> {
        match std::env::var("STRAT_ISA") {
            Ok(name) => Self::all_available().find(|isa| isa.name() == name).ok_or(UnknownIsa { name }),
            Err(_) => Ok(Self::all_available().next().expect("the portable set is always there")),
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// `STRAT_ISA` names an instruction set that this machine does not have.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "STRAT_ISA is {name:?}, which this machine does not have; it has {}",
    Isa::all_available().map(Isa::name).collect::<Vec<_>>().join(", ")
)]
pub struct UnknownIsa {
    name: String,
}

macro_rules! elem {
    ($t:ident, $dtype:ident, $magic:expr, $range:expr, $ln2:expr, $wide:ident, $narrow:ident, $neon:ident, $taylor:expr,
     $ln_most:expr, $ln_series:expr, $tanh_most:expr, $erfc_most:expr, $erfc_series:expr) => {
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
            fn machine(source: Source<'_>, isa: Isa) -> Box<dyn Machine<$t>> {
                Self::dispatch(isa, source)
            }
            fn machine_as_written(source: Source<'_>, isa: Isa) -> Box<dyn Machine<$t>> {
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
