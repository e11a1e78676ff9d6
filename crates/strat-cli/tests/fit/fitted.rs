//! Every command that reads a run, on what `strat fit --out` wrote: it works, or says what to use instead.

use super::{SWITCHES, out, strat};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use tempfile::TempDir;

/// Folders `run` of a table with eight inputs, and `wide` of one with too many to ask for all of them.
static FITTED: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("lamp.csv"), SWITCHES).unwrap();
    out(at, &["fit", "lamp.csv", "--target", "lamp", "--epochs", "300", "--learners", "4", "--out", "run"]);
    let names: Vec<String> = (0..13).map(|i| format!("c{i}")).collect();
    let row = |n: usize| (0..13).map(|i| (n >> (i % 3) & 1).to_string()).collect::<Vec<_>>().join(",");
    let rows: String = (0..8).map(|n| format!("{},{}\n", row(n), if n > 3 { "p" } else { "n" })).collect();
    std::fs::write(at.join("wide.csv"), format!("{},y\n{rows}", names.join(","))).unwrap();
    out(at, &["fit", "wide.csv", "--target", "y", "--epochs", "20", "--learners", "2", "--out", "wide"]);
    folder
});

/// What a command prints; nothing in it is no number.
fn sound(args: &[&str]) -> String {
    let text = out(FITTED.path(), args);
    assert!(!text.contains("NaN") && !text.contains("inf"), "{args:?}: {text}");
    text
}

fn json(args: &[&str]) -> Vec<serde_json::Value> {
    let args = [args, &["--json"]].concat();
    sound(&args).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn eval_is_of_the_rows_taught_or_of_a_file() {
    let taught = sound(&["eval", "run"]);
    assert!(
        taught.contains("the rows they were taught: 6 rows") && taught.contains("the vote    100.00 %"),
        "{taught}"
    );
    assert!(taught.contains("This says nothing about other rows"), "{taught}");
    // All eight inputs, one of them with the wrong answer.
    let rows = SWITCHES.replace("on,on,on,lit", "on,on,on,dark") + "off,on,off,dark\non,off,on,lit\n";
    std::fs::write(FITTED.path().join("all.csv"), rows).unwrap();
    let of_file = sound(&["eval", "run", "--data-file", "all.csv"]);
    assert!(of_file.contains("all.csv: 8 rows") && of_file.contains("the vote     87.50 %"), "{of_file}");
    let lines = json(&["eval", "run", "--data-file", "all.csv"]);
    assert_eq!((lines.len(), &lines[4]["vote"], &lines[4]["count"]), (5, &0.875.into(), &8.into()));
    let one = sound(&["eval", "run", "--seed", "2"]);
    assert!(one.contains("seed 2") && !one.contains("seed 3") && !one.contains("the vote"), "{one}");
    for (name, table, words) in [
        ("no target", "left,middle,right\non,on,on\n", "no column \"lamp\""),
        ("other answer", "left,middle,right,lamp\non,on,on,dim\n", "row 2, column \"lamp\": \"dim\" is unknown"),
        ("other value", "left,middle,right,lamp\non,up,on,lit\n", "row 2, column \"middle\": \"up\" is unknown"),
        ("no rows", "left,middle,right,lamp\n", "no rows"),
    ] {
        std::fs::write(FITTED.path().join("odd.csv"), table).unwrap();
        let refused = strat(FITTED.path(), &["eval", "run", "--data-file", "odd.csv"]);
        let error = String::from_utf8(refused.stderr).unwrap();
        assert!(refused.status.code() == Some(2) && error.contains(words), "{name}: {error}");
    }
    let refused = strat(FITTED.path(), &["eval", "run", "--split", "ood"]);
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(2) && error.contains("have no test sets"), "{error}");
}

#[test]
fn inspect_says_what_was_learned() {
    let all = sound(&["inspect", "run"]);
    assert!(all.contains("The population: what it has learned (its answers to all 8 inputs there are)"), "{all}");
    assert!(all.contains("its rule: lit if at least 2 of left, middle, right are on"), "{all}");
    assert!(all.contains("4 learners") && all.matches("100.0 %").count() >= 4, "{all}");
    assert!(all.contains("how often it is right on other rows is not said here"), "{all}");
    let one = sound(&["inspect", "run", "--seed", "3"]);
    assert!(one.contains("STRAT, seed 3: what it has learned"), "{one}");
    assert!(sound(&["inspect", "run", "--seed", "1", "--example", "on, off, on"]).contains("lit"));
    assert!(sound(&["inspect", "run", "--seed", "1", "--example", "base:1"]).contains("right is lit"));
    let lines = json(&["inspect", "run"]);
    assert_eq!(
        (lines.len(), &lines[1]["seed"], &lines[1]["metrics"]["taught_accuracy"]),
        (4, &2.into(), &1.0.into())
    );
    assert!(lines[0]["matters"]["left"].as_f64().unwrap() > 0.0);
    let wide = sound(&["inspect", "wide"]);
    assert!(wide.contains("inputs, those of the table and others drawn"), "{wide}");
}

