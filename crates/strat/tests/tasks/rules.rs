//! Every answer, by a rule that is written here a second time; same seed, same examples.

use crate::{TASKS, load, nowhere, stand_in, stand_ins};
use proptest::prelude::*;
use strat::model::Readout;
use strat::task::{self, DataTask, Entry, Example, Split, Target, TaskError};

fn active(bits: &[u8]) -> usize {
    bits.iter().filter(|b| **b != 0).count()
}

fn wins(board: &[u8]) -> bool {
    let x = |cells: [usize; 3]| cells.iter().all(|c| board[*c] == 0);
    (0..3).any(|i| x([3 * i, 3 * i + 1, 3 * i + 2]) || x([i, i + 3, i + 6])) || x([0, 4, 8]) || x([2, 4, 6])
}

/// The next board, from a board with a border of wrapped cells.
fn next(board: &[u8]) -> Vec<u8> {
    let at = |r: i32, c: i32| board[(r.rem_euclid(6) * 6 + c.rem_euclid(6)) as usize];
    let mut out = vec![];
    for (r, c) in (0..36).map(|i| (i / 6, i % 6)) {
        let mut around = 0;
        for dr in -1..=1 {
            for dc in -1..=1 {
                around += if (dr, dc) == (0, 0) { 0 } else { at(r + dr, c + dc) };
            }
        }
        out.push(u8::from(around == 3 || (around == 2 && at(r, c) == 1)));
    }
    out
}

/// Sorted digits of all rows, columns and boxes, and the clues.
fn solves(puzzle: &[u8], values: &[u8], scored: &[bool]) -> bool {
    let digits: Vec<u8> = values.iter().map(|v| v + 1).collect();
    let complete = |cells: Vec<usize>| {
        let mut unit: Vec<u8> = cells.iter().map(|c| digits[*c]).collect();
        unit.sort_unstable();
        unit == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    };
    let units = (0..9).flat_map(|u| {
        let corner = u / 3 * 27 + u % 3 * 3;
        [
            (0..9).map(|i| 9 * u + i).collect::<Vec<_>>(),
            (0..9).map(|i| 9 * i + u).collect(),
            (0..9).map(|i| corner + i / 3 * 9 + i % 3).collect(),
        ]
    });
    units.into_iter().all(complete)
        && (0..81).all(|c| scored[c] == (puzzle[c] == 0) && (scored[c] || puzzle[c] == digits[c]))
}

/// Whether the answer of an example is right.
fn follows(name: &str, Example { input, target, .. }: &Example) -> bool {
    let class = |positive: bool| *target == Target::Class(u8::from(positive));
    match (name, target) {
        ("sudoku", Target::Cells { values, scored }) => solves(input, values, scored),
        ("life", Target::Cells { values, scored }) => *values == next(input) && scored == &[true; 36],
        ("satbench" | "satlib", Target::Verdict(yes)) => {
            // Clause by clause: from each start (4) to its end (5) there must be a true literal (0).
            let mut open = None;
            let mut all = true;
            for token in input {
                match token {
                    4 => open = Some(false),
                    0 => open = Some(true),
                    5 => all &= open.take().unwrap(),
                    _ => (),
                }
            }
            all == *yes
        }
        ("tic-tac-toe", _) => class(wins(input)),
        ("parity5", _) => class(active(&input[..5]) % 2 == 1),
        ("m-of-n", _) => class(active(&input[2..9]) > 2),
        ("monk-2", _) => class(6 - active(input) == 2),
        ("led24", _) => class(active(&input[..7]) > 5),
        ("threeof9", _) => class(active(input) > 4),
        ("spect", _) => class(active(input) > 3),
        (name, _) => panic!("no rule for {name}"),
    }
}

#[test]
fn every_answer_follows_from_its_input() {
    for task in TASKS.iter() {
        let epochs = (0..5).map(|epoch| task.epoch(41, epoch));
        let trained: Vec<Example> = epochs.flat_map(|e| e.into_owned()).collect();
        let sets = [task.bases(), task.split(Split::Id), task.split(Split::Ood), &trained];
        for example in sets.into_iter().flatten() {
            assert!(follows(task.name(), example), "{}: {example:?}", task.name());
            assert_eq!(task.label_by_rule(&example.input).as_ref(), Some(&example.target), "{}", task.name());
            assert!(example.weight > 0.0);
        }
    }
}

#[test]
fn a_task_depends_on_its_name_and_an_epoch_on_its_seed_and_number() {
    for (entry, task) in Entry::ALL.iter().zip(stand_ins()) {
        let again = load(entry.name, &nowhere(), None);
        assert_eq!((task.name(), task.title()), (entry.name, entry.title));
        assert_eq!(task.bases(), again.bases());
        for split in [Split::Id, Split::Ood] {
            assert_eq!(task.split(split), again.split(split));
        }
        assert_eq!(task.epoch(41, 3), again.epoch(41, 3));
        assert_eq!(task.is_fixed(), task.epoch(41, 3) == task.epoch(41, 4));
        assert_eq!(task.is_fixed(), task.epoch(41, 3) == task.epoch(42, 3));
        assert_eq!(task.is_fixed(), entry.default_pick().is_some());
    }
}

