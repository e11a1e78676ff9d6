//! The optimizer's memory and its step, for both meanings of a lane.

use super::kernels::adam::{Adam, Clip, ClipByNorm, Constants};
use super::plan::{Plan, Slot};
use super::simd::{Kernel, MOST_LANES, Simd};

/// Numbers of which a learner's lie so far apart.
type Strided<T> = (T, usize);

/// Adam's moments, where the weights are.
pub(crate) enum Optimizer<S> {
    /// A learner in every lane: moments in the order of `plan.trained`.
    ByLane(Vec<[Vec<S>; 2]>),
    /// One learner: every lane of the arena holds the same weights and its share of their
    /// gradients. Here its weights, gradients and moments are packed one after the other, so
    /// that a step costs no more than there are weights.
    Packed { p: Vec<S>, g: Vec<S>, m: Vec<S>, v: Vec<S> },
}

impl<S: Simd> Optimizer<S> {
    /// For learners of their own in every lane, or one that they share.
    pub fn new(plan: &Plan, shared: bool) -> Self {
        if shared {
            let weights: usize = plan.trained.iter().map(|run| run.2).sum();
            let [p, g, m, v] = [(); 4].map(|_| vec![S::zero(); weights.div_ceil(S::LANES)]);
            Optimizer::Packed { p, g, m, v }
        } else {
            let moments = |run: &(usize, usize, usize)| [(); 2].map(|_| vec![S::zero(); run.2]);
            Optimizer::ByLane(plan.trained.iter().map(moments).collect())
        }
    }

    /// Forgets the moments.
    pub fn reset(&mut self) {
        match self {
            Optimizer::ByLane(moments) => moments.iter_mut().flatten().for_each(|m| m.fill(S::zero())),
            Optimizer::Packed { m, v, .. } => [m, v].into_iter().for_each(|m| m.fill(S::zero())),
        }
    }

    /// A parameter's two moments as numbers.
    pub fn moments(&self, plan: &Plan, slot: Slot) -> Option<[Strided<&[S::Elem]>; 2]> {
        let (run, before, at) = find(plan, slot)?;
        Some(match self {
            Optimizer::ByLane(moments) => {
                moments[run].each_ref().map(|m| (S::numbers(&m[at..][..slot.len]), S::LANES))
            }
            Optimizer::Packed { m, v, .. } => [m, v].map(|m| (&S::numbers(m)[before + at..][..slot.len], 1)),
        })
    }

    /// The same, to be written.
    pub fn moments_mut(&mut self, plan: &Plan, slot: Slot) -> Option<[Strided<&mut [S::Elem]>; 2]> {
        let (run, before, at) = find(plan, slot)?;
        Some(match self {
            Optimizer::ByLane(moments) => {
                moments[run].each_mut().map(|m| (S::numbers_mut(&mut m[at..][..slot.len]), S::LANES))
            }
            Optimizer::Packed { m, v, .. } => {
                [m, v].map(|m| (&mut S::numbers_mut(m)[before + at..][..slot.len], 1))
            }
        })
    }

    /// One step along the gradients in the arena, clipped.
    pub fn step(&mut self, plan: &Plan, arena: &mut [S], clip: Option<Clip<S>>, constants: Constants<S>) {
        let mut clip_factor = S::of(1.0);
        match self {
            Optimizer::ByLane(moments) => {
                if let Some(clip) = clip {
                    let grads = plan.step_grads.start..plan.trained.last().map_or(0, |run| run.1 + run.2);
                    S::vectorize(ClipByNorm { clip, joined: false, g: &arena[grads], factor: &mut clip_factor });
                }
                for (&(weights, grads, len), [m, v]) in plan.trained.iter().zip(moments) {
                    // All weights lie before all gradients.
                    let (before, from) = arena.split_at_mut(grads);
                    let (p, g) = (&mut before[weights..][..len], &from[..len]);
                    S::vectorize(Adam { constants, clip_factor, p, g, m, v });
                }
            }
            Optimizer::Packed { p, g, m, v } => {
                let mut at = 0;
                for &(weights, grads, len) in &plan.trained {
                    let (p, g) = (&mut S::numbers_mut(p)[at..][..len], &mut S::numbers_mut(g)[at..][..len]);
                    let weights = &arena[weights..][..len];
                    S::vectorize(Pack { p, g, weights, grads: &arena[grads..][..len] });
                    at += len;
                }
                if let Some(clip) = clip {
                    S::vectorize(ClipByNorm { clip, joined: true, g, factor: &mut clip_factor });
                }
                S::vectorize(Adam { constants, clip_factor, p, g, m, v });
                let mut at = 0;
                for &(weights, _, len) in &plan.trained {
                    S::vectorize(Spread { p: &S::numbers(p)[at..][..len], weights: &mut arena[weights..][..len] });
                    at += len;
                }
            }
        }
    }
}

/// The run that a trained parameter is in, the weights in the runs before it, and those before
/// it in its own.
fn find(plan: &Plan, slot: Slot) -> Option<(usize, usize, usize)> {
    let mut before = 0;
    for (i, &(first, _, len)) in plan.trained.iter().enumerate() {
        if (first..first + len).contains(&slot.offset) {
            return Some((i, before, slot.offset - first));
        }
        before += len;
    }
    None
}

/// Weights from one lane, gradients summed over all.
struct Pack<'a, S: Simd> {
    p: &'a mut [S::Elem],
    g: &'a mut [S::Elem],
    weights: &'a [S],
    grads: &'a [S],
}

impl<S: Simd> Kernel for Pack<'_, S> {
    #[inline(always)]
    fn run(self) {
        for (p, w) in self.p.iter_mut().zip(self.weights) {
            *p = S::numbers(std::slice::from_ref(w))[0];
        }
        let (mut to, mut from) = (self.g.chunks_exact_mut(S::LANES), self.grads.chunks_exact(S::LANES));
        for (g, grads) in (&mut to).zip(&mut from) {
            let mut some = [S::zero(); MOST_LANES];
            some[..S::LANES].copy_from_slice(grads);
            g.copy_from_slice(S::numbers(&[S::horizontal_sums(&mut some)]));
        }
        for (g, grad) in to.into_remainder().iter_mut().zip(from.remainder()) {
            *g = grad.total();
        }
    }
}

/// Packed weights to every lane.
struct Spread<'a, S: Simd> {
    p: &'a [S::Elem],
    weights: &'a mut [S],
}

impl<S: Simd> Kernel for Spread<'_, S> {
    #[inline(always)]
    fn run(self) {
        for (w, &p) in self.weights.iter_mut().zip(self.p) {
            *w = S::splat(p);
        }
    }
}

/// The sum of a learner's gradient over the lanes.
pub(crate) fn summed<S: Simd>(grads: &[S]) -> Vec<S::Elem> {
    let mut sums = vec![S::Elem::default(); grads.len()];
    let mut unused = sums.clone();
    S::vectorize(Pack { p: &mut unused, g: &mut sums, weights: grads, grads });
    sums
}
