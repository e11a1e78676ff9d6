//! SATBench and SATLIB: does an assignment satisfy a formula?
//!
//! A formula is written token by token: clause start, its literals with OR between them, clause
//! end; AND between clauses; end of sequence. Literals are evaluated: a token says whether
//! one is true under the assignment, not which variable it is. 91 clauses of three literals
//! are 728 tokens. Symbols are the channels of Type, one-hot:
//!
//! | Type | token | Data 0 |
//! |---|---|---|
//! | 0 | true literal | +1 |
//! | 1 | false literal | −1 |
//! | 2, 3 | OR, AND | 0 |
//! | 4, 5 | clause start, clause end | 0 |
//! | 6 | end of sequence | 0 |
//! | 7 | padding | 0 |
//!
//! Data 1 and 2 are zero.
//!
//! An epoch draws 16 of the ten training formulas with their satisfying assignments and 16
//! with violating ones. The paper flips one, two or three variables and takes the first flip that
//! violates a clause, else five. Here a flip is of one random variable, then of two, then of
//! three, then of five; only variables that occur in the formula are flipped; and as a negative
//! example must be one, the search begins anew until something is violated.

mod cores;
pub(super) mod satbench;
pub(super) mod satlib;
mod solver;
mod text;

use super::dataset::{DataTask, Domain, Features, Sets, task_draws};
use super::example::{Encoded, Example, Target};
use super::list::Entry;
use crate::config::{Adam, TrainConfig};
use crate::data::Formula;
use crate::model::{Readout, Shape};
use crate::rng::{RandomStream, Stream};
use std::borrow::Cow;
use std::sync::Arc;

/// How the paper trains on formulas (App. D).
const TRAIN: TrainConfig = TrainConfig { adam: Adam::new(1e-2), ..TrainConfig::DEFAULT };

/// A token, by its channel in Type.
mod token {
    pub const TRUE: u8 = 0;
    pub const FALSE: u8 = 1;
    pub const OR: u8 = 2;
    pub const AND: u8 = 3;
    pub const START: u8 = 4;
    pub const END: u8 = 5;
    pub const STOP: u8 = 6;
    pub const PADDING: u8 = 7;
}

/// Positive and negative examples of an epoch, each.
const PER_CLASS: usize = 16;
/// Positive and negative examples of an OOD set, each.
const OOD: usize = 250;
/// Clauses of an OOD formula.
const OOD_CLAUSES: usize = 100;

fn is_true(literal: i32, assignment: &[bool]) -> bool {
    assignment[literal.unsigned_abs() as usize - 1] == (literal > 0)
}

fn satisfies(formula: &Formula, assignment: &[bool]) -> bool {
    formula.clauses.iter().all(|clause| clause.iter().any(|&l| is_true(l, assignment)))
}

/// A formula under an assignment, token by token.
fn tokens(formula: &Formula, assignment: &[bool]) -> Vec<u8> {
    let mut out = vec![];
    for (i, clause) in formula.clauses.iter().enumerate() {
        if i > 0 {
            out.push(token::AND);
        }
        out.push(token::START);
        for (j, &literal) in clause.iter().enumerate() {
            if j > 0 {
                out.push(token::OR);
            }
            out.push(if is_true(literal, assignment) { token::TRUE } else { token::FALSE });
        }
        out.push(token::END);
    }
    out.push(token::STOP);
    out
}

fn example(formula: &Formula, assignment: &[bool]) -> Example {
    Example::new(tokens(formula, assignment), Target::Verdict(satisfies(formula, assignment)))
}

/// The clauses again from the first on, until there are [`OOD_CLAUSES`].
fn lengthened(formula: &Formula) -> Formula {
    let clauses = formula.clauses.iter().cycle().take(OOD_CLAUSES).cloned().collect();
    Formula { variables: formula.variables, clauses }
}

/// A uniform assignment: the one that a task's unsatisfiable formula of this number is tested with.
fn random_assignment(task: &str, formula: &Formula, number: usize) -> Vec<bool> {
    let mut draws = task_draws(task, Stream::TestId, number as u32);
    (0..formula.variables).map(|_| draws.below(2) == 1).collect()
}

