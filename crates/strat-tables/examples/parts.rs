//! What every method says of rows left out and of test rows: for choosing weights and temperatures without learning again.
//!
//!     cargo run --release -p strat-tables --example parts -- FOLDER …
//!
//! Each folder has `train.csv` and `test.csv` of `benchsuite/tables/splits.py`, the last column the class. A line of JSON for
//! each: the folder, classes and parts of the training rows, classes of the test rows, and by method, row and class the
//! probabilities, held out and on the test rows. Choose on draws that no report uses.

use std::collections::BTreeSet;
use std::fmt::Write;
use strat_tables::{Frame, HeldOut, Kind, Method, folds};

const MISSING: [&str; 3] = ["", "?", "NA"];

fn random(tree: u32) -> Box<dyn FnMut() -> u32> {
    let mut state = u64::from(tree) + 1;
    Box::new(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    })
}

fn read(path: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    text.lines().skip(1).map(|line| line.split(',').map(String::from).collect()).collect()
}

/// Training rows and test rows, words and classes numbered as the training rows have them; classes that these lack come last.
fn frames(folder: &str) -> (Frame, Frame) {
    let [train, test] = ["train", "test"].map(|name| read(&format!("{folder}/{name}.csv")));
    let last = train[0].len() - 1;
    let words =
        |rows: &[Vec<String>], c: usize| rows.iter().map(|row| row[c].clone()).collect::<BTreeSet<String>>();
    let is_number = |text: &str| MISSING.contains(&text) || text.parse::<f64>().is_ok();
    let kinds: Vec<Kind> = (0..last)
        .map(|c| {
            if train.iter().all(|row| is_number(&row[c])) {
                Kind::Numbers
            } else {
                Kind::Words(words(&train, c).into_iter().filter(|w| !MISSING.contains(&&**w)).collect())
            }
        })
        .collect();
    let mut classes: Vec<String> = words(&train, last).into_iter().collect();
    let learned = classes.len();
    classes.extend(
        words(&test, last).into_iter().filter(|class| !classes[..learned].contains(class)).collect::<Vec<_>>(),
    );
    let cell = |c: usize, text: &str| match &kinds[c] {
        Kind::Numbers => text.parse().unwrap_or(f64::NAN),
        Kind::Words(words) => words.iter().position(|w| w == text).map_or(f64::NAN, |i| i as f64),
    };
    let place = |class: &String| classes.iter().position(|c| c == class).expect("it is among these");
    let frame = |rows: &[Vec<String>]| Frame {
        kinds: kinds.clone(),
        rows: rows.iter().map(|row| (0..last).map(|c| cell(c, &row[c])).collect()).collect(),
        labels: rows.iter().map(|row| place(&row[last])).collect(),
        classes: learned,
    };
    (frame(&train), frame(&test))
}

fn list<T>(items: &[T], one: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(one).collect::<Vec<_>>().join(","))
}

fn main() {
    for folder in std::env::args().skip(1) {
        let (train, test) = frames(&folder);
        let n = train.rows.len();
        let mut order: Vec<usize> = (0..n).collect();
        let mut words = random(1000);
        (1..n).rev().for_each(|i| order.swap(i, words() as usize % (i + 1)));
        let parts = folds(&train.labels, if n > 40 { 5 } else { 10.min(n) }, &order);
        let turns = parts.iter().max().map_or(0, |most| most + 1);
        let held_out = HeldOut::of(&train, parts, turns, &random);
        let on_test: Vec<Vec<Vec<f64>>> = Method::ALL
            .iter()
            .map(|(method, _)| {
                let learned = method.fit(&train, &random);
                test.rows.iter().map(|row| learned.probabilities(row)).collect()
            })
            .collect();
        let probabilities =
            |said: &Vec<Vec<Vec<f64>>>| list(said, |rows| list(rows, |row| list(row, |p| format!("{p:.4}"))));
        let number = |n: &usize| n.to_string();
        let mut line = String::new();
        let _ = write!(
            line,
            r#"{{"folder":{folder:?},"labels":{},"parts":{},"test_labels":{},"held_out":{},"test":{}}}"#,
            list(&train.labels, number),
            list(&held_out.parts, number),
            list(&test.labels, number),
            probabilities(&held_out.said),
            probabilities(&on_test)
        );
        println!("{line}");
    }
}
