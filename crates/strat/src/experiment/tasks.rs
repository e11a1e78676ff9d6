//! Learners of the data-set tasks (§7): trained, tested in and out of distribution, beside Table 6.

use super::{Desk, Interrupted, LearnerRow, Plan, Record, RowPlan, Summary};
use crate::baseline::{self, Shortcut};
use crate::data::DataFolder;
use crate::model::{Architecture, Blocks, Model};
use crate::paper::TaskRow;
use crate::report::Cell;
use crate::report::table::thousands;
use crate::score::Answerer;
use crate::table::OwnTable;
use crate::task::{self, Pick, Split, Task, TaskError};
use crate::train::Learner;
use crate::train::task::{Apprentices, Lessons, State, together};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::time::Instant;

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
    /// Checksum of every example ([`Task::fingerprint`]).
    pub data: String,
    /// Test examples, in distribution and out of it.
    pub tests: [usize; 2],
    /// What is easy about it: shortcuts with their accuracies, in distribution and out of it.
    pub shortcuts: Vec<(Shortcut, [f64; 2])>,
    /// Epochs and optimizer.
    pub lessons: Lessons,
    /// The table, if it is one of the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Box<OwnTable>>,
}

impl Course {
    /// These lessons on a task.
    pub fn new(task: &Task, lessons: Lessons) -> Course {
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

    /// What of the lessons is not as the paper has it, in words; of tasks of the paper.
    pub fn departs(&self) -> Option<String> {
        let paper = Lessons::paper(TaskRow::of(&self.task)?.task);
        match self.lessons {
            lessons if lessons == paper => None,
            Lessons { epochs, .. } if epochs != paper.epochs => {
                let [ours, theirs] = [epochs, paper.epochs].map(|n| thousands(n as u64));
                Some(format!("{ours} epoch{}, the paper has {theirs}", if epochs == 1 { "" } else { "s" }))
            }
            _ => Some("another optimizer than the paper's".into()),
        }
    }

    /// The task, from the files of a folder or from its own table.
    pub fn load(&self, folder: &DataFolder) -> Result<Task, TaskError> {
        match &self.table {
            Some(table) => Ok(table.task(&self.task)?),
            None => task::entry(&self.task)?.load(folder, self.pick),
        }
    }
}

/// Of runs on tasks, in manifests.
pub(crate) const NAME: &str = "train";

/// One row per model: a learner for each seed, trained and tested, a whole learner on each thread.
/// The same seed means the same examples for both models. Progress is in epochs.
pub fn plan<'a>(task: &'a Task, models: &[Architecture], lessons: Lessons) -> Plan<'a> {
    let course = Course::new(task, lessons);
    let row = |&architecture: &Architecture| {
        let model = Blocks::paper(task.name(), architecture);
        let learn = move |seeds: &[u64], desk: &Desk<'_>| learn(task, model, lessons, seeds, desk, &accuracies);
        RowPlan {
            name: architecture.title().into(),
            model: model.into(),
            train: None,
            course: Some(course.clone()),
            cost: lessons.epochs as u64,
            group: Box::new(move |isa| together(task, &model, isa)),
            learn: Box::new(learn),
        }
    };
    Plan { name: NAME, rows: models.iter().map(row).collect(), summary }
}

