//! What the numbers and texts of a manifest may be. A program that reads one may train by it, allocate
//! for it and print it, so it is held to what this one writes, with some room.

use super::Manifest;
use super::limits::LONGEST_TEXT;
use crate::baseline::Shortcut;
use crate::result::Course;
use crate::task::Examples;
use crate::task::{Grocery, SignedSum, Sums};
use crate::train::{Adam, Anneal, SumTraining};
use std::collections::HashSet;
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Most steps of a learner on sums; the paper's take two thousand.
const MOST_STEPS: usize = 100_000;
/// Most epochs on a task (`--epochs`); the paper's learners have six thousand at most.
const MOST_EPOCHS: usize = 1_000_000;
/// Most sums of a step; the paper has 64.
const MOST_SUMS: usize = 1024;
/// The largest number in a generated sum; the paper's are up to 5000.
const LARGEST_LITERAL: u32 = 1_000_000;
/// The largest factor by which gates are sharpened; ours is 4.
const MOST_SHARPNESS: f64 = 1000.0;
/// Most test examples of a task.
const MOST_TESTS: usize = 100_000_000;
/// The largest number of a line in a table's file.
const LAST_LINE: usize = u32::MAX as usize;

/// A value that no run has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} is {value}, but should be {allowed}")]
pub struct RangeError {
    /// Which, as in `rows[STRAT].course.lessons.epochs`.
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

    fn positive(&self, field: &str, value: f64, most: f64) -> Checked {
        if value > 0.0 && value <= most {
            Ok(())
        } else {
            self.fail(field, value, format!("above 0 and at most {most}"))
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

    fn adam(&self, Adam { learning_rate, beta1, beta2, epsilon, weight_decay }: &Adam) -> Checked {
        self.positive("adam.rate", *learning_rate, 1.0)?;
        for (field, beta) in [("adam.beta1", *beta1), ("adam.beta2", *beta2)] {
            if !(0.0..1.0).contains(&beta) {
                self.fail(field, beta, "from 0 to below 1")?;
            }
        }
        self.positive("adam.epsilon", *epsilon, 1.0)?;
        self.within("adam.decay", *weight_decay, 0.0..=1.0)
    }

    fn clip(&self, clip: f64) -> Checked {
        self.positive("clip", clip, 1e6)
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

    fn train(&self, train: &SumTraining) -> Checked {
        // None of a control that is not trained.
        self.within("steps", train.steps, 0..=MOST_STEPS)?;
        if let Some(Anneal { from, sharpness, rate }) = train.anneal {
            self.within("anneal.from", from, 0.0..=1.0)?;
            self.positive("anneal.sharpness", sharpness, MOST_SHARPNESS)?;
            self.positive("anneal.rate", rate, 1.0)?;
        }
        self.adam(&train.adam)?;
        train.clip.map_or(Ok(()), |clip| self.clip(clip))?;
        match &train.examples {
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

    fn course(&self, course: &Course) -> Checked {
        self.text("task", &course.task)?;
        let is_checksum = |hex: &str| hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit());
        if !course.data.strip_prefix("sha256:").is_some_and(is_checksum) {
            self.fail("data", format_args!("{:?}", course.data), "sha256: and 64 hexadecimal digits")?;
        }
        course.tests.iter().try_for_each(|&n| self.within("tests", n, 0..=MOST_TESTS))?;
        self.within("the number of shortcuts", course.shortcuts.len(), 0..=Shortcut::ALL.len())?;
        let scores = course.shortcuts.iter().flat_map(|(_, scores)| scores);
        scores.into_iter().try_for_each(|&score| self.within("shortcuts", score, 0.0..=1.0))?;
        self.within("lessons.epochs", course.lessons.epochs, 1..=MOST_EPOCHS)?;
        self.adam(&course.lessons.adam)?;
        self.clip(course.lessons.clip)?;
        let Some(table) = &course.table else { return Ok(()) };
        table.rows.iter().try_for_each(|r| self.within("table.rows.row", r.row, 1..=LAST_LINE))
    }
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
        let of_row = |part: &'static str| {
            let name = row.name.clone();
            move |field: &str| format!("rows[{name}].{part}{field}")
        };
        if !names.insert(&row.name) {
            At(&of_row("")).fail("name", "there twice", "of one row only")?;
        }
        row.train.as_ref().map_or(Ok(()), |train| At(&of_row("train.")).train(train))?;
        row.course.as_ref().map_or(Ok(()), |course| At(&of_row("course.")).course(course))?;
    }
    Ok(())
}
