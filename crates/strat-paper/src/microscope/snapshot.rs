//! A learner's training again. What it becomes follows from its configuration and seed, so nothing
//! has to be kept: it is trained anew, and must come out as it was recorded, bit by bit.

use std::sync::Arc;
use strat::engine::reference::Arrays;
use strat::engine::{Elem, Isa};
use strat::model::{Model, Precision};
use strat::record::Manifest;
use strat::result::{LearnerResult, Row, TaskRecord, TaskSetup};
use strat::task::Task;
use strat::trace::ExampleSource;
use strat::train::{TrainError, Trainer, ValidConfig};

/// Why there are no snapshots.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Nothing was trained.
    #[error("row {0:?} was not trained, so there is nothing to see on the way; leave --snapshots out")]
    Untrained(String),
    /// Its model and its task do not belong together.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// Other bits on this machine.
    #[error(
        "the run was computed with {0}, which this machine does not have, so its training would come out \
         differently; leave --snapshots out, or run it where it was trained"
    )]
    Isa(String),
    /// Other examples.
    #[error(
        "the examples of {task} are not those of the run ({here} here, {there} there); give its data folder with --data"
    )]
    Data {
        /// The task.
        task: String,
        /// Checksum of the examples here.
        here: String,
        /// And of the run's.
        there: String,
    },
    /// It came out differently.
    #[error(
        "seed {seed}: trained again it has other weights (checksum {here:08x}, recorded {there:08x}); \
         the run is of version {version}, commit {commit}. Use that one, or leave --snapshots out"
    )]
    Differs {
        /// The learner.
        seed: u64,
        /// Checksum of the weights it has now.
        here: u32,
        /// And in the record.
        there: u32,
        /// Of the program that wrote the run.
        version: String,
        /// Of its source.
        commit: String,
    },
}

/// Weights on the way.
pub type Snapshots = Vec<(usize, Arrays)>;

/// Of `last` steps, `count` or fewer: the first, the last, and more between them the earlier, when most happens.
pub fn steps(count: usize, last: usize) -> Vec<usize> {
    let gaps = count.saturating_sub(1).max(1);
    let step = |i: usize| (last as f64 * (i as f64 / gaps as f64).powi(2)).round() as usize;
    let mut steps: Vec<usize> = (0..=gaps).map(step).collect();
    steps.dedup();
    steps
}

/// Trains a learner of this run again, and gives its weights at `count` moments. The last are those
/// of the record, or it is an error.
pub fn snapshots(
    manifest: &Manifest,
    row: &Row,
    source: &ExampleSource,
    learner: &LearnerResult,
    count: usize,
) -> Result<Snapshots, SnapshotError> {
    let isa = Isa::all_available().find(|isa| isa.name() == manifest.isa);
    let isa = isa.ok_or_else(|| SnapshotError::Isa(manifest.isa.clone()))?;
    let Some(TaskSetup { task, train }) = &row.setup else {
        return Err(SnapshotError::Untrained(row.name.clone()));
    };
    if let TaskRecord::Data(data) = task {
        let here = source.fingerprint().unwrap_or_default();
        if here != data.data {
            return Err(SnapshotError::Data { task: data.task.clone(), here, there: data.data.clone() });
        }
    }
    let train = train.check().map_err(TrainError::from)?;
    let again = match source.model.precision() {
        Precision::F64 => trained::<f64>,
        _ => trained::<f32>,
    };
    let found = again(&*source.task, source.model.clone(), train, isa, learner.seed, count)?;
    let last = found.last().map(|(_, weights)| weights.clone()).unwrap_or_default();
    let (here, there) = (LearnerResult { weights: last, ..learner.clone() }.fingerprint(), learner.fingerprint());
    if here != there {
        let (version, commit) = (manifest.version.clone(), manifest.commit.clone());
        return Err(SnapshotError::Differs { seed: learner.seed, here, there, version, commit });
    }
    Ok(found)
}

/// The weights of a learner at `count` moments of its training.
fn trained<E: Elem>(
    task: &dyn Task,
    model: Arc<dyn Model>,
    config: ValidConfig,
    isa: Isa,
    seed: u64,
    count: usize,
) -> Result<Snapshots, TrainError> {
    let mut trainer = Trainer::<E>::new(task, model, config, isa, &[seed])?;
    let mut found = vec![];
    for step in steps(count, config.get().steps) {
        while trainer.steps_done() < step && trainer.step()? {}
        found.push((step, trainer.weights(0)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_begin_and_end_with_training() {
        assert_eq!(steps(5, 2000), [0, 125, 500, 1125, 2000]);
        assert_eq!(steps(40, 3), [0, 1, 2, 3]);
        assert_eq!((steps(2, 10), steps(1, 10)), (vec![0, 10], vec![0, 10]));
    }
}
