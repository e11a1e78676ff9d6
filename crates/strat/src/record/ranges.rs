//! What the numbers and texts of a manifest may be. A program that reads one may train by it, allocate
//! for it and print it, so it is held to what this one writes, with some room.

use super::Manifest;
use super::limits::{LONGEST_TEXT, MOST_OWN_VALUES};
use crate::baseline::Shortcut;
use crate::config::ConfigError;
use crate::metric::Metric;
use crate::result::{DataRecord, OwnTask, TaskRecord, TaskSetup};
use crate::task::{Examples, Grocery, SignedSum, Sums};
use std::collections::HashSet;
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Most sums of a step; the paper has 64.
const MOST_SUMS: usize = 1024;
/// The largest number in a generated sum; the paper's are up to 5000.
const LARGEST_LITERAL: u32 = 1_000_000;
/// Most test examples of a task.
const MOST_TESTS: usize = 100_000_000;
/// The largest number of a line in a table's file.
const LAST_LINE: usize = u32::MAX as usize;

/// A value that no run has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} is {value}, but should be {allowed}")]
pub struct RangeError {
    /// Which, as in `rows[STRAT].steps`.
    pub field: String,
    /// What it is.
    pub value: String,
    /// What it may be.
    pub allowed: String,
}

type Checked = Result<(), RangeError>;

/// Says where a value stands.
struct At<'a>(&'a dyn Fn(&str) -> String);

impl At<'_> {
    fn fail(&self, field: &str, value: impl Display, allowed: impl Into<String>) -> Checked {
        Err(RangeError { field: (self.0)(field), value: value.to_string(), allowed: allowed.into() })
    }

    fn within<T: PartialOrd + Display>(&self, field: &str, value: T, range: RangeInclusive<T>) -> Checked {
        if range.contains(&value) {
            Ok(())
        } else {
            self.fail(field, value, format!("from {} to {}", range.start(), range.end()))
        }
    }

    /// A short text on one line.
    fn text(&self, field: &str, text: &str) -> Checked {
        if text.is_empty() || text.len() > LONGEST_TEXT || text.chars().any(char::is_control) {
            self.fail(field, format_args!("{text:?}"), format!("1 to {LONGEST_TEXT} bytes on one line"))
        } else {
            Ok(())
        }
    }

    fn literals(&self, low: u32, high: u32) -> Checked {
        self.within("examples.high", high, 0..=LARGEST_LITERAL)?;
        self.within("examples.low", low, 0..=high)
    }

    fn sums(&self, from: &Sums) -> Checked {
        match *from {
            Sums::Signed(SignedSum { low, high }) => self.literals(low, high),
            Sums::Grocery(Grocery { low, high }) => self.literals(low, high),
        }
    }

    fn examples(&self, examples: &Examples) -> Checked {
        match examples {
            Examples::Fixed { count, from } | Examples::Shuffled { count, from } => {
                self.within("examples.count", *count, 1..=MOST_SUMS)?;
                self.sums(from)
            }
            Examples::Fresh { batch, from } => {
                self.within("examples.batch", *batch, 1..=MOST_SUMS)?;
                self.sums(from)
            }
            Examples::Curriculum { batch, stages } => {
                self.within("examples.batch", *batch, 1..=MOST_SUMS)?;
                stages.iter().try_for_each(|s| self.literals(s.low, s.high))
            }
            // Their number and length were checked when they were read.
            Examples::Chosen { .. } => Ok(()),
        }
    }

    fn checksum(&self, data: &str) -> Checked {
        let is_checksum = |hex: &str| hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit());
        if data.strip_prefix("sha256:").is_some_and(is_checksum) {
            Ok(())
        } else {
            self.fail("data", format_args!("{data:?}"), "sha256: and 64 hexadecimal digits")
        }
    }

    fn data(&self, data: &DataRecord) -> Checked {
        self.text("task", &data.task)?;
        self.checksum(&data.data)?;
        data.tests.iter().try_for_each(|&n| self.within("tests", n, 0..=MOST_TESTS))?;
        self.within("the number of shortcuts", data.shortcuts.len(), 0..=Shortcut::ALL.len())?;
        let scores = data.shortcuts.iter().flat_map(|(_, scores)| scores);
        scores.into_iter().try_for_each(|&score| self.within("shortcuts", score, 0.0..=1.0))?;
        let Some(table) = &data.table else { return Ok(()) };
        table.rows.iter().try_for_each(|r| self.within("table.rows.row", r.row, 1..=LAST_LINE))
    }

    fn setup(&self, TaskSetup { task, train }: &TaskSetup) -> Checked {
        train
            .check()
            .map(drop)
            .or_else(|ConfigError { field, value, allowed }| self.fail(field, value, allowed))?;
        match task {
            TaskRecord::Sums(examples) => self.examples(examples),
            TaskRecord::Data(data) => self.data(data),
            TaskRecord::Own(own) => {
                let OwnTask { task, data, metric } = &**own;
                self.text("task", &task.kind)?;
                if let Some(Metric { name, heading, .. }) = metric {
                    self.text("metric.name", name)?;
                    self.text("metric.heading", heading)?;
                }
                if let Some(known) = metric.as_ref().filter(|metric| metric.is_built_in()) {
                    self.fail("metric.name", &known.name, "one that is not built in")?;
                }
                self.checksum(data)
            }
        }
    }
}

/// Whether there are few enough values of models and tasks of one's own.
pub(super) fn check_own_values(count: usize) -> Checked {
    At(&|field| field.into()).within("the number of settings of one's own", count, 0..=MOST_OWN_VALUES)
}

/// Whether a manifest is one that this program could have written, but for its models.
pub(super) fn check(manifest: &Manifest) -> Checked {
    let top = At(&|field| field.into());
    let Manifest { experiment, version, commit, isa, .. } = manifest;
    for (field, text) in [("experiment", experiment), ("version", version), ("commit", commit), ("isa", isa)] {
        top.text(field, text)?;
    }
    let mut names = HashSet::new();
    for (i, row) in manifest.rows.iter().enumerate() {
        At(&|field| format!("rows[{i}].{field}")).text("name", &row.name)?;
        let of_row = |field: &str| format!("rows[{}].{field}", row.name);
        if !names.insert(&row.name) {
            At(&of_row).fail("name", "there twice", "of one row only")?;
        }
        row.setup.as_ref().map_or(Ok(()), |setup| At(&of_row).setup(setup))?;
    }
    Ok(())
}
