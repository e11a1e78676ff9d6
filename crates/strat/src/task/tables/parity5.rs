//! PMLB Parity5: the parity of five bits, beside five nuisance bits that share one value and
//! mostly agree with the answer. In the OOD set they mostly disagree.
//!
//! Type: 0 classification token · 1 relevant · 2 nuisance · 3–4 value. Bits have no
//! identity, and the classification token also belongs to the relevant group.

use super::{TableSets, active, bits, choose, digits};
use crate::config::{Repeats, TrainConfig};
use crate::data::DataFolder;
use crate::model::BlockConfig;
use crate::task::dataset::{DataTask, TaskError};
use crate::task::list::{Entry, Load};
use crate::task::pick::Pick;
use crate::task::tabular::{Columns, Tabular, Written};

pub(in crate::task) const ENTRY: Entry = Entry {
    name: "parity5",
    title: "PMLB Parity5",
    sizes: BlockConfig::PARITY5,
    train: TrainConfig::DEFAULT,
    repeats: Repeats::Always,
    load: Load::Picked(load),
};
const NAME: &str = ENTRY.name;
const RELEVANT: usize = 5;
/// Files have no nuisance bits: each row is what the ID set makes of it.
const WRITTEN: Written = Written {
    classes: &["even", "odd"],
    columns: Columns::Fewer { columns: RELEVANT, rows: in_distribution },
    ..Written::PMLB
};

fn rule(input: &[u8]) -> bool {
    active(&input[..RELEVANT]) % 2 == 1
}

/// An assignment with its nuisance bits, which agree with the label or not.
fn with_nuisance(assignment: &[u8], agree: bool) -> Vec<u8> {
    let nuisance = u8::from(rule(assignment) == agree);
    [assignment, &[nuisance; 5]].concat()
}

/// Every assignment so many times with nuisance bits that agree, and so many that disagree.
fn copies(assignments: &[Vec<u8>], agreeing: usize, disagreeing: usize) -> Vec<Vec<u8>> {
    let both = |a: &Vec<u8>| {
        let [yes, no] = [true, false].map(|agree| with_nuisance(a, agree));
        [vec![yes; agreeing], vec![no; disagreeing]].concat()
    };
    assignments.iter().flat_map(both).collect()
}

/// One assignment as the ID set has it.
fn in_distribution(assignment: &[u8]) -> Vec<Vec<u8>> {
    copies(&[assignment.to_vec()], 4, 1)
}

/// All of it follows from the rule; no file is read.
fn load(_: &DataFolder, pick: Pick) -> Result<DataTask, TaskError> {
    let assignments: Vec<Vec<u8>> = (0..32).map(|n| digits(n, RELEVANT)).collect();
    let picked = choose(NAME, &assignments, rule, false, pick, |_| true)?;
    let bases: Vec<Vec<u8>> = picked.iter().map(|&i| assignments[i].clone()).collect();
    let names = ["relevant", "nuisance"].into_iter().enumerate();
    let columns = bits(names.flat_map(|(g, n)| (1..=5).map(move |i| (format!("{n} {i}"), g))));
    let sets = TableSets {
        bases: bases.iter().map(|b| with_nuisance(b, true)).collect(),
        training: copies(&bases, 4, 1),
        id: assignments.iter().flat_map(|a| in_distribution(a)).collect(),
        ood: copies(&assignments, 1, 4),
    };
    let table = Tabular::with_rule(columns, rule, WRITTEN).without_names(0);
    Ok(sets.task(&ENTRY, table.counting(|input| active(&input[..RELEVANT]), false), pick, None))
}
