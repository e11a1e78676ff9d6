//! What `strat reproduce` and `strat train` have in common: plans carried out, shown and kept.

use crate::Failure;
use crate::origin::origin;
use crate::output::{outcome_text, print, progress};
use rayon::ThreadPool;
use std::path::Path;
use std::time::Instant;
use strat::engine::Isa;
use strat::experiment::{Outcome, Plan};
use strat::record::{Keep, Run, Staging};
use strat::report::json_lines;

/// Plans to be carried out one after the other, and what to do with what comes out.
pub struct Work<'a> {
    pub isa: Isa,
    pub pool: ThreadPool,
    pub json: bool,
    pub staging: Option<Staging>,
    pub keep: Keep,
    pub name: &'a str,
    pub runs: Vec<Run>,
    /// Whether all could be shown: told after the runs are kept.
    printed: std::io::Result<()>,
}

impl<'a> Work<'a> {
    /// Makes sure that `out` can be written, so that a folder that cannot be costs no work.
    pub fn new(
        name: &'a str,
        pool: ThreadPool,
        out: Option<&Path>,
        json: bool,
        keep: Keep,
    ) -> Result<Self, Failure> {
        let staging = out.map(Staging::new).transpose()?;
        Ok(Work { isa: Isa::detect()?, pool, json, staging, keep, name, runs: vec![], printed: Ok(()) })
    }

    /// Carries out a plan and shows what came out.
    pub fn carry_out(&mut self, plan: &Plan<'_>, seeds: &[u64]) -> Result<&Outcome, Failure> {
        let bar = progress(plan.work(seeds.len()), self.name);
        let start = Instant::now();
        let isa = self.isa;
        let outcome = self.pool.install(|| plan.run(seeds, isa, &|done| bar.inc(done)));
        let seconds = start.elapsed().as_secs_f64();
        bar.finish_and_clear();
        let text = if self.json { json_lines(&outcome.summary.cells) } else { outcome_text(&outcome, self.isa) };
        if self.printed.is_ok() {
            self.printed = print(&text);
        }
        // A folder is filled even if whoever read our output has seen enough.
        if self.staging.is_none() {
            std::mem::replace(&mut self.printed, Ok(()))?;
        }
        self.runs.push(Run { outcome, seconds });
        Ok(&self.runs.last().expect("just pushed").outcome)
    }

    /// Keeps it all, if that was asked for, whether or not it could be shown.
    pub fn finish(self) -> Result<(), Failure> {
        if let Some(staging) = self.staging {
            staging.finish(&self.runs, &origin(self.isa, self.pool.current_num_threads()), self.keep)?;
        }
        Ok(self.printed?)
    }
}
