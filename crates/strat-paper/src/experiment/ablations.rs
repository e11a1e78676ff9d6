//! The failure taxonomy (§4, Table 2): twelve unityped configurations, none of which finds
//! the rule.

use super::{Experiment, paper_train, row_of_sums};
use crate::paper::{FAILURE_METRICS, FAILURES, Failure};
use std::fmt::Write;
use strat::config::{Preset, Setup};
use strat::inspect::{Diagnosis, Measures};
use strat::metric::Metric;
use strat::model::Unityped;
use strat::result::{Cell, Check, LearnerResult, LearnerRow, Row, Summary};
use strat::rng::Stream;
use strat::seeds::Seeds;
use strat::stats::{Statistic, estimate};
use strat::sweep::{Plan, Scores};
use strat::task::{Examples, SignedSum, Sum, SumTask};
use strat::train::{Learner, Predictor, TrainError};

/// On the command line.
pub const NAME: &str = "ablations";
/// Sums each learner is tested on, of each range.
const TEST_SUMS: usize = 1000;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: NAME,
    about: "The failure taxonomy: twelve unityped configurations (§4, Table 2)",
    learners: 50,
    plan,
};

/// What a configuration is trained on.
pub fn task(config: Unityped) -> SumTask {
    let SumTask { examples, steps, .. } = SumTask::ABLATION;
    let curriculum = Examples::Curriculum { batch: examples.batch(), stages: SignedSum::CURRICULUM };
    SumTask::new(if config == Unityped::Acurr { curriculum } else { examples }, steps)
}

fn plan() -> Plan {
    with(&Preset::SPECIFIED).expect("it is for all models")
}

/// The experiment with a preset; none if that is for other models.
pub fn with(preset: &Preset) -> Option<Plan> {
    let row = |(config, paper): (Unityped, &Failure)| {
        let probe = Measures::probes(config);
        let score =
            move |learner: &Learner, predictor: &mut Predictor<'_>| scores(config, &probe, learner, predictor);
        let task = task(config);
        let model = preset.model(&config.into())?;
        Some(row_of_sums(paper.row, &model, task, preset.train(paper_train(&task))).scored_by(score))
    };
    let rows = Unityped::LEARNED.into_iter().zip(&FAILURES).map(row).collect::<Option<_>>()?;
    Some(Plan { name: NAME, rows, summary })
}

/// What of a row's learners is not as specified.
fn departs(config: Unityped, row: &Row) -> Option<String> {
    let specified = Setup::new(vec![config.into()], paper_train(&row.sums()?), Seeds::to(1));
    match Preset::of(&specified, &row.model, row.train()?) {
        Some(preset) if preset.is_specified() => None,
        Some(preset) => Some(format!("preset {}", preset.name)),
        None => Some("another training than the paper's".into()),
    }
}

fn scores(
    config: Unityped,
    probe: &[Sum],
    learner: &Learner,
    predictor: &mut Predictor<'_>,
) -> Result<Scores, TrainError> {
    let mut error = |range: SignedSum, stream| predictor.error_on(range, (learner.seed, stream), TEST_SUMS);
    let id = error(Measures::id_range(config), Stream::TestId)?;
    let small = error(SignedSum::ABLATION, Stream::TestId)?;
    let ood = error(SignedSum::OOD, Stream::TestOod)?;
    let measures = Measures::of(config, &learner.weights, probe);
    let errors = [(Metric::ID_MAE, id), (Metric::ID_MAE_1_100, small), (Metric::OOD_MAE, ood)];
    let measured = measures.scores().map(|(name, x)| (Metric::named(name), x));
    Ok(errors.into_iter().chain(measured).collect())
}

fn summary(rows: &[LearnerRow]) -> Summary {
    let n = rows[0].learners.len();
    let mut cells = vec![];
    let mut diagnoses = vec![];
    for ((config, paper), row) in Unityped::LEARNED.into_iter().zip(&FAILURES).zip(rows) {
        let [p25, median, p75] = [0.25, 0.5, 0.75].map(Statistic::Quantile);
        let mut estimates = estimate(&row.scores(Metric::ID_MAE), &[p25, median, p75]);
        estimates.extend(estimate(&row.scores(Metric::OOD_MAE), &[median, p75]));
        for ((metric, e), figure) in FAILURE_METRICS.iter().zip(estimates).zip(paper.figures()) {
            cells.push(Cell::new(NAME, paper.row, metric, e, n, Some(figure)).departing(departs(config, row)));
        }
        if config == Unityped::Acurr {
            // The other reading of "in distribution", where all the others are tested. The paper's row has one of the two,
            // and stands beside the first.
            let name = format!("{}, 1..100", paper.row);
            let estimates = estimate(&row.scores(Metric::ID_MAE_1_100), &[p25, median, p75]);
            for (metric, e) in FAILURE_METRICS.iter().zip(estimates) {
                cells.push(Cell::new(NAME, &name, metric, e, n, None));
            }
        }
        let diagnose =
            |l: &LearnerResult| Diagnosis::of(&Measures::from_scores(|m| l.score(m)), l.score(Metric::OOD_MAE));
        diagnoses.push((paper, row.learners.iter().map(diagnose).collect()));
    }
    let median = |row: &str| {
        let cell = cells.iter().find(|c| c.row == row && c.metric == Metric::OOD_MAE_MEDIAN);
        cell.expect("every row has it").value
    };
    let checks = FAILURES
        .iter()
        .map(|f| Check { statement: format!("{}: OOD median above 1,000", f.row), holds: median(f.row) > 1000.0 });
    Summary {
        title: format!("The failure taxonomy (Table 2): {n} learners a row, 2,000 steps of 64 sums"),
        checks: checks.collect(),
        cells,
        notes: notes(&diagnoses),
        figures: vec![],
    }
}

/// The share of each diagnosis in every row, beside the paper's.
fn notes(rows: &[(&Failure, Vec<Diagnosis>)]) -> String {
    let mut out = String::from("Diagnosis, share of runs (rules: strat::inspect::Diagnosis)\n\n       ");
    for d in Diagnosis::ALL {
        let _ = write!(out, " {d:>16}");
    }
    out.push_str("  paper\n");
    for (paper, found) in rows {
        let _ = write!(out, "{:<7}", paper.row);
        for d in Diagnosis::ALL {
            let share = found.iter().filter(|f| **f == d).count() as f64 / found.len() as f64;
            let _ =
                write!(out, " {:>16}", if share > 0.0 { format!("{:.0} %", 100.0 * share) } else { "·".into() });
        }
        let _ = writeln!(out, "  {}", paper.diagnosis);
    }
    out
}
