//! Topological locking (§6, Table 5): logic from ten examples.

use super::{Check, Experiment, LearnerRow, Plan, Progress, Record, RowPlan, Summary, why};
use crate::crystal::crystallize;
use crate::engine::Isa;
use crate::model::{Arithmetic, Config, Lite, Model, Types};
use crate::paper::{self, LOCKING_METRICS};
use crate::population::Population;
use crate::report::{Cell, Verdict};
use crate::rng::Stream;
use crate::stats::{Figure, estimate};
use crate::task::SignedSum;
use crate::train::{Learner, TrainConfig};

const NAME: &str = "locking";
/// Learners a row in the paper.
pub const LEARNERS: u64 = 400;
/// For the list of experiments.
pub(super) const EXPERIMENT: Experiment = Experiment {
    name: NAME,
    about: "Topological locking: logic from ten examples (§6, Table 5)",
    learners: LEARNERS,
    plan,
};
/// The error after crystallization.
const CRYSTALLIZED: &str = "crystallized_ood_mae";
/// OOD sums each learner is tested on.
pub const TEST_SUMS: usize = 1000;

/// What Table 5 and Appendix F tell of the OOD error: percentiles, and the shares that find the logic.
pub(crate) const OOD_FIGURES: [Figure; 5] = [
    Figure::Quantile(0.1),
    Figure::Quantile(0.25),
    Figure::Quantile(0.5),
    Figure::ShareBelow(20.0),
    Figure::ShareBelow(100.0),
];

/// STRAT-Lite as in the last row; what `strat bench locking` trains.
pub const STANDARD: Arithmetic = lite(4, 1);

const fn lite(width: usize, heads: usize) -> Arithmetic {
    Arithmetic::Lite(Lite { width, heads, types: Types::Latent })
}

/// The rows' models, in the order of [`paper::LOCKING`].
pub static MODELS: [Arithmetic; 5] =
    [Arithmetic::Unityped(Config::A), lite(2, 1), lite(2, 2), lite(3, 1), STANDARD];

/// Relative cost of a learner, so that a progress bar moves evenly.
pub fn cost(model: &Arithmetic) -> u64 {
    match model {
        Arithmetic::Unityped(_) => 8,
        Arithmetic::Lite(m) => m.heads as u64,
        Arithmetic::Nac | Arithmetic::Nalu => 4000,
    }
}

/// The same seed means the same ten examples in every row.
fn plan() -> Plan<'static> {
    let row = |(model, paper): (&'static Arithmetic, &paper::Locking)| {
        let learn = |seeds: &[u64], isa: Isa, progress: Progress<'_>| {
            let mut learners = train(model, seeds, isa, progress);
            crystallized(model, &mut learners, isa);
            learners
        };
        RowPlan::of_sums::<f32>(paper.row, *model, Some(TrainConfig::locking()), cost(model), learn)
    };
    Plan { name: NAME, rows: MODELS.iter().zip(&paper::LOCKING).map(row).collect(), summary }
}

fn summary(rows: &[LearnerRow]) -> Summary {
    let n = rows[0].learners.len();
    let mut cells = vec![];
    for (row, paper) in rows.iter().zip(&paper::LOCKING) {
        let estimates = estimate(&row.scores("ood_mae"), &OOD_FIGURES);
        for ((metric, estimate), figure) in LOCKING_METRICS.iter().zip(estimates).zip(paper.figures()) {
            cells.push(Cell::new(NAME, paper.row, metric, estimate, n, Some(figure)));
        }
    }
    let standard = rows.last().expect("there are rows");
    if standard.learners.iter().all(|l| l.metrics.contains_key(CRYSTALLIZED)) {
        let name = "Std, crystallized";
        let estimates = estimate(&standard.scores(CRYSTALLIZED), &OOD_FIGURES);
        for (metric, estimate) in LOCKING_METRICS.iter().zip(estimates) {
            cells.push(Cell::new(NAME, name, metric, estimate, n, None));
        }
    }
    let title = format!(
        "Topological locking (Table 5): {n} learners a row, ten sums each, tested on {TEST_SUMS} sums of 2000..5000"
    );
    let lite: Vec<&LearnerRow> =
        rows.iter().filter(|r| matches!(r.model, Model::Arithmetic(Arithmetic::Lite(_)))).collect();
    let notes = why::notes(&lite).unwrap_or_default();
    Summary { title, checks: checks(&cells), cells, notes, ..Summary::default() }
}

/// Trains and tests one row.
pub fn train(model: &Arithmetic, seeds: &[u64], isa: Isa, progress: Progress<'_>) -> Vec<Record> {
    let population = Population::<f32>::new(*model, TrainConfig::locking(), isa);
    let learners = population.train(seeds, &|done| progress(done as u64 * cost(model)));
    let errors = population.errors(&learners, SignedSum::OOD, Stream::TestOod, TEST_SUMS);
    learners.into_iter().zip(errors).map(|(l, e)| Record::new(l, [("ood_mae", e)])).collect()
}

/// What learners of the standard form err after [crystallization](crate::crystal): nothing, or as before where there is
/// none.
fn crystallized(model: &Arithmetic, learners: &mut [Record], isa: Isa) {
    let (STANDARD, Arithmetic::Lite(lite)) = (*model, *model) else { return };
    let became = |l: &Record| {
        let crystal = crystallize(lite, &l.weights, &TrainConfig::locking(), l.seed);
        let weights = crystal.map_or_else(|_| l.weights.clone(), |c| c.weights);
        Learner { seed: l.seed, weights, final_loss: l.metrics["final_loss"], losses: vec![] }
    };
    let became: Vec<Learner> = learners.iter().map(became).collect();
    let population = Population::<f32>::new(*model, TrainConfig::locking(), isa);
    let errors = population.errors(&became, SignedSum::OOD, Stream::TestOod, TEST_SUMS);
    for (l, error) in learners.iter_mut().zip(errors) {
        l.metrics.insert(CRYSTALLIZED.into(), error);
    }
}

fn checks(cells: &[Cell]) -> Vec<Check> {
    let cell = |row: &str, metric: &str| {
        cells.iter().find(|c| c.row == row && c.metric == metric).expect("every row has every metric")
    };
    let mut checks = vec![];
    let baseline = paper::LOCKING[0].row;
    checks.push(Check {
        statement: format!("{baseline}: median above 5,000"),
        holds: cell(baseline, "ood_mae_median").value > 5000.0,
    });
    checks.push(Check {
        statement: format!("{baseline}: no learner finds the logic"),
        holds: cell(baseline, "logic").value == 0.0,
    });
    for paper in &paper::LOCKING[1..] {
        for metric in ["ood_mae_p25", "ood_mae_median", "logic"] {
            checks.push(Check {
                statement: format!("{}: {metric} is not worse than the paper's", paper.row),
                holds: cell(paper.row, metric).verdict != Some(Verdict::Worse),
            });
        }
    }
    checks
}
