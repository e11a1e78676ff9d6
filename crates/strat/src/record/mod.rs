//! Runs on disk: a folder that survives whatever happens to the machine, and is read without
//! being trusted. `docs/runs.md` describes it for people.
//!
//! | file | holds |
//! |---|---|
//! | `manifest.json` | what is to be done, by which program: [`Manifest`]. Written first, never changed |
//! | `learners.jsonl` | the log: one checksummed line per finished learner, in the order of [`Places`](crate::seeds::Places) |
//! | `sessions.jsonl` | one line when somebody starts to work on it, one when they stop: machine, command, time |
//! | `parts/ROW-FIRST-COUNT.safetensors` | weights of finished learners while the run lasts |
//! | `checkpoints/ROW-SEED.safetensors` | a learner in training: weights, moments, epoch |
//! | `weights-ROW.safetensors` | in the end: a row's weights, stacked `[learner, out, in]` |
//! | `cells.jsonl`, `summary.json`, `*.svg` | in the end: the table, what it shows, the figures |
//!
//! Every file but the two logs is written beside its place, flushed and renamed, so it is there whole
//! or not at all. The logs grow by appending; a line that was cut off is written again. What is in
//! the folder in the end depends on the manifest alone, whatever happened on the way; only
//! `sessions.jsonl` tells.
//!
//! [`RunFolder`] writes such a folder, [`Folder`] reads it, [`merge`] joins shards.

mod checkpoint;
mod error;
mod files;
mod folder;
mod log;
mod manifest;
mod merge;
mod run;
mod session;
mod text;
mod weights;

pub use checkpoint::{decode as read_checkpoint, encode as checkpoint_bytes};
pub use error::{ReadError, RecordError, WeightsError};
pub use files::write_file;
pub use folder::Folder;
pub use log::{Line, Log, LogError};
pub use manifest::{FORMAT, Manifest, Origin, Row};
pub use merge::{MergeError, merge};
pub use run::RunFolder;
pub use session::{Event, Session};
pub use weights::WeightsFile;

fn weights_name(row: usize) -> String {
    format!("weights-{row}.safetensors")
}
