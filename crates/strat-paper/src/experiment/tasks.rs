//! Learners of the data-set tasks (§7): trained, tested in and out of distribution, beside Table 6.

use crate::paper::TaskRow;
use std::fmt::Write;
use std::sync::Arc;
use strat::baseline::{self};
use strat::metric::{ID_ACCURACY, OOD_ACCURACY};
use strat::model::{Architecture, BlockModel, ModelRecord};
use strat::result::{Cell, Course, LearnerRow, Summary, thousands};
use strat::sweep::task::{Scores, learn};
use strat::sweep::{Plan, RowPlan, TrainContext};
use strat::task::{self, DataTask, Split};
use strat::train::{Lessons, Predictor, TrainError, learners_per_machine};

/// What of the lessons is not as the paper has it, in words; of tasks of the paper.
pub(super) fn departs(course: &Course) -> Option<String> {
    let paper = Lessons::paper(TaskRow::of(&course.task)?.task);
    match course.lessons {
        lessons if lessons == paper => None,
        Lessons { epochs, .. } if epochs != paper.epochs => {
            let [ours, theirs] = [epochs, paper.epochs].map(|n| thousands(n as u64));
            Some(format!("{ours} epoch{}, the paper has {theirs}", if epochs == 1 { "" } else { "s" }))
        }
        _ => Some("another optimizer than the paper's".into()),
    }
}

/// Of runs on tasks, in manifests.
pub(crate) const NAME: &str = "train";

/// One row per model: a learner for each seed, trained and tested, a whole learner on each thread.
/// The same seed means the same examples for both models. Progress is in epochs.
pub fn plan<'a>(task: &'a DataTask, models: &[Architecture], lessons: Lessons) -> Plan<'a> {
    let course = Course::new(task, lessons);
    let row = |&architecture: &Architecture| {
        let model = BlockModel::paper(task.name(), architecture);
        let learn = move |seeds: &[u64], context: &TrainContext<'_>| {
            learn(task, Arc::new(model), lessons.config(), seeds, context, &accuracies)
        };
        RowPlan {
            name: architecture.title().into(),
            model: model.into(),
            train: None,
            course: Some(course.clone()),
            own: None,
            cost: lessons.epochs as u64,
            group: Box::new(move |isa| learners_per_machine::<f32>(task, &model, isa)),
            learn: Box::new(learn),
        }
    };
    Plan { name: NAME, rows: models.iter().map(row).collect(), summary }
}

/// In and out of distribution.
fn accuracies(seed: u64, learner: &mut Predictor<'_>) -> Result<Scores, TrainError> {
    let splits = [(ID_ACCURACY, Split::Id), (OOD_ACCURACY, Split::Ood)];
    splits.into_iter().map(|(metric, split)| Ok((metric, learner.test(split, seed)?))).collect()
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
            ModelRecord::Blocks(model) => paper.map(|p| p.accuracy(model.architecture)),
            _ => None,
        };
        for (i, (metric, split)) in [(ID_ACCURACY, "ID"), (OOD_ACCURACY, "OOD")].into_iter().enumerate() {
            let sample = row.scores(&metric);
            let cell = Cell {
                task: Some(course.task.clone()),
                stand_in: course.stand_in.clone(),
                ..Cell::of_mean(NAME, &row.name, &metric, &sample, figures.map(|f| f[i]))
            };
            let cell = cell.departing(departs(course));
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
