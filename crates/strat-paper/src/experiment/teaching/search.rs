//! Sums from which learners lock, found by trying: a set is changed a little, and the change is kept if learners
//! trained on it err less. Or more: then sums that leave one rule only, from which hardly any learner finds it.

use super::super::locking_factors::condition;
use super::{LITE, task, train};
use std::sync::Arc;
use strat::crystal::{Equation, Reading};
use strat::engine::Isa;
use strat::rng::{RandomStream, Stream};
use strat::sweep::Progress;
use strat::task::{SignedSum, Sum, TeachingSet};
use strat::train::Population;

/// Random sets of which the best is changed.
pub const STARTS: u32 = 32;
/// Changes tried.
pub const CHANGES: u32 = 1000;
/// Seeds of the learners that a set is tried on are above this one: no other learner has such a seed.
const TRIED: u64 = 1_000_000_000;
/// Learners that see a set first, and those that see it if these do well.
const FIRST: u64 = 32;
const ALL: u64 = 64;
/// A change after which the first learners err so many times as much is not tried further.
const HOPELESS: f64 = 1.3;
/// Sums that each is tested on.
const TESTED: usize = 200;

/// How far the largest singular value of misleading sums may be above the smallest: half of all random sets of ten are farther
/// apart. So their rule is no harder to calculate than usual.
pub const MOST_COLLINEAR: f64 = 5.0;

/// What learners should make of the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// Err little.
    Teach,
    /// Err much, although the sums leave one rule.
    Mislead,
}

impl Aim {
    /// Of the random draws; sets to teach with have the number of sums alone.
    fn seed(self, count: usize) -> u64 {
        count as u64 + if self == Aim::Mislead { 1000 } else { 0 }
    }

    /// What is to be small, from a mean of logarithms of errors.
    fn of(self, errors: f64) -> f64 {
        if self == Aim::Mislead { -errors } else { errors }
    }

    /// Whether such sums are looked for at all.
    fn allows(self, sums: &[Sum]) -> bool {
        self == Aim::Teach || collinearity(sums) <= MOST_COLLINEAR
    }
}

/// Endless, if not even one rule is left.
pub fn collinearity(sums: &[Sum]) -> f64 {
    condition(&Equation::of_training(Reading::Sums, &task(set(sums)), 0))
}

/// What the search for one set costs, in the units of its progress.
pub const COST: u64 = (STARTS + CHANGES) as u64;

/// A set of so many sums from which learners err little, or much.
pub fn find(aim: Aim, count: usize, isa: Isa, progress: Progress<'_>) -> TeachingSet {
    let draws = |attempt| RandomStream::new(aim.seed(count), Stream::Teach, attempt);
    let random = |start| {
        let mut draws = draws(start);
        (0..count).map(|_| SignedSum::LOCKING.draw(&mut draws)).collect::<Vec<Sum>>()
    };
    let mut best = random(0);
    let mut errors = [f64::INFINITY; 2];
    for attempt in 0..STARTS + CHANGES {
        let next = match attempt {
            start if start < STARTS => random(start),
            _ => changed(&best, &mut draws(attempt)),
        };
        if aim.allows(&next)
            && let Some(found) = better(aim, &next, errors, isa)
        {
            (best, errors) = (next, found);
        }
        progress(1);
    }
    set(&best)
}

fn set(sums: &[Sum]) -> TeachingSet {
    TeachingSet::new(sums).expect("sums are drawn so")
}

/// Why nothing can go wrong.
const FIT: &str = "sums fit every model of sums";

