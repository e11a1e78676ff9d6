//! How learners are trained, as plain data that is checked once.
//!
//! - [`TrainConfig`]: steps, optimizer ([`Adam`]), [`Schedule`], clipping, [`Anneal`]; [`ValidConfig`] is one that was checked
//! - [`Setup`]: which models a task is meant for, and how they are trained: what a task [offers](crate::task::Task::paper)
//! - [`ConfigFile`]: both from a TOML file and the command line, with lists that make a sweep

mod adam;
mod setup;
mod toml;
mod train;

pub use adam::Adam;
pub use setup::Setup;
pub use toml::{
    ConfigFile, ConfigFileError, InputFacts, MOST_SETTINGS, Place, ReadoutChoice, ReadoutKind, ResolvedConfig,
    Setting, TaskFacts,
};
pub use train::{Anneal, ConfigError, MOST_STEPS, Schedule, TrainConfig, ValidConfig};
