//! How large the files of a run may be. What is written is held to the same as what is read, before
//! any work is done.

/// The longest manifest, in bytes: any table that is read (`MOST_CELLS` in `task/table`) needs less.
pub const LONGEST_MANIFEST: usize = 64 << 20;
/// The longest string of a manifest or a log, in bytes as JSON has it.
pub const LONGEST_TEXT: usize = 256;
/// Most rows of a run: as many as a sweep has settings.
pub const MOST_ROWS: usize = crate::config::toml::MOST_SETTINGS;
/// Most values in the settings and parameters of models and tasks of one's own, in all rows together.
pub(super) const MOST_OWN_VALUES: usize = 200_000;
/// Most scores of a learner; ours have at most a dozen.
pub const MOST_METRICS: usize = 64;
/// The longest line of a learner, in bytes: all scores with the longest names, forty losses.
pub(super) const LONGEST_LINE: u64 = 32 << 10;
/// The longest log, in bytes: a million learners need less.
pub(super) const LONGEST_LOG: u64 = 4 << 30;
/// The longest list of sessions, summary, table or figure, in bytes.
pub(super) const LONGEST_RESULT: u64 = 64 << 20;
