//! The failure taxonomy (§4, Table 2): twelve unityped configurations, none of which finds
//! the rule.

use super::Experiment;
use crate::paper::{FAILURE_METRICS, FAILURES, Failure};
use rayon::prelude::*;
use std::fmt::Write;
use strat::engine::Isa;
use strat::inspect::diagnosis::Diagnosis;
use strat::inspect::measures::{Measures, id_range, probes};
use strat::metric;
use strat::model::{Arithmetic, Config};
use strat::result::{Cell, Check, LearnerResult, LearnerRow, Summary};
use strat::rng::Stream;
use strat::stats::{Statistic, estimate};
use strat::sweep::{Plan, Progress, RowPlan};
use strat::task::Examples;
use strat::task::SignedSum;
use strat::train::{Learner, Population, SumTraining, TrainError};

const NAME: &str = "ablations";
/// Sums each learner is tested on, of each range.
const TEST_SUMS: usize = 1000;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: NAME,
    about: "The failure taxonomy: twelve unityped configurations (§4, Table 2)",
    learners: 50,
    plan,
};

/// How a configuration is trained.
pub fn protocol(config: Config) -> SumTraining {
    let plain = SumTraining::ablation();
    match config {
        Config::Acurr => {
            let examples = Examples::Curriculum { batch: plain.batch(), stages: SignedSum::CURRICULUM };
            SumTraining { examples, ..plain }
        }
        _ => plain,
    }
}

fn plan() -> Plan<'static> {
    let row = |(config, paper): (Config, &Failure)| {
        let learn = move |seeds: &[u64], isa: Isa, progress: Progress<'_>| learn(config, seeds, isa, progress);
        RowPlan::of_sums::<f32>(paper.row, Arithmetic::Unityped(config), Some(protocol(config)), 1, learn)
    };
    let rows = Config::LEARNED.into_iter().zip(&FAILURES).map(row).collect();
    Plan { name: NAME, rows, summary }
}

fn learn(
    config: Config,
    seeds: &[u64],
    isa: Isa,
    progress: Progress<'_>,
) -> Result<Vec<LearnerResult>, TrainError> {
    let population = Population::<f32>::of_sums(Arithmetic::Unityped(config), protocol(config), isa);
    let learners = population.train(seeds, &|done| progress(done as u64))?;
    let errors = |range, stream| population.errors(&learners, range, stream, TEST_SUMS);
    let id = errors(id_range(config), Stream::TestId)?;
    let small = errors(SignedSum::ABLATION, Stream::TestId)?;
    let ood = errors(SignedSum::OOD, Stream::TestOod)?;
    let probe = probes(config);
    let record = |(i, l): (usize, Learner)| {
        let measures = Measures::of(config, &l.weights, &probe);
        let scores = [("id_mae", id[i]), ("id_mae_1_100", small[i]), ("ood_mae", ood[i])];
        LearnerResult::new(l, scores.into_iter().chain(measures.scores()))
    };
    Ok(learners.par_iter().cloned().enumerate().map(record).collect())
}

fn summary(rows: &[LearnerRow]) -> Summary {
    let n = rows[0].learners.len();
    let mut cells = vec![];
    let mut diagnoses = vec![];
    for ((config, paper), row) in Config::LEARNED.into_iter().zip(&FAILURES).zip(rows) {
        let [p25, median, p75] = [0.25, 0.5, 0.75].map(Statistic::Quantile);
        let mut estimates = estimate(&row.scores(metric::ID_MAE), &[p25, median, p75]);
        estimates.extend(estimate(&row.scores(metric::OOD_MAE), &[median, p75]));
        for ((metric, e), figure) in FAILURE_METRICS.iter().zip(estimates).zip(paper.figures()) {
            cells.push(Cell::new(NAME, paper.row, metric, e, n, Some(figure)));
        }
        if config == Config::Acurr {
            // The other reading of "in distribution", where all the others are tested. The paper's row has one of the two,
            // and stands beside the first.
            let name = format!("{}, 1..100", paper.row);
            let estimates = estimate(&row.scores(metric::ID_MAE_1_100), &[p25, median, p75]);
            for (metric, e) in FAILURE_METRICS.iter().zip(estimates) {
                cells.push(Cell::new(NAME, &name, metric, e, n, None));
            }
        }
        let diagnose =
            |l: &LearnerResult| Diagnosis::of(&Measures::from_scores(|m| l.score(m)), l.score(metric::OOD_MAE));
        diagnoses.push((paper, row.learners.iter().map(diagnose).collect()));
    }
    let median = |row: &str| {
        let cell = cells.iter().find(|c| c.row == row && c.metric == metric::OOD_MAE_MEDIAN);
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
    let mut out = String::from("Diagnosis, share of runs (rules: strat::inspect::diagnosis)\n\n       ");
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
