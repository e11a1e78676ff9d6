//! SATNet Sudoku: fill the empty cells.
//!
//! A token for every cell, row by row.
//!
//! | Type | | Data | |
//! |---|---|---|---|
//! | 0–8, 9–17, 18–26 | row, column, box | 0–8 | digit register: the given digit |
//! | 27 | is given | 9–17 | candidate register: zero |
//! | 28–36 | the given digit | | |
//! | 37–63 | zero | | |
//!
//! The answer is a digit for every empty cell, as `digit − 1`. Symbols: 0 is empty, else the digit.
//!
//! The first ten puzzles are the bases; every epoch replaces each by a random image of its own
//! under the automorphisms of Sudoku. `I` is the larger of the ranges of clue counts over bands and
//! over stacks; the OOD set are images of the held-out puzzles with 35 clues and I of 6 or 7, taken in
//! turn until there are 500 different ones. The paper rotates each "so that its densest band occupies the
//! bottom three rows": bands are rotated cyclically here, as a rotation of the square cannot bring
//! a middle band down. If the bottom band is one of several densest, nothing moves.

mod puzzles;
mod text;

use super::dataset::{DataTask, Domain, Features, RowFault, Sets, TaskError, task_draws};
use super::example::{Encoded, Example, Target};
use super::list::{Entry, Load};
use super::pick::BASES;
use super::rule::Rule;
use super::symmetry::Symmetry;
use crate::config::{Repeats, TrainConfig};
use crate::data::{DataFolder, SudokuPair};
use crate::model::{BlockConfig, Readout, Shape};
use crate::rng::{RandomStream, Stream};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

pub(in crate::task) const ENTRY: Entry = Entry {
    name: "sudoku",
    title: "SATNet Sudoku",
    sizes: BlockConfig::SUDOKU,
    train: TrainConfig { steps: 6000, ..TrainConfig::DEFAULT },
    repeats: Repeats::Seldom,
    load: Load::Fixed(load),
};
const NAME: &str = ENTRY.name;
const SIDE: usize = 9;
const CELLS: usize = SIDE * SIDE;
const OOD: usize = 500;

fn box_of(cell: usize) -> usize {
    cell / SIDE / 3 * 3 + cell % SIDE / 3
}

/// Clues in bands, then in stacks.
fn clues_by_third(puzzle: &[u8]) -> [[usize; 3]; 2] {
    let mut clues = [[0; 3]; 2];
    for cell in (0..CELLS).filter(|&c| puzzle[c] > 0) {
        clues[0][cell / SIDE / 3] += 1;
        clues[1][cell % SIDE / 3] += 1;
    }
    clues
}

/// The paper's I: how unevenly clues are spread.
fn imbalance(puzzle: &[u8]) -> usize {
    let range = |counts: [usize; 3]| counts.iter().max().unwrap() - counts.iter().min().unwrap();
    clues_by_third(puzzle).map(range).into_iter().max().unwrap()
}

fn clues(puzzle: &[u8]) -> usize {
    puzzle.iter().filter(|&&d| d > 0).count()
}

fn example(puzzle: &[u8], solution: &[u8]) -> Example {
    let target = Target::Cells {
        values: solution.iter().map(|d| d - 1).collect(),
        scored: puzzle.iter().map(|&d| d == 0).collect(),
    };
    Example::new(puzzle.to_vec(), target)
}

/// The solution in digits.
fn solution(example: &Example) -> Vec<u8> {
    match &example.target {
        Target::Cells { values, .. } => values.iter().map(|v| v + 1).collect(),
        other => unreachable!("a Sudoku is not answered by {other:?}"),
    }
}

/// Bands, rows within bands, stacks, columns within stacks, digits, and transposition with
/// probability one half, all at random.
fn random_automorphism(draws: &mut RandomStream) -> Symmetry {
    let mut lines = || {
        let thirds = draws.permutation::<3>();
        let within = [0; 3].map(|_| draws.permutation::<3>());
        move |line: usize| 3 * thirds[line / 3] + within[line / 3][line % 3]
    };
    let (rows, columns) = (lines(), lines());
    let mut names = [0; 10];
    let digits = draws.permutation::<9>();
    (1..10).for_each(|d| names[d] = 1 + digits[d - 1] as u8);
    let transposed = draws.below(2) == 1;
    let from = |cell: usize| {
        let (row, column) = (rows(cell / SIDE), columns(cell % SIDE));
        if transposed { column * SIDE + row } else { row * SIDE + column }
    };
    let moved = Symmetry::moving((0..CELLS).map(from).collect(), 10);
    (0..CELLS).fold(moved, |symmetry, cell| symmetry.renaming(cell, &names))
}

fn image(base: &Example, symmetry: &Symmetry) -> Example {
    example(&symmetry.apply(&base.input), &symmetry.apply(&solution(base)))
}

/// Rotates bands until one with the most clues is at the bottom.
fn densest_band_down(puzzle: &Example) -> Example {
    let [bands, _] = clues_by_third(&puzzle.input);
    let most = *bands.iter().max().unwrap();
    let densest = bands.iter().rposition(|&b| b == most).unwrap();
    // The bottom band receives the densest one, and the others follow in their order.
    let from = |cell: usize| (cell + (densest + 1) * 3 * SIDE) % CELLS;
    image(puzzle, &Symmetry::moving((0..CELLS).map(from).collect(), 10))
}

