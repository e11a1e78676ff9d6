//! SATBench: 2,100 formulas with 4 to 50 clauses, half of them satisfiable.
//!
//! The paper trains on ten satisfiable formulas "with 4–50 clauses and 16–90 variables" and does not
//! say which. Here: one with the fewest clauses, one with the most, one with the fewest variables, one
//! with the most, and others at random, all from satisfiable formulas within those ranges.
//! Unsatisfiable formulas are tested with one random assignment each.
//!
//! Stand-in: 140 formulas for each of 15 clause counts from 4 to 50, half of them satisfiable, drawn as the benchmark's
//! were ([`Core`]): five kinds of core in turn, and as many variables as a product of two or three dimensions has that is
//! no smaller than the number of clauses.

use super::cores::{Core, variables};
use super::{OOD, Solved, example, lengthened, random_assignment};
use crate::config::Repeats;
use crate::data::{DataFolder, Formula};
use crate::model::BlockConfig;
use crate::rng::Stream;
use crate::task::dataset::{DataTask, RowFault, TaskError, task_draws};
use crate::task::list::{Entry, Load};
use crate::task::pick::BASES;
use std::ops::RangeInclusive;

pub(in crate::task) const ENTRY: Entry = Entry {
    name: "satbench",
    title: "SATBench",
    sizes: BlockConfig::SAT,
    train: super::TRAIN,
    repeats: Repeats::Often,
    load: Load::Fixed(load),
};
const NAME: &str = ENTRY.name;
/// Sizes of the paper's training formulas.
const CLAUSES: RangeInclusive<usize> = 4..=50;
const VARIABLES: RangeInclusive<usize> = 16..=90;

const STAND_IN: &str = "2,100 formulas drawn as SATBench's were, certified by a solver, instead of its file";

/// Drawn formulas, and whether they are satisfiable.
fn stand_in() -> Vec<(Formula, bool)> {
    let mut formulas = vec![];
    for size in 0..15 {
        // 4, 7, 11, 14, … 50.
        let clauses = 4 + (46 * size + 7) / 14;
        let mut draws = task_draws(NAME, Stream::StandIn, size as u32);
        for core in Core::ALL.into_iter().cycle().take(70) {
            for satisfiable in [true, false] {
                let variables = variables(clauses, &mut draws);
                let drawn = if satisfiable { Core::satisfiable } else { Core::unsatisfiable };
                formulas.push((drawn(core, variables, clauses, &mut draws), satisfiable));
            }
        }
    }
    formulas
}

/// Positions of ten formulas for training, in their order.
fn training(solved: &[Solved]) -> Option<Vec<usize>> {
    let size = |i: &usize| [solved[*i].formula.clauses.len(), solved[*i].formula.variables];
    let fits = |i: &usize| {
        let [clauses, variables] = size(i);
        CLAUSES.contains(&clauses) && VARIABLES.contains(&variables) && solved[*i].falsifiable().next().is_some()
    };
    let mut order: Vec<usize> = (0..solved.len()).filter(fits).collect();
    task_draws(NAME, Stream::Pick, 0).shuffle(&mut order);
    let mut picked = vec![];
    for measure in [0, 1] {
        picked.extend(order.iter().min_by_key(|i| size(i)[measure]));
        // The first of the largest, not the last.
        picked.extend(order.iter().rev().max_by_key(|i| size(i)[measure]));
    }
    picked.extend(order);
    let mut chosen: Vec<usize> = vec![];
    for i in picked {
        if chosen.len() < BASES && !chosen.contains(&i) {
            chosen.push(i);
        }
    }
    chosen.sort_unstable();
    (chosen.len() == BASES).then_some(chosen)
}

