//! Learners whose numbers are no longer finite, apart from those beside them.
//!
//! Examples are left out from the last on that any lane's mask chooses. So beside others, a learner may be computed further
//! than it would be alone. What that adds to its gradient is zero times something: nothing, unless something is infinite
//! or no number. So whoever has such a gradient gets the one that it has alone.

use super::Program;
use crate::simd::{Kernel, Number, Simd};

impl<S: Simd> Program<S> {
    /// After a pass backward: gives learners whose gradient is not finite the one that they have alone.
    pub(super) fn part_from_neighbours(&mut self) {
        if self.shared || self.plan.mask.iter().all(Option::is_none) {
            return;
        }
        let mut zero = [S::zero()];
        for &(_, grads, len) in &self.plan.trained {
            S::vectorize(TimesZero { x: &self.arena[grads..][..len], sum: &mut zero[0] });
        }
        let lanes = S::numbers(&zero).iter().enumerate();
        let diverged: Vec<usize> = lanes.filter(|(_, x)| x.f64().is_nan()).map(|(lane, _)| lane).collect();
        if diverged.is_empty() {
            return;
        }
        let (needed, outputs, losses) = (self.needed.clone(), self.outputs.clone(), self.losses.clone());
        let runs = self.plan.trained.clone();
        let mut gradients: Vec<Vec<S>> =
            runs.iter().map(|&(_, grads, len)| self.arena[grads..][..len].to_vec()).collect();
        for lane in diverged {
            self.look_at_masks(lane..lane + 1);
            if self.needed == needed {
                continue;
            }
            self.pass(true);
            for (to, &(_, grads, len)) in gradients.iter_mut().zip(&runs) {
                let own = S::numbers(&self.arena[grads..][..len])[lane..].iter().step_by(S::LANES);
                S::numbers_mut(to)[lane..].iter_mut().step_by(S::LANES).zip(own).for_each(|(to, &x)| *to = x);
            }
        }
        for (from, &(_, grads, len)) in gradients.iter().zip(&runs) {
            self.arena[grads..][..len].copy_from_slice(from);
        }
        (self.needed, self.outputs, self.losses) = (needed, outputs, losses);
    }
}

/// Zero times each number, added to `sum`: no number in lanes where one is not finite.
struct TimesZero<'a, S> {
    x: &'a [S],
    sum: &'a mut S,
}

impl<S: Simd> Kernel for TimesZero<'_, S> {
    #[inline(always)]
    fn run(self) {
        // Eight sums, so that one need not wait for the other.
        let mut sums = [S::zero(); 8];
        let eights = self.x.chunks_exact(8);
        for x in eights.remainder() {
            sums[0] = x.fma(S::zero(), sums[0]);
        }
        for eight in eights {
            for i in 0..8 {
                sums[i] = eight[i].fma(S::zero(), sums[i]);
            }
        }
        for sum in sums {
            *self.sum = self.sum.add(sum);
        }
    }
}
