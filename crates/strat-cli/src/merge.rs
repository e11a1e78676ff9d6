//! `strat merge`

use crate::ExitCode;
use crate::Failure;
use crate::args::MergeArgs;
use crate::output::{print, summary_text};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use strat::engine::Isa;
use strat::result::Cell;
use strat_paper::experiment::merge;

pub fn run(args: MergeArgs) -> Result<ExitCode, Failure> {
    let (isa, data) = (Isa::detect()?, args.folder.open()?);
    let mut text = String::new();
    for name in runs(&args.shards) {
        let inside = |folder: &Path| name.as_ref().map_or(folder.to_path_buf(), |name| folder.join(name));
        let shards: Vec<PathBuf> = args.shards.iter().map(|s| inside(s)).collect();
        let summary = merge(&shards, &inside(&args.out), &data)?;
        text += &if args.json { Cell::json_lines(&summary.cells) } else { summary_text(&summary, isa) };
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The runs that the folders hold, by name; or the folders are runs themselves.
fn runs(folders: &[PathBuf]) -> Vec<Option<String>> {
    let is_run = |path: &Path| path.join("manifest.json").exists();
    if folders.iter().any(|f| is_run(f)) {
        return vec![None];
    }
    let inside = folders.iter().flat_map(|f| std::fs::read_dir(f).into_iter().flatten().flatten());
    let names: BTreeSet<String> =
        inside.filter(|e| is_run(&e.path())).map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    // Folders that hold none are said to be none.
    if names.is_empty() { vec![None] } else { names.into_iter().map(Some).collect() }
}
