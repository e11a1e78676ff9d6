//! Runs to do harm to: small ones that have every kind of file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use strat::engine::Isa;
use strat::fit;
use strat::metric::Metric;
use strat::model::{Built, Init, Kinds, Lite, Model, ModelRecord, Param, Spec, Types};
use strat::record::{Manifest, Origin};
use strat::result::Row;
use strat::sweep::{Interrupted, Plan, RowPlan, RunOptions};
use strat::task::table::Header;
use strat::task::table::{LabelledTable, Sheet, Symmetries, TableTask, Told};
use strat::task::{DataTask, SumTask, Task};
use strat::train::{Learner, Predictor, TrainConfig};
use strat_paper::experiment::summarize;

/// A model of the paper whose learners are trained one at a time, so that some are done before others begin.
#[derive(Debug)]
struct OneByOne<M> {
    model: M,
    /// What all weights are in the beginning, if not what the model says.
    start: Option<f64>,
}

impl<M: Model> Model for OneByOne<M> {
    fn spec(&self) -> Spec {
        self.model.spec()
    }
    fn build(&self, tokens: usize) -> Built {
        self.model.build(tokens)
    }
    fn build_of_kinds(&self, kinds: &Kinds) -> Option<Built> {
        self.model.build_of_kinds(kinds)
    }
    fn is_small(&self, _examples: usize, _kinds: bool) -> bool {
        false
    }
    fn params(&self) -> Vec<Param> {
        let params = self.model.params().into_iter();
        params.map(|p| Param { init: self.start.map_or(p.init, Init::Constant), ..p }).collect()
    }
}

/// `Arithmetic` and `Grocery list` of latent types, hardly trained, with scores that are made up: table, notes and a
/// figure.
pub fn latent() -> Plan {
    latent_from(None)
}

/// The same with weights that are no numbers.
pub fn diverged() -> Plan {
    latent_from(Some(f64::NAN))
}

fn latent_from(start: Option<f64>) -> Plan {
    let row = |(name, task, types, scores): (&str, SumTask, Types, &'static [&'static str])| {
        let model = OneByOne { model: Lite { width: 4, heads: 1, types }, start };
        let train = TrainConfig { steps: 2, ..task.paper().unwrap().train };
        let made_up = |learner: &Learner, _: &mut Predictor<'_>| {
            Ok(scores.iter().zip(learner.seed..).map(|(name, x)| (Metric::named(name), x as f64 / 64.0)).collect())
        };
        RowPlan::new(name, Arc::new(model), Arc::new(task), train).unwrap().scored_by(made_up)
    };
    let sums: &[&str] = &["ood_mae", "cosine_plus_minus", "gate_ratio", "literal_distance"];
    let lists: &[&str] = &["id_accuracy", "ood_accuracy", "ood_mae", "distractor_distance", "distractor_ratio"];
    let rows = [
        ("Arithmetic", SumTask::ABLATION, Types::Latent, sums),
        ("Grocery list", SumTask::GROCERY, Types::Items, lists),
    ];
    Plan { name: "latent", rows: rows.map(row).into(), summary: summarize("latent").unwrap() }
}

/// A table of one's own, and its task.
pub fn table() -> (TableTask, Arc<DataTask>) {
    let text = b"size,colour,ok\nsmall,red,no\nlarge,red,yes\nlarge,blue,yes\n";
    let sheet = Sheet::parse(Path::new("t.csv"), text, Header::Present).unwrap();
    let own = TableTask::new(
        LabelledTable::of(&sheet, "ok", &Told::default(), &Symmetries::default()).unwrap(),
        Symmetries::default(),
    );
    let task = own.task("t").unwrap();
    (own, task.into())
}

pub fn of_table(own: &TableTask, task: &Arc<DataTask>) -> Plan {
    of_table_for(own, task, 4)
}

/// What `strat fit` does, for so many steps.
pub fn of_table_for(own: &TableTask, task: &Arc<DataTask>, steps: usize) -> Plan {
    let mut plan = fit::run::plan(task, own, TrainConfig { steps, ..fit::config(1.0) }).unwrap();
    let one_by_one = |row: RowPlan| {
        let Row { name, model: ModelRecord::Blocks(model), setup: Some(setup) } = row.row().clone() else {
            panic!("{:?}", row.row());
        };
        let (model, taught) = (OneByOne { model, start: None }, task.clone());
        let recorded = (task.clone() as Arc<dyn Task>, Some(setup.task));
        let slow = RowPlan::recorded(name, Arc::new(model), recorded, setup.train).unwrap();
        assert_eq!(slow.row(), row.row());
        slow.scored_by(move |_, predictor| {
            Ok(vec![(Metric::TAUGHT_ACCURACY, predictor.mean_score(taught.bases())?)])
        })
    };
    plan.rows = plan.rows.into_iter().map(one_by_one).collect();
    plan
}

pub fn manifest(plan: &Plan, shard: Option<&str>) -> Manifest {
    let shard = shard.map(|s| s.parse().unwrap());
    Manifest { shard, ..plan.manifest("1..3".parse().unwrap(), Isa::detect().unwrap()) }
}

/// Works on a run until `budget` units of progress are made.
pub fn work(plan: &Plan, path: &Path, shard: Option<&str>, budget: u64) -> Result<(), Interrupted> {
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
