//! Tic-Tac-Toe Endgame: has x completed a line on a final board?
//!
//! Eighteen tokens: the classification token, nine cells, eight lines (three rows, three columns,
//! the falling and the rising diagonal). The paper names the fields but not their order:
//!
//! | Type | classification | cell | line |
//! |---|---|---|---|
//! | 0–2 | role: 0 | role: 1 | role: 2 |
//! | 3–5, 6–8 | | its row, its column | |
//! | 9–10 | | diagonals through it | |
//! | 11–13 | | x, o, blank | |
//! | 14–21 | | | which line |
//! | 22–30 | | | its three cells |
//!
//! Data of a cell is four times the same eight channels: a field of seven, of which the first
//! three are x, o and blank, and a channel that is always one.
//!
//! The board list follows from the rules, so no file is read. Symbols: 0 is x, 1 is o, 2 is blank.
//!
//! The paper prints 76 training boards, 216 and 119 candidates for the OOD set, and 195 and 112
//! of them outside of the training set. A random pick is drawn until it gives all five numbers; a
//! coverage pick until it gives 76 boards and at least 112 candidates of each class. Both classes are
//! cut to 112, in random order.

use super::dataset::{DataTask, Deciding, Domain, Sets, TaskError, labelled, task_draws};
use super::example::{Encoded, Example, Target};
use super::list::{Entry, Load};
use super::pick::{Candidates, Pick, PickKind};
use super::symmetry::{Orbits, Symmetry};
use super::text::{ProbeFault, ReadFault, Text, cells};
use crate::config::{Repeats, TrainConfig};
use crate::data::{self, DataFolder, Mark};
use crate::model::{BlockConfig, Readout, Shape};
use crate::rng::Stream;
use std::borrow::Cow;
use std::sync::Arc;

pub(in crate::task) const ENTRY: Entry = Entry {
    name: "tic-tac-toe",
    title: "Tic-Tac-Toe Endgame",
    sizes: BlockConfig::TIC_TAC_TOE,
    train: TrainConfig::DEFAULT,
    repeats: Repeats::Always,
    load: Load::Picked(load),
};
const NAME: &str = ENTRY.name;
const X: u8 = 0;
const O: u8 = 1;
const BLANK: u8 = 2;

/// Marks as text.
const MARKS: [char; 3] = ['x', 'o', '·'];

/// The cells of every line.
const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
/// Training boards.
const BOARDS: i64 = 76;
/// OOD boards of a class.
const OOD: usize = 112;

fn has_line(board: &[u8], mark: u8) -> bool {
    LINES.iter().any(|line| line.iter().all(|&cell| board[cell] == mark))
}

/// Every final board: those that x wins, those that o wins, draws; each lexicographically.
fn boards() -> Vec<Vec<u8>> {
    let all = (0..3u32.pow(9)).map(|n| (0..9).rev().map(|place| (n / 3u32.pow(place) % 3) as u8).collect());
    let all: Vec<Vec<u8>> = all.collect();
    let count = |board: &[u8], mark| board.iter().filter(|&&m| m == mark).count();
    // x moves first: it has one mark more if it moved last.
    let ends = |b: &[u8], x_more: usize| count(b, X) == count(b, O) + x_more;
    let won = |b: &[u8], winner, x_more| ends(b, x_more) && has_line(b, winner) && !has_line(b, 1 - winner);
    let x_wins = all.iter().filter(|b| won(b, X, 1));
    let o_wins = all.iter().filter(|b| won(b, O, 0));
    let draws = all.iter().filter(|b| ends(b, 1) && count(b, X) == 5 && !has_line(b, X) && !has_line(b, O));
    x_wins.chain(o_wins).chain(draws).cloned().collect()
}

