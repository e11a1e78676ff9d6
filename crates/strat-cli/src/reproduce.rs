//! `strat reproduce`

use crate::Failure;
use crate::args::ReproduceArgs;
use crate::origin::origin;
use crate::output::{outcome_text, print, progress};
use std::process::ExitCode;
use std::time::Instant;
use strat::engine::Isa;
use strat::experiment::{Experiment, named};
use strat::record::{Keep, Run, Staging};
use strat::report::json_lines;

pub fn run(args: ReproduceArgs) -> Result<ExitCode, Failure> {
    let isa = Isa::detect()?;
    // Before the work, so that a folder that cannot be written costs none.
    let staging = args.out.as_deref().map(Staging::new).transpose()?;
    let pool = args.population.pool()?;
    let experiments: Vec<&Experiment> = named(&args.experiment).collect();
    let mut runs = vec![];
    for e in &experiments {
        let seeds = args.population.seeds(e.learners);
        let bar = progress((e.work)(seeds.len() as u64), e.name);
        let start = Instant::now();
        let outcome = pool.install(|| (e.run)(&seeds, isa, &|done| bar.inc(done)));
        let seconds = start.elapsed().as_secs_f64();
        bar.finish_and_clear();
        print(&if args.json { json_lines(&outcome.cells) } else { outcome_text(&outcome, isa) })?;
        runs.push(Run { outcome, seconds });
    }
    if let Some(staging) = staging {
        let keep = if args.no_weights { Keep::Scores } else { Keep::Weights };
        staging.finish(&runs, &origin(isa, pool.current_num_threads()), keep)?;
    }
    let failed = runs.iter().flat_map(|r| &r.outcome.checks).any(|c| !c.holds);
    Ok(if args.check && failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}
