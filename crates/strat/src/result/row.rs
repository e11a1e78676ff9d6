//! Rows of learners: what they are, what they learn, and those that there are.

use super::LearnerResult;
use crate::baseline::Shortcut;
use crate::config::TrainConfig;
use crate::data::DataFolder;
use crate::data::content::hex;
use crate::metric::Metric;
use crate::model::{ModelRecord, Spec};
use crate::task::table::TableTask;
use crate::task::{ArrayTask, DataTask, Entry, Examples, Pick, Split, SumTask, Task, TaskError};
use sha2::{Digest, Sha256};
use std::ops::Deref;
use std::sync::Arc;

/// A row of the table, and what its learners are.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// As in the table.
    pub name: String,
    /// Which model the weights belong to.
    pub model: ModelRecord,
    /// What they learn, and how; none where nothing is learned.
    pub setup: Option<TaskSetup>,
}

/// What learners learn, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskSetup {
    /// The task, as files name it.
    pub task: TaskRecord,
    /// How they are trained.
    pub train: TrainConfig,
}

/// A task as files name it: one of the paper's, a table, or anyone's own.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TaskRecord {
    /// Sums or lists.
    Sums(Box<Examples>),
    /// A data set of §7, or a table of the user's own.
    Data(Box<DataRecord>),
    /// Not of the paper.
    Own(Box<OwnTask>),
}

/// A data set as files name it.
#[derive(Clone, Debug, PartialEq)]
pub struct DataRecord {
    /// The task's name.
    pub task: String,
    /// How its base examples were chosen; none where the paper says which they are.
    pub pick: Option<Pick>,
    /// What is not the paper's data; none if all of it is.
    pub stand_in: Option<String>,
    /// Checksum of every example ([`DataTask::fingerprint`]).
    pub data: String,
    /// Test examples, in distribution and out of it.
    pub tests: [usize; 2],
    /// What is easy about it: shortcuts with their accuracies, in distribution and out of it.
    pub shortcuts: Vec<(Shortcut, [f64; 2])>,
    /// The table, if it is one of the user's own.
    pub table: Option<Box<TableTask>>,
}

/// A task that this program need not know.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnTask {
    /// What its author calls it.
    pub task: Spec,
    /// Checksum of the examples of its first learner, so that a changed task is noticed.
    pub data: String,
    /// What its scores are called and counted in, where that is none of this project's metrics.
    pub metric: Option<Metric>,
}

impl OwnTask {
    /// Of a task.
    pub fn of(task: &dyn Task) -> OwnTask {
        let metric = Some(task.metric()).filter(|metric| !metric.is_built_in());
        if let Some(data) = task.fingerprint() {
            return OwnTask { task: task.spec(), data, metric };
        }
        let mut sha = Sha256::new();
        let sets = [task.train(1, 0), task.test(Split::Id, 1), task.test(Split::Ood, 1)];
        for example in sets.iter().flat_map(|set| set.iter()) {
            sha.update(format!("{example:?}\n"));
        }
        OwnTask { task: task.spec(), data: format!("sha256:{}", hex(&sha.finalize())), metric }
    }
}

impl DataRecord {
    /// Of a task, with what simple rules score on it.
    pub fn of(task: &DataTask) -> DataRecord {
        DataRecord {
            task: task.name().into(),
            pick: task.pick(),
            stand_in: task.stand_in().map(String::from),
            data: task.fingerprint(),
            tests: [Split::Id, Split::Ood].map(|split| task.split(split).len()),
            shortcuts: Shortcut::table(task),
            table: None,
        }
    }

    /// The task, from the files of a folder or from its own table.
    pub fn open(&self, folder: &DataFolder) -> Result<DataTask, TaskError> {
        match &self.table {
            Some(table) => Ok(table.task(&self.task)?),
            None => Entry::named(&self.task)?.load(folder, self.pick),
        }
    }
}

impl TaskRecord {
    /// Of any task that is no data set: sums and lists are known again.
    pub fn of(task: &dyn Task) -> TaskRecord {
        match SumTask::of_spec(&task.spec()) {
            Some(examples) => TaskRecord::Sums(examples.into()),
            None => TaskRecord::Own(OwnTask::of(task).into()),
        }
    }

    /// What the task is called.
    pub fn name(&self) -> &str {
        match self {
            TaskRecord::Sums(examples) => examples.name(),
            TaskRecord::Data(data) => &data.task,
            TaskRecord::Own(own) => &own.task.kind,
        }
    }
}

impl TaskSetup {
    /// The task; none if only the program that has it knows it.
    pub fn open(&self, folder: &DataFolder) -> Result<Option<Arc<dyn Task>>, TaskError> {
        Ok(match &self.task {
            TaskRecord::Sums(examples) => Some(Arc::new(SumTask::new(**examples, self.train.steps))),
            TaskRecord::Data(data) => Some(Arc::new(data.open(folder)?)),
            TaskRecord::Own(own) => match ArrayTask::form_of(&own.task) {
                Some(form) => Some(Arc::new(ArrayTask::find(&form, folder).map_err(TaskError::from)?)),
                None => None,
            },
        })
    }
}

impl Row {
    /// The sums or lists that its learners are trained on, if they are.
    pub fn sums(&self) -> Option<SumTask> {
        match self.setup.as_ref()? {
            TaskSetup { task: TaskRecord::Sums(examples), train } => Some(SumTask::new(**examples, train.steps)),
            _ => None,
        }
    }

    /// The data set or table that its learners are trained on, if they are.
    pub fn data(&self) -> Option<&DataRecord> {
        match &self.setup.as_ref()?.task {
            TaskRecord::Data(data) => Some(data),
            _ => None,
        }
    }

    /// The table of the user's own that its learners are trained on, if they are.
    pub fn table(&self) -> Option<&TableTask> {
        self.data()?.table.as_deref()
    }

    /// What a score of its learners is called and counted in: as its task says, else as this project has it.
    pub fn metric(&self, name: &str) -> Metric {
        let own = match self.setup.as_ref().map(|setup| &setup.task) {
            Some(TaskRecord::Own(own)) => own.metric.as_ref(),
            _ => None,
        };
        let tested = own.into_iter().flat_map(|own| [Split::Id, Split::Ood].map(|split| split.metric(own)));
        tested.chain(own.cloned()).find(|metric| metric.name == name).unwrap_or_else(|| Metric::named(name))
    }

    /// How its learners are trained, if they are.
    pub fn train(&self) -> Option<&TrainConfig> {
        self.setup.as_ref().map(|setup| &setup.train)
    }
}

/// The learners behind one row.
#[derive(Clone, Debug)]
pub struct LearnerRow {
    /// What they are.
    pub row: Row,
    /// The learners in order of seed.
    pub learners: Vec<LearnerResult>,
}

impl Deref for LearnerRow {
    type Target = Row;

    fn deref(&self) -> &Row {
        &self.row
    }
}

impl LearnerRow {
    /// The mean of a score.
    pub fn mean(&self, metric: impl AsRef<str>) -> f64 {
        let scores = self.scores(metric);
        scores.iter().sum::<f64>() / scores.len() as f64
    }

    /// A score of every learner.
    pub fn scores(&self, metric: impl AsRef<str>) -> Vec<f64> {
        self.learners.iter().map(|l| l.score(&metric)).collect()
    }
}
