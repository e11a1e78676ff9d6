//! Every system call that opens or changes a file fails in turn, or is the moment of a kill: the program ends with 2 and a
//! reason, nothing that was saved is lost, and the same command again ends as if nothing had been.
//!
//! A sample of the calls is tried here, spread over the whole run. All of them, in every way, take much longer:
//! `STRAT_FAULTS=all cargo test -p strat-cli --test faults -- --nocapture`.
#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))] // others have no LD_PRELOAD

mod common;

use common::{files, folder, refused, text};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Calls of one command that are tried in a sample.
const SAMPLE: usize = 12;

/// What the error is called, its number, and what people read.
const ERRORS: [(&str, i32, &str); 3] = [
    ("ENOSPC", 28, "No space left on device"),
    ("EIO", 5, "Input/output error"),
    ("EACCES", 13, "Permission denied"),
];

/// What happens at a call.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// It fails.
    Once(usize),
    /// It and all after it fail.
    On(usize),
    /// The program is killed.
    Kill,
    /// It is asked to end, and the call takes this many milliseconds.
    Term(u32),
}

const RUN_FAULTS: [Fault; 7] =
    [Fault::Once(0), Fault::On(1), Fault::Once(2), Fault::Kill, Fault::On(0), Fault::Once(1), Fault::On(2)];

/// A call of a program that nothing was done to.
struct Call {
    name: String,
    size: u64,
    path: PathBuf,
}

/// A command whose file system calls below `under` are counted.
struct Subject {
    args: Vec<String>,
    under: PathBuf,
    log: PathBuf,
}

