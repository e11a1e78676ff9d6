//! `strat reproduce`

use crate::Failure;
use crate::args::ReproduceArgs;
use crate::output::{print, progress};
use std::process::ExitCode;
use strat::engine::Isa;
use strat::experiment::{Experiment, Outcome, named};
use strat::record::Staging;
use strat::report::{json_lines, table};

pub fn run(args: ReproduceArgs) -> Result<ExitCode, Failure> {
    let isa = Isa::detect()?;
    // Before the work, so that a folder that cannot be written costs none.
    let staging = args.out.as_deref().map(Staging::new).transpose()?;
    let pool = args.population.pool()?;
    let experiments: Vec<&Experiment> = named(&args.experiment).collect();
    let mut outcomes = vec![];
    for e in &experiments {
        let seeds = args.population.seeds(e.learners);
        let bar = progress((e.work)(seeds.len() as u64), e.name);
        let outcome = pool.install(|| (e.run)(&seeds, isa, &|done| bar.inc(done)));
        bar.finish_and_clear();
        print(&if args.json { json_lines(&outcome.cells) } else { text(&outcome, isa) })?;
        outcomes.push(outcome);
    }
    if let Some(staging) = staging {
        let command = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
        staging.finish(&outcomes, isa, &format!("strat {command}"))?;
    }
    let failed = outcomes.iter().flat_map(|o| &o.checks).any(|c| !c.holds);
    Ok(if args.check && failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn text(outcome: &Outcome, isa: Isa) -> String {
    let mut out = format!("{}\n\n{}", outcome.title, table::render(&outcome.cells));
    if !outcome.notes.is_empty() {
        out.push('\n');
        out.push_str(&outcome.notes);
    }
    out.push_str("\nChecks:\n");
    for c in &outcome.checks {
        out.push_str(&format!("  [{}] {}\n", if c.holds { "ok" } else { "no" }, c.statement));
    }
    out.push_str(&format!("\nComputed with {isa}; the same seeds give the same bits on it.\n\n"));
    out
}
