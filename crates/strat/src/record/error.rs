//! Why a run could not be written or read.

use super::Manifest;
use super::limits::LONGEST_TEXT;
use crate::model::ModelError;
use crate::task::table::TableTaskError;
use std::error::Error;
use std::io;
use std::path::PathBuf;

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// Something else is already there.
    #[error("{}: already there, and no run; nothing was changed. Choose another folder", .0.display())]
    Occupied(PathBuf),
    /// The operating system says no before anything was done.
    #[error("{}: cannot {doing}: {source}. Choose a folder that you may write to", .path.display())]
    Start {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// Its words.
        source: io::Error,
    },
    /// The operating system says no in the middle.
    #[error("{}: cannot {doing}: {source}. All that was saved before is whole: mend this, give the same command again, and the run goes on from there", .path.display())]
    Middle {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// Its words.
        source: io::Error,
    },
    /// The folder is not where it was.
    #[error("{}: was moved or removed while the run worked in it. All that was saved before is whole, wherever the folder is now: move it back, give the same command again, and the run goes on from there", .0.display())]
    Moved(PathBuf),
    /// Another process is at it.
    #[error("{}: another process is at work on this run. Wait for it, or choose another folder", .0.display())]
    Busy(PathBuf),
    /// Another run.
    #[error("{}: is another run than the one asked for, and nothing was changed:\n{}\nGive it the settings it has, or start over in another folder", .path.display(), listed(.differences))]
    Differs {
        /// The folder.
        path: PathBuf,
        /// Line by line.
        differences: Vec<String>,
    },
    /// What is there cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// The first few lines of many.
fn listed(lines: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut out: Vec<String> = lines.iter().take(SHOWN).map(|l| format!("  {l}")).collect();
    if lines.len() > SHOWN {
        out.push(format!("  and {} more", lines.len() - SHOWN));
    }
    out.join("\n")
}

