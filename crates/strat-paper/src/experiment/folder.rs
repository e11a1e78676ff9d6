//! Folders of the paper's experiments: their logs must have the scores that tables are made of.

use super::{all, demanded, summarize, tasks};
use std::path::{Path, PathBuf};
use strat::data::DataFolder;
use strat::record::{self, Folder, Manifest, MergeError, ReadError, RecordError, RunFolder, Unfit};
use strat::result::{LearnerRow, Summarize, Summary};
use strat::sweep::Plan;

/// Opens a run to read it.
pub fn open(path: &Path) -> Result<Folder, ReadError> {
    Ok(Folder::open(path)?.demanding(demanded))
}

/// Starts the run of this manifest in a new or empty folder, or goes on with it.
pub fn start(path: &Path, manifest: Manifest) -> Result<RunFolder, RecordError> {
    RunFolder::open(path, manifest, demanded)
}

/// Joins the folders of all shards of a sweep into the run that they are parts of. Learners of a task vote on its examples,
/// if the data folder has those that they were tested on; else the notes say why there is no vote.
pub fn merge(shards: &[PathBuf], out: &Path, data: &DataFolder) -> Result<Summary, MergeError> {
    record::merge(shards, out, demanded, |manifest| {
        let (summarize, of_tasks) = (summary_of(manifest)?, manifest.experiment == tasks::NAME);
        let isa = manifest.isa.clone();
        Ok(move |rows: &[LearnerRow]| {
            let mut summary = summarize(rows);
            if of_tasks {
                match tasks::together(rows, data, &isa) {
                    Ok(cells) => summary.cells.extend(cells),
                    Err(why) => summary.notes += &format!("No vote is told: {why}.\n"),
                }
            }
            summary
        })
    })
}

/// What to make of a run's learners, if its rows are those that the summary asks for.
fn summary_of(manifest: &Manifest) -> Result<Summarize, Unfit> {
    let Some(summary) = summarize(&manifest.experiment) else {
        let has_rows = !manifest.rows.is_empty();
        return if has_rows && manifest.rows.iter().all(|row| row.data().is_none()) {
            Ok(Plan::own_summary)
        } else {
            Err(Unfit::Unknown)
        };
    };
    // Of an experiment whose rows are always the same, the summary asks for all of them; of any other, for one.
    let given: Vec<&str> = manifest.rows.iter().map(|r| &*r.name).collect();
    let fits = match all().find(|e| e.name == manifest.experiment).map(|e| e.name) {
        Some(name @ ("alu" | "ablations" | "latent" | "arithmetic-baselines")) => {
            let plan = all().find(|e| e.name == name).map(|e| (e.plan)());
            plan.is_some_and(|plan| plan.rows.iter().map(|plan| &*plan.row().name).eq(given.iter().copied()))
        }
        Some("params") => given.is_empty(),
        _ => !given.is_empty(),
    };
    if fits { Ok(summary) } else { Err(Unfit::Rows) }
}