/// Stand-ins, picks and epochs are the same on every machine; a change here changes results.
#[test]
fn stand_ins_are_what_they_were() {
    let digest = |task: &DataTask| {
        let epoch = task.epoch(41, 1);
        let sets = [task.bases(), &epoch, task.split(Split::Id), task.split(Split::Ood)];
        let inputs = sets.into_iter().flatten().flat_map(|e| e.input.iter().chain([&255]));
        inputs.fold(0xcbf2_9ce4_8422_2325_u64, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)) >> 32
    };
    let expected = [
        ("sudoku", 0x49a6_b479),
        ("satbench", 0x6ce2_9b7d),
        ("satlib", 0x278c_23eb),
        ("tic-tac-toe", 0x5282_3231),
        ("life", 0x05db_8ebd),
        ("parity5", 0x2957_5825),
        ("m-of-n", 0x54d0_4e5d),
        ("monk-2", 0xaa17_121d),
        ("led24", 0x2075_4440),
        ("threeof9", 0x2d7b_0c57),
        ("spect", 0xa048_bf40),
    ];
    let found: Vec<(&str, u64)> = stand_ins().iter().map(|task| (task.name(), digest(task))).collect();
    assert_eq!(found, expected, "{found:#x?}");
}

#[test]
fn answers_are_scored_as_the_paper_does() {
    for task in TASKS.iter() {
        for example in task.split(Split::Ood).iter().take(20) {
            let mut logits = vec![-1.0; task.readout().logits(task.shape().tokens)];
            // Perfect logits, and the place of one scored answer in them.
            let wrong = match (&example.target, task.readout()) {
                (Target::Class(class), Readout::Class(2)) => {
                    logits[usize::from(*class)] = 1.0;
                    1 - usize::from(*class)
                }
                (Target::Verdict(yes), Readout::Binary) => {
                    logits[0] = if *yes { 1.0 } else { -1.0 };
                    0
                }
                (Target::Cells { values, scored }, Readout::TokenClass(9)) => {
                    let cells = (0..81).filter(|c| scored[*c]);
                    cells.clone().for_each(|c| logits[9 * c + usize::from(values[c])] = 1.0);
                    let first = cells.clone().next().unwrap();
                    9 * first + (usize::from(values[first]) + 1) % 9
                }
                (Target::Cells { values, .. }, Readout::TokenBinary) => {
                    values.iter().zip(&mut logits).filter(|(v, _)| **v == 1).for_each(|(_, l)| *l = 1.0);
                    17
                }
                other => panic!("{other:?}"),
            };
            assert!(task.is_correct(example, &logits), "{}", task.name());
            logits[wrong] = if logits[wrong] > 0.0 { -2.0 } else { 2.0 };
            assert!(!task.is_correct(example, &logits), "{}", task.name());
        }
    }
}

#[test]
fn an_unknown_task_is_told_the_known_ones() {
    let error = task::by_name("monk3").unwrap_err();
    assert!(matches!(error, TaskError::Unknown { .. }));
    let known = "sudoku, satbench, satlib, tic-tac-toe, life, parity5, m-of-n, monk-2, led24, threeof9, spect";
    assert_eq!(error.to_string(), format!("there is no task \"monk3\"; the tasks are {known}"));
}

const AUGMENTED: [&str; 4] = ["sudoku", "life", "satbench", "satlib"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn augmentation_keeps_the_rule(seed: u64, epoch: u32, which in 0..4usize) {
        let task = stand_in(AUGMENTED[which]);
        for example in task.epoch(seed, epoch).iter() {
            prop_assert!(follows(task.name(), example));
        }
    }

    /// Clues of a band, and whether anything is the same, survive what an epoch does to a puzzle.
    #[test]
    fn sudoku_images_keep_their_spread_of_clues(seed: u64, epoch: u32) {
        let task = stand_in("sudoku");
        let spread = |puzzle: &[u8]| {
            let clues = |in_third: &dyn Fn(usize) -> usize| {
                let mut counts = [0; 3];
                (0..81).filter(|c| puzzle[*c] > 0).for_each(|c| counts[in_third(c)] += 1);
                counts.sort_unstable();
                counts
            };
            let mut both = [clues(&|c| c / 27), clues(&|c| c % 9 / 3)];
            both.sort_unstable();
            both
        };
        for (base, image) in task.bases().iter().zip(task.epoch(seed, epoch).iter()) {
            prop_assert_eq!(spread(&base.input), spread(&image.input));
        }
    }
}
