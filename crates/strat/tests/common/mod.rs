//! The real files, where they are: `STRAT_DATA`, or `shared/data` beside the repository.

pub mod require;

use require::skip;
use std::path::PathBuf;
use strat::data::DataFolder;

/// The folder with the real files; `None` says why and skips.
pub fn folder() -> Option<DataFolder> {
    let beside = || concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into();
    let root = std::env::var_os("STRAT_DATA").map_or_else(beside, PathBuf::from);
    if !root.is_dir() {
        skip("data", format_args!("no folder {}; set STRAT_DATA to the data folder", root.display()));
        return None;
    }
    Some(DataFolder::find(Some(root)))
}