/// Rotations and reflections of the square.
fn symmetries() -> Vec<Symmetry> {
    let cell = |turns: u32, mirrored: bool, i: usize| {
        let (row, column) = (i / 3, i % 3);
        let (mut row, mut column) = if mirrored { (column, row) } else { (row, column) };
        (0..turns).for_each(|_| (row, column) = (column, 2 - row));
        3 * row + column
    };
    let symmetry = |n: u32| Symmetry::moving((0..9).map(|i| cell(n % 4, n >= 4, i)).collect(), 3);
    (0..8).map(symmetry).collect()
}

/// Marks of each kind in the centre, the corners and the edges.
fn regions(board: &[u8]) -> [i64; 9] {
    let regions: [&[usize]; 3] = [&[4], &[0, 2, 6, 8], &[1, 3, 5, 7]];
    std::array::from_fn(|i| regions[i / 3].iter().filter(|&&c| usize::from(board[c]) == i % 3).count() as i64)
}

/// What is the same for all boards of an orbit.
struct Class {
    size: i64,
    x_wins: bool,
    regions: [i64; 9],
}

impl Class {
    fn of(members: &[Vec<u8>]) -> Class {
        let board = &members[0];
        Class { size: members.len() as i64, x_wins: has_line(board, X), regions: regions(board) }
    }

    /// Whether the regions speak for the other class.
    fn is_misleading(&self, contrast: &[i64; 9]) -> bool {
        let score: i64 = self.regions.iter().zip(contrast).map(|(r, c)| r * c).sum();
        if self.x_wins { score < 0 } else { score > 0 }
    }
}

/// Difference of the mean regions of positive and negative training boards, times the product of
/// their numbers: whole, so that no rounding decides a sign.
fn contrast(classes: &[Class], training: &[usize]) -> [i64; 9] {
    let mut sums = [[0; 9]; 2];
    let mut counts = [0; 2];
    for class in training.iter().map(|&orbit| &classes[orbit]) {
        let side = usize::from(class.x_wins);
        counts[side] += class.size;
        sums[side].iter_mut().zip(class.regions).for_each(|(sum, r)| *sum += class.size * r);
    }
    std::array::from_fn(|i| sums[1][i] * counts[0] - sums[0][i] * counts[1])
}

/// Whether the sets that follow from a pick have the paper's sizes.
fn fits(picked: &[usize], orbits: &Orbits, classes: &[Class], kind: PickKind) -> bool {
    let training = orbits.of_all(picked);
    if training.iter().map(|&o| classes[o].size).sum::<i64>() != BOARDS {
        return false;
    }
    let contrast = contrast(classes, &training);
    // For each class: candidates, and those of them outside of the training set.
    let mut counts = [[0; 2]; 2];
    for (orbit, class) in classes.iter().enumerate().filter(|(_, c)| c.is_misleading(&contrast)) {
        let [all, left] = &mut counts[usize::from(class.x_wins)];
        *all += class.size;
        if training.contains(&orbit) {
            // The ten themselves are not among the test boards.
            *all -= picked.iter().filter(|&&i| orbits.of[i] == orbit).count() as i64;
        } else {
            *left += class.size;
        }
    }
    match kind {
        PickKind::Random => counts == [[119, 112], [216, 195]],
        PickKind::Coverage => counts.iter().all(|[_, left]| *left >= OOD as i64),
    }
}

