//! What is to be learned.

use super::{Desk, Interrupted};
use crate::engine::{Elem, Isa};
use crate::model::{Arithmetic, PaperModel};
use crate::result::{Course, Record, Row, Summarize};
use crate::train::{SumTraining, TrainError};

/// Hears of work done.
pub type Progress<'a> = &'a (dyn Fn(u64) + Sync);

/// What is to be done: rows of learners, and what to make of them.
pub struct Plan<'a> {
    /// Its name on the command line.
    pub name: &'static str,
    /// The rows.
    pub rows: Vec<RowPlan<'a>>,
    /// What the learners show.
    pub summary: Summarize,
}

/// Trains and tests a learner for each seed, in the order of the seeds, on the current thread.
/// Each comes out the same, whatever the others. Progress is in units of the row's cost.
pub type Learn<'a> = Box<dyn Fn(&[u64], &Desk<'_>) -> Result<Vec<Record>, Interrupted> + Sync + 'a>;

/// A row to be learned.
pub struct RowPlan<'a> {
    /// The row's name.
    pub name: String,
    /// What its learners are.
    pub model: PaperModel,
    /// How they are trained on sums, if they are.
    pub train: Option<SumTraining>,
    /// What they are taught, if it is a task.
    pub course: Option<Course>,
    /// Work of one learner, in the units of progress.
    pub cost: u64,
    /// How many learners are best trained at once.
    pub group: Box<dyn Fn(Isa) -> usize + Sync + 'a>,
    /// How learners come about.
    pub learn: Learn<'a>,
}

impl<'a> RowPlan<'a> {
    /// A row of the arithmetic half, trained a vector of learners at a time.
    pub fn of_sums<E: Elem>(
        name: impl Into<String>,
        model: Arithmetic,
        train: Option<SumTraining>,
        cost: u64,
        learn: impl Fn(&[u64], Isa, Progress<'_>) -> Result<Vec<Record>, TrainError> + Sync + 'a,
    ) -> Self {
        let learn = move |seeds: &[u64], desk: &Desk<'_>| Ok(learn(seeds, desk.isa, desk.progress)?);
        RowPlan {
            name: name.into(),
            model: model.into(),
            train,
            course: None,
            cost,
            group: Box::new(Isa::lanes::<E>),
            learn: Box::new(learn),
        }
    }

    /// As the manifest names it.
    pub fn row(&self) -> Row {
        Row {
            name: self.name.clone(),
            model: self.model,
            train: self.train.map(Box::new),
            course: self.course.clone(),
        }
    }
}
