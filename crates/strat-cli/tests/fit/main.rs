//! `strat fit` and `strat predict` of a table as a user meets them.

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

#[test]
fn a_rule_is_learned_from_a_table_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("lamp.csv"), SWITCHES).unwrap();
    let page =
        out(at, &["fit", "lamp.csv", "--target", "lamp", "--epochs", "400", "--learners", "8", "--out", "run"]);
    assert!(page.contains("8 of 8 learners answer every row as the table does"), "{page}");
    assert!(page.contains("its rule: lit if at least 2 of left, middle, right are on"), "{page}");
    assert!(page.contains("Columns by how often") && page.contains("row 2: "), "{page}");
    // The same for programs.
    let lines = out(at, &["fit", "lamp.csv", "--target", "lamp", "--epochs", "400", "--learners", "8", "--json"]);
    let found: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(found["rule"], "lit if at least 2 of left, middle, right are on", "{found}");
    assert_eq!((&found["inputs"], &found["matters"]["left"]), (&8.into(), &0.5.into()), "{found}");
    assert_eq!(found["changes"].as_array().unwrap().len(), 6, "{found}");
    // Given again, nothing is learned anew, and the page is the same.
    let args = ["fit", "lamp.csv", "--target", "lamp", "--epochs", "400", "--learners", "8", "--out", "run"];
    assert_eq!(out(at, &args), page);

    std::fs::write(at.join("new.csv"), "name;right;left;middle\na;off;off;on\nb;on;on;off\n").unwrap();
    let answers = out(at, &["predict", "run", "new.csv"]);
    let lines: Vec<&str> = answers.lines().collect();
    assert_eq!(lines[0], "name;right;left;middle;prediction;confidence");
    assert!(lines[1].starts_with("a;off;off;on;dark;0.") || lines[1] == "a;off;off;on;dark;1.000", "{answers}");
    assert!(lines[2].starts_with("b;on;on;off;lit;") && lines.len() == 3, "{answers}");
    let lines = out(at, &["predict", "run", "new.csv", "--json"]);
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&first["name"], &first["prediction"]), (&"a".into(), &"dark".into()), "{lines}");
    std::fs::write(at.join("odd.csv"), "left,middle,right\non,on,on\non,broken,off\noff,on,off\n").unwrap();
    let stopped = strat(at, &["predict", "run", "odd.csv"]);
    assert_eq!(stopped.status.code(), Some(2));
    assert_eq!(String::from_utf8(stopped.stdout).unwrap().lines().count(), 2, "what was known before is answered");
    let error = String::from_utf8(stopped.stderr).unwrap();
    assert!(
        error.contains("row 3, column \"middle\": \"broken\" is unknown") && error.contains("off, on"),
        "{error}"
    );
    let answers = out(at, &["predict", "run", "odd.csv", "--on-unknown", "abstain"]);
    assert!(answers.contains("\non,broken,off,,\n"), "{answers}");
    // A table that has changed is another, and takes the place of the first if it is told to.
    std::fs::write(at.join("lamp.csv"), format!("{SWITCHES}off,on,off,dark\n")).unwrap();
    let changed = strat(at, &args);
    assert_eq!(changed.status.code(), Some(2));
    assert!(String::from_utf8(changed.stderr).unwrap().contains("--fresh"));
    out(at, &[&args[..], &["--fresh"]].concat());
    // Other commands read the run like any other.
    assert!(out(at, &["inspect", "run", "--seed", "1", "--example", "on, off, on"]).contains("lit"));
    out(at, &["report", "run", "--html", "page.html"]);
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
    assert_eq!(next(), "left,middle,right,prediction,confidence");
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
    assert!(page.contains("its rule: p if at least 2 of a, b, c, d are 1"), "{page}");
    std::fs::write(at.join("t.csv"), format!("{rows}1,0,1,0,n\n")).unwrap();
    let refused = fit(&["--interchangeable", "a,b,c,d"]);
    let error = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(error.contains("rows 2 and 7 are the same row by what you know"), "{error}");
}

