//! Outcomes on disk: a folder that appears whole or not at all. One experiment fills it, several
//! fill a folder each inside it.
//!
//! | file | holds |
//! |---|---|
//! | `manifest.json` | what was run: experiment, seeds, version, instruction set |
//! | `cells.jsonl` | the table, one cell a line |
//! | `learners.jsonl` | one line per learner: row, seed, scores |
//! | `weights-N.safetensors` | row `N`'s weights, stacked `[learner, out, in]` in order of seed |
//! | `*.svg` | the figures |

use crate::engine::Isa;
use crate::experiment::{LearnerRow, Outcome};
use crate::report::json_lines;
use safetensors::tensor::{Dtype, TensorView};
use serde_json::json;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Version of the folder's layout.
const FORMAT: u32 = 1;

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
    pub fn finish(mut self, outcomes: &[Outcome], isa: Isa, command: &str) -> Result<(), RecordError> {
        for outcome in outcomes {
            // One experiment is the folder, several are folders in it.
            let folder = match outcomes {
                [_] => self.folder.clone(),
                _ => self.folder.join(outcome.experiment),
            };
            fs::create_dir_all(&folder).map_err(|e| failed(&folder, "create the folder", e))?;
            write_outcome(&folder, outcome, isa, command)?;
        }
        fs::rename(&self.folder, &self.target).map_err(|e| failed(&self.target, "move the results there", e))?;
        self.finished = true;
        Ok(())
    }
}

fn write_outcome(folder: &Path, outcome: &Outcome, isa: Isa, command: &str) -> Result<(), RecordError> {
    let learners = outcome.rows.first().map_or(&[][..], |r| &r.learners[..]);
    let manifest = json!({
        "format": FORMAT,
        "experiment": outcome.experiment,
        "command": command,
        "seeds": learners.iter().map(|l| l.seed).collect::<Vec<_>>(),
        "rows": outcome.rows.iter().map(|r| r.name).collect::<Vec<_>>(),
        "version": env!("CARGO_PKG_VERSION"),
        "isa": isa.name(),
    });
    let manifest = serde_json::to_string_pretty(&manifest).expect("plain data") + "\n";
    write(folder, "manifest.json", manifest.as_bytes())?;
    write(folder, "cells.jsonl", json_lines(&outcome.cells).as_bytes())?;
    write(folder, "learners.jsonl", learner_lines(outcome).as_bytes())?;
    for (i, row) in outcome.rows.iter().enumerate() {
        write(folder, &format!("weights-{i}.safetensors"), &stacked_weights(row))?;
    }
    for (name, svg) in &outcome.figures {
        write(folder, name, svg.as_bytes())?;
    }
    Ok(())
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

/// `[learner, rows, cols]` in the type they were trained in: `f32` where that is exact, else `f64`.
fn stacked_weights(row: &LearnerRow) -> Vec<u8> {
    let n = row.learners.len();
    let single = |x: &f64| x.is_nan() || f64::from(*x as f32) == *x;
    let all_single = row.learners.iter().all(|l| l.weights.values().flatten().all(single));
    let stack = |name: &str| -> Vec<u8> {
        let all = row.learners.iter().flat_map(|l| &l.weights[name]);
        match all_single {
            true => all.flat_map(|&x| (x as f32).to_le_bytes()).collect(),
            false => all.flat_map(|&x| x.to_le_bytes()).collect(),
        }
    };
    let dtype = if all_single { Dtype::F32 } else { Dtype::F64 };
    let data: Vec<(&str, Vec<usize>, Vec<u8>)> =
        row.params.iter().map(|p| (&*p.name, vec![n, p.shape[0], p.shape[1]], stack(&p.name))).collect();
    let view = |shape: &[usize], bytes| {
        TensorView::new(dtype, shape.to_vec(), bytes).expect("the shape fits its own data")
    };
    let tensors: Vec<_> = data.iter().map(|(name, shape, bytes)| (*name, view(shape, bytes))).collect();
    let meta = HashMap::from([("row".to_string(), row.name.to_string())]);
    safetensors::serialize(tensors, Some(meta)).expect("names are unique and data is contiguous")
}