fn load(_: &DataFolder, pick: Pick) -> Result<DataTask, TaskError> {
    let boards = boards();
    let labels: Vec<bool> = boards.iter().map(|b| has_line(b, X)).collect();
    let orbits = Orbits::new(boards.iter().map(|b| &b[..]), &symmetries());
    let classes: Vec<Class> = orbits.members.iter().map(|m| Class::of(m)).collect();
    let all = Candidates { inputs: &boards, labels: &labels, balanced: false };
    let picked = all
        .pick(pick, |picked| fits(picked, &orbits, &classes, pick.kind))
        .ok_or(TaskError::NoPick { task: NAME, pick })?;
    let training = orbits.images(&picked);
    let known = orbits.of_all(&picked);
    let contrast = contrast(&classes, &known);
    let held_out: Vec<usize> = (0..boards.len()).filter(|&i| !known.contains(&orbits.of[i])).collect();
    let mut ood = vec![];
    for x_wins in [true, false] {
        let misleads = |i: &usize| labels[*i] == x_wins && classes[orbits.of[*i]].is_misleading(&contrast);
        let mut misleading: Vec<usize> = held_out.iter().copied().filter(misleads).collect();
        task_draws(NAME, Stream::TestOod, u32::from(x_wins)).shuffle(&mut misleading);
        ood.extend(misleading.into_iter().take(OOD));
    }
    let select = |positions: &[usize]| labelled(&Board, positions.iter().map(|&i| boards[i].clone()));
    let sets = Sets {
        bases: select(&picked),
        training: labelled(&Board, training),
        id: select(&held_out),
        ood: select(&ood),
    };
    Ok(DataTask {
        name: Cow::Borrowed(ENTRY.name),
        title: Cow::Borrowed(ENTRY.title),
        domain: Arc::new(Board),
        pick: Some(pick),
        sets,
        stand_in: None,
        setup: None,
    })
}

#[derive(Debug)]
struct Board;

/// First channels of Type.
mod channel {
    pub const ROLE: usize = 0;
    pub const ROW: usize = 3;
    pub const COLUMN: usize = 6;
    pub const DIAGONAL: usize = 9;
    pub const MARK: usize = 11;
    pub const LINE: usize = 14;
    pub const MEMBER: usize = 22;
}

/// Channels of one of Data's four registers.
const REGISTER: usize = 8;

impl Domain for Board {
    fn shape(&self) -> Shape {
        Shape { tokens: 1 + 9 + 8, types: 32, data: 32 }
    }

    fn readout(&self) -> Readout {
        Readout::Class(2)
    }

    fn encode(&self, input: &[u8], out: &mut Encoded) {
        let Shape { types, data, .. } = self.shape();
        let mut set = |token: usize, channel: usize| out.types[token * types + channel] = 1.0;
        set(0, channel::ROLE);
        for (cell, &mark) in input.iter().enumerate() {
            let token = 1 + cell;
            set(token, channel::ROLE + 1);
            set(token, channel::ROW + cell / 3);
            set(token, channel::COLUMN + cell % 3);
            (0..2).filter(|d| LINES[6 + d].contains(&cell)).for_each(|d| set(token, channel::DIAGONAL + d));
            set(token, channel::MARK + usize::from(mark));
            for register in out.data[token * data..][..data].chunks_exact_mut(REGISTER) {
                register[usize::from(mark)] = 1.0;
                register[REGISTER - 1] = 1.0;
            }
        }
        for (line, cells) in LINES.iter().enumerate() {
            let token = 10 + line;
            set(token, channel::ROLE + 2);
            set(token, channel::LINE + line);
            cells.iter().for_each(|cell| set(token, channel::MEMBER + cell));
        }
    }

    fn inputs(&self) -> Option<Vec<Vec<u8>>> {
        Some(boards())
    }

    /// How the game ended: who has a line, if anyone has.
    fn deciding(&self, input: &[u8], _place: usize) -> Option<Deciding> {
        let number = usize::from(has_line(input, X)) + 2 * usize::from(has_line(input, O));
        Some(Deciding { number, is_threshold: false })
    }

    fn label(&self, input: &[u8]) -> Option<Target> {
        Some(Target::Class(u8::from(has_line(input, X))))
    }
}