fn ood(held_out: &[Example]) -> Result<Vec<Example>, TaskError> {
    let is_uneven = |e: &&Example| clues(&e.input) == 35 && matches!(imbalance(&e.input), 6 | 7);
    let sources: Vec<&Example> = held_out.iter().filter(is_uneven).collect();
    if sources.is_empty() {
        let what = "held-out puzzles with 35 clues and I of 6 or 7";
        return Err(TaskError::TooFew { task: NAME, what, found: 0, needed: 1 });
    }
    let mut seen = HashSet::new();
    let images = (0..).map(|n| {
        let mut draws = task_draws(NAME, Stream::TestOod, n);
        densest_band_down(&image(sources[n as usize % sources.len()], &random_automorphism(&mut draws)))
    });
    Ok(images.filter(|e| seen.insert(e.input.clone())).take(OOD).collect())
}

fn source(folder: &DataFolder) -> Result<(Vec<Example>, Option<&'static str>), TaskError> {
    let Some(pairs) = folder.sudoku()? else {
        let pairs = puzzles::stand_in();
        let examples = pairs.iter().map(|(puzzle, solution)| example(puzzle, solution)).collect();
        return Ok((examples, Some("1,100 drawn puzzles instead of SATNet's")));
    };
    let checked = |(at, pair): (usize, &SudokuPair)| {
        if puzzles::is_solution(&pair.puzzle, &pair.solution) {
            Ok(example(&pair.puzzle, &pair.solution))
        } else {
            Err(TaskError::Row { task: NAME, row: at + 1, fault: RowFault::Rule.into() })
        }
    };
    Ok((pairs.iter().enumerate().map(checked).collect::<Result<_, _>>()?, None))
}

fn load(folder: &DataFolder) -> Result<DataTask, TaskError> {
    let (mut bases, stand_in) = source(folder)?;
    if bases.len() <= BASES {
        return Err(TaskError::TooFew { task: NAME, what: "puzzles", found: bases.len(), needed: BASES + 1 });
    }
    let id = bases.split_off(BASES);
    let ood = ood(&id)?;
    Ok(DataTask {
        name: Cow::Borrowed(ENTRY.name),
        title: Cow::Borrowed(ENTRY.title),
        domain: Arc::new(Grid),
        pick: None,
        sets: Sets { bases, training: vec![], id, ood },
        stand_in,
        setup: None,
    })
}

#[derive(Debug)]
struct Grid;

/// Every digit once in each row, column and box, and the clues.
impl Rule for Grid {
    fn holds(&self, example: &Example) -> bool {
        let Target::Cells { values, .. } = &example.target else { return false };
        let digits: Option<Vec<u8>> = values.iter().map(|value| value.checked_add(1)).collect();
        let board = digits.and_then(|digits| digits.try_into().ok());
        let puzzle = example.input.as_slice().try_into();
        board.zip(puzzle.ok()).is_some_and(|(board, puzzle)| puzzles::is_solution(puzzle, &board))
    }

    fn given(&self, example: &Example, cell: usize) -> Option<u8> {
        example.input.get(cell).and_then(|digit| digit.checked_sub(1))
    }

    fn give(&self, example: &mut Example, cell: usize, value: u8) -> bool {
        example.input[cell] = value + 1;
        true
    }
}

/// First channels of Type for rows, columns and boxes, the channel of givens, the first for digits.
const CHANNELS: [usize; 5] = [0, 9, 18, 27, 28];

impl Domain for Grid {
    fn shape(&self) -> Shape {
        Shape { tokens: CELLS, types: 64, data: 18 }
    }

    fn readout(&self) -> Readout {
        Readout::TokenClass(9)
    }

    fn encode(&self, input: &[u8], out: &mut Encoded) {
        let Shape { types, data, .. } = self.shape();
        let [row, column, the_box, given, digit] = CHANNELS;
        for (cell, &symbol) in input.iter().enumerate() {
            let token = &mut out.types[cell * types..][..types];
            for channel in [row + cell / SIDE, column + cell % SIDE, the_box + box_of(cell)] {
                token[channel] = 1.0;
            }
            if symbol > 0 {
                let place = usize::from(symbol) - 1;
                token[given] = 1.0;
                token[digit + place] = 1.0;
                out.data[cell * data + place] = 1.0;
            }
        }
    }

    fn label(&self, input: &[u8]) -> Option<Target> {
        let puzzle = input.try_into().ok()?;
        puzzles::solve(puzzle).map(|solution| example(input, &solution).target)
    }

    fn rule(&self) -> Option<&dyn Rule> {
        Some(self)
    }

    /// Which digits its row, its column and its box have: what rules out a digit.
    fn features(&self, input: &[u8], cell: usize) -> Features {
        let units: [fn(usize) -> usize; 3] = [|c| c / SIDE, |c| c % SIDE, box_of];
        let seen = |(n, unit): (usize, fn(usize) -> usize)| {
            let members = (0..CELLS).filter(move |&c| unit(c) == unit(cell) && input[c] > 0);
            members.map(move |c| (10 * n as u32 + u32::from(input[c]), 1.0))
        };
        units.into_iter().enumerate().flat_map(seen).collect()
    }

    fn epoch(&self, bases: &[Example], mut draws: RandomStream) -> Option<Vec<Example>> {
        Some(bases.iter().map(|base| image(base, &random_automorphism(&mut draws))).collect())
    }
}
