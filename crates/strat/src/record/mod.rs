//! Runs on disk: a folder that survives whatever happens to the machine, and is read without
//! being trusted. `docs/runs.md` describes it for people.
//!
//! | file | holds | is checked by |
//! |---|---|---|
//! | `manifest.json` | what is to be done, by which program: [`Manifest`]. Written first, never changed | the SHA-256 at its end, which is the run's identity |
//! | `learners.jsonl` | the log: one line per finished learner, in the order of [`SweepOrder`](crate::seeds::SweepOrder) | a CRC-32 in every line that begins with the run's, and the order |
//! | `sessions.jsonl` | one line when somebody starts to work on it, one when they stop: machine, command, time | the same |
//! | `parts/ROW-FIRST-COUNT.safetensors` | weights of finished learners while the run lasts | the header that the model asks for; the CRC-32 of each learner's weights in the log |
//! | `checkpoints/ROW-SEED.safetensors` | a learner in training: weights, moments, epoch | the header; a CRC-32 of run, row, seed and content |
//! | `weights-ROW.safetensors` | in the end: a row's weights, stacked `[learner, out, in]` | as parts |
//! | `summary.json` | in the end: what the table shows | the SHA-256 at its end; it names the run |
//! | `cells.jsonl`, `*.svg` | in the end: the table, the figures | length and CRC-32 in the summary |
//!
//! A run is complete when the log has every learner; what is shown counts only then. Every file but the log of
//! learners is written beside its place, flushed and renamed, so it is there whole or not at all. That
//! log grows by appending; a line that was cut off is written again. What is in the folder in the end depends on the
//! manifest alone, whatever happened on the way; only `sessions.jsonl` tells.
//!
//! [`RunFolder`] writes such a folder, [`Folder`] reads it, [`merge`] joins shards.

pub(crate) mod checkpoint;
mod disk;
pub(crate) mod error;
mod files;
mod folder;
pub(crate) mod limits;
pub(crate) mod log;
mod manifest;
mod merge;
mod outline;
mod ranges;
mod run;
pub(crate) mod seal;
mod session;
mod shown;
mod text;
pub(crate) mod weights;

pub(crate) use error::WeightsError;
pub use error::{ReadError, RecordError};
pub use files::write_file;
pub use folder::Folder;
pub(crate) use log::{Line, Log, Misfit};
pub use manifest::{Manifest, Origin};
pub use merge::{MergeError, Unfit, merge};
pub use run::RunFolder;
pub(crate) use seal::{RunId, seal};
pub use session::{Event, Session};
pub(crate) use weights::WeightsFile;

fn weights_name(row: usize) -> String {
    format!("weights-{row}.safetensors")
}
