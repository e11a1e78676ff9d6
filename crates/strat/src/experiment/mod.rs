//! The paper's experiments, each a function from seeds to cells and learners.

pub mod locking;

use crate::engine::reference::Arrays;
use crate::model::Param;
use crate::report::Cell;

/// What an experiment gives back: the table and every learner behind it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its name on the command line.
    pub experiment: &'static str,
    /// One line that says what was done.
    pub title: String,
    /// The table.
    pub cells: Vec<Cell>,
    /// Statements about the table that must hold, and whether they do.
    pub checks: Vec<Check>,
    /// Learners, by row of the table.
    pub rows: Vec<LearnerRow>,
}

/// A stated expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What should hold.
    pub statement: String,
    /// Whether it does.
    pub holds: bool,
}

/// The learners behind one row.
#[derive(Clone, Debug)]
pub struct LearnerRow {
    /// The row's name.
    pub name: &'static str,
    /// Parameters of the model, with their shapes.
    pub params: Vec<Param>,
    /// The learners in order of seed.
    pub learners: Vec<Record>,
}

/// One learner: what it scored and what it learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its seed.
    pub seed: u64,
    /// Mean squared error on its training examples at the end.
    pub final_loss: f64,
    /// Mean absolute error out of distribution.
    pub ood_mae: f64,
    /// Its weights.
    pub weights: Arrays,
}
