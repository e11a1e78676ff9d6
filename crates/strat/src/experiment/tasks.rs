//! Learners of the data-set tasks (§7): trained, tested in and out of distribution, beside Table 6.

use super::{LearnerRow, Plan, Progress, Record, RowPlan, Summary};
use crate::engine::Isa;
use crate::model::{Architecture, Blocks};
use crate::paper::TaskRow;
use crate::report::Cell;
use crate::score::Answerer;
use crate::stats::{Figure, estimate, standard_error};
use crate::task::{Pick, Split, Task};
use crate::train::Learner;
use crate::train::task::{Apprentice, Lessons};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

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
    /// Epochs and optimizer.
    pub lessons: Lessons,
}

impl Course {
    /// These lessons on a task.
    pub fn new(task: &Task, lessons: Lessons) -> Course {
        let stand_in = task.stand_in().map(String::from);
        Course { task: task.name().into(), pick: task.pick(), stand_in, lessons }
    }
}

/// One row per model: a learner for each seed, trained and tested, a whole learner on each thread.
/// The same seed means the same examples for both models. Progress is in epochs.
pub fn plan<'a>(task: &'a Task, models: &[Architecture], lessons: Lessons) -> Plan<'a> {
    let row = |&architecture: &Architecture| {
        let model = Blocks::paper(task.name(), architecture);
        let learn = move |seeds: &[u64], isa: Isa, progress: Progress<'_>| -> Vec<Record> {
            seeds.par_iter().with_max_len(1).map(|&s| learn(task, model, lessons, s, isa, progress)).collect()
        };
        RowPlan {
            name: architecture.title(),
            model: model.into(),
            train: None,
            course: Some(Course::new(task, lessons)),
            cost: lessons.epochs as u64,
            learn: Box::new(learn),
        }
    };
    Plan {
        name: "train",
        rows: models.iter().map(row).collect(),
        summary: Box::new(move |rows| summary(task, lessons, rows)),
    }
}

fn learn(task: &Task, model: Blocks, lessons: Lessons, seed: u64, isa: Isa, progress: Progress<'_>) -> Record {
    let mut learner = Apprentice::new(task, model, lessons, isa, seed);
    while learner.learn() {
        progress(1);
    }
    let weights = learner.weights();
    let mut answers = Answerer::new(task, model, &weights, isa);
    let scores = [("id_accuracy", Split::Id), ("ood_accuracy", Split::Ood)]
        .map(|(metric, split)| (metric, answers.accuracy(task.split(split))));
    Record::new(Learner { seed, weights, final_loss: learner.last_loss() }, scores)
}

fn summary(task: &Task, lessons: Lessons, rows: &[LearnerRow]) -> Summary {
    let paper = TaskRow::of(task.name());
    let n = rows[0].learners.len();
    let mut cells = vec![];
    let mut notes = String::new();
    for row in rows {
        let figures = paper.map(|p| p.accuracy(row.name == Architecture::Strat.title()));
        for (i, (metric, split)) in [("id_accuracy", "ID"), ("ood_accuracy", "OOD")].into_iter().enumerate() {
            let sample = row.scores(metric);
            let mean = estimate(&sample, &[Figure::Mean])[0];
            cells.push(Cell {
                task: Some(task.name().into()),
                stand_in: task.stand_in().map(String::from),
                ..Cell::new("train", row.name, metric, mean, n, figures.map(|f| f[i]))
            });
            let _ = write!(notes, "{}, {split}: {:.2}", row.name, 100.0 * mean.value);
            if n > 1 {
                let _ = write!(notes, " ± {:.2} (mean ± standard error, %)", 100.0 * standard_error(&sample));
            }
            let each = row.learners.iter().zip(&sample).map(|(l, x)| format!("{}: {:.2}", l.seed, 100.0 * x));
            let _ = writeln!(notes, "; by seed {}", each.collect::<Vec<_>>().join(", "));
        }
    }
    if let Some(pick) = task.pick() {
        let _ = writeln!(notes, "Base examples: {pick}.");
    }
    if let Some(stand_in) = task.stand_in() {
        let _ = writeln!(notes, "Stand-in: {stand_in}.");
    }
    Summary {
        title: format!(
            "{}: {} a model, {} epochs, tested on {} examples in distribution and {} out of it",
            task.title(),
            if n == 1 { "one learner".into() } else { format!("{n} learners") },
            lessons.epochs,
            task.split(Split::Id).len(),
            task.split(Split::Ood).len(),
        ),
        cells,
        notes,
        ..Summary::default()
    }
}
