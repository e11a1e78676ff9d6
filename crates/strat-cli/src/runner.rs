//! What `strat reproduce` and `strat train` have in common: plans that are run, kept and shown.

use crate::args::KeepArgs;
use crate::origin::{COMMIT, VERSION, origin};
use crate::output::{Progress, print, summary_text};
use crate::say::say;
use crate::{Failure, stop};
use rayon::ThreadPool;
use std::path::{Path, PathBuf};
use std::time::Duration;
use strat::config::Preset;
use strat::engine::Isa;
use strat::record::{Manifest, RunFolder};
use strat::result::{Cell, Outcome};
use strat::seeds::{Seeds, Shard, SweepOrder};
use strat::sweep::{Interrupted, Plan, RunOptions};
use strat::task::TeachingSet;
use strat_paper::experiment::teaching::{self, search};

/// A plan, its learners, and the folder that keeps them, if any.
pub struct RunJob {
    /// What it is called on the way.
    name: String,
    plan: Plan,
    seeds: Seeds,
    folder: Option<RunFolder>,
}

impl RunJob {
    /// The folder that keeps them, if any.
    pub fn path(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.folder().path().to_path_buf())
    }
}

/// Runs jobs, one after the other.
pub struct Runner<'a> {
    name: &'a str,
    isa: Isa,
    pool: ThreadPool,
    json: bool,
    out: Option<PathBuf>,
    shard: Option<Shard>,
    weights: bool,
    save_every: Duration,
    /// Whether all could be shown: told after the runs are kept.
    printed: std::io::Result<()>,
}

impl<'a> Runner<'a> {
    pub fn new(
        name: &'a str,
        pool: ThreadPool,
        keep: &KeepArgs,
        weights: bool,
        json: bool,
    ) -> Result<Self, Failure> {
        let out = match (&keep.out, keep.fresh) {
            (Some(out), true) => Some(unused(out)),
            (out, _) => out.clone(),
        };
        if keep.fresh && out != keep.out {
            say!("New folder: {}", out.as_deref().unwrap_or(Path::new("")).display());
        }
        let (isa, shard, save_every) = (Isa::detect()?, keep.shard, keep.save_every);
        Ok(Runner { name, isa, pool, json, out, shard, weights, save_every, printed: Ok(()) })
    }

    /// The instruction set.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The threads.
    pub fn pool(&self) -> &ThreadPool {
        &self.pool
    }

    /// The sets of sums that learners lock from.
    pub fn teaching_sets(&self) -> Vec<TeachingSet> {
        let progress = Progress::new(search::COST * teaching::ROWS.len() as u64, 0, "looking for teaching sets");
        let sets = self.pool.install(|| teaching::find(self.isa, &|done| progress.inc(done)));
        progress.finish();
        sets
    }

    /// Makes sure that the plan's folder can be worked in, so that one that cannot be costs no work.
    /// One of several plans has its folder, by this name, inside of the one that was asked for.
    pub fn job(&self, plan: Plan, seeds: Seeds, preset: &Preset, inside: Option<&str>) -> Result<RunJob, Failure> {
        let manifest = Manifest {
            version: VERSION.into(),
            commit: COMMIT.into(),
            weights: self.weights,
            shard: self.shard,
            preset: (!preset.is_specified()).then(|| preset.name.into()),
            ..plan.manifest(seeds, self.isa)
        };
        let path = self.out.as_ref().map(|out| inside.map_or(out.clone(), |name| out.join(name)));
        let folder = path.map(|path| strat_paper::experiment::start(&path, manifest)).transpose()?;
        Ok(RunJob { name: inside.unwrap_or(self.name).into(), plan, seeds, folder })
    }

    /// Runs a plan and shows what came out; nothing yet if it is a shard.
    pub fn run(&mut self, job: RunJob) -> Result<Option<Outcome>, Failure> {
        let RunJob { name, plan, seeds, folder } = &job;
        let (order, done) = match folder {
            Some(f) => (f.folder().manifest.order(), f.done()),
            None => (SweepOrder::new(plan.rows.len(), *seeds, Shard::WHOLE), 0),
        };
        if done > 0 {
            let path = folder.as_ref().map_or(Path::new(""), |f| f.folder().path()).display();
            say!("{path}: {done} of {} learners are done already", order.count());
        }
        let [all, before] = plan.work(order, done);
        let progress = Progress::new(all, before, name);
        let heard = |done| progress.inc(done);
        let options =
            RunOptions { isa: self.isa, progress: &heard, stop: stop::signal(), save_every: self.save_every };
        let ended = stop::saving(|| match folder {
            None => self.pool.install(|| plan.run_with(*seeds, &options)).map(Some),
            Some(folder) if done == order.count() => plan.run_in(folder, &options),
            Some(folder) => {
                folder.started(&origin(self.pool.current_num_threads()))?;
                let ended = self.pool.install(|| plan.run_in(folder, &options));
                // The reason why it ended is worth more than that this could not be noted.
                let noted = folder.stopped();
                ended.and_then(|outcome| Ok(noted.map(|()| outcome)?))
            }
        });
        progress.finish();
        let outcome = ended.map_err(|e| match e {
            Interrupted::Record(e) => Failure::Record(e),
            Interrupted::Train(e) => Failure::Train(e),
            Interrupted::Stopped => Failure::Stopped(Kept(
                folder.as_ref().map(|f| (f.folder().path().to_path_buf(), f.done(), f.total())),
            )),
        })?;
        let text = match (&outcome, self.json) {
            (Some(outcome), true) => Cell::json_lines(&outcome.summary.cells),
            (Some(outcome), false) => summary_text(&outcome.summary, self.isa),
            (None, true) => String::new(),
            (None, false) => format!(
                "Shard {} is done: {} learners. When all are, join them with strat merge.\n",
                self.shard.unwrap_or(Shard::WHOLE),
                order.count()
            ),
        };
        self.show(&text)?;
        Ok(outcome)
    }

    /// Prints, unless whoever read our output has seen enough; then it ends, or fills its folder.
    pub fn show(&mut self, text: &str) -> Result<(), Failure> {
        if self.printed.is_ok() {
            self.printed = print(text);
        }
        if self.out.is_none() {
            std::mem::replace(&mut self.printed, Ok(()))?;
        }
        Ok(())
    }

    /// Whether all could be shown.
    pub fn finish(self) -> Result<(), Failure> {
        Ok(self.printed?)
    }
}

/// What is left of a run that was stopped, in words.
#[derive(Debug)]
pub struct Kept(Option<(PathBuf, usize, usize)>);

impl std::fmt::Display for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Some((path, done, total)) => write!(
                f,
                "{done} of {total} learners are finished and kept in {}, those in training too; \
                 give the same command again to go on",
                path.display()
            ),
            None => write!(f, "nothing is kept without --out DIR"),
        }
    }
}

/// The first of `out`, `out-2`, `out-3`, … that is not there.
fn unused(out: &Path) -> PathBuf {
    let numbered = |n: u64| {
        let name = out.file_name().unwrap_or_default().to_string_lossy();
        out.with_file_name(format!("{name}-{n}"))
    };
    let mut others = (2..).map(numbered);
    if out.exists() { others.find(|p| !p.exists()).expect("numbers do not end") } else { out.into() }
}
