//! STRAT-Lite with fixed types (§5.3): the §4 protocol, and how each learner subtracts.

use super::{Check, Experiment, LearnerRow, Plan, Progress, Record, RowPlan, Summary};
use crate::engine::Isa;
use crate::inspect::attractor::{Attractor, Mechanism};
use crate::model::{Arithmetic, Lite, Types};
use crate::paper::LITE_OOD_MAE;
use crate::population::Population;
use crate::report::Cell;
use crate::rng::Stream;
use crate::stats::{Figure, estimate};
use crate::task::SignedSum;
use crate::train::TrainConfig;
use std::fmt::Write;

const NAME: &str = "lite";
const ROW: &str = "STRAT-Lite (fixed types)";
const TEST_SUMS: usize = 1000;
const LITE: Lite = Lite { width: 4, heads: 1, types: Types::Fixed };

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: NAME,
    about: "STRAT-Lite with fixed types, and its two attractors (§5.3, App. C)",
    learners: 50,
    plan: || Plan {
        name: NAME,
        rows: vec![RowPlan::of_sums::<f32>(ROW, Arithmetic::Lite(LITE), Some(TrainConfig::ablation()), 1, learn)],
        summary,
    },
};

fn learn(seeds: &[u64], isa: Isa, progress: Progress<'_>) -> Vec<Record> {
    let population = Population::<f32>::new(Arithmetic::Lite(LITE), TrainConfig::ablation(), isa);
    let learners = population.train(seeds, &|done| progress(done as u64));
    let id = population.errors(&learners, SignedSum::ABLATION, Stream::TestId, TEST_SUMS);
    let ood = population.errors(&learners, SignedSum::OOD, Stream::TestOod, TEST_SUMS);
    let record = |(i, l)| Record::new(l, [("id_mae", id[i]), ("ood_mae", ood[i])]);
    learners.into_iter().enumerate().map(record).collect()
}

fn summary(rows: &[LearnerRow]) -> Summary {
    let row = &rows[0];
    let n = row.learners.len();
    let mechanisms: Vec<Mechanism> = row.learners.iter().map(|l| Mechanism::of(LITE, &l.weights)).collect();
    let [p25, median] = [0.25, 0.5].map(Figure::Quantile);
    let cell = |metric: &str, e, paper| Cell::new(NAME, ROW, metric, e, n, paper);
    let mut cells = vec![cell("id_mae_median", estimate(&row.scores("id_mae"), &[median])[0], None)];
    let ood = estimate(&row.scores("ood_mae"), &[p25, median]);
    for ((metric, e), paper) in ["ood_mae_p25", "ood_mae_median"].iter().zip(ood).zip(LITE_OOD_MAE) {
        cells.push(cell(metric, e, Some(paper)));
    }
    for (metric, kind) in [("standard", Attractor::Standard), ("mirror", Attractor::Mirror)] {
        // A share, as the share of zeros among zeros (such) and ones (not such).
        let such: Vec<f64> = mechanisms.iter().map(|m| f64::from(u8::from(m.attractor() != kind))).collect();
        cells.push(cell(metric, estimate(&such, &[Figure::ShareBelow(0.5)])[0], None));
    }
    let below = cells.iter().any(|c| c.metric == "ood_mae_median" && c.value < 80.0);
    Summary {
        title: format!("STRAT-Lite with fixed types (§5.3): {n} learners, 2,000 steps of 64 sums"),
        checks: vec![Check { statement: "OOD median below 80".into(), holds: below }],
        notes: notes(&row.learners, &mechanisms),
        cells,
        figures: vec![],
    }
}

/// The best learner of each attractor, as Appendix C prints them.
fn notes(learners: &[Record], mechanisms: &[Mechanism]) -> String {
    let mut out = String::new();
    let ood = |i: &usize| learners[*i].metrics["ood_mae"];
    for kind in [Attractor::Standard, Attractor::Mirror] {
        let such = (0..learners.len()).filter(|&i| mechanisms[i].attractor() == kind);
        if let Some(best) = such.min_by(|a, b| ood(a).total_cmp(&ood(b))) {
            let (seed, ood) = (learners[best].seed, ood(&best));
            let _ = writeln!(out, "Seed {seed}, OOD MAE {ood:.1}. {}", mechanisms[best]);
        }
    }
    out
}
