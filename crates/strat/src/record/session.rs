//! `sessions.jsonl`: who worked on a run, a line for each start and each stop.

use super::Origin;
use serde::{Deserialize, Serialize};

/// A line of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Session {
    /// Seconds since 1970.
    pub time: u64,
    /// Learners that are done.
    pub learners: usize,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Somebody starts or stops.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Event {
    /// Who, and where.
    Started(Origin),
    /// After how long.
    Stopped {
        /// By the clock on the wall.
        seconds: f64,
        /// On saving, in all threads.
        saving: f64,
    },
}
