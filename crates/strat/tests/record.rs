//! Runs on disk: what is written is read back, and what is not a run is refused with its reason.

#[path = "common/reseal.rs"]
mod reseal;

use proptest::prelude::*;
use reseal::{reseal, run_id, sealed_log};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use strat::engine::Isa;
use strat::inspect::Finding;
use strat::internals::{LogError, WeightsError, WeightsFile};
use strat::metric::Metric;
use strat::model::{Built, Lite, Model, ModelRecord, Precision, Spec, Unityped};
use strat::record::{Folder, Manifest, ReadError, RunFolder};
use strat::result::{LearnerResult, Summary};
use strat::sweep::{Plan, RowPlan, RunOptions};
use strat::task::{SumTask, Task};
use strat::train::{Population, TrainConfig};

const SEEDS: [u64; 3] = [7, 8, 9];

/// [`Unityped::Aln`] in the numbers of `f64`, each learner by itself.
#[derive(Debug)]
struct Double;

impl Model for Double {
    fn spec(&self) -> Spec {
        Unityped::Aln.spec()
    }

    fn build(&self, tokens: usize) -> Built {
        Unityped::Aln.build(tokens)
    }

    fn is_small(&self, _examples: usize, _kinds: bool) -> bool {
        false
    }

    fn precision(&self) -> Precision {
        Precision::F64
    }
}

/// The rows: names, models, and whether these are trained in `f32`.
fn rows() -> [(&'static str, Arc<dyn Model>, bool); 2] {
    [("STRAT Std (4D/1H)", Arc::new(Lite::STANDARD), true), ("A_ln", Arc::new(Double), false)]
}

/// As in §6, but for a moment.
fn train() -> TrainConfig {
    TrainConfig { steps: 3, ..SumTask::LOCKING.paper().unwrap().train }
}

/// A score that nobody measured.
fn made_up(seed: u64) -> f64 {
    6000.1 + seed as f64
}

/// What a run should have of the learner of a seed.
fn learner(model: &Arc<dyn Model>, seed: u64) -> LearnerResult {
    let isa = Isa::detect().unwrap();
    let population = Population::new(Arc::new(SumTask::LOCKING), model.clone(), train(), isa).unwrap();
    let [learner] = <[_; 1]>::try_from(population.train(&[seed], &|_| {}).unwrap()).unwrap();
    LearnerResult::new(learner, [(Metric::OOD_MAE, made_up(seed)), (Metric::FINAL_LOSS, f64::INFINITY)])
}

/// Two rows of learners that are hardly trained.
fn plan() -> Plan {
    let row = |(name, model, _): (&str, Arc<dyn Model>, bool)| {
        let row = RowPlan::new(name, model, Arc::new(SumTask::LOCKING), train()).unwrap();
        row.scored_by(|l, _| Ok(vec![(Metric::OOD_MAE, made_up(l.seed)), (Metric::FINAL_LOSS, f64::INFINITY)]))
    };
    Plan { name: "test", rows: rows().map(row).into(), summary: |_| Summary::default() }
}

fn manifest() -> Manifest {
    Manifest {
        format: Manifest::FORMAT,
        experiment: "test".into(),
        version: "0".into(),
        commit: "unknown".into(),
        isa: "portable".into(),
        weights: true,
        seeds: "7..9".parse().unwrap(),
        shard: None,
        preset: None,
        rows: plan().rows.iter().map(|r| r.row().clone()).collect(),
    }
}

fn written(dir: &Path) -> PathBuf {
    let path = dir.join("run");
    let run = RunFolder::open(&path, manifest(), |_, _| &[]).unwrap();
    let stop = AtomicBool::new(false);
    let options =
        RunOptions { isa: Isa::detect().unwrap(), progress: &|_| {}, stop: &stop, save_every: Duration::ZERO };
    plan().run_in(&run, &options).unwrap().unwrap();
    path
}

#[test]
fn what_is_written_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Folder::open(&written(dir.path())).unwrap();
    assert_eq!(folder.manifest, manifest());
    for (row, (name, model, _)) in folder.manifest.rows.iter().zip(rows()) {
        assert_eq!((row.name.as_str(), row.model.clone()), (name, ModelRecord::of(&*model)));
        let read = folder.learners(row, None).unwrap();
        assert_eq!(read.len(), SEEDS.len());
        for (read, seed) in read.iter().zip(SEEDS) {
            let was = learner(&model, seed);
            assert_eq!((read.seed, &read.weights), (seed, &was.weights));
            assert_eq!(read.metrics["ood_mae"], was.metrics["ood_mae"]);
            assert!(read.metrics["final_loss"].is_nan());
            assert_eq!(read.losses, was.losses);
            assert_eq!(read.losses.len(), train().steps);
        }
        let [one] = &folder.learners(row, Some(8)).unwrap()[..] else { panic!("not one learner") };
        assert_eq!((one.seed, &one.weights), (8, &read[1].weights));
    }
}

