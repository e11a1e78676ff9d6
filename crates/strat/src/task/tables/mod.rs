//! The tasks whose examples are rows of a table: encoded by [`Tabular`](super::tabular::Tabular),
//! augmented by symmetries of their columns, labelled by a rule that counts.

pub(super) mod led24;
pub(super) mod m_of_n;
pub(super) mod monk2;
pub(super) mod parity5;
pub(super) mod spect;
pub(super) mod three_of_9;

use super::dataset::{RowFault, Sets, Task, TaskError, labelled};
use super::list::Entry;
use super::pick::{Candidates, Pick};
use super::symmetry::Orbits;
use super::tabular::{Column, Tabular};
use crate::data::Table;
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

type Rows = Vec<Vec<u8>>;

/// Where a task's rows come from.
struct Source {
    rows: Rows,
    /// What is drawn instead of read.
    stand_in: Option<&'static str>,
}

/// Columns with two values.
fn bits(names_and_groups: impl IntoIterator<Item = (String, usize)>) -> Vec<Column> {
    names_and_groups.into_iter().map(|(name, group)| Column { name, group, values: 2 }).collect()
}

/// `n` bits of a number, the most significant first.
fn digits(number: usize, n: usize) -> Vec<u8> {
    (0..n).rev().map(|b| (number >> b & 1) as u8).collect()
}

/// How many of some bits are set.
fn active(bits: &[u8]) -> usize {
    bits.iter().filter(|&&b| b == 1).count()
}

/// Rows of a file as symbols: the smallest value of every column is `low`. Where the paper keeps
/// the file's own label, it must be the rule's.
fn symbols(
    task: &'static str,
    table: &Table,
    columns: &[Column],
    low: i32,
    rule: Option<fn(&[u8]) -> bool>,
) -> Result<Rows, TaskError> {
    let symbols = |(at, row): (usize, &Vec<i32>)| {
        let fault = |fault| TaskError::Row { task, row: at + 1, fault };
        if row.len() != columns.len() {
            return Err(fault(RowFault::Columns { found: row.len(), wanted: columns.len() }));
        }
        let symbol = |(column, &value): (&Column, &i32)| {
            let high = low + column.values as i32 - 1;
            let name = || column.name.clone();
            match (low..=high).contains(&value) {
                true => Ok((value - low) as u8),
                false => Err(fault(RowFault::Value { column: name(), value, low, high })),
            }
        };
        let symbols = columns.iter().zip(row).map(symbol).collect::<Result<Vec<u8>, _>>()?;
        match rule {
            Some(rule) if i32::from(rule(&symbols)) != table.target[at] => Err(fault(RowFault::Rule)),
            _ => Ok(symbols),
        }
    };
    table.rows.iter().enumerate().map(symbols).collect()
}

/// Chooses base examples among rows.
fn choose(
    task: &'static str,
    rows: &Rows,
    rule: fn(&[u8]) -> bool,
    balanced: bool,
    pick: Pick,
    accept: impl Fn(&[usize]) -> bool,
) -> Result<Vec<usize>, TaskError> {
    let labels: Vec<bool> = rows.iter().map(|r| rule(r)).collect();
    let candidates = Candidates { inputs: rows, labels: &labels, balanced };
    candidates.pick(pick, accept).ok_or(TaskError::NoPick { task, pick })
}

/// How many of `rows`, orbit by orbit.
fn rows_by_orbit<'a>(orbits: &Orbits, rows: impl IntoIterator<Item = (usize, &'a Vec<u8>)>) -> Vec<usize> {
    let mut counts = vec![0; orbits.members.len()];
    rows.into_iter().for_each(|(i, _)| counts[orbits.of[i]] += 1);
    counts
}

/// The rows whose input is not among `known`, duplicates included.
fn unseen(rows: &Rows, known: &[Vec<u8>]) -> Rows {
    let known: HashSet<&Vec<u8>> = known.iter().collect();
    rows.iter().filter(|r| !known.contains(r)).cloned().collect()
}

/// The different rows, in order of their first appearance.
fn distinct(rows: &Rows) -> Rows {
    let mut seen = HashSet::new();
    rows.iter().filter(|r| seen.insert(*r)).cloned().collect()
}

/// The rows of a table's sets.
struct TableSets {
    bases: Rows,
    training: Rows,
    id: Rows,
    ood: Rows,
}

impl TableSets {
    /// A task whose labels are the table's rule.
    fn task(self, entry: &Entry, table: Tabular, pick: Pick, stand_in: Option<&'static str>) -> Task {
        let label = |rows| labelled(&table, rows);
        let sets = Sets {
            bases: label(self.bases),
            training: label(self.training),
            id: label(self.id),
            ood: label(self.ood),
        };
        Task {
            name: Cow::Borrowed(entry.name),
            title: Cow::Borrowed(entry.title),
            domain: Arc::new(table),
            pick: Some(pick),
            sets,
            stand_in,
        }
    }
}