/// Indices of the variables that occur.
fn occurring(formula: &Formula) -> Vec<usize> {
    let mut all: Vec<usize> = formula.clauses.iter().flatten().map(|l| l.unsigned_abs() as usize - 1).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Searches of a violating assignment before a clause is made false outright; hardly ever reached.
const ROUNDS: usize = 100;

/// A formula, an assignment that satisfies it, the variables that occur in it.
#[derive(Clone, Debug)]
struct Solved {
    formula: Formula,
    assignment: Vec<bool>,
    variables: Vec<usize>,
}

impl Solved {
    /// None if the formula cannot be satisfied.
    fn new(formula: Formula) -> Option<Solved> {
        let assignment = solver::satisfying(&formula)?;
        let variables = occurring(&formula);
        Some(Solved { formula, assignment, variables })
    }

    fn positive(&self) -> Example {
        example(&self.formula, &self.assignment)
    }

    /// The assignment with `count` of the occurring variables flipped.
    fn flipped(&self, count: usize, draws: &mut RandomStream) -> Vec<bool> {
        let mut assignment = self.assignment.clone();
        let mut variables = self.variables.clone();
        draws.shuffle(&mut variables);
        variables.iter().take(count).for_each(|&v| assignment[v] ^= true);
        assignment
    }

    /// Clauses that some assignment violates: no literal beside its opposite.
    fn falsifiable(&self) -> impl Iterator<Item = &Vec<i32>> {
        self.formula.clauses.iter().filter(|clause| clause.iter().all(|l| !clause.contains(&-l)))
    }

    /// An assignment that violates a clause. There must be a [falsifiable](Self::falsifiable) one.
    fn violating(&self, draws: &mut RandomStream) -> Vec<bool> {
        for _ in 0..ROUNDS {
            for count in [1, 2, 3, 5] {
                let assignment = self.flipped(count, draws);
                if !satisfies(&self.formula, &assignment) {
                    return assignment;
                }
            }
        }
        let mut assignment = self.assignment.clone();
        let clause = self.falsifiable().next().expect("training formulas can be violated");
        clause.iter().for_each(|l| assignment[l.unsigned_abs() as usize - 1] = *l < 0);
        assignment
    }

    /// The assignment with one variable flipped, the first in random order that violates a
    /// clause; several variables if no single one does.
    fn violating_by_one(&self, mut draws: RandomStream) -> Vec<bool> {
        let mut variables = self.variables.clone();
        draws.shuffle(&mut variables);
        let single = variables.iter().find_map(|&v| {
            let mut assignment = self.assignment.clone();
            assignment[v] ^= true;
            (!satisfies(&self.formula, &assignment)).then_some(assignment)
        });
        single.unwrap_or_else(|| self.violating(&mut draws))
    }
}

/// Assignment verification with training formulas.
#[derive(Debug)]
struct Verification {
    /// The task's name.
    name: &'static str,
    pool: Vec<Solved>,
    /// Tokens of the longest example.
    tokens: usize,
}

/// A task with these training formulas and test sets.
fn task(
    entry: &Entry,
    pool: Vec<Solved>,
    [id, ood]: [Vec<Example>; 2],
    stand_in: Option<&'static str>,
) -> DataTask {
    let bases: Vec<Example> = pool.iter().map(Solved::positive).collect();
    let tokens = bases.iter().chain(&id).chain(&ood).map(|e| e.input.len()).max().unwrap_or(0);
    DataTask {
        name: Cow::Borrowed(entry.name),
        title: Cow::Borrowed(entry.title),
        domain: Arc::new(Verification { name: entry.name, pool, tokens }),
        pick: None,
        sets: Sets { bases, training: vec![], id, ood },
        stand_in,
        setup: None,
    }
}

impl Domain for Verification {
    fn shape(&self) -> Shape {
        Shape { tokens: self.tokens, types: 8, data: 3 }
    }

    fn readout(&self) -> Readout {
        Readout::Binary
    }

    fn encode(&self, input: &[u8], out: &mut Encoded) {
        let Shape { tokens, types, data } = self.shape();
        assert!(input.len() <= tokens, "{} tokens, but examples of this task have at most {tokens}", input.len());
        for at in 0..tokens {
            let symbol = input.get(at).copied().unwrap_or(token::PADDING);
            out.types[at * types + usize::from(symbol)] = 1.0;
            out.data[at * data] = match symbol {
                token::TRUE => 1.0,
                token::FALSE => -1.0,
                _ => 0.0,
            };
        }
    }

    fn length(&self, input: &[u8]) -> usize {
        input.len()
    }

    fn label(&self, input: &[u8]) -> Option<Target> {
        let mut clauses = input.split(|&t| t == token::AND).filter(|c| c.contains(&token::START));
        Some(Target::Verdict(clauses.all(|clause| clause.contains(&token::TRUE))))
    }

    /// The share of every token: lengths differ, and models too read the mean over tokens.
    fn features(&self, input: &[u8], _: usize) -> Features {
        let share = |token| input.iter().filter(|&&t| t == token).count() as f64 / input.len() as f64;
        (token::TRUE..token::PADDING).map(|token| (u32::from(token), share(token))).collect()
    }

    fn clauses(&self, input: &[u8]) -> Option<usize> {
        Some(input.iter().filter(|&&t| t == token::START).count())
    }

    fn epoch(&self, _: &[Example], mut draws: RandomStream) -> Option<Vec<Example>> {
        let mut examples = Vec::with_capacity(2 * PER_CLASS);
        for positive in [true, false] {
            for _ in 0..PER_CLASS {
                let solved = &self.pool[draws.below(self.pool.len() as u32) as usize];
                examples.push(if positive {
                    solved.positive()
                } else {
                    example(&solved.formula, &solved.violating(&mut draws))
                });
            }
        }
        Some(examples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn formula(variables: usize, clauses: &[&[i32]]) -> Formula {
        Formula { variables, clauses: clauses.iter().map(|c| c.to_vec()).collect() }
    }

    #[test]
    fn a_formula_is_written_token_by_token() {
        use token::*;
        let example = example(&formula(3, &[&[1, -2], &[3]]), &[true, true, false]);
        assert_eq!(example.input, [START, TRUE, OR, FALSE, END, AND, START, FALSE, END, STOP]);
        assert_eq!(example.target, Target::Verdict(false));
    }

    #[test]
    fn the_rule_reads_tokens_alone() {
        let rule = |formula: Formula, assignment: &[bool]| {
            let Example { input, target, .. } = example(&formula, assignment);
            assert_eq!(Verification { name: "sat", pool: vec![], tokens: 0 }.label(&input), Some(target.clone()));
            target == Target::Verdict(true)
        };
        assert!(rule(formula(1, &[]), &[true]));
        assert!(!rule(formula(1, &[&[1], &[]]), &[true]));
        assert!(rule(formula(2, &[&[1, 2], &[-2]]), &[true, false]));
        assert!(!rule(formula(2, &[&[1, 2], &[-2]]), &[true, true]));
    }

    #[test]
    fn lengthened_formulas_begin_anew() {
        let long = lengthened(&formula(3, &[&[1], &[2], &[3]]));
        assert_eq!(long.clauses.len(), 100);
        assert_eq!(long.clauses[99], [1]);
        let short = lengthened(&formula(1, &vec![&[1][..]; 130]));
        assert_eq!(short.clauses.len(), 100);
    }

    #[test]
    fn violations_are_found_where_few_flips_violate() {
        // Six literals are true: no flip of five variables violates this clause.
        let solved = Solved {
            formula: formula(6, &[&[1, 2, 3, 4, 5, 6], &[1, -1]]),
            assignment: vec![true; 6],
            variables: (0..6).collect(),
        };
        let violating = solved.violating(&mut RandomStream::new(1, Stream::Augment, 0));
        assert_eq!(violating, [false; 6]);
    }

    proptest! {
        #[test]
        fn violating_assignments_violate_and_are_near(seed: u64) {
            let mut draws = RandomStream::new(seed, Stream::StandIn, 0);
            let formula = solver::random_formula(20, 60, &mut draws);
            let Some(solved) = Solved::new(formula) else { return Ok(()) };
            prop_assert!(satisfies(&solved.formula, &solved.assignment));
            let distance = |a: &[bool]| a.iter().zip(&solved.assignment).filter(|(a, b)| a != b).count();
            let violating = solved.violating(&mut draws);
            prop_assert!(!satisfies(&solved.formula, &violating));
            prop_assert!([1, 2, 3, 5].contains(&distance(&violating)));
            let by_one = solved.violating_by_one(draws);
            prop_assert!(!satisfies(&solved.formula, &by_one));
            prop_assert_eq!(distance(&by_one), 1);
        }
    }
}
