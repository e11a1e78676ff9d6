//! Labels needed for 95 % accuracy, asked for by disagreement and at random. A stand-in for `strat fit`: its mixture without
//! STRAT answers and asks.
//!
//!     cargo run --release -p strat-tables --example ask -- SEEDS FIRST STEP TABLE.csv …
//!
//! Each file is a whole table, its last column the class (`benchsuite/tables/ask.py` writes them and reads the answer). One
//! starts with FIRST rows and asks for STEP more at a time, out of all other rows. Where no answer would tell more than
//! the least that `strat fit` asks for, it draws at random as well, and says so. A line for each table: labels needed by asking
//! and at random, the share of the runs that needed no more than the first rows, and the share of the steps in which asking was
//! said not to help.

use rayon::prelude::*;
use std::collections::BTreeSet;
use strat_tables::{Classifier, Frame, HeldOut, Kind, Mixture, evidence, folds};

const MOST: usize = 100;
const TARGET: f64 = 0.95;
/// What an answer should tell, in nats, as in `fit::next`.
const LEAST: f64 = 0.01;
/// And how many times as much as a row drawn at random would.
const RATIO: f64 = 1.5;
/// Rows that accuracy is measured on.
const TESTED: usize = 300;

fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize) % below
    }
}

fn read(path: &str) -> Frame {
    let text = std::fs::read_to_string(path).expect("a file");
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let last = rows[0].len() - 1;
    let words = |c: usize| rows.iter().map(|row| row[c].to_string()).collect::<BTreeSet<String>>();
    let place = |all: &[String], word: &str| all.iter().position(|w| w == word).expect("seen above");
    let kinds: Vec<Kind> = (0..last)
        .map(|c| match rows.iter().all(|row| row[c].parse::<f64>().is_ok()) {
            true => Kind::Numbers,
            false => Kind::Words(words(c).into_iter().collect()),
        })
        .collect();
    let classes: Vec<String> = words(last).into_iter().collect();
    let cell = |c: usize, text: &str| match &kinds[c] {
        Kind::Numbers => text.parse().expect("checked above"),
        Kind::Words(words) => place(words, text) as f64,
    };
    Frame {
        rows: rows.iter().map(|row| (0..last).map(|c| cell(c, row[c])).collect()).collect(),
        labels: rows.iter().map(|row| place(&classes, row[last])).collect(),
        classes: classes.len(),
        kinds,
    }
}

/// Those who answer, with the weights that rows left out decide, and the probability that all is chance.
fn learn(frame: &Frame) -> (Mixture, f64) {
    let mut order: Vec<usize> = (0..frame.rows.len()).collect();
    let mut draw = random(1000);
    (1..order.len()).rev().for_each(|i| order.swap(i, draw(i + 1)));
    let parts = folds(&frame.labels, if order.len() > 40 { 5 } else { 10.min(order.len()) }, &order);
    let turns = parts.iter().max().map_or(0, |most| most + 1);
    let tested = HeldOut::of(frame, parts, turns, &words);
    let weights = tested.weights(&frame.labels);
    (Mixture::fit(frame, &weights, &words), tested.calibration(&frame.labels, evidence(frame, &words)).chance)
}

/// Random words for forests.
fn words(tree: u32) -> Box<dyn FnMut() -> u32> {
    let mut draw = random(u64::from(tree) + 2000);
    Box::new(move || draw(1 << 31) as u32 * 2)
}

fn accuracy(learned: &Mixture, frame: &Frame) -> f64 {
    let n = frame.rows.len().min(TESTED);
    let right = (0..n).filter(|&i| {
        let p = learned.probabilities(&frame.rows[i]);
        (0..p.len()).all(|c| p[c] <= p[frame.labels[i]])
    });
    right.count() as f64 / n as f64
}

/// The share of columns in which two rows are alike.
fn alike(frame: &Frame, ranges: &[f64], a: usize, b: usize) -> f64 {
    let near = |c: usize| match frame.kinds[c] {
        Kind::Words(_) => f64::from(u8::from(frame.rows[a][c] == frame.rows[b][c])),
        Kind::Numbers => 1.0 - (frame.rows[a][c] - frame.rows[b][c]).abs() / ranges[c],
    };
    (0..frame.kinds.len()).map(near).sum::<f64>() / frame.kinds.len() as f64
}