#[test]
fn rows_are_found_by_a_part_of_their_name() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Folder::open(&written(dir.path())).unwrap();
    assert_eq!(folder.row(Some("4d")).unwrap().model, Lite::STANDARD.into());
    assert_eq!(folder.row(Some("A_ln")).unwrap().model, Unityped::Aln.into());
    // "a" is in both names.
    for name in ["nac", "a"] {
        assert!(matches!(folder.row(Some(name)), Err(ReadError::NoRow { row, .. }) if row == name));
    }
    assert!(matches!(folder.row(None), Err(ReadError::ChooseRow { rows, .. }) if rows.len() == 2));
    let none = folder.learners(&folder.manifest.rows[0], Some(10));
    assert!(matches!(none, Err(ReadError::NoSeed { seed: 10, count: 3, .. })));
}

/// Replaces one text in a file by another.
fn edit(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "no {from:?} in {text}");
    fs::write(file, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn manifests_that_cannot_be_are_refused() {
    type Refused = fn(&ReadError) -> bool;
    let cases: [(&str, &str, Refused); 10] = [
        ("\"format\": 4", "\"format\": 3", |e| matches!(e, ReadError::Format { found: 3, .. })),
        ("\"format\": 4", "\"format\": 99999999999", |e| matches!(e, ReadError::Format { .. })),
        (
            "\"steps\": 3",
            "\"steps\": 1000000000000",
            |e| matches!(e, ReadError::Range { source, .. } if source.to_string().contains("rows[STRAT Std (4D/1H)].steps")),
        ),
        ("\"heads\": 1", "\"heads\": 0", |e| matches!(e, ReadError::Model { .. })),
        ("\"width\": 4", "\"width\": 4000000000", |e| matches!(e, ReadError::Model { .. })),
        ("\"A_ln\"\n", "\"A_xy\"\n", |e| matches!(e, ReadError::Json { .. })),
        ("\"width\"", "\"wdith\"", |e| matches!(e, ReadError::Json { .. })),
        ("\"7..9\"", "\"9..7\"", |e| matches!(e, ReadError::Json { line: 8, .. })),
        ("\"7..9\"", "\"0..18446744073709551615\"", |e| matches!(e, ReadError::Json { .. })),
        ("\"7..9\"", "\"7..9\", \"shard\": \"3/2\"", |e| matches!(e, ReadError::Json { .. })),
    ];
    for (from, to, refused) in cases {
        let dir = tempfile::tempdir().unwrap();
        let folder = written(dir.path());
        edit(&folder.join("manifest.json"), from, to);
        let error = Folder::open(&folder).unwrap_err();
        let other = to.contains("format");
        assert!(other || matches!(error, ReadError::Seal { .. } | ReadError::Json { .. }), "{to}: {error}");
        reseal(&folder);
        let error = Folder::open(&folder).unwrap_err();
        assert!(refused(&error), "{to}: {error}");
        assert!(error.to_string().contains("manifest.json"), "{error}");
    }
}

#[test]
fn a_log_that_was_changed_or_belongs_elsewhere_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = written(dir.path());
    let folder = Folder::open(&path).unwrap();
    let (log, row) = (path.join("learners.jsonl"), &folder.manifest.rows[0]);
    let whole = fs::read_to_string(&log).unwrap();
    let fault = |text: &str| -> LogError {
        fs::write(&log, text).unwrap();
        match folder.learners(row, None).unwrap_err() {
            ReadError::Log { source, .. } => *source.downcast().unwrap(),
            other => panic!("{other}"),
        }
    };
    assert!(matches!(fault(&whole.replacen("\"seed\":8", "\"seed\":9", 1)), LogError::Damaged(2)));
    let run = run_id(&fs::read_to_string(path.join("manifest.json")).unwrap());
    let other = sealed_log(&strat::internals::RunId::of(b"another manifest"), &whole);
    assert!(matches!(fault(&other), LogError::Damaged(1)), "of another run");
    let mut lines: Vec<&str> = whole.split_inclusive('\n').collect();
    lines.swap(1, 2);
    assert!(matches!(fault(&lines.concat()), LogError::Order { line: 2, seed: 9, .. }));
    lines.swap(1, 2);
    lines.insert(1, lines[0]);
    assert!(matches!(fault(&lines.concat()), LogError::Order { line: 2, seed: 7, .. }), "doubled");
    assert!(matches!(fault(&(whole.clone() + lines[0])), LogError::Order { line: 7, .. }), "one too many");
    assert_eq!(sealed_log(&run, &whole), whole);
    // A last line that was cut off was never written.
    fs::remove_file(path.join("summary.json")).unwrap();
    fs::write(&log, &whole[..whole.len() - 5]).unwrap();
    assert_eq!(folder.done().unwrap(), 5);
    // One that was changed was.
    for bit in 0..8 {
        let mut bytes = whole.clone().into_bytes();
        *bytes.last_mut().unwrap() ^= 1 << bit;
        fs::write(&log, bytes).unwrap();
        let Err(ReadError::Log { source, .. }) = folder.done() else { panic!("a damaged line is refused") };
        assert!(matches!(source.downcast_ref(), Some(LogError::Damaged(6))), "{source}");
    }
}

