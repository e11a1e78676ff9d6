//! Training: populations, experiments of the paper, shards and their merging.

use crate::failure::{guarded, of, value};
use crate::population::{Population, Sourced};
use crate::task::{Kind, Task, data_folder};
use crate::work::{self, Control, pool};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;
use strat::config::{ConfigFile, ResolvedConfig};
use strat::engine::Isa;
use strat::record::Manifest;
use strat::result::LearnerRow;
use strat::seeds::{Seeds, Shard, SweepOrder};
use strat::sweep::{Interrupted, Plan, RunOptions};
use strat_cli::origin::{COMMIT, VERSION, origin_of};
use strat_paper::experiment;

/// How a plan is run and kept; none of it changes what its learners become.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct How {
    out: Option<PathBuf>,
    shard: Option<String>,
    threads: Option<usize>,
    save_every: f64,
    /// What the record says was asked for.
    command: String,
}

/// A plan with all that is needed to run it, checked.
struct Ready {
    plan: Plan,
    seeds: Seeds,
    how: How,
    shard: Option<Shard>,
    save_every: Duration,
}

impl Ready {
    fn new(plan: Plan, seeds: Seeds, how: How) -> PyResult<Ready> {
        let shard = how.shard.as_ref().map(|text| text.parse::<Shard>());
        let shard =
            shard.transpose().map_err(|e| value(format!("shard {:?} {e}", how.shard.as_deref().unwrap_or(""))))?;
        let save_every = Duration::try_from_secs_f64(how.save_every);
        let save_every =
            save_every.map_err(|e| value(format!("save_every is {}, in seconds: {e}", how.save_every)))?;
        if shard.is_some() && how.out.is_none() {
            return Err(value("a shard is merged with others, so it needs a folder: give out"));
        }
        Ok(Ready { plan, seeds, how, shard, save_every })
    }

    /// Runs it; none if it is a shard.
    fn run(&self, isa: Isa, control: &Control) -> Result<Option<(Manifest, Vec<LearnerRow>)>, PyErr> {
        let Ready { plan, seeds, how, shard, save_every } = self;
        let manifest = Manifest {
            version: VERSION.into(),
            commit: COMMIT.into(),
            shard: *shard,
            ..plan.manifest(*seeds, isa)
        };
        let pool = pool(how.threads)?;
        let heard = |done| control.advance(done);
        let options = RunOptions { isa, progress: &heard, stop: &control.stop, save_every: *save_every };
        let begin = |order: SweepOrder, done: usize| {
            let [all, before] = plan.work(order, done);
            control.done.store(before, Ordering::Relaxed);
            control.total.store(all, Ordering::Relaxed);
        };
        let Some(out) = &how.out else {
            begin(SweepOrder::new(plan.rows.len(), *seeds, Shard::WHOLE), 0);
            let outcome = pool.install(|| plan.run_with(*seeds, &options)).map_err(of)?;
            return Ok(Some((manifest, outcome.rows)));
        };
        let folder = experiment::start(out, manifest.clone()).map_err(of)?;
        let order = folder.folder().manifest.order();
        begin(order, folder.done());
        let outcome = if folder.done() == order.count() {
            pool.install(|| plan.run_in(&folder, &options)).map_err(of)?
        } else {
            folder.started(&origin_of(how.command.clone(), pool.current_num_threads())).map_err(of)?;
            let ended = pool.install(|| plan.run_in(&folder, &options));
            // The reason why it ended is worth more than that this could not be noted.
            let noted = folder.stopped();
            ended.and_then(|outcome| noted.map(|()| outcome).map_err(Interrupted::from)).map_err(of)?
        };
        let Some(outcome) = outcome else { return Ok(None) };
        let mut rows = outcome.rows;
        // Of a run that was finished before, the weights are in its folder.
        for row in rows.iter_mut().filter(|row| row.learners.iter().any(|l| l.weights.is_empty())) {
            row.learners = folder.folder().learners(&row.row, None).map_err(of)?;
        }
        Ok(Some((manifest, rows)))
    }
}

/// Trains a row of learners for each setting that the configuration means. Each of `settings` is `key=value`, as
/// `strat train --set` takes it.
#[pyfunction]
#[pyo3(signature = (task, settings, how, callback=None))]
pub fn train(
    py: Python<'_>,
    task: &Task,
    settings: Vec<String>,
    how: How,
    callback: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Population>> {
    let task = task.clone();
    let ready = guarded(|| {
        let mut config = ConfigFile::empty("config");
        settings.iter().try_for_each(|text| config.set(text)).map_err(of)?;
        let ResolvedConfig { settings, seeds, .. } = task.resolve(&config)?;
        Ready::new(task.plan(&settings)?, seeds, how)
    })?;
    work::run(py, callback, move |control| {
        let isa = Isa::detect().map_err(of)?;
        let Some((manifest, rows)) = ready.run(isa, control)? else { return Ok(None) };
        let source = match &task.kind {
            // Curricula have their stages in the steps of each row.
            Kind::Sums(_) => None,
            _ => Some(task.task()),
        };
        Ok(Some(Population::new(manifest, rows, &Sourced::By(source), isa)))
    })
}

/// An experiment of the paper that needs no data.
#[pyfunction]
#[pyo3(signature = (name, seeds, how, callback=None))]
pub fn reproduce(
    py: Python<'_>,
    name: &str,
    seeds: Option<&str>,
    how: How,
    callback: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Population>> {
    let ready = guarded(|| {
        let found = experiment::all().find(|e| e.name == name && e.name != experiment::teaching::NAME);
        let found = found.ok_or_else(|| {
            let known: Vec<_> =
                experiment::all().map(|e| e.name).filter(|n| *n != experiment::teaching::NAME).collect();
            value(format!("there is no experiment {name:?}; there are {}", known.join(", ")))
        })?;
        let seeds = match seeds {
            Some(text) => text.parse().map_err(|e| value(format!("seeds {text:?}: {e}")))?,
            None => Seeds::to(found.learners),
        };
        Ready::new((found.plan)(), seeds, how)
    })?;
    work::run(py, callback, move |control| {
        let isa = Isa::detect().map_err(of)?;
        let ran = ready.run(isa, control)?;
        Ok(ran.map(|(manifest, rows)| Population::new(manifest, rows, &Sourced::By(None), isa)))
    })
}

/// Joins the folders of all shards of a sweep into the run that they are parts of.
#[pyfunction]
#[pyo3(signature = (shards, out, data=None))]
pub fn merge(py: Python<'_>, shards: Vec<PathBuf>, out: PathBuf, data: Option<PathBuf>) -> PyResult<Population> {
    let folder = guarded(|| data_folder(data))?;
    work::run(py, None, move |_| {
        experiment::merge(&shards, &out, &folder).map_err(of)?;
        crate::population::open(&out, &folder)
    })
}
