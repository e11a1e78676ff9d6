//! NAC and NALU on the task of [locking](super::locking) (App. F): arithmetic units that an
//! LSTM commands also fit ten sums without finding the rule.

use super::locking::{OOD_FIGURES, TEST_SUMS};
use super::{Experiment, paper_train, row_of_sums};
use crate::paper::{self, BASELINE_METRICS};
use strat::metric::Metric;
use strat::model::Unit;
use strat::result::{Cell, Check, LearnerRow, Summary};
use strat::rng::Stream;
use strat::stats::{Statistic, estimate};
use strat::sweep::{Plan, Scores};
use strat::task::{SignedSum, SumTask};
use strat::train::{Adam, Learner, Predictor, TrainConfig, TrainError};

const NAME: &str = "arithmetic-baselines";
/// Learners a row in the paper.
pub const LEARNERS: u64 = 400;
/// For the list of experiments.
pub(super) const EXPERIMENT: Experiment = Experiment {
    name: NAME,
    about: "NAC and NALU with LSTM controllers on ten sums (App. F)",
    learners: LEARNERS,
    plan,
};

/// Models and learning rates, in the order of [`paper::BASELINES`].
const ROWS: [(Unit, f64); 2] = [(Unit::Nac, 0.03), (Unit::Nalu, 0.01)];
/// How far a median may be from the paper's.
const TOLERANCE: f64 = 0.2;

/// The same seed means the same training and test sums in both rows.
fn plan() -> Plan {
    let row = |(&(model, rate), paper): (&(Unit, f64), &paper::Baseline)| {
        row_of_sums(paper.row, &model.into(), SumTask::LOCKING, protocol(rate)).scored_by(scores)
    };
    Plan { name: NAME, rows: ROWS.iter().zip(&paper::BASELINES).map(row).collect(), summary }
}

fn protocol(rate: f64) -> TrainConfig {
    TrainConfig { adam: Adam::new(rate), clip: Some(1.0), ..paper_train(&SumTask::LOCKING) }
}

fn scores(learner: &Learner, predictor: &mut Predictor<'_>) -> Result<Scores, TrainError> {
    let ood = predictor.error_on(SignedSum::OOD, (learner.seed, Stream::TestOod), TEST_SUMS)?;
    // The stream of training gives the ten sums that the learner was trained on.
    let batch = SumTask::LOCKING.examples.batch();
    let id = predictor.error_on(SignedSum::LOCKING, (learner.seed, Stream::Train), batch)?;
    Ok(vec![(Metric::OOD_MAE, ood), (Metric::ID_MAE, id)])
}

fn summary(rows: &[LearnerRow]) -> Summary {
    let n = rows[0].learners.len();
    let (mut cells, mut checks) = (vec![], vec![]);
    for (row, paper) in rows.iter().zip(&paper::BASELINES) {
        let train = estimate(&row.scores(Metric::ID_MAE), &[Statistic::Quantile(0.5)]);
        let estimates = estimate(&row.scores(Metric::OOD_MAE), &OOD_FIGURES).into_iter().chain(train);
        for ((metric, estimate), figure) in BASELINE_METRICS.iter().zip(estimates).zip(paper.figures()) {
            cells.push(Cell::new(NAME, paper.row, metric, estimate, n, Some(figure)));
        }
        checks.push(median_check(&cells, paper));
    }
    let title = format!(
        "Arithmetic baselines (App. F): {n} learners a row in f64, ten sums each, tested on {TEST_SUMS} sums of 2000..5000"
    );
    Summary { title, checks, cells, ..Summary::default() }
}

fn median_check(cells: &[Cell], paper: &paper::Baseline) -> Check {
    let median = cells.iter().find(|c| c.row == paper.row && c.metric == Metric::OOD_MAE_MEDIAN);
    let (ours, theirs) = (median.expect("every row has every metric").value, paper.ood_mae[2]);
    Check {
        statement: format!("{}: OOD median within {:.0} % of {theirs}", paper.row, 100.0 * TOLERANCE),
        holds: (ours / theirs - 1.0).abs() <= TOLERANCE,
    }
}
