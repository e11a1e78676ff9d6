//! `strat fit`, and what follows it, as a user meets them.
//!
//! - [`malformed`]: tables that cannot be learned
//! - [`fitted`]: every command that reads a run, on what `strat fit --out` wrote
//! - [`code`]: what was learned as a function of another language
//! - [`honest`]: nothing is claimed that random labels would overturn, and no table commands the terminal

mod code;
mod fitted;
mod honest;
mod malformed;
#[path = "../../../strat/tests/common/require.rs"]
mod require;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

fn strat(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_strat"));
    command.args(args).current_dir(folder).env_remove("STRAT_ISA").output().unwrap()
}

fn out(folder: &Path, args: &[&str]) -> String {
    let out = strat(folder, args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// Whether three switches have at least two on; all but two of the eight rows.
const SWITCHES: &str = "left,middle,right,lamp\non,on,on,lit\non,on,off,lit\noff,on,on,lit\noff,off,off,dark\n\
                        on,off,off,dark\noff,off,on,dark\n";

/// The same rule; of these rows no switch alone tells it.
const NOT_ALONE: &str = "left,middle,right,lamp\non,on,off,lit\noff,on,on,lit\non,off,on,lit\non,off,off,dark\n\
                         off,on,off,dark\noff,off,on,dark\n";

#[test]
fn a_rule_is_learned_from_a_table_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("lamp.csv"), NOT_ALONE).unwrap();
    let page =
        out(at, &["fit", "lamp.csv", "--target", "lamp", "--epochs", "400", "--learners", "8", "--out", "run"]);
    assert!(page.contains("8 of 8 learners answer every row as the table does"), "{page}");
    // Six rows cannot tell a rule from luck.
    assert!(page.contains("\n  no rule is told: on rows left out ") && !page.contains("its rule"), "{page}");
    assert!(page.contains("Columns by how often") && page.contains("row 2: "), "{page}");
    // The same for programs.
    let lines = out(at, &["fit", "lamp.csv", "--target", "lamp", "--epochs", "400", "--learners", "8", "--json"]);
    let found: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert!(found["rule"].is_null() && found["rule_tree"].is_null(), "{found}");
    assert!(found["why_no_rule"].as_str().unwrap().contains("not clearly better"), "{found}");
    assert_eq!((&found["inputs"], &found["matters"]["left"]), (&8.into(), &0.5.into()), "{found}");
    assert_eq!(found["changes"].as_array().unwrap().len(), 6, "{found}");
    // Given again, nothing is learned anew, and the page is the same.
    let args = ["fit", "lamp.csv", "--target", "lamp", "--epochs", "400", "--learners", "8", "--out", "run"];
    assert_eq!(out(at, &args), page);

    std::fs::write(at.join("new.csv"), "name;right;left;middle\na;off;off;off\nb;on;on;on\n").unwrap();
    let answers = out(at, &["predict", "run", "new.csv"]);
    let lines: Vec<&str> = answers.lines().collect();
    assert_eq!(lines[0], "name;right;left;middle;prediction;probability;agreement");
    assert!(lines[1].starts_with("a;off;off;off;dark;0."), "{answers}");
    assert!(lines[2].starts_with("b;on;on;on;lit;") && lines.len() == 3, "{answers}");
    let lines = out(at, &["predict", "run", "new.csv", "--json"]);
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&first["name"], &first["prediction"]), (&"a".into(), &"dark".into()), "{lines}");
    std::fs::write(at.join("odd.csv"), "left,middle,right\non,on,on\non,broken,off\noff,on,off\n").unwrap();
    let answers = out(at, &["predict", "run", "odd.csv", "--at-least", "0.999", "--probabilities"]);
    assert!(answers.contains(",p(dark),p(lit)\n") && answers.contains("\non,broken,off,,0."), "{answers}");
    let stopped = strat(at, &["predict", "run", "odd.csv", "--on-unknown", "fail"]);
    assert_eq!(stopped.status.code(), Some(2));
    assert_eq!(String::from_utf8(stopped.stdout).unwrap().lines().count(), 2, "what was known before is answered");
    let error = String::from_utf8(stopped.stderr).unwrap();
    assert!(
        error.contains("row 3, column \"middle\": \"broken\" is unknown") && error.contains("off, on"),
        "{error}"
    );
    let answers = out(at, &["predict", "run", "odd.csv", "--on-unknown", "abstain"]);
    assert!(answers.contains("\non,broken,off,,,\n"), "{answers}");
    // A table that has changed is another. It is learned in a folder beside the first, which stays as it is.
    std::fs::write(at.join("lamp.csv"), format!("{NOT_ALONE}off,off,off,dark\n")).unwrap();
    let changed = strat(at, &args);
    assert_eq!(changed.status.code(), Some(2));
    assert!(String::from_utf8(changed.stderr).unwrap().contains("--fresh"));
    let before = std::fs::read(at.join("run/manifest.json")).unwrap();
    let fresh = strat(at, &[&args[..], &["--fresh"]].concat());
    assert!(fresh.status.success() && String::from_utf8(fresh.stderr).unwrap().contains("New folder: run-2"));
    assert!(std::fs::read(at.join("run/manifest.json")).unwrap() == before && at.join("run-2").is_dir());
    let help = out(at, &["fit", "--help"]);
    assert!(help.contains("new folder beside") && !help.to_lowercase().contains("replace"), "{help}");
}

