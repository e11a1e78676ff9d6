//! Table 11: the trainable parameters of both models on every task.

use super::Experiment;
use crate::paper::TASKS;
use strat::metric::Metric;
use strat::model::Architecture;
use strat::result::{Cell, Check, LearnerRow, Printed, Summary};
use strat::sweep::Plan;
use strat::task::Entry;

const NAME: &str = "params";

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: NAME,
    about: "Trainable parameters of both models on the eleven data sets (Table 11)",
    learners: 1,
    plan: || Plan { name: NAME, rows: vec![], summary },
};

/// There is nothing to learn.
fn summary(_: &[LearnerRow]) -> Summary {
    let mut cells = vec![];
    for row in &TASKS {
        // Those on formulas are not there without their feature.
        let Ok(entry) = Entry::named(row.task) else { continue };
        for (architecture, printed) in Architecture::ALL.into_iter().zip(row.parameters) {
            let params = entry.model(architecture).params();
            let count = params.iter().map(|p| p.shape[0] * p.shape[1]).sum::<usize>() as f64;
            let metric = match architecture {
                Architecture::Strat => Metric::STRAT_PARAMETERS,
                Architecture::Transformer => Metric::TRANSFORMER_PARAMETERS,
            };
            let paper = Printed::exact(printed as f64, 1.0);
            cells.push(Cell::exact(NAME, entry.title, &metric, count, 1, Some(paper)));
        }
    }
    let equal = cells.iter().filter(|c| c.paper == Some(c.value)).count();
    Summary {
        title: "Trainable parameters (Table 11), counted in the models".into(),
        checks: vec![Check { statement: "all 22 counts are the paper's".into(), holds: equal == 22 }],
        cells,
        ..Summary::default()
    }
}
