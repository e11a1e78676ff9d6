//! Why a table cannot be learned.

use super::weight::MOST_WEIGHT;
use super::{LONGEST, MOST_CLASSES};
use crate::data::clip;
use crate::task::table::notes::Note;
use crate::task::table::sheet::MOST_ROWS;

/// Why there is nothing to learn.
#[expect(missing_docs, reason = "the messages say what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    #[error("there is no column {name:?}; the columns are {}", list(.names))]
    NoColumn { name: String, names: Vec<String> },
    #[error("the target {target:?} is {class:?} in every row; there is nothing to learn")]
    OneClass { target: String, class: String },
    #[error(
        "column {column:?}: {text:?} is longer than {LONGEST} bytes, those that are not printed counted as they are \
         kept, with six each; shorten it, or leave the column out"
    )]
    Long { column: String, text: String },
    #[error("{target:?} is the target; it cannot be irrelevant or a weight too")]
    Irrelevant { target: String },
    #[error("row {row}, column {column:?}: {text:?} is no weight, which is a whole number from 1 to {MOST_WEIGHT}")]
    Weight { row: usize, column: String, text: String },
    #[error(
        "column {column:?}: the weights add up to more than {MOST_ROWS} rows; divide them, or take a part of the table"
    )]
    Weights { column: String },
    #[error("the target {target:?} has no value in any row")]
    NoClass { target: String },
    #[error(
        "the target {target:?} has {found} different values in {rows} rows, and at most {MOST_CLASSES} can be learned, each \
         in two rows on average; is it the right column?"
    )]
    ManyClasses { target: String, found: usize, rows: usize },
    #[error("no column is left to learn from{}", listed(.notes))]
    NoFields { notes: Vec<Note> },
}

fn list(names: &[String]) -> String {
    names.iter().map(|n| format!("{:?}", clip(n))).collect::<Vec<_>>().join(", ")
}

/// The first few notes, a line each.
fn listed(notes: &[Note]) -> String {
    const SHOWN: usize = 20;
    let mut lines: String = notes.iter().take(SHOWN).map(|n| format!("\n  {n}")).collect();
    if notes.len() > SHOWN {
        lines += &format!("\n  and {} more", notes.len() - SHOWN);
    }
    lines
}
