//! The learners of a run, crystallized: a run of its own.

use super::start;
use crate::experiment::locking::{OOD_FIGURES, TEST_SUMS};
use crate::experiment::tasks;
use crate::paper::LOCKING_METRICS;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use strat::crystal::{Crystal, Obstacle, Simplified};
use strat::engine::Isa;
use strat::metric::Metric;
use strat::model::{Lite, ModelRecord};
use strat::record::{Folder, Manifest, Origin, ReadError, RecordError};
use strat::result::{Cell, LearnerResult, LearnerRow, Row, Summary};
use strat::rng::Stream;
use strat::stats::{Statistic, estimate};
use strat::task::SumTask;
use strat::train::{Predictor, TrainError};

/// What a run of crystallized learners is called in its manifest.
pub const NAME: &str = "crystal";

/// Why a run has nothing to crystallize, or the result cannot be kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrystallizeError {
    /// The run cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The result cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Its learners cannot be asked.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// Other models.
    #[error(
        "{}: has no learners that can be crystallized: STRAT-Lite (locking, lite, latent, teaching-sets), or STRAT on a \
         task with few inputs",
        .0.display()
    )]
    NoLite(PathBuf),
    /// A part of a run.
    #[error("{}: is a shard. Merge all shards first, with strat merge", .0.display())]
    Shard(PathBuf),
    /// Not done yet.
    #[error("{}: has {done} of its {total} learners. Give its command again and let it finish", .path.display())]
    Unfinished {
        /// The folder.
        path: PathBuf,
        /// Learners that are finished.
        done: usize,
        /// Learners there will be.
        total: usize,
    },
}

/// One learner and what it became.
#[derive(Clone, Debug)]
pub struct Became {
    /// As it was.
    pub learner: LearnerResult,
    /// The program, or why there is none.
    pub crystal: Result<Crystal, Obstacle>,
}

/// A row's model and sums, if its learners can be crystallized.
fn lite(row: &Row) -> Option<(Lite, SumTask)> {
    match row.model {
        ModelRecord::Lite(lite) => Some((lite, row.sums()?)),
        _ => None,
    }
}

/// The rows of a run that can be crystallized.
pub fn rows(folder: &Folder) -> Result<Vec<&Row>, CrystallizeError> {
    let found: Vec<&Row> = folder.manifest.rows.iter().filter(|row| lite(row).is_some()).collect();
    if found.is_empty() { Err(CrystallizeError::NoLite(folder.path().into())) } else { Ok(found) }
}

/// Crystallizes the learners of a row: the one of this seed, or all, on the current thread pool.
pub fn of_row(folder: &Folder, row: &Row, seed: Option<u64>) -> Result<Vec<Became>, CrystallizeError> {
    let (lite, task) = lite(row).ok_or_else(|| CrystallizeError::NoLite(folder.path().into()))?;
    let became = |learner: LearnerResult| {
        let crystal = Crystal::of(lite, &learner.weights, &task, learner.seed);
        Became { learner, crystal }
    };
    Ok(folder.learners(row, seed)?.into_par_iter().map(became).collect())
}

/// Whether a run has all its learners.
pub fn is_whole(folder: &Folder) -> Result<(), CrystallizeError> {
    let path = || folder.path().to_path_buf();
    if folder.manifest.shard.is_some() {
        return Err(CrystallizeError::Shard(path()));
    }
    let (done, total) = (folder.done()?, folder.manifest.order().count());
    if done < total { Err(CrystallizeError::Unfinished { path: path(), done, total }) } else { Ok(()) }
}

/// Keeps a run's learners as what they became, in a folder like any other: those that did not crystallize as they were.
pub fn keep(
    folder: &Folder,
    out: &Path,
    manifest: Manifest,
    isa: Isa,
    origin: &Origin,
) -> Result<Summary, CrystallizeError> {
    is_whole(folder)?;
    let rows = rows(folder)?;
    let mut kept = vec![];
    for row in &rows {
        let learners = of_row(folder, row, None)?;
        let records = learners.into_par_iter().map(|b| record(row, b, isa)).collect::<Result<_, _>>()?;
        kept.push(LearnerRow { row: (*row).clone(), learners: records });
    }
    let rows = rows.into_iter().cloned().collect();
    let summary = summary(&kept);
    write(out, Manifest { experiment: NAME.into(), rows, ..manifest }, &kept, &summary, origin)?;
    Ok(summary)
}