#[test]
fn weights_that_are_not_the_models_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = written(dir.path());
    let file = path.join("weights-0.safetensors");
    let whole = fs::read(&file).unwrap();
    let opened = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        WeightsFile::open(&file, &Lite::STANDARD.into(), SEEDS.len())
    };
    assert!(opened(&whole).is_ok());
    for short in [0, 7, 8, 100, whole.len() - 1] {
        let error = opened(&whole[..short]).unwrap_err();
        assert!(matches!(error, WeightsError::Length { found, .. } if found == short as u64), "{short}: {error}");
    }
    assert!(matches!(opened(&[&whole[..], b"?"].concat()), Err(WeightsError::Length { .. })));
    let header = 8 + u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
    for at in [0, 7, 8, 50, header - 1] {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        assert!(matches!(opened(&changed), Err(WeightsError::Header(found)) if found == at), "{at}");
    }
    assert!(WeightsFile::open(&path.join("weights-1.safetensors"), &Lite::STANDARD.into(), SEEDS.len()).is_err());
    assert!(WeightsFile::open(&file, &Lite::STANDARD.into(), SEEDS.len() + 1).is_err());

    // A number that is not the one that was scored.
    let mut changed = whole.clone();
    changed[header + 1] ^= 1;
    fs::write(&file, changed).unwrap();
    let folder = Folder::open(&path).unwrap();
    let error = folder.learners(&folder.manifest.rows[0], None).unwrap_err();
    assert!(matches!(error, ReadError::Changed { seed: 7, .. }), "{error}");
}

/// Other programs read them too.
#[test]
fn weights_are_safetensors() {
    let dir = tempfile::tempdir().unwrap();
    let path = written(dir.path());
    for (row, (_, model, single)) in rows().into_iter().enumerate() {
        let bytes = fs::read(path.join(format!("weights-{row}.safetensors"))).unwrap();
        let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
        assert_eq!(file.len(), model.params().len());
        for p in model.params() {
            let tensor = file.tensor(&p.name).unwrap();
            assert_eq!(tensor.shape(), [SEEDS.len(), p.shape[0], p.shape[1]]);
            let last = learner(&model, 9).weights[&*p.name].last().copied().unwrap();
            let data = tensor.data();
            let found = if single {
                f64::from(f32::from_le_bytes(*data.last_chunk().unwrap()))
            } else {
                f64::from_le_bytes(*data.last_chunk().unwrap())
            };
            assert_eq!(found, last, "{}", p.name);
        }
    }
}

/// Everything that `strat inspect` does.
fn inspect_all(path: &Path) -> Result<(), ReadError> {
    let folder = Folder::open(path)?;
    for row in &folder.manifest.rows {
        for l in folder.learners(row, None)? {
            Finding::of(&row.model, &l.weights, f64::NAN);
        }
    }
    folder.summary()?;
    Ok(())
}

/// The files of a run that are read, made once.
fn whole_run() -> &'static [(&'static str, Vec<u8>); 6] {
    static FILES: OnceLock<[(&str, Vec<u8>); 6]> = OnceLock::new();
    FILES.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let folder = written(dir.path());
        inspect_all(&folder).unwrap();
        let weights = ["weights-0.safetensors", "weights-1.safetensors"];
        let [first, second] = weights;
        ["manifest.json", "learners.jsonl", first, second, "summary.json", "cells.jsonl"]
            .map(|name| (name, fs::read(folder.join(name)).unwrap()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    /// Cut, overwritten and lengthened files are read or refused; nothing panics.
    #[test]
    fn mutilated_runs_never_panic(
        file in 0usize..6,
        cut in any::<prop::sample::Index>(),
        writes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        tail in prop::collection::vec(any::<u8>(), 0..9),
        shorten in any::<bool>(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in whole_run() {
            fs::write(dir.path().join(name), bytes).unwrap();
        }
        let (name, bytes) = &whole_run()[file];
        let mut bytes = bytes.clone();
        for (at, byte) in &writes {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
        }
        if shorten && !bytes.is_empty() {
            bytes.truncate(cut.index(bytes.len()));
        }
        bytes.extend(tail);
        fs::write(dir.path().join(name), bytes).unwrap();
        let _ = inspect_all(dir.path());
    }
}
