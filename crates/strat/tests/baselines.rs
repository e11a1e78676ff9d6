//! Shortcuts on tables small enough to answer by hand, and on the real files against counts of their rows.

mod common;

use common::folder;
use common::require::skip;
use strat::baseline::Shortcut;
use strat::data::DataFolder;
use strat::internals::{Column, Tabular};
use strat::task::{self, DataTask, Entry, Example, Target};

/// Two-valued columns and their answers, as digits: `"011 1"`.
fn rows(text: &[&str]) -> Vec<Example> {
    let digits = |s: &str| s.bytes().map(|b| b - b'0').collect::<Vec<u8>>();
    let row = |line: &&str| line.split_once(' ').map(|(i, a)| Example::new(digits(i), Target::Class(digits(a)[0])));
    text.iter().map(|line| row(line).expect("an input, a blank, an answer")).collect()
}

fn task(classes: usize, training: &[&str], id: &[&str], ood: &[&str]) -> DataTask {
    let columns = training.first().map_or(1, |line| line.len() - 2);
    let column = |i| Column { name: format!("c{i}"), group: 0, values: 2 };
    DataTask::of_table(
        "own",
        Tabular::new((0..columns).map(column).collect(), classes),
        rows(training),
        rows(id),
        rows(ood),
    )
}

#[test]
fn majority_nearest_and_logistic_regression_by_hand() {
    // The first column is the answer.
    let task = task(
        2,
        &["110 1", "101 1", "001 0", "010 0", "111 1"],
        &["100 1", "000 0", "011 0", "111 1"],
        &["100 0", "000 1", "011 1"],
    );
    assert_eq!(Shortcut::Majority.accuracies(&task), Some([0.5, 2.0 / 3.0]));
    assert_eq!(Shortcut::Logistic.accuracies(&task), Some([1.0, 0.0]));
    // 100 is one away from 110 and 101, 000 from 001 and 010; 011 from 001, 010 and 111: two of three say no.
    assert_eq!(Shortcut::Nearest.accuracies(&task), Some([1.0, 0.0]));
    assert_eq!(Shortcut::ClauseCount.accuracies(&task), None);
    assert_eq!(Shortcut::LengthInHindsight.accuracies(&task), None);
}

#[test]
fn weights_count() {
    let mut id = rows(&["0 0", "1 1", "1 1"]);
    id[0].weight = 6.0;
    let columns = vec![Column { name: "c".into(), group: 0, values: 2 }];
    let ood = rows(&["1 0"]);
    let task = DataTask::of_table("own", Tabular::new(columns, 2), rows(&["0 0", "0 0", "1 1"]), id, ood);
    assert_eq!(Shortcut::Majority.accuracies(&task), Some([0.75, 1.0]));
}

#[test]
fn a_line_cannot_draw_what_is_no_line() {
    let all = ["00 0", "01 1", "10 1", "11 0"];
    let xor = task(2, &all, &all, &all);
    assert!(Shortcut::Logistic.accuracies(&xor).unwrap()[0] <= 0.75);
    assert_eq!(Shortcut::Nearest.accuracies(&xor), Some([1.0, 1.0]));
    // Three classes by how many bits are set: softmax can, as the middle one lies between the others.
    let counts = ["00 0", "01 1", "10 1", "11 2", "01 1", "10 1"];
    assert_eq!(Shortcut::Logistic.accuracies(&task(3, &counts, &counts, &counts)), Some([1.0, 1.0]));
}

#[test]
fn nothing_learned_is_no_shortcut() {
    let empty = task(2, &[], &["0 0"], &["1 1"]);
    assert_eq!(Shortcut::table(&empty), []);
    assert_eq!(Shortcut::lines(&[]), "");
}

#[test]
fn lines_stand_below_each_other() {
    let text = Shortcut::lines(&[(Shortcut::Majority, [0.5, 1.0]), (Shortcut::LengthInHindsight, [0.98765, 0.0])]);
    assert_eq!(
        text,
        "Shortcuts, right answers in %              ID    OOD\n  \
         majority class                        50.00 100.00\n  \
         formula length, fitted to the ID set  98.77   0.00\n"
    );
    let names: std::collections::BTreeSet<&str> = Shortcut::ALL.iter().map(|s| s.name()).collect();
    assert_eq!(names.len(), Shortcut::ALL.len());
}

