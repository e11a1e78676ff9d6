//! Sudoku: `puzzle,solution`, 81 digits each, 0 for a blank; or puzzles alone.

use super::error::DataError;
use super::lines::{fields, lines};
use super::unpack;
use std::fmt;

/// A puzzle and its solution, row by row; 0 is a blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SudokuPair {
    /// The clues.
    pub puzzle: [u8; 81],
    /// Every cell, 1 to 9.
    pub solution: [u8; 81],
}

/// Reads a CSV or a `.csv.xz`. Every solution keeps the rules and agrees with its clues.
pub fn parse(file: &str, bytes: &[u8]) -> Result<Vec<SudokuPair>, DataError> {
    let text = unpack::plain(file, bytes)?;
    let mut pairs = vec![];
    for (i, next) in lines(file, &text).enumerate() {
        let (line, text) = next?;
        if i == 0 && text.trim() == "puzzle,solution" {
            continue;
        }
        let [puzzle, solution] = fields(file, line, text, ',')?;
        let pair = SudokuPair {
            puzzle: grid(puzzle, b'0').ok_or_else(|| bad(file, line, "puzzle", puzzle, "81 digits 0 to 9"))?,
            solution: grid(solution, b'1')
                .ok_or_else(|| bad(file, line, "solution", solution, "81 digits 1 to 9"))?,
        };
        check(&pair).map_err(|wanted| bad(file, line, "solution", solution, wanted))?;
        pairs.push(pair);
    }
    Ok(pairs)
}

/// The number of a line, and the puzzle there.
pub type Numbered = (usize, [u8; 81]);

/// Reads a list of puzzles without solutions, a line each, 0 or . for a blank; lines after # are comments. None if
/// the first line is not of this form.
pub fn puzzles(file: &str, bytes: &[u8]) -> Result<Option<Vec<Numbered>>, DataError> {
    let text = unpack::plain(file, bytes)?;
    let mut puzzles = vec![];
    for next in lines(file, &text) {
        let (line, text) = next?;
        let text = text.trim();
        if text.starts_with('#') {
            continue;
        }
        match grid(&text.replace('.', "0"), b'0') {
            Some(puzzle) => puzzles.push((line, puzzle)),
            None if puzzles.is_empty() => return Ok(None),
            None => return Err(bad(file, line, "puzzle", text, "81 digits, 0 or . for a blank")),
        }
    }
    Ok(Some(puzzles))
}

fn bad(file: &str, line: usize, field: &'static str, value: &str, wanted: &'static str) -> DataError {
    DataError::value(file, line, field, value, wanted)
}

fn grid(text: &str, lowest: u8) -> Option<[u8; 81]> {
    let digits: [u8; 81] = text.as_bytes().try_into().ok()?;
    digits.iter().all(|d| (lowest..=b'9').contains(d)).then(|| digits.map(|d| d - b'0'))
}

/// The cell `k` of row, column or box `unit`.
const UNITS: [fn(usize, usize) -> usize; 3] = [
    |unit, k| 9 * unit + k,
    |unit, k| 9 * k + unit,
    |unit, k| 27 * (unit / 3) + 3 * (unit % 3) + 9 * (k / 3) + k % 3,
];

fn check(pair: &SudokuPair) -> Result<(), &'static str> {
    let agrees = pair.puzzle.iter().zip(&pair.solution).all(|(&p, &s)| p == 0 || p == s);
    let all_nine = |cell: fn(usize, usize) -> usize| {
        (0..9).all(|unit| (0..9).fold(0u16, |seen, k| seen | 1 << pair.solution[cell(unit, k)]) == 0x3fe)
    };
    if !agrees {
        return Err("equal to the puzzle where that has a clue");
    }
    let rules_kept = UNITS.iter().all(|&cell| all_nine(cell));
    rules_kept.then_some(()).ok_or("1 to 9 once in every row, column and box")
}

impl fmt::Display for SudokuPair {
    /// As a line of the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.puzzle.iter().try_for_each(|d| write!(f, "{d}"))?;
        f.write_str(",")?;
        self.solution.iter().try_for_each(|d| write!(f, "{d}"))
    }
}
