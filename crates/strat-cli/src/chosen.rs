//! The learners that `strat eval` and `strat predict` ask.

use crate::Failure;
use crate::args::ChosenArgs;
use crate::say::say;
use std::path::Path;
use strat::model::{BlockModel, ModelRecord};
use strat::result::LearnerResult;
use strat::task::DataTask;
use strat::task::table::TableTask;

/// Learners of one row of a run, and their task.
pub struct Chosen {
    pub task: DataTask,
    /// The stand-in that they were trained on, if it was one.
    pub taught_with: Option<String>,
    pub row: String,
    pub model: BlockModel,
    pub learners: Vec<LearnerResult>,
    /// Their table, if it is the user's own.
    pub table: Option<Box<TableTask>>,
}

/// Opens a run and reads them.
pub fn open(record: &Path, chosen: &ChosenArgs) -> Result<Chosen, Failure> {
    let folder = strat_paper::experiment::open(record)?;
    let row = folder.row(chosen.row.as_deref())?;
    let (ModelRecord::Blocks(model), Some(course)) = (&row.model, &row.course) else {
        return Err(Failure::NotATask(record.into()));
    };
    let task = course.load(&chosen.folder.open()?)?;
    if !model.fits(task.shape(), task.readout()) {
        return Err(Failure::Misfit { path: record.into(), task: course.task.clone() });
    }
    let learners = folder.learners(row, chosen.seed)?;
    let all = folder.manifest.seeds.count();
    if chosen.seed.is_none() && learners.len() < all {
        say!("{}: only {} of {all} learners are finished", record.display(), learners.len());
    }
    let (taught_with, table) = (course.stand_in.clone(), course.table.clone());
    Ok(Chosen { task, taught_with, row: row.name.clone(), model: *model, learners, table })
}
