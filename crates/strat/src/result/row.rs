//! Rows of learners: what they are, what they are taught, and those that there are.

use super::LearnerResult;
use crate::baseline::{self, Shortcut};
use crate::data::DataFolder;
use crate::data::content::hex;
use crate::model::{ModelRecord, Spec};
use crate::task::table::TableTask;
use crate::task::{self, DataTask, Pick, Split, Task, TaskError};
use crate::train::Lessons;
use crate::train::{SumTraining, TrainConfig};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A row of the table, and what its learners are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// As in the table.
    pub name: String,
    /// Which model the weights belong to.
    pub model: ModelRecord,
    /// How they are trained on sums, if they are.
    pub train: Option<Box<SumTraining>>,
    /// What they are taught, if it is a task.
    pub course: Option<Course>,
    /// What they learn, if it is a task of one's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Box<OwnTask>>,
}

/// A task that this program need not know, and how it is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnTask {
    /// What its author calls it.
    pub task: Spec,
    /// Checksum of the examples of its first learner, so that a changed task is noticed.
    pub data: String,
    /// How it is trained.
    pub train: TrainConfig,
}

impl OwnTask {
    /// Of a task.
    pub fn of(task: &dyn Task, train: TrainConfig) -> OwnTask {
        let mut sha = Sha256::new();
        let sets = [task.train(1, 0), task.test(Split::Id, 1), task.test(Split::Ood, 1)];
        for example in sets.iter().flat_map(|set| set.iter()) {
            sha.update(format!("{example:?}\n"));
        }
        OwnTask { task: task.spec(), data: format!("sha256:{}", hex(&sha.finalize())), train }
    }
}

/// What a learner was taught, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Course {
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
    /// Epochs and optimizer.
    pub lessons: Lessons,
    /// The table, if it is one of the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Box<TableTask>>,
}

impl Course {
    /// These lessons on a task.
    pub fn new(task: &DataTask, lessons: Lessons) -> Course {
        Course {
            task: task.name().into(),
            pick: task.pick(),
            stand_in: task.stand_in().map(String::from),
            data: task.fingerprint(),
            tests: [Split::Id, Split::Ood].map(|split| task.split(split).len()),
            shortcuts: baseline::table(task),
            lessons,
            table: None,
        }
    }

    /// The task, from the files of a folder or from its own table.
    pub fn load(&self, folder: &DataFolder) -> Result<DataTask, TaskError> {
        match &self.table {
            Some(table) => Ok(table.task(&self.task)?),
            None => task::entry(&self.task)?.load(folder, self.pick),
        }
    }
}

/// The learners behind one row.
#[derive(Clone, Debug)]
pub struct LearnerRow {
    /// The row's name.
    pub name: String,
    /// What they are.
    pub model: ModelRecord,
    /// How they were trained on sums, if they were.
    pub train: Option<SumTraining>,
    /// What they were taught, if it was a task.
    pub course: Option<Course>,
    /// What they learned, if it was a task of one's own.
    pub own: Option<OwnTask>,
    /// The learners in order of seed.
    pub learners: Vec<LearnerResult>,
}

impl LearnerRow {
    /// The learners of a row.
    pub fn new(row: &Row, learners: Vec<LearnerResult>) -> LearnerRow {
        let Row { name, model, train, course, own } = row.clone();
        LearnerRow { name, model, train: train.map(|train| *train), course, own: own.map(|own| *own), learners }
    }

    /// As the manifest names it.
    pub fn row(&self) -> Row {
        let LearnerRow { name, model, train, course, own, .. } = self.clone();
        Row { name, model, train: train.map(Box::new), course, own: own.map(Box::new) }
    }

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