/// What a trained learner scores.
pub(crate) type Scores = Vec<(&'static str, f64)>;

/// In and out of distribution.
fn accuracies(task: &Task, answers: &mut Answerer<'_>) -> Scores {
    [("id_accuracy", Split::Id), ("ood_accuracy", Split::Ood)]
        .map(|(metric, split)| (metric, answers.accuracy(task.split(split))))
        .into()
}

/// Trains a learner for each seed, side by side, and scores them.
pub(crate) fn learn(
    task: &Task,
    model: Blocks,
    lessons: Lessons,
    seeds: &[u64],
    desk: &Desk<'_>,
    score: &dyn Fn(&Task, &mut Answerer<'_>) -> Scores,
) -> Result<Vec<Record>, Interrupted> {
    let mut learners = Apprentices::new(task, model, lessons, desk.isa, seeds);
    let count = seeds.len() as u64;
    let saved = seeds.iter().map(|&seed| desk.saved(seed)).collect::<Result<Option<Vec<State>>, _>>()?;
    // Learners side by side go on together or not at all; those few epochs are soon made good.
    if let Some(states) = saved.filter(|states| states.iter().all(|s| s.epoch == states[0].epoch)) {
        (desk.progress)(count * states[0].epoch as u64);
        learners.resume(&states);
    }
    let mut last = Instant::now();
    while learners.learn() {
        (desk.progress)(count);
        let stopped = desk.stopped();
        if stopped || desk.is_due(last) {
            for (i, &seed) in seeds.iter().enumerate() {
                desk.save(seed, &learners.state(i))?;
            }
            last = Instant::now();
        }
        if stopped {
            return Err(Interrupted::Stopped);
        }
    }
    let learner = |(i, &seed): (usize, &u64)| {
        let (final_loss, losses) = (learners.last_loss()[i], learners.losses(i).to_vec());
        Learner { seed, weights: learners.weights(i), final_loss, losses }
    };
    let taught: Vec<Learner> = seeds.iter().enumerate().map(learner).collect();
    // What trained them may hold as much memory as what they answer with.
    drop(learners);
    let record = |learner: Learner| {
        let scores = score(task, &mut Answerer::new(task, model, &learner.weights, desk.isa));
        Record::new(learner, scores)
    };
    Ok(taught.into_iter().map(record).collect())
}

/// The accuracies of one task's learners, beside the paper's.
pub(crate) fn summary(rows: &[LearnerRow]) -> Summary {
    // Every row of such a run has the same course.
    let Some(course) = rows.first().and_then(|r| r.course.as_ref()) else { return Summary::default() };
    let paper = TaskRow::of(&course.task);
    let n = rows[0].learners.len();
    let mut cells = vec![];
    let mut notes = String::new();
    for row in rows {
        let figures = match row.model {
            Model::Blocks(model) => paper.map(|p| p.accuracy(model.architecture)),
            Model::Arithmetic(_) => None,
        };
        for (i, (metric, split)) in [("id_accuracy", "ID"), ("ood_accuracy", "OOD")].into_iter().enumerate() {
            let sample = row.scores(metric);
            let cell = Cell {
                task: Some(course.task.clone()),
                stand_in: course.stand_in.clone(),
                ..Cell::of_mean(NAME, &row.name, metric, &sample, figures.map(|f| f[i]))
            };
            let cell = cell.departing(course.departs());
            let _ = write!(notes, "{}, {split}: {:.2}", row.name, 100.0 * cell.value);
            if let Some(error) = cell.error {
                let _ = write!(notes, " ± {:.2} (mean ± standard error, %)", 100.0 * error);
            }
            cells.push(cell);
            let each = row.learners.iter().zip(&sample).map(|(l, x)| format!("{}: {:.2}", l.seed, 100.0 * x));
            let _ = writeln!(notes, "; by seed {}", each.collect::<Vec<_>>().join(", "));
        }
    }
    notes.push_str(&baseline::lines(&course.shortcuts));
    if let Some(pick) = course.pick {
        let _ = writeln!(notes, "Base examples: {pick}.");
    }
    if let Some(stand_in) = &course.stand_in {
        let _ = writeln!(notes, "Stand-in: {stand_in}.");
    }
    Summary {
        title: format!(
            "{}: {} a model, {} epochs, tested on {} examples in distribution and {} out of it",
            task::entry(&course.task).map_or(&*course.task, |e| e.title),
            if n == 1 { "one learner".into() } else { format!("{n} learners") },
            course.lessons.epochs,
            course.tests[0],
            course.tests[1],
        ),
        cells,
        notes,
        ..Summary::default()
    }
}
