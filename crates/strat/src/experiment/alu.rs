//! The Geometric ALU (§3, App. A): hand-set weights through the same forward pass as the
//! learned ones. The existence proof.

use super::{Check, Experiment, LearnerRow, Outcome, Progress, Record};
use crate::engine::Isa;
use crate::eval::predictions;
use crate::model::{Arithmetic, Config};
use crate::paper::Printed;
use crate::report::Cell;
use crate::rng::{Draws, Stream};
use crate::stats::Estimate;
use crate::task::{SignedSum, Sum};
use crate::train::Learner;

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
    work: |_| 3,
    run,
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

/// Nothing is learned, so the seeds do not matter.
fn run(_seeds: &[u64], isa: Isa, progress: Progress<'_>) -> Outcome {
    let id = errors(isa, &SignedSum::ABLATION.draw_many(SUMS, Draws::new(0, Stream::TestId, 0)));
    progress(1);
    let ood = errors(isa, &SignedSum::OOD.draw_many(SUMS, Draws::new(0, Stream::TestOod, 0)));
    progress(1);
    let mut draws = Draws::new(0, Stream::TestOod, 1);
    let long: Vec<Sum> = (0..SUMS / 10).map(|_| SignedSum::OOD.draw_long(LONG, &mut draws)).collect();
    let long = errors(isa, &long);
    progress(1);

    let zero = Some(Printed { value: 0.0, unit: 0.1 });
    let exact = |x: f64| Estimate { value: x, low: x, high: x };
    let cell = |metric: &str, x: f64, n: usize, paper| Cell::new(NAME, "Ref", metric, exact(x), n, paper);
    let cells = vec![
        cell("id_mae_median", id[1], SUMS, zero),
        cell("ood_mae_median", ood[1], SUMS, zero),
        cell("id_mae_worst", id[0], SUMS, None),
        cell("ood_mae_worst", ood[0], SUMS, None),
    ];
    let check = |statement: String, holds: bool| Check { statement, holds };
    let checks = vec![
        check(format!("error at most 1e-9 on {SUMS} sums of 1..100 (worst {:.1e})", id[0]), id[0] <= 1e-9),
        check(format!("error at most 1e-9 on {SUMS} sums of 2000..5000 (worst {:.1e})", ood[0]), ood[0] <= 1e-9),
        check(
            format!("relative error at most 1e-6 on sums of {LONG} terms (worst {:.1e})", long[2]),
            long[2] <= 1e-6,
        ),
    ];
    let learner = Learner { seed: 0, weights: MODEL.init(0), final_loss: 0.0 };
    let record = Record::new(learner, [("id_mae", id[1]), ("ood_mae", ood[1])]);
    Outcome {
        experiment: NAME,
        title: format!("The Geometric ALU (§3, App. A), f64: {SUMS} sums of each range"),
        cells,
        checks,
        rows: vec![LearnerRow::of_sums("Ref", MODEL, None, vec![record])],
        notes: String::new(),
        figures: vec![],
    }
}
