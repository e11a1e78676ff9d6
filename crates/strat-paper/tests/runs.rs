//! Runs that are left and taken up again: the same bits come out, whatever happened on the way.

mod common;

use common::{Sitting, files, manifest, nowhere};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use strat::config::Setting;
use strat::engine::{Elem, Isa};
use strat::internals::{Owner, POINTS, RunId, checkpoint_bytes, read_checkpoint};
use strat::model::{Architecture, Lite, ModelRecord, Param};
use strat::record::{Event, Manifest, MergeError, Origin, RecordError};
use strat::result::{Cell, TaskRecord, TaskSetup};
use strat::sweep::Plan;
use strat::task::{self, DataTask, Entry};
use strat::train::{State, TrainConfig, Trainer};
use strat_paper::experiment::{all, merge, tasks};

fn task(name: &str) -> Arc<DataTask> {
    Arc::new(Entry::named(name).unwrap().load(&nowhere(), None).unwrap())
}

/// Both of the paper's models on a task, trained for so many steps.
fn plan_of(task: &Arc<DataTask>, steps: usize) -> Plan {
    let entry = Entry::named(task.name()).unwrap();
    let train = TrainConfig { steps, ..entry.train };
    tasks::plan(task, &Architecture::ALL.map(|a| Setting::new(a.title(), entry.model(a).into(), train))).unwrap()
}

/// Works on a run until `budget` units of progress are made; true if it is done.
fn work(plan: &Plan, path: &Path, manifest: Manifest, threads: usize, budget: u64) -> bool {
    common::work(plan, path, manifest, &Sitting { threads, save_every: Duration::from_millis(1), budget })
}

/// Both models, fixed examples and fresh ones, and a window that grows while it trains.
#[test]
fn stopped_and_resumed_learners_have_the_same_bits() {
    for (name, steps) in [("parity5", 40), ("life", 6), ("satbench", 3)] {
        let plan = plan_of(&task(name), steps);
        let dir = tempfile::tempdir().unwrap();
        let [whole, torn] = ["whole", "torn"].map(|n| dir.path().join(n));
        assert!(work(&plan, &whole, manifest(&plan, "41..42", None), 2, u64::MAX));
        let mut sittings = 1;
        while !work(&plan, &torn, manifest(&plan, "41..42", None), 1 + sittings % 2, 1 + steps as u64 / 3) {
            sittings += 1;
        }
        assert!(sittings > 3, "{name}: {sittings}");
        assert!(files(&whole) == files(&torn), "{name}");
    }
}

/// Files half written are removed when the run is opened again, also if it is complete; foreign ones stay.
#[test]
fn what_a_stopped_writer_left_is_removed() {
    let mut plan = plan_of(&task("parity5"), 2);
    plan.rows.truncate(1);
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    assert!(work(&plan, &run, manifest(&plan, "41..41", None), 1, u64::MAX));
    let whole = files(&run);
    for name in [".sessions.jsonl.tmp", ".summary.json.tmp", ".row-0.safetensors.tmp", ".notes.tmp", "a.json.tmp"] {
        fs::write(run.join(name), "half").unwrap();
    }
    drop(strat_paper::experiment::start(&run, manifest(&plan, "41..41", None)).unwrap());
    let mut left = files(&run);
    left.retain(|name, _| !whole.contains_key(name));
    assert_eq!(left.into_keys().collect::<Vec<_>>(), [".notes.tmp", "a.json.tmp"]);
}

