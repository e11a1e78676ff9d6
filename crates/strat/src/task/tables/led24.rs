//! PMLB LED24: at least six of seven display segments are on; 17 more bits do not matter.
//!
//! Type: 0 classification token · 1 segment · 2 nuisance · 3–26 feature · 27–28 value.
//!
//! The paper picks five examples per class by greedy feature coverage with seed 3036; both kinds
//! of pick have five per class here. Its OOD conditions describe inputs that
//! hardly occur in the file, so they are enumerated: 952 positive and 378 negative ones. A random
//! word of each input is the hash that they are ordered by; inputs of the training set are
//! passed over.

use super::{Rows, Source, TableSets, active, bits, choose, digits, symbols};
use crate::config::{Repeats, TrainConfig};
use crate::data::DataFolder;
use crate::model::BlockConfig;
use crate::rng::Stream;
use crate::task::dataset::{DataTask, TaskError, task_draws};
use crate::task::list::{Entry, Load};
use crate::task::pick::Pick;
use crate::task::symmetry::{Orbits, Symmetry, combine, shifts};
use crate::task::tabular::{Column, Tabular, Written};
use std::collections::HashSet;

pub(in crate::task) const ENTRY: Entry = Entry {
    name: "led24",
    title: "PMLB LED24",
    sizes: BlockConfig::TABULAR,
    train: TrainConfig::DEFAULT,
    repeats: Repeats::Always,
    load: Load::Picked(load),
};
const NAME: &str = ENTRY.name;
const SEGMENTS: usize = 7;
const NUISANCE: usize = 17;
const FEATURES: usize = SEGMENTS + NUISANCE;
/// The file's target is the digit.
const WRITTEN: Written = Written { has_answer: false, ..Written::PMLB };

pub(super) fn rule(input: &[u8]) -> bool {
    active(&input[..SEGMENTS]) >= 6
}

fn columns() -> Vec<Column> {
    let segments = (1..=SEGMENTS).map(|i| (format!("segment {i}"), 0));
    bits(segments.chain((1..=NUISANCE).map(|i| (format!("nuisance {i}"), 1))))
}

/// Cyclic shifts of the segments, also reversed, each with nuisance bits as they are or all
/// complemented: 28.
pub(super) fn symmetries() -> Vec<Symmetry> {
    let reversal = Symmetry::moving((0..SEGMENTS).rev().chain(SEGMENTS..FEATURES).collect(), 2);
    let same = || Symmetry::identity(FEATURES, 2);
    let complement = (SEGMENTS..FEATURES).fold(same(), |s, cell| s.renaming(cell, &[1, 0]));
    let turned = combine(&shifts(0..SEGMENTS, FEATURES, 2), &[same(), reversal]);
    combine(&turned, &[same(), complement])
}

/// What the digits look like: top, upper left, upper right, middle, lower left, lower right,
/// bottom.
const DISPLAY: [[u8; SEGMENTS]; 10] = [
    [1, 1, 1, 0, 1, 1, 1],
    [0, 0, 1, 0, 0, 1, 0],
    [1, 0, 1, 1, 1, 0, 1],
    [1, 0, 1, 1, 0, 1, 1],
    [0, 1, 1, 1, 0, 1, 0],
    [1, 1, 0, 1, 0, 1, 1],
    [1, 1, 0, 1, 1, 1, 1],
    [1, 0, 1, 0, 0, 1, 0],
    [1, 1, 1, 1, 1, 1, 1],
    [1, 1, 1, 1, 0, 1, 1],
];

fn source(folder: &DataFolder) -> Result<Source, TaskError> {
    if let Some(table) = folder.pmlb(NAME)? {
        return Ok(Source { rows: symbols(NAME, &table, &columns(), 0, None)?, stand_in: None });
    }
    let mut draws = task_draws(NAME, Stream::StandIn, 0);
    let mut row = || -> Vec<u8> {
        let digit = DISPLAY[draws.below(10) as usize];
        let mut bit = |segment: Option<&u8>| match segment {
            // The benchmark inverts one segment in ten.
            Some(on) => on ^ u8::from(draws.below(10) == 0),
            None => draws.below(2) as u8,
        };
        (0..FEATURES).map(|i| bit(digit.get(i))).collect()
    };
    let rows = (0..3200).map(|_| row()).collect();
    Ok(Source { rows, stand_in: Some("3,200 drawn displays with noise instead of the file's") })
}

/// The inputs that the OOD set is chosen from, of one class.
fn extremes(positive: bool) -> Rows {
    let with = |n: usize, counts: &[u32]| -> Rows {
        (0..1 << n).filter(|bits: &usize| counts.contains(&bits.count_ones())).map(|bits| digits(bits, n)).collect()
    };
    let (segments, nuisance) = if positive { (6, &[15][..]) } else { (5, &[0, 1][..]) };
    let nuisance = with(NUISANCE, nuisance);
    with(SEGMENTS, &[segments]).iter().flat_map(|s| nuisance.iter().map(move |n| [&s[..], n].concat())).collect()
}

fn load(folder: &DataFolder, pick: Pick) -> Result<DataTask, TaskError> {
    let Source { rows, stand_in } = source(folder)?;
    let picked = choose(NAME, &rows, rule, true, pick, |_| true)?;
    let bases: Rows = picked.iter().map(|&i| rows[i].clone()).collect();
    let orbits = Orbits::new(bases.iter().map(|b| &b[..]), &symmetries());
    let training: Rows = orbits.members.concat();
    let known: HashSet<&Vec<u8>> = training.iter().collect();
    let mut ood = Rows::new();
    for positive in [true, false] {
        let mut inputs: Vec<(u32, Vec<u8>)> = extremes(positive)
            .into_iter()
            .filter(|input| !known.contains(input))
            .map(|input| {
                let number = input.iter().fold(0, |n, &b| n << 1 | u32::from(b));
                (task_draws(NAME, Stream::TestOod, number).word(), input)
            })
            .collect();
        inputs.sort_unstable();
        ood.extend(inputs.into_iter().take(250).map(|(_, input)| input));
    }
    let id = (0..rows.len()).filter(|i| !picked.contains(i)).map(|i| rows[i].clone()).collect();
    let sets = TableSets { bases, training, id, ood };
    let table = Tabular::with_rule(columns(), rule, WRITTEN).counting(|input| active(&input[..SEGMENTS]), true);
    Ok(sets.task(&ENTRY, table, pick, stand_in))
}
