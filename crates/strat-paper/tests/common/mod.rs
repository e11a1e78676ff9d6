//! Runs in folders, worked on in sittings.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use strat::data::DataFolder;
use strat::engine::Isa;
use strat::record::Manifest;
use strat::sweep::{Interrupted, Plan, RunOptions};

/// How long a run is worked on, and how.
pub struct Sitting {
    pub threads: usize,
    pub save_every: Duration,
    /// Units of progress after which it is left.
    pub budget: u64,
}

/// Where no data is.
pub fn nowhere() -> DataFolder {
    DataFolder::find(Some("/nonexistent".into()))
}

pub fn manifest(plan: &Plan, seeds: &str, shard: Option<&str>) -> Manifest {
    let shard = shard.map(|s| s.parse().unwrap());
    Manifest { shard, ..plan.manifest(seeds.parse().unwrap(), Isa::detect().unwrap()) }
}

/// Works on a run; true if it is done.
pub fn work(plan: &Plan, path: &Path, manifest: Manifest, sitting: &Sitting) -> bool {
    let run = strat_paper::experiment::start(path, manifest).unwrap();
    let (stop, made) = (AtomicBool::new(false), AtomicU64::new(0));
    let heard = |n: u64| {
        stop.fetch_or(made.fetch_add(n, Ordering::Relaxed) + n >= sitting.budget, Ordering::Relaxed);
    };
    let (isa, save_every) = (Isa::detect().unwrap(), sitting.save_every);
    let options = RunOptions { isa, progress: &heard, stop: &stop, save_every };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(sitting.threads).build().unwrap();
    match pool.install(|| plan.run_in(&run, &options)) {
        Ok(_) => true,
        Err(Interrupted::Stopped) => false,
        Err(e) => panic!("{e}"),
    }
}

/// What a run has in the end; who worked on it when is another matter.
pub fn files(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(path).unwrap().map(|e| e.unwrap());
    let named = entries.map(|e| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap()));
    named.filter(|(name, _)| name != "sessions.jsonl").collect()
}