/// With examples on lanes and with rows, with a window and without.
#[test]
fn a_learners_state_is_all_it_depends_on() {
    let isa = Isa::detect().unwrap();
    for (name, architecture) in ["satbench", "sudoku", "life", "parity5"]
        .into_iter()
        .flat_map(|name| Architecture::ALL.map(|architecture| (name, architecture)))
    {
        let (task, entry) = (task(name), Entry::named(name).unwrap());
        let (model, config) = (entry.model(architecture), entry.train.check().unwrap());
        let start = || Trainer::<f32>::new(&*task, Arc::new(model), config, isa, &[5]).unwrap();
        let mut whole = start();
        (0..2).for_each(|_| assert!(whole.step().unwrap()));
        let state = whole.state(0);
        let owner = Owner { run: RunId::of(b"a manifest"), row: 0, seed: 5 };
        let record = ModelRecord::from(model);
        let bytes = checkpoint_bytes(&record, &owner, &state);
        let mut resumed = start();
        resumed.resume(&[read_checkpoint(&record, &owner, &bytes).unwrap()]).unwrap();
        assert!(resumed.state(0) == state, "{name}");
        whole.step().unwrap();
        resumed.step().unwrap();
        assert!(whole.state(0) == resumed.state(0), "{name}");

        for at in (0..bytes.len()).step_by(bytes.len() / 50).chain([bytes.len() - 1]) {
            let mut changed = bytes.clone();
            changed[at] ^= 4;
            assert!(read_checkpoint::<f32>(&record, &owner, &changed).is_err(), "{name}: byte {at}");
        }
        assert!(read_checkpoint::<f32>(&record, &owner, &bytes[..bytes.len() - 1]).is_err());
        // Nobody else goes on from it.
        let run = RunId::of(b"another manifest");
        for other in [Owner { run, ..owner }, Owner { row: 1, ..owner }, Owner { seed: 6, ..owner }] {
            assert!(read_checkpoint::<f32>(&record, &other, &bytes).is_err(), "{name}: {other:?}");
        }
    }
}

/// Numbers that are none come back as they were: through another type they would be others.
#[test]
fn a_checkpoint_keeps_every_bit() {
    fn keeps<E: Elem>(bits: &[u8]) {
        let (record, owner) = (ModelRecord::from(Lite::STANDARD), Owner { run: RunId::of(b"x"), row: 0, seed: 1 });
        let numbers = |p: &Param| [(); 3].map(|()| vec![E::read_le(bits); p.shape[0] * p.shape[1]]);
        let params = record.params().iter().map(numbers).collect();
        let losses = [f32::from_bits(0x7f80_0001); POINTS];
        let state =
            State::<E> { step: 1, window: 0, last_loss: f64::from_bits(0x7ff0_0000_0000_0001), losses, params };
        let bytes = checkpoint_bytes(&record, &owner, &state);
        assert!(bytes.ends_with(bits));
        let read = read_checkpoint::<E>(&record, &owner, &bytes).unwrap();
        assert!(checkpoint_bytes(&record, &owner, &read) == bytes);
    }
    keeps::<f32>(&0x7f80_0001_u32.to_le_bytes());
    keeps::<f64>(&0x7ff0_0000_0000_0001_u64.to_le_bytes());
}

/// Learners side by side are left when all of them are done, and in the middle.
#[test]
fn a_vector_of_learners_is_left_between_vectors_and_within() {
    let plan = (all().find(|e| e.name == "lite").unwrap().plan)();
    let lanes = Isa::detect().unwrap().lanes::<f32>();
    let dir = tempfile::tempdir().unwrap();
    let [whole, between, within] = ["whole", "between", "within"].map(|n| dir.path().join(n));
    let sit = |path: &Path, threads, budget| {
        let sitting = Sitting { threads, save_every: Duration::from_millis(200), budget };
        common::work(&plan, path, manifest(&plan, "1..40", None), &sitting)
    };
    assert!(sit(&whole, 2, u64::MAX));
    // A learner's steps and its test, of all in a vector.
    let vector = lanes as u64 * (plan.rows[0].config().get().steps as u64 + 1);
    let mut sittings = 1;
    while !sit(&between, 1, vector) {
        // Between sittings it can be read as far as it is.
        let folder = strat_paper::experiment::open(&between).unwrap();
        let row = folder.row(None).unwrap();
        let done = folder.done().unwrap();
        assert_eq!((folder.learners(row, None).unwrap().len(), done), (done, sittings * lanes));
        sittings += 1;
    }
    assert!(sittings > 2);
    assert!(files(&whole) == files(&between));

    let mut sittings = 1;
    // What was done in sittings before counts as progress again.
    while !sit(&within, 1, sittings * 3 * vector / 10) {
        let saved = fs::read_dir(within.join("checkpoints")).unwrap().count();
        assert!(saved > 0 && saved <= lanes, "{saved} after sitting {sittings}");
        sittings += 1;
    }
    assert!(sittings > 3);
    assert!(files(&whole) == files(&within));
}

