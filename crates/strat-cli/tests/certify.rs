//! `strat certify` as a user meets it.

use serde_json::Value;
use std::process::{Command, Output};

fn strat(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_strat")).args(args).env_remove("STRAT_ISA").output().unwrap()
}

/// Exit code and the lines of `--json`.
fn certified(folder: &str) -> (Option<i32>, Vec<Value>) {
    let out = strat(&["certify", folder, "--json"]);
    let text = String::from_utf8(out.stdout).unwrap();
    (out.status.code(), text.lines().map(|l| serde_json::from_str(l).unwrap()).collect())
}

/// Learners of both models are asked for all inputs; what is listed as wrong is wrong by the rule.
#[test]
fn every_input_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("threeof9").display().to_string();
    let trained =
        strat(&["train", "threeof9", "--model", "both", "--seeds", "41..42", "--epochs", "300", "--out", &run]);
    assert!(trained.status.success(), "{}", String::from_utf8_lossy(&trained.stderr));
    let (code, lines) = certified(&run);
    assert_eq!(lines.len(), 4);
    for line in &lines {
        let wrong = line["wrong"].as_array().unwrap();
        assert_eq!((line["inputs"].as_u64(), line["correct"].as_bool()), (Some(512), Some(wrong.is_empty())));
        for w in wrong {
            let ones = w["input"].as_array().unwrap().iter().filter(|v| *v == "1").count();
            let majority = if ones >= 5 { "positive" } else { "negative" };
            assert_eq!(w["right"], majority);
            assert_ne!(w["given"], majority);
        }
    }
    assert_eq!(code, Some(i32::from(lines.iter().any(|l| l["correct"] == false))));
    let text = strat(&["certify", &run, "--row", "strat", "--seed", "41"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.starts_with("STRAT: no path leads from Data to any of its"), "{text}");
    assert!(text.contains("\nSTRAT, seed 41: "), "{text}");
    let text = String::from_utf8(strat(&["certify", &run, "--row", "transformer"]).stdout).unwrap();
    assert!(text.starts_with("Transformer: Data reaches 1 of its 1"), "{text}");
}

#[test]
fn what_cannot_be_asked_is_said() {
    let kept = format!("{}/../../results/all/ablations", env!("CARGO_MANIFEST_DIR"));
    let out = strat(&["certify", &kept]);
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8(out.stderr).unwrap().contains("were not taught a task"));
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("led24").display().to_string();
    assert!(strat(&["train", "led24", "--seeds", "41..41", "--epochs", "1", "--out", &run]).status.success());
    let out = strat(&["certify", &run]);
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8(out.stderr).unwrap().contains("led24: has too many inputs"));
}
