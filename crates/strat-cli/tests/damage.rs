//! A flipped bit in a run's files, as a user meets it: every command refuses with the file's name, or prints what it
//! printed before. `crates/strat-paper/tests/damage` tries many more places.

mod common;

use common::{files, folder, text};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn strat(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_strat")).args(args).env_remove("STRAT_ISA").output().unwrap()
}

/// Flips a bit in the middle and one near the end of every file, and gives all commands.
fn flip(run: &Path, commands: &[&[&str]]) {
    let mut all = files(run);
    all.insert("sessions.jsonl".into(), fs::read(run.join("sessions.jsonl")).unwrap());
    let (mut same, mut refused) = (0, 0);
    for args in commands {
        let before = strat(args);
        assert!(matches!(before.status.code(), Some(0 | 1)), "{args:?}: {}", text(&before.stderr));
        for (name, bytes) in &all {
            for at in [bytes.len() / 2, bytes.len() - 2] {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << (at % 8);
                fs::write(run.join(name), &changed).unwrap();
                let out = strat(args);
                let (said, what) = (text(&out.stderr), format!("{args:?}, byte {at} of {}", name.display()));
                if out.status.code() == before.status.code() {
                    assert!(out.stdout == before.stdout, "{what}: {}", text(&out.stdout));
                    same += 1;
                } else {
                    assert_eq!(out.status.code(), Some(2), "{what}: {said}");
                    assert!(said.contains(name.to_str().unwrap()) && !said.contains("panicked"), "{what}: {said}");
                    refused += 1;
                }
                assert!(changed == fs::read(run.join(name)).unwrap(), "{what}: it was changed");
                fs::write(run.join(name), bytes).unwrap();
            }
        }
    }
    assert!(same > 0 && refused > same / 2, "{same} the same, {refused} refused");
}

#[test]
fn of_a_run_of_sums() {
    let dir = folder();
    let [run, page] = ["lite", "page.html"].map(|name| dir.path().join(name));
    let (path, page) = (run.to_str().unwrap(), page.to_str().unwrap());
    let make = ["reproduce", "lite", "--learners", "2", "--out", path];
    assert!(strat(&make).status.success());
    let commands: [&[&str]; 6] = [
        &["report", path, "--csv"],
        &["inspect", path],
        &["certify", path],
        &["crystallize", path],
        &["microscope", path, "--html", page],
        &make,
    ];
    flip(&run, &commands);
}

#[test]
fn of_a_run_on_a_task() {
    let dir = folder();
    let run = dir.path().join("parity5");
    let path = run.to_str().unwrap();
    let make = ["train", "parity5", "--seeds", "41..42", "--epochs", "3", "--out", path];
    assert!(strat(&make).status.success());
    let commands: [&[&str]; 4] =
        [&["report", path, "--markdown"], &["eval", path], &["predict", path, "10110 11111"], &make];
    flip(&run, &commands);
}

/// The table of the paper is not one of another run's learners.
#[test]
fn of_shards() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_string();
    let train = ["train", "parity5", "--seeds", "41..42", "--epochs", "3"];
    for (shard, out) in [("1/2", at("one")), ("2/2", at("two"))] {
        assert!(strat(&[&train[..], &["--shard", shard, "--out", &out]].concat()).status.success());
    }
    let (one, two, joined) = (at("one"), at("two"), at("joined"));
    let all = files(Path::new(&one));
    assert_eq!(all.len(), 3, "manifest, log, weights");
    for (name, bytes) in &all {
        let mut changed = bytes.clone();
        changed[bytes.len() / 2] ^= 1;
        fs::write(Path::new(&one).join(name), changed).unwrap();
        let out = strat(&["merge", &one, &two, "--out", &joined]);
        let said = text(&out.stderr);
        assert!(out.status.code() == Some(2) && said.contains(name.to_str().unwrap()), "{said}");
        assert!(!Path::new(&joined).exists(), "nothing is written");
        fs::write(Path::new(&one).join(name), bytes).unwrap();
    }
    assert!(strat(&["merge", &one, &two, "--out", &joined]).status.success());
}
