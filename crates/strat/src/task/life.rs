//! Game of Life: the next step of a 6 × 6 board that wraps around.
//!
//! A token for every cell, row by row. Type: 0 dead · 1 alive, 2–31 zero. Data: 0 is the alive
//! bit, 1–31 zero. The answer is a bit for every cell. Symbols: 0 dead, 1 alive.
//!
//! The first ten pairs of the file are the bases. Every epoch turns all of them by one and the same
//! random symmetry of the torus. OOD boards are drawn: seven live cells, eight or nine
//! neighbouring pairs of them, a successor that is not empty, not in the file.

use super::dataset::{DataTask, Deciding, Domain, Features, RowFault, Sets, TaskError, one_hot, task_draws};
use super::example::{Encoded, Example, Target};
use super::list::{Entry, Load};
use super::pick::BASES;
use super::symmetry::Symmetry;
use super::text::{ProbeFault, ReadFault, Text, cells};
use crate::config::{Repeats, TrainConfig};
use crate::data::{self, DataFolder, LifePair};
use crate::model::{BlockConfig, Readout, Shape};
use crate::rng::{RandomStream, Stream};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

pub(in crate::task) const ENTRY: Entry = Entry {
    name: "life",
    title: "Game of Life",
    sizes: BlockConfig::LIFE,
    train: TrainConfig { steps: 6000, ..TrainConfig::DEFAULT },
    repeats: Repeats::Often,
    load: Load::Fixed(load),
};
const NAME: &str = ENTRY.name;
const SIDE: usize = 6;
const CELLS: usize = SIDE * SIDE;

/// The eight cells around one.
fn neighbours(cell: usize) -> impl Iterator<Item = usize> {
    let (row, column) = (cell / SIDE, cell % SIDE);
    let around = (0..9).filter(|&d| d != 4);
    around.map(move |d| (row + SIDE + d / 3 - 1) % SIDE * SIDE + (column + SIDE + d % 3 - 1) % SIDE)
}

fn live_neighbours(board: &[u8], cell: usize) -> usize {
    neighbours(cell).filter(|&n| board[n] == 1).count()
}

/// B3/S23: born with three neighbours, survives with two or three.
fn step(board: &[u8]) -> Vec<u8> {
    let next = |cell| match live_neighbours(board, cell) {
        3 => 1,
        2 => board[cell],
        _ => 0,
    };
    (0..CELLS).map(next).collect()
}

/// Pairs of live cells that are neighbours.
fn adjacencies(board: &[u8]) -> usize {
    (0..CELLS).filter(|&c| board[c] == 1).map(|c| live_neighbours(board, c)).sum::<usize>() / 2
}

fn example(board: Vec<u8>) -> Example {
    let target = Target::Cells { values: step(&board), scored: vec![true; CELLS] };
    Example::new(board, target)
}

/// A translation, a rotation, and reflections of rows and columns, each at random.
fn random_symmetry(draws: &mut RandomStream) -> Symmetry {
    let [down, right] = [0; 2].map(|_| draws.below(SIDE as u32) as usize);
    let turns = draws.below(4);
    let [flip_rows, flip_columns] = [0; 2].map(|_| draws.below(2) == 1);
    let from = |cell: usize| {
        let (mut row, mut column) = (cell / SIDE, cell % SIDE);
        (0..turns).for_each(|_| (row, column) = (column, SIDE - 1 - row));
        row = if flip_rows { SIDE - 1 - row } else { row };
        column = if flip_columns { SIDE - 1 - column } else { column };
        (row + down) % SIDE * SIDE + (column + right) % SIDE
    };
    Symmetry::moving((0..CELLS).map(from).collect(), 2)
}

/// 767 different boards of all densities.
fn stand_in() -> Vec<Vec<u8>> {
    let mut seen = HashSet::new();
    let mut boards = vec![];
    let mut draws = task_draws(NAME, Stream::StandIn, 0);
    while boards.len() < 767 {
        let share = draws.uniform();
        let board: Vec<u8> = (0..CELLS).map(|_| u8::from(draws.uniform() < share)).collect();
        // What the paper says of its ten.
        let fits_bases = adjacencies(&board) >= 10 && (7..=32).contains(&board.iter().filter(|&&c| c == 1).count());
        if (boards.len() >= BASES || fits_bases) && seen.insert(board.clone()) {
            boards.push(board);
        }
    }
    boards
}

fn source(folder: &DataFolder) -> Result<(Vec<Vec<u8>>, Option<&'static str>), TaskError> {
    let Some(pairs) = folder.life()? else {
        return Ok((stand_in(), Some("767 drawn boards instead of the file's")));
    };
    let board = |(at, pair): (usize, &LifePair)| {
        let [before, after] = [pair.before, pair.after].map(|b| b.map(u8::from).to_vec());
        let fault = TaskError::Row { task: NAME, row: at + 1, fault: RowFault::Rule.into() };
        if step(&before) == after { Ok(before) } else { Err(fault) }
    };
    Ok((pairs.iter().enumerate().map(board).collect::<Result<_, _>>()?, None))
}

