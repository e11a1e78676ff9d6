//! A population taught with a table, as a run like any other.

use super::model_of;
use crate::metric::TAUGHT_ACCURACY;
use crate::model::Architecture;
use crate::result::{Cell, Course, LearnerRow, Summary};
use crate::sweep::task::{Scores, learn};
use crate::sweep::{Plan, RowPlan, TrainContext};
use crate::task::DataTask;
use crate::task::table::TableTask;
use crate::train::{Lessons, Predictor, TrainError, learners_per_machine};
use std::sync::Arc;

/// What such a run is called in its manifest.
pub const NAME: &str = "fit";
/// Learners of a population, unless another number is asked for: two vectors of them.
pub const LEARNERS: u64 = 32;

/// A learner for each seed on the task of a table.
pub fn plan<'a>(task: &'a DataTask, own: &TableTask, lessons: Lessons) -> Plan<'a> {
    let course = Course {
        task: task.name().into(),
        pick: None,
        stand_in: None,
        data: task.fingerprint(),
        tests: [0, 0],
        shortcuts: vec![],
        lessons,
        table: Some(Box::new(own.clone())),
    };
    let model = model_of(task, Architecture::Strat);
    let score = |_: u64, learner: &mut Predictor<'_>| -> Result<Scores, TrainError> {
        Ok(vec![(TAUGHT_ACCURACY, learner.mean_score(task.bases())?)])
    };
    let learn = move |seeds: &[u64], context: &TrainContext<'_>| {
        learn(task, Arc::new(model), lessons.config(), seeds, context, &score)
    };
    let row = RowPlan {
        name: Architecture::Strat.title().into(),
        model: model.into(),
        train: None,
        course: Some(course),
        own: None,
        cost: lessons.epochs as u64,
        group: Box::new(move |isa| learners_per_machine::<f32>(task, &model, isa)),
        learn: Box::new(learn),
    };
    Plan { name: NAME, rows: vec![row], summary }
}

/// How many learners have learned what they were taught.
pub fn summary(rows: &[LearnerRow]) -> Summary {
    let (Some(row), mut out) = (rows.first(), Summary::default()) else { return Summary::default() };
    let Some(own) = row.course.as_ref().and_then(|c| c.table.as_ref()) else { return out };
    let taught: Vec<f64> =
        row.learners.iter().filter_map(|l| l.metrics.get(&*TAUGHT_ACCURACY.name).copied()).collect();
    let (n, all) = (row.learners.len(), taught.iter().filter(|t| **t == 1.0).count());
    out.title = format!(
        "{:?} from {}: {} rows, {n} learners",
        own.schema.target,
        if own.schema.fields.len() == 1 {
            "one column".into()
        } else {
            format!("{} columns", own.schema.fields.len())
        },
        own.rows.len()
    );
    out.cells.push(Cell::of_mean(NAME, &row.name, &TAUGHT_ACCURACY, &taught, None));
    out.notes = format!("{all} of {n} learners answer every row as the table does.\n");
    out
}