fn shards(plan: &Plan, dir: &Path, of: usize) -> Vec<PathBuf> {
    let shard = |i: usize| {
        let path = dir.join(format!("shard-{i}"));
        assert!(work(plan, &path, manifest(plan, "41..45", Some(&format!("{i}/{of}"))), 2, u64::MAX));
        path
    };
    (1..=of).map(shard).collect()
}

#[test]
fn shards_merged_are_the_whole() {
    let plan = plan_of(&task("parity5"), 5);
    for of in [1, 3, 12] {
        let dir = tempfile::tempdir().unwrap();
        let [whole, joined] = ["whole", "joined"].map(|n| dir.path().join(n));
        assert!(work(&plan, &whole, manifest(&plan, "41..45", None), 2, u64::MAX));
        let mut parts = shards(&plan, dir.path(), of);
        parts.reverse();
        merge(&parts, &joined, &nowhere()).unwrap();
        assert!(files(&whole) == files(&joined), "{of}");
        assert_eq!(votes(&joined), 4, "{of}: of two models, ID and OOD");
        // Once more changes nothing.
        merge(&parts, &joined, &nowhere()).unwrap();
        assert!(files(&whole) == files(&joined), "{of}");
    }
}

/// How many votes a run shows.
fn votes(run: &Path) -> usize {
    let cells = fs::read_to_string(run.join("cells.jsonl")).unwrap();
    cells.lines().filter(|cell| cell.contains("_vote\"")).count()
}

/// They are found out at the end, when weights are still there, also those that will not be kept; and are what whoever
/// has the weights finds.
#[test]
fn votes_are_kept_where_weights_are_not() {
    let plan = plan_of(&task("parity5"), 40);
    let dir = tempfile::tempdir().unwrap();
    let [with, without] = [true, false].map(|weights| {
        let path = dir.path().join(weights.to_string());
        let manifest = Manifest { weights, ..manifest(&plan, "41..43", None) };
        // In three sittings, so that some are read again.
        while !work(&plan, &path, manifest.clone(), 1, 250 / 3) {}
        let has_weights = files(&path).keys().any(|name| name.ends_with(".safetensors"));
        assert_eq!(has_weights, weights);
        path
    });
    let cells = |path: &Path| fs::read_to_string(path.join("cells.jsonl")).unwrap();
    assert_eq!((cells(&with), votes(&with)), (cells(&without), 4));
    let outcome = plan.run("41..43".parse().unwrap(), Isa::detect().unwrap(), &|_| ());
    assert_eq!(Cell::json_lines(&outcome.summary.cells), cells(&with));
}

/// Nobody votes on other examples than the learners were tested on.
#[test]
fn shards_merged_where_the_data_is_another_say_that_there_is_no_vote() {
    let plan = plan_of(&task("parity5"), 5);
    let dir = tempfile::tempdir().unwrap();
    let part = |i: usize| {
        let path = dir.path().join(format!("shard-{i}"));
        let mut manifest = manifest(&plan, "41..42", Some(&format!("{i}/2")));
        for row in &mut manifest.rows {
            let Some(TaskSetup { task: TaskRecord::Data(data), .. }) = &mut row.setup else { panic!("a data set") };
            data.data = format!("sha256:{}", "0".repeat(64));
        }
        assert!(work(&plan, &path, manifest, 1, u64::MAX));
        path
    };
    let joined = dir.path().join("joined");
    let summary = merge(&[part(1), part(2)], &joined, &nowhere()).unwrap();
    assert_eq!(votes(&joined), 0);
    let why = "No vote is told: the learners were tested on other examples of parity5 than those of /nonexistent";
    assert!(summary.notes.contains(why), "{}", summary.notes);
}

