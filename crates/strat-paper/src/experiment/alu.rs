//! The Geometric ALU (§3, App. A): hand-set weights through the same forward pass as the
//! learned ones. The existence proof.

use super::Experiment;
use std::sync::Arc;
use strat::metric::Metric;
use strat::model::{Model, Precision, Unityped};
use strat::result::{Cell, Check, LearnerRow, Printed, Summary};
use strat::rng::{RandomStream, Stream};
use strat::sweep::{Plan, RowPlan, Scores};
use strat::task::{Example, SignedSum, Sum, SumTask};
use strat::train::{Learner, Predictor, TrainConfig, TrainError};

const NAME: &str = "alu";
/// Sums of each kind.
const SUMS: usize = 10_000;
/// Terms of the long sums.
const LONG: usize = 50;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: NAME,
    about: "The Geometric ALU: hand-set weights add without error (§3, App. A)",
    learners: 1,
    plan,
};

/// Nothing is learned: every seed has the same weights.
fn plan() -> Plan {
    let train = TrainConfig { steps: 0, ..TrainConfig::DEFAULT };
    let row = RowPlan::recorded("Ref", Arc::new(Alu), (Arc::new(SumTask::ABLATION), None), train);
    let row = row.expect("the ALU reads sums").scored_by(scores);
    Plan { name: NAME, rows: vec![row], summary }
}

/// [`Unityped::Ref`] in double precision: its proof is of numbers without rounding.
#[derive(Debug)]
struct Alu;

impl Model for Alu {
    fn spec(&self) -> strat::model::Spec {
        Unityped::Ref.spec()
    }

    fn build(&self, tokens: usize) -> strat::model::Built {
        Unityped::Ref.build(tokens)
    }

    fn precision(&self) -> Precision {
        Precision::F64
    }
}

/// Largest and mean error, and the largest relative to the sum of all literals.
fn errors(predictor: &mut Predictor<'_>, sums: &[Sum]) -> Result<[f64; 3], TrainError> {
    let examples: Vec<Example> = sums.iter().map(Sum::example).collect();
    let answers = predictor.outputs(&examples)?;
    let mut worst = [0f64; 3];
    for (y, s) in answers.iter().zip(sums) {
        let e = (y[0] - s.answer() as f64).abs();
        let all: f64 = s.values.iter().map(|&v| f64::from(v)).sum();
        worst = [worst[0].max(e), worst[1] + e / sums.len() as f64, worst[2].max(e / all)];
    }
    Ok(worst)
}

fn scores(_: &Learner, predictor: &mut Predictor<'_>) -> Result<Scores, TrainError> {
    let id = errors(predictor, &SignedSum::ABLATION.draw_many(SUMS, RandomStream::new(0, Stream::TestId, 0)))?;
    let ood = errors(predictor, &SignedSum::OOD.draw_many(SUMS, RandomStream::new(0, Stream::TestOod, 0)))?;
    let mut draws = RandomStream::new(0, Stream::TestOod, 1);
    let long: Vec<Sum> = (0..SUMS / 10).map(|_| SignedSum::OOD.draw_long(LONG, &mut draws)).collect();
    let long = errors(predictor, &long)?;
    Ok(vec![
        (Metric::ID_MAE, id[1]),
        (Metric::OOD_MAE, ood[1]),
        (Metric::ID_MAE_WORST, id[0]),
        (Metric::OOD_MAE_WORST, ood[0]),
        (Metric::LONG_RELATIVE_WORST, long[2]),
        // Nothing was trained, and nothing is lost.
        (Metric::FINAL_LOSS, 0.0),
    ])
}

fn summary(rows: &[LearnerRow]) -> Summary {
    let score = |metric: &Metric| rows[0].learners[0].score(metric);
    let zero = Some(Printed::exact(0.0, 0.1));
    let cell = |metric: &Metric, x: f64, paper| Cell::exact(NAME, "Ref", metric, x, SUMS, paper);
    let [id, ood, long] = [&Metric::ID_MAE_WORST, &Metric::OOD_MAE_WORST, &Metric::LONG_RELATIVE_WORST].map(score);
    let check = |statement: String, holds: bool| Check { statement, holds };
    Summary {
        title: format!("The Geometric ALU (§3, App. A), f64: {SUMS} sums of each range"),
        cells: vec![
            cell(&Metric::ID_MAE_MEDIAN, score(&Metric::ID_MAE), zero),
            cell(&Metric::OOD_MAE_MEDIAN, score(&Metric::OOD_MAE), zero),
            cell(&Metric::ID_MAE_WORST, id, None),
            cell(&Metric::OOD_MAE_WORST, ood, None),
        ],
        checks: vec![
            check(format!("error at most 1e-9 on {SUMS} sums of 1..100 (worst {id:.1e})"), id <= 1e-9),
            check(format!("error at most 1e-9 on {SUMS} sums of 2000..5000 (worst {ood:.1e})"), ood <= 1e-9),
            check(format!("relative error at most 1e-6 on sums of {LONG} terms (worst {long:.1e})"), long <= 1e-6),
        ],
        ..Summary::default()
    }
}
