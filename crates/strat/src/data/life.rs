//! Conway's Game of Life on a torus of 6 × 6: a board and the board one step later.
//!
//! Two forms: the public JSONL, whose `text` is Markdown with three fenced grids (input, output without
//! wrap, output with wrap) and of which only the 6 × 6 boards of one step count; and a CSV of
//! `row_in_jsonl,curriculum,input,output_wrap` with 36 digits 0 or 1.

use super::error::{DataError, LineFault};
use super::lines::{fields, lines};
use super::unpack;
use serde::Deserialize;
use std::fmt;

/// The boards' width and height.
const SIDE: usize = 6;

/// A board and the next, row by row; `true` is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LifePair {
    /// The board.
    pub before: [bool; 36],
    /// One step later.
    pub after: [bool; 36],
}

/// Reads the JSONL or the CSV. Every pair keeps the rule: born with three neighbours, alive with two
/// or three, edges joined.
pub fn parse(file: &str, bytes: &[u8]) -> Result<Vec<LifePair>, DataError> {
    let text = unpack::plain(file, bytes)?;
    let is_json = text.trim_ascii_start().starts_with(b"{");
    let mut pairs = vec![];
    for next in lines(file, &text) {
        let (line, text) = next?;
        let pair = if is_json { json_row(file, line, text)? } else { csv_row(file, line, text)? };
        let Some(pair) = pair else { continue };
        if step(&pair.before) != pair.after {
            let wanted = "the input's next step with joined edges (B3/S23)";
            return Err(DataError::value(file, line, "the output", &digits(&pair.after), wanted));
        }
        pairs.push(pair);
    }
    Ok(pairs)
}

fn csv_row(file: &str, line: usize, text: &str) -> Result<Option<LifePair>, DataError> {
    let [_, _, before, after] = fields(file, line, text, ',')?;
    if line == 1 && (before, after) == ("input", "output_wrap") {
        return Ok(None);
    }
    let board = |field, text: &str| {
        board(text, ['0', '1']).ok_or_else(|| DataError::value(file, line, field, text, "36 digits 0 or 1"))
    };
    Ok(Some(LifePair { before: board("input", before)?, after: board("output_wrap", after)? }))
}

#[derive(Deserialize)]
struct Row {
    text: String,
}

/// `None` for a board of another size or more than one step.
fn json_row(file: &str, line: usize, text: &str) -> Result<Option<LifePair>, DataError> {
    let row: Row = serde_json::from_str(text).map_err(|e| DataError::json(file, line, &e))?;
    if !row.text.contains("Perform 1 step.") {
        return Ok(None);
    }
    // Between fences: the odd pieces.
    let mut grids = row.text.split("```").skip(1).step_by(2).map(str::trim);
    let (Some(before), Some(_), Some(after)) = (grids.next(), grids.next(), grids.next()) else {
        let what = "three fenced grids (input, output without wrap, output with wrap) in `text`";
        return Err(DataError::line(file, line, LineFault::Missing(what)));
    };
    let is_ours = |grid: &str| grid.lines().count() == SIDE && grid.lines().all(|l| l.trim().len() == SIDE);
    if !is_ours(before) {
        return Ok(None);
    }
    let board = |field, grid: &str| {
        let cells: String = grid.split_whitespace().collect();
        let board = if is_ours(grid) { board(&cells, ['.', '*']) } else { None };
        board.ok_or_else(|| DataError::value(file, line, field, grid, "6 lines of 6 cells, . or *"))
    };
    Ok(Some(LifePair { before: board("the input", before)?, after: board("the output with wrap", after)? }))
}

fn board(text: &str, [dead, alive]: [char; 2]) -> Option<[bool; 36]> {
    let cells: Option<Vec<bool>> =
        text.chars().map(|c| (c == alive).then_some(true).or((c == dead).then_some(false))).collect();
    cells?.try_into().ok()
}

/// One step on the torus.
fn step(board: &[bool; 36]) -> [bool; 36] {
    std::array::from_fn(|i| {
        let (row, column) = (i / SIDE, i % SIDE);
        let near = |x: usize| [(x + SIDE - 1) % SIDE, x, (x + 1) % SIDE];
        let around = near(row).into_iter().flat_map(|r| near(column).map(|c| board[r * SIDE + c]));
        // Counts the cell itself too.
        match around.filter(|&alive| alive).count() {
            3 => true,
            4 => board[i],
            _ => false,
        }
    })
}

fn digits(board: &[bool; 36]) -> String {
    board.iter().map(|&alive| if alive { '1' } else { '0' }).collect()
}

impl fmt::Display for LifePair {
    /// `before,after` in digits 0 and 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", digits(&self.before), digits(&self.after))
    }
}
