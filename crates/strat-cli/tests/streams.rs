//! Standard output and standard error that are full or closed. Nobody who cannot be told of a work's progress ends it, and
//! nothing ends in a panic.
#![cfg(target_os = "linux")] // has /dev/full

mod common;

use common::{files, folder, text};
use std::fs::File;
use std::process::{Command, Output, Stdio};

fn strat(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_strat"));
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).env_remove("STRAT_ISA");
    command
}

fn full() -> Stdio {
    File::options().write(true).open("/dev/full").unwrap().into()
}

/// A pipe that nobody reads.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

fn done(mut command: Command) -> Output {
    let out = command.output().unwrap();
    assert!(out.status.code().is_some_and(|code| code < 3), "{command:?}: {:?} {}", out.status, text(&out.stderr));
    out
}

const TRAIN: &[&str] = &["train", "parity5", "--seeds", "41..42", "--epochs", "20", "--save-every", "0"];

#[test]
fn work_goes_on_when_nobody_can_be_told() {
    for stream in [full as fn() -> Stdio, closed] {
        let dir = folder();
        let out = |name: &str| dir.path().join(name);
        let train = |name: &str| {
            let mut command = strat(TRAIN);
            command.arg("--out").arg(out(name));
            command
        };
        assert!(done(train("whole")).status.success());
        // Once to do it, once to be told that it is done; with --fresh, where the new folder is.
        for args in [&[][..], &[], &["--fresh"]] {
            let mut command = train("run");
            command.args(args).stderr(stream());
            assert_eq!(done(command).status.code(), Some(0));
        }
        assert!(files(&out("whole")) == files(&out("run")) && files(&out("whole")) == files(&out("run-2")));

        // What is wrong is told by the code at least.
        let mut command = strat(&["inspect", "/no/such/folder"]);
        command.stderr(stream());
        assert_eq!(done(command).status.code(), Some(2));
        let mut command = strat(&["no", "such", "command"]);
        command.stderr(stream());
        assert_eq!(done(command).status.code(), Some(2));
    }
}

#[test]
fn a_run_that_is_stopped_unheard_goes_on() {
    let dir = folder();
    let args = &["train", "parity5", "--seeds", "41..42", "--epochs", "300", "--save-every", "0.01"];
    let run = dir.path().join("run");
    let mut child = strat(args).arg("--out").arg(&run).stderr(full()).spawn().unwrap();
    while !run.join("checkpoints").exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let stopped = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success();
    let code = child.wait().unwrap().code();
    // On a machine that had no time for us, it may be done.
    assert!(!stopped || matches!(code, Some(130 | 0)), "{code:?}");
    let mut again = strat(args);
    assert!(
        done({
            again.arg("--out").arg(&run).stderr(full());
            again
        })
        .status
        .success()
    );
}

#[test]
fn output_that_cannot_be_written_is_an_error_and_one_that_nobody_reads_is_none() {
    let dir = folder();
    let run = dir.path().join("run");
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/all/lite");
    let (table, fitted) = (dir.path().join("table.csv"), dir.path().join("fitted"));
    std::fs::write(&table, "a,b,c\nyes,no,yes\nno,no,no\nyes,yes,yes\nno,yes,no\n").unwrap();
    let [table, fitted] = [&table, &fitted].map(|path| path.to_str().unwrap());
    let fit = ["fit", table, "--target", "c", "--learners", "2", "--epochs", "5", "--no-held-out", "--out", fitted];
    assert!(done(strat(&fit)).status.success());
    let with_out = [TRAIN, &["--out", run.to_str().unwrap()]].concat();
    let commands: [&[&str]; 9] = [
        &["--help"],
        &["--version"],
        &["train", "--help"],
        &["data", "list"],
        &["report", kept, "--csv"],
        &["reproduce", "alu"],
        &["predict", fitted, table],
        &["predict", fitted, table, "--json"],
        &with_out,
    ];
    for args in commands {
        let mut command = strat(args);
        command.stdout(full());
        let out = done(command);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains("standard output") && said.contains("No space left"), "{args:?}: {said}");

        let mut command = strat(args);
        command.stdout(closed());
        let out = done(command);
        assert_eq!(out.status.code(), Some(0), "{args:?}: {}", text(&out.stderr));
        assert!(!text(&out.stderr).contains("error"), "{args:?}: {}", text(&out.stderr));
    }
    assert!(run.join("summary.json").exists(), "the run is kept, though nobody could be shown it");
}
