//! What happens to a machine happens to these runs: they are killed, the disk is full, the folder
//! becomes read-only, somebody presses Ctrl-C. Nothing is lost, and the same comes out.
#![cfg(unix)]

mod common;
#[path = "../../strat/tests/common/require.rs"]
mod require;

use common::{files, folder, refused, text};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// How often runs are killed, at least.
const KILLS: usize = 200;

fn strat(args: &[&str], out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_strat"));
    command.args(args).arg("--out").arg(out).env_remove("STRAT_ISA").stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs that need no files: a task made by rule, both models, and vectors of learners.
const TRAIN: &[&str] =
    &["train", "parity5", "--model", "both", "--seeds", "41..43", "--epochs", "60", "--save-every", "0.01"];
const REPRODUCE: &[&str] = &["reproduce", "locking", "--learners", "24", "--save-every", "0.01"];

/// The same two kinds, saved at every step, so that a kill most often hits a save. They are short: a run that is killed right after
/// every save still comes to its end in a few kills, however slow the machine.
const EVERY_STEP: [&[&str]; 2] = [
    &["train", "parity5", "--model", "both", "--seeds", "41..43", "--epochs", "6", "--save-every", "0"],
    &["train", "signed-sum", "--seeds", "1..40", "--set", "train.steps=6", "--save-every", "0"],
];

fn undisturbed(args: &[&str], dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let path = dir.join(format!("whole {}", args.join(" ")));
    let out = strat(args, &path).output().unwrap();
    assert!(out.status.success(), "{}", text(&out.stderr));
    files(&path)
}

fn kill(child: &mut Child) -> bool {
    let running = child.try_wait().unwrap().is_none();
    // SIGKILL: the program learns nothing of it.
    child.kill().unwrap();
    child.wait().unwrap();
    running
}

/// What a run has saved, by name and time.
fn traces(path: &Path) -> Vec<(PathBuf, Option<std::time::SystemTime>)> {
    let entries = |name: &str| fs::read_dir(path.join(name)).into_iter().flatten().flatten();
    let all = ["", "parts", "checkpoints"].into_iter().flat_map(entries);
    let mut all: Vec<_> = all.map(|e| (e.path(), e.metadata().and_then(|m| m.modified()).ok())).collect();
    // That somebody began to work on it is not yet progress.
    all.retain(|(path, _)| path.extension().is_some_and(|e| e == "safetensors"));
    all.sort();
    all
}

#[test]
fn killed_two_hundred_times_a_run_ends_as_if_nothing_had_been() {
    let dir = folder();
    let (mut kills, mut random) = (0, 0x2545_f491_4f6c_dd1d_u64);
    let (mut with_learners, mut in_training) = (0, 0);
    let [tables, sums] = EVERY_STEP;
    let runs = [tables, sums, TRAIN, REPRODUCE].map(|args| {
        let start = Instant::now();
        (args, undisturbed(args, dir.path()), start.elapsed())
    });
    // The short ones twice as often.
    for (n, which) in [0, 1, 2, 0, 1, 3].into_iter().cycle().enumerate() {
        let (args, whole, time) = &runs[which];
        let path = dir.path().join(format!("run-{n}"));
        // So that all parts of a run are hit, it is let go on after a few.
        for _ in 0..20 {
            let before = traces(&path);
            let mut child = strat(args, &path).spawn().unwrap();
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let share = (random >> 33) as f64 / (1u64 << 31) as f64;
            // One in four at any moment from the start on, the others after something was saved.
            if kills % 4 == 0 {
                std::thread::sleep(time.mul_f64(share * 0.5));
            } else {
                while traces(&path) == before && child.try_wait().unwrap().is_none() {
                    std::thread::sleep(Duration::from_micros(200));
                }
                std::thread::sleep(Duration::from_secs_f64(share * 0.03));
            }
            if !kill(&mut child) {
                break;
            }
            kills += 1;
            // What it was in the middle of.
            let has = |name: &str| fs::read_dir(path.join(name)).is_ok_and(|mut files| files.next().is_some());
            with_learners += usize::from(has("parts"));
            in_training += usize::from(has("checkpoints"));
        }
        let end = strat(args, &path).output().unwrap();
        assert!(end.status.success(), "after {kills} kills: {}", text(&end.stderr));
        assert!(*whole == files(&path), "after {kills} kills, {args:?}");
        if kills >= KILLS {
            break;
        }
    }
    println!("{kills} kills: {with_learners} with finished learners, {in_training} with learners in training");
    assert!(with_learners > KILLS / 8 && in_training > KILLS / 8, "{with_learners}, {in_training}");
}

#[test]
fn ctrl_c_saves_and_a_second_one_ends_at_once() {
    let dir = folder();
    let args = &["train", "parity5", "--seeds", "41..42", "--epochs", "400"];
    let whole = undisturbed(args, dir.path());
    let signal = |child: &Child| {
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    };
    // A run whose learners were done before it could be asked is tried again.
    let torn = (0..20).find_map(|n| {
        let path = dir.path().join(format!("run-{n}"));
        let child = strat(args, &path).spawn().unwrap();
        while !path.join("sessions.jsonl").exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(100));
        signal(&child);
        let out = child.wait_with_output().unwrap();
        text(&out.stderr).contains("of 2 learners").then_some((path, out))
    });
    let (path, out) = torn.expect("in twenty runs one is not done so soon");
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(130), "{said}");
    assert!(said.contains("same command again"), "{said}");
    assert!(path.join("checkpoints/0-41.safetensors").exists() || path.join("parts").exists());
    let out = strat(args, &path).output().unwrap();
    assert!(out.status.success());
    assert!(whole == files(&path));

    // Vectors of learners are finished first, unless the user cannot wait.
    let slow = &["reproduce", "arithmetic-baselines", "--learners", "64"];
    let path = dir.path().join("slow");
    let child = strat(slow, &path).spawn().unwrap();
    while !path.join("sessions.jsonl").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    signal(&child);
    std::thread::sleep(Duration::from_millis(200));
    signal(&child);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
}

