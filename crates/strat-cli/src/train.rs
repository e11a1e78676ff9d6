//! `strat train`

use crate::Failure;
use crate::args::TrainArgs;
use crate::runner::Runner;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;
use strat::task;
use strat::train::TrainConfig;
use strat_paper::experiment::tasks;

pub fn run(args: TrainArgs) -> Result<ExitCode, Failure> {
    let entry = task::entry(&args.task)?;
    if args.pick.is_some() && entry.default_pick().is_none() {
        return Err(Failure::NoPick { task: entry.name });
    }
    let task = Arc::new(entry.load(&args.folder.open()?, args.pick)?);
    let steps = args.epochs.map_or(entry.train.steps, NonZeroUsize::get);
    let train = TrainConfig { steps, ..entry.train };
    let models: Vec<_> = args.models().iter().map(|&architecture| entry.model(architecture).into()).collect();
    let mut work = Runner::new(entry.name, args.pool()?, &args.keep, true, args.json)?;
    let job = work.job(tasks::plan(&task, &models, train)?, args.seeds, None)?;
    work.run(job)?;
    work.finish()?;
    Ok(ExitCode::SUCCESS)
}
