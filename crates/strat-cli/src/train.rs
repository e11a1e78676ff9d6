//! `strat train`

use crate::Failure;
use crate::args::TrainArgs;
use crate::runner::Runner;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use strat::task;
use strat::train::Lessons;
use strat_paper::experiment::tasks;

pub fn run(args: TrainArgs) -> Result<ExitCode, Failure> {
    let entry = task::entry(&args.task)?;
    if args.pick.is_some() && entry.default_pick().is_none() {
        return Err(Failure::NoPick { task: entry.name });
    }
    let task = entry.load(&args.folder.open()?, args.pick)?;
    let mut lessons = Lessons::paper(entry.name);
    lessons.epochs = args.epochs.map_or(lessons.epochs, NonZeroUsize::get);
    let mut work = Runner::new(entry.name, args.pool()?, &args.keep, true, args.json)?;
    let job = work.job(tasks::plan(&task, args.models(), lessons), args.seeds, None)?;
    work.run(job)?;
    work.finish()?;
    Ok(ExitCode::SUCCESS)
}