/// Why a run could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
    #[error("{}: not a run: it has no manifest.json. A run is a folder that learners were trained in", .0.display())]
    NotARun(PathBuf),
    /// The folder of a group.
    #[error("{}: holds several runs. Give one of them: {}", .path.display(), .names.join(", "))]
    Several {
        /// The folder.
        path: PathBuf,
        /// Runs in it.
        names: Vec<String>,
    },
    /// More than is read.
    #[error("{}: is longer than {limit} bytes, which no run's is. Make the run anew", .path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// What would be read.
        limit: u64,
    },
    /// Not what it should be.
    #[error("{}: line {line}: {source}. The file was changed or damaged; make the run anew", .path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What the parser found.
        source: serde_json::Error,
    },
    /// A text that no run has.
    #[error("{}: line {line}: a text of more than {LONGEST_TEXT} bytes, which no run has. The file was changed or damaged; make the run anew", .path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
    },
    /// A document that is not as it was written.
    #[error("{}: {source}. {advice}", .path.display())]
    Seal {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
        /// What can be done.
        advice: &'static str,
    },
    /// A value that no run has.
    #[error("{}: {source}. Make the run anew", .path.display())]
    Range {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// What a run's learners show, and they are not this run's.
    #[error("{}: is of another run, that of the manifest {found}. Move it away, and give this run's command again", .path.display())]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// Checksum of the manifest that it belongs to.
        found: String,
    },
    /// A table, summary or figure that is not as it was written.
    #[error("{}: is not as it was written: it has {found}, but summary.json says {expected}. Remove summary.json, and give the run's command again: if its weights were kept, the table is made anew", .path.display())]
    Result {
        /// The file.
        path: PathBuf,
        /// Length and checksum by the summary.
        expected: String,
        /// In truth.
        found: String,
    },
    /// A log that lost lines.
    #[error("{}: has {found} of the run's {total} learners, though summary.json says that all are there: lines were lost. {}", .path.display(), lost(*.weights))]
    Lost {
        /// The log.
        path: PathBuf,
        /// Learners that it has.
        found: usize,
        /// Learners there were.
        total: usize,
        /// Whether the weights of these are kept.
        weights: bool,
    },
    /// A line about who worked on a run that is not as it was written.
    #[error("{}: line {line} is not as it was written, or is of another run. Remove that line to read the run without it", .path.display())]
    Session {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
    },
    /// A log that is none.
    #[error("{}: {source}", .path.display())]
    Log {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Of another program.
    #[error("{}: its format is {found}; this program reads format {}. Use the program that wrote it, or make the run anew", .path.display(), Manifest::FORMAT)]
    Format {
        /// The manifest.
        path: PathBuf,
        /// Its format.
        found: u64,
    },
    /// More rows than any table has.
    #[error("{}: has {found} rows; at most {most} are read", .path.display())]
    Rows {
        /// The manifest.
        path: PathBuf,
        /// How many.
        found: usize,
        /// How many there may be.
        most: usize,
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
    /// A table that cannot be.
    #[error("{}: row {row:?}: {source}. Make the run anew", .path.display())]
    Table {
        /// The manifest.
        path: PathBuf,
        /// The row.
        row: String,
        /// What is wrong with it.
        source: Box<TableTaskError>,
    },
    /// No such row.
    #[error("{}: no row {row:?}. Its rows: {}", .path.display(), .rows.join(", "))]
    NoRow {
        /// The run.
        path: PathBuf,
        /// What was asked for.
        row: String,
        /// What there is.
        rows: Vec<String>,
    },
    /// Which row?
    #[error("{}: has {} rows. Choose one of them: {}", .path.display(), .rows.len(), .rows.join(", "))]
    ChooseRow {
        /// The run.
        path: PathBuf,
        /// What there is.
        rows: Vec<String>,
    },
    /// No such seed.
    #[error("{}: no seed {seed} in row {row:?}, which has {count} of {seeds}", .path.display())]
    NoSeed {
        /// The run.
        path: PathBuf,
        /// The row.
        row: String,
        /// What was asked for.
        seed: u64,
        /// How many there are.
        count: usize,
        /// Of which.
        seeds: String,
    },
    /// Nobody has finished.
    #[error("{}: no learner of row {row:?} is finished. Give the run's command again and wait for it", .path.display())]
    Empty {
        /// The run.
        path: PathBuf,
        /// The row.
        row: String,
    },
    /// Scores only.
    #[error("{}: was kept without weights, and there is nothing to inspect without them", .0.display())]
    NoWeights(PathBuf),
    /// Weights that are nowhere.
    #[error("{}: the weights of row {row:?}, seed {seed} are in none of its files. Make the run anew", .path.display())]
    LostWeights {
        /// The run.
        path: PathBuf,
        /// The row.
        row: String,
        /// The learner.
        seed: u64,
    },
    /// Weights that are not those that were scored.
    #[error("{}: the weights of seed {seed} are not those that were written: their checksum is {found:08x}, that in learners.jsonl {expected:08x}. Make the run anew", .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The learner.
        seed: u64,
        /// By the log.
        expected: u32,
        /// By the weights.
        found: u32,
    },
    /// A learner in training that cannot be taken up again.
    #[error("{}: {source}. Remove this file to train that learner from its start", .path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Weights that are not the model's.
    #[error("{}: {source}", .path.display())]
    Weights {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// What can be done about lost lines.
fn lost(weights: bool) -> &'static str {
    if weights {
        "Give the run's command again: the others are trained anew"
    } else {
        "Without weights they cannot be made good; make the run anew, in another folder"
    }
}

/// What is wrong with a file of weights.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The operating system says no.
    #[error("cannot read the file: {0}")]
    Io(#[from] io::Error),
    /// Not as long as the model and the number of learners say.
    #[error(
        "has {found} bytes but should have {expected}; it is cut short, has too much, or belongs to another run"
    )]
    Length {
        /// By the model.
        expected: u64,
        /// In truth.
        found: u64,
    },
    /// Not the header that the model and the number of learners say.
    #[error(
        "its header differs at byte {0} from that of the manifest's model; the file belongs to another run or was changed"
    )]
    Header(usize),
    /// Other numbers than those that were written.
    #[error("its checksum is {found:08x}, but that of its content {expected:08x}; the file was changed or damaged")]
    Checksum {
        /// Of the content.
        expected: u32,
        /// In the file.
        found: u32,
    },
}
