//! Nothing of a run is lost, and nothing outside of it is touched, whatever was done to its folder.

use crate::folders::{files, latent, manifest, of_table, of_table_for, place, restore, table, work};
use crate::meter::most_held;
use crate::readers::{nowhere, of_fit, of_latent};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use strat::engine::Isa;
use strat::internals::{LONGEST_MANIFEST, MOST_CELLS, MOST_COLUMNS, MOST_TABLE_ROWS, MOST_VALUES};
use strat::record::{Manifest, ReadError, RecordError};
use strat::result::TaskRecord;
use strat::sweep::{Interrupted, RunOptions};
use strat::task::table::{Field, LabelledRow, TableTask};
use strat_paper::experiment::merge;

fn why(ended: Result<(), Interrupted>) -> String {
    ended.expect_err("it is refused").to_string()
}

/// What the files are, but for who worked on them.
fn results(folder: &Path) -> impl PartialEq {
    let mut all = files(folder);
    all.remove(Path::new("sessions.jsonl"));
    all
}

#[test]
fn the_summary_of_another_run_does_not_count() {
    let dir = place();
    let [unfinished, other] = ["unfinished", "other"].map(|name| dir.path().join(name));
    let (own, task) = table();
    let plan = of_table(&own, &task);
    assert!(work(&plan, &unfinished, None, 6).is_err());
    work(&of_table_for(&own, &task, 5), &other, None, u64::MAX).unwrap();
    let before = results(&unfinished);
    for name in ["summary.json", "cells.jsonl"] {
        fs::copy(other.join(name), unfinished.join(name)).unwrap();
    }
    let said = why(work(&plan, &unfinished, None, u64::MAX));
    assert!(said.contains("summary.json") && said.contains("another run"), "{said}");
    for reader in of_fit().iter().filter(|r| !r.writes) {
        let said = (reader.read)(&unfinished).unwrap_err();
        assert!(said.contains("summary.json") && said.contains("another run"), "{}: {said}", reader.name);
    }
    for name in ["summary.json", "cells.jsonl"] {
        fs::remove_file(unfinished.join(name)).unwrap();
    }
    assert!(before == results(&unfinished), "checkpoints and parts are there");
    work(&plan, &unfinished, None, u64::MAX).unwrap();
}

