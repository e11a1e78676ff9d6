//! The eleven tasks of Appendix D: their sets against the paper's numbers, their answers against
//! rules written a second time, their encodings channel by channel; how they are written.

#[path = "../common/mod.rs"]
mod common;
mod encoding;
mod files;
mod repeats;
mod rules;
#[path = "../samples/mod.rs"]
mod samples;
mod sets;
mod tables;
mod text;

use common::folder;
use common::require::skip;
use std::sync::LazyLock;
use strat::data::DataFolder;
use strat::task::{DataTask, Entry, Example, Pick, Target};

/// A folder without files: every task is its stand-in.
fn nowhere() -> DataFolder {
    DataFolder::find(Some("no such folder".into()))
}

fn load(name: &str, folder: &DataFolder, pick: Option<Pick>) -> DataTask {
    Entry::named(name).and_then(|e| e.load(folder, pick)).unwrap_or_else(|e| panic!("{e}"))
}

/// A task from its real file; `None` says why and skips.
fn real(name: &str, pick: Option<Pick>) -> Option<DataTask> {
    let folder = folder()?;
    let task = load(name, &folder, pick);
    // SATLIB's unsatisfiable formulas are always drawn.
    if task.stand_in().is_some_and(|what| name != "satlib" || !what.starts_with("1,000")) {
        skip("data", format_args!("{name} is not in {}", folder.root().display()));
        return None;
    }
    Some(task)
}

/// All tasks with their default picks: from the real files, if there are any, and stand-ins.
static TASKS: LazyLock<Vec<DataTask>> = LazyLock::new(|| {
    let folders = folder().into_iter().chain([nowhere()]);
    folders.flat_map(|folder| Entry::ALL.iter().map(move |e| load(e.name, &folder, None))).collect()
});

/// The last [`Entry::ALL`] of [`TASKS`].
fn stand_ins() -> &'static [DataTask] {
    &TASKS[TASKS.len() - Entry::ALL.len()..]
}

fn stand_in(name: &str) -> &'static DataTask {
    stand_ins().iter().find(|t| t.name() == name).expect("all tasks are there")
}

fn inputs(examples: &[Example]) -> Vec<&[u8]> {
    examples.iter().map(|e| &e.input[..]).collect()
}

fn is_positive(example: &Example) -> bool {
    match example.target {
        Target::Class(class) => class == 1,
        Target::Verdict(yes) => yes,
        _ => panic!("boards and numbers have no class"),
    }
}

fn distinct(examples: &[Example]) -> usize {
    inputs(examples).into_iter().collect::<std::collections::HashSet<_>>().len()
}