#[test]
fn what_is_missing_doubled_unfinished_or_foreign_is_not_merged() {
    let task = task("parity5");
    let plan = plan_of(&task, 5);
    let dir = tempfile::tempdir().unwrap();
    let parts = shards(&plan, dir.path(), 3);
    let out = dir.path().join("out");
    let refused = |parts: &[&PathBuf]| {
        let parts: Vec<PathBuf> = parts.iter().map(|p| p.to_path_buf()).collect();
        let error = merge(&parts, &out, &nowhere()).unwrap_err();
        assert!(!out.exists(), "nothing is written");
        error
    };
    let [a, b, c] = [&parts[0], &parts[1], &parts[2]];
    assert!(matches!(refused(&[]), MergeError::Nothing));
    assert!(matches!(refused(&[a, c]), MergeError::Missing { missing, of: 3 } if missing == [2]));
    assert!(matches!(refused(&[a, b, c, b]), MergeError::Doubled { .. }));
    let log = b.join("learners.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, &text[..text.len() - 1]).unwrap();
    assert!(matches!(refused(&[a, b, c]), MergeError::Unfinished { done: 2, total: 3, .. }));

    let other = dir.path().join("other");
    let longer = plan_of(&task, 6);
    assert!(work(&longer, &other, manifest(&longer, "41..45", Some("2/3")), 2, u64::MAX));
    match refused(&[a, &other, c]) {
        MergeError::Differs { differences, .. } => {
            assert_eq!(differences.len(), 2, "one for each row: {differences:?}");
            assert!(differences[0].ends_with("epochs: 5 there, 6 here"), "{differences:?}");
        }
        other => panic!("{other}"),
    }
    let whole = dir.path().join("whole");
    assert!(work(&plan, &whole, manifest(&plan, "41..45", None), 2, u64::MAX));
    assert!(matches!(refused(&[&whole]), MergeError::Whole(_)));
}

#[test]
fn another_run_and_another_process_are_kept_out() {
    let lite = all().find(|e| e.name == "lite").unwrap();
    let plan = (lite.plan)();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    let own = manifest(&plan, "1..2", None);
    let run = strat_paper::experiment::start(&path, own.clone()).unwrap();
    assert!(matches!(strat_paper::experiment::start(&path, own.clone()), Err(RecordError::Busy(_))));
    // Time counts from when it is worked on, not from when it was opened.
    let origin = Origin { command: "strat".into(), cpu: "any".into(), cores: 1, threads: 1 };
    std::thread::sleep(Duration::from_millis(50));
    let begun = std::time::Instant::now();
    run.started(&origin).unwrap();
    run.stopped().unwrap();
    let took = begun.elapsed().as_secs_f64();
    let sessions = run.folder().history().unwrap();
    // Whatever else the machine does.
    assert!(matches!(sessions[1].event, Event::Stopped { seconds, .. } if seconds <= took), "{sessions:?}");
    drop(run);
    for (other, what) in [
        (Manifest { version: "1".into(), ..own.clone() }, "version"),
        (Manifest { commit: "abc".into(), ..own.clone() }, "commit"),
        (Manifest { isa: "mmx".into(), ..own.clone() }, "isa"),
        (Manifest { weights: false, ..own.clone() }, "weights"),
        (manifest(&plan, "1..3", None), "seeds"),
        (manifest(&plan, "1..2", Some("1/2")), "shard"),
    ] {
        match strat_paper::experiment::start(&path, other) {
            Err(RecordError::Differs { differences, .. }) => {
                assert!(matches!(&differences[..], [one] if one.starts_with(what)), "{differences:?}");
            }
            other => panic!("{what}: {other:?}"),
        }
    }
    strat_paper::experiment::start(&path, own).unwrap();
}

/// Other examples under the same name are another run.
#[test]
fn the_data_is_part_of_a_run() {
    let [a, b] = [1, 2].map(|seed| {
        let pick = task::Pick::random(seed);
        Entry::named("monk-2").unwrap().load(&nowhere(), Some(pick)).unwrap().fingerprint()
    });
    assert!(a != b && a.starts_with("sha256:") && a.len() == 7 + 64, "{a} {b}");
}
