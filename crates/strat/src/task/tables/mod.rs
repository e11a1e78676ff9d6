//! The tasks whose examples are rows of a table: encoded by [`Tabular`](super::tabular::Tabular),
//! augmented by symmetries of their columns, labelled by a rule that counts.

pub(super) mod led24;
pub(super) mod m_of_n;
pub(super) mod monk2;
pub(super) mod parity5;
pub(super) mod spect;
pub(super) mod three_of_9;

use super::dataset::{DataTask, RowFault, Sets, TaskError, labelled};
use super::list::Entry;
use super::pick::{Candidates, Pick};
use super::symmetry::Orbits;
use super::tabular::{self, Column, Tabular};
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
        let fault = |fault: RowFault| TaskError::Row { task, row: at + 1, fault: fault.into() };
        if row.len() != columns.len() {
            return Err(fault(RowFault::Columns { found: row.len(), wanted: columns.len() }));
        }
        let symbols = tabular::symbols(columns, low, row).map_err(fault)?;
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
    fn task(self, entry: &Entry, table: Tabular, pick: Pick, stand_in: Option<&'static str>) -> DataTask {
        let label = |rows| labelled(&table, rows);
        let sets = Sets {
            bases: label(self.bases),
            training: label(self.training),
            id: label(self.id),
            ood: label(self.ood),
        };
        DataTask {
            name: Cow::Borrowed(entry.name),
            title: Cow::Borrowed(entry.title),
            domain: Arc::new(table),
            pick: Some(pick),
            sets,
            stand_in,
            setup: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::symmetry::{Symmetry, shifts};
    use proptest::prelude::*;

    fn table(rows: &[&[i32]], target: &[i32]) -> Table {
        let columns = (0..rows[0].len()).map(|i| format!("c{i}")).collect();
        Table { columns, rows: rows.iter().map(|r| r.to_vec()).collect(), target: target.to_vec() }
    }

    #[test]
    fn rows_that_cannot_be_are_named() {
        let columns = bits([("left".into(), 0), ("right".into(), 0)]);
        let read = |rows: &[&[i32]], rule| symbols("xor", &table(rows, &[1, 0]), &columns, 1, rule);
        let xor: Option<fn(&[u8]) -> bool> = Some(|r| r[0] != r[1]);
        assert_eq!(read(&[&[1, 2], &[2, 2]], xor).unwrap(), [[0, 1], [1, 1]]);
        let message = |rows: &[&[i32]], rule| read(rows, rule).unwrap_err().to_string();
        let advice = "; fetch the file again, or remove it to use a stand-in";
        assert_eq!(
            message(&[&[1, 2], &[2, 3]], None),
            format!("xor: row 2 of its file: right is 3, but should be from 1 to 2{advice}")
        );
        assert_eq!(
            message(&[&[1], &[2]], None),
            format!("xor: row 1 of its file: 1 columns, but there should be 2{advice}")
        );
        assert_eq!(
            message(&[&[1, 2], &[2, 1]], xor),
            format!("xor: row 2 of its file: the answer does not follow from the input by the task's rule{advice}")
        );
    }

    #[test]
    fn a_pick_that_is_not_found_is_an_error() {
        let rows: Rows = (0..32).map(|n| digits(n, 5)).collect();
        let error = choose("five", &rows, |r| active(r) > 2, false, Pick::coverage(7), |_| false).unwrap_err();
        let advice = "choose another seed or kind of pick";
        assert_eq!(error.to_string(), format!("five: no coverage pick 7 gives the paper's data sets; {advice}"));
    }

    /// Different images of an input without any symmetry of its own, and the group's size.
    fn sizes(symmetries: &[Symmetry], input: &[u8]) -> (usize, usize) {
        (Orbits::new([input], symmetries).members[0].len(), symmetries.len())
    }

    #[test]
    fn groups_have_their_sizes() {
        let mut led = vec![0; 24];
        led[..7].copy_from_slice(&[1, 1, 0, 1, 0, 0, 0]);
        assert_eq!(sizes(&led24::symmetries(), &led), (28, 28));
        // Three ternary attributes that differ in being 1, and so on: 72 is the largest orbit.
        assert_eq!(sizes(&monk2::symmetries(), &[0, 1, 0, 1, 1, 1]), (72, 576));
    }

    proptest! {
        #[test]
        fn symmetries_keep_the_label(
            bits in prop::collection::vec(0..2u8, 24),
            values in (0..3u8, 0..3u8, 0..2u8, 0..3u8, 0..4u8, 0..2u8),
            which: prop::sample::Index,
        ) {
            let led = led24::symmetries();
            let image = led[which.index(led.len())].apply(&bits);
            prop_assert_eq!(led24::rule(&image), led24::rule(&bits));

            let m_of_n = shifts(m_of_n::RELEVANT, 10, 2);
            let image = m_of_n[which.index(m_of_n.len())].apply(&bits[..10]);
            prop_assert_eq!(m_of_n::rule(&image), m_of_n::rule(&bits[..10]));
            prop_assert_eq!([&image[..2], &image[9..]], [&bits[..2], &bits[9..10]]);

            let monk = monk2::symmetries();
            let input = [values.0, values.1, values.2, values.3, values.4, values.5];
            let image = monk[which.index(monk.len())].apply(&input);
            prop_assert_eq!(monk2::rule(&image), monk2::rule(&input));
            prop_assert!(image.iter().zip([3, 3, 2, 3, 4, 2]).all(|(v, n)| *v < n));
        }
    }
}
