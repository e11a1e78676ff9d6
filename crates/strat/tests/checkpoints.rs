//! Learners of sums that are left in the middle of their training and taken up again, in `f32` and in `f64`: what is in the
//! folder in the end has the bytes of a run that nobody stopped.

#[path = "common/reseal.rs"]
mod reseal;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use strat::engine::{Elem, Isa};
use strat::internals::{Owner, WeightsError, checkpoint_bytes, read_checkpoint};
use strat::model::{Lite, Model, Precision, Types, Unit};
use strat::record::{ReadError, RecordError, RunFolder};
use strat::seeds::Seeds;
use strat::sweep::{Interrupted, Plan, RowPlan, RunOptions};
use strat::task::{SumTask, Task};
use strat::train::{Adam, Schedule, State, TrainConfig};

/// What is learned here, and after how many steps it is left.
struct Case {
    model: Arc<dyn Model>,
    task: SumTask,
    train: TrainConfig,
    left_at: usize,
}

/// Ten sums, the same at every step. It is left in the last part, in which gates are sharpened.
fn annealed() -> Case {
    let train = TrainConfig { steps: 100, ..SumTask::LOCKING.paper().unwrap().train.annealed() };
    Case { model: Arc::new(Lite::STANDARD), task: SumTask::LOCKING, train, left_at: 77 }
}

/// Sums that are drawn anew at every step, and a learning rate that falls.
fn fresh() -> Case {
    let paper = SumTask::ABLATION.paper().unwrap().train;
    let train = TrainConfig { steps: 60, schedule: Schedule::Cosine { warmup: 10 }, ..paper };
    let model = Lite { types: Types::Fixed, ..Lite::STANDARD };
    Case { model: Arc::new(model), task: SumTask::ABLATION, train, left_at: 31 }
}

/// In double precision, with gradients that are clipped.
fn nac() -> Case {
    let train = TrainConfig { steps: 8, clip: Some(1.0), ..SumTask::LOCKING.paper().unwrap().train };
    Case { model: Arc::new(Unit::Nac), task: SumTask::LOCKING, train, left_at: 5 }
}

fn isa() -> Isa {
    Isa::detect().unwrap()
}

/// Works on a run with one thread until it has told of so many portions of work, and says how large these were. A step of a
/// vector is a portion, and so are all those that a vector goes on from, and the test of a learner.
fn work(plan: &Plan, folder: &RunFolder, until: usize) -> (Result<(), Interrupted>, Vec<u64>) {
    let (stop, told) = (AtomicBool::new(false), Mutex::new(vec![]));
    let progress = |portion: u64| {
        let mut told = told.lock().unwrap();
        told.push(portion);
        stop.store(told.len() >= until, Ordering::Relaxed);
    };
    let save_every = Duration::from_secs(3600);
    let options = RunOptions { isa: isa(), progress: &progress, stop: &stop, save_every };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let ended = pool.install(|| plan.run_in(folder, &options));
    (ended.map(|outcome| assert!(outcome.is_some(), "no shard")), told.into_inner().unwrap())
}

impl Case {
    fn plan(&self) -> Plan {
        let row = RowPlan::new("row", self.model.clone(), Arc::new(self.task), self.train).unwrap();
        Plan::own("checkpoints", vec![row])
    }

    /// Learners that are trained side by side.
    fn vector(&self) -> usize {
        match self.model.precision() {
            Precision::F64 => isa().lanes::<f64>(),
            _ => isa().lanes::<f32>(),
        }
    }

    /// A full vector of learners, and two more.
    fn seeds(&self) -> Seeds {
        Seeds::to(self.vector() as u64 + 2)
    }

    fn open(&self, path: &Path) -> RunFolder {
        RunFolder::open(path, self.plan().manifest(self.seeds(), isa()), |_, _| &[]).unwrap()
    }

    fn work(&self, path: &Path, until: usize) -> (Result<(), Interrupted>, Vec<u64>) {
        work(&self.plan(), &self.open(path), until)
    }

    /// Leaves a run in the middle of its first vector.
    fn leave(&self, path: &Path) {
        let (ended, told) = self.work(path, self.left_at);
        assert!(matches!(ended, Err(Interrupted::Stopped)), "{ended:?}");
        assert_eq!(told, vec![self.vector() as u64; self.left_at]);
    }

