//! Sudokus as digits.

use super::{CELLS, Grid, SIDE, box_of, example, puzzles};
use crate::data::sudoku;
use crate::task::dataset::RowFault;
use crate::task::example::{Example, Target};
use crate::task::text::{ProbeFault, ReadFault, Text, cells};
use std::borrow::Cow;

/// A character for every cell.
fn digits(target: &Target) -> Vec<char> {
    let Target::Cells { values, .. } = target else { unreachable!("a Sudoku is not answered by {target:?}") };
    values.iter().map(|&v| char::from(b'1' + v)).collect()
}

impl Text for Grid {
    fn form(&self) -> Cow<'static, str> {
        "81 digits row by row, 0 or . for blank, such as \
         `530070000600195000098000060800060003400803001700020006060000280000419005000080079`"
            .into()
    }

    fn file_form(&self) -> Cow<'static, str> {
        "a CSV of `puzzle,solution` with 81 digits each, 0 for blank, or a list of puzzles alone, as it is or packed with xz or gzip"
            .into()
    }

    fn read(&self, file: &str, bytes: &[u8]) -> Result<Vec<Example>, ReadFault> {
        if let Some(list) = sudoku::puzzles(file, bytes)? {
            let solved = |(line, puzzle)| match puzzles::solve(&puzzle) {
                Some(solution) => Ok(example(&puzzle, &solution)),
                None => Err(ReadFault::Row { file: file.into(), line, fault: RowFault::NoSolution }),
            };
            return list.into_iter().map(solved).collect();
        }
        let pairs = sudoku::parse(file, bytes)?;
        Ok(pairs.iter().map(|pair| example(&pair.puzzle, &pair.solution)).collect())
    }

    fn probe(&self, text: &str) -> Result<Vec<u8>, ProbeFault> {
        let symbol = |c: char| if c == '.' { Some(0) } else { c.to_digit(10).map(|d| d as u8) };
        Ok(cells::<CELLS>(text, symbol, "a digit, or 0 or . for blank")?.to_vec())
    }

    fn objection(&self, puzzle: &[u8], known: bool) -> Option<String> {
        type Unit = fn(usize) -> usize;
        let units: [(&str, Unit); 3] = [("row", |c| c / SIDE), ("column", |c| c % SIDE), ("box", box_of)];
        for (name, unit) in units {
            let mut seen = [[false; 10]; SIDE];
            for (cell, &digit) in puzzle.iter().enumerate().filter(|(_, d)| **d > 0) {
                if std::mem::replace(&mut seen[unit(cell)][usize::from(digit)], true) {
                    return Some(format!("{digit} is given twice in {name} {}", unit(cell) + 1));
                }
            }
        }
        (!known).then(|| "it has no solution, or more than one".into())
    }

    fn tokens(&self, input: &[u8]) -> Vec<String> {
        let cell = |(i, &digit): (usize, &u8)| {
            let digit = if digit == 0 { "·".into() } else { digit.to_string() };
            format!("{}:{} {digit}", i / SIDE + 1, i % SIDE + 1)
        };
        input.iter().enumerate().map(cell).collect()
    }

    fn words(&self, target: &Target) -> String {
        digits(target).into_iter().collect()
    }

    /// Three columns of three, three rows of three. Can be typed as it is.
    fn board(&self, target: &Target) -> Option<String> {
        let mut board = String::new();
        for (cell, digit) in digits(target).into_iter().enumerate() {
            board += match cell {
                0 => "",
                _ if cell % (3 * SIDE) == 0 => "\n\n",
                _ if cell % SIDE == 0 => "\n",
                _ if cell % 3 == 0 => "  ",
                _ => " ",
            };
            board.push(digit);
        }
        Some(board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn givens_that_contradict_each_other_are_objected_to() {
        let says = |text: &str, known| Grid.objection(&Grid.probe(text).unwrap(), known);
        let blank = ".".repeat(CELLS);
        let with = |givens: &[(usize, char)]| {
            let mut cells: Vec<char> = blank.chars().collect();
            givens.iter().for_each(|&(cell, digit)| cells[cell] = digit);
            cells.into_iter().collect::<String>()
        };
        assert_eq!(says(&with(&[(9, '5'), (17, '5')]), false).unwrap(), "5 is given twice in row 2");
        assert_eq!(says(&with(&[(8, '5'), (80, '5')]), false).unwrap(), "5 is given twice in column 9");
        assert_eq!(says(&with(&[(60, '7'), (80, '7')]), false).unwrap(), "7 is given twice in box 9");
        assert!(says(&blank, false).unwrap().contains("more than one"));
        assert_eq!(says(&with(&[(0, '1'), (4, '2')]), true), None);
    }
}
