//! What is to be learned.

use super::task::{Scores, learn};
use super::{Interrupted, TrainContext};
use crate::engine::{Elem, Isa};
use crate::metric::{FINAL_LOSS, Metric};
use crate::model::{Arithmetic, Model, ModelRecord};
use crate::record::{FORMAT, Manifest};
use crate::result::{Cell, Course, LearnerResult, LearnerRow, OwnTask, Row, Summarize, Summary};
use crate::seeds::Seeds;
use crate::task::{Split, Task};
use crate::train::{Predictor, SumTraining, TrainConfig, TrainError, learners_per_machine};
use std::collections::BTreeSet;
use std::sync::Arc;

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
pub type Learn<'a> = Box<dyn Fn(&[u64], &TrainContext<'_>) -> Result<Vec<LearnerResult>, Interrupted> + Sync + 'a>;

/// A row to be learned.
pub struct RowPlan<'a> {
    /// The row's name.
    pub name: String,
    /// What its learners are.
    pub model: ModelRecord,
    /// How they are trained on sums, if they are.
    pub train: Option<SumTraining>,
    /// What they are taught, if it is a task.
    pub course: Option<Course>,
    /// What they learn, if it is a task of one's own.
    pub own: Option<OwnTask>,
    /// Work of one learner, in the units of progress.
    pub cost: u64,
    /// How many learners are best trained at once.
    pub group: Box<dyn Fn(Isa) -> usize + Sync + 'a>,
    /// How learners come about.
    pub learn: Learn<'a>,
}

impl<'a> Plan<'a> {
    /// Models and tasks of one's own: what every row's learners score, in a table.
    pub fn own(name: &'static str, rows: Vec<RowPlan<'a>>) -> Plan<'a> {
        Plan { name, rows, summary: own_summary }
    }

    /// What a run folder of it begins with: every seed, on this instruction set, with weights.
    pub fn manifest(&self, seeds: Seeds, isa: Isa) -> Manifest {
        Manifest {
            format: FORMAT,
            experiment: self.name.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            commit: "unknown".into(),
            isa: isa.name().into(),
            weights: true,
            seeds,
            shard: None,
            rows: self.rows.iter().map(RowPlan::row).collect(),
        }
    }
}

/// The mean of every score, by row.
pub fn own_summary(rows: &[LearnerRow]) -> Summary {
    let mut out = Summary::default();
    let names: BTreeSet<&String> = rows.iter().flat_map(|r| &r.learners).flat_map(|l| l.metrics.keys()).collect();
    for row in rows.iter().filter(|row| !row.learners.is_empty()) {
        for metric in names.iter().map(|name| Metric::named(name)).filter(|metric| *metric != FINAL_LOSS) {
            let task = row.own.as_ref().map_or("", |own| &own.task.kind);
            out.cells.push(Cell::of_mean(task, &row.name, &metric, &row.scores(&metric), None));
        }
    }
    let learners = rows.first().map_or(0, |r| r.learners.len());
    out.title = format!("{} rows of {learners} learners", rows.len());
    out
}

impl<'a> RowPlan<'a> {
    /// Learners of any model on any task, tested on both of its test sets. They are saved on the way.
    pub fn new(name: impl Into<String>, model: Arc<dyn Model>, task: &'a dyn Task, train: TrainConfig) -> Self {
        let record = ModelRecord::of(&*model);
        let together_of = model.clone();
        let learn = move |seeds: &[u64], context: &TrainContext<'_>| {
            let score = |seed: u64, learner: &mut Predictor<'_>| scores(task, seed, learner);
            learn(task, model.clone(), train, seeds, context, &score)
        };
        RowPlan {
            name: name.into(),
            model: record,
            train: None,
            course: None,
            own: Some(OwnTask::of(task, train)),
            cost: train.steps as u64,
            group: Box::new(move |isa| learners_per_machine::<f32>(task, &*together_of, isa)),
            learn: Box::new(learn),
        }
    }

    /// A row of the arithmetic half, trained a vector of learners at a time.
    pub fn of_sums<E: Elem>(
        name: impl Into<String>,
        model: Arithmetic,
        train: Option<SumTraining>,
        cost: u64,
        learn: impl Fn(&[u64], Isa, Progress<'_>) -> Result<Vec<LearnerResult>, TrainError> + Sync + 'a,
    ) -> Self {
        let learn =
            move |seeds: &[u64], context: &TrainContext<'_>| Ok(learn(seeds, context.isa, context.progress)?);
        RowPlan {
            name: name.into(),
            model: model.into(),
            train,
            course: None,
            own: None,
            cost,
            group: Box::new(Isa::lanes::<E>),
            learn: Box::new(learn),
        }
    }

    /// As the manifest names it.
    pub fn row(&self) -> Row {
        Row {
            name: self.name.clone(),
            model: self.model.clone(),
            train: self.train.map(Box::new),
            course: self.course.clone(),
            own: self.own.clone().map(Box::new),
        }
    }
}

/// What a learner scores on the test sets that its task has.
fn scores(task: &dyn Task, seed: u64, learner: &mut Predictor<'_>) -> Result<Scores, TrainError> {
    let mut scores = vec![];
    for split in [Split::Id, Split::Ood] {
        if !task.test(split, seed).is_empty() {
            scores.push((split.metric(&task.metric()), learner.test(split, seed)?));
        }
    }
    Ok(scores)
}
