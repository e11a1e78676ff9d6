//! SPECT Heart: at least four of the first nine features; the file's own label is not used.
//!
//! Type: 0 classification token · 1–9 feature · 10–11 value.
//!
//! Of the 187 test rows the paper removes 24 whose input is among its ten, and 163 rows with 91
//! different inputs are left (the 80 training rows would remove 90). A random pick is drawn until it gives
//! these numbers; a coverage pick is as it comes. The OOD set holds every input that neither
//! split has and that is a cyclic rotation of one that they have.

use super::{Rows, TableSets, active, bits, choose, distinct, unseen};
use crate::config::{Repeats, TrainConfig};
use crate::data::{DataFolder, SpectRow, spect};
use crate::model::BlockConfig;
use crate::rng::Stream;
use crate::task::dataset::{DataTask, TaskError, task_draws};
use crate::task::list::{Entry, Load};
use crate::task::pick::{Pick, PickKind};
use crate::task::symmetry::{Orbits, shifts};
use crate::task::tabular::{Columns, Tabular, Written};

pub(in crate::task) const ENTRY: Entry = Entry {
    name: "spect",
    title: "SPECT Heart",
    sizes: BlockConfig::TABULAR,
    train: TrainConfig::DEFAULT,
    repeats: Repeats::Always,
    load: Load::Picked(load),
};
const NAME: &str = ENTRY.name;
const FEATURES: usize = 9;
/// The file's label is the diagnosis. It has 22 features; the first nine count.
const WRITTEN: Written = Written {
    has_answer: false,
    columns: Columns::More(22),
    rows: spect::rows,
    file_form: "rows of a label and 22 features, separated by commas; UCI's zip of them; or PMLB's table with tabs",
    ..Written::PMLB
};

fn rule(input: &[u8]) -> bool {
    active(input) >= 4
}

/// Training rows, test rows, what stands in.
fn source(folder: &DataFolder) -> Result<(Rows, Rows, Option<&'static str>), TaskError> {
    if let Some(split) = folder.spect()? {
        let project = |rows: &[SpectRow]| -> Rows {
            rows.iter().map(|r| r.features[..FEATURES].iter().map(|&f| u8::from(f)).collect()).collect()
        };
        return Ok((project(&split.train), project(&split.test), None));
    }
    // Patients differ in how many features they show.
    let mut draws = task_draws(NAME, Stream::StandIn, 0);
    let mut row = || -> Vec<u8> {
        let share = draws.uniform();
        (0..FEATURES).map(|_| u8::from(draws.uniform() < share * share)).collect()
    };
    let mut rows = |n| (0..n).map(|_| row()).collect();
    Ok((rows(80), rows(187), Some("80 and 187 drawn rows instead of the patients'")))
}

fn load(folder: &DataFolder, pick: Pick) -> Result<DataTask, TaskError> {
    let (train, test, stand_in) = source(folder)?;
    let chosen = |picked: &[usize]| -> Rows { picked.iter().map(|&i| train[i].clone()).collect() };
    let picked = choose(NAME, &train, rule, false, pick, |picked| {
        if pick.kind == PickKind::Coverage || stand_in.is_some() {
            return true;
        }
        let left = unseen(&test, &chosen(picked));
        left.len() == 163 && distinct(&left).len() == 91
    })?;
    let bases = chosen(&picked);
    let observed = distinct(&[&train[..], &test[..]].concat());
    let orbits = Orbits::new(observed.iter().map(|o| &o[..]), &shifts(0..FEATURES, FEATURES, 2));
    let ood = unseen(&orbits.members.concat(), &observed);
    let columns = bits((1..=FEATURES).map(|i| (format!("F{i}"), 0)));
    let sets = TableSets { training: bases.clone(), id: unseen(&test, &bases), bases, ood };
    Ok(sets.task(&ENTRY, Tabular::with_rule(columns, rule, WRITTEN).counting(active, true), pick, stand_in))
}
