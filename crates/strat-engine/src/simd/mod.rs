//! Lanes: the one place that knows instruction sets.
//!
//! A [`Simd`] value is a vector of `LANES` numbers, one per learner. Kernels are
//! written once, generic over `S: Simd`, `#[inline(always)]`, and are entered
//! through [`Simd::vectorize`] as a [`Kernel`], compiled for the instruction set of `S`.
//! Every operation is elementwise, so a learner's bits cannot depend on the
//! learner in the next lane.

mod isa;
#[cfg(target_arch = "aarch64")]
mod neon;
mod number;
mod peak;
#[cfg(not(target_arch = "x86_64"))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use isa::{Isa, UnknownIsa};
pub use number::{Number, Visitor};

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

/// `unsafe` code relies on what the implementors are, so that there are none outside this crate.
mod sealed {
    pub trait Sealed {}
}

/// A vector of numbers, one per learner: `LANES` of them without padding. Only [`Number::dispatch`] names one, after
/// asking whether the machine has its instructions. Sealed.
pub trait Simd: sealed::Sealed + Copy + Send + Sync + 'static {
    /// The number in each lane.
    type Elem: Number;
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
    /// The first `LANES` vectors transposed: lane `i` of vector `j` becomes lane `j` of vector `i`.
    #[inline(always)]
    fn transpose(v: &mut [Self; MOST_LANES]) {
        // Not in a loop, so that the vectors stay in registers.
        exchange_runs(v, 8);
        exchange_runs(v, 4);
        exchange_runs(v, 2);
        exchange_runs(v, 1);
    }
    /// The sums over the lanes of the first `LANES` vectors, that of vector `i` in lane `i`, halves added to halves.
    /// The vectors are spent.
    #[inline(always)]
    fn horizontal_sums(v: &mut [Self; MOST_LANES]) -> Self {
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
        // SAFETY: there are that many numbers, and a vector is nothing else: the trait is sealed.
        unsafe { from.as_ptr().cast::<Self>().read_unaligned() }
    }
    /// A slice of vectors as its numbers, lane fastest.
    fn numbers(v: &[Self]) -> &[Self::Elem] {
        // SAFETY: every implementor is `LANES` numbers without padding, and the trait is sealed.
        unsafe { std::slice::from_raw_parts(v.as_ptr().cast(), v.len() * Self::LANES) }
    }
    /// The same, writable.
    fn numbers_mut(v: &mut [Self]) -> &mut [Self::Elem] {
        // SAFETY: as above; any bit pattern is a valid number.
        unsafe { std::slice::from_raw_parts_mut(v.as_mut_ptr().cast(), v.len() * Self::LANES) }
    }
}

/// A step of [`Simd::transpose`]; none if vectors have no more lanes than `run`.
#[inline(always)]
fn exchange_runs<S: Simd>(v: &mut [S; MOST_LANES], run: usize) {
    for i in 0..S::LANES {
        if run < S::LANES && i & run == 0 {
            (v[i], v[i + run]) = v[i].exchange(v[i + run], run);
        }
    }
}

/// A step of [`Simd::horizontal_sums`]; none if vectors have no more lanes than `run`.
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