#[test]
fn certify_asks_for_every_input_and_compares_with_the_rows() {
    let all = sound(&["certify", "run"]);
    assert_eq!(all.matches("answers all 6 rows as the table does").count(), 6, "{all}");
    assert!(all.contains("the mixture: answers all 6 rows as the table does"), "{all}");
    assert!(all.contains("its rule, on all 8 inputs: lit if at least 2 of left, middle, right are on"), "{all}");
    assert!(all.contains("what is right on other inputs, the table does not say"), "{all}");
    let lines = json(&["certify", "run"]);
    assert_eq!((lines.len(), &lines[0]["inputs"], &lines[0]["as_the_table"]), (6, &8.into(), &true.into()));
    assert!(lines[4]["seed"].is_null());
    assert_eq!(
        (&lines[0]["who"], &lines[4]["who"], &lines[5]["who"]),
        (&"learner".into(), &"vote".into(), &"mixture".into())
    );
    let refused = strat(FITTED.path(), &["certify", "wide"]);
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(
        refused.status.code() == Some(2) && error.contains("strat inspect") && error.contains("strat eval"),
        "{error}"
    );
}

/// Learners that have not learned a row say so, and the exit code too.
#[test]
fn certify_names_rows_that_are_answered_otherwise() {
    let at = FITTED.path();
    std::fs::write(at.join("lamp1.csv"), SWITCHES).unwrap();
    out(at, &["fit", "lamp1.csv", "--target", "lamp", "--epochs", "1", "--learners", "2", "--out", "short"]);
    let certified = strat(at, &["certify", "short"]);
    let text = String::from_utf8(certified.stdout).unwrap();
    assert_eq!(certified.status.code(), Some(1), "{text}");
    assert!(text.contains("of 6 rows otherwise than the table") && text.contains("\n  row "), "{text}");
}

#[test]
fn microscope_and_report_show_rows_of_the_table() {
    for run in ["run", "wide"] {
        let page = FITTED.path().join(format!("{run}.html"));
        let html = page.to_str().unwrap();
        assert!(sound(&["microscope", run, "--html", html]).contains("1 learner on 2 examples"));
        let text = std::fs::read_to_string(&page).unwrap();
        // What is no number is null in JSON.
        assert!(text.contains("base:1") && !text.contains("[null") && !text.contains(",null"));
        sound(&[
            "microscope",
            run,
            "--seed",
            "1",
            "--seed",
            "2",
            "--example",
            "base:3",
            "--snapshots",
            "3",
            "--html",
            html,
        ]);
        sound(&["report", run, "--html", html]);
        assert!(!std::fs::read_to_string(&page).unwrap().contains("NaN"));
        sound(&["report", run, "--markdown"]);
    }
}

#[test]
fn serve_shows_rows_of_the_table() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_strat"));
    command.args(["serve", "run"]).current_dir(FITTED.path()).stdout(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").expect("an address");
    let (host, path) = address.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut page = String::new();
    let read = stream.read_to_string(&mut page);
    server.kill().unwrap();
    server.wait().unwrap();
    read.unwrap();
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("a row of the table") && page.contains("base:1"));
    assert!(!page.contains("[null") && !page.contains(",null"));
}

/// What was learned from a table becomes the program that `strat export` writes; it is no run.
#[test]
fn crystallize_writes_a_program() {
    let program = out(FITTED.path(), &["crystallize", "run"]);
    assert!(program.contains("# The rule: lit if ") && program.contains("def predict(row):"), "{program}");
    assert_eq!(program, out(FITTED.path(), &["export", "run", "--as", "python"]));
    let refused = strat(FITTED.path(), &["crystallize", "run", "--out", "exact"]);
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(2) && error.contains("`strat export run --as python`"), "{error}");
}
