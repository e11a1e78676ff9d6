//! Formulas made as SATBench's were: a reason not to be satisfiable, hidden among random clauses.
//!
//! An unsatisfiable formula holds one of five cores, and is filled up with clauses drawn uniformly from all clauses of one
//! to three literals; as there are far more long ones, nearly all have three. A satisfiable formula is such a
//! formula with one clause more, without one of its clauses: the first in random order that the others can do without
//! being unsatisfiable. The solver certifies both.

use super::solver::{random_clause, satisfying};
use crate::data::Formula;
use crate::rng::RandomStream;

/// Most clauses of a core.
const LARGEST: usize = 8;

/// Why a formula cannot be satisfied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Core {
    /// Implications in a circle that passes a variable and its opposite.
    ImplicationCycle,
    /// A fact, implications from it, and the opposite of the last.
    FrozenChain,
    /// Exactly one of some is true, and each is false.
    ExactlyOneBlocked,
    /// Every clause over two or three variables that mentions all of them.
    FullBlock,
    /// Neighbours in a circle are equal or different, and the number of differences is odd.
    XorChain,
}

impl Core {
    /// In the order in which formulas take turns.
    pub const ALL: [Core; 5] =
        [Core::ImplicationCycle, Core::FrozenChain, Core::ExactlyOneBlocked, Core::FullBlock, Core::XorChain];

    /// Its clauses, at most so many (at least 4), over variables from 1 on.
    fn clauses(self, most: usize, draws: &mut RandomStream) -> Vec<Vec<i32>> {
        let most = most.min(LARGEST);
        let mut between = |low: usize, high: usize| low + draws.below((high - low + 1) as u32) as usize;
        match self {
            Core::ImplicationCycle => {
                let length = between(4, most);
                let turn = between(2, length - 2);
                // 1 implies 2, and so on; at the turn stands the opposite of 1, and the last implies 1.
                let mut circle: Vec<i32> = (1..length as i32).collect();
                circle.insert(turn, -1);
                (0..length).map(|i| vec![-circle[i], circle[(i + 1) % length]]).collect()
            }
            Core::FrozenChain => {
                let variables = between(2, most - 1) as i32;
                let implications = (1..variables).map(|v| vec![-v, v + 1]);
                [vec![1]].into_iter().chain(implications).chain([vec![-variables]]).collect()
            }
            Core::ExactlyOneBlocked => {
                let variables = if most >= 7 { between(2, 3) as i32 } else { 2 };
                let pairs = (1..=variables).flat_map(|a| (a + 1..=variables).map(move |b| vec![-a, -b]));
                let blocked = (1..=variables).map(|v| vec![-v]);
                [(1..=variables).collect()].into_iter().chain(pairs).chain(blocked).collect()
            }
            Core::FullBlock => {
                let variables = if most >= 8 { between(2, 3) } else { 2 };
                let signed =
                    |signs: usize, v: usize| if signs >> v & 1 == 1 { -(v as i32 + 1) } else { v as i32 + 1 };
                (0..1 << variables).map(|signs| (0..variables).map(|v| signed(signs, v)).collect()).collect()
            }
            Core::XorChain => {
                let variables = between(2, most / 2) as i32;
                let mut odd = true;
                let mut clauses = vec![];
                for v in 1..=variables {
                    let (a, b) = (v, v % variables + 1);
                    // The last link makes the number of differences odd.
                    let differ = if v == variables { odd } else { between(0, 1) == 1 };
                    odd ^= differ;
                    let b = if differ { b } else { -b };
                    clauses.extend([vec![a, b], vec![-a, -b]]);
                }
                clauses
            }
        }
    }

    /// The core over variables in random places with random signs, and random clauses that are all different, in random
    /// order. At least 4 clauses and 5 variables.
    pub fn unsatisfiable(self, variables: usize, clauses: usize, draws: &mut RandomStream) -> Formula {
        let mut places: Vec<i32> = (1..=variables as i32).collect();
        draws.shuffle(&mut places);
        places.iter_mut().for_each(|place| *place *= if draws.below(2) == 1 { 1 } else { -1 });
        let place = |l: i32| l.signum() * places[l.unsigned_abs() as usize - 1];
        let core = self.clauses(clauses, draws);
        let mut all: Vec<Vec<i32>> = core.iter().map(|c| c.iter().map(|&l| place(l)).collect()).collect();
        let same = |a: &[i32], b: &[i32]| a.len() == b.len() && a.iter().all(|l| b.contains(l));
        while all.len() < clauses {
            let length = length(variables, draws);
            let clause = random_clause(variables, length, draws);
            if !all.iter().any(|other| same(other, &clause)) {
                all.push(clause);
            }
        }
        draws.shuffle(&mut all);
        Formula { variables, clauses: all }
    }

    /// A satisfiable formula beside [`Core::unsatisfiable`], of as many clauses.
    pub fn satisfiable(self, variables: usize, clauses: usize, draws: &mut RandomStream) -> Formula {
        loop {
            let whole = self.unsatisfiable(variables, clauses + 1, draws);
            let mut order: Vec<usize> = (0..=clauses).collect();
            draws.shuffle(&mut order);
            let without = |left_out: usize| {
                let mut formula = whole.clone();
                formula.clauses.remove(left_out);
                formula
            };
            // None if random clauses contradict each other too.
            if let Some(found) = order.into_iter().map(without).find(|formula| satisfying(formula).is_some()) {
                return found;
            }
        }
    }
}

