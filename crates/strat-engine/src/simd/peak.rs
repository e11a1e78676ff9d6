//! How fast this machine can be at best.

use super::{Isa, Kernel, Number, Simd, Visitor};
use std::hint::black_box;
use std::time::Instant;

impl Isa {
    /// The arithmetic of one thread on this instruction set at its best, 10⁹ operations in `f32` per second. Measures for some
    /// milliseconds: fused multiply-adds that never wait for each other or for memory.
    ///
    /// Compiled with this crate, so that it is the peak in whatever way the crate that asks is compiled.
    pub fn peak_gflops(self) -> f64 {
        let start = Instant::now();
        let operations = f32::dispatch(self, Peak);
        operations / start.elapsed().as_secs_f64() / 1e9
    }
}

struct Peak;

impl<E: Number> Visitor<E> for Peak {
    type Out = f64;
    /// Operations computed.
    fn visit<S: Simd<Elem = E>>(self) -> f64 {
        const ROUNDS: usize = 2_000_000;
        let mut sums = [S::zero(); CHAINS];
        S::vectorize(Chains { rounds: ROUNDS, sums: &mut sums });
        black_box(&sums);
        (2 * CHAINS * ROUNDS * S::LANES) as f64
    }
}

/// Independent sums: enough to hide the latency of a multiply-add.
const CHAINS: usize = 12;

struct Chains<'a, S> {
    rounds: usize,
    sums: &'a mut [S; CHAINS],
}

impl<S: Simd> Kernel for Chains<'_, S> {
    #[inline(always)]
    fn run(self) {
        let (a, b) = (black_box(S::of(0.999)), black_box(S::of(0.001)));
        let mut sums = *self.sums;
        for _ in 0..self.rounds {
            for s in &mut sums {
                *s = s.fma(a, b);
            }
        }
        *self.sums = sums;
    }
}