fn load(folder: &DataFolder) -> Result<DataTask, TaskError> {
    let (formulas, stand_in) = match folder.satbench()? {
        Some(formulas) => (formulas, None),
        None => (stand_in(), Some(STAND_IN)),
    };
    let (mut solved, mut unsatisfiable) = (vec![], vec![]);
    for (at, (formula, satisfiable)) in formulas.into_iter().enumerate() {
        match (satisfiable, Solved::new(formula.clone())) {
            (true, Some(s)) => solved.push(s),
            (false, None) => unsatisfiable.push(formula),
            _ => return Err(TaskError::Row { task: NAME, row: at + 1, fault: RowFault::Rule.into() }),
        }
    }
    let what = "satisfiable formulas with 4 to 50 clauses and 16 to 90 variables";
    let too_few = |what, found, needed| TaskError::TooFew { task: NAME, what, found, needed };
    let training = training(&solved).ok_or_else(|| too_few(what, solved.len(), BASES))?;
    let (mut pool, mut test) = (vec![], vec![]);
    for (i, formula) in solved.into_iter().enumerate() {
        if training.contains(&i) { &mut pool } else { &mut test }.push(formula);
    }
    for (what, found) in [("satisfiable formulas", test.len()), ("unsatisfiable formulas", unsatisfiable.len())] {
        if found < OOD {
            return Err(too_few(what, found, OOD));
        }
    }
    // Formulas with the assignments that they are tested with.
    let positive = test.iter().map(|s| (&s.formula, s.assignment.clone()));
    let negative =
        unsatisfiable.iter().enumerate().map(|(n, formula)| (formula, random_assignment(NAME, formula, n)));
    let tested = [positive.collect::<Vec<_>>(), negative.collect()];
    let id = tested.iter().flatten().map(|(f, a)| example(f, a)).collect();
    let sample = |(class, mut tested): (usize, Vec<(&Formula, Vec<bool>)>)| {
        task_draws(NAME, Stream::TestOod, class as u32).shuffle(&mut tested);
        tested.into_iter().take(OOD).map(|(f, a)| example(&lengthened(f), &a)).collect::<Vec<_>>()
    };
    let ood = tested.into_iter().enumerate().flat_map(sample).collect();
    Ok(super::task(&ENTRY, pool, [id, ood], stand_in))
}

#[cfg(test)]
mod tests {
    use super::super::solver;
    use super::*;

    /// What is known of the benchmark: counts, clauses that are no more than variables, and mostly of three literals.
    #[test]
    fn formulas_are_as_the_benchmarks() {
        let formulas = stand_in();
        let mut by_clauses = std::collections::BTreeMap::<usize, [usize; 2]>::new();
        let (mut lengths, mut variables) = ([0; 3], std::collections::BTreeSet::new());
        for (formula, satisfiable) in &formulas {
            assert_eq!(solver::satisfying(formula).is_some(), *satisfiable);
            assert!(formula.clauses.len() <= formula.variables);
            by_clauses.entry(formula.clauses.len()).or_default()[usize::from(*satisfiable)] += 1;
            variables.insert(formula.variables);
            formula.clauses.iter().for_each(|c| lengths[c.len() - 1] += 1);
        }
        assert_eq!((by_clauses.len(), formulas.len()), (15, 2100));
        assert!(by_clauses.values().all(|n| *n == [70, 70]), "{by_clauses:?}");
        assert_eq!((variables.first(), variables.last()), (Some(&5), Some(&90)));
        let share = |n: usize| lengths[n - 1] as f64 / lengths.iter().sum::<i32>() as f64;
        assert!(share(3) > 0.75 && share(1) < 0.05, "{lengths:?}");
    }

    #[test]
    fn training_formulas_span_the_papers_sizes() {
        let solved: Vec<Solved> = stand_in().into_iter().filter_map(|(f, _)| Solved::new(f)).collect();
        assert_eq!(solved.len(), 1050);
        let picked = training(&solved).unwrap();
        let sizes = |f: &dyn Fn(&Formula) -> usize| {
            let all = picked.iter().map(|&i| f(&solved[i].formula));
            (all.clone().min(), all.max())
        };
        assert_eq!(picked.len(), BASES);
        assert_eq!(sizes(&|f| f.clauses.len()), (Some(4), Some(50)));
        assert_eq!(sizes(&|f| f.variables), (Some(16), Some(90)));
    }

    #[test]
    fn too_few_formulas_are_no_training_set() {
        let solved: Vec<Solved> = stand_in().into_iter().take(9).filter_map(|(f, _)| Solved::new(f)).collect();
        assert_eq!(training(&solved), None);
    }
}
