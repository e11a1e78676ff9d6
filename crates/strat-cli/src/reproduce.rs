//! `strat reproduce`

use crate::Failure;
use crate::args::ReproduceArgs;
use crate::carry_out::Work;
use std::process::ExitCode;
use strat::experiment::named;

pub fn run(args: ReproduceArgs) -> Result<ExitCode, Failure> {
    let mut work = Work::new(&args.experiment, args.population.pool()?, &args.keep, !args.no_weights, args.json)?;
    let several = named(&args.experiment).count() > 1;
    let jobs = named(&args.experiment)
        .map(|e| work.job((e.plan)(), args.population.seeds(e.learners), several))
        .collect::<Result<Vec<_>, _>>()?;
    let mut failed = false;
    for job in jobs {
        let summary = work.carry_out(job)?;
        failed |= summary.is_some_and(|s| s.checks.iter().any(|c| !c.holds));
    }
    work.finish()?;
    Ok(if args.check && failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}
