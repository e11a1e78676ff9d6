//! Outcomes on disk: a folder that appears whole or not at all. One experiment fills it, several
//! fill a folder each inside it.
//!
//! | file | holds |
//! |---|---|
//! | `manifest.json` | what was run, where and how long: [`Manifest`] |
//! | `cells.jsonl` | the table, one cell a line |
//! | `learners.jsonl` | one line per learner: row, seed, scores |
//! | `weights-N.safetensors` | row `N`'s weights, stacked `[learner, out, in]` in order of seed, its model in the header |
//! | `*.svg` | the figures |
//!
//! [`Staging`] writes such a folder, [`Folder`] reads it. A file is believed only as far as it
//! has been checked: sizes are limited, and shapes are compared with the model's before any
//! memory is taken for them.

mod read;
mod weights;
mod write;

use crate::experiment::tasks::Course;
use crate::model::Model;
use crate::train::TrainConfig;
use serde::{Deserialize, Serialize};

pub use read::{Folder, ReadError, Saved};
pub use weights::{WeightsError, WeightsFile};
pub use write::{Keep, RecordError, Run, Staging};

/// Version of the folder's layout; others are refused.
pub const FORMAT: u32 = 2;

/// `manifest.json`
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// Always [`FORMAT`].
    pub format: u32,
    /// Its name on the command line.
    pub experiment: String,
    /// Where the numbers come from.
    #[serde(flatten)]
    pub origin: Origin,
    /// How long it took, by the clock on the wall.
    pub seconds: f64,
    /// Whether the weights were kept.
    pub weights: bool,
    /// The rows of the table that have learners.
    pub rows: Vec<Row>,
    /// The learners of every row, in the order of the weights.
    pub seeds: Vec<u64>,
}

/// A row of the table, and what its learners are.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// As in the table.
    pub name: String,
    /// Which model the weights belong to.
    pub model: Model,
    /// How they were trained on sums. Written for readers; not read back.
    #[serde(skip_deserializing)]
    pub train: Option<TrainConfig>,
    /// What they were taught, if it was a task.
    #[serde(default)]
    pub course: Option<Course>,
}

/// Which program made the numbers, and on which machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// As typed.
    pub command: String,
    /// Of the program.
    pub version: String,
    /// Of its source, or `unknown`.
    pub commit: String,
    /// The instruction set; the same seeds give the same bits on it.
    pub isa: String,
    /// The processor's name for itself.
    pub cpu: String,
    /// Cores that the system offers.
    pub cores: usize,
    /// Threads that were used.
    pub threads: usize,
}

fn weights_name(row: usize) -> String {
    format!("weights-{row}.safetensors")
}
