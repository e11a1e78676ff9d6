//! A file whose Data has one column: STRAT gets columns of zeros, and nobody else has to know.

use std::process::{Command, Output};

fn strat(folder: &std::path::Path, args: &[&str]) -> Output {
    let out = Command::new(env!("CARGO_BIN_EXE_strat"))
        .args(args)
        .current_dir(folder)
        .env_remove("STRAT_ISA")
        .output()
        .unwrap();
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    out
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Whether the second token's number is positive; every second example is for a test.
fn examples(count: usize) -> String {
    let line = |i: usize| {
        let (x, split) = ((i * 7 % 10) as f64 - 4.5, ["train", "id"][i % 2]);
        let (data, target) = (format!("[[0], [{x}], [1]]"), usize::from(x > 0.0));
        format!(
            "{{\"type\": [[1, 0], [0, 1], [0, 1]], \"data\": {data}, \"target\": {target}, \"split\": \"{split}\"}}\n"
        )
    };
    (0..count).map(line).collect()
}

#[test]
fn one_column_of_data_is_trained_on_asked_tested_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let (at, seed) = (folder.path(), ["--seed", "41"]);
    std::fs::write(at.join("one.jsonl"), examples(20)).unwrap();
    std::fs::write(at.join("more.jsonl"), examples(6)).unwrap();
    let train = |more: &[&str]| {
        let args = ["train", "one.jsonl", "--seeds", "41..41", "--set", "train.steps=60"];
        strat(at, &[&args[..], more].concat())
    };
    let said = text(&train(&["--set", "train.learning_rate=0.01", "--out", "run"]).stderr);
    let zeros: Vec<&str> = said.lines().filter(|line| line.contains("zeros")).collect();
    assert_eq!(
        zeros,
        ["data has 1 column, too few for the LayerNorm before STRAT's answer: STRAT gets 2 more, of zeros"]
    );

    // The answers depend on the number, and are right.
    let answers = text(&strat(at, &[&["predict", "run", "more.jsonl"][..], &seed].concat()).stdout);
    let with = |what: &str| answers.lines().filter(|line| line.contains(what)).count();
    assert_eq!((with("class 0"), with("class 1"), with("right")), (3, 3, 6), "{answers}");
    let tested = text(&strat(at, &["eval", "run", "--split", "id"]).stdout);
    assert!(tested.contains("100.00 %"), "{tested}");

    // The exported model reads one column, too.
    strat(at, &[&["export", "run", "--out", "one.safetensors"][..], &seed].concat());
    let config: serde_json::Value = serde_json::from_slice(&std::fs::read(at.join("one.json")).unwrap()).unwrap();
    let nodes = config["nodes"].as_array().unwrap();
    let data = nodes.iter().find(|node| node["op"] == "input" && node["name"] == "data").unwrap();
    assert_eq!(data["shape"], serde_json::json!([3, 1]));
    assert_eq!(config["params"]["norm.weight"], serde_json::json!([3]));

    // Where no row needs zeros, none are told of.
    let said = text(&train(&["--set", "model.kind=transformer"]).stderr);
    assert!(!said.contains("zeros"), "{said}");
}
