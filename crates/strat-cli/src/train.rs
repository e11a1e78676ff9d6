//! `strat train`

use crate::Failure;
use crate::args::TrainArgs;
use crate::origin::origin;
use crate::output::{outcome_text, print, progress};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::Instant;
use strat::data::DataFolder;
use strat::engine::Isa;
use strat::experiment::tasks;
use strat::record::{Keep, Run, Staging};
use strat::report::json_lines;
use strat::task;
use strat::train::task::Lessons;

pub fn run(args: TrainArgs) -> Result<ExitCode, Failure> {
    let isa = Isa::detect()?;
    let entry = task::entry(&args.task)?;
    let task = entry.load(&DataFolder::find(args.folder.data.clone()), args.pick)?;
    // Before the work, so that a folder that cannot be written costs none.
    let staging = args.out.as_deref().map(Staging::new).transpose()?;
    let pool = args.pool()?;
    let mut lessons = Lessons::paper(entry.name);
    lessons.epochs = args.epochs.map_or(lessons.epochs, NonZeroUsize::get);
    let (models, seeds) = (args.models(), args.seeds());

    let bar = progress((lessons.epochs * models.len() * seeds.len()) as u64, entry.name);
    let start = Instant::now();
    let outcome = pool.install(|| tasks::run(&task, models, lessons, &seeds, isa, &|done| bar.inc(done)));
    let seconds = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    print(&if args.json { json_lines(&outcome.cells) } else { outcome_text(&outcome, isa) })?;
    if let Some(staging) = staging {
        let run = Run { outcome, seconds };
        staging.finish(&[run], &origin(isa, pool.current_num_threads()), Keep::Weights)?;
    }
    Ok(ExitCode::SUCCESS)
}
