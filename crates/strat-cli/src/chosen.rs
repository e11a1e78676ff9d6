//! The learners that `strat eval`, `strat predict` and others ask, and their task.

use crate::Failure;
use crate::args::{ChosenArgs, FolderArgs};
use crate::say::say;
use std::path::Path;
use std::sync::Arc;
use strat::model::{BlockModel, ModelRecord};
use strat::result::{LearnerResult, Row};
use strat::task::table::TableTask;
use strat::task::{DataTask, Task};
use strat::trace::{ExampleSource, ExampleSourceError};
use strat::train::Population;

/// Learners of one row of a run, and what they read.
pub struct Chosen {
    pub source: ExampleSource,
    /// The data set that they were trained on, if it is one.
    pub data: Option<Arc<DataTask>>,
    pub row: Row,
    pub learners: Vec<LearnerResult>,
}

/// A row on a data set or a table that blocks learn: its task, its model, and the table.
pub struct OfTable<'a> {
    pub task: Arc<DataTask>,
    pub model: BlockModel,
    pub own: Option<&'a TableTask>,
}

/// Opens a run and reads them.
pub fn open(record: &Path, chosen: &ChosenArgs) -> Result<Chosen, Failure> {
    let folder = strat_paper::experiment::open(record)?;
    let row = folder.row(chosen.row.as_deref())?.clone();
    let (source, data) = source(&row, &chosen.folder)?;
    let learners = folder.learners(&row, chosen.seed)?;
    let all = folder.manifest.seeds.count();
    if chosen.seed.is_none() && learners.len() < all {
        say!("{}: only {} of {all} learners are finished", record.display(), learners.len());
    }
    Ok(Chosen { source, data, row, learners })
}

/// What the learners of a row read; its data set is loaded once.
fn source(row: &Row, folder: &FolderArgs) -> Result<(ExampleSource, Option<Arc<DataTask>>), Failure> {
    let folder = folder.open()?;
    let Some(data) = row.data() else { return Ok((ExampleSource::of(row, &folder)?, None)) };
    let task = Arc::new(data.open(&folder)?);
    let model = row.model.model().ok_or_else(|| ExampleSourceError::Own(row.name.clone()))?;
    let misfit =
        |e| ExampleSourceError::Misfit { row: row.name.clone(), task: task.name().into(), source: Box::new(e) };
    Population::check(&*task, &*model).map_err(misfit)?;
    Ok((ExampleSource::new(model, task.clone() as Arc<dyn Task>), Some(task)))
}

/// A row of blocks on a data set or a table; none if it is another.
pub fn of_table<'a>(row: &'a Row, folder: &FolderArgs) -> Result<Option<OfTable<'a>>, Failure> {
    let ModelRecord::Blocks(model) = row.model else { return Ok(None) };
    let own = row.table();
    Ok(source(row, folder)?.1.map(|task| OfTable { task, model, own }))
}
