//! Instruction sets, and which of them this machine has.

use super::{Number, Simd, Visitor};
use std::fmt;

/// An instruction set the engine has kernels for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Isa {
    /// 512-bit vectors.
    Avx512,
    /// 256-bit vectors with fused multiply-add.
    Avx2,
    /// 128-bit vectors of every aarch64.
    Neon,
    /// What every machine has: SSE2 on x86-64, else plain Rust, whatever the compiler makes of it. No fused multiply-add.
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

    /// How many numbers, and so learners, one of its vectors holds.
    pub fn lanes<E: Number>(self) -> usize {
        struct Count;
        impl<E: Number> Visitor<E> for Count {
            type Out = usize;
            fn visit<S: Simd<Elem = E>>(self) -> usize {
                S::LANES
            }
        }
        E::dispatch(self, Count)
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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "STRAT_ISA is {name:?}, which this machine does not have; it has {}",
    Isa::all_available().map(Isa::name).collect::<Vec<_>>().join(", ")
)]
pub struct UnknownIsa {
    name: String,
}
