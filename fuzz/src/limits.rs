//! Memory that reading may need beside twice the file's length, in bytes: measured, and rounded up. That
//! of a checkpoint depends on the model. Also included by `crates/strat/tests/memory.rs`, which shows that little of it is to spare.

/// A manifest: 1,000 rows of 420 bytes, where a row's text can have 28.
pub const MANIFEST: usize = 400 << 10;
/// A log: the line that is looked at, with 64 scores by name, or an error that quotes 256 bytes as
/// six each.
pub const LOG: usize = 4 << 10;
