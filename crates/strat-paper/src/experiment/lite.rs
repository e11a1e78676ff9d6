//! STRAT-Lite with fixed types (§5.3): the §4 protocol, and how each learner subtracts.

use super::{Experiment, is_published, paper_train, row_of_sums};
use crate::paper::LITE_OOD_MAE;
use std::collections::BTreeMap;
use std::fmt::Write;
use strat::inspect::{Attractor, Mechanism};
use strat::metric::Metric;
use strat::model::{Lite, ModelRecord, Types};
use strat::result::{Cell, Check, LearnerResult, LearnerRow, Summary};
use strat::rng::Stream;
use strat::stats::{Statistic, estimate};
use strat::sweep::{Plan, Scores};
use strat::task::{SignedSum, SumTask};
use strat::train::{Learner, Predictor, TrainConfig, TrainError};

pub(super) const NAME: &str = "lite";
const ROW: &str = "STRAT-Lite (fixed types)";
const TEST_SUMS: usize = 1000;
const LITE: Lite = Lite { width: 4, heads: 1, types: Types::Fixed };

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: NAME,
    about: "STRAT-Lite with fixed types, and what its gates do (§5.3, App. C)",
    learners: 50,
    plan: || plan(ROW.into(), paper_train(&SumTask::ABLATION)),
};

/// The same with gates annealed toward steps.
pub(super) fn annealed() -> Plan {
    plan(format!("{ROW}, annealed"), paper_train(&SumTask::ABLATION).annealed())
}

fn plan(row: String, train: TrainConfig) -> Plan {
    let row = row_of_sums(row, &ModelRecord::Lite(LITE), SumTask::ABLATION, train).scored_by(scores);
    Plan { name: NAME, rows: vec![row], summary }
}

fn scores(learner: &Learner, predictor: &mut Predictor<'_>) -> Result<Scores, TrainError> {
    let id = predictor.error_on(SignedSum::ABLATION, (learner.seed, Stream::TestId), TEST_SUMS)?;
    let ood = predictor.error_on(SignedSum::OOD, (learner.seed, Stream::TestOod), TEST_SUMS)?;
    Ok(vec![(Metric::ID_MAE, id), (Metric::OOD_MAE, ood)])
}

fn summary(rows: &[LearnerRow]) -> Summary {
    let row = &rows[0];
    let n = row.learners.len();
    let mechanisms: Vec<Mechanism> = row.learners.iter().map(|l| Mechanism::of(LITE, &l.weights)).collect();
    let [p25, median] = [0.25, 0.5].map(Statistic::Quantile);
    // The paper's figures are of its own training.
    let as_published = is_published(row, &SumTask::ABLATION);
    let cell = |metric: &Metric, e, paper: Option<_>| {
        Cell::new(NAME, &row.name, metric, e, n, paper.filter(|_| as_published))
    };
    let mut cells = vec![cell(&Metric::ID_MAE_MEDIAN, estimate(&row.scores(Metric::ID_MAE), &[median])[0], None)];
    let ood = estimate(&row.scores(Metric::OOD_MAE), &[p25, median]);
    for ((metric, e), paper) in [Metric::OOD_MAE_P25, Metric::OOD_MAE_MEDIAN].iter().zip(ood).zip(LITE_OOD_MAE) {
        cells.push(cell(metric, e, Some(paper)));
    }
    for share in SHARES {
        // A share, as the share of zeros among zeros (such) and ones (not such).
        let such: Vec<f64> = mechanisms.iter().map(|m| f64::from(u8::from(!(share.of)(m)))).collect();
        cells.push(cell(&share.metric, estimate(&such, &[Statistic::ShareBelow(0.5)])[0], None));
    }
    let below = cells.iter().any(|c| c.metric == Metric::OOD_MAE_MEDIAN && c.value < 80.0);
    Summary {
        title: format!("STRAT-Lite with fixed types (§5.3): {n} learners, 2,000 steps of 64 sums"),
        checks: vec![Check { statement: "OOD median below 80".into(), holds: below }],
        notes: notes(&row.learners, &mechanisms),
        cells,
        figures: vec![],
    }
}

/// A share of the learners, by what their gates do.
struct Share {
    metric: Metric,
    of: fn(&Mechanism) -> bool,
}

/// Every learner belongs to one of these.
const SHARES: [Share; 5] = [
    Share { metric: Metric::STANDARD, of: |m| m.tells_apart() && m.attractor() == Attractor::STANDARD },
    Share { metric: Metric::MIRROR, of: |m| m.tells_apart() && m.attractor() == Attractor::MIRROR },
    Share {
        metric: Metric::ONE_RESTS,
        of: |m| m.tells_apart() && m.attractor().name().is_none() && !m.attractor().acts_on_both(),
    },
    Share { metric: Metric::BOTH_ACT, of: |m| m.tells_apart() && m.attractor().acts_on_both() },
    Share { metric: Metric::NO_SIGN_RULE, of: |m| !m.tells_apart() },
];

/// How often each kind occurs, then the best learner of the paper's two and of the kind that occurs most, as
/// Appendix C prints them.
fn notes(learners: &[LearnerResult], mechanisms: &[Mechanism]) -> String {
    let mut kinds: BTreeMap<Attractor, Vec<usize>> = BTreeMap::new();
    for (i, m) in mechanisms.iter().enumerate().filter(|(_, m)| m.tells_apart()) {
        kinds.entry(m.attractor()).or_default().push(i);
    }
    let mut order: Vec<(&Attractor, &Vec<usize>)> = kinds.iter().collect();
    order.sort_by_key(|(kind, such)| (std::cmp::Reverse(such.len()), **kind));
    let mut out = String::from("What the gates do after each operator (a gate above one half is open):\n");
    for (kind, such) in &order {
        let share = 100.0 * such.len() as f64 / mechanisms.len() as f64;
        let name = kind.name().map_or(String::new(), |name| format!("  ({name})"));
        let _ = writeln!(out, "  {:>4}  {share:4.1} %  + {}, − {}{name}", such.len(), kind.plus, kind.minus);
    }
    let none = mechanisms.iter().filter(|m| !m.tells_apart()).count();
    let _ = writeln!(out, "  {none:>4}  {:4.1} %  no sign rule\n", 100.0 * none as f64 / mechanisms.len() as f64);
    let ood = |i: &usize| learners[*i].score(Metric::OOD_MAE);
    let mut shown = vec![Attractor::STANDARD, Attractor::MIRROR];
    shown.extend(order.first().map(|(kind, _)| **kind).filter(|kind| kind.name().is_none()));
    for kind in shown {
        if let Some(best) = kinds.get(&kind).and_then(|such| such.iter().min_by(|a, b| ood(a).total_cmp(&ood(b)))) {
            let (seed, ood) = (learners[*best].seed, ood(best));
            let _ = writeln!(out, "Seed {seed}, OOD MAE {ood:.1}. {}", mechanisms[*best]);
        }
    }
    out
}
