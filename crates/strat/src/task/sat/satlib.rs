//! SATLIB: random 3-CNF with 20 variables.
//!
//! The 1,000 satisfiable formulas (91 clauses) are a public set; the first ten in file order are
//! trained on. The 1,000 unsatisfiable ones (110 clauses) are in no public set: they are always
//! drawn, uniformly, and kept when the solver proves them unsatisfiable. So clause count
//! alone tells the ID labels apart, which a report should say.
//!
//! The paper draws the assignments of unsatisfiable formulas "from the evaluation seed"; here
//! that seed belongs to the task, and all learners meet the same assignments. The negative
//! half of the OOD set flips one variable, the first in random order that violates a clause.

use super::solver::{random_formula, satisfying};
use super::{OOD, Solved, example, lengthened, random_assignment};
use crate::config::Repeats;
use crate::data::{DataFolder, Formula};
use crate::model::BlockConfig;
use crate::rng::Stream;
use crate::task::dataset::{DataTask, RowFault, TaskError, task_draws};
use crate::task::list::{Entry, Load};
use crate::task::pick::BASES;

pub(in crate::task) const ENTRY: Entry = Entry {
    name: "satlib",
    title: "SATLIB",
    sizes: BlockConfig::SAT,
    train: super::TRAIN,
    repeats: Repeats::Often,
    load: Load::Fixed(load),
};
const NAME: &str = ENTRY.name;
const VARIABLES: usize = 20;
const FORMULAS: usize = 1000;

const UNSATISFIABLE: &str = "1,000 drawn formulas, proved unsatisfiable, instead of the paper's unpublished ones";
const ALL: &str =
    "2,000 drawn formulas, certified by a solver, instead of SATLIB's 1,000 and the paper's unpublished ones";

/// Formula after formula; a draw for every one that is tried.
fn random_formulas(clauses: usize) -> impl Iterator<Item = Formula> {
    let first = clauses as u32 * 1_000_000;
    (first..).map(move |n| random_formula(VARIABLES, clauses, &mut task_draws(NAME, Stream::StandIn, n)))
}

fn load(folder: &DataFolder) -> Result<DataTask, TaskError> {
    let (mut solved, stand_in) = match folder.satlib()? {
        Some(formulas) => {
            let solve = |(at, formula)| {
                Solved::new(formula).ok_or(TaskError::Row { task: NAME, row: at + 1, fault: RowFault::Rule.into() })
            };
            (formulas.into_iter().enumerate().map(solve).collect::<Result<Vec<_>, _>>()?, UNSATISFIABLE)
        }
        None => (random_formulas(91).filter_map(Solved::new).take(FORMULAS).collect(), ALL),
    };
    if let Some(at) = solved.iter().position(|s| s.falsifiable().next().is_none()) {
        return Err(TaskError::Row { task: NAME, row: at + 1, fault: RowFault::Rule.into() });
    }
    if solved.len() < BASES + OOD {
        let needed = BASES + OOD;
        return Err(TaskError::TooFew { task: NAME, what: "formulas", found: solved.len(), needed });
    }
    let test = solved.split_off(BASES);
    let unsatisfiable = random_formulas(110).filter(|f| satisfying(f).is_none()).take(FORMULAS);
    let negative =
        unsatisfiable.enumerate().map(|(n, formula)| example(&formula, &random_assignment(NAME, &formula, n)));
    let id = test.iter().map(Solved::positive).chain(negative).collect();
    let both = |(n, solved): (usize, &Solved)| {
        let long = lengthened(&solved.formula);
        let violating = solved.violating_by_one(task_draws(NAME, Stream::TestOod, n as u32));
        [example(&long, &solved.assignment), example(&long, &violating)]
    };
    let ood = test.iter().take(OOD).enumerate().flat_map(both).collect();
    Ok(super::task(&ENTRY, solved, [id, ood], Some(stand_in)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All 2²⁰ assignments, 20 bits each; a clause is a mask of positive and one of negated variables.
    fn satisfiable_by_search(formula: &Formula) -> bool {
        let mask = |clause: &[i32], positive: bool| {
            clause.iter().filter(|l| (**l > 0) == positive).fold(0u32, |m, l| m | 1 << (l.unsigned_abs() - 1))
        };
        let clauses: Vec<(u32, u32)> = formula.clauses.iter().map(|c| (mask(c, true), mask(c, false))).collect();
        (0..1u32 << VARIABLES).any(|a| clauses.iter().all(|(yes, no)| a & yes | !a & no != 0))
    }

    #[test]
    fn verdicts_on_drawn_formulas_hold_for_all_assignments() {
        for clauses in [91, 110] {
            for formula in random_formulas(clauses).take(6) {
                assert_eq!(satisfying(&formula).is_some(), satisfiable_by_search(&formula));
                assert!(formula.clauses.iter().all(|c| c.len() == 3));
            }
        }
    }

    /// 87 % of random 3-CNF of this size are; far from that, the draws would not be uniform.
    #[test]
    fn most_formulas_of_110_clauses_are_unsatisfiable() {
        let unsatisfiable = random_formulas(110).take(500).filter(|f| satisfying(f).is_none()).count();
        assert!((400..470).contains(&unsatisfiable), "{unsatisfiable} of 500");
    }
}
