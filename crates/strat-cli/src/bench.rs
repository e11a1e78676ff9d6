//! `strat bench`

use crate::Failure;
use crate::args::{BenchArgs, Work};
use crate::output::{print, progress};
use std::process::ExitCode;
use strat::engine::Isa;
use strat::experiment::locking;

pub fn run(args: BenchArgs) -> Result<ExitCode, Failure> {
    let isa = Isa::detect()?;
    let pool = args.population.pool()?;
    match args.work {
        Work::Locking => {
            let seeds: Vec<u64> = args.population.seeds(locking::LEARNERS).iter().collect();
            let bar = progress(seeds.len() as u64, "training");
            let b = pool.install(|| strat::bench::locking(&seeds, isa, &|done| bar.inc(done)));
            bar.finish_and_clear();
            let json = || serde_json::to_string(&b).expect("plain data") + "\n";
            let text = || {
                format!(
                    "STRAT-Lite 4D, ten sums, 2,000 steps, 1,000 test sums: {:.0} learners/s\n\
                     {} learners on {} threads with {}\n\
                     {:.1} GFLOP/s carried out, {:.0} % of the {:.0} that the same threads reach on \
                     multiply-adds alone;\nthe model as written would need {:.1} times the arithmetic\n",
                    b.learners_per_s,
                    b.learners,
                    b.threads,
                    b.isa,
                    b.gflops,
                    100.0 * b.peak_share,
                    b.peak_gflops,
                    b.algebra
                )
            };
            print(&if args.json { json() } else { text() })?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
