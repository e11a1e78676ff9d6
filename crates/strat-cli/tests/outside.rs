//! A crate outside of this workspace, with a task and an architecture of its own (`other_crate/`): built, trained, killed
//! and taken up again, merged from three shards, traced, patched, certified, shown and exported.
#![cfg(unix)]

#[path = "../../strat/tests/common/require.rs"]
mod require;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn strat(args: &[&str]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_strat")).args(args).output().unwrap();
    assert!(out.status.success(), "strat {args:?}: {}", said(&out));
    said(&out)
}

/// Copies it to a workspace of its own, beside links to our crates, and builds it there.
///
/// To Cargo a package is the same if its path in the workspace, its profile and the features of all that it needs are. So the
/// workspace is a copy of ours with one member more, and what is built is the last of `cargo test --workspace`: after that nothing but
/// this crate is compiled. Otherwise the engine alone would take minutes.
fn build() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (root, from) = (here.join("../..").canonicalize().unwrap(), here.join("tests/other_crate"));
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join("other-workspace");
    std::fs::create_dir_all(to.join("other/src")).unwrap();
    for file in ["src/main.rs", "src/own.rs"] {
        std::fs::copy(from.join(file), to.join("other").join(file)).unwrap();
    }
    let manifest = std::fs::read_to_string(from.join("Cargo.toml")).unwrap();
    let manifest = manifest.replace("../../..", "../crates").replace("\n[workspace]\n", "\n");
    std::fs::write(to.join("other/Cargo.toml"), manifest).unwrap();
    let ours = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let workspace = ours.replacen("\nmembers = [", "\nmembers = [\"other\", ", 1);
    assert_ne!(ours, workspace, "the workspace lists its members");
    std::fs::write(to.join("Cargo.toml"), workspace).unwrap();
    for part in ["crates", "python", "web"].into_iter().filter(|part| !to.join(part).exists()) {
        std::os::unix::fs::symlink(root.join(part), to.join(part)).unwrap();
    }
    // The versions that are there already: what is newest may not have been fetched.
    std::fs::copy(root.join("Cargo.lock"), to.join("Cargo.lock")).unwrap();
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let out = Command::new(cargo)
        .args(["test", "--no-run", "--offline", "--workspace", "--bin", "other-crate", "--message-format", "json"])
        .current_dir(&to)
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap())
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", said(&out));
    let told = String::from_utf8_lossy(&out.stdout);
    let artifacts = told.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let programs: Vec<PathBuf> = artifacts.filter_map(|a| Some(a["executable"].as_str()?.into())).collect();
    let [program] = &programs[..] else { panic!("one program is built, not {programs:?}") };
    program.clone()
}

/// Every file of a folder but the history.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let name = |e: &std::fs::DirEntry| e.file_name().to_string_lossy().into_owned();
    let all = std::fs::read_dir(dir).unwrap().map(Result::unwrap).filter(|e| name(e) != "sessions.jsonl");
    all.map(|e| (name(&e), std::fs::read(e.path()).unwrap_or_default())).collect()
}

#[test]
fn a_crate_outside_of_the_workspace_can_do_everything() {
    let program = build();
    let run = |args: &[&str]| {
        let out = Command::new(&program).args(args).output().unwrap();
        assert!(out.status.success(), "{args:?}: {}", said(&out));
        said(&out)
    };
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_string();
    let (whole, torn, joined) = (path("whole"), path("torn"), path("joined"));
    run(&["train", &whole]);

    // Killed again and again, each time a little later, until it is done.
    let mut kills = 0;
    loop {
        let mut child = Command::new(&program).args(["train", &torn]).spawn().unwrap();
        let until = std::time::Instant::now() + Duration::from_millis(60 + 20 * kills);
        let done = loop {
            match child.try_wait().unwrap() {
                Some(status) => break Some(status),
                None if std::time::Instant::now() >= until => break None,
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        if let Some(status) = done {
            assert!(status.success());
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        assert!(kills < 500, "it makes no progress");
    }
    assert!(kills > 0, "it was never killed");
    assert!(files(Path::new(&whole)) == files(Path::new(&torn)), "killed {kills} times");

    let shards: Vec<String> = (1..=3).map(|i| path(&format!("shard-{i}"))).collect();
    for (i, shard) in shards.iter().enumerate() {
        run(&["train", shard, &format!("{}/3", i + 1)]);
    }
    strat(&["merge", &shards[0], &shards[1], &shards[2], "--out", &joined]);
    assert!(files(Path::new(&whole)) == files(Path::new(&joined)));

    let looked = run(&["look", &whole, dir.path().to_str().unwrap()]);
    assert!(looked.contains("shape [5, 4]") && looked.contains("wrong on 0 of 16"), "{looked}");
    let sums: Vec<&str> = looked.lines().filter_map(|l| l.split_once("[").map(|s| s.1)).collect();
    assert_ne!(sums[1], sums[2], "a patch changes what follows: {looked}");
    let page = std::fs::read_to_string(path("page.html")).unwrap();
    assert!(page.contains("Gated count") && page.contains("gate"));

    strat(&["report", &whole, "--html", &path("report.html")]);
    let report = std::fs::read_to_string(path("report.html")).unwrap();
    assert!(report.contains("Gated count") && report.contains("ID accuracy"));
    // What only the other program knows, this one says.
    let out = Command::new(env!("CARGO_BIN_EXE_strat")).args(["predict", &whole, "base:1"]).output().unwrap();
    assert!(said(&out).contains("not of the paper; look at it from the program that has them"), "{}", said(&out));
    in_pytorch(dir.path());
}

/// The exported learner, loaded by PyTorch where that is installed, answers all sixteen inputs right.
fn in_pytorch(dir: &Path) {
    let has_torch = Command::new("python3").args(["-c", "import torch, safetensors"]).output();
    if !has_torch.is_ok_and(|found| found.status.success()) {
        return require::skip("torch", "no PyTorch with safetensors in python3");
    }
    let script = "
import torch
from strat_torch import Strat
model = Strat.load('learner.safetensors')
types = torch.tensor([[1., 0.]] + 4 * [[0., 1.]])[None]
for bits in range(16):
    data = torch.tensor([[0.]] + [[float(bits >> i & 1)] for i in range(4)])[None]
    answer = model(type=types, data=data).flatten().argmax().item()
    assert answer == int(bits.bit_count() >= 3), bits
print('all right')
";
    let out = Command::new("python3").args(["-c", script]).current_dir(dir).output().unwrap();
    assert!(said(&out).contains("all right"), "{}", said(&out));
}