/// The length of a clause that is drawn uniformly from all clauses of one to three literals over different variables.
fn length(variables: usize, draws: &mut RandomStream) -> usize {
    let v = variables as u32;
    let of_one = 2 * v;
    let of_two = 2 * v * (v - 1);
    let of_three = 4 * v * (v - 1) * (v - 2) / 3;
    match draws.below(of_one + of_two + of_three) {
        n if n < of_one => 1,
        n if n < of_one + of_two => 2,
        _ => 3,
    }
}

/// A product of two or three dimensions from 1 to 9, at least as large as both, at most 90.
pub fn variables(at_least: usize, draws: &mut RandomStream) -> usize {
    loop {
        let dimensions = 2 + draws.below(2);
        let product = (0..dimensions).map(|_| 1 + draws.below(9) as usize).product();
        if (at_least.max(5)..=90).contains(&product) {
            return product;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::satisfies;
    use super::*;
    use crate::rng::Stream;

    fn draws(step: u32) -> RandomStream {
        RandomStream::new(5, Stream::StandIn, step)
    }

    /// By trying every assignment of the few variables that occur, not by the solver.
    fn by_search(clauses: &[Vec<i32>]) -> bool {
        let variables = clauses.iter().flatten().map(|l| l.unsigned_abs()).max().unwrap_or(0) as usize;
        let formula = Formula { variables, clauses: clauses.to_vec() };
        (0..1u32 << variables)
            .any(|n| satisfies(&formula, &(0..variables).map(|v| n >> v & 1 == 1).collect::<Vec<bool>>()))
    }

    #[test]
    fn no_core_can_be_satisfied_and_all_fit() {
        for core in Core::ALL {
            let mut sizes = std::collections::BTreeSet::new();
            for step in 0..200 {
                for most in 4..12 {
                    let clauses = core.clauses(most, &mut draws(step));
                    assert!(!by_search(&clauses), "{core:?} {clauses:?}");
                    assert!(clauses.len() <= most.min(LARGEST), "{core:?} {clauses:?}");
                    assert!(clauses.iter().all(|c| (1..=3).contains(&c.len())), "{core:?} {clauses:?}");
                    sizes.insert(clauses.len());
                }
            }
            assert!(sizes.len() > 1, "{core:?} has one size: {sizes:?}");
        }
    }

    /// The control of the test above: without some clause, every core can be satisfied.
    #[test]
    fn every_core_can_be_broken_by_one_clause() {
        for core in Core::ALL {
            for step in 0..50 {
                let clauses = core.clauses(10, &mut draws(step));
                let broken = (0..clauses.len()).any(|i| {
                    let mut rest = clauses.clone();
                    rest.remove(i);
                    by_search(&rest)
                });
                assert!(broken, "{core:?} {clauses:?}");
            }
        }
    }

    #[test]
    fn clauses_are_as_long_as_clauses_are() {
        // With three variables there are 6, 12 and 8 clauses, with 40 there are 80, 3,120 and 79,040.
        for (variables, shares) in [(3, [6.0, 12.0, 8.0]), (40, [80.0, 3120.0, 79040.0])] {
            let mut draws = draws(0);
            let mut counts = [0.0f64; 3];
            (0..20_000).for_each(|_| counts[length(variables, &mut draws) - 1] += 1.0);
            let all: f64 = shares.iter().sum();
            for (count, share) in counts.into_iter().zip(shares) {
                assert!((count / 20_000.0 - share / all).abs() < 0.012, "{variables}: {counts:?}");
            }
        }
    }

    #[test]
    fn formulas_have_the_sizes_and_answers_that_were_asked_for() {
        for (step, core) in (0..).zip(Core::ALL.into_iter().cycle().take(60)) {
            let mut draws = draws(step);
            let clauses = 4 + draws.below(47) as usize;
            let variables = variables(clauses, &mut draws);
            let no = core.unsatisfiable(variables, clauses, &mut draws);
            let yes = core.satisfiable(variables, clauses, &mut draws);
            for formula in [&no, &yes] {
                assert_eq!((formula.variables, formula.clauses.len()), (variables, clauses));
                for clause in &formula.clauses {
                    let mut names: Vec<u32> = clause.iter().map(|l| l.unsigned_abs()).collect();
                    names.sort_unstable();
                    names.dedup();
                    assert_eq!(names.len(), clause.len(), "a variable once in {clause:?}");
                    assert!(names.iter().all(|&v| (1..=variables as u32).contains(&v)));
                }
            }
            assert!(satisfying(&no).is_none() && satisfying(&yes).is_some(), "{core:?}");
        }
    }

    #[test]
    fn variables_are_products_and_no_fewer_than_clauses() {
        let mut seen = std::collections::BTreeSet::new();
        for step in 0..2000 {
            seen.insert(variables(4, &mut draws(step)));
            assert!((50..=90).contains(&variables(50, &mut draws(step))));
        }
        assert_eq!((seen.first(), seen.last()), (Some(&5), Some(&90)));
        assert!(!seen.contains(&11) && !seen.contains(&22), "no product of numbers up to 9");
    }
}
