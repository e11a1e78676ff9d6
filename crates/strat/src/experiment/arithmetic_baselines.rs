//! NAC and NALU on the task of [locking](super::locking) (App. F): arithmetic units that an
//! LSTM commands also fit ten sums without finding the rule.

use super::locking::TEST_SUMS;
use super::{Check, Experiment, LearnerRow, Outcome, Progress, Record};
use crate::engine::Isa;
use crate::model::Arithmetic;
use crate::optim::Adam;
use crate::paper::{self, BASELINE_METRICS};
use crate::population::Population;
use crate::report::Cell;
use crate::rng::Stream;
use crate::stats::{Figure, estimate};
use crate::task::SignedSum;
use crate::train::TrainConfig;

const NAME: &str = "arithmetic-baselines";
/// Learners a row in the paper.
pub const LEARNERS: u64 = 400;
/// For the list of experiments.
pub(super) const EXPERIMENT: Experiment = Experiment {
    name: NAME,
    about: "NAC and NALU with LSTM controllers on ten sums (App. F)",
    learners: LEARNERS,
    work: |learners| ROWS.len() as u64 * learners,
    run,
};

/// Models and learning rates, in the order of [`paper::BASELINES`].
const ROWS: [(Arithmetic, f64); 2] = [(Arithmetic::Nac, 0.03), (Arithmetic::Nalu, 0.01)];
/// How far a median may be from the paper's.
const TOLERANCE: f64 = 0.2;

/// Runs both rows for these seeds, in `f64`, on the current thread pool. The same seed means
/// the same training and test sums in both.
pub fn run(seeds: &[u64], isa: Isa, progress: Progress<'_>) -> Outcome {
    let ood_figures = [
        Figure::Quantile(0.1),
        Figure::Quantile(0.25),
        Figure::Quantile(0.5),
        Figure::ShareBelow(20.0),
        Figure::ShareBelow(100.0),
    ];
    let (mut cells, mut rows, mut checks) = (vec![], vec![], vec![]);
    for ((model, rate), paper) in ROWS.iter().zip(&paper::BASELINES) {
        let config = TrainConfig { adam: Adam::new(*rate), clip: Some(1.0), ..TrainConfig::locking() };
        let population = Population::<f64>::new(*model, config, isa);
        let learners = population.train(seeds, &|done| progress(done as u64));
        let ood = population.errors(&learners, SignedSum::OOD, Stream::TestOod, TEST_SUMS);
        // The stream of training gives the ten sums that the learner was trained on.
        let id = population.errors(&learners, SignedSum::LOCKING, Stream::Train, config.batch());

        let estimates = estimate(&ood, &ood_figures).into_iter().chain(estimate(&id, &[Figure::Quantile(0.5)]));
        for ((metric, estimate), figure) in BASELINE_METRICS.iter().zip(estimates).zip(paper.figures()) {
            cells.push(Cell::new(NAME, paper.row, metric, estimate, seeds.len(), Some(figure)));
        }
        checks.push(median_check(&cells, paper));
        let scored = learners.into_iter().zip(ood.into_iter().zip(id));
        let learners = scored.map(|(l, (ood, id))| Record::new(l, [("ood_mae", ood), ("id_mae", id)])).collect();
        rows.push(LearnerRow::of_sums(paper.row, *model, Some(config), learners));
    }
    let title = format!(
        "Arithmetic baselines (App. F): {} learners a row in f64, ten sums each, tested on {TEST_SUMS} sums of 2000..5000",
        seeds.len()
    );
    Outcome { experiment: NAME, title, checks, cells, rows, notes: String::new(), figures: vec![] }
}

fn median_check(cells: &[Cell], paper: &paper::Baseline) -> Check {
    let median = cells.iter().find(|c| c.row == paper.row && c.metric == "ood_mae_median");
    let (ours, theirs) = (median.expect("every row has every metric").value, paper.ood_mae[2]);
    Check {
        statement: format!("{}: OOD median within {:.0} % of {theirs}", paper.row, 100.0 * TOLERANCE),
        holds: (ours / theirs - 1.0).abs() <= TOLERANCE,
    }
}
