//! One Adam step on every weight of every learner in the lanes.

use crate::simd::{Kernel, Simd};

/// The constants of one step, the same for every weight.
#[derive(Clone, Copy, Debug)]
pub struct AdamStep {
    /// Decay of the first moment.
    pub beta1: f64,
    /// Decay of the second moment.
    pub beta2: f64,
    /// `learning rate / (1 − β₁ᵗ)`
    pub rate: f64,
    /// `1 / √(1 − β₂ᵗ)`
    pub correction: f64,
    /// Added to the denominator.
    pub epsilon: f64,
    /// What weight decay leaves of a weight.
    pub keep: f64,
}

/// `m ← β₁m + (1−β₁)g`, `v ← β₂v + (1−β₂)g²`, `p ← keep · p − rate · m / (√v · correction + ε)`
pub struct Adam<'a, S> {
    /// The constants.
    pub step: AdamStep,
    /// What the gradient is multiplied by first.
    pub shorten: S,
    /// Weights.
    pub p: &'a mut [S],
    /// Their gradient.
    pub g: &'a [S],
    /// First moment.
    pub m: &'a mut [S],
    /// Second moment.
    pub v: &'a mut [S],
}

impl<S: Simd> Kernel for Adam<'_, S> {
    #[inline(always)]
    fn run(self) {
        let Adam { step: s, shorten, p, g, m, v } = self;
        let (b1, c1) = (S::of(s.beta1), S::of(1.0 - s.beta1));
        let (b2, c2) = (S::of(s.beta2), S::of(1.0 - s.beta2));
        let (rate, correction, epsilon, keep) =
            (S::of(s.rate), S::of(s.correction), S::of(s.epsilon), S::of(s.keep));
        for (((p, g), m), v) in p.iter_mut().zip(g).zip(m).zip(v) {
            let g = g.mul(shorten);
            *m = m.mul(b1).add(g.mul(c1));
            *v = v.mul(b2).add(g.mul(c2).mul(g));
            let denominator = v.sqrt().mul(correction).add(epsilon);
            *p = p.mul(keep).sub(m.mul(rate).div(denominator));
        }
    }
}

/// `by = min(1, most / (‖g‖ + 10⁻⁶))`, as PyTorch's `clip_grad_norm_`, for each lane or for all
/// lanes together.
pub struct Shorten<'a, S> {
    /// The longest gradient.
    pub most: f64,
    /// Do the lanes hold parts of one gradient?
    pub joined: bool,
    /// Gradients of all weights.
    pub g: &'a [S],
    /// What to multiply them by.
    pub by: &'a mut S,
}

impl<S: Simd> Kernel for Shorten<'_, S> {
    #[inline(always)]
    fn run(self) {
        // Four sums, so that one addition need not wait for the other.
        let mut sums = [S::zero(); 4];
        let fours = self.g.chunks_exact(4);
        for (sum, g) in sums.iter_mut().zip(fours.remainder()) {
            *sum = g.mul(*g);
        }
        for four in fours {
            for (sum, g) in sums.iter_mut().zip(four) {
                *sum = g.fma(*g, *sum);
            }
        }
        let mut square = sums[0].add(sums[1]).add(sums[2].add(sums[3]));
        if self.joined {
            square = S::splat(square.total());
        }
        let norm = square.sqrt();
        // The bound comes first so that NaN passes.
        *self.by = S::of(1.0).min(S::of(self.most).div(norm.add(S::of(1e-6))));
    }
}
