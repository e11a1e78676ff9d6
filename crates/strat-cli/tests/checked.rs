//! `strat predict` and `strat eval` of Sudokus: a valid board or none.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;

const PUZZLE: &str = "530070000600195000098000060800060003400803001700020006060000280000419005000080079";
const SOLUTION: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

/// Two learners that have seen an epoch, and files of puzzles.
static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let args = ["train", "sudoku", "--seeds", "41..42", "--epochs", "1", "--set", "model.layers=2", "--out", "run"];
    assert!(strat(folder.path(), &args).status.success());
    let hole = |cell: usize| format!("{}.{}\n", &SOLUTION[..cell], &SOLUTION[cell + 1..]);
    std::fs::write(folder.path().join("holes.txt"), (0..81).map(hole).collect::<String>()).unwrap();
    std::fs::write(folder.path().join("list.txt"), format!("# one\n{}\n", PUZZLE.replace('0', "."))).unwrap();
    std::fs::write(folder.path().join("pairs.csv"), format!("puzzle,solution\n{PUZZLE},{SOLUTION}\n")).unwrap();
    std::fs::write(folder.path().join("none.txt"), format!("{PUZZLE}\n55{}\n", &PUZZLE[2..])).unwrap();
    folder
});

fn strat(at: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_strat")).args(args).current_dir(at).env_remove("STRAT_ISA").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Standard output and standard error of what must succeed.
fn said(args: &[&str]) -> [String; 2] {
    let out = strat(FOLDER.path(), args);
    let [said, error] = [text(&out.stdout), text(&out.stderr)];
    assert!(out.status.success(), "{args:?}: {error}");
    [said, error]
}

fn lines(args: &[&str]) -> Vec<Value> {
    said(args)[0].lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_board_that_is_not_valid_is_not_shown() {
    let [checked, error] = said(&["predict", "run", PUZZLE]);
    assert_eq!((&*checked, &*error), ("unsolved: no answer of 2 learners is valid\n", ""));
    let [one, _] = said(&["predict", "run", PUZZLE, "--seed", "42"]);
    assert_eq!(one, "unsolved: no answer of one learner is valid\n");
    let [unchecked, _] = said(&["predict", "run", PUZZLE, "--unchecked"]);
    assert!(unchecked.contains("seed 41") && unchecked.contains("seed 42"), "{unchecked}");
    assert!(unchecked.contains("5 3 ") && !unchecked.contains("valid"), "{unchecked}");
}

#[test]
fn every_board_that_is_shown_is_valid() {
    let answers = lines(&["predict", "run", "holes.txt", "--json"]);
    assert_eq!(answers.len(), 81);
    let valid = answers.iter().filter(|a| !a["answer"].is_null()).count();
    for answer in &answers {
        match answer["answer"].as_str() {
            Some(board) => {
                assert_eq!((board, &answer["right"]), (SOLUTION, &true.into()));
                assert!(answer["agree"].as_u64().unwrap() >= 1 && answer["looks"] == 1, "{answer}");
                assert!(answer["seed"] == 41 || answer["seed"] == 42, "{answer}");
            }
            None => assert!(answer["agree"].is_null() && answer["right"].is_null(), "{answer}"),
        }
    }
    // With one hole a guess is right once in nine.
    assert!((1..81).contains(&valid), "{valid}");
    let [shown, error] = said(&["predict", "run", "holes.txt"]);
    assert_eq!(shown.matches("unsolved").count(), 81 - valid);
    assert_eq!(shown.matches("learners say so at first sight)").count(), valid, "{shown}");
    assert_eq!(shown.matches("5 3 4  6 7 8  9 1 2").count(), valid);
    assert!(error.contains(&format!("{valid} of 81 have a valid answer")), "{error}");
    assert!(shown.lines().all(|line| line.chars().count() <= 81), "a puzzle is 81 wide");
}

#[test]
fn eval_tells_single_learners_the_vote_and_what_is_checked() {
    for file in ["list.txt", "pairs.csv"] {
        let all = lines(&["eval", "run", "--data-file", file, "--json"]);
        assert_eq!(all.len(), 3, "two learners, and both together");
        assert_eq!((&all[0]["seed"], &all[0]["accuracy"], &all[0]["count"]), (&41.into(), &0.0.into(), &1.into()));
        let together = &all[2];
        for (key, value) in [("learners", 2), ("count", 1), ("unsolved", 1), ("wrong", 0)] {
            assert_eq!(together[key], value, "{key}");
        }
        assert_eq!([&together["vote"], &together["checked"], &together["checked_at_first_sight"]], [0.0; 3]);
    }
    let [shown, _] = said(&["eval", "run", "--data-file", "holes.txt"]);
    for line in ["vote", "valid at first sight", "valid, looking again", "unsolved"] {
        assert!(shown.lines().any(|l| l.trim_start().starts_with(line)), "{line}: {shown}");
    }
    assert!(shown.contains("valid, but not the right       0 of 81"), "{shown}");
}

#[test]
fn a_list_with_a_puzzle_without_a_solution_is_refused() {
    let out = strat(FOLDER.path(), &["eval", "run", "--data-file", "none.txt"]);
    let error = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{error}");
    assert!(error.contains("none.txt:2: the puzzle has no solution"), "{error}");
}
