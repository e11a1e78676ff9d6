//! A shortcut learned from what a learner sees, and scored.

use super::Shortcut;
use super::logistic::{Logistic, Row};
use super::nearest::nearest;
use super::threshold::{Measured, Threshold};
use crate::task::{DataTask, Example, Split, largest};
use std::collections::{BTreeMap, HashMap};

/// Epochs that stand for all, where every epoch is another.
const EPOCHS: u32 = 32;
/// The learner whose epochs they are.
const SEED: u64 = 41;

/// What a learner has been trained on: every different example once, with how often it came.
pub(super) struct Seen(Vec<(Example, f64)>);

impl Seen {
    pub(super) fn by_learners_of(task: &DataTask) -> Seen {
        let mut places = HashMap::new();
        let mut examples: Vec<(Example, f64)> = vec![];
        for epoch in 0..if task.is_fixed() { 1 } else { EPOCHS } {
            for example in task.epoch(SEED, epoch).iter() {
                let key = (example.input.clone(), example.target.values().to_vec());
                let place = *places.entry(key).or_insert_with(|| {
                    examples.push((example.clone(), 0.0));
                    examples.len() - 1
                });
                examples[place].1 += 1.0;
            }
        }
        Seen(examples)
    }
}

/// Accuracy on the test sets, ID and OOD; none if the shortcut does not apply.
pub(super) fn scores(task: &DataTask, Seen(seen): &Seen, shortcut: Shortcut) -> Option<[f64; 2]> {
    if seen.is_empty() {
        return None;
    }
    let rule = learn(task, seen, shortcut)?;
    let is_right = |example: &Example| {
        let answer = rule(&example.input);
        example.target.scored().all(|(place, value)| answer[place] == value)
    };
    let share = |split| Example::mean_score(task.split(split), |_, example| f64::from(u8::from(is_right(example))));
    Some([Split::Id, Split::Ood].map(share))
}

/// Answers an input with a value for every place of the target.
type Rule<'a> = Box<dyn Fn(&[u8]) -> Vec<u8> + 'a>;

fn learn<'a>(task: &'a DataTask, seen: &'a [(Example, f64)], shortcut: Shortcut) -> Option<Rule<'a>> {
    let values = task.readout().values();
    let places = seen[0].0.target.values().len();
    let clauses: fn(&DataTask, &[u8]) -> Option<usize> = |task, input| task.clauses(input);
    let length: fn(&DataTask, &[u8]) -> Option<usize> = |task, input| task.clauses(input).map(|_| input.len());
    match shortcut {
        Shortcut::Majority => {
            let mut votes = vec![0.0; values];
            for (example, count) in seen {
                example.target.scored().for_each(|(_, value)| votes[usize::from(value)] += count);
            }
            let most = first_largest(&votes);
            Some(Box::new(move |_| vec![most; places]))
        }
        Shortcut::Logistic => {
            let fitted = Logistic::fit(&rows(task, seen), values);
            Some(Box::new(move |input| (0..places).map(|p| fitted.answer(&task.features(input, p))).collect()))
        }
        Shortcut::Nearest => Some(Box::new(move |input| nearest(seen, values, input))),
        Shortcut::ClauseCount => threshold(task, in_training(seen), clauses),
        Shortcut::Length => threshold(task, in_training(seen), length),
        Shortcut::ClauseCountInHindsight => threshold(task, in_hindsight(task), clauses),
        Shortcut::LengthInHindsight => threshold(task, in_hindsight(task), length),
    }
}

/// The value with the most votes, the smallest of several.
pub(super) fn first_largest(votes: &[f64]) -> u8 {
    largest(votes).unwrap_or(0) as u8
}

/// Every place that was scored in training, those with the same features and value together.
fn rows(task: &DataTask, seen: &[(Example, f64)]) -> Vec<Row> {
    let mut rows = BTreeMap::<(Vec<(u32, u64)>, u8), f64>::new();
    for (example, count) in seen {
        for (place, value) in example.target.scored() {
            let features = task.features(&example.input, place);
            let key = features.into_iter().map(|(feature, x)| (feature, x.to_bits())).collect();
            *rows.entry((key, value)).or_default() += count;
        }
    }
    let row = |((key, value), count): ((Vec<(u32, u64)>, u8), f64)| {
        let features = key.into_iter().map(|(feature, x)| (feature, f64::from_bits(x))).collect();
        Row { features, value, count }
    };
    rows.into_iter().map(row).collect()
}

fn in_training(seen: &[(Example, f64)]) -> impl Iterator<Item = (&Example, f64)> {
    seen.iter().map(|(example, count)| (example, *count))
}

fn in_hindsight(task: &DataTask) -> impl Iterator<Item = (&Example, f64)> {
    task.split(Split::Id).iter().map(|example| (example, example.weight))
}

/// Tells the answer from one number; none where inputs do not have it.
fn threshold<'a, 'e>(
    task: &'a DataTask,
    examples: impl Iterator<Item = (&'e Example, f64)>,
    size: fn(&DataTask, &[u8]) -> Option<usize>,
) -> Option<Rule<'a>> {
    let sized = |(example, count): (&Example, f64)| {
        Some(Measured { size: size(task, &example.input)?, yes: example.target.values()[0] == 1, count })
    };
    let fitted = Threshold::fit(examples.map(sized).collect::<Option<Vec<_>>>()?)?;
    Some(Box::new(move |input| vec![u8::from(fitted.says_yes(size(task, input).unwrap_or(0)))]))
}