/// A name, the file, options, and what the message should have.
type Malformed = (&'static str, Vec<u8>, &'static [&'static str], &'static [&'static str]);

/// Twenty tables that cannot be learned, and what is said about each. Nothing panics, and nothing is written.
#[test]
fn malformed_tables_are_named_by_row_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let many = |n: usize, cell: &dyn Fn(usize) -> String| (0..n).map(cell).collect::<String>();
    let wide = many(600, &|i| format!("c{i},"));
    let open_quote = format!("a,y\n1,p\n\"0,n\n{}", "1,p\n".repeat(500));
    let tables: Vec<Malformed> = vec![
        ("empty", b"".to_vec(), &[], &["empty"]),
        ("blank lines", b"\n\n \n".to_vec(), &[], &["empty"]),
        ("header alone", b"a,y\n".to_vec(), &[], &["no rows"]),
        ("one column", b"y\np\nn\n".to_vec(), &[], &["one column"]),
        ("short row", b"a,y\n1,p\n0\n".to_vec(), &[], &["row 3", "1 columns"]),
        ("long row", b"a,y\n1,p\n0,n,7\n".to_vec(), &[], &["row 3", "3 columns", "has 2"]),
        ("same names", b"a,a,y\n1,1,p\n0,0,n\n".to_vec(), &[], &["columns 1 and 2", "\"a\""]),
        ("no target", b"a,b\n1,p\n0,n\n".to_vec(), &[], &["no column \"y\"", "\"a\", \"b\""]),
        ("one class", b"a,y\n1,p\n0,p\n".to_vec(), &[], &["\"y\" is \"p\" in every row"]),
        ("no classes", b"a,y\n1,\n0,?\n".to_vec(), &[], &["\"y\" has no value in any row"]),
        (
            "numbers as target",
            format!("a,y\n{}", many(40, &|i| format!("{},{}.5\n", i % 2, i))).into(),
            &[],
            &["\"y\" has 40"],
        ),
        ("constant columns", b"a,b,y\n1,x,p\n1,x,n\n".to_vec(), &[], &["no column is left", "\"a\"", "\"b\""]),
        (
            "numbers as columns",
            format!("a,y\n{}", many(40, &|i| format!("{}.5,{}\n", i, i % 2))).into(),
            &[],
            &["no column is left", "\"a\": has 40"],
        ),
        ("all contradict", b"a,y\n1,p\n1,n\n0,p\n0,n\n".to_vec(), &[], &["rows 2 and 3", "rows 4 and 5"]),
        ("not UTF-8", b"a,y\n1,p\n\xe9,n\n".to_vec(), &[], &["row 3", "0xe9"]),
        ("UTF-16", b"\xff\xfea\0,\0y\0".to_vec(), &[], &["UTF-16"]),
        ("binary", b"a,y\n1,p\n\0,n\n".to_vec(), &[], &["row 3", "byte 0"]),
        ("open quote", open_quote.into(), &[], &["quote", "row 3"]),
        ("short open quote", b"a,y\n1,p\n0,\"n\n1,p\n".to_vec(), &[], &["row 3: a quote is not closed"]),
        (
            "one class left",
            b"a,b,y\n1,0,p\n1,0,n\n0,0,n\n0,1,n\n".to_vec(),
            &[],
            &["\"y\" is \"n\" in every row", "rows 2 and 3"],
        ),
        ("long value", format!("a,y\n1,p\n{},n\n", "x".repeat(300)).into(), &[], &["\"a\"", "200 bytes"]),
        ("target left out", b"a,y\n1,p\n0,n\n".to_vec(), &["--irrelevant", "y"], &["\"y\" is the target"]),
        ("too wide", format!("{wide}y\n").into(), &[], &["601 columns"]),
        ("broken gzip", b"\x1f\x8b\x08\0\0\0\0\0\0\0\0broken".to_vec(), &[], &["table.csv"]),
        ("no such column", b"a,y\n1,p\n0,n\n".to_vec(), &["--irrelevant", "q"], &["no column \"q\""]),
        (
            "other values",
            b"a,b,y\n1,x,p\n0,z,n\n".to_vec(),
            &["--cyclic", "a,b"],
            &["\"a\" and \"b\"", "0/1", "x/z"],
        ),
        ("not two values", b"a,y\n1,p\n0,n\n2,n\n".to_vec(), &["--flip-together", "a"], &["\"a\" has 3 values"]),
    ];
    assert!(tables.len() >= 20);
    for (name, bytes, more, words) in tables {
        std::fs::write(at.join("table.csv"), bytes).unwrap();
        let args = [&["fit", "table.csv", "--target", "y", "--out", "run"][..], more].concat();
        let said = strat(at, &args);
        let error = String::from_utf8(said.stderr).unwrap();
        assert_eq!((said.status.code(), said.stdout.len()), (Some(2), 0), "{name}: {error}");
        assert!(!error.contains("panicked"), "{name}: {error}");
        assert!(words.iter().all(|w| error.contains(w)), "{name}: {error}");
        assert!(!at.join("run").exists(), "{name}");
    }
    assert_eq!(strat(at, &["fit", "nowhere.csv", "--target", "y"]).status.code(), Some(2));
}
