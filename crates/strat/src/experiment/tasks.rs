//! Learners of the data-set tasks (§7): trained, tested in and out of distribution, beside Table 6.

use super::{LearnerRow, Outcome, Progress, Record};
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

/// Seeds of the paper's learners.
pub const SEEDS: std::ops::RangeInclusive<u64> = 41..=50;

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

/// Trains one learner per model and seed on the current thread pool, a whole learner on each
/// thread, and tests it. The same seed means the same examples for both models. `progress` hears
/// of epochs.
pub fn run(
    task: &Task,
    models: &[Architecture],
    lessons: Lessons,
    seeds: &[u64],
    isa: Isa,
    progress: Progress<'_>,
) -> Outcome {
    let jobs: Vec<(Blocks, u64)> =
        models.iter().flat_map(|&a| seeds.iter().map(move |&seed| (Blocks::paper(task.name(), a), seed))).collect();
    let learn = |&(model, seed): &(Blocks, u64)| {
        let mut learner = Apprentice::new(task, model, lessons, isa, seed);
        while learner.learn() {
            progress(1);
        }
        let weights = learner.weights();
        let mut answers = Answerer::new(task, model, &weights, isa);
        let scores = [("id_accuracy", Split::Id), ("ood_accuracy", Split::Ood)]
            .map(|(metric, split)| (metric, answers.accuracy(task.split(split))));
        Record::new(Learner { seed, weights, final_loss: learner.last_loss() }, scores)
    };
    let mut records = jobs.par_iter().with_max_len(1).map(learn).collect::<Vec<_>>().into_iter();

    let paper = TaskRow::of(task.name());
    let (mut cells, mut rows) = (vec![], vec![]);
    let mut notes = String::new();
    for &architecture in models {
        let learners: Vec<Record> = records.by_ref().take(seeds.len()).collect();
        let figures = paper.map(|row| row.accuracy(architecture == Architecture::Strat));
        for (i, metric) in ["id_accuracy", "ood_accuracy"].into_iter().enumerate() {
            let sample: Vec<f64> = learners.iter().map(|l| l.metrics[metric]).collect();
            let (mean, printed) = (estimate(&sample, &[Figure::Mean])[0], figures.map(|f| f[i]));
            let title = architecture.title();
            cells.push(Cell::new("train", title, metric, mean, seeds.len(), printed));
            let split = if i == 0 { "ID" } else { "OOD" };
            let _ = write!(notes, "{title}, {split}: {:.2}", 100.0 * mean.value);
            if seeds.len() > 1 {
                let _ = write!(notes, " ± {:.2} (mean ± standard error, %)", 100.0 * standard_error(&sample));
            }
            let each: Vec<String> =
                learners.iter().zip(&sample).map(|(l, x)| format!("{}: {:.2}", l.seed, 100.0 * x)).collect();
            let _ = writeln!(notes, "; by seed {}", each.join(", "));
        }
        rows.push(LearnerRow {
            name: architecture.title(),
            model: Blocks::paper(task.name(), architecture).into(),
            train: None,
            course: Some(Course::new(task, lessons)),
            learners,
        });
    }
    if let Some(pick) = task.pick() {
        let _ = writeln!(notes, "Base examples: {pick}.");
    }
    if let Some(stand_in) = task.stand_in() {
        let _ = writeln!(notes, "Stand-in: {stand_in}.");
    }
    Outcome {
        experiment: "train",
        title: format!(
            "{}: {} a model, {} epochs, tested on {} examples in distribution and {} out of it",
            task.title(),
            if seeds.len() == 1 { "one learner".into() } else { format!("{} learners", seeds.len()) },
            lessons.epochs,
            task.split(Split::Id).len(),
            task.split(Split::Ood).len(),
        ),
        cells,
        checks: vec![],
        rows,
        notes,
        figures: vec![],
    }
}
