//! Shards of a sweep, joined to the run that one machine would have made.

use super::folder::{Demanded, Folder, in_rows};
use super::{Manifest, ReadError, RecordError, RunFolder};
use crate::result::{LearnerResult, LearnerRow, Summary};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Why folders could not be joined. Nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// A folder cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The result cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Nothing to join.
    #[error("there is nothing to merge. Give the folders of all shards")]
    Nothing,
    /// A whole run.
    #[error("{}: is no shard but a whole run; there is nothing to merge it with", .0.display())]
    Whole(PathBuf),
    /// Of another sweep.
    #[error("{} and {}: are not of the same sweep:\n  {}", .a.display(), .b.display(), .differences.join("\n  "))]
    Differs {
        /// One folder.
        a: PathBuf,
        /// The other.
        b: PathBuf,
        /// Line by line.
        differences: Vec<String>,
    },
    /// The same part twice.
    #[error("{} and {}: are both shard {shard}. Give each once", .a.display(), .b.display())]
    Doubled {
        /// One folder.
        a: PathBuf,
        /// The other.
        b: PathBuf,
        /// The part that both are.
        shard: String,
    },
    /// A part is missing.
    #[error("{} of {of} shards are missing, the first is {}/{of}. Give their folders too, or run them", .missing.len(), .missing[0])]
    Missing {
        /// The numbers of those that are not there.
        missing: Vec<usize>,
        /// Of how many.
        of: usize,
    },
    /// A part is not done.
    #[error("{}: has {done} of its {total} learners. Give its command again and let it finish", .path.display())]
    Unfinished {
        /// The folder.
        path: PathBuf,
        /// How many are done.
        done: usize,
        /// How many there will be.
        total: usize,
    },
    /// Of another program.
    #[error("{}: its rows are not those of {experiment} in this program. Use the program that wrote it", .path.display())]
    Rows {
        /// The folder.
        path: PathBuf,
        /// What it says.
        experiment: String,
    },
    /// Of another program.
    #[error("{}: this program has no experiment {experiment:?}", .path.display())]
    Unknown {
        /// The folder.
        path: PathBuf,
        /// What it says.
        experiment: String,
    },
}

/// Why a program cannot say what the learners of a run show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unfit {
    /// It has no such experiment.
    Unknown,
    /// Its experiment of this name has other rows.
    Rows,
}

/// Joins the folders of all shards of a sweep into the run that they are parts of. `demanded` says which scores every
/// learner must have, `summarize` what to make of them, whose weights are there: shards keep them.
pub fn merge<S: FnOnce(&[LearnerRow]) -> Summary>(
    shards: &[PathBuf],
    out: &Path,
    demanded: Demanded,
    summarize: impl FnOnce(&Manifest) -> Result<S, Unfit>,
) -> Result<Summary, MergeError> {
    let open = |path: &PathBuf| Ok(Folder::open(path)?.demanding(demanded));
    let folders = shards.iter().map(open).collect::<Result<Vec<_>, ReadError>>()?;
    let folders = in_order(folders)?;
    let first = &folders[0];
    let summary = summarize(&first.manifest).map_err(|unfit| {
        let (path, experiment) = (first.path.clone(), first.manifest.experiment.clone());
        match unfit {
            Unfit::Unknown => MergeError::Unknown { path, experiment },
            Unfit::Rows => MergeError::Rows { path, experiment },
        }
    })?;
    // All are looked at before memory is asked for.
    let mut logs = vec![];
    for folder in &folders {
        let log = folder.log()?;
        let (done, total) = (log.len(), folder.manifest.order().count());
        if done < total {
            return Err(MergeError::Unfinished { path: folder.path.clone(), done, total });
        }
        logs.push(log);
    }
    let manifest = Manifest { shard: None, ..first.manifest.clone() };
    let order = manifest.order();
    let mut records: Vec<Option<LearnerResult>> = vec![None; order.count()];
    let mut sessions = vec![];
    for (folder, log) in folders.iter().zip(&logs) {
        for (i, record) in folder.records(log)?.into_iter().enumerate() {
            let (row, seed) = folder.manifest.order().at(i);
            records[order.position(row, seed).expect("a shard's learners are of the sweep")] = Some(record);
        }
        sessions.extend(folder.history()?);
    }
    let records: Vec<LearnerResult> = records.into_iter().flatten().collect();
    assert_eq!(records.len(), order.count(), "shards are a partition");

    let run = RunFolder::open(out, manifest, demanded)?;
    if run.folder().sessions()?.is_empty() {
        run.note_all(&sessions)?;
    }
    let rows = in_rows(&run.folder().manifest, records);
    let summary = summary(&rows);
    run.finish(&rows, Some(&summary))?;
    Ok(summary)
}

/// Shards from the first to the last: all of one sweep, each once.
fn in_order(mut folders: Vec<Folder>) -> Result<Vec<Folder>, MergeError> {
    let whole = |f: &&Folder| f.manifest.shard.is_none();
    if let Some(folder) = folders.iter().find(whole) {
        return Err(MergeError::Whole(folder.path.clone()));
    }
    let of = |f: &Folder| f.manifest.shard.map_or(1, |s| s.of());
    let index = |f: &Folder| f.manifest.shard.map_or(1, |s| s.index());
    folders.sort_by_key(index);
    let first = folders.first().ok_or(MergeError::Nothing)?;
    for other in &folders[1..] {
        let mut differences =
            first.manifest.differences(&Manifest { shard: first.manifest.shard, ..other.manifest.clone() });
        if of(first) != of(other) {
            differences.push(format!("shards: {} there, {} here", of(first), of(other)));
        }
        if !differences.is_empty() {
            return Err(MergeError::Differs { a: first.path.clone(), b: other.path.clone(), differences });
        }
    }
    for pair in folders.windows(2) {
        if let (true, Some(shard)) = (index(&pair[0]) == index(&pair[1]), pair[0].manifest.shard) {
            let [a, b] = [0, 1].map(|i| pair[i].path.clone());
            return Err(MergeError::Doubled { a, b, shard: shard.to_string() });
        }
    }
    let have: HashSet<usize> = folders.iter().map(index).collect();
    let missing: Vec<usize> = (1..=of(first)).filter(|i| !have.contains(i)).collect();
    if missing.is_empty() { Ok(folders) } else { Err(MergeError::Missing { missing, of: of(first) }) }
}
