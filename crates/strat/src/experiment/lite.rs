//! STRAT-Lite with fixed types (§5.3): the §4 protocol, and how each learner subtracts.

use super::{Check, Experiment, LearnerRow, Outcome, Progress, Record};
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
    work: |learners| learners,
    run,
};

fn run(seeds: &[u64], isa: Isa, progress: Progress<'_>) -> Outcome {
    let model = Arithmetic::Lite(LITE);
    let population = Population::<f32>::new(model, TrainConfig::ablation(), isa);
    let learners = population.train(seeds, &|done| progress(done as u64));
    let id = population.errors(&learners, SignedSum::ABLATION, Stream::TestId, TEST_SUMS);
    let ood = population.errors(&learners, SignedSum::OOD, Stream::TestOod, TEST_SUMS);
    let mechanisms: Vec<Mechanism> = learners.iter().map(|l| Mechanism::of(LITE, &l.weights)).collect();

    let n = seeds.len();
    let [p25, median] = [0.25, 0.5].map(Figure::Quantile);
    let cell = |metric: &str, e, paper| Cell::new(NAME, ROW, metric, e, n, paper);
    let mut cells = vec![cell("id_mae_median", estimate(&id, &[median])[0], None)];
    for ((metric, e), paper) in
        ["ood_mae_p25", "ood_mae_median"].iter().zip(estimate(&ood, &[p25, median])).zip(LITE_OOD_MAE)
    {
        cells.push(cell(metric, e, Some(paper)));
    }
    for (metric, kind) in [("standard", Attractor::Standard), ("mirror", Attractor::Mirror)] {
        // A share, as the share of zeros among zeros (such) and ones (not such).
        let such: Vec<f64> = mechanisms.iter().map(|m| f64::from(u8::from(m.attractor() != kind))).collect();
        cells.push(cell(metric, estimate(&such, &[Figure::ShareBelow(0.5)])[0], None));
    }
    let below = cells.iter().any(|c| c.metric == "ood_mae_median" && c.value < 80.0);
    let record = |(i, l)| Record::new(l, [("id_mae", id[i]), ("ood_mae", ood[i])]);
    Outcome {
        experiment: NAME,
        title: format!("STRAT-Lite with fixed types (§5.3): {n} learners, 2,000 steps of 64 sums"),
        checks: vec![Check { statement: "OOD median below 80".into(), holds: below }],
        notes: notes(seeds, &ood, &mechanisms),
        cells,
        rows: vec![LearnerRow::of_sums(
            ROW,
            model,
            Some(population.config),
            learners.into_iter().enumerate().map(record).collect(),
        )],
        figures: vec![],
    }
}

/// The best learner of each attractor, as Appendix C prints them.
fn notes(seeds: &[u64], ood: &[f64], mechanisms: &[Mechanism]) -> String {
    let mut out = String::new();
    for kind in [Attractor::Standard, Attractor::Mirror] {
        let such = (0..seeds.len()).filter(|&i| mechanisms[i].attractor() == kind);
        if let Some(best) = such.min_by(|&a, &b| ood[a].total_cmp(&ood[b])) {
            let _ = writeln!(out, "Seed {}, OOD MAE {:.1}. {}", seeds[best], ood[best], mechanisms[best]);
        }
    }
    out
}
