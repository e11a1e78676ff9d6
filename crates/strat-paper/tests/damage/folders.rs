//! Runs to do harm to: small ones that have every kind of file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use strat::engine::Isa;
use strat::fit;
use strat::fit::run::plan as fit_plan;
use strat::model::{Arithmetic, Lite, Types};
use strat::record::{FORMAT, Manifest, Origin};
use strat::result::LearnerResult;
use strat::sweep::{Interrupted, Plan, RowPlan, RunOptions, TrainContext};
use strat::task::DataTask;
use strat::task::table::sheet::Header;
use strat::task::table::{LabelledTable, Sheet, Symmetries, TableTask};
use strat::train::Lessons;
use strat::train::{Learner, SumTraining};
use strat_paper::experiment::summarize;

/// `Arithmetic` and `Grocery list` of latent types, untrained, with scores that are made up: table, notes and a figure.
pub fn latent() -> Plan<'static> {
    let row = |(name, types, scores): (&'static str, Types, &'static [&'static str])| {
        let model = Arithmetic::Lite(Lite { width: 4, heads: 1, types });
        let train = if types == Types::Items { SumTraining::grocery() } else { SumTraining::ablation() };
        let learner = move |&seed: &u64| {
            let learner = Learner { seed, weights: model.init(seed), final_loss: 0.5, losses: vec![2.0, 0.5] };
            LearnerResult::new(
                learner,
                scores.iter().enumerate().map(|(i, &name)| (name, (seed + i as u64) as f64 / 64.0)),
            )
        };
        RowPlan {
            name: name.into(),
            model: model.into(),
            train: Some(train),
            course: None,
            own: None,
            cost: 1,
            group: Box::new(|_| 1),
            learn: Box::new(move |seeds: &[u64], context: &TrainContext<'_>| {
                (context.progress)(seeds.len() as u64);
                Ok(seeds.iter().map(learner).collect())
            }),
        }
    };
    let sums: &[&str] = &["ood_mae", "cosine_plus_minus", "gate_ratio", "literal_distance"];
    let lists: &[&str] = &["id_accuracy", "ood_accuracy", "ood_mae", "distractor_distance", "distractor_ratio"];
    let rows = [("Arithmetic", Types::Latent, sums), ("Grocery list", Types::Items, lists)];
    Plan { name: "latent", rows: rows.map(row).into(), summary: summarize("latent").unwrap() }
}

/// A table of one's own, and its task.
pub fn table() -> (TableTask, DataTask) {
    let text = b"size,colour,ok\nsmall,red,no\nlarge,red,yes\nlarge,blue,yes\n";
    let sheet = Sheet::parse(Path::new("t.csv"), text, Header::Present).unwrap();
    let own = TableTask::new(
        LabelledTable::of(&sheet, "ok", &[], &Symmetries::default()).unwrap(),
        Symmetries::default(),
    );
    let task = own.task("t").unwrap();
    (own, task)
}

pub fn of_table<'a>(own: &TableTask, task: &'a DataTask) -> Plan<'a> {
    let mut plan = fit_plan(task, own, Lessons { epochs: 4, ..fit::lessons() });
    // One at a time, so that some are done before others begin.
    plan.rows.iter_mut().for_each(|row| row.group = Box::new(|_| 1));
    plan
}

pub fn manifest(plan: &Plan<'_>, shard: Option<&str>) -> Manifest {
    Manifest {
        format: FORMAT,
        experiment: plan.name.into(),
        version: "0".into(),
        commit: "unknown".into(),
        isa: Isa::detect().unwrap().name().into(),
        weights: true,
        seeds: "1..3".parse().unwrap(),
        shard: shard.map(|s| s.parse().unwrap()),
        rows: plan.rows.iter().map(|r| r.row()).collect(),
    }
}

/// Works on a run until `budget` units of progress are made.
pub fn work(plan: &Plan<'_>, path: &Path, shard: Option<&str>, budget: u64) -> Result<(), Interrupted> {
    let run = strat_paper::experiment::start(path, manifest(plan, shard))?;
    let (stop, made) = (AtomicBool::new(false), AtomicU64::new(0));
    let heard = |n: u64| {
        stop.fetch_or(made.fetch_add(n, Ordering::Relaxed) + n >= budget, Ordering::Relaxed);
    };
    let isa = Isa::detect().unwrap();
    let options = RunOptions { isa, progress: &heard, stop: &stop, save_every: Duration::ZERO };
    let origin = Origin { command: "strat".into(), cpu: "any".into(), cores: 1, threads: 1 };
    if !run.is_complete() {
        run.started(&origin)?;
    }
    // One after the other, so that it is known how far they are.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| plan.run_in(&run, &options)).map(|_| ())
}

/// Files by their path in a folder.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(|e| e.unwrap()) {
        let name = PathBuf::from(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            all.extend(files(&entry.path()).into_iter().map(|(p, b)| (name.join(p), b)))
        } else {
            drop(all.insert(name, fs::read(entry.path()).unwrap()))
        }
    }
    all
}

/// Puts files in a folder, and nothing else.
pub fn restore(folder: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) {
    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// In memory where that can be.
pub fn place() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}
