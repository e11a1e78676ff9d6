//! Formulas from a file of any form.

use super::dimacs::{self, Formula};
use super::error::DataError;
use super::{satbench, unpack};

/// A formula, and where it stands.
pub(crate) struct Found {
    pub formula: Formula,
    /// What the file says, if it does.
    pub satisfiable: Option<bool>,
    /// The file, or `archive/entry`.
    pub file: String,
    /// The line, from 1 on.
    pub line: usize,
}

/// Reads SATBench's JSONL, a DIMACS file or a tar archive of them, each packed or not.
pub(crate) fn read(file: &str, bytes: &[u8]) -> Result<Vec<Found>, DataError> {
    /// A block of a tar archive; its first has a name that zeros follow, which no text has.
    const BLOCK: usize = 512;
    let content = unpack::plain(file, bytes)?;
    if content.iter().take(BLOCK).any(|&b| b == 0) {
        let found = |(file, formula)| Found { formula, satisfiable: None, file, line: 1 };
        return Ok(dimacs::named(file, &content)?.into_iter().map(found).collect());
    }
    if content.trim_ascii_start().starts_with(b"{") {
        let found = |(line, formula, satisfiable)| Found {
            formula,
            satisfiable: Some(satisfiable),
            file: file.into(),
            line,
        };
        return Ok(satbench::numbered(file, &content)?.into_iter().map(found).collect());
    }
    let formula = dimacs::parse(file, &content)?;
    Ok(vec![Found { formula, satisfiable: None, file: file.into(), line: 1 }])
}
