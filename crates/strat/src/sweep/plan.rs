//! What is to be learned.

use super::learn::{Score, Scores, at_once};
use crate::config::{TrainConfig, ValidConfig};
use crate::engine::Isa;
use crate::metric::Metric;
use crate::model::{Model, ModelRecord};
use crate::record::Manifest;
use crate::result::{Cell, LearnerResult, LearnerRow, Row, Summarize, Summary, TaskRecord, TaskSetup};
use crate::seeds::Seeds;
use crate::task::{Split, Task};
use crate::train::{Learner, Population, Predictor, TrainError};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Hears of work done.
pub type Progress<'a> = &'a (dyn Fn(u64) + Sync);

/// What is to be done: rows of learners, and what to make of them.
pub struct Plan {
    /// Its name on the command line.
    pub name: &'static str,
    /// The rows.
    pub rows: Vec<RowPlan>,
    /// What the learners show.
    pub summary: Summarize,
}

/// A row to be learned: a model on a task.
pub struct RowPlan {
    /// What the manifest says of it.
    row: Row,
    pub(super) model: Arc<dyn Model>,
    pub(super) task: Arc<dyn Task>,
    config: ValidConfig,
    pub(super) score: Score,
    /// Work of one step of a learner, in the units of progress.
    pub(super) cost: u64,
    /// What is shown of its learners beside the plan's summary.
    pub(super) more: Option<More>,
    /// Rows of one number whose learners may be trained side by side.
    pub(super) together: Option<usize>,
}

/// Cells of a row's learners, whose weights are at hand.
type More = Box<dyn Fn(&[LearnerResult], Isa) -> Result<Vec<Cell>, TrainError> + Send + Sync>;

impl Plan {
    /// Models and tasks of one's own: what every row's learners score, in a table.
    pub fn own(name: &'static str, rows: Vec<RowPlan>) -> Plan {
        Plan { name, rows, summary: Plan::own_summary }
    }

    /// The mean of every score, by row.
    pub fn own_summary(rows: &[LearnerRow]) -> Summary {
        let mut out = Summary::default();
        let names: BTreeSet<&String> =
            rows.iter().flat_map(|r| &r.learners).flat_map(|l| l.metrics.keys()).collect();
        for row in rows.iter().filter(|row| !row.learners.is_empty()) {
            for metric in names.iter().map(|name| row.metric(name)).filter(|metric| *metric != Metric::FINAL_LOSS) {
                let task = row.setup.as_ref().map_or("", |setup| setup.task.name());
                out.cells.push(Cell::of_mean(task, &row.name, &metric, &row.scores(&metric), None));
            }
        }
        let learners = rows.first().map_or(0, |r| r.learners.len());
        out.title = format!("{} rows of {learners} learners", rows.len());
        out
    }

    /// What a run folder of it begins with: every seed, on this instruction set, with weights.
    pub fn manifest(&self, seeds: Seeds, isa: Isa) -> Manifest {
        Manifest {
            format: Manifest::FORMAT,
            experiment: self.name.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            commit: "unknown".into(),
            isa: isa.name().into(),
            weights: true,
            seeds,
            shard: None,
            preset: None,
            rows: self.rows.iter().map(|plan| plan.row.clone()).collect(),
        }
    }
}

impl RowPlan {
    /// Learners of any model on any task, tested on both of its test sets. They are saved on the way. Whether the model can
    /// read the task, and the configuration can be, is seen here.
    pub fn new(
        name: impl Into<String>,
        model: Arc<dyn Model>,
        task: Arc<dyn Task>,
        train: TrainConfig,
    ) -> Result<Self, TrainError> {
        let record = TaskRecord::of(&*task);
        RowPlan::recorded(name, model, (task, Some(record)), train)
    }

    /// The same with a task that the manifest describes so; `None` where nothing is learned.
    pub fn recorded(
        name: impl Into<String>,
        model: Arc<dyn Model>,
        (task, record): (Arc<dyn Task>, Option<TaskRecord>),
        train: TrainConfig,
    ) -> Result<Self, TrainError> {
        let config = train.check()?;
        Population::check(&*task, &*model)?;
        let setup = record.map(|task| TaskSetup { task, train });
        let row = Row { name: name.into(), model: ModelRecord::of(&*model), setup };
        let tested = task.clone();
        let score: Score = Box::new(move |learner, predictor| scores(&*tested, learner, predictor));
        Ok(RowPlan { row, model, task, config, score, cost: 1, more: None, together: None })
    }

    /// With other scores.
    pub fn scored_by(
        self,
        score: impl Fn(&Learner, &mut Predictor<'_>) -> Result<Scores, TrainError> + Send + Sync + 'static,
    ) -> Self {
        RowPlan { score: Box::new(score), ..self }
    }

    /// With more to be shown of its learners when all are done, for which their weights are needed. Whoever merges shards
    /// adds the same.
    pub fn showing(
        self,
        more: impl Fn(&[LearnerResult], Isa) -> Result<Vec<Cell>, TrainError> + Send + Sync + 'static,
    ) -> Self {
        RowPlan { more: Some(Box::new(more)), ..self }
    }

    /// With steps that are so many times as much work as those of other rows, so that a progress bar moves evenly.
    pub fn costing(self, cost: u64) -> Self {
        RowPlan { cost, ..self }
    }

    /// Learners of neighbouring rows with the same number may be trained side by side: they have the same model, task,
    /// scores and number of steps, and differ in the rest of their configuration.
    pub fn together(self, number: usize) -> Self {
        RowPlan { together: Some(number), ..self }
    }

    /// As the manifest names it.
    pub fn row(&self) -> &Row {
        &self.row
    }

    /// How its learners are trained.
    pub fn config(&self) -> ValidConfig {
        self.config
    }

    /// Work of one learner, in the units of progress: its steps, and its test.
    pub(super) fn work(&self) -> u64 {
        self.config.get().steps as u64 * self.cost + 1
    }

    /// How many learners are best trained at once.
    pub(super) fn at_once(&self, isa: Isa) -> usize {
        at_once(&*self.task, &*self.model, isa)
    }
}

/// What a learner scores on the test sets that its task has.
fn scores(task: &dyn Task, learner: &Learner, predictor: &mut Predictor<'_>) -> Result<Scores, TrainError> {
    let mut scores = vec![];
    for split in [Split::Id, Split::Ood] {
        if !task.test(split, learner.seed).is_empty() {
            scores.push((split.metric(&task.metric()), predictor.test(split, learner.seed)?));
        }
    }
    Ok(scores)
}
