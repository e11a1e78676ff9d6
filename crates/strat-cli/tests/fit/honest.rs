//! Nothing is claimed that a control would overturn, and no table commands the terminal.

use super::{out, strat};
use std::fmt::Write;

/// A fair coin for each number.
fn coin(n: u64) -> bool {
    let mut x = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bf0_3635_dcb4_8f2d;
    for shift in [30, 27, 31] {
        x = (x ^ (x >> shift)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    x >> 63 == 1
}

/// Inputs of seven bits with answers that mean nothing, others for each draw.
fn random(range: std::ops::Range<u64>, draw: u64) -> String {
    let mut text = String::from("a,b,c,d,e,f,g,y\n");
    for n in range {
        // An odd factor: each input once, in no order.
        let input = (n * 37) % 128;
        let bits: Vec<String> = (0..7).map(|i| (input >> i & 1).to_string()).collect();
        let _ = writeln!(text, "{},{}", bits.join(","), if coin(n + 1000 * draw) { "yes" } else { "no" });
    }
    text
}

/// On random labels the probability is that of a coin, and no rule stands without how often rows left out are right.
#[test]
fn on_random_labels_nothing_is_claimed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let (mut right, mut probability, mut count) = (0.0, 0.0, 0.0);
    let mut said = vec![];
    for draw in 0..4 {
        std::fs::write(at.join("coins.csv"), random(0..40, draw)).unwrap();
        std::fs::write(at.join("others.csv"), random(40..128, draw)).unwrap();
        let run = format!("run{draw}");
        let quick = ["fit", "coins.csv", "--target", "y", "--epochs", "150", "--learners", "8", "--out", &run];
        said.push((out(at, &quick), out(at, &[&quick[..], &["--json"]].concat())));
        let answers = out(at, &["predict", &run, "others.csv", "--json"]);
        for line in answers.lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            right += f64::from(u8::from(row["prediction"] == row["y"]));
            probability += row["probability"].as_f64().unwrap();
            count += 1.0;
        }
    }
    let (right, probability) = (right / count, probability / count);
    // 352 coins are off by 0.03 one time in three.
    assert!(count == 352.0 && (right - probability).abs() < 0.15, "right {right}, probability {probability}");
    assert!(probability < 0.65, "{probability}");
    for (page, json) in &said {
        let found: serde_json::Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
        assert!(found["rule"].is_null() && page.contains("no rule is told"), "{page}");
        // Learners may know all rows by heart: beside this stands whether they have a say.
        let parts = found["held_out"]["parts"].as_array().unwrap();
        let has_say = parts.iter().any(|part| part["title"] == "STRAT");
        assert_eq!(has_say, !page.contains("They have no say in the answers"), "{page}");
        assert_eq!(page.matches("\n  most frequent class  ").count(), 1, "{page}");
    }
    let (page, json) = said.swap_remove(0);
    let found: serde_json::Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    let answers = out(at, &["predict", "run0", "others.csv", "--json"]);
    // What is said about the rule.
    assert!(page.contains(" % of rows left out, where the most frequent class is on "), "{page}");
    assert!(page.contains("that may be luck, so do not rely on it"), "{page}");
    assert_eq!(found["held_out"]["better_than_majority"], false, "{found}");
    assert!(page.contains("\n  no rule is told: ") && !page.contains("its rule"), "{page}");
    assert!(found["rule"].is_null() && found["rule_tree"].is_null(), "{found}");
    let csv = out(at, &["predict", "run0", "others.csv"]);
    let [fit, predict] = ["fit", "predict"].map(|command| out(at, &[command, "--help"]));
    for said in [page, json, answers, csv, fit, predict] {
        let said = said.to_lowercase();
        assert!(!said.contains("confiden"), "{said}");
    }
}