/// What is printed is in the JSON too, and the table may come through a pipe.
#[test]
fn a_script_hears_all_and_needs_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let table = SWITCHES.replace("left,", "day,left,").replace("\no", "\nmonday,o");
    let mut command = Command::new(env!("CARGO_BIN_EXE_strat"));
    command.args(["fit", "-", "--target", "lamp", "--epochs", "40", "--learners", "2", "--json", "--out", "run"]);
    command.current_dir(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(table.as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    let heard = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success() && heard.contains("standard input: this will take about"), "{heard}");
    let lines = String::from_utf8(done.stdout).unwrap();
    let found: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(found["notes"], serde_json::json!(["\"day\": is \"monday\" in every row; left out"]), "{found}");
    assert!(found["estimated_seconds"].as_f64().unwrap() > 0.0, "{found}");
    assert_eq!((&found["rows"], &found["learners"]), (&6.into(), &2.into()), "{found}");
    assert!(found["learners_right_on_every_row"].as_u64().unwrap() <= 2, "{found}");
    assert!(found["held_out"]["parts"][0]["title"].is_string(), "{found}");
    std::fs::write(folder.path().join("new.csv"), "left,middle,right\non,on,on\n").unwrap();
    assert_eq!(out(folder.path(), &["predict", "run", "new.csv"]).lines().count(), 2);
    // Nothing comes.
    let mut command = Command::new(env!("CARGO_BIN_EXE_strat"));
    let nothing = command.args(["fit", "-", "--target", "y"]).stdin(Stdio::null()).output().unwrap();
    let error = String::from_utf8(nothing.stderr).unwrap();
    assert!(nothing.status.code() == Some(2) && error.contains("standard input: is empty"), "{error}");
}

/// A row for a row, in their order, also for one with nothing in it; cells as they were.
#[test]
fn every_row_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("lamp.csv"), SWITCHES).unwrap();
    out(at, &["fit", "lamp.csv", "--target", "lamp", "--epochs", "50", "--learners", "2", "--out", "run"]);
    for end in ["\n", "\r\n"] {
        let rows =
            ["id,left,middle,right", "1,on,on,on", ",,,", "2, off ,on,\"on\"", "\"\",,,", "3,off,off,off", ",,,"];
        std::fs::write(at.join("new.csv"), rows.join(end)).unwrap();
        let answers = out(at, &["predict", "run", "new.csv", "--on-unknown", "abstain"]);
        let lines: Vec<&str> = answers.lines().collect();
        assert_eq!(lines.len(), rows.len(), "{answers}");
        assert!(lines[1].starts_with("1,on,on,on,") && lines[3].starts_with("2, off ,on,on,"), "{answers}");
        assert!([2, 4, 6].iter().all(|&i| lines[i] == ",,,,,,"), "{answers}");
        let json = out(at, &["predict", "run", "new.csv", "--on-unknown", "abstain", "--json"]);
        assert_eq!(json.lines().count(), rows.len() - 1, "{json}");
        // The row is named by its line, however lines end.
        let stopped = strat(at, &["predict", "run", "new.csv", "--on-unknown", "fail"]);
        let error = String::from_utf8(stopped.stderr).unwrap();
        assert!(
            stopped.status.code() == Some(2) && error.contains("row 3, column \"left\": \"\" is unknown"),
            "{error}"
        );
    }
}

