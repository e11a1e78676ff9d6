//! `strat train`

use crate::ExitCode;
use crate::Failure;
use crate::args::{FolderArgs, TrainArgs};
use crate::runner::Runner;
use crate::say::say;
use std::path::Path;
use std::sync::Arc;
use strat::config::{ConfigFile, Preset, ResolvedConfig, Setting, Setup, TaskFacts};
use strat::data::same_name;
use strat::model::ModelRecord;
use strat::sweep::Plan;
use strat::task::{ArrayTask, DataTask, Entry, Examples, Pick, SumTask, Sums, Task, TeachingSet};
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

    /// The same, but all learners are taught these sums.
    fn taught(self, sums: Option<TeachingSet>) -> Result<Chosen, Failure> {
        match (sums, self) {
            (None, same) => Ok(same),
            (Some(sums), Chosen::Sums(task)) if matches!(task.id, Sums::Signed(_)) => {
                Ok(Chosen::Sums(SumTask { examples: Examples::Chosen { sums }, ..*task }.into()))
            }
            (Some(_), other) => Err(Failure::NoSums(other.task().name().into())),
        }
    }

    /// The task.
    pub fn task(&self) -> Arc<dyn Task> {
        match self {
            Chosen::Data(task) => task.clone(),
            Chosen::Sums(task) => Arc::new(**task),
            Chosen::File(task) => task.clone(),
        }
    }

    /// Every setting that a configuration means, from those of a preset on.
    pub fn resolve(&self, config: &ConfigFile, preset: &'static Preset) -> Result<ResolvedConfig, Failure> {
        let offered = match self.task().paper() {
            None if preset.is_specified() => None,
            _ => Some(self.offered(preset)?),
        };
        Ok(config.resolve(&self.facts(), offered.as_ref())?)
    }

    /// What is trained if nothing is set: as in the paper, or what comes of no settings at all, as a preset has it.
    pub fn offered(&self, preset: &'static Preset) -> Result<Setup, Failure> {
        let setup = match self.task().paper() {
            Some(setup) => setup,
            None => {
                let nothing = ConfigFile::empty("the command line");
                let ResolvedConfig { settings, seeds, .. } = nothing.resolve(&self.facts(), None)?;
                let models = settings.iter().map(|setting| setting.model.clone()).collect();
                let train = settings.first().map_or(Default::default(), |setting| setting.train);
                Setup::new(models, train, seeds)
            }
        };
        let fail = || Failure::NoPreset { preset: preset.name, of: self.task().name().into() };
        preset.apply(&setup).ok_or_else(fail)
    }

    fn facts(&self) -> TaskFacts {
        match self {
            Chosen::File(task) => TaskFacts::from(&**task),
            _ => TaskFacts::of(&*self.task()),
        }
    }
}

/// The preset of a name that was found to be one; the specified one if none was given.
pub fn preset(name: Option<&str>) -> &'static Preset {
    name.and_then(Preset::named).unwrap_or(&Preset::ALL[0])
}

pub fn run(args: TrainArgs) -> Result<ExitCode, Failure> {
    let config = args.settings()?;
    let chosen = Chosen::open(&args.task, args.pick, &args.folder, &config)?.taught(args.sums)?;
    let preset = preset(args.preset.as_deref());
    let ResolvedConfig { settings, seeds, .. } = chosen.resolve(&config, preset)?;
    tell_of_zeros(&settings);
    let plan: Plan = match &chosen {
        Chosen::Data(task) => tasks::plan(task, &settings)?,
        Chosen::Sums(task) => tasks::plan_of_sums(task, &settings)?,
        Chosen::File(task) => tasks::plan_of_file(task, &settings)?,
    };
    let name = chosen.task().name().to_string();
    let mut work = Runner::new(&name, args.pool()?, &args.keep, true, args.json)?;
    let job = work.job(plan, seeds, preset, None)?;
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