/// The opposite control: where there is a rule, the same words do not warn of it.
#[test]
fn a_real_rule_is_not_called_luck() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let rows: String = random(0..40, 0).lines().skip(1).fold("a,b,c,d,e,f,g,y\n".into(), |text, row| {
        let answer = if row.starts_with('1') { "yes" } else { "no" };
        text + &row[..14] + answer + "\n"
    });
    std::fs::write(at.join("first.csv"), rows).unwrap();
    let page = out(at, &["fit", "first.csv", "--target", "y", "--epochs", "150", "--learners", "8"]);
    assert!(page.contains("\n  its rule: yes if a is ") && page.contains("\n  right on "), "{page}");
    assert!(!page.contains("luck"), "{page}");
}

/// Without rows left out no rule is told, and the page says so.
#[test]
fn no_rule_is_told_that_was_not_tested() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("coins.csv"), random(0..128, 0)).unwrap();
    let args = ["fit", "coins.csv", "--target", "y", "--epochs", "150", "--learners", "3", "--no-held-out"];
    let page = out(at, &args);
    assert!(page.contains("\n  no rule is told: no rows were left out to test it\n"), "{page}");
    assert!(page.contains("how often it is right on other rows is not said here"), "{page}");
}

/// A title set, colours, a bell, a line that was never said: a table shows them and does not do them.
#[test]
fn a_table_cannot_command_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let (red, bell, title) = ("\u{1b}[31mred", "blue\u{7}\u{9b}2J", "yes\u{1b}]0;owned\u{7}");
    let (name, no) = ("col\u{1b}[2Jour", "no\nRight answers: 100.0 %");
    let mut table = format!("\"{name}\",\"size\r\nrow 9\",ok\u{202e}\n");
    for (colour, answer) in [(red, title), (bell, no)] {
        for size in ["small", "big\ttall"] {
            let _ = writeln!(table, "{colour},{size},\"{answer}\"");
        }
    }
    let file = "t\u{1b}[1m.csv";
    std::fs::write(at.join(file), &table).unwrap();
    std::fs::write(at.join("odd.csv"), table.replace("small", "\u{1b}c")).unwrap();
    let quick = ["--epochs", "60", "--learners", "2", "--out", "run\u{1b}[5m"];
    let target = ["--target", "ok\u{202e}"];
    let run = "run\u{1b}[5m";
    let mut said = vec![strat(at, &[&["fit", file], &target[..], &quick[..]].concat())];
    assert!(said[0].status.success(), "{}", String::from_utf8_lossy(&said[0].stderr));
    for args in [
        &["inspect", run][..],
        &["inspect", run, "--seed", "1"],
        &["inspect", run, "--json"],
        &["inspect", run, "--seed", "1", "--example", "base:1"],
        &["eval", run],
        &["eval", run, "--data-file", file],
        &["eval", run, "--data-file", "odd.csv"],
        &["certify", run],
        &["certify", run, "--json"],
        &["report", run, "--markdown"],
        &["microscope", run, "--html", "page.html"],
        &["fit", file, "--target", "\u{1b}[31m"],
        &["fit", file, "--target", "ok\u{202e}", "--cyclic", "\u{1b}x,y"],
        &["fit", file, "--target", "#1"],
    ] {
        said.push(strat(at, args));
    }
    let wrong = strat(at, &["predict", run, "odd.csv", "--on-unknown", "fail"]);
    assert_eq!(wrong.status.code(), Some(2));
    said.push(std::process::Output { stdout: vec![], ..wrong });
    for output in &said {
        for text in [&output.stdout, &output.stderr] {
            let text = String::from_utf8(text.clone()).unwrap();
            assert!(!text.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}'), "{text:?}");
            assert!(!text.contains("\nRight answers: 100.0 %") && !text.contains("panicked"), "{text}");
        }
    }
    // What is for programs is as it was.
    let csv = out(at, &["predict", run, file]);
    assert!(
        csv.contains(red) && csv.contains(bell) && csv.contains(title) && csv.contains(no) && csv.contains(name)
    );
    let json = out(at, &["predict", run, file, "--json"]);
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!((&first[name], &first["prediction"]), (&red.into(), &title.into()));
    let certified = out(at, &["certify", run, "--json"]);
    assert!(certified.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
}
