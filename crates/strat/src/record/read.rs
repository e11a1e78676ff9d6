//! A record being read. Nothing in it is trusted.

use super::{FORMAT, Manifest, Row, WeightsError, WeightsFile, weights_name};
use crate::engine::reference::Arrays;
use crate::model::ModelError;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The longest manifest that is read: a million seeds need less.
const LONGEST_MANIFEST: u64 = 64 << 20;
/// The longest line that is read; a learner's has a few hundred bytes.
const LONGEST_LINE: u64 = 64 << 10;

/// Why a record could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The operating system says no.
    #[error("{}: cannot read it: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Its words.
        source: io::Error,
    },
    /// Some other folder.
    #[error("{}: not a record: it has no manifest.json. A record is what `strat reproduce` and `strat train` write with --out DIR", .0.display())]
    NotARecord(PathBuf),
    /// The folder of a group.
    #[error("{}: holds several records. Give one of them: {}", .path.display(), .names.join(", "))]
    Several {
        /// The folder.
        path: PathBuf,
        /// Records in it.
        names: Vec<String>,
    },
    /// More than is read.
    #[error("{}: {part} is longer than {limit} bytes, which no record's is", .path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// It, or a line of it.
        part: String,
        /// What would be read.
        limit: u64,
    },
    /// Not what it should be.
    #[error("{}: line {line}: {source}. Make the record anew", .path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What the parser found.
        source: serde_json::Error,
    },
    /// Of another program.
    #[error("{}: its format is {found}; this program reads format {FORMAT}. Use the program that wrote it, or make the record anew", .path.display())]
    Format {
        /// The manifest.
        path: PathBuf,
        /// Its format.
        found: u64,
    },
    /// A model that cannot be.
    #[error("{}: the model of row {row:?}: {source}", .path.display())]
    Model {
        /// The manifest.
        path: PathBuf,
        /// The row.
        row: String,
        /// What is wrong with it.
        source: ModelError,
    },
    /// No such row.
    #[error("{}: no row {row:?}. Its rows: {}", .path.display(), .rows.join(", "))]
    NoRow {
        /// The record.
        path: PathBuf,
        /// What was asked for.
        row: String,
        /// What there is.
        rows: Vec<String>,
    },
    /// Which row?
    #[error("{}: has {} rows. Choose one with --row: {}", .path.display(), .rows.len(), .rows.join(", "))]
    ChooseRow {
        /// The record.
        path: PathBuf,
        /// What there is.
        rows: Vec<String>,
    },
    /// No such seed.
    #[error("{}: no seed {seed} in row {row:?}, which has {count} from {first} to {last}", .path.display())]
    NoSeed {
        /// The record.
        path: PathBuf,
        /// The row.
        row: String,
        /// What was asked for.
        seed: u64,
        /// How many there are.
        count: usize,
        /// The smallest.
        first: u64,
        /// The largest.
        last: u64,
    },
    /// A learner without its line.
    #[error("{}: no line for row {row:?}, seed {seed}, which the manifest names. Make the record anew", .path.display())]
    NoScores {
        /// The file.
        path: PathBuf,
        /// The row.
        row: String,
        /// The learner.
        seed: u64,
    },
    /// Scores only.
    #[error("{}: was kept without weights (--no-weights), and there is nothing to inspect without them", .0.display())]
    NoWeights(PathBuf),
    /// Weights that are not the model's.
    #[error("{}: {source}", .path.display())]
    Weights {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: WeightsError,
    },
}

/// A learner of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// Its seed.
    pub seed: u64,
    /// Its scores; NaN where it diverged.
    pub metrics: BTreeMap<String, f64>,
    /// Its weights.
    pub weights: Arrays,
}

/// A record: one experiment's folder.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    /// What was run.
    pub manifest: Manifest,
}

/// A line of `learners.jsonl`.
#[derive(Deserialize)]
struct Line {
    row: String,
    seed: u64,
    metrics: BTreeMap<String, Option<f64>>,
}

