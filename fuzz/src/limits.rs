//! Memory that reading may need beside twice the file's length, in bytes: measured, and rounded up. That
//! of a checkpoint depends on the model. Also included by `crates/strat/tests/memory.rs`, which shows that little of it is to spare.

use strat::internals::MOST_ROWS;

/// A row of a manifest, whose text can have 28 bytes.
const ROW: usize = 320;
/// A value in the settings of a model or a task of one's own: at most an object with one field, which has room for eleven.
const OWN_VALUE: usize = 360;

/// A manifest: what is not in its rows, an error's words, and the rows that this text could have. A row is an object, and there may be
/// only so many. A value of one's own begins with one of three signs, and there are none where `own` is not written.
pub fn manifest(text: &[u8]) -> usize {
    let count = |signs: &[u8]| text.iter().filter(|byte| signs.contains(byte)).count();
    let has = |word: &[u8]| text.windows(word.len()).any(|part| part == word);
    let own = if has(b"own") || has(b"\\") { count(b":[,") } else { 0 };
    (4 << 10) + count(b"{").min(MOST_ROWS) * ROW + own * OWN_VALUE
}

/// A log: the line that is looked at, with 64 scores by name, or an error that quotes 256 bytes as
/// six each.
pub const LOG: usize = 4 << 10;
