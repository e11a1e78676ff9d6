//! The Geometric ALU (§3, App. A): hand-set weights through the same forward pass as the
//! learned ones. The existence proof.

use super::Experiment;
use strat::engine::Isa;
use strat::metric::{self, Metric};
use strat::model::{Arithmetic, Config};
use strat::result::{Cell, Check, LearnerResult, LearnerRow, Printed, Summary};
use strat::rng::{RandomStream, Stream};
use strat::sweep::{Plan, Progress, RowPlan};
use strat::task::{SignedSum, Sum};
use strat::train::Learner;
use strat::train::{TrainError, predictions};

const NAME: &str = "alu";
const MODEL: Arithmetic = Arithmetic::Unityped(Config::Ref);
/// Sums of each kind.
const SUMS: usize = 10_000;
/// Terms of the long sums.
const LONG: usize = 50;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: NAME,
    about: "The Geometric ALU: hand-set weights add without error (§3, App. A)",
    learners: 1,
    plan: || Plan { name: NAME, rows: vec![RowPlan::of_sums::<f64>("Ref", MODEL, None, 1, learn)], summary },
};

/// Largest and mean error, and the largest relative to the sum of all literals.
fn errors(isa: Isa, sums: &[Sum]) -> [f64; 3] {
    let weights = MODEL.init(0);
    let answers = predictions::<f64>(&MODEL, isa, &weights, sums);
    let mut worst = [0f64; 3];
    for (y, s) in answers.iter().zip(sums) {
        let e = (y - s.answer() as f64).abs();
        let all: f64 = s.values.iter().map(|&v| f64::from(v)).sum();
        worst = [worst[0].max(e), worst[1] + e / sums.len() as f64, worst[2].max(e / all)];
    }
    worst
}

/// Nothing is learned: every seed has the same weights.
fn learn(seeds: &[u64], isa: Isa, progress: Progress<'_>) -> Result<Vec<LearnerResult>, TrainError> {
    let id = errors(isa, &SignedSum::ABLATION.draw_many(SUMS, RandomStream::new(0, Stream::TestId, 0)));
    let ood = errors(isa, &SignedSum::OOD.draw_many(SUMS, RandomStream::new(0, Stream::TestOod, 0)));
    let mut draws = RandomStream::new(0, Stream::TestOod, 1);
    let long: Vec<Sum> = (0..SUMS / 10).map(|_| SignedSum::OOD.draw_long(LONG, &mut draws)).collect();
    let long = errors(isa, &long);
    let metrics = [
        ("id_mae", id[1]),
        ("ood_mae", ood[1]),
        ("id_mae_worst", id[0]),
        ("ood_mae_worst", ood[0]),
        ("long_relative_worst", long[2]),
    ];
    let record = |&seed: &u64| {
        progress(1);
        LearnerResult::new(Learner { seed, weights: MODEL.init(0), final_loss: 0.0, losses: vec![] }, metrics)
    };
    Ok(seeds.iter().map(record).collect())
}

fn summary(rows: &[LearnerRow]) -> Summary {
    let score = |metric: &Metric| rows[0].learners[0].score(metric);
    let zero = Some(Printed::exact(0.0, 0.1));
    let cell = |metric: &Metric, x: f64, paper| Cell::exact(NAME, "Ref", metric, x, SUMS, paper);
    let [id, ood, long] = [&metric::ID_MAE_WORST, &metric::OOD_MAE_WORST, &metric::LONG_RELATIVE_WORST].map(score);
    let check = |statement: String, holds: bool| Check { statement, holds };
    Summary {
        title: format!("The Geometric ALU (§3, App. A), f64: {SUMS} sums of each range"),
        cells: vec![
            cell(&metric::ID_MAE_MEDIAN, score(&metric::ID_MAE), zero),
            cell(&metric::OOD_MAE_MEDIAN, score(&metric::OOD_MAE), zero),
            cell(&metric::ID_MAE_WORST, id, None),
            cell(&metric::OOD_MAE_WORST, ood, None),
        ],
        checks: vec![
            check(format!("error at most 1e-9 on {SUMS} sums of 1..100 (worst {id:.1e})"), id <= 1e-9),
            check(format!("error at most 1e-9 on {SUMS} sums of 2000..5000 (worst {ood:.1e})"), ood <= 1e-9),
            check(format!("relative error at most 1e-6 on sums of {LONG} terms (worst {long:.1e})"), long <= 1e-6),
        ],
        ..Summary::default()
    }
}