/// Removes the last line of a log, or the end of it.
fn shorten(folder: &Path, bytes: usize) {
    let log = folder.join("learners.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    fs::write(&log, &text[..if bytes == 0 { last } else { text.len() - bytes }]).unwrap();
}

#[test]
fn a_log_that_lost_its_last_line_is_made_good() {
    let dir = place();
    for (name, shard) in [("whole", None), ("shard", Some("1/2"))] {
        let folder = dir.path().join(name);
        work(&latent(), &folder, shard, u64::MAX).unwrap();
        let whole = results(&folder);
        for bytes in [0, 1, 30] {
            shorten(&folder, bytes);
            if shard.is_none() {
                let error = strat_paper::experiment::open(&folder).unwrap().scores().unwrap_err();
                assert!(matches!(error, ReadError::Lost { found: 5, total: 6, .. }), "{error}");
                for reader in of_latent().iter().filter(|r| !r.writes) {
                    let said = (reader.read)(&folder).unwrap_err();
                    assert!(said.contains("learners.jsonl: has 5 of the run's 6"), "{}: {said}", reader.name);
                }
            }
            work(&latent(), &folder, shard, u64::MAX).unwrap();
            assert!(whole == results(&folder), "{name}, {bytes}");
        }
    }
    let joined = dir.path().join("joined");
    shorten(&dir.path().join("shard"), 0);
    assert!(merge(&[dir.path().join("shard")], &joined, &nowhere()).is_err() && !joined.exists());
}

/// Without the weights of those that are left, what all show cannot be found out.
#[test]
fn a_log_that_lost_its_last_line_and_has_no_weights_is_refused() {
    let dir = place();
    let folder = dir.path().join("run");
    let manifest = Manifest { weights: false, ..manifest(&latent(), None) };
    let run_with = || {
        let run = strat_paper::experiment::start(&folder, manifest.clone())?;
        let (isa, stop) = (Isa::detect().unwrap(), AtomicBool::new(false));
        let options = RunOptions { isa, progress: &|_| {}, stop: &stop, save_every: Duration::ZERO };
        latent().run_in(&run, &options).map(|_| ())
    };
    run_with().unwrap();
    run_with().unwrap();
    shorten(&folder, 0);
    let before = results(&folder);
    let said = why(run_with());
    assert!(said.contains("learners.jsonl: has 5 of the run's 6") && said.contains("in another folder"), "{said}");
    assert!(before == results(&folder));
}

#[test]
fn the_history_is_never_dropped() {
    let dir = place();
    let folder = dir.path().join("run");
    let (own, task) = table();
    let plan = of_table(&own, &task);
    assert!(work(&plan, &folder, None, 6).is_err());
    let log = folder.join("sessions.jsonl");
    let whole = fs::read(&log).unwrap();
    for change in [0, whole.len() / 2, whole.len() - 1] {
        let mut changed = whole.clone();
        changed[change] ^= 1;
        fs::write(&log, &changed).unwrap();
        let error = strat_paper::experiment::open(&folder).unwrap().history().unwrap_err().to_string();
        assert!(error.contains("sessions.jsonl: line 1"), "{error}");
        // Work goes on, behind what is there.
        assert!(work(&plan, &folder, None, 1).is_err());
        let now = fs::read(&log).unwrap();
        assert!(now.starts_with(&changed) && now.len() > changed.len() + 50, "{change}");
        let mended = [&whole, &now[changed.len()..]].concat();
        fs::write(&log, String::from_utf8(mended).unwrap().replace("\n\n", "\n")).unwrap();
        assert_eq!(strat_paper::experiment::open(&folder).unwrap().history().unwrap().len(), 2, "{change}");
        fs::write(&log, &whole).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn links_are_not_written_through() {
    use std::os::unix::fs::symlink;
    let dir = place();
    let [folder, file, outside] = ["run", "mine.txt", "mine"].map(|name| dir.path().join(name));
    let (own, task) = table();
    let plan = of_table(&own, &task);
    assert!(work(&plan, &folder, None, 6).is_err());
    let half = files(&folder);
    fs::write(&file, "dear diary").unwrap();
    fs::create_dir(&outside).unwrap();
    let whole = dir.path().join("whole");
    work(&plan, &whole, None, u64::MAX).unwrap();
    for (name, target, refused) in [
        ("learners.jsonl", &file, true),
        ("learners.jsonl", &dir.path().join("not there"), true),
        ("parts", &outside, true),
        ("checkpoints", &outside, true),
        // What is written beside its place and renamed takes the place of a link.
        (".summary.json.tmp", &file, false),
        ("cells.jsonl", &file, false),
        (".sessions.jsonl.tmp", &file, false),
        ("weights-0.safetensors.none", &file, false),
    ] {
        restore(&folder, &half);
        if target == &outside {
            // As if it had just begun.
            restore(&folder, &half.clone().into_iter().filter(|(p, _)| p == Path::new("manifest.json")).collect());
        }
        let path = folder.join(name);
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap()
        } else {
            drop(fs::remove_file(&path))
        }
        symlink(target, &path).unwrap();
        let ended = work(&plan, &folder, None, u64::MAX);
        assert_eq!(ended.is_err(), refused, "{name}");
        if refused {
            let said = why(ended);
            assert!(said.contains(name), "{name}: {said}");
        } else {
            let _ = fs::remove_file(folder.join("weights-0.safetensors.none"));
            assert!(results(&whole) == results(&folder), "{name}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "dear diary", "{name}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{name}");
        assert!(!dir.path().join("not there").exists(), "{name}");
    }
}

/// A folder that is moved in the middle is not begun anew, and one in its place is left alone.
#[cfg(unix)]
#[test]
fn a_folder_that_is_moved_ends_the_run() {
    for another in [false, true] {
        let dir = place();
        let [folder, moved] = ["run", "moved"].map(|name| dir.path().join(name));
        let plan = latent();
        let run = strat_paper::experiment::start(&folder, manifest(&plan, None)).unwrap();
        let (isa, stop) = (Isa::detect().unwrap(), AtomicBool::new(false));
        let heard = |_| {
            if folder.exists() && !moved.exists() && run.done() > 1 {
                fs::rename(&folder, &moved).unwrap();
                if another {
                    fs::create_dir(&folder).unwrap();
                }
            }
        };
        let options = RunOptions { isa, progress: &heard, stop: &stop, save_every: Duration::ZERO };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        match pool.install(|| plan.run_in(&run, &options)) {
            Err(Interrupted::Record(RecordError::Moved(path))) => assert_eq!(path, folder),
            other => panic!("{:?}", other.map(|_| ())),
        }
        assert!(matches!(run.stopped(), Err(RecordError::Moved(_))));
        if another {
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 0)
        } else {
            assert!(!folder.exists())
        }
        // Moved back, it goes on.
        drop(run);
        if another {
            fs::remove_dir(&folder).unwrap();
        }
        fs::rename(&moved, &folder).unwrap();
        let whole = dir.path().join("whole");
        work(&latent(), &folder, None, u64::MAX).unwrap();
        work(&latent(), &whole, None, u64::MAX).unwrap();
        assert!(results(&folder) == results(&whole));
    }
}

/// Files of gigabytes that take no room on the disk take none in memory.
#[test]
fn long_files_are_measured_before_they_are_read() {
    let dir = place();
    let folder = dir.path().join("run");
    let (own, task) = table();
    let plan = of_table(&own, &task);
    assert!(work(&plan, &folder, None, 6).is_err());
    let half = files(&folder);
    let names: Vec<PathBuf> = half.keys().cloned().collect();
    for name in names {
        restore(&folder, &half);
        let file = fs::OpenOptions::new().write(true).open(folder.join(&name)).unwrap();
        file.set_len(3 << 30).unwrap();
        for reader in of_fit() {
            let (said, held) = most_held(|| (reader.read)(&folder));
            assert!(held < 64 << 20, "{}: {} holds {held}", name.display(), reader.name);
            if let Err(said) = said {
                assert!(said.contains(name.file_name().unwrap().to_str().unwrap()), "{}: {said}", reader.name);
            }
        }
    }
}

fn kept_table(manifest: &mut Manifest) -> &mut Option<Box<TableTask>> {
    match &mut manifest.rows[0].setup.as_mut().unwrap().task {
        TaskRecord::Data(data) => &mut data.table,
        other => panic!("{other:?}"),
    }
}

/// Whatever table is learned, the run that keeps it can be read again; what could not be is not begun.
#[test]
fn the_largest_tables_are_read_again() {
    let (_, task) = table();
    for columns in [MOST_CELLS / MOST_TABLE_ROWS, MOST_COLUMNS - 1] {
        let dir = place();
        let folder = dir.path().join("run");
        let long = |i: usize| format!("{i:0>200}");
        // The text of a whole file is short of this.
        let values = |c: usize| (0..if c < 60 { MOST_VALUES } else { 2 }).map(long).collect();
        let mut own = table().0;
        own.schema.fields = (0..columns).map(|c| Field::of_words(long(c), values(c))).collect();
        let row = |row| LabelledRow { row, input: vec![1; columns], numbers: vec![], class: 0 };
        own.rows = (2..2 + MOST_TABLE_ROWS.min(MOST_CELLS / columns)).map(row).collect();
        let mut manifest = manifest(&of_table(&table().0, &task), None);
        *kept_table(&mut manifest) = Some(Box::new(own));
        strat_paper::experiment::start(&folder, manifest.clone()).unwrap();
        let length = fs::metadata(folder.join("manifest.json")).unwrap().len() as usize;
        assert!(length < LONGEST_MANIFEST / 4, "{length}");
        assert!(strat_paper::experiment::open(&folder).unwrap().manifest == manifest);
        // One with more is refused by the same check that its reader makes.
        let table = kept_table(&mut manifest).as_mut().unwrap();
        table.rows = vec![table.rows[0].clone(); MOST_TABLE_ROWS + 1];
        let fresh = dir.path().join("fresh");
        let error = strat_paper::experiment::start(&fresh, manifest).unwrap_err().to_string();
        assert!(error.contains("manifest.json"), "{error}");
        assert!(!fresh.exists());
    }
}
