//! Linear solve, no network: the rule that ten sums determine by themselves, a whole number for every context.
//!
//! It is here as a baseline. Whoever knows that a sum is linear in its values needs no learner: each example is a linear
//! equation in the coefficients of its contexts, and they determine the rule if and only if these equations have full rank.
//! The rank is computed modulo a prime: what is full there is full.

use crate::crystal::{Equation, Reading, Rule};

/// 2⁶¹ − 1.
const PRIME: u64 = (1 << 61) - 1;
/// The largest coefficient that counts as simple.
const LARGEST: i64 = 1000;

/// Why examples give no rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Undetermined {
    /// Contexts that no example has.
    #[error("no training example has a value with context {}; add one that has", .0.join(" or "))]
    Missing(Vec<String>),
    /// All occur, but never independently of each other.
    #[error(
        "the training examples have every context, but only {rank} of {contexts} combinations of them; \
         add examples with other values"
    )]
    Collinear {
        /// Independent examples.
        rank: usize,
        /// Independent examples that it takes.
        contexts: usize,
    },
    /// They contradict each other, or follow no simple rule.
    #[error("no whole-number coefficients up to {LARGEST} give the answers of all training examples")]
    NoRule,
}

/// The only rule that gives the answers of all these examples.
pub fn linear_solve(reading: Reading, equations: &[Equation]) -> Result<Rule, Undetermined> {
    let n = reading.contexts();
    let occurs = |k: usize| equations.iter().any(|e| e.totals[k] != 0);
    let missing: Vec<String> = (0..n).filter(|&k| !occurs(k)).map(|k| reading.name(k)).collect();
    if !missing.is_empty() {
        return Err(Undetermined::Missing(missing));
    }
    let mut basis: Vec<Vec<u64>> = vec![];
    for e in equations {
        if basis.len() == n {
            break;
        }
        let mut row: Vec<u64> = e.totals.iter().chain([&e.answer]).map(|&x| modulo(x)).collect();
        reduce(&mut basis, &mut row, n);
    }
    if basis.len() < n {
        return Err(Undetermined::Collinear { rank: basis.len(), contexts: n });
    }
    // A reduced basis of full rank is the identity, with the solution in its last column.
    basis.sort_by_key(|row| row.iter().position(|&x| x != 0));
    let coefficients: Vec<i64> = basis.iter().map(|row| signed(row[n])).collect();
    let rule = Rule { reading, coefficients };
    let simple = rule.coefficients.iter().all(|c| c.abs() <= LARGEST);
    if simple && equations.iter().all(|e| e.holds(&rule.coefficients)) {
        Ok(rule)
    } else {
        Err(Undetermined::NoRule)
    }
}

/// Joins a row to a reduced basis, if it is independent of it.
fn reduce(basis: &mut Vec<Vec<u64>>, row: &mut Vec<u64>, unknowns: usize) {
    let lead = |row: &[u64]| row[..unknowns].iter().position(|&x| x != 0);
    for b in basis.iter() {
        let at = lead(b).expect("rows of the basis are not zero");
        let factor = row[at];
        subtract(row, b, factor);
    }
    let Some(at) = lead(row) else { return };
    let inverse = power(row[at], PRIME - 2);
    row.iter_mut().for_each(|x| *x = times(*x, inverse));
    for b in basis.iter_mut() {
        let factor = b[at];
        subtract(b, row, factor);
    }
    basis.push(std::mem::take(row));
}

fn subtract(row: &mut [u64], other: &[u64], factor: u64) {
    for (x, &o) in row.iter_mut().zip(other) {
        *x = (*x + PRIME - times(factor, o)) % PRIME;
    }
}

fn modulo(x: i64) -> u64 {
    x.rem_euclid(PRIME as i64) as u64
}

fn signed(x: u64) -> i64 {
    if x > PRIME / 2 { -((PRIME - x) as i64) } else { x as i64 }
}

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equations(rows: &[([i64; 3], i64)]) -> Vec<Equation> {
        rows.iter().map(|(totals, answer)| Equation { totals: totals.to_vec(), answer: *answer }).collect()
    }

    #[test]
    fn full_rank_determines_the_rule() {
        let all = equations(&[([5, 0, 3], 2), ([10, 0, 6], 4), ([1, 4, 2], 3), ([7, 9, 9], 7)]);
        let rule = linear_solve(Reading::Sums, &all).unwrap();
        assert_eq!(rule.coefficients, [1, 1, -1]);
        assert_eq!(rule.to_string(), "y = Σ +x if bound to nothing or +; −x if bound to −");
    }

    #[test]
    fn what_is_missing_is_named() {
        let no_minus = equations(&[([5, 1, 0], 6), ([1, 4, 0], 5), ([2, 2, 0], 4)]);
        assert_eq!(linear_solve(Reading::Sums, &no_minus), Err(Undetermined::Missing(vec!["−".into()])));
        let collinear = equations(&[([5, 2, 2], 5), ([1, 3, 3], 1), ([9, 1, 1], 9)]);
        let error = linear_solve(Reading::Sums, &collinear).unwrap_err();
        assert_eq!(error, Undetermined::Collinear { rank: 2, contexts: 3 });
    }

    #[test]
    fn contradictions_and_fractions_are_no_rule() {
        let contradiction = equations(&[([1, 0, 0], 1), ([0, 1, 0], 1), ([0, 0, 1], 1), ([1, 1, 1], 4)]);
        assert_eq!(linear_solve(Reading::Sums, &contradiction), Err(Undetermined::NoRule));
        let half = equations(&[([2, 0, 0], 1), ([0, 1, 0], 1), ([0, 0, 1], 1)]);
        assert_eq!(linear_solve(Reading::Sums, &half), Err(Undetermined::NoRule));
    }
}
