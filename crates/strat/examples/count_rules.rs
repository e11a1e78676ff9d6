//! What ten examples leave open for someone who does not know which columns count.
//!
//!     cargo run --release -p strat --example count_rules -- TASK PICK …
//!
//! TASK is `m-of-n` or `led24`, whose columns are of two groups that their Type tells apart; a PICK is as in `coverage:1`. The rules
//! that are asked for: yes where `s + w·n` reaches a threshold, `s` and `n` being how many columns of each group are set, for any
//! real `w` and threshold. Of all such rules that are right on everything that a learner is shown, it prints how many there are, how
//! often the worst and the best of them and all of them on average are right on the test sets, and how often their vote is.

use std::collections::HashSet;
use strat::data::DataFolder;
use strat::task::{DataTask, Entry, Example, Pick, Split, Target};

/// Columns that count, and all columns.
fn groups(task: &str) -> Option<(std::ops::Range<usize>, usize)> {
    match task {
        "m-of-n" => Some((2..9, 10)),
        "led24" => Some((0..7, 24)),
        _ => None,
    }
}

/// How many columns of each group are set.
fn counts(example: &Example, relevant: &std::ops::Range<usize>) -> [usize; 2] {
    let set = |i: &usize| example.input[*i] == 1;
    let s = relevant.clone().filter(set).count();
    [s, (0..example.input.len()).filter(set).count() - s]
}

fn is_yes(example: &Example) -> bool {
    matches!(example.target, Target::Class(1))
}

/// Every way in which `s + w·n` and a threshold divide the pairs of counts, each once: between two weights at which two pairs
/// change places, the order of all pairs is the same.
fn rules(most: [usize; 2]) -> HashSet<Vec<bool>> {
    let pairs: Vec<[f64; 2]> =
        (0..=most[0]).flat_map(|s| (0..=most[1]).map(move |n| [s as f64, n as f64])).collect();
    let (up, across) = (most[0] as i64, most[1] as i64);
    let mut turns: Vec<f64> = (-up..=up).flat_map(|s| (1..=across).map(move |n| s as f64 / n as f64)).collect();
    turns.sort_by(f64::total_cmp);
    turns.dedup();
    let ends = [turns[0] - 1.0, turns[turns.len() - 1] + 1.0];
    let weights = turns.windows(2).map(|two| (two[0] + two[1]) / 2.0).chain(ends);
    let mut found = HashSet::new();
    for weight in weights {
        let value: Vec<f64> = pairs.iter().map(|[s, n]| s + weight * n).collect();
        found.extend(value.iter().map(|least| value.iter().map(|v| v >= least).collect::<Vec<bool>>()));
    }
    found
}

fn show(task: &DataTask, pick: &str) -> Option<()> {
    let (relevant, columns) = groups(task.name())?;
    let most = [relevant.len(), columns - relevant.len()];
    let place = |example: &Example| {
        let [s, n] = counts(example, &relevant);
        s * (most[1] + 1) + n
    };
    let shown: Vec<(usize, bool)> = task.epoch(1, 0).iter().map(|e| (place(e), is_yes(e))).collect();
    let mut left = rules(most);
    left.retain(|rule| shown.iter().all(|&(place, yes)| rule[place] == yes));
    let votes = |place: usize| 2 * left.iter().filter(|rule| rule[place]).count() >= left.len();
    let mut line = format!("{} {pick}: {} rules are left", task.name(), left.len());
    for (name, split) in [("ID", Split::Id), ("OOD", Split::Ood)] {
        let examples: Vec<(usize, bool)> = task.split(split).iter().map(|e| (place(e), is_yes(e))).collect();
        let share = |rule: &dyn Fn(usize) -> bool| {
            100.0 * examples.iter().filter(|&&(place, yes)| rule(place) == yes).count() as f64
                / examples.len() as f64
        };
        let mut each: Vec<f64> = left.iter().map(|rule| share(&|place| rule[place])).collect();
        each.sort_by(f64::total_cmp);
        let mean = each.iter().sum::<f64>() / each.len() as f64;
        let [worst, best] = [each.first()?, each.last()?];
        line += &format!("; {name} {worst:.2} to {best:.2}, mean {mean:.2}, vote {:.2}", share(&votes));
    }
    println!("{line}");
    Some(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [task, picks @ ..] = &args[..] else { return Err("give a task and picks".into()) };
    for text in picks {
        let pick = match text.split_once(':') {
            Some(("random", seed)) => Pick::random(seed.parse()?),
            Some(("coverage", seed)) => Pick::coverage(seed.parse()?),
            _ => return Err(format!("{text} is no pick such as coverage:1").into()),
        };
        let task = Entry::named(task)?.load(&DataFolder::find(None), Some(pick))?;
        show(&task, text).ok_or_else(|| format!("{}: its columns are not of two groups", task.name()))?;
    }
    Ok(())
}
