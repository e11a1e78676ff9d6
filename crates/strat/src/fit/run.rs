//! A population taught with a table, as a run like any other.

use super::held_out;
use super::model_of;
use crate::metric::Metric;
use crate::model::Architecture;
use crate::result::{Cell, DataRecord, LearnerRow, Summary, TaskRecord};
use crate::sweep::{Plan, RowPlan};
use crate::task::table::TableTask;
use crate::task::{DataTask, Task};
use crate::train::{TrainConfig, TrainError};
use std::sync::Arc;

/// What such a run is called in its manifest.
pub const NAME: &str = "fit";
/// Learners of a population, unless another number is asked for: two vectors of them.
pub const LEARNERS: u64 = 32;

/// Learners that are taught unless another number is asked for: fewer where the table's mixture is without them.
pub fn learners(own: &TableTask) -> u64 {
    if own.is_without_strat() { held_out::LEARNERS } else { LEARNERS }
}

/// A learner for each seed on the task of a table.
pub fn plan(task: &Arc<DataTask>, own: &TableTask, train: TrainConfig) -> Result<Plan, TrainError> {
    let record = DataRecord {
        task: task.name().into(),
        pick: None,
        stand_in: None,
        data: task.fingerprint(),
        tests: [0, 0],
        shortcuts: vec![],
        table: Some(Box::new(own.clone())),
    };
    let (model, taught) = (model_of(task, Architecture::Strat), task.clone());
    let recorded = (task.clone() as Arc<dyn Task>, Some(TaskRecord::Data(record.into())));
    let row = RowPlan::recorded(Architecture::Strat.title(), Arc::new(model), recorded, train)?
        .scored_by(move |_, predictor| Ok(vec![(Metric::TAUGHT_ACCURACY, predictor.mean_score(taught.bases())?)]));
    Ok(Plan { name: NAME, rows: vec![row], summary })
}

/// How many learners have learned what they were taught.
pub fn summary(rows: &[LearnerRow]) -> Summary {
    let (Some(row), mut out) = (rows.first(), Summary::default()) else { return Summary::default() };
    let Some(own) = row.table() else { return out };
    let taught: Vec<f64> =
        row.learners.iter().filter_map(|l| l.metrics.get(&*Metric::TAUGHT_ACCURACY.name).copied()).collect();
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
    out.cells.push(Cell::of_mean(NAME, &row.name, &Metric::TAUGHT_ACCURACY, &taught, None));
    out.notes = format!("{all} of {n} learners answer every row as the table does.\n");
    if own.is_without_strat() {
        out.notes += "They have no say in the answers: other classifiers are better on rows left out.\n";
    }
    out
}