/// What a run came to.
#[derive(Default)]
struct Run {
    labels: usize,
    steps: usize,
    /// Steps in which no row would tell more than one drawn at random.
    without: usize,
}

fn run(frame: &Frame, (first, step): (usize, usize), seed: u64, asks: bool) -> Run {
    let mut draw = random(seed);
    let mut order: Vec<usize> = (0..frame.rows.len()).collect();
    (1..order.len()).rev().for_each(|i| order.swap(i, draw(i + 1)));
    let mut known: Vec<usize> = order.drain(..first).collect();
    let other = order.iter().position(|&i| frame.labels[i] != frame.labels[known[0]]);
    if known.iter().all(|&i| frame.labels[i] == frame.labels[known[0]]) {
        known[first - 1] = order.swap_remove(other.expect("two classes"));
    }
    let ranges: Vec<f64> = (0..frame.kinds.len())
        .map(|c| {
            let d = frame.distinct(c);
            (d[d.len() - 1] - d[0]).max(f64::MIN_POSITIVE)
        })
        .collect();
    let mut run = Run::default();
    while known.len() < MOST {
        let (learned, chance) = learn(&frame.select(&known));
        if accuracy(&learned, frame) >= TARGET {
            break;
        }
        run.steps += 1;
        let chosen = if asks { chosen(frame, (&learned, chance), &order, &ranges, step) } else { vec![] };
        if chosen.is_empty() {
            run.without += 1;
            known.extend(order.drain(..step));
        } else {
            order.retain(|i| !chosen.contains(i));
            known.extend(chosen);
        }
    }
    run.labels = known.len();
    run
}

/// Rows whose answers would tell most; none if no answer would tell much, or hardly more than one drawn at random.
fn chosen(
    frame: &Frame,
    (learned, chance): (&Mixture, f64),
    order: &[usize],
    ranges: &[f64],
    count: usize,
) -> Vec<usize> {
    let tells = |&i: &usize| (i, (1.0 - chance) * learned.disagreement(&frame.rows[i]));
    let score: Vec<(usize, f64)> = order.iter().take(400).map(tells).collect();
    let mut chosen: Vec<usize> = vec![];
    let mean = score.iter().map(|s| s.1).sum::<f64>() / score.len() as f64;
    let most = score.iter().map(|s| s.1).fold(0.0, f64::max);
    if most <= LEAST || most <= RATIO * mean {
        return chosen;
    }
    for _ in 0..count {
        let worth = |&(i, s): &(usize, f64)| {
            let most = chosen.iter().map(|&j| alike(frame, ranges, i, j)).fold(0.0, f64::max);
            s * (1.0 - most)
        };
        let best = score
            .iter()
            .filter(|(i, _)| !chosen.contains(i))
            .max_by(|a, b| worth(a).total_cmp(&worth(b)))
            .expect("enough rows");
        chosen.push(best.0);
    }
    chosen
}

fn main() {
    let mut args = std::env::args().skip(1);
    let usage = "SEEDS FIRST STEP TABLE.csv …";
    let [seeds, first, step] = [(); 3].map(|()| args.next().and_then(|n| n.parse::<usize>().ok()).expect(usage));
    for path in args {
        let frame = read(&path);
        let runs = |asks| {
            let run = |seed| run(&frame, (first, step), seed, asks);
            (0..seeds).into_par_iter().with_max_len(1).map(|seed| run(seed as u64)).collect::<Vec<Run>>()
        };
        let [asked, drawn] = [true, false].map(runs);
        let mean = |runs: &[Run]| runs.iter().map(|run| run.labels).sum::<usize>() as f64 / seeds as f64;
        let at_once = asked.iter().filter(|run| run.steps == 0).count() as f64 / seeds as f64;
        let steps = asked.iter().map(|run| run.steps).sum::<usize>().max(1) as f64;
        let without = asked.iter().map(|run| run.without).sum::<usize>() as f64 / steps;
        println!("{path},{:.1},{:.1},{at_once:.2},{without:.2}", mean(&asked), mean(&drawn));
    }
}