impl Text for Board {
    fn form(&self) -> Cow<'static, str> {
        "9 cells row by row, x, o and b for blank (or . _ -), such as `xxo oxb obx`".into()
    }

    fn file_form(&self) -> Cow<'static, str> {
        "UCI's rows of nine marks x, o or b and the class, separated by commas, or the zip that holds them".into()
    }

    fn read(&self, file: &str, bytes: &[u8]) -> Result<Vec<Example>, ReadFault> {
        let symbol = |mark| match mark {
            Mark::X => X,
            Mark::O => O,
            Mark::Blank => BLANK,
        };
        let boards = data::tic_tac_toe::parse(file, bytes)?;
        Ok(labelled(self, boards.iter().map(|(marks, _)| marks.map(symbol).to_vec())))
    }

    fn probe(&self, text: &str) -> Result<Vec<u8>, ProbeFault> {
        let symbol = |c| match c {
            'x' | 'X' => Some(X),
            'o' | 'O' => Some(O),
            'b' | 'B' | '.' | '_' | '-' => Some(BLANK),
            _ => None,
        };
        Ok(cells::<9>(text, symbol, "x, o or b")?.to_vec())
    }

    /// All boards but the final ones of games that can be played.
    fn objection(&self, board: &[u8], _known: bool) -> Option<String> {
        let [x, o] = [X, O].map(|mark| board.iter().filter(|&&m| m == mark).count());
        let why = match [X, O].map(|mark| has_line(board, mark)) {
            _ if x != o && x != o + 1 => {
                return Some(format!(
                    "x has {x} marks and o {o}; x moves first, so it has as many as o, or one more"
                ));
            }
            [true, true] => "both have a line, and the game ends with the first",
            [true, false] if x == o => "x has a line, but o has as many marks: it moved after the game was won",
            [false, true] if x > o => "o has a line, but x has one mark more: it moved after the game was won",
            [false, false] if board.contains(&BLANK) => {
                "nobody has a line and there are blanks: the game is not over"
            }
            _ => return None,
        };
        Some(why.into())
    }

    fn place(&self, at: usize) -> String {
        format!("{}:{}", at / 3 + 1, at % 3 + 1)
    }

    fn symbol(&self, symbol: u8) -> String {
        MARKS[usize::from(symbol)].into()
    }

    fn tokens(&self, input: &[u8]) -> Vec<String> {
        let cell = |(i, &mark): (usize, &u8)| {
            format!("{}{} {}", ['a', 'b', 'c'][i % 3], 3 - i / 3, MARKS[usize::from(mark)])
        };
        let lines = ["row 3", "row 2", "row 1", "col a", "col b", "col c", "falls", "rises"];
        let class = std::iter::once("class".to_string());
        class.chain(input.iter().enumerate().map(cell)).chain(lines.map(String::from)).collect()
    }

    fn words(&self, target: &Target) -> String {
        if *target == Target::Class(1) { "x wins" } else { "x does not win" }.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_that_no_game_ends_with_is_objected_to() {
        let finals: std::collections::HashSet<Vec<u8>> = boards().into_iter().collect();
        assert_eq!(finals.len(), 958);
        for n in 0..3u32.pow(9) {
            let board: Vec<u8> = (0..9).map(|place| (n / 3u32.pow(place) % 3) as u8).collect();
            assert_eq!(Board.objection(&board, true).is_none(), finals.contains(&board), "{board:?}");
        }
        let says = |text: &str| Board.objection(&Board.probe(text).unwrap(), true).unwrap_or_default();
        assert!(says("xxx oob _o_").contains("as many marks"));
        assert!(says("xxx ooo xbb").contains("both have a line"));
        assert!(says("ooo xxb xbx").contains("o has a line"));
        assert!(says("xox bbb bbb").contains("not over"));
        assert!(says("ooo bbb bbb").contains("x has 0 marks and o 3"));
    }

    #[test]
    fn the_square_has_eight_symmetries_and_lines_stay_lines() {
        let images: std::collections::BTreeSet<Vec<u8>> =
            symmetries().iter().map(|s| s.apply(&[0, 1, 2, 2, 2, 1, 2, 2, 2])).collect();
        assert_eq!(images.len(), 8);
        for board in boards() {
            assert!(symmetries().iter().all(|s| has_line(&s.apply(&board), X) == has_line(&board, X)));
            assert!(symmetries().iter().all(|s| regions(&s.apply(&board)) == regions(&board)));
        }
    }
}
