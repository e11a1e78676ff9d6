//! Teaching sets: few sums from which nearly every learner finds the logic. Beyond the paper, whose learners draw ten
//! sums at random and mostly do not. And misleading sums, from which hardly any learner does, although they leave one rule.

pub mod search;

use super::locking::{OOD_FIGURES, TEST_SUMS};
use super::{Experiment, paper_train, row_of_sums};
use crate::paper::LOCKING_METRICS;
use search::Aim;
use std::fmt::Write;
use strat::engine::Isa;
use strat::metric::Metric;
use strat::model::{Lite, ModelRecord};
use strat::result::{Cell, Check, LearnerRow, Summary};
use strat::rng::Stream;
use strat::stats::estimate;
use strat::sweep::{Plan, Progress, Scores};
use strat::task::{Examples, SignedSum, Sum, SumTask, TeachingSet};
use strat::train::{Learner, Predictor, TrainConfig, TrainError};

/// Its name on the command line.
pub const NAME: &str = "teaching-sets";
/// The model that is taught.
const LITE: Lite = Lite::STANDARD;
/// Learners a set.
const LEARNERS: u64 = 1000;
/// The share that should find the logic.
const WANTED: f64 = 0.99;

/// The share that at most finds it in misleading sums.
const MISLED: f64 = 0.01;

/// The sets that are looked for: row, number of sums, and what for.
pub const ROWS: [(&str, usize, Aim); 4] = [
    ("ten sums", 10, Aim::Teach),
    ("six sums", 6, Aim::Teach),
    ("four sums", 4, Aim::Teach),
    ("ten misleading sums", 10, Aim::Mislead),
];

/// For the list of experiments.
pub(super) const EXPERIMENT: Experiment = Experiment {
    name: NAME,
    about: "Beyond the paper: few sums from which nearly every learner locks, or hardly any, found and tested",
    learners: LEARNERS,
    plan: || plan(&find(Isa::detect().expect("it was asked for before"), &|_| {})),
};

/// The sums of a set as a task.
fn task(sums: TeachingSet) -> SumTask {
    SumTask { examples: Examples::Chosen { sums }, ..SumTask::LOCKING }
}

/// Training as in §6.
fn train() -> TrainConfig {
    paper_train(&SumTask::LOCKING)
}

/// Looks for a set for each of [`ROWS`], on the current thread pool. Progress is in units of [`search::COST`] a set.
pub fn find(isa: Isa, progress: Progress<'_>) -> Vec<TeachingSet> {
    ROWS.iter().map(|&(_, count, aim)| search::find(aim, count, isa, progress)).collect()
}

/// Learners taught with these sets, and with ten sums of their own as in §6.
pub fn plan(sets: &[TeachingSet]) -> Plan {
    let row = |name, task| row_of_sums(name, &ModelRecord::Lite(LITE), task, train()).scored_by(scores);
    let taught = ROWS.iter().zip(sets).map(|(&(name, ..), &set)| row(name, task(set)));
    let own = row("ten sums of its own", SumTask::LOCKING);
    Plan { name: NAME, rows: taught.chain([own]).collect(), summary }
}

fn scores(learner: &Learner, predictor: &mut Predictor<'_>) -> Result<Scores, TrainError> {
    Ok(vec![(Metric::OOD_MAE, predictor.error_on(SignedSum::OOD, (learner.seed, Stream::TestOod), TEST_SUMS)?)])
}

/// What the learners show.
pub(super) fn summary(rows: &[LearnerRow]) -> Summary {
    let mut out = Summary::default();
    let mut shares: Vec<(Aim, f64)> = vec![];
    for row in rows {
        let n = row.learners.len();
        for (metric, e) in LOCKING_METRICS.iter().zip(estimate(&row.scores(Metric::OOD_MAE), &OOD_FIGURES)) {
            out.cells.push(Cell::new(NAME, &row.name, metric, e, n, None));
        }
        let Some(Examples::Chosen { sums }) = row.sums().map(|task| task.examples) else { continue };
        let aim = ROWS.iter().find(|r| r.0 == row.name).map_or(Aim::Teach, |r| r.2);
        shares.push((aim, out.cells.last().expect("the last metric is the logic").value));
        let lines: Vec<String> = sums.sums().iter().map(|s: &Sum| format!("  {s} = {}\n", s.answer())).collect();
        let _ = write!(
            out.notes,
            "{}, the same for all learners (largest by smallest singular value {:.2}):\n{}",
            row.name,
            search::collinearity(&sums.sums()),
            lines.concat()
        );
    }
    let any = |aim, fits: &dyn Fn(f64) -> bool| shares.iter().any(|&(of, share)| of == aim && fits(share));
    out.checks.push(Check {
        statement: "there is a set from which at least 99 % of learners find the logic".into(),
        holds: any(Aim::Teach, &|share| share >= WANTED),
    });
    out.checks.push(Check {
        statement: "there is a set that leaves one rule, and from which at most 1 % of learners find it".into(),
        holds: any(Aim::Mislead, &|share| share <= MISLED),
    });
    out.title = format!(
        "Teaching sets: {} learners a row, none of which the search has seen, tested on {TEST_SUMS} sums of 2000..5000",
        rows.first().map_or(0, |r| r.learners.len())
    );
    out
}
