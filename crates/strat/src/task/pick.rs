//! Which examples are the ten that a model learns from.
//!
//! The paper picks ten and mostly does not say which, and much depends on it. So the pick is
//! an option with a seed. Both kinds are drawn again, attempt by attempt, until the
//! data sets that follow from the pick have the sizes that the paper prints for them. Nothing
//! here knows of models or of their accuracy.

use crate::rng::{RandomStream, Stream};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Base examples of every task.
pub(super) const BASES: usize = 10;

/// How base examples are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PickKind {
    /// Any ten with both classes among them.
    Random,
    /// Greedily: each next example adds the most (feature, value, label) combinations that
    /// no earlier one has; ties in random order.
    Coverage,
}

/// A choice of base examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pick {
    /// The way in which base examples are chosen.
    pub kind: PickKind,
    /// Which of the choices that can be made so.
    pub seed: u64,
}

impl Pick {
    /// The pick of our tables: by coverage, the procedure that the paper names for LED24, with
    /// the first seed.
    pub const DEFAULT: Pick = Pick::coverage(1);

    /// Any ten with both classes among them.
    pub const fn random(seed: u64) -> Pick {
        Pick { kind: PickKind::Random, seed }
    }

    /// Greedy coverage.
    pub const fn coverage(seed: u64) -> Pick {
        Pick { kind: PickKind::Coverage, seed }
    }

    /// Attempts before a pick is given up: seconds at most.
    fn attempts(self) -> u32 {
        match self.kind {
            PickKind::Random => 5_000_000,
            PickKind::Coverage => 5_000,
        }
    }
}

impl fmt::Display for Pick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            PickKind::Random => "random",
            PickKind::Coverage => "coverage",
        };
        write!(f, "{kind} pick {}", self.seed)
    }
}

/// What can be picked.
pub(super) struct Candidates<'a> {
    /// Inputs of equal length.
    pub inputs: &'a [Vec<u8>],
    /// Their classes.
    pub labels: &'a [bool],
    /// Whether the pick has as many examples of one class as of the other.
    pub balanced: bool,
}

impl Candidates<'_> {
    /// The first pick, attempt by attempt, that has both classes and that `accept` takes:
    /// [`BASES`] different positions in random (or greedy) order. None if there is no such pick,
    /// or it is too hard to find.
    pub fn pick(&self, pick: Pick, accept: impl Fn(&[usize]) -> bool) -> Option<Vec<usize>> {
        if self.inputs.len() < BASES {
            return None;
        }
        (0..pick.attempts())
            .map(|attempt| {
                let draws = RandomStream::new(pick.seed, Stream::Pick, attempt);
                match pick.kind {
                    PickKind::Random => self.random(draws),
                    PickKind::Coverage => self.coverage(draws),
                }
            })
            .find(|picked| self.has_both_classes(picked) && accept(picked))
    }

    fn has_both_classes(&self, picked: &[usize]) -> bool {
        let positive = picked.iter().filter(|&&i| self.labels[i]).count();
        if self.balanced { positive == BASES / 2 } else { 0 < positive && positive < picked.len() }
    }

    fn random(&self, mut draws: RandomStream) -> Vec<usize> {
        let mut picked = Vec::with_capacity(BASES);
        while picked.len() < BASES {
            let i = draws.below(self.inputs.len() as u32) as usize;
            if !picked.contains(&i) {
                picked.push(i);
            }
        }
        picked
    }

    fn coverage(&self, mut draws: RandomStream) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.inputs.len()).collect();
        draws.shuffle(&mut order);
        let values = 1 + usize::from(*self.inputs.iter().flatten().max().unwrap_or(&0));
        let mut seen = vec![false; self.inputs[0].len() * values * 2];
        let places = |i: usize| {
            let label = usize::from(self.labels[i]);
            self.inputs[i].iter().enumerate().map(move |(f, &v)| (f * values + usize::from(v)) * 2 + label)
        };
        let mut picked = Vec::with_capacity(BASES);
        let mut left = [if self.balanced { BASES / 2 } else { BASES }; 2];
        while picked.len() < BASES {
            let free = order.iter().copied().filter(|&i| left[usize::from(self.labels[i])] > 0);
            let news = free.filter(|i| !picked.contains(i)).map(|i| (places(i).filter(|&p| !seen[p]).count(), i));
            // The first of the best in the shuffled order.
            let Some((_, best)) = news.reduce(|best, next| if next.0 > best.0 { next } else { best }) else {
                break;
            };
            places(best).for_each(|p| seen[p] = true);
            left[usize::from(self.labels[best])] -= 1;
            picked.push(best);
        }
        picked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits() -> (Vec<Vec<u8>>, Vec<bool>) {
        let inputs: Vec<Vec<u8>> = (0..64).map(|n| (0..6).map(|b| n >> b & 1).collect()).collect();
        let labels = inputs.iter().map(|i| i.iter().sum::<u8>() >= 5).collect();
        (inputs, labels)
    }

    #[test]
    fn picks_repeat_differ_by_seed_and_have_both_classes() {
        let (inputs, labels) = bits();
        for kind in [PickKind::Random, PickKind::Coverage] {
            for balanced in [false, true] {
                let candidates = Candidates { inputs: &inputs, labels: &labels, balanced };
                let pick = |seed| candidates.pick(Pick { kind, seed }, |_| true).unwrap();
                assert_eq!(pick(1), pick(1));
                assert_ne!(pick(1), pick(2));
                for seed in 0..50 {
                    let mut picked = pick(seed);
                    let positive = picked.iter().filter(|&&i| labels[i]).count();
                    assert!(if balanced { positive == 5 } else { (1..10).contains(&positive) });
                    picked.sort_unstable();
                    picked.dedup();
                    assert_eq!(picked.len(), BASES);
                }
            }
        }
    }

    #[test]
    fn coverage_covers_what_random_picks_miss() {
        let (inputs, labels) = bits();
        let candidates = Candidates { inputs: &inputs, labels: &labels, balanced: false };
        let covered = |pick: Pick| {
            let picked = candidates.pick(pick, |_| true).unwrap();
            let labels = &labels;
            let pairs =
                picked.iter().flat_map(|&i| inputs[i].iter().enumerate().map(move |(f, v)| (f, v, labels[i])));
            pairs.collect::<std::collections::HashSet<_>>().len()
        };
        assert!((0..20).all(|seed| covered(Pick::coverage(seed)) == 24));
        assert!((0..20).any(|seed| covered(Pick::random(seed)) < 24));
    }

    #[test]
    fn what_is_not_accepted_is_not_picked() {
        let (inputs, labels) = bits();
        let candidates = Candidates { inputs: &inputs, labels: &labels, balanced: false };
        let picked = candidates.pick(Pick::random(3), |p| p.contains(&7)).unwrap();
        assert!(picked.contains(&7));
        assert_eq!(candidates.pick(Pick::coverage(3), |_| false), None);
        let few = Candidates { inputs: &inputs[..9], labels: &labels[..9], balanced: false };
        assert_eq!(few.pick(Pick::random(3), |_| true), None);
    }
}
