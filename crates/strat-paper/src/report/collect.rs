//! The runs of a report: found in folders, read whole or as far as they are.

use crate::experiment::{self, tasks};
use std::path::{Path, PathBuf};
use strat::record::{Folder, ReadError, Session};
use strat::result::{LearnerRow, Summary};

/// How deep runs are looked for: `reproduce all` has them two folders down.
const DEPTH: usize = 3;

/// A run without its weights.
#[derive(Clone, Debug)]
pub struct Run {
    /// Where it is, and what is to be done.
    pub folder: Folder,
    /// Its finished learners by row, without their weights.
    pub rows: Vec<LearnerRow>,
    /// What they show, if all are finished.
    pub summary: Option<Summary>,
    /// Who worked on it.
    pub sessions: Vec<Session>,
}

impl Run {
    /// Reads a run's folder.
    pub fn read(path: &Path) -> Result<Run, ReadError> {
        let folder = experiment::open(path)?;
        let (rows, summary, sessions) = (folder.scores()?, folder.summary()?, folder.history()?);
        Ok(Run { folder, rows, summary, sessions })
    }

    /// Whether its learners were taught data-set tasks.
    pub fn is_of_tasks(&self) -> bool {
        self.folder.manifest.experiment == tasks::NAME
    }

    /// Whether its learners were taught a table of somebody's own.
    pub fn is_of_table(&self) -> bool {
        let rows = &self.folder.manifest.rows;
        !rows.is_empty() && rows.iter().all(|row| row.table().is_some())
    }

    /// Learners that are finished.
    pub fn done(&self) -> usize {
        self.rows.iter().map(|r| r.learners.len()).sum()
    }

    /// All its learners.
    pub fn total(&self) -> usize {
        self.folder.manifest.order().count()
    }
}

/// The runs of some folders, each of which is a run or has some in it.
pub fn collect(paths: &[PathBuf]) -> Result<Vec<Run>, ReadError> {
    let mut runs = vec![];
    for path in paths {
        let mut found = vec![];
        find(path, DEPTH, &mut found)?;
        if found.is_empty() {
            return Err(ReadError::NotARun(path.clone()));
        }
        for path in found {
            runs.push(Run::read(&path)?);
        }
    }
    Ok(runs)
}

/// Runs in a folder, by name; a run has none inside of it.
fn find(path: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), ReadError> {
    if path.join("manifest.json").exists() {
        found.push(path.into());
        return Ok(());
    }
    let fail = |source| ReadError::Io { path: path.into(), source };
    let mut inside = vec![];
    for entry in path.read_dir().map_err(fail)? {
        inside.push(entry.map_err(fail)?.path());
    }
    inside.sort();
    for folder in inside.iter().filter(|p| depth > 0 && p.is_dir()) {
        find(folder, depth - 1, found)?;
    }
    Ok(())
}
