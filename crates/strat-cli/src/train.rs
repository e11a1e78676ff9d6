//! `strat train`

use crate::Failure;
use crate::args::{FolderArgs, TrainArgs};
use crate::runner::Runner;
use crate::say::say;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use strat::config::{ConfigFile, ResolvedConfig, Setting, Setup, TaskFacts};
use strat::data::same_name;
use strat::model::ModelRecord;
use strat::sweep::Plan;
use strat::task::{ArrayTask, DataTask, Entry, Pick, SumTask, Task};
use strat_paper::experiment::tasks;

/// What can be trained on.
pub enum Chosen {
    /// A data set of the paper.
    Data(Arc<DataTask>),
    /// Sums or lists.
    Sums(Box<SumTask>),
    /// Examples of a file.
    File(Arc<ArrayTask>),
}

/// Endings of files of examples.
const ENDINGS: [&str; 4] = ["jsonl", "ndjson", "npz", "safetensors"];

impl Chosen {
    /// By the name of a task or a file.
    pub fn open(
        name: &str,
        pick: Option<Pick>,
        folder: &FolderArgs,
        config: &ConfigFile,
    ) -> Result<Chosen, Failure> {
        if let Ok(entry) = Entry::named(name) {
            if pick.is_some() && entry.default_pick().is_none() {
                return Err(Failure::NoPick { task: entry.name });
            }
            return Ok(Chosen::Data(Arc::new(entry.load(&folder.open()?, pick)?)));
        }
        if pick.is_some() {
            return Err(Failure::NothingToPick(name.into()));
        }
        let sums = [SumTask::LOCKING, SumTask::GROCERY];
        if let Some(task) = sums.into_iter().find(|task| same_name(task.name(), name)) {
            return Ok(Chosen::Sums(task.into()));
        }
        let path = Path::new(name);
        let is_known = |ending: &str| ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending));
        if path.is_file() || path.extension().and_then(|e| e.to_str()).is_some_and(is_known) {
            return Ok(Chosen::File(Arc::new(ArrayTask::read(path, config.readout()?)?)));
        }
        let known = Entry::ALL.iter().map(|e| e.name).chain(sums.iter().map(|task| task.examples.name()));
        Err(Failure::NoTask { name: name.into(), known: known.collect::<Vec<_>>().join(", ") })
    }

    /// The task.
    pub fn task(&self) -> Arc<dyn Task> {
        match self {
            Chosen::Data(task) => task.clone(),
            Chosen::Sums(task) => Arc::new(**task),
            Chosen::File(task) => task.clone(),
        }
    }

    /// Every setting that a configuration means.
    pub fn resolve(&self, config: &ConfigFile) -> Result<ResolvedConfig, Failure> {
        let facts = match self {
            Chosen::File(task) => TaskFacts::from(&**task),
            _ => TaskFacts::of(&*self.task()),
        };
        Ok(config.resolve(&facts, self.offered().as_ref())?)
    }

    /// What the task offers.
    fn offered(&self) -> Option<Setup> {
        self.task().paper()
    }
}

pub fn run(args: TrainArgs) -> Result<ExitCode, Failure> {
    let config = args.settings()?;
    let chosen = Chosen::open(&args.task, args.pick, &args.folder, &config)?;
    let ResolvedConfig { settings, seeds, .. } = chosen.resolve(&config)?;
    tell_of_zeros(&settings);
    let plan: Plan = match &chosen {
        Chosen::Data(task) => tasks::plan(task, &settings)?,
        Chosen::Sums(task) => tasks::plan_of_sums(task, &settings)?,
        Chosen::File(task) => tasks::plan_of_file(task, &settings)?,
    };
    let name = chosen.task().name().to_string();
    let mut work = Runner::new(&name, args.pool()?, &args.keep, true, args.json)?;
    let job = work.job(plan, seeds, None)?;
    work.run(job)?;
    work.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Says that Data was too narrow, once for all settings: they differ in whether it is, never in how much.
fn tell_of_zeros(settings: &[Setting]) {
    let sizes = settings.iter().filter_map(|setting| match &setting.model {
        ModelRecord::Blocks(model) => Some(model.sizes),
        _ => None,
    });
    if let Some(sizes) = sizes.into_iter().find(|sizes| sizes.zeros > 0) {
        let (given, zeros) = (sizes.data - sizes.zeros, sizes.zeros);
        say!(
            "data has {given} column{}, too few for the LayerNorm before STRAT's answer: STRAT gets {zeros} more, of zeros",
            if given == 1 { "" } else { "s" }
        );
    }
}
