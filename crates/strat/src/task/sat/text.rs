//! Formulas and assignments as text.

use super::{Verification, example, random_assignment, solver, token, tokens};
use crate::data::{self, Formula, dimacs};
use crate::task::dataset::RowFault;
use crate::task::example::{Example, Target};
use crate::task::text::{ProbeFault, ReadFault, Text};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a formula is called in messages about a text.
const TYPED: &str = "the formula";

/// `-3` of a text.
fn literal(word: &str) -> Result<i32, ProbeFault> {
    let number = word.parse().ok().filter(|&literal| literal != i32::MIN);
    number.ok_or_else(|| ProbeFault::value("a literal", word, "a whole number of 32 bits, such as 3 or -3"))
}

/// Clauses without a header; the last 0 may be missing.
fn clauses(text: &str) -> Result<Vec<Vec<i32>>, ProbeFault> {
    let literals: Vec<i32> = text.split_whitespace().map(literal).collect::<Result<_, _>>()?;
    let mut clauses: Vec<Vec<i32>> = literals.split(|&l| l == 0).map(<[i32]>::to_vec).collect();
    if clauses.last().is_some_and(Vec::is_empty) {
        clauses.pop();
    }
    Ok(clauses)
}

/// Which variables are true: `1 -2 3`, with or without a 0 at the end.
fn values(text: &str) -> Result<BTreeMap<u32, bool>, ProbeFault> {
    let mut values = BTreeMap::new();
    for word in text.split_whitespace() {
        let literal = literal(word)?;
        let variable = literal.unsigned_abs();
        if literal != 0 && values.insert(variable, literal > 0).is_some_and(|before| before != (literal > 0)) {
            return Err(ProbeFault::Contradiction(variable));
        }
    }
    Ok(values)
}

/// The parts of `formula / assignment`, or of a formula with lines `v 1 -2 3`.
fn parts(text: &str) -> Result<(String, String), ProbeFault> {
    let (mut formula, mut assignment) = (String::new(), None);
    for line in text.lines() {
        match line.trim_start().strip_prefix('v') {
            Some(literals) => *assignment.get_or_insert_with(String::new) += &format!("{literals} "),
            // Others keep their lines, so that errors name the right one.
            None => formula += line,
        }
        formula.push('\n');
    }
    if let Some(assignment) = assignment {
        return Ok((formula, assignment));
    }
    let (formula, assignment) = text.rsplit_once('/').ok_or(ProbeFault::NoAssignment)?;
    Ok((formula.into(), assignment.into()))
}

/// The formula with its variables numbered without gaps, and what they are.
fn evaluated(clauses: Vec<Vec<i32>>, values: &BTreeMap<u32, bool>) -> Result<(Formula, Vec<bool>), ProbeFault> {
    let mut numbers = BTreeMap::new();
    let mut assignment = vec![];
    let mut number = |literal: i32| {
        let variable = literal.unsigned_abs();
        let value = *values.get(&variable).ok_or(ProbeFault::Unassigned(variable))?;
        let number = *numbers.entry(variable).or_insert_with(|| {
            assignment.push(value);
            assignment.len() as i32
        });
        Ok(number * literal.signum())
    };
    let mut renumbered = vec![];
    for clause in clauses {
        renumbered.push(clause.into_iter().map(&mut number).collect::<Result<_, ProbeFault>>()?);
    }
    Ok((Formula { variables: assignment.len(), clauses: renumbered }, assignment))
}

impl Text for Verification {
    fn form(&self) -> Cow<'static, str> {
        "clauses that end in 0, a slash, and the assignment; or DIMACS and a line `v 1 -2 3`; such as \
         `1 -2 0 2 3 0 / 1 2 -3`"
            .into()
    }

    fn file_form(&self) -> Cow<'static, str> {
        "DIMACS, a tar archive of .cnf files, or SATBench's JSONL, each as it is or packed with gzip or xz".into()
    }

    fn read(&self, file: &str, bytes: &[u8]) -> Result<Vec<Example>, ReadFault> {
        let mut examples = vec![];
        let mut unsatisfiable = 0;
        for found in data::read_formulas(file, bytes)? {
            let formula = found.formula;
            let fault = |fault| ReadFault::Row { file: found.file.clone(), line: found.line, fault };
            // Before solving: how hard a formula can be is limited by its length.
            let length = tokens(&formula, &vec![false; formula.variables]).len();
            if length > self.tokens {
                return Err(fault(RowFault::Long { found: length, most: self.tokens }));
            }
            let solution = solver::satisfying(&formula);
            if found.satisfiable.is_some_and(|says| says != solution.is_some()) {
                let [found, rule] = [solution.is_none(), solution.is_some()].map(|yes| yes.to_string());
                return Err(fault(RowFault::Answer { what: "`satisfiable`", found, rule }));
            }
            let assignment = solution.unwrap_or_else(|| {
                unsatisfiable += 1;
                random_assignment(self.name, &formula, unsatisfiable - 1)
            });
            examples.push(example(&formula, &assignment));
        }
        Ok(examples)
    }

    fn probe(&self, text: &str) -> Result<Vec<u8>, ProbeFault> {
        let (formula, assignment) = parts(text)?;
        let has_header = formula.lines().any(|line| line.trim_start().starts_with('p'));
        let clauses =
            if has_header { dimacs::parse(TYPED, formula.as_bytes())?.clauses } else { clauses(&formula)? };
        let (formula, assignment) = evaluated(clauses, &values(&assignment)?)?;
        let tokens = tokens(&formula, &assignment);
        if tokens.len() <= self.tokens {
            Ok(tokens)
        } else {
            Err(ProbeFault::Long { found: tokens.len(), most: self.tokens })
        }
    }

    fn tokens(&self, input: &[u8]) -> Vec<String> {
        let symbol = |&t: &u8| match t {
            token::TRUE => "T",
            token::FALSE => "F",
            token::OR => "∨",
            token::AND => "∧",
            token::START => "(",
            token::END => ")",
            token::STOP => "■",
            _ => "–",
        };
        input.iter().map(|t| symbol(t).to_string()).collect()
    }

    fn words(&self, target: &Target) -> String {
        if *target == Target::Verdict(true) { "satisfied" } else { "violated" }.into()
    }
}