/// A row that comes through a pipe is answered before the next has come.
#[test]
fn answers_come_as_rows_do() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("lamp.csv"), SWITCHES).unwrap();
    out(at, &["fit", "lamp.csv", "--target", "lamp", "--epochs", "100", "--learners", "2", "--out", "run"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_strat"));
    command.args(["predict", "run", "-"]).current_dir(at).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut rows, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (said, heard) = mpsc::channel();
    let reader = thread::spawn(move || {
        BufReader::new(answers).lines().map_while(Result::ok).for_each(|line| said.send(line).unwrap());
    });
    let next = || heard.recv_timeout(Duration::from_secs(180)).expect("an answer");
    // The header is answered with the first row.
    write!(rows, "left,middle,right\non,on,on\n").unwrap();
    assert_eq!(next(), "left,middle,right,prediction,probability,agreement");
    assert!(next().starts_with("on,on,on,"));
    for row in ["off,off,off\n", "on,off,off\r\n", "off,on,off\r\n"] {
        write!(rows, "{row}").unwrap();
        assert!(next().starts_with(row.trim()));
    }
    drop(rows);
    assert!(child.wait().unwrap().success());
    reader.join().unwrap();
}

/// With symmetries four rows are enough; what they contradict is shown.
#[test]
fn what_the_user_knows_helps_and_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let rows = "a,b,c,d,y\n1,1,0,0,p\n0,0,0,1,n\n1,1,1,0,p\n0,0,0,0,n\n1,1,1,1,p\n";
    std::fs::write(at.join("t.csv"), rows).unwrap();
    let quick = ["--target", "y", "--epochs", "300", "--learners", "4"];
    let fit = |more: &[&str]| strat(at, &[&["fit", "t.csv"][..], &quick[..], more].concat());
    let page = String::from_utf8(fit(&["--interchangeable", "a,b,c,d"]).stdout).unwrap();
    assert!(page.contains("all 16 inputs there are") && page.contains("no rule is told: "), "{page}");
    std::fs::write(at.join("t.csv"), format!("{rows}1,0,1,0,n\n")).unwrap();
    let refused = fit(&["--interchangeable", "a,b,c,d"]);
    let error = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(error.contains("rows 2 and 7 are the same row by what you know"), "{error}");
}

/// Rows contradict each other; the weights decide, and other weights decide otherwise.
#[test]
fn a_row_may_count_for_several() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (often, seldom) in [(9, 1), (1, 9)] {
        let table = format!("a,w,y\n1,{often},p\n1,{seldom},n\n0,{seldom},p\n0,{often},n\n");
        std::fs::write(at.join("table.csv"), table).unwrap();
        let args = ["--epochs", "150", "--learners", "2", "--no-held-out", "--weight", "w", "--out", "run"];
        out(at, &[&["fit", "table.csv", "--target", "y"], &args[..]].concat());
        std::fs::write(at.join("new.csv"), "a\n1\n0\n").unwrap();
        let said = out(at, &["predict", "run", "new.csv"]);
        let answers: Vec<&str> = said.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
        assert_eq!(answers, if often > seldom { ["p", "n"] } else { ["n", "p"] }, "{said}");
        std::fs::remove_dir_all(at.join("run")).unwrap();
    }
    std::fs::write(at.join("wrong.csv"), "a,w,y\n1,1,p\n0,half,n\n").unwrap();
    let said = strat(at, &["fit", "wrong.csv", "--target", "y", "--weight", "w"]);
    let words = String::from_utf8_lossy(&said.stderr);
    assert!(
        said.status.code() == Some(2) && words.contains("row 3, column \"w\": \"half\" is no weight"),
        "{words}"
    );
}
