//! A record being written: beside its place first, then moved there.

use super::{FORMAT, Manifest, Origin, Row, weights, weights_name};
use crate::experiment::{LearnerRow, Outcome};
use crate::report::json_lines;
use serde_json::json;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Why a folder could not be written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// Something is already there.
    #[error("{}: already there and not empty; nothing was changed. Choose another --out", .0.display())]
    Occupied(PathBuf),
    /// The operating system says no.
    #[error("{}: cannot {doing}: {source}. Choose an --out that you may write to", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// Its words.
        source: io::Error,
    },
}

/// How much of the learners to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Scores and weights.
    Weights,
    /// Scores only.
    Scores,
}

/// An experiment that was run.
#[derive(Clone, Debug)]
pub struct Run {
    /// What came out.
    pub outcome: Outcome,
    /// How long it took.
    pub seconds: f64,
}

/// A folder being prepared beside its final place. Dropped unfinished, it is removed.
#[derive(Debug)]
pub struct Staging {
    target: PathBuf,
    folder: PathBuf,
    finished: bool,
}

impl Staging {
    /// Makes sure that `target` can be written, before any work is done for it.
    pub fn new(target: &Path) -> Result<Self, RecordError> {
        match fs::read_dir(target).map(|mut entries| entries.next().is_some()) {
            Ok(true) => return Err(RecordError::Occupied(target.into())),
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(failed(target, "look into it", e)),
            _ => {}
        }
        let name = target.file_name().ok_or_else(|| RecordError::Occupied(target.into()))?;
        let parent = match target.parent() {
            Some(p) if !p.as_os_str().is_empty() => p,
            _ => Path::new("."),
        };
        let folder = parent.join(format!(".{}.partial-{}", name.to_string_lossy(), std::process::id()));
        fs::create_dir_all(&folder).map_err(|e| failed(&folder, "create the folder", e))?;
        Ok(Staging { target: target.into(), folder, finished: false })
    }

    /// Writes everything, then moves the folder to its place.
    pub fn finish(mut self, runs: &[Run], origin: &Origin, keep: Keep) -> Result<(), RecordError> {
        for run in runs {
            // One experiment is the folder, several are folders in it.
            let folder = match runs {
                [_] => self.folder.clone(),
                _ => self.folder.join(run.outcome.experiment),
            };
            fs::create_dir_all(&folder).map_err(|e| failed(&folder, "create the folder", e))?;
            write_run(&folder, run, origin, keep)?;
        }
        fs::rename(&self.folder, &self.target).map_err(|e| failed(&self.target, "move the results there", e))?;
        self.finished = true;
        Ok(())
    }
}

fn write_run(folder: &Path, run: &Run, origin: &Origin, keep: Keep) -> Result<(), RecordError> {
    let outcome = &run.outcome;
    let learners = outcome.rows.first().map_or(&[][..], |r| &r.learners[..]);
    let manifest = Manifest {
        format: FORMAT,
        experiment: outcome.experiment.into(),
        origin: origin.clone(),
        seconds: run.seconds,
        weights: keep == Keep::Weights,
        rows: outcome.rows.iter().map(Row::of).collect(),
        seeds: learners.iter().map(|l| l.seed).collect(),
    };
    let manifest = serde_json::to_string_pretty(&manifest).expect("plain data") + "\n";
    write(folder, "manifest.json", manifest.as_bytes())?;
    write(folder, "cells.jsonl", json_lines(&outcome.summary.cells).as_bytes())?;
    write(folder, "learners.jsonl", learner_lines(outcome).as_bytes())?;
    if keep == Keep::Weights {
        for (i, row) in outcome.rows.iter().enumerate() {
            write(folder, &weights_name(i), &weights::stacked(row))?;
        }
    }
    for (name, svg) in &outcome.summary.figures {
        write(folder, name, svg.as_bytes())?;
    }
    Ok(())
}

impl Row {
    fn of(row: &LearnerRow) -> Row {
        Row { name: row.name.into(), model: row.model, train: row.train, course: row.course.clone() }
    }
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), RecordError> {
    let path = folder.join(name);
    let save = || -> io::Result<()> {
        use io::Write;
        let mut file = fs::File::create(&path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    save().map_err(|e| failed(&path, "write the file", e))
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.finished {
            // Nothing better can be done here if this fails too.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

fn failed(path: &Path, doing: &'static str, source: io::Error) -> RecordError {
    RecordError::Io { path: path.into(), doing, source }
}

fn learner_lines(outcome: &Outcome) -> String {
    let mut out = String::new();
    for row in &outcome.rows {
        for l in &row.learners {
            let line = json!({ "row": row.name, "seed": l.seed, "metrics": l.metrics });
            out.push_str(&line.to_string());
            out.push('\n');
        }
    }
    out
}
