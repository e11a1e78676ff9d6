//! `strat export` as a user meets it.

use std::process::{Command, Output};

fn strat(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_strat")).args(args).env_remove("STRAT_ISA").output().unwrap()
}

fn done(args: &[&str]) -> String {
    let out = strat(args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stderr).into_owned()
}

fn refused(args: &[&str], words: &[&str]) {
    let out = strat(args);
    let err = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{args:?}: {err}");
    assert!(words.iter().all(|w| err.contains(w)), "{args:?}: {err}");
}

#[test]
fn a_learner_becomes_files_for_pytorch() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (run, out) = (path("run"), path("one.safetensors"));
    done(&["reproduce", "lite", "--learners", "2", "--out", &run]);
    done(&["export", &run, "--seed", "2", "--out", &out]);
    let bytes = std::fs::read(&out).unwrap();
    let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(tensors.tensor("gate.bias").unwrap().shape(), [2]);
    assert_eq!(tensors.tensor("gate.weight").unwrap().shape(), [2, 4]);
    assert_eq!(tensors.tensor("readout.weight").unwrap().shape(), [1, 6]);
    let config: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("one.json")).unwrap()).unwrap();
    assert_eq!((&config["seed"], &config["tokens"]), (&2.into(), &11.into()));
    assert_eq!(config["params"]["gate.bias"], serde_json::json!([2]));
    assert!(std::fs::read_to_string(folder.path().join("strat_torch.py")).unwrap().contains("class Strat"));

    refused(&["export", &run, "--seed", "3", "--out", &out], &["3", "1..2"]);
    refused(&["export", &path("none"), "--seed", "1", "--out", &out], &["none"]);
    refused(&["export", &run, "--seed", "1", "--out", &path("no/such/folder/x")], &["no/such/folder"]);
}