    /// The learners of a folder that were saved in training, each after as many steps as it should be.
    fn saved<E: Elem>(&self, path: &Path) -> Vec<(u64, State<E>)> {
        let run = reseal::run_id(&fs::read_to_string(path.join("manifest.json")).unwrap());
        let model = &self.plan().rows[0].row().model.clone();
        let state = |seed| {
            let bytes = fs::read(path.join(format!("checkpoints/0-{seed}.safetensors"))).ok()?;
            let state: State<E> = read_checkpoint(model, &Owner { run, row: 0, seed }, &bytes).unwrap();
            assert_eq!(state.step, self.left_at);
            Some((seed, state))
        };
        self.seeds().iter().filter_map(state).collect()
    }

    /// Puts a state in the place of one that was saved.
    fn replace<E: Elem>(&self, path: &Path, seed: u64, state: &State<E>) {
        let run = reseal::run_id(&fs::read_to_string(path.join("manifest.json")).unwrap());
        let bytes = checkpoint_bytes(&self.plan().rows[0].row().model, &Owner { run, row: 0, seed }, state);
        let file = path.join(format!("checkpoints/0-{seed}.safetensors"));
        assert_eq!(fs::read(&file).unwrap().len(), bytes.len());
        fs::write(file, bytes).unwrap();
    }

    /// Stopped in each of its two vectors and taken up again, a run is the one that was never stopped; and it would be
    /// another if it did not go on from what was saved.
    fn check<E: Elem>(&self) {
        let dir = tempfile::tempdir().unwrap();
        let [whole, stopped, changed] = ["whole", "stopped", "changed"].map(|name| dir.path().join(name));
        let (vector, steps, left_at) = (self.vector() as u64, self.train.steps, self.left_at);
        self.work(&whole, usize::MAX).0.unwrap();
        assert!(!whole.join("checkpoints").exists());

        self.leave(&stopped);
        let saved = self.saved::<E>(&stopped);
        let seeds: Vec<u64> = saved.iter().map(|(seed, _)| *seed).collect();
        assert_eq!(seeds, (1..=vector).collect::<Vec<_>>());
        assert_ne!(saved[0].1.params, saved[1].1.params, "each is its own");
        assert_eq!(self.open(&stopped).done(), 0);

        // The rest of the first vector, its tests, and a part of the second.
        let (ended, told) = self.work(&stopped, 1 + (steps - left_at) + vector as usize + left_at);
        assert!(matches!(ended, Err(Interrupted::Stopped)), "{ended:?}");
        let rest = [vec![vector; steps - left_at], vec![1; vector as usize], vec![2; left_at]].concat();
        assert_eq!((told[0], &told[1..]), (vector * left_at as u64, &rest[..]), "it goes on where it was left");
        assert_eq!(self.open(&stopped).done(), vector as usize);
        let seeds: Vec<u64> = self.saved::<E>(&stopped).iter().map(|(seed, _)| *seed).collect();
        assert_eq!(seeds, [vector + 1, vector + 2], "those that are done need none");

        let (ended, told) = self.work(&stopped, usize::MAX);
        ended.unwrap();
        assert_eq!(told, [vec![2 * left_at as u64], vec![2; steps - left_at], vec![1; 2]].concat());
        assert_eq!(files(&stopped, 1), files(&whole, 1));
        let learners = self.open(&whole).records().unwrap();
        assert_eq!(learners.len(), self.seeds().count());

        // Another state becomes another learner, and only that one.
        self.leave(&changed);
        let (seed, mut state) = self.saved::<E>(&changed).remove(1);
        state.params[0][0][0] = E::of(state.params[0][0][0].f64() + 0.5);
        self.replace(&changed, seed, &state);
        self.work(&changed, usize::MAX).0.unwrap();
        let others = self.open(&changed).records().unwrap();
        let differ: Vec<usize> = (0..learners.len()).filter(|&i| learners[i] != others[i]).collect();
        assert_eq!(differ, [1]);
    }
}

/// Names and bytes of what is in a folder of so many rows in the end.
fn files(path: &Path, rows: usize) -> Vec<(String, Vec<u8>)> {
    let file = |entry: fs::DirEntry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
    let mut files: Vec<_> = fs::read_dir(path).unwrap().map(|entry| file(entry.unwrap())).collect();
    files.sort();
    let weights = (0..rows).map(|row| format!("weights-{row}.safetensors"));
    let others = ["cells.jsonl", "learners.jsonl", "manifest.json", "summary.json"].map(String::from);
    assert!(files.iter().map(|(name, _)| name).eq(&others.into_iter().chain(weights).collect::<Vec<_>>()));
    files
}

#[test]
fn lite_f32() {
    annealed().check::<f32>();
}

#[test]
fn lite_f32_on_fresh_sums() {
    fresh().check::<f32>();
}

