//! `strat reproduce`

use crate::Failure;
use crate::args::ReproduceArgs;
use crate::carry_out::Work;
use std::process::ExitCode;
use strat::experiment::named;
use strat::record::Keep;

pub fn run(args: ReproduceArgs) -> Result<ExitCode, Failure> {
    let keep = if args.no_weights { Keep::Scores } else { Keep::Weights };
    let mut work = Work::new(&args.experiment, args.population.pool()?, args.out.as_deref(), args.json, keep)?;
    let mut failed = false;
    for e in named(&args.experiment) {
        let outcome = work.carry_out(&(e.plan)(), &args.population.seeds(e.learners))?;
        failed |= outcome.summary.checks.iter().any(|c| !c.holds);
    }
    work.finish()?;
    Ok(if args.check && failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}