#[test]
fn a_grid_has_a_row_for_every_task() {
    let general = [(Shortcut::Majority, [0.5, 1.0]), (Shortcut::Nearest, [0.25, 0.0])];
    let formulas = [&general[..], &[(Shortcut::LengthInHindsight, [1.0, 0.5])]].concat();
    let text = Shortcut::grid(&[("Tic-Tac-Toe Endgame", general.to_vec()), ("SATLIB", formulas)]);
    assert_eq!(
        text,
        "Shortcuts, ID / OOD in %          majority          logistic           nearest\n\
         Tic-Tac-Toe Endgame         50.00 / 100.00                      25.00 /   0.00\n\
         SATLIB                      50.00 / 100.00                      25.00 /   0.00\n  \
         formula length, fitted to the ID set       100.00 /  50.00\n"
    );
}

fn real(folder: &DataFolder, name: &str) -> DataTask {
    Entry::named(name).and_then(|e| e.load(folder, None)).unwrap_or_else(|e| panic!("{e}"))
}

fn share(part: usize, of: usize) -> f64 {
    part as f64 / of as f64
}

/// In a ratio of whole numbers nothing is left to rounding but the last bits.
fn close(ours: Option<[f64; 2]>, counted: [f64; 2]) {
    let ours = ours.expect("the shortcut applies");
    assert!(ours.iter().zip(counted).all(|(a, b)| (a - b).abs() < 1e-12), "{ours:?}, counted {counted:?}");
}

#[test]
fn majority_of_the_real_files() {
    let Some(folder) = folder() else { return };
    // SPECT: rows of the test file with fewer than four of nine, without those that the bases have.
    if let Some(files) = folder.spect().unwrap() {
        let task = real(&folder, "spect");
        let few = |bits: &[bool]| bits.iter().filter(|b| **b).count() < 4;
        let is_base =
            |bits: &[bool]| task.bases().iter().any(|b| b.input.iter().zip(bits).all(|(&s, &f)| (s == 1) == f));
        let left: Vec<&[bool]> = files.test.iter().map(|r| &r.features[..9]).filter(|b| !is_base(b)).collect();
        let zeros = task.bases().iter().filter(|b| b.input.iter().filter(|s| **s == 1).count() < 4).count();
        assert!(zeros >= 5, "the majority of the ten has fewer than four");
        // The paper: 188 of 259 rotations have four or more.
        let id = share(left.iter().filter(|b| few(b)).count(), left.len());
        close(Shortcut::Majority.accuracies(&task), [id, share(259 - 188, 259)]);
    } else {
        skip("data", "no SPECT.train and SPECT.test");
    }
    // Life: most cells die; boards whose successor is empty are right.
    if let Some(pairs) = folder.life().unwrap() {
        let empty = pairs[10..].iter().filter(|p| p.after.iter().all(|alive| !alive)).count();
        assert!(empty > 0);
        // No OOD board dies out.
        close(Shortcut::Majority.accuracies(&real(&folder, "life")), [share(empty, 757), 0.0]);
    } else {
        skip("data", "no file of life");
    }
}

/// 958 final boards, 626 of them won by x, 76 trained on; 112 of each in the OOD set.
#[test]
fn tic_tac_toe() {
    let task = task::by_name("tic-tac-toe").unwrap();
    let won = task.epoch(41, 0).iter().filter(|e| e.target == Target::Class(1)).count();
    assert!(won > 38);
    close(Shortcut::Majority.accuracies(&task), [share(626 - won, 882), 0.5]);
    // Wins are nearly linear: a weighted count of marks misses little but drawn games.
    assert!(Shortcut::Logistic.accuracies(&task).unwrap()[0] > 0.95);
}

/// Formulas of 91 clauses are satisfied in the ID set and those of 110 are not, but training has no other than 91.
#[test]
fn clause_counts_tell_in_hindsight_only() {
    let nowhere = DataFolder::find(Some("no such folder".into()));
    for folder in folder().into_iter().chain([nowhere]) {
        let satlib = real(&folder, "satlib");
        for (learned, fitted) in [
            (Shortcut::ClauseCount, Shortcut::ClauseCountInHindsight),
            (Shortcut::Length, Shortcut::LengthInHindsight),
        ] {
            close(learned.accuracies(&satlib), [share(1000, 1990), 0.5]);
            close(fitted.accuracies(&satlib), [1.0, 0.5]);
        }
    }
}

/// Every cell of Sudoku must be right: no shortcut gets there. LED24's density is linear.
#[test]
fn what_is_out_of_reach_and_what_is_not() {
    let Some(folder) = folder() else { return };
    let sudoku = real(&folder, "sudoku");
    for shortcut in [Shortcut::Majority, Shortcut::Nearest] {
        assert_eq!(shortcut.accuracies(&sudoku), Some([0.0, 0.0]));
    }
    let [id, ood] = Shortcut::Logistic.accuracies(&real(&folder, "led24")).unwrap();
    assert!(id > 0.95 && ood > 0.95, "{id} {ood}");
}