/// 250 boards with eight adjacencies and 250 with nine.
fn ood(source: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut used: HashSet<Vec<u8>> = source.iter().cloned().collect();
    let mut draws = task_draws(NAME, Stream::TestOod, 0);
    let mut found = [vec![], vec![]];
    while found.iter().any(|f| f.len() < 250) {
        let mut board = vec![0; CELLS];
        draws.permutation::<CELLS>()[..7].iter().for_each(|&cell| board[cell] = 1);
        let kind @ 8..=9 = adjacencies(&board) else { continue };
        let found = &mut found[kind - 8];
        if found.len() < 250 && step(&board).contains(&1) && used.insert(board.clone()) {
            found.push(board);
        }
    }
    found.concat()
}

fn load(folder: &DataFolder) -> Result<DataTask, TaskError> {
    let (boards, stand_in) = source(folder)?;
    if boards.len() <= BASES {
        return Err(TaskError::TooFew { task: NAME, what: "boards", found: boards.len(), needed: BASES + 1 });
    }
    let ood = ood(&boards).into_iter().map(example).collect();
    let mut bases: Vec<Example> = boards.into_iter().map(example).collect();
    let id = bases.split_off(BASES);
    Ok(DataTask {
        name: Cow::Borrowed(ENTRY.name),
        title: Cow::Borrowed(ENTRY.title),
        domain: Arc::new(Torus),
        pick: None,
        sets: Sets { bases, training: vec![], id, ood },
        stand_in,
        setup: None,
    })
}

#[derive(Debug)]
struct Torus;

impl Domain for Torus {
    fn shape(&self) -> Shape {
        Shape { tokens: CELLS, types: 32, data: 32 }
    }

    fn readout(&self) -> Readout {
        Readout::TokenBinary
    }

    fn encode(&self, input: &[u8], out: &mut Encoded) {
        let Shape { types, data, .. } = self.shape();
        for (token, &alive) in input.iter().enumerate() {
            out.types[token * types + usize::from(alive)] = 1.0;
            out.data[token * data] = f32::from(alive);
        }
    }

    /// Whether the cell lives, and how many neighbours do.
    fn deciding(&self, input: &[u8], cell: usize) -> Option<Deciding> {
        let number = 9 * usize::from(input[cell]) + live_neighbours(input, cell);
        Some(Deciding { number, is_threshold: false })
    }

    fn label(&self, input: &[u8]) -> Option<Target> {
        Some(example(input.to_vec()).target)
    }

    /// The whole board as the cell sees it, which stands in its corner: all cells are alike on a torus.
    fn features(&self, input: &[u8], cell: usize) -> Features {
        let (row, column) = (cell / SIDE, cell % SIDE);
        let seen = (0..CELLS).map(|i| &input[(row + i / SIDE) % SIDE * SIDE + (column + i % SIDE) % SIDE]);
        one_hot(seen)
    }

    fn epoch(&self, bases: &[Example], mut draws: RandomStream) -> Option<Vec<Example>> {
        let symmetry = random_symmetry(&mut draws);
        // Board and successor together, as the paper does: that the rule survives is tested, not made.
        let image = |base: &Example| match &base.target {
            Target::Cells { values, scored } => {
                let target = Target::Cells { values: symmetry.apply(values), scored: scored.clone() };
                Example::new(symmetry.apply(&base.input), target)
            }
            other => unreachable!("a board is not answered by {other:?}"),
        };
        Some(bases.iter().map(image).collect())
    }
}

fn rows(target: &Target) -> Vec<String> {
    let Target::Cells { values, .. } = target else { unreachable!("a board is not answered by {target:?}") };
    let row = |row: &[u8]| row.iter().map(|&alive| if alive == 1 { '*' } else { '.' }).collect();
    values.chunks(SIDE).map(row).collect()
}

impl Text for Torus {
    fn form(&self) -> Cow<'static, str> {
        "6 rows of 6 cells, . for dead and * for alive (or 0 and 1), such as \
         `...... ..*... ...*.. .***.. ...... ......`"
            .into()
    }

    fn file_form(&self) -> Cow<'static, str> {
        "a CSV of `row_in_jsonl,curriculum,input,output_wrap` with 36 digits 0 or 1, or the public JSONL".into()
    }

    fn read(&self, file: &str, bytes: &[u8]) -> Result<Vec<Example>, ReadFault> {
        let pairs = data::life::parse(file, bytes)?;
        Ok(pairs.iter().map(|pair| example(pair.before.map(u8::from).to_vec())).collect())
    }

    fn probe(&self, text: &str) -> Result<Vec<u8>, ProbeFault> {
        let symbol = |c| match c {
            '.' | '0' => Some(0),
            '*' | '1' => Some(1),
            _ => None,
        };
        Ok(cells::<CELLS>(text, symbol, ". or *")?.to_vec())
    }

    fn tokens(&self, input: &[u8]) -> Vec<String> {
        let cell = |(i, &alive): (usize, &u8)| {
            format!("{}:{} {}", i / SIDE + 1, i % SIDE + 1, if alive == 1 { '●' } else { '·' })
        };
        input.iter().enumerate().map(cell).collect()
    }

    fn words(&self, target: &Target) -> String {
        rows(target).concat()
    }

    fn board(&self, target: &Target) -> Option<String> {
        Some(rows(target).join("\n"))
    }
}
