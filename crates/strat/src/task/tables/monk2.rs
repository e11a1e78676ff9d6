//! PMLB MONK-2: exactly two of six attributes have their first value.
//!
//! Type: 0 classification token · 1–6 attribute · 7–10 value. The paper counts values
//! from 1; the symbol of value 1 is 0.
//!
//! The label depends on how many attributes are 1, so other values of an attribute may change
//! names, and attributes with the same number of values may change places. The paper prints 212
//! training inputs, 303 rows left, 18.48 % (56) of them with a composition that training does
//! not have, and 32.70 % of the OOD mass there. A random pick is drawn until it gives these four
//! numbers; a coverage pick is as it comes.

use super::{Rows, Source, TableSets, choose, distinct, rows_by_orbit, symbols, unseen};
use crate::config::{Repeats, TrainConfig};
use crate::data::DataFolder;
use crate::model::BlockConfig;
use crate::rng::Stream;
use crate::task::dataset::{DataTask, TaskError, task_draws};
use crate::task::example::Example;
use crate::task::list::{Entry, Load};
use crate::task::pick::{Pick, PickKind};
use crate::task::symmetry::{Orbits, Symmetry, combine, orders};
use crate::task::tabular::{Column, Tabular, Written, combinations};
use std::collections::{HashMap, HashSet};

pub(in crate::task) const ENTRY: Entry = Entry {
    name: "monk-2",
    title: "PMLB MONK-2",
    sizes: BlockConfig::TABULAR,
    train: TrainConfig::DEFAULT,
    repeats: Repeats::Always,
    load: Load::Picked(load),
};
const NAME: &str = ENTRY.name;
/// Values of every attribute.
const VALUES: [usize; 6] = [3, 3, 2, 3, 4, 2];
/// Files count values from 1.
const WRITTEN: Written = Written { low: 1, ..Written::PMLB };
/// Most values of an attribute.
const MOST: usize = 4;
/// How much likelier the OOD set makes inputs whose composition training does not have.
const SHIFT: f64 = 4.0;

fn ones(input: &[u8]) -> usize {
    input.iter().filter(|&&v| v == 0).count()
}

pub(super) fn rule(input: &[u8]) -> bool {
    ones(input) == 2
}

/// How many attributes have each value.
fn composition(input: &[u8]) -> [usize; MOST] {
    std::array::from_fn(|v| input.iter().filter(|&&x| usize::from(x) == v).count())
}

fn columns() -> Vec<Column> {
    let column = |(i, values)| Column { name: format!("attribute#{}", i + 1), group: 0, values };
    VALUES.into_iter().enumerate().map(column).collect()
}

/// All 576 combinations of what leaves the label alone.
pub(super) fn symmetries() -> Vec<Symmetry> {
    let n = VALUES.len();
    let places = combine(&orders(&[0, 1, 3], n, MOST), &orders(&[2, 5], n, MOST));
    let names = |attribute: usize, names: &[[u8; 4]]| -> Vec<Symmetry> {
        names.iter().map(|names| Symmetry::identity(n, MOST).renaming(attribute, names)).collect()
    };
    let ternary = [[0, 1, 2, 3], [0, 2, 1, 3]];
    let quaternary = [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 1, 3], [0, 2, 3, 1], [0, 3, 1, 2], [0, 3, 2, 1]];
    [0, 1, 3]
        .map(|attribute| names(attribute, &ternary))
        .into_iter()
        .chain([names(4, &quaternary)])
        .fold(places, |all, next| combine(&all, &next))
}

/// Every input of the product, the last attribute fastest.
fn product() -> Rows {
    combinations(VALUES.into_iter(), usize::MAX).expect("they are 432")
}

fn source(folder: &DataFolder) -> Result<Source, TaskError> {
    if let Some(table) = folder.pmlb(NAME)? {
        return Ok(Source { rows: symbols(NAME, &table, &columns(), 1, Some(rule))?, stand_in: None });
    }
    // The file is 169 different inputs, then all 432.
    let mut first = product();
    task_draws(NAME, Stream::StandIn, 0).shuffle(&mut first);
    first.truncate(169);
    let stand_in = Some("all 432 inputs and 169 drawn ones instead of the file's 601 rows");
    Ok(Source { rows: [first, product()].concat(), stand_in })
}