#[test]
fn nac_f64() {
    nac().check::<f64>();
}

/// Learners of several rows in one vector, each with settings of its own: they are those of rows that are trained one after
/// the other, and go on from what was saved like these.
#[test]
fn rows_side_by_side_are_as_by_themselves() {
    let (task, paper) = (SumTask::LOCKING, SumTask::LOCKING.paper().unwrap().train);
    let paper = TrainConfig { steps: 80, ..paper };
    let settings = [
        paper,
        TrainConfig { clip: Some(0.5), ..paper },
        TrainConfig { adam: Adam { learning_rate: 0.02, beta2: 0.9, weight_decay: 0.1, ..paper.adam }, ..paper },
        TrainConfig { schedule: Schedule::Linear { warmup: 20 }, ..paper },
        paper.annealed(),
    ];
    let plan = |is_together: bool| {
        let row = |(i, train): (usize, &TrainConfig)| {
            let row = RowPlan::new(format!("row {i}"), Arc::new(Lite::FLAT), Arc::new(task), *train).unwrap();
            if is_together { row.together(0) } else { row }
        };
        Plan::own("together", settings.iter().enumerate().map(row).collect())
    };
    let (dir, lanes, count) = (tempfile::tempdir().unwrap(), isa().lanes::<f32>(), settings.len());
    let folder = |name: &str| {
        let manifest = plan(false).manifest(Seeds::to(3), isa());
        RunFolder::open(&dir.path().join(name), manifest, |_, _| &[]).unwrap()
    };
    let (ended, told) = work(&plan(false), &folder("apart"), usize::MAX);
    ended.unwrap();
    assert_eq!(told.iter().filter(|portion| **portion == 3).count(), count * paper.steps);

    let (ended, told) = work(&plan(true), &folder("together"), usize::MAX);
    ended.unwrap();
    let vectors = (3 * count).div_ceil(lanes);
    assert_eq!(told.len(), vectors * paper.steps + 3 * count, "a step of a vector is one portion");
    assert!(told.contains(&(lanes.min(3 * count) as u64)));

    let (ended, _) = work(&plan(true), &folder("stopped"), 55);
    assert!(matches!(ended, Err(Interrupted::Stopped)), "{ended:?}");
    let saved = fs::read_dir(dir.path().join("stopped/checkpoints")).unwrap().count();
    assert_eq!(saved, lanes.min(3 * count), "of several rows");
    work(&plan(true), &folder("stopped"), usize::MAX).0.unwrap();

    let [apart, together, stopped] =
        ["apart", "together", "stopped"].map(|name| files(&dir.path().join(name), count));
    assert!(apart == together, "other settings beside it make another learner");
    assert!(apart == stopped, "stopped, it becomes another learner");
    // The settings matter: every row's weights are others.
    let weights: BTreeSet<&Vec<u8>> = apart.iter().filter(|f| f.0.starts_with("weights")).map(|f| &f.1).collect();
    assert_eq!(weights.len(), count);
}

/// One that was changed, another learner's, or one in numbers of the other kind: no learner goes on from it, and the run from
/// the right one.
#[test]
fn what_is_no_saved_state_is_refused() {
    let (case, dir) = (annealed(), tempfile::tempdir().unwrap());
    let path = dir.path().join("run");
    case.leave(&path);
    let [other, file] = [1, 2].map(|seed| path.join(format!("checkpoints/0-{seed}.safetensors")));
    let (of_other, whole) = (fs::read(other).unwrap(), fs::read(&file).unwrap());
    let mut changed = whole.clone();
    *changed.last_mut().unwrap() ^= 1;
    for bytes in [changed, of_other, whole[..whole.len() - 1].to_vec()] {
        fs::write(&file, bytes).unwrap();
        let ended = case.work(&path, usize::MAX).0.unwrap_err();
        let Interrupted::Record(RecordError::Read(ReadError::Checkpoint { path, .. })) = &ended else {
            panic!("{ended}")
        };
        assert_eq!(path, &file);
    }
    let owner =
        Owner { run: reseal::run_id(&fs::read_to_string(path.join("manifest.json")).unwrap()), row: 0, seed: 2 };
    let model = Lite::STANDARD.into();
    assert!(read_checkpoint::<f32>(&model, &owner, &whole).is_ok());
    assert!(matches!(read_checkpoint::<f64>(&model, &owner, &whole), Err(WeightsError::Length { .. })));
    fs::write(&file, whole).unwrap();
    case.work(&path, usize::MAX).0.unwrap();
}
