//! SATBench: one formula a line as JSON, with whether it is satisfiable.

use super::dimacs::{Formula, bad_literal, most_variables};
use super::error::{DataError, LineFault};
use super::lines::lines;
use super::unpack;
use serde::Deserialize;

/// The fields that are needed; the puzzle's story and other fields are passed over.
#[derive(Deserialize)]
struct Row {
    num_vars: usize,
    num_clauses: u64,
    satisfiable: bool,
    /// Literals by number.
    clauses: Option<Vec<Vec<i32>>>,
    /// The same as text, `(¬x(0,1) ∨ x(1,2)) ∧ …`; read where there are no `clauses`.
    readable: Option<String>,
    /// How many values each index in `readable` has.
    #[serde(default)]
    dims: Vec<usize>,
}

/// Reads the JSONL; every formula with whether it is satisfiable.
pub fn parse(file: &str, bytes: &[u8]) -> Result<Vec<(Formula, bool)>, DataError> {
    Ok(numbered(file, bytes)?.into_iter().map(|(_, formula, satisfiable)| (formula, satisfiable)).collect())
}

/// The same, each with its line.
pub(super) fn numbered(file: &str, bytes: &[u8]) -> Result<Vec<(usize, Formula, bool)>, DataError> {
    let text = unpack::plain(file, bytes)?;
    let mut formulas = vec![];
    for next in lines(file, &text) {
        let (line, text) = next?;
        let row: Row = serde_json::from_str(text).map_err(|e| DataError::json(file, line, &e))?;
        if row.num_vars > most_variables(text.len()) {
            let wanted = "the number of variables of a formula of this size";
            return Err(DataError::value(file, line, "num_vars", &row.num_vars.to_string(), wanted));
        }
        let clauses = match (row.clauses, &row.readable) {
            (Some(clauses), _) => clauses,
            (None, Some(readable)) => parse_readable(file, line, readable, &row.dims)?,
            (None, None) => return Err(DataError::line(file, line, LineFault::Missing("field `clauses`"))),
        };
        let (announced, found) = (row.num_clauses, clauses.len() as u64);
        if announced != found {
            return Err(DataError::line(file, line, LineFault::Count { what: "clauses", announced, found }));
        }
        let is_bad = |&&literal: &&i32| literal == 0 || literal.unsigned_abs() as usize > row.num_vars;
        if let Some(literal) = clauses.iter().flatten().find(is_bad) {
            return Err(bad_literal(file, line, &literal.to_string(), row.num_vars));
        }
        formulas.push((line, Formula { variables: row.num_vars, clauses }, row.satisfiable));
    }
    Ok(formulas)
}

/// `x(i,j)` is number `i · dims[1] + j + 1`, and so on for more indices.
fn parse_readable(file: &str, line: usize, text: &str, dims: &[usize]) -> Result<Vec<Vec<i32>>, DataError> {
    let bad = |value: &str| {
        DataError::value(file, line, "readable", value, "clauses (¬x(0,1) ∨ x(1,2)) ∧ … with indices below `dims`")
    };
    let literal = |text: &str| {
        let variable = text.trim_start_matches('¬').trim_start();
        let indices = variable.strip_prefix("x(")?.strip_suffix(')')?;
        let mut number = 0usize;
        let mut sizes = dims.iter();
        for index in indices.split(',').filter(|i| !i.trim().is_empty()) {
            let (index, size): (usize, _) = (index.trim().parse().ok()?, *sizes.next()?);
            number = number.checked_mul(size)?.checked_add(index).filter(|_| index < size)?;
        }
        let number: i32 = number.checked_add(1).filter(|_| sizes.next().is_none())?.try_into().ok()?;
        Some(if text.starts_with('¬') { -number } else { number })
    };
    let clause = |text: &str| {
        let whole = text.trim();
        // The brackets around a clause, not the last of its last variable.
        let inner = whole.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(whole);
        inner.split('∨').map(|t| literal(t.trim()).ok_or_else(|| bad(t.trim()))).collect()
    };
    text.split('∧').map(clause).collect()
}
