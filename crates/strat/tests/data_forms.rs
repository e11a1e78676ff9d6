//! What parsers accept and refuse, and what they say.

mod samples;

use samples::*;
use strat::internals::{Mark, dimacs, life, pmlb, satbench, spect, sudoku, tic_tac_toe};

/// The message of an error.
fn refused<T: std::fmt::Debug, E: std::fmt::Display>(done: Result<T, E>, words: &[&str]) {
    let message = done.map(|rows| format!("{rows:?}")).map_err(|e| e.to_string()).expect_err("is refused");
    for word in words {
        assert!(message.contains(word), "no {word:?} in {message:?}");
    }
}

#[test]
fn dimacs_as_it_is_found() {
    let clauses = [vec![1, -2, 3], vec![-4, 2], vec![4, -1, 3]];
    let read = |text: &str| dimacs::parse("f.cnf", text.as_bytes());
    let formula = read(&dimacs()).unwrap();
    assert_eq!((formula.variables, &formula.clauses[..]), (4, &clauses[..]));
    // Written and read again.
    assert_eq!(read(&formula.to_string()).unwrap(), formula);
    // All on one line; an empty clause that is meant; nothing at all.
    assert_eq!(read("p cnf 4 3\n1 -2 3 0 -4 2 0 4 -1 3 0").unwrap(), formula);
    assert_eq!(read("p cnf 1 2\n1 0\n0\n").unwrap().clauses, [vec![1], vec![]]);
    assert_eq!(read("p cnf 0 0\n").unwrap().clauses.len(), 0);
    // Lines of blanks that are not ASCII: a vertical tab, a no-break space.
    assert_eq!(read("\u{b}\np cnf 1 1\n\u{a0}\n1 0\n").unwrap().clauses, [vec![1]]);
}

#[test]
fn dimacs_that_is_wrong_is_refused_with_its_line() {
    let refuse = |text: &str, words: &[&str]| refused(dimacs::parse("f.cnf", text.as_bytes()), words);
    refuse("p cnf 2 3\n1 0\n2 0\n", &["f.cnf:1:", "3 clauses are announced", "there are 2"]);
    refuse("p cnf 2 1\n1 0\n2 0\n", &["f.cnf:1:", "1 clauses are announced", "there are 2"]);
    refuse("p cnf 2 1\nc\n1 3 0\n", &["f.cnf:3:", "\"3\"", "at most 2"]);
    refuse("p cnf 2 1\n1 two 0\n", &["f.cnf:2:", "\"two\""]);
    refuse("p cnf 2 1\n1 2\n", &["f.cnf:2:", "no 0 at the end"]);
    refuse("1 2 0\n", &["f.cnf:1:", "no header"]);
    refuse("", &["f.cnf:1:", "no header"]);
    refuse("p cnf 2 1\np cnf 2 1\n1 0\n", &["f.cnf:2:", "\"p\""]);
    refuse("p cnf x 1\n", &["f.cnf:1:", "p cnf VARIABLES CLAUSES"]);
    refuse("p cnf 2 1 9\n1 0", &["f.cnf:1:", "p cnf VARIABLES CLAUSES"]);
    refuse("p cnf 4000000000 1\n1 0\n", &["f.cnf:1:", "far more variables"]);
    refuse("p cnf 1 18446744073709551615\n1 0\n", &["f.cnf:1:", "there are 1"]);
    refuse("p cnf 1 1\n-2147483648 0\n", &["f.cnf:2:"]);
}

#[test]
fn formulas_come_in_order_of_their_numbers() {
    let formula = |n: i32| format!("p cnf 200 1\n{n} 0\n%\n0\n");
    let texts = [("uf20-01.cnf", formula(1)), ("uf20-010.cnf", formula(10)), ("x/uf20-0100.cnf", formula(100))];
    let more = [("uf20-02.cnf", formula(2)), ("readme", "no formula".into())];
    let entries: Vec<(&str, &[u8])> = texts.iter().chain(&more).map(|(n, t)| (*n, t.as_bytes())).collect();
    let formulas = dimacs::parse_archive("u.tar.gz", &gzip(&tar(&entries))).unwrap();
    assert_eq!(formulas.iter().map(|f| f.clauses[0][0]).collect::<Vec<_>>(), [1, 2, 10, 100]);
    let wrong = tar(&[("a/uf20-07.cnf", b"p cnf 1 1\n2 0\n")]);
    refused(dimacs::parse_archive("u.tar", &wrong), &["u.tar/uf20-07.cnf:2:", "\"2\""]);
}

