//! What a source's files hold, in whichever form, and a fingerprint of it that no form changes.

use super::dimacs::{self, Formula};
use super::error::{DataError, FileFault};
use super::life::{self, LifePair};
use super::pmlb::{self, Table};
use super::satbench;
use super::source::{Kind, Source};
use super::spect::{self, SpectSplit};
use super::sudoku::{self, SudokuPair};
use super::tic_tac_toe::{self, Board};
use sha2::{Digest, Sha256};
use std::fmt::Display;

/// What a file is called in messages, and its bytes.
pub(super) type Named = (String, Vec<u8>);
/// All files of a source.
pub(super) struct Files {
    /// Whether they are the one public file, or those that stand in for it.
    pub public: bool,
    pub files: Vec<Named>,
}

/// Reads the one public file, or those that stand in for it; the number of rows is checked.
pub(super) type Reader<T> = fn(&Source, &[Named]) -> Result<T, DataError>;

/// How much there is, and a fingerprint of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Content {
    /// Examples or formulas.
    pub rows: usize,
    /// SHA-256 of all rows as text, one a line.
    pub fingerprint: String,
}

pub(super) fn sudoku(source: &Source, files: &[Named]) -> Result<Vec<SudokuPair>, DataError> {
    let (file, bytes) = &files[0];
    let mut pairs = sudoku::parse(file, bytes)?;
    // The public file is the whole set, of which the paper uses rows 0–99 and 9000–9999.
    if pairs.len() == 10_000 {
        pairs.drain(100..9000);
    }
    counted(source, file, pairs, Vec::len)
}

pub(super) fn tic_tac_toe(source: &Source, files: &[Named]) -> Result<Vec<Board>, DataError> {
    let (file, bytes) = &files[0];
    counted(source, file, tic_tac_toe::parse(file, bytes)?, Vec::len)
}

pub(super) fn life(source: &Source, files: &[Named]) -> Result<Vec<LifePair>, DataError> {
    let (file, bytes) = &files[0];
    counted(source, file, life::parse(file, bytes)?, Vec::len)
}

pub(super) fn pmlb(source: &Source, files: &[Named]) -> Result<Table, DataError> {
    let (file, bytes) = &files[0];
    counted(source, file, pmlb::parse(file, bytes)?, |t| t.rows.len())
}

pub(super) fn spect(source: &Source, files: &[Named]) -> Result<SpectSplit, DataError> {
    let split = match files {
        [(train, a), (test, b)] => SpectSplit { train: spect::parse(train, a)?, test: spect::parse(test, b)? },
        _ => spect::parse_zip(&files[0].0, &files[0].1)?,
    };
    counted(source, &files[0].0, split, |s| s.train.len() + s.test.len())
}

pub(super) fn satlib(source: &Source, files: &[Named]) -> Result<Vec<Formula>, DataError> {
    let (file, bytes) = &files[0];
    counted(source, file, dimacs::parse_archive(file, bytes)?, Vec::len)
}

pub(super) fn satbench(source: &Source, files: &[Named]) -> Result<Vec<(Formula, bool)>, DataError> {
    let (file, bytes) = &files[0];
    counted(source, file, satbench::parse(file, bytes)?, Vec::len)
}

fn counted<T>(source: &Source, file: &str, rows: T, count: impl Fn(&T) -> usize) -> Result<T, DataError> {
    let ((least, most), found) = (source.rows, count(&rows));
    if (least..=most).contains(&found) {
        return Ok(rows);
    }
    let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
    Err(DataError::file(file, FileFault::Rows { found, wanted }))
}

/// Whether these are the source's files: their bytes where they are public and known, and their rows.
pub(super) fn verify(source: &Source, files: &Files) -> Result<Content, DataError> {
    let (file, bytes) = &files.files[0];
    if let (true, Some(wanted)) = (files.public, source.sha256) {
        let found = hex(&Sha256::digest(bytes));
        if found != wanted {
            return Err(DataError::file(file, FileFault::Checksum { found, wanted }));
        }
    }
    let content = content(source, &files.files)?;
    match source.content {
        Some(wanted) if content.fingerprint != wanted => {
            Err(DataError::file(file, FileFault::Content { found: content.fingerprint, wanted }))
        }
        _ => Ok(content),
    }
}

fn content(source: &Source, files: &[Named]) -> Result<Content, DataError> {
    let board = |(marks, won): &Board| {
        let class = if *won { "positive" } else { "negative" };
        marks.iter().map(|m| format!("{m},")).collect::<String>() + class
    };
    Ok(match source.kind {
        Kind::Sudoku => fingerprint(&sudoku(source, files)?),
        Kind::TicTacToe => fingerprint(tic_tac_toe(source, files)?.iter().map(board)),
        Kind::Life => fingerprint(&life(source, files)?),
        Kind::Pmlb => {
            let table = pmlb(source, files)?;
            Content { rows: table.rows.len(), ..fingerprint([&table]) }
        }
        Kind::Spect => {
            let SpectSplit { train, test } = spect(source, files)?;
            fingerprint(train.iter().chain(&test))
        }
        Kind::Satlib => fingerprint(&satlib(source, files)?),
        Kind::Satbench => fingerprint(satbench(source, files)?.iter().map(|(f, sat)| format!("{f}\n{sat}"))),
    })
}

fn fingerprint<R: Display>(all: impl IntoIterator<Item = R>) -> Content {
    let mut hash = Sha256::new();
    let mut rows = 0;
    for row in all {
        hash.update(format!("{row}\n"));
        rows += 1;
    }
    Content { rows, fingerprint: hex(&hash.finalize()) }
}

/// As `sha256sum` prints it.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