impl Folder {
    /// Reads and checks the manifest.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let file = path.join("manifest.json");
        let fail = |source| ReadError::Io { path: path.into(), source };
        if !fs::metadata(path).map_err(fail)?.is_dir() || !file.exists() {
            return Err(not_a_record(path));
        }
        let fail = |source| ReadError::Io { path: file.clone(), source };
        let mut text = String::new();
        File::open(&file).map_err(fail)?.take(LONGEST_MANIFEST + 1).read_to_string(&mut text).map_err(fail)?;
        if text.len() as u64 > LONGEST_MANIFEST {
            return Err(ReadError::TooLong { path: file, part: "it".into(), limit: LONGEST_MANIFEST });
        }
        #[derive(Deserialize)]
        struct Version {
            format: u64,
        }
        let fail = |source: serde_json::Error| ReadError::Json { path: file.clone(), line: source.line(), source };
        let Version { format } = serde_json::from_str(&text).map_err(fail)?;
        if format != u64::from(FORMAT) {
            return Err(ReadError::Format { path: file, found: format });
        }
        let manifest: Manifest = serde_json::from_str(&text).map_err(fail)?;
        for row in &manifest.rows {
            let fail = |source| ReadError::Model { path: file.clone(), row: row.name.clone(), source };
            row.model.check().map_err(fail)?;
        }
        Ok(Folder { path: path.into(), manifest })
    }

    /// The row of this name, or of the one name that has this in it in any case, or the only row.
    pub fn row(&self, name: Option<&str>) -> Result<&Row, ReadError> {
        let all = &self.manifest.rows;
        let names = || all.iter().map(|r| r.name.clone()).collect();
        let Some(name) = name else {
            let [row] = &all[..] else {
                return Err(ReadError::ChooseRow { path: self.path.clone(), rows: names() });
            };
            return Ok(row);
        };
        let part = name.to_lowercase();
        let like: Vec<&Row> = all.iter().filter(|r| r.name.to_lowercase().contains(&part)).collect();
        match (all.iter().find(|r| r.name == name), &like[..]) {
            (Some(row), _) => Ok(row),
            (None, [row]) => Ok(row),
            _ => Err(ReadError::NoRow { path: self.path.clone(), row: name.into(), rows: names() }),
        }
    }

    /// The learners of a row of this record: those of these seeds, or all.
    pub fn learners(&self, row: &Row, only: Option<u64>) -> Result<Vec<Saved>, ReadError> {
        let index = self.manifest.rows.iter().position(|r| r.name == row.name);
        let index = index.ok_or_else(|| ReadError::NoRow {
            path: self.path.clone(),
            row: row.name.clone(),
            rows: vec![],
        })?;
        let seeds = &self.manifest.seeds;
        let wanted: Vec<(usize, u64)> =
            seeds.iter().copied().enumerate().filter(|(_, s)| only.is_none_or(|o| o == *s)).collect();
        if let (Some(seed), []) = (only, &wanted[..]) {
            let (first, last) = (seeds.iter().min().copied(), seeds.iter().max().copied());
            return Err(ReadError::NoSeed {
                path: self.path.clone(),
                row: row.name.clone(),
                seed,
                count: seeds.len(),
                first: first.unwrap_or(0),
                last: last.unwrap_or(0),
            });
        }
        if !self.manifest.weights {
            return Err(ReadError::NoWeights(self.path.clone()));
        }
        let path = self.path.join(weights_name(index));
        let fail = |source| ReadError::Weights { path: path.clone(), source };
        let mut weights = WeightsFile::open(&path, &row.model, seeds.len()).map_err(fail)?;
        let mut scores = self.scores(&row.name, only)?;
        let saved = |(i, seed): (usize, u64)| {
            let metrics = scores.remove(&seed).ok_or_else(|| ReadError::NoScores {
                path: self.path.join("learners.jsonl"),
                row: row.name.clone(),
                seed,
            })?;
            Ok(Saved { seed, metrics, weights: weights.learner(i).map_err(fail)? })
        };
        wanted.into_iter().map(saved).collect()
    }

    /// Scores by seed.
    fn scores(&self, row: &str, only: Option<u64>) -> Result<BTreeMap<u64, BTreeMap<String, f64>>, ReadError> {
        let path = self.path.join("learners.jsonl");
        let fail = |source| ReadError::Io { path: path.clone(), source };
        let mut file = BufReader::new(File::open(&path).map_err(fail)?);
        let (mut all, mut text) = (BTreeMap::new(), String::new());
        for line in 1.. {
            text.clear();
            if file.by_ref().take(LONGEST_LINE + 1).read_line(&mut text).map_err(fail)? == 0 {
                break;
            }
            if text.len() as u64 > LONGEST_LINE {
                return Err(ReadError::TooLong { path, part: format!("line {line}"), limit: LONGEST_LINE });
            }
            let fail = |source| ReadError::Json { path: path.clone(), line, source };
            let learner: Line = serde_json::from_str(&text).map_err(fail)?;
            if learner.row == row && only.is_none_or(|seed| seed == learner.seed) {
                // JSON has no NaN: a diverged learner's score is null.
                let metrics = learner.metrics.into_iter().map(|(name, x)| (name, x.unwrap_or(f64::NAN)));
                all.insert(learner.seed, metrics.collect());
            }
        }
        Ok(all)
    }
}

/// Says what a folder is instead.
fn not_a_record(path: &Path) -> ReadError {
    let inside = fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path());
    let mut names: Vec<String> =
        inside.filter(|p| p.join("manifest.json").exists()).map(|p| p.display().to_string()).collect();
    names.sort();
    match names.is_empty() {
        true => ReadError::NotARecord(path.into()),
        false => ReadError::Several { path: path.into(), names },
    }
}
