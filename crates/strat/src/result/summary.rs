//! What learners show.

use super::{Cell, LearnerRow};
use serde::{Deserialize, Serialize};

/// What an experiment gives back: what it shows and every learner behind it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// What the learners show.
    pub summary: Summary,
    /// Learners, by row of the table.
    pub rows: Vec<LearnerRow>,
}

/// What the learners of an experiment show: a function of them alone.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// One line that says what was done.
    pub title: String,
    /// The table.
    pub cells: Vec<Cell>,
    /// Statements about the table that must hold, and whether they do.
    pub checks: Vec<Check>,
    /// What else there is to say, as lines of text below the table.
    pub notes: String,
    /// Pictures: file name and SVG.
    pub figures: Vec<(String, String)>,
}

/// Learners, row by row, to what they show.
pub type Summarize = fn(&[LearnerRow]) -> Summary;

/// A stated expectation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// What should hold.
    pub statement: String,
    /// Whether it does.
    pub holds: bool,
}