impl Subject {
    /// A command that fills a folder, which is below this one; an @ in its arguments means this one.
    fn filling(args: &[&str], root: &Path) -> (Subject, PathBuf) {
        let root = root.canonicalize().unwrap();
        prepare(&root, args);
        let run = root.join("run");
        let mut args: Vec<String> = args.iter().map(|a| a.replace('@', root.to_str().unwrap())).collect();
        args.extend(["--out".into(), run.display().to_string()]);
        (Subject { args, under: run.clone(), log: root.join("log") }, run)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_strat"));
        command.args(&self.args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env_remove("STRAT_ISA").env("RAYON_NUM_THREADS", "1");
        command
    }

    fn watched(&self) -> Command {
        // Cargo puts the library beside the tests.
        let library = std::env::current_exe().unwrap().with_file_name("libfaults.so");
        assert!(library.is_file(), "{}: not there", library.display());
        let mut command = self.command();
        command.env("LD_PRELOAD", library).env("FAULTS_UNDER", &self.under);
        command
    }

    fn undisturbed(&self) {
        let out = self.command().output().unwrap();
        assert!(out.status.success(), "{:?}: {}", self.args, text(&out.stderr));
    }

    /// What a program does that nothing is done to.
    fn calls(&self) -> Vec<Call> {
        let out = self.watched().env("FAULTS_LOG", &self.log).output().unwrap();
        assert!(out.status.success(), "{:?}: {}", self.args, text(&out.stderr));
        let log = fs::read_to_string(&self.log).unwrap();
        let call = |line: &str| {
            let mut parts = line.splitn(4, ' ').skip(1);
            let mut next = || parts.next().unwrap();
            Call { name: next().into(), size: next().parse().unwrap(), path: next().into() }
        };
        log.lines().map(call).collect()
    }

    fn disturbed(&self, at: usize, fault: Fault) -> Output {
        let mut command = self.watched();
        command.env("FAULTS_AT", at.to_string());
        match fault {
            Fault::Once(error) => command.env("FAULTS_DO", ERRORS[error].1.to_string()),
            Fault::On(error) => command.env("FAULTS_DO", ERRORS[error].1.to_string()).env("FAULTS_ON", "1"),
            Fault::Kill => command.env("FAULTS_DO", "kill"),
            Fault::Term(stall) => command.env("FAULTS_DO", format!("term:{stall}")),
        };
        command.output().unwrap()
    }
}

/// Ends as it should, and says what a person needs.
fn ended(out: &Output, fault: Fault, what: &str) {
    let said = text(&out.stderr);
    match fault {
        Fault::Once(error) | Fault::On(error) => {
            assert_eq!(out.status.code(), Some(2), "{what}: {said}");
            refused(out, &["error: ", "/dev/shm", ERRORS[error].2]);
        }
        Fault::Kill => assert_eq!(out.status.signal(), Some(9), "{what}: {said}"),
        Fault::Term(_) => assert_eq!(out.status.code(), Some(130), "{what}: {said}"),
    }
}

/// Calls by number, with what happens there: all, each in every way, or a sample.
fn chosen(calls: usize, faults: &[Fault]) -> Vec<(usize, Fault)> {
    if std::env::var_os("STRAT_FAULTS").is_some_and(|which| which == "all") {
        return (1..=calls).flat_map(|at| faults.iter().map(move |fault| (at, *fault))).collect();
    }
    let at = |i: usize| 1 + i * (calls - 1) / (SAMPLE - 1).max(1);
    (0..SAMPLE.min(calls)).map(|i| (at(i), faults[i % faults.len()])).collect()
}

/// Bytes of the log of learners that were flushed before a call.
fn flushed(calls: &[Call], at: usize) -> u64 {
    let (mut written, mut flushed) = (0, 0);
    for call in calls[..at - 1].iter().filter(|c| c.path.ends_with("learners.jsonl")) {
        match &*call.name {
            "write" => written += call.size,
            "fdatasync" | "fsync" => flushed = written,
            _ => {}
        }
    }
    flushed
}

/// Files that were put into their places before a call, and not removed since.
fn standing(calls: &[Call], at: usize) -> BTreeSet<&Path> {
    let mut standing = BTreeSet::new();
    for call in &calls[..at - 1] {
        match &*call.name {
            "rename" => {
                standing.insert(&*call.path);
            }
            "unlink" | "unlinkat" | "rmdir" => standing.retain(|path| !path.starts_with(&call.path)),
            _ => {}
        }
    }
    standing
}

/// A command that fills a folder is disturbed in every way, and given again.
fn disturb_run(args: &[&str], kinds: &[&str]) {
    let dir = folder();
    let (subject, run) = Subject::filling(args, dir.path());
    let calls = subject.calls();
    for kind in kinds {
        assert!(calls.iter().any(|c| c.name == *kind), "the program makes no call {kind}, or it is not seen");
    }
    let whole = files(&run);
    let learners = Path::new("learners.jsonl");
    let chosen = chosen(calls.len(), &RUN_FAULTS);
    for (i, (at, fault)) in chosen.iter().copied().enumerate() {
        let what = format!(
            "{:?}, call {at}, {} {}, {fault:?}",
            subject.args,
            calls[at - 1].name,
            calls[at - 1].path.display()
        );
        fs::remove_dir_all(&run).unwrap();
        ended(&subject.disturbed(at, fault), fault, &what);
        let log = fs::read(run.join(learners)).unwrap_or_default();
        assert!(whole[learners].starts_with(&log), "{what}: the log has something else");
        assert!(log.len() as u64 >= flushed(&calls, at), "{what}: learners that were saved are lost");
        for path in standing(&calls, at) {
            assert!(path.is_file(), "{what}: {} is lost", path.display());
        }
        // Now and then somebody gives the command again while the machine is still not well.
        if i % 3 == 0 {
            let out = subject.disturbed(1 + at / 2, Fault::On(0));
            assert!(matches!(out.status.code(), Some(0 | 2)), "{what}: {}", text(&out.stderr));
            let again = fs::read(run.join(learners)).unwrap_or_default();
            assert!(again.starts_with(&log[..flushed(&calls, at) as usize]), "{what}: lost the second time");
        }
        subject.undisturbed();
        assert!(whole == files(&run), "{what}: is not as if nothing had been");
    }
    println!("{:?}: {} of {} calls, {} ways", subject.args[0], chosen.len(), calls.len(), RUN_FAULTS.len());
}

/// What commands of these tests read.
fn prepare(root: &Path, args: &[&str]) {
    let wanted = |name: &str| args.contains(&&*format!("@/{name}"));
    fs::write(root.join("table.csv"), TABLE).unwrap();
    if wanted("lite") {
        strat(&["reproduce", "lite", "--learners", "2"], &root.join("lite"));
    }
    for shard in ["1", "2"].into_iter().filter(|shard| wanted(&format!("shard-{shard}"))) {
        let part = format!("{shard}/2");
        strat(&[TRAIN, &["--shard", &part]].concat(), &root.join(format!("shard-{shard}")));
    }
}

const TABLE: &str = "a,b,c,passed
yes,yes,no,yes
no,yes,yes,yes
yes,no,yes,yes
no,no,yes,no
no,yes,no,no
yes,no,no,no
no,no,no,no
yes,yes,yes,yes
";

fn strat(args: &[&str], out: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_strat"));
    let done = command.args(args).arg("--out").arg(out).env_remove("STRAT_ISA").output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", text(&done.stderr));
}

const TRAIN: &[&str] = &[
    "train",
    "parity5",
    "--model",
    "both",
    "--seeds",
    "41..42",
    "--epochs",
    "3",
    "--threads",
    "1",
    "--save-every",
    "0",
];

#[test]
fn training_survives_every_call_that_fails() {
    let kinds = ["open64", "write", "fsync", "fdatasync", "ftruncate64", "rename", "unlink", "mkdir"];
    disturb_run(TRAIN, &kinds);
}

#[test]
fn a_reproduction_survives_every_call_that_fails() {
    // Never in between: a busy machine may need longer than the usual time for all of it.
    let args = ["reproduce", "lite", "--learners", "2", "--threads", "1", "--save-every", "86400"];
    disturb_run(&args, &["write", "fsync", "rename"]);
}

/// Learners side by side, saved at every step.
#[test]
fn sums_survive_every_call_that_fails() {
    let steps = ["--set", "train.steps=3", "--save-every", "0"];
    let args = [&["train", "signed-sum", "--seeds", "1..3", "--threads", "1"][..], &steps].concat();
    disturb_run(&args, &["write", "fsync", "rename", "unlinkat"]);
}

#[test]
fn a_table_of_ones_own_survives_every_call_that_fails() {
    let args = ["fit", "@/table.csv", "--target", "passed", "--learners", "2", "--epochs", "20", "--threads", "1"];
    disturb_run(&args, &["write", "fsync", "rename"]);
}

#[test]
fn shards_are_joined_whatever_call_fails() {
    disturb_run(&["merge", "@/shard-1", "@/shard-2"], &["write", "fsync", "rename"]);
}

#[test]
fn learners_are_crystallized_whatever_call_fails() {
    disturb_run(&["crystallize", "@/lite"], &["write", "fsync", "rename"]);
}

/// Files that were asked for are there whole, as they were or as they are now.
#[test]
fn a_page_is_the_old_one_or_the_new_one() {
    let faults = [Fault::Once(0), Fault::Once(1), Fault::Once(2), Fault::On(0), Fault::Kill, Fault::Term(300)];
    let dir = folder();
    let root = dir.path().canonicalize().unwrap();
    let at = |name: &str| root.join(name).display().to_string();
    strat(&["reproduce", "lite", "--learners", "8"], &root.join("lite"));
    let lite = at("lite");
    // Not every learner becomes a program.
    let becomes_program = |seed: &String| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_strat"));
        let out = command.args(["crystallize", &lite, "--seed", seed, "--rust", &at("program")]).output().unwrap();
        out.status.success()
    };
    let seed = (1..=8).map(|seed| seed.to_string()).find(becomes_program).expect("one of eight becomes a program");
    let commands: [&[&str]; 3] = [
        &["report", &lite, "--html", &at("pages/a")],
        &["microscope", &lite, "--seed", "1", "--html", &at("pages/a")],
        &["crystallize", &lite, "--seed", &seed, "--rust", &at("pages/a"), "--python", &at("pages/b")],
    ];
    let mut stopped = 0;
    for args in commands {
        let args = args.iter().map(|a| a.to_string()).collect();
        let pages = root.join("pages");
        let subject = Subject { args, under: pages.clone(), log: root.join("log") };
        let fresh = || {
            let _ = fs::remove_dir_all(&pages);
            fs::create_dir(&pages).unwrap();
            ["a", "b"].iter().for_each(|name| fs::write(pages.join(name), "old").unwrap());
        };
        fresh();
        let _ = fs::remove_file(root.join("log"));
        let calls = subject.calls();
        for kind in ["open64", "write", "fchmod", "fsync", "rename"] {
            assert!(calls.iter().any(|c| c.name == kind), "no call {kind}");
        }
        let new = files(&pages);
        for (at, fault) in chosen(calls.len(), &faults) {
            let what = format!("{:?}, call {at}, {}, {fault:?}", subject.args, calls[at - 1].name);
            fresh();
            let out = subject.disturbed(at, fault);
            match (fault, out.status.code()) {
                // The signal may come to a program that is done.
                (Fault::Term(_), Some(0)) => {}
                _ => ended(&out, fault, &what),
            }
            stopped += usize::from(out.status.code() == Some(130));
            let mut now = files(&pages);
            if matches!(fault, Fault::On(_) | Fault::Kill) {
                // Nobody could tidy up.
                now.retain(|name, _| !name.to_string_lossy().ends_with(".tmp"));
            }
            for (name, bytes) in &now {
                assert!(*bytes == b"old" || new.get(name) == Some(bytes), "{what}: {} is neither", name.display());
            }
            assert_eq!(now.len(), new.len(), "{what}: {:?}", now.keys());
            subject.undisturbed();
        }
    }
    assert!(stopped > 0, "nothing was stopped by a signal");
}

/// What has no learners in training ends at once when it is asked to.
#[test]
fn merge_and_crystallize_end_with_130() {
    for args in [&["merge", "@/shard-1", "@/shard-2"][..], &["crystallize", "@/lite"]] {
        let dir = folder();
        let (subject, run) = Subject::filling(args, dir.path());
        let calls = subject.calls();
        let whole = files(&run);
        for (at, fault) in chosen(calls.len(), &[Fault::Term(60_000)]) {
            fs::remove_dir_all(&run).unwrap();
            ended(&subject.disturbed(at, fault), fault, &format!("{:?}, call {at}", subject.args));
            subject.undisturbed();
            assert!(whole == files(&run), "{:?}, call {at}", subject.args);
        }
    }
}
