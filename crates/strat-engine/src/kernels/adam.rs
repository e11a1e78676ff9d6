//! One Adam step on every weight of every learner in the lanes, each with settings of its own.

use crate::simd::{Kernel, Number, Simd};

/// The constants of one step of a learner, the same for every weight.
#[derive(Clone, Copy, Debug)]
pub struct AdamStep {
    /// Decay of the first moment.
    pub beta1: f64,
    /// Decay of the second moment.
    pub beta2: f64,
    /// `learning rate / (1 − β₁ᵗ)`: the first moment starts from zero.
    pub learning_rate: f64,
    /// `1 / √(1 − β₂ᵗ)`: so does the second.
    pub correction: f64,
    /// Added to the denominator.
    pub epsilon: f64,
    /// What weight decay leaves of a weight.
    pub decay_factor: f64,
}

/// A number of each lane's learner, or of the one learner that there are settings of.
fn by_lane<S: Simd, T>(settings: &[T], number: impl Fn(&T) -> f64) -> S {
    if let [one] = settings {
        return S::of(number(one));
    }
    let mut v = [S::zero()];
    for (x, one) in S::numbers_mut(&mut v).iter_mut().zip(settings) {
        *x = S::Elem::of(number(one));
    }
    v[0]
}

/// [`AdamStep`] on lanes.
#[derive(Clone, Copy)]
pub struct Constants<S> {
    beta1: S,
    beta2: S,
    /// 1 − β₁
    rest1: S,
    /// 1 − β₂
    rest2: S,
    learning_rate: S,
    correction: S,
    epsilon: S,
    decay_factor: S,
}

impl<S: Simd> Constants<S> {
    /// Of all lanes' learners, or of one.
    pub fn new(steps: &[AdamStep]) -> Self {
        Constants {
            beta1: by_lane(steps, |s| s.beta1),
            beta2: by_lane(steps, |s| s.beta2),
            rest1: by_lane(steps, |s| 1.0 - s.beta1),
            rest2: by_lane(steps, |s| 1.0 - s.beta2),
            learning_rate: by_lane(steps, |s| s.learning_rate),
            correction: by_lane(steps, |s| s.correction),
            epsilon: by_lane(steps, |s| s.epsilon),
            decay_factor: by_lane(steps, |s| s.decay_factor),
        }
    }
}

/// `m ← β₁m + (1−β₁)g`, `v ← β₂v + (1−β₂)g²`, `p ← decay · p − rate · m / (√v · correction + ε)`
pub struct Adam<'a, S> {
    /// The constants.
    pub constants: Constants<S>,
    /// What the gradient is multiplied by first.
    pub clip_factor: S,
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
        let Adam { constants: c, clip_factor, p, g, m, v } = self;
        for (((p, g), m), v) in p.iter_mut().zip(g).zip(m).zip(v) {
            let g = g.mul(clip_factor);
            *m = m.mul(c.beta1).add(g.mul(c.rest1));
            *v = v.mul(c.beta2).add(g.mul(c.rest2).mul(g));
            let denominator = v.sqrt().mul(c.correction).add(c.epsilon);
            *p = p.mul(c.decay_factor).sub(m.mul(c.learning_rate).div(denominator));
        }
    }
}

/// The longest gradients of learners, of which at least one has such a bound.
#[derive(Clone, Copy)]
pub struct Clip<S> {
    most: S,
    /// Zero where there is no bound.
    bounded: S,
}

impl<S: Simd> Clip<S> {
    /// Of all lanes' learners, or of one; none if no gradient is bounded.
    pub fn new(clips: &[Option<f64>]) -> Option<Self> {
        let bounded = |clip: &Option<f64>| f64::from(u8::from(clip.is_some()));
        let clip = || Clip { most: by_lane(clips, |clip| clip.unwrap_or(1.0)), bounded: by_lane(clips, bounded) };
        clips.iter().any(Option::is_some).then(clip)
    }
}

/// `factor = min(1, most / (‖g‖ + 10⁻⁶))`, as PyTorch's `clip_grad_norm_`, for each lane or for all
/// lanes together.
pub struct ClipByNorm<'a, S> {
    /// The longest gradients.
    pub clip: Clip<S>,
    /// Do the lanes hold parts of one gradient?
    pub joined: bool,
    /// Gradients of all weights.
    pub g: &'a [S],
    /// What to multiply them by.
    pub factor: &'a mut S,
}

impl<S: Simd> Kernel for ClipByNorm<'_, S> {
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
        let factor = S::of(1.0).min(self.clip.most.div(norm.add(S::of(1e-6))));
        *self.factor = factor.select(self.clip.bounded, S::of(1.0));
    }
}