/// The OOD mass of rows with an absent composition: for every count of ones, how many rows
/// have a known one and how many an absent one.
fn shifted(counts: &[[usize; 2]]) -> f64 {
    let total = counts.iter().flatten().sum::<usize>() as f64;
    let mass = |&[known, absent]: &[usize; 2]| {
        let (known, absent) = (known as f64, absent as f64);
        if absent == 0.0 { 0.0 } else { (known + absent) * SHIFT * absent / (known + SHIFT * absent) }
    };
    counts.iter().map(mass).sum::<f64>() / total
}

/// The probabilities of the OOD set: rows' frequencies, those of `absent` inputs four times as
/// large, every count of ones as likely as it was.
fn weights(rows: &Rows, inputs: &Rows, absent: impl Fn(&[u8]) -> bool) -> Vec<f64> {
    let mut frequency = HashMap::<&Vec<u8>, usize>::new();
    rows.iter().for_each(|r| *frequency.entry(r).or_default() += 1);
    let mut before = [0.0; VALUES.len() + 1];
    let mut after = before;
    let shifted: Vec<f64> = inputs
        .iter()
        .map(|input| {
            let p = frequency[input] as f64 / rows.len() as f64;
            let shifted = if absent(input) { SHIFT * p } else { p };
            before[ones(input)] += p;
            after[ones(input)] += shifted;
            shifted
        })
        .collect();
    inputs.iter().zip(shifted).map(|(input, p)| p * before[ones(input)] / after[ones(input)]).collect()
}

fn load(folder: &DataFolder, pick: Pick) -> Result<DataTask, TaskError> {
    let Source { rows, stand_in } = source(folder)?;
    let orbits = Orbits::new(rows.iter().map(|r| &r[..]), &symmetries());
    let in_orbit = rows_by_orbit(&orbits, rows.iter().enumerate());
    // Renaming changes compositions: an orbit has several.
    let compositions = |orbit: usize| orbits.members[orbit].iter().map(|m| composition(m));
    let picked = choose(NAME, &rows, rule, false, pick, |picked| {
        if pick.kind == PickKind::Coverage {
            return true;
        }
        let training = orbits.of_all(picked);
        if training.iter().map(|&o| orbits.members[o].len()).sum::<usize>() != 212 {
            return false;
        }
        if stand_in.is_some() {
            return true;
        }
        let left = rows.len() - training.iter().map(|&o| in_orbit[o]).sum::<usize>();
        if left != 303 {
            return false;
        }
        let known: HashSet<_> = training.iter().flat_map(|&o| compositions(o)).collect();
        let mut counts = [[0; 2]; VALUES.len() + 1];
        for (row, _) in rows.iter().zip(&orbits.of).filter(|(_, o)| !training.contains(o)) {
            counts[ones(row)][usize::from(!known.contains(&composition(row)))] += 1;
        }
        // 18.48 % of 303 rows are 56.
        counts.iter().map(|[_, absent]| absent).sum::<usize>() == 56
            && (0.32695..0.32705).contains(&shifted(&counts))
    })?;
    let training = orbits.images(&picked);
    let known: HashSet<_> = training.iter().map(|t| composition(t)).collect();
    let id = unseen(&rows, &training);
    let ood = distinct(&id);
    let weights = weights(&id, &ood, |input| !known.contains(&composition(input)));
    let sets = TableSets { bases: picked.iter().map(|&i| rows[i].clone()).collect(), training, id, ood };
    let mut task =
        sets.task(&ENTRY, Tabular::with_rule(columns(), rule, WRITTEN).counting(ones, false), pick, stand_in);
    for (Example { weight, .. }, p) in task.sets.ood.iter_mut().zip(weights) {
        *weight = p;
    }
    Ok(task)
}