#[test]
fn satbench_reads_numbers_and_its_readable_form() {
    let read = |text: &str| satbench::parse("b.jsonl", text.as_bytes());
    let formulas = read(&satbench()).unwrap();
    assert_eq!(formulas[0].0.clauses, [vec![1, -2], vec![3, 4]]);
    assert_eq!(formulas[1].0.clauses, [vec![-2, 3], vec![4]]);
    assert_eq!((formulas[0].1, formulas[1].1, formulas[1].0.variables), (true, false, 4));
    let row = |vars: &str, clauses: &str| {
        format!("\n{{\"num_vars\": {vars}, \"num_clauses\": 1, \"satisfiable\": true, {clauses}}}")
    };
    refused(read(&row("2", "\"clauses\": [[3]]")), &["b.jsonl:2:", "\"3\"", "at most 2"]);
    refused(read(&row("2", "\"clauses\": [[0]]")), &["b.jsonl:2:", "\"0\""]);
    refused(read(&row("2", "\"clauses\": []")), &["b.jsonl:2:", "there are 0"]);
    refused(read(&row("2", "\"x\": 1")), &["b.jsonl:2:", "clauses"]);
    refused(read(&row("999999999999", "\"clauses\": [[1]]")), &["b.jsonl:2:", "num_vars"]);
    refused(read(&row("4", "\"dims\": [2, 2], \"readable\": \"(x(0,2))\"")), &["b.jsonl:2:", "x(0,2)", "dims"]);
    refused(read("{\"num_vars\": 1"), &["b.jsonl:1:", "column", "EOF"]);
    refused(read("{\"num_vars\": 1}"), &["b.jsonl:1:", "num_clauses"]);
}

#[test]
fn sudoku_keeps_the_rules() {
    let read = |text: &str| sudoku::parse("s.csv", text.as_bytes());
    let good = sudoku();
    assert_eq!(read(&good).unwrap().len(), 5);
    assert_eq!(read(&good).unwrap()[0].to_string(), good.lines().next().unwrap());
    assert_eq!(read(&format!("puzzle,solution\n{good}")).unwrap().len(), 5);
    assert_eq!(sudoku::parse("s.csv.xz", &xz(good.as_bytes())).unwrap(), read(&good).unwrap());
    let mut lines: Vec<String> = good.lines().map(str::to_string).collect();
    lines[1].replace_range(83..85, "32"); // two cells of the first row swapped: columns break
    refused(read(&lines.join("\n")), &["s.csv:2:", "solution", "once in every row, column and box"]);
    lines[1] = format!("9{}", &good.lines().next().unwrap()[1..]);
    refused(read(&lines.join("\n")), &["s.csv:2:", "equal to the puzzle"]);
    refused(read("12,34"), &["s.csv:1:", "puzzle", "81 digits"]);
    refused(read("1"), &["s.csv:1:", "1 fields", "2"]);
}

#[test]
fn life_has_two_forms_with_the_same_rows() {
    let json = life::parse("l.jsonl", life_jsonl().as_bytes()).unwrap();
    assert_eq!(json, life::parse("l.csv", life_csv().as_bytes()).unwrap());
    assert_eq!(json.len(), 2);
    let broken = life_csv().replacen(",000000000000001110", ",000000000000001100", 1);
    refused(life::parse("l.csv", broken.as_bytes()), &["l.csv:2:", "B3/S23"]);
    refused(life::parse("l.jsonl", life_jsonl().replace("*", "#").as_bytes()), &["l.jsonl:1:", ". or *"]);
    refused(life::parse("l.jsonl", life_jsonl().replace("```", "'''").as_bytes()), &["l.jsonl:1:", "three fenced"]);
}

#[test]
fn tables_and_boards_name_the_field() {
    let table = pmlb::parse("p.tsv", pmlb().as_bytes()).unwrap();
    assert_eq!((table.columns, table.target), (vec!["Bit 1".into(), "Bit 2".into()], vec![0, 1, 1, -3]));
    assert_eq!(table.rows[2], [1, 0]);
    refused(pmlb::parse("p.tsv", b"a\tb\n1\t2\n"), &["p.tsv:1:", "target"]);
    refused(pmlb::parse("p.tsv", b""), &["p.tsv:1:", "target"]);
    refused(pmlb::parse("p.tsv", b"a\ttarget\n1\t2\n1\n"), &["p.tsv:3:", "1 fields", "2"]);
    refused(pmlb::parse("p.tsv", b"a\ttarget\n1\t2\n0.5\t1\n"), &["p.tsv:3:", "a is \"0.5\"", "whole number"]);
    refused(spect::parse("h", spect().replacen(",1", ",2", 1).as_bytes()), &["h:2:", "F1 is \"2\""]);
    refused(tic_tac_toe::parse("t", b"x,x,x,o,o,b,b,b,q,positive"), &["t:1:", "square 9 is \"q\""]);
    refused(tic_tac_toe::parse("t", b"x,x,x,o,o,b,b,b,b,won"), &["t:1:", "class is \"won\""]);
    refused(tic_tac_toe::parse("t", b"x,x,b,o,o,x,b,b,b,positive"), &["t:1:", "negative: x has no line"]);
    refused(tic_tac_toe::parse("t", b"x,x,\xff,o,o,b,b,b,b,positive"), &["t:1:", "UTF-8"]);
    refused(tic_tac_toe::parse("t.zip", &zip(&[("other", b"")])), &["t.zip", "no tic-tac-toe.data"]);
    let boards = tic_tac_toe::parse("t.zip", &zip(&[("tic-tac-toe.data", tic_tac_toe().as_bytes())])).unwrap();
    assert_eq!((boards.len(), boards.iter().filter(|b| b.1).count()), (958, 626));
    assert_eq!(boards[957].0.iter().filter(|&&m| m == Mark::Blank).count(), 0);
}