/// What the errors of learners trained on these sums come to, of the first and of all, if it is not above `best`.
fn better(aim: Aim, sums: &[Sum], best: [f64; 2], isa: Isa) -> Option<[f64; 2]> {
    let population = Population::new(Arc::new(task(set(sums))), Arc::new(LITE), train(), isa).expect(FIT);
    // Every learner counts the same, by the order of its error; below 20 and above 3,000 all are alike.
    let logarithms = |seeds: std::ops::Range<u64>| -> f64 {
        let seeds: Vec<u64> = seeds.map(|s| TRIED + s).collect();
        let learners = population.train(&seeds, &|_| {}).expect(FIT);
        let errors = population.errors(&learners, SignedSum::OOD, Stream::TestOod, TESTED).expect(FIT);
        aim.of(errors.iter().map(|e| libm::log(if e.is_nan() { 3000.0 } else { e.clamp(20.0, 3000.0) })).sum())
    };
    let first = logarithms(0..FIRST);
    if first / FIRST as f64 > best[0] + libm::log(HOPELESS) {
        return None;
    }
    let all = (first + logarithms(FIRST..ALL)) / ALL as f64;
    (all <= best[1]).then_some([first / FIRST as f64, all])
}

/// One or two small changes.
fn changed(sums: &[Sum], draws: &mut RandomStream) -> Vec<Sum> {
    let mut sums = sums.to_vec();
    let mut below = |n: usize| draws.below(n as u32) as usize;
    let value = |x: usize| SignedSum::LOCKING.low + x as u32;
    let values = (SignedSum::LOCKING.high - SignedSum::LOCKING.low + 1) as usize;
    for _ in 0..1 + below(2) {
        let at = below(sums.len());
        let sum = &mut sums[at];
        let terms = sum.values.len();
        match below(4) {
            0 => {
                let terms = SignedSum::MIN_TERMS + below(SignedSum::MAX_TERMS - SignedSum::MIN_TERMS + 1);
                sum.values = (0..terms).map(|_| value(below(values))).collect();
                sum.minus = (0..terms).map(|i| i > 0 && below(2) == 1).collect();
            }
            1 => sum.values[below(terms)] = value(below(values)),
            2 => {
                let i = 1 + below(terms - 1);
                sum.minus[i] = !sum.minus[i];
            }
            _ if terms < SignedSum::MAX_TERMS && (terms == SignedSum::MIN_TERMS || below(2) == 0) => {
                sum.values.push(value(below(values)));
                sum.minus.push(below(2) == 1);
            }
            _ => {
                sum.values.pop();
                sum.minus.pop();
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_leave_more_than_one_rule_mislead_nobody() {
        let sums = |lines: &[&str]| lines.iter().map(|line| line.parse().unwrap()).collect::<Vec<Sum>>();
        let one_rule = sums(&["40 - 7", "3 + 50", "9 - 60 + 2", "70"]);
        assert!(collinearity(&one_rule) < 3.0 && Aim::Mislead.allows(&one_rule));
        // What is added is always what is subtracted.
        let two_rules = sums(&["19 + 40 - 40", "6 - 20 + 20", "70"]);
        assert!(collinearity(&two_rules) > 1e12 && !Aim::Mislead.allows(&two_rules));
        assert!(Aim::Teach.allows(&two_rules));
    }

    #[test]
    fn changes_stay_sums_like_those_drawn() {
        let mut sums = SignedSum::LOCKING.draw_many(4, RandomStream::new(1, Stream::Teach, 0));
        let mut lengths = [0; SignedSum::MAX_TERMS + 1];
        for i in 0..2000 {
            let next = changed(&sums, &mut RandomStream::new(1, Stream::Teach, i));
            assert_eq!(next.len(), 4);
            for sum in &next {
                assert_eq!(sum.values.len(), sum.minus.len());
                assert!((SignedSum::MIN_TERMS..=SignedSum::MAX_TERMS).contains(&sum.values.len()) && !sum.minus[0]);
                assert!(sum.values.iter().all(|&v| v <= 100));
                lengths[sum.values.len()] += 1;
            }
            sums = next;
        }
        assert!(lengths[SignedSum::MIN_TERMS..].iter().all(|&n| n > 1000), "{lengths:?}");
    }
}
