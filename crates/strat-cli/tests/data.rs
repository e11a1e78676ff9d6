//! `strat data` as a user meets it.

use std::path::Path;
use std::process::{Command, Output};

fn strat(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_strat"));
    command.arg("data").args(args).env("STRAT_DATA", folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn lines(bytes: &[u8]) -> Vec<serde_json::Value> {
    text(bytes).lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// An empty board each: sound rows, but not the public file's.
fn wrong_boards(folder: &Path) {
    std::fs::write(folder.join("tic-tac-toe.data"), "b,b,b,b,b,b,b,b,b,negative\n".repeat(958)).unwrap();
}

#[test]
fn list_says_what_is_there_and_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    wrong_boards(dir.path());
    let out = strat(dir.path(), &["list"]);
    assert_eq!(out.status.code(), Some(0));
    let table = text(&out.stdout);
    assert!(table.contains("10 missing; `strat data fetch`"), "{table}");
    assert!(!table.contains('\x1b') && table.lines().all(|l| l == l.trim_end()), "{table:?}");
    let header = table.lines().find(|l| l.starts_with("name")).unwrap();
    for (name, state) in [("tic-tac-toe", "there"), ("sudoku", "missing"), ("satbench", "missing")] {
        let line = table.lines().find(|l| l.starts_with(name)).unwrap();
        assert_eq!(&line[header.find("state").unwrap()..][..state.len()], state);
        assert!(line[header.find("from").unwrap()..].starts_with("https://"), "{line}");
    }
    let json = lines(&strat(dir.path(), &["list", "--json"]).stdout);
    assert_eq!(json.len(), 11);
    assert_eq!((&json[0]["name"], &json[0]["state"]), (&"sudoku".into(), &"missing".into()));
    assert!(json.iter().all(|l| l["url"].is_string() && l["licence"].is_string()));
}

#[test]
fn the_flag_goes_before_the_variable() {
    let (flag, variable) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let out = strat(variable.path(), &["list", "--data", flag.path().to_str().unwrap()]);
    assert!(text(&out.stdout).contains(flag.path().to_str().unwrap()));
}

#[test]
fn verify_names_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    // Missing is no failure, unless it was asked for.
    assert_eq!(strat(dir.path(), &["verify"]).status.code(), Some(0));
    assert_eq!(strat(dir.path(), &["verify", "spect"]).status.code(), Some(1));
    wrong_boards(dir.path());
    let out = strat(dir.path(), &["verify"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stdout).contains("fingerprint"), "{}", text(&out.stdout));
    let json = lines(&strat(dir.path(), &["verify", "tic-tac-toe", "--json"]).stdout);
    assert_eq!(json[0]["state"], "wrong");
    std::fs::write(dir.path().join("tic-tac-toe.data"), "x,o\n").unwrap();
    let out = strat(dir.path(), &["verify", "tic-tac-toe"]);
    assert!(text(&out.stdout).contains("tic-tac-toe.data:1: 2 fields"), "{}", text(&out.stdout));
}

#[test]
fn fetch_without_a_connection_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap(); // and dropped
    let out = strat(dir.path(), &["fetch", "parity5", "--mirror", &format!("http://{closed}")]);
    assert_eq!(out.status.code(), Some(2));
    let message = text(&out.stderr);
    assert!(message.contains("offline") && message.contains("parity5.tsv.gz"), "{message}");
    assert!(out.stdout.is_empty());
}

#[test]
fn bad_usage_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (args, word) in [
        (&["fetch", "sudokku"][..], "sudoku"),
        (&["fetch", "--mirror", "ftp://x"], "https://"),
        (&["verify", "nothing"], "satlib"),
        (&[], "Usage"),
    ] {
        let out = strat(dir.path(), args);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(text(&out.stderr).contains(word), "{args:?}: {}", text(&out.stderr));
    }
}
