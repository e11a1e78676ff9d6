//! How often training shows the same examples: found from the training data alone.

use crate::stand_ins;
use std::collections::HashSet;
use strat::config::Repeats;
use strat::task::{DataTask, Entry};

/// The epochs that are looked at, and how many of them are the last.
const EPOCHS: u32 = 400;
const LAST: u32 = 40;

/// The share of the last epochs' examples that earlier epochs have had.
fn repeated(task: &DataTask) -> f64 {
    let mut seen = HashSet::new();
    let (mut again, mut all) = (0, 0);
    for epoch in 0..EPOCHS {
        for example in task.epoch(41, epoch).iter() {
            let is_new = seen.insert(example.input.clone());
            if epoch >= EPOCHS - LAST {
                again += u32::from(!is_new);
                all += 1;
            }
        }
    }
    f64::from(again) / f64::from(all)
}

#[test]
fn examples_come_back_as_often_as_is_said() {
    for (task, entry) in stand_ins().iter().zip(Entry::ALL) {
        let share = repeated(task);
        println!("{}: {:.1} % were there before", entry.name, 100.0 * share);
        let found = match task.is_fixed() {
            true => Repeats::Always,
            false if share > 0.5 => Repeats::Often,
            false => Repeats::Seldom,
        };
        assert_eq!(found, entry.repeats, "{}: {share}", entry.name);
    }
}
