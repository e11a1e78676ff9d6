//! How learners are trained, as plain data that is checked once.
//!
//! - [`TrainConfig`]: steps, optimizer, schedule, clipping
//! - [`Setup`]: which models a task is meant for, and how they are trained: what a task [offers](crate::task::Task::paper)
//! - [`Preset`]: named choices of what the paper leaves open
//! - [`ConfigFile`]: both from a TOML file and the command line, with lists that make a sweep

pub(crate) mod adam;
mod preset;
mod setup;
pub(crate) mod toml;
pub(crate) mod train;

pub(crate) use adam::Adam;
pub use preset::Preset;
pub use setup::{Repeats, Setup};
pub use toml::{
    ConfigFile, ConfigFileError, InputFacts, Place, ReadoutChoice, ReadoutKind, ResolvedConfig, Setting, TaskFacts,
};
pub(crate) use train::{Anneal, ConfigError, Schedule, TrainConfig, ValidConfig};
