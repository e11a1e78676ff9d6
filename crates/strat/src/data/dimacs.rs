//! Formulas in conjunctive normal form, in the DIMACS format and in SATLIB's dialect of it.

use super::error::{DataError, LineFault};
use super::lines::lines;
use super::unpack;
use std::fmt;

/// A conjunction of clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// How many variables there are; not all need to occur.
    pub variables: usize,
    /// Literals: variable `v` is `v` or, negated, `-v`; from 1 on.
    pub clauses: Vec<Vec<i32>>,
}

/// Variables that any formula may announce; more only if its text is that long. What reads a formula
/// can so allocate by its number of variables.
const FREE_VARIABLES: usize = 1024;

/// Reads one formula. Clauses may go over lines, comments may stand anywhere, and SATLIB's `%` ends it.
/// The numbers of the header must be right: nothing else would tell that a file was cut off.
pub fn parse(file: &str, bytes: &[u8]) -> Result<Formula, DataError> {
    let mut header: Option<Header> = None;
    let mut clauses = vec![];
    let mut clause = vec![];
    let mut last = 1;
    for next in lines(file, bytes) {
        let (line, text) = next?;
        last = line;
        let text = text.trim();
        match text.as_bytes().first() {
            // Of blanks that are not ASCII.
            None | Some(b'c') => continue,
            Some(b'%') => break,
            Some(b'p') if header.is_none() => {
                header = Some(Header::parse(file, line, text, bytes.len())?);
                continue;
            }
            _ => {}
        }
        let Some(header) = &header else { return Err(no_header(file, line)) };
        for token in text.split_ascii_whitespace() {
            match literal(token, header.variables) {
                Some(0) => clauses.push(std::mem::take(&mut clause)),
                Some(literal) => clause.push(literal),
                None => return Err(bad_literal(file, line, token, header.variables)),
            }
        }
    }
    let Some(Header { line, variables, clauses: announced }) = header else { return Err(no_header(file, last)) };
    if !clause.is_empty() {
        return Err(DataError::line(file, last, LineFault::Missing("0 at the end of the last clause")));
    }
    let found = clauses.len() as u64;
    if announced == found {
        Ok(Formula { variables, clauses })
    } else {
        Err(DataError::line(file, line, LineFault::Count { what: "clauses", announced, found }))
    }
}

/// Reads every `.cnf` of a `.tar.gz` or `.tar`, in order of the numbers that their names end in.
pub fn parse_archive(file: &str, bytes: &[u8]) -> Result<Vec<Formula>, DataError> {
    Ok(named(file, bytes)?.into_iter().map(|(_, formula)| formula).collect())
}

/// The same, each with what it is called in messages.
pub(super) fn named(file: &str, bytes: &[u8]) -> Result<Vec<(String, Formula)>, DataError> {
    let mut entries = unpack::tar_entries(file, bytes, ".cnf")?;
    entries.sort_by_cached_key(|(name, _)| (number_in(name), name.clone()));
    let formula = |(name, bytes): &(String, Vec<u8>)| {
        let name = format!("{file}/{name}");
        parse(&name, bytes).map(|formula| (name, formula))
    };
    entries.iter().map(formula).collect()
}

struct Header {
    line: usize,
    variables: usize,
    clauses: u64,
}

impl Header {
    fn parse(file: &str, line: usize, text: &str, input: usize) -> Result<Self, DataError> {
        let bad = |wanted| DataError::value(file, line, "the header", text, wanted);
        let mut words = text.split_ascii_whitespace();
        let mut word = || words.next().unwrap_or("");
        let (p, cnf, variables, clauses) = (word(), word(), word(), word());
        let (Ok(variables), Ok(clauses), "", "p", "cnf") = (variables.parse(), clauses.parse(), word(), p, cnf)
        else {
            return Err(bad("`p cnf VARIABLES CLAUSES`"));
        };
        if variables <= most_variables(input) {
            Ok(Header { line, variables, clauses })
        } else {
            Err(bad("of a formula of this size: it announces far more variables than it can use"))
        }
    }
}

/// Most variables of a formula that takes `input` bytes.
pub(super) fn most_variables(input: usize) -> usize {
    input.clamp(FREE_VARIABLES, i32::MAX as usize)
}

fn literal(token: &str, variables: usize) -> Option<i32> {
    let literal: i32 = token.parse().ok()?;
    (literal.unsigned_abs() as usize <= variables).then_some(literal)
}

pub(super) fn bad_literal(file: &str, line: usize, token: &str, variables: usize) -> DataError {
    DataError::value(
        file,
        line,
        "a literal",
        token,
        format!("a whole number, at most {variables} without its sign"),
    )
}

fn no_header(file: &str, line: usize) -> DataError {
    DataError::line(file, line, LineFault::Missing("header `p cnf VARIABLES CLAUSES` before the first clause"))
}

/// 12 of `uf20-012.cnf`.
fn number_in(name: &str) -> u64 {
    let stem = name.strip_suffix(".cnf").unwrap_or(name);
    let digits = stem.rsplit(|c: char| !c.is_ascii_digit()).next();
    digits.and_then(|d| d.parse().ok()).unwrap_or(u64::MAX)
}

impl fmt::Display for Formula {
    /// In DIMACS, a clause a line, without the last line end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p cnf {} {}", self.variables, self.clauses.len())?;
        for clause in &self.clauses {
            f.write_str("\n")?;
            clause.iter().try_for_each(|literal| write!(f, "{literal} "))?;
            f.write_str("0")?;
        }
        Ok(())
    }
}