/// Keeps simplified classifiers, rows of a run on a task, with the scores that they had: their answers are the same.
pub fn keep_simplified(
    rows: Vec<(Row, Vec<(LearnerResult, Simplified)>)>,
    out: &Path,
    manifest: Manifest,
    origin: &Origin,
) -> Result<Summary, RecordError> {
    let record = |(learner, simple): (LearnerResult, Simplified)| {
        let mut metrics = learner.metrics;
        metrics.insert("weights_left".into(), simple.weights_left[1] as f64);
        metrics.insert("soft_gates".into(), simple.gates.soft as f64);
        metrics.insert("soft_heads".into(), simple.heads.soft as f64);
        LearnerResult { metrics, weights: simple.weights, ..learner }
    };
    let kept: Vec<LearnerRow> = rows
        .into_iter()
        .map(|(row, learners)| LearnerRow { row, learners: learners.into_iter().map(record).collect() })
        .collect();
    let rows = kept.iter().map(|kept| kept.row.clone()).collect();
    let summary = tasks::summary(&kept);
    write(out, Manifest { experiment: tasks::NAME.into(), rows, ..manifest }, &kept, &summary, origin)?;
    Ok(summary)
}

/// A finished run.
fn write(
    out: &Path,
    manifest: Manifest,
    rows: &[LearnerRow],
    summary: &Summary,
    origin: &Origin,
) -> Result<(), RecordError> {
    let run = start(out, manifest)?;
    run.started(origin)?;
    run.finish(rows, Some(summary))?;
    run.stopped()
}

/// What is kept of a learner: its weights as they became, tested anew.
fn record(row: &Row, Became { learner, crystal }: Became, isa: Isa) -> Result<LearnerResult, TrainError> {
    let (lite, task) = lite(row).expect("rows are chosen so");
    let before = learner.metrics.get("ood_mae").copied().unwrap_or(f64::NAN);
    let mut metrics = learner.metrics;
    metrics.insert("crystallized".into(), f64::from(u8::from(crystal.is_ok())));
    metrics.insert("distance".into(), crystal.as_ref().map_or(f64::NAN, |c| c.distance));
    metrics.insert("learned_ood_mae".into(), before);
    let weights = crystal.map_or(learner.weights, |c| c.weights);
    let mut predictor = Predictor::new(&task, Arc::new(lite), &weights, isa);
    let error = predictor.error_on(task.ood, (learner.seed, Stream::TestOod), TEST_SUMS)?;
    metrics.insert("ood_mae".into(), error);
    Ok(LearnerResult { metrics, weights, ..learner })
}

/// Table 5 again, crystallized, and how many were.
pub fn summary(rows: &[LearnerRow]) -> Summary {
    let mut cells = vec![];
    let mut notes = String::new();
    for row in rows {
        let n = row.learners.len();
        let of = |metric: &Metric| row.learners.iter().map(|l| l.metrics[&*metric.name]).collect::<Vec<f64>>();
        let estimates = estimate(&of(&Metric::OOD_MAE), &OOD_FIGURES);
        for (metric, estimate) in LOCKING_METRICS.iter().zip(estimates) {
            // The paper has no crystals, so there is nothing to compare with.
            cells.push(Cell::new(NAME, &row.name, metric, estimate, n, None));
        }
        let share = estimate(&of(&Metric::CRYSTALLIZED), &[Statistic::Mean])[0];
        cells.push(Cell::new(NAME, &row.name, &Metric::CRYSTALLIZED, share, n, None));
        let strict = of(&Metric::LEARNED_OOD_MAE).iter().filter(|e| **e < 20.0).count();
        let crystals = row.learners.iter().filter(|l| l.score(Metric::CRYSTALLIZED) == 1.0);
        let furthest = crystals.clone().map(|l| l.score(Metric::DISTANCE)).fold(f64::NAN, f64::max);
        let off = if furthest.is_nan() { String::new() } else { format!(", which were at most {furthest:.2} off") };
        notes += &format!(
            "{}: {} of {n} became exact programs by rounding their own coefficients{off}; {strict} had an error below 20 \
             before.\n",
            row.name,
            crystals.count(),
        );
    }
    let title = "Crystallized: hard gates and whole coefficients; the rest as they were".to_string();
    Summary { title, cells, notes, ..Summary::default() }
}
