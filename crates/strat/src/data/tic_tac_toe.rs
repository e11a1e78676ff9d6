//! UCI's Tic-Tac-Toe Endgame: nine marks and whether x has won.

use super::error::DataError;
use super::lines::{fields, lines};
use super::unpack;
use std::borrow::Cow;
use std::fmt;

/// What is in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// `x`
    X,
    /// `o`
    O,
    /// `b`
    Blank,
}

/// A board, row by row, and whether x has won.
pub type Board = ([Mark; 9], bool);

/// The cells of every line.
const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

/// Reads `tic-tac-toe.data`, or UCI's zip that holds it. Every class is right: x has won where it has a line.
pub fn parse(file: &str, bytes: &[u8]) -> Result<Vec<Board>, DataError> {
    const ENTRY: &str = "tic-tac-toe.data";
    if unpack::is_zip(bytes) {
        return parse_text(&format!("{file}/{ENTRY}"), &unpack::zip_entry(file, bytes, ENTRY)?);
    }
    parse_text(file, bytes)
}

fn parse_text(file: &str, bytes: &[u8]) -> Result<Vec<Board>, DataError> {
    let mut boards = vec![];
    for next in lines(file, bytes) {
        let (line, text) = next?;
        let all: [&str; 10] = fields(file, line, text, ',')?;
        let mut marks = [Mark::Blank; 9];
        for (i, mark) in marks.iter_mut().enumerate() {
            *mark = match all[i] {
                "x" => Mark::X,
                "o" => Mark::O,
                "b" => Mark::Blank,
                other => return Err(DataError::value(file, line, square(i), other, "x, o or b")),
            };
        }
        let won = match all[9] {
            "positive" => true,
            "negative" => false,
            other => return Err(DataError::value(file, line, "class", other, "positive or negative")),
        };
        let has_line = LINES.iter().any(|cells| cells.iter().all(|&cell| marks[cell] == Mark::X));
        if won != has_line {
            let wanted = if has_line { "positive: x has a line" } else { "negative: x has no line" };
            return Err(DataError::value(file, line, "class", all[9], wanted));
        }
        boards.push((marks, won));
    }
    Ok(boards)
}

fn square(i: usize) -> Cow<'static, str> {
    format!("square {}", i + 1).into()
}

impl fmt::Display for Mark {
    /// As in the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mark::X => "x",
            Mark::O => "o",
            Mark::Blank => "b",
        })
    }
}
