//! A log without a score is refused where it is read: what any table asks for is asked for there.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use strat::metric::Metric;
use strat::model::Param;
use strat::result::LearnerRow;
use strat_paper::experiment::{demanded, summarize};

/// A kept run's first learners, as their seeds begin: weights were not kept.
fn learners(path: &Path) -> (String, Vec<LearnerRow>) {
    let folder = strat_paper::experiment::open(path).unwrap();
    let mut rows = folder.scores().unwrap();
    for row in &mut rows {
        row.learners.truncate(6);
        for l in &mut row.learners {
            l.weights = Param::initial(&row.row.model.params(), l.seed);
        }
    }
    (folder.manifest.experiment, rows)
}

#[test]
fn what_a_summary_cannot_do_without_is_demanded() {
    let kept: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/all");
    let names = ["alu", "ablations", "lite", "latent", "arithmetic-baselines", "locking", "tasks/parity5"];
    for name in names {
        let (experiment, rows) = learners(&kept.join(name));
        let summary = summarize(&experiment).unwrap();
        summary(&rows);
        for r in 0..rows.len() {
            let demanded = demanded(&experiment, &rows[r].name);
            let has = |metric: &Metric| rows[r].learners[0].metrics.contains_key(&*metric.name);
            assert!(demanded.iter().all(has), "{name}: {demanded:?} of {:?}", rows[r].learners[0].metrics);
            for metric in rows[r].learners[0].metrics.keys() {
                let mut without = rows.clone();
                without[r].learners[0].metrics.remove(metric);
                // What it panics for must have been refused before.
                if catch_unwind(AssertUnwindSafe(|| summary(&without))).is_err() {
                    assert!(demanded.iter().any(|d| d.name == *metric), "{name}, {}: {metric}", rows[r].name);
                }
            }
        }
    }
}