/// A small file system in memory, for as long as it lives; none where we may not mount one.
struct Disk(PathBuf);

impl Disk {
    fn new(path: &Path, size: &str) -> Option<Disk> {
        fs::create_dir(path).unwrap();
        let made = mount(&["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"], path);
        if !made.status.success() {
            require::skip("mount", format_args!("cannot mount a tmpfs here: {}", text(&made.stderr)));
            return None;
        }
        Some(Disk(path.into()))
    }

    fn remount(&self, option: &str) -> Output {
        mount(&["-o", &format!("remount,{option}")], &self.0)
    }
}

fn mount(args: &[&str], path: &Path) -> Output {
    Command::new("mount").args(args).arg(path).output().unwrap()
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_is_said_and_costs_nothing_that_was_saved() {
    let dir = folder();
    for (args, step) in [(TRAIN, 40), (REPRODUCE, 8)] {
        let whole = undisturbed(args, dir.path());
        let mut full = 0;
        // From one that holds next to nothing to one that holds all.
        let Some(disk) = Disk::new(&dir.path().join(format!("disk-{}", args[0])), "16k") else { return };
        let path = disk.0.join("run");
        for size in (16..).step_by(step) {
            assert!(disk.remount(&format!("size={size}k")).status.success());
            let before = fs::read(path.join("learners.jsonl")).unwrap_or_default();
            let out = strat(args, &path).output().unwrap();
            if out.status.success() {
                break;
            }
            full += 1;
            refused(&out, &["No space left", "disk-"]);
            let after = fs::read(path.join("learners.jsonl")).unwrap_or_default();
            assert!(after.starts_with(&before), "{size}k: learners that were saved are still there");
        }
        assert!(full > 3, "{full}");
        assert!(whole == files(&path), "{args:?}");
    }
}

#[test]
fn a_folder_that_becomes_read_only_is_said_and_costs_nothing_that_was_saved() {
    let dir = folder();
    let whole = undisturbed(TRAIN, dir.path());
    let Some(disk) = Disk::new(&dir.path().join("disk"), "64m") else { return };
    // A machine with much else to do may let a run end before anything can be done to it; another one is tried then.
    let torn = (0..20).find_map(|n| {
        let path = disk.0.join(format!("run-{n}"));
        let mut child = strat(TRAIN, &path).spawn().unwrap();
        while !path.join("checkpoints").exists() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(2));
        }
        // Refused while a file is being written.
        while !disk.remount("ro").status.success() {
            std::thread::sleep(Duration::from_micros(300));
        }
        let out = child.wait_with_output().unwrap();
        if out.status.success() {
            assert!(disk.remount("rw").status.success());
            return None;
        }
        Some((path, out))
    });
    let (path, out) = torn.expect("in twenty runs one is not done so soon");
    refused(&out, &["Read-only file system", "same command again"]);
    let kept = files(&path);
    refused(&strat(TRAIN, &path).output().unwrap(), &["Read-only file system"]);
    assert!(kept == files(&path));
    assert!(disk.remount("rw").status.success());
    let out = strat(TRAIN, &path).output().unwrap();
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(whole == files(&path));
}

#[test]
fn fresh_starts_over_beside_and_deletes_nothing() {
    let dir = folder();
    let path = dir.path().join("alu");
    let run = |more: &[&str]| {
        let out = strat(&[&["reproduce", "alu"], more].concat(), &path).output().unwrap();
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stderr)
    };
    assert_eq!(run(&["--fresh"]), "");
    let first = files(&path);
    assert!(run(&["--fresh"]).contains("alu-2"));
    assert!(run(&["--fresh"]).contains("alu-3"));
    assert!(first == files(&path) && first == files(&dir.path().join("alu-3")));
}

#[test]
fn shards_of_a_group_are_merged_run_by_run() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    let work = &["train", "parity5", "--seeds", "41..43", "--epochs", "3", "--model", "both"];
    let whole = undisturbed(work, dir.path());
    for i in 1..=3 {
        let shard = format!("{i}/3");
        let out = strat(&[work, &["--shard", &shard][..]].concat(), &at(&format!("part-{i}"))).output().unwrap();
        assert!(out.status.success() && text(&out.stdout).contains("2 learners"), "{}", text(&out.stderr));
    }
    let merge = |parts: &[&str]| {
        let parts: Vec<String> = parts.iter().map(|p| at(p).to_str().unwrap().into()).collect();
        let args: Vec<&str> = std::iter::once("merge").chain(parts.iter().map(String::as_str)).collect();
        strat(&args, &at("joined")).output().unwrap()
    };
    refused(&merge(&["part-1", "part-3"]), &["1 of 3 shards are missing", "2/3"]);
    refused(&merge(&["part-1", "part-2", "part-2"]), &["part-2", "both shard 2/3"]);
    let one = format!("whole {}", work.join(" "));
    refused(&merge(&[&one]), &[&one, "no shard"]);
    refused(&merge(&["nothing"]), &["nothing"]);
    let out = merge(&["part-3", "part-1", "part-2"]);
    assert!(out.status.success() && text(&out.stdout).contains("Transformer"), "{}", text(&out.stderr));
    assert!(whole == files(&at("joined")));
}
