//! `strat microscope` and `strat inspect --example`: every number is that of a trace of the recorded learner.

#[path = "../../strat/tests/common/reseal.rs"]
mod reseal;

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use strat::data::DataFolder;
use strat::trace::ExampleSource;
use strat_paper::microscope::snapshots;

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_strat")).args(args).env_remove("STRAT_ISA").output().unwrap()
}

fn strat(args: &[&str]) -> String {
    let done = run(args);
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

fn refused(args: &[&str], words: &[&str]) {
    let done = run(args);
    let why = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(2), "{args:?}: {why}");
    words.iter().for_each(|w| assert!(why.contains(w), "{args:?}: no {w:?} in {why:?}"));
}

/// The data that a page carries.
fn data(page: &str) -> Value {
    let start = page.split_once("id=\"data\">").unwrap().1;
    serde_json::from_str(start.split_once("</script>").unwrap().0).unwrap()
}

/// Base 64, read here by a rule of its own.
fn unpacked(text: &str) -> Vec<f32> {
    let digit = |b: u8| match b {
        b'A'..=b'Z' => b - b'A',
        b'a'..=b'z' => b - b'a' + 26,
        b'0'..=b'9' => b - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => panic!("{b}"),
    };
    let bits: Vec<u8> =
        text.trim_end_matches('=').bytes().map(digit).flat_map(|d| (0..6).rev().map(move |i| d >> i & 1)).collect();
    let bytes: Vec<u8> = bits.chunks_exact(8).map(|b| b.iter().fold(0, |n, bit| n << 1 | bit)).collect();
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

/// Compares all numbers of a page with traces of the learners in the run; how many there were.
fn compared(page: &str, run: &Path, moments: Option<usize>) -> usize {
    let folder = strat_paper::experiment::open(run).unwrap();
    let data = data(page);
    let mut count = 0;
    for shown in data["learners"].as_array().unwrap() {
        let row = folder.row(shown["row"].as_str()).unwrap();
        let source = ExampleSource::of(row, &DataFolder::find(None)).unwrap();
        let learner = folder.learners(row, shown["seed"].as_u64()).unwrap().remove(0);
        let weights = match moments {
            Some(n) => snapshots(&folder.manifest, row, &source, &learner, n).unwrap(),
            None => vec![(0, learner.weights.clone())],
        };
        let steps: Vec<u64> = shown["moments"].as_array().unwrap().iter().map(|m| m.as_u64().unwrap()).collect();
        let expected: Vec<u64> = weights.iter().map(|w| w.0 as u64).collect();
        assert_eq!(steps, if moments.is_some() { expected } else { vec![] });
        assert_eq!(weights.last().unwrap().1, learner.weights, "training ends with what was recorded");
        for (example, frames) in
            data["examples"].as_array().unwrap().iter().zip(shown["frames"].as_array().unwrap())
        {
            let example = source.read(example["text"].as_str().unwrap()).unwrap();
            assert_eq!(frames.as_array().unwrap().len(), weights.len());
            for (frame, (_, weights)) in frames.as_array().unwrap().iter().zip(&weights) {
                let trace = source.trace(weights, &example).unwrap();
                let said = source.said(&example, &trace).unwrap();
                assert_eq!(frame["said"], serde_json::to_value(said).unwrap());
                let arrays = frame["arrays"].as_array().unwrap();
                assert_eq!(arrays.len(), trace.names().len());
                for (pair, name) in arrays.iter().zip(trace.names()) {
                    let array = trace.array(name).unwrap();
                    assert_eq!((&pair[0], &pair[1]["shape"]), (&name.into(), &array.shape.clone().into()));
                    let numbers = unpacked(pair[1]["f32"].as_str().unwrap());
                    assert_eq!(numbers, array.values.iter().map(|&x| x as f32).collect::<Vec<_>>(), "{name}");
                    count += numbers.len();
                }
            }
        }
    }
    count
}

#[test]
fn a_page_has_the_numbers_of_its_learners() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (lite, html) = (at("lite"), at("page.html"));
    strat(&["reproduce", "lite", "--learners", "3", "--out", &lite]);
    let said = strat(&["microscope", &lite, "--seed", "1", "--seed", "3", "--html", &html]);
    assert!(said.contains("2 learners on 3 examples"), "{said}");
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(compared(&page, Path::new(&lite), None) > 500);

    // It asks nobody for anything.
    assert!(page.contains("default-src 'none'") && page.contains("connect-src 'none'"));
    for outside in ["src=", "href=\"http", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }

    // With its training, trained again.
    let args = ["microscope", &lite, "--seed", "2", "--example", "9 - 4", "--snapshots", "12", "--html", &html];
    strat(&args);
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(page.len() < 5_000_000);
    assert!(compared(&page, Path::new(&lite), Some(12)) > 500);

    refused(&["microscope", &lite, "--seed", "9", "--html", &html], &["9", "1..3"]);
    refused(&["microscope", &lite, "--example", "9 -", "--html", &html], &["give a sum, such as"]);
    refused(&["microscope", &lite, "--html", "/no/such/folder/x.html"], &["/no/such/folder/x.html"]);
    let many = ["1", "2", "3", "1", "2"].map(|s| ["--seed", s]).concat();
    refused(&[&["microscope", &lite, "--html", &html][..], &many].concat(), &["5 learners", "at most 4"]);
}

/// Training that would not come out the same is not shown.
#[test]
fn snapshots_of_another_training_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (run, html) = (folder.path().join("lite"), folder.path().join("page.html"));
    let args = ["microscope", run.to_str().unwrap(), "--snapshots", "3", "--html", html.to_str().unwrap()];
    strat(&["reproduce", "lite", "--learners", "1", "--out", args[1]]);
    strat(&args);
    let path = run.join("manifest.json");
    let manifest = std::fs::read_to_string(&path).unwrap();
    let with = |old: &str, new: &str, words: &[&str]| {
        assert!(manifest.contains(old), "{old} in {manifest}");
        std::fs::write(&path, manifest.replace(old, new)).unwrap();
        reseal::reseal(&run);
        refused(&args, words);
    };
    with("\"steps\": 2000", "\"steps\": 1999", &["seed 1", "other weights", "--snapshots"]);
    let isa = serde_json::from_str::<Value>(&manifest).unwrap()["isa"].as_str().unwrap().to_string();
    with(&format!("\"isa\": \"{isa}\""), "\"isa\": \"mmx\"", &["mmx", "does not have"]);

    let run = folder.path().join("alu");
    strat(&["reproduce", "alu", "--out", run.to_str().unwrap()]);
    let args = ["microscope", run.to_str().unwrap(), "--snapshots", "3", "--html", html.to_str().unwrap()];
    refused(&args, &["was not trained", "--snapshots"]);
}

#[test]
fn a_page_of_a_task_has_both_models() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (run, html) = (at("parity5"), at("page.html"));
    strat(&["train", "parity5", "--model", "both", "--seeds", "41..41", "--epochs", "5", "--out", &run]);
    let args = ["--example", "id:3", "--example", "11010 0", "--snapshots", "3", "--html", &html];
    strat(&[&["microscope", &run, "--row", "STRAT", "--row", "Transformer"][..], &args].concat());
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(compared(&page, Path::new(&run), Some(3)) > 10_000);
    refused(&["microscope", &run, "--html", &html], &["STRAT", "Transformer", "--row"]);
    let args = ["--row", "STRAT", "--example", "id:9999", "--html", &html];
    refused(&[&["microscope", &run][..], &args].concat(), &["id:9999", "numbered from 1"]);
}

#[test]
fn inspect_shows_the_way_to_an_answer_in_80_columns() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (lite, parity) = (at("lite"), at("parity5"));
    strat(&["reproduce", "lite", "--learners", "1", "--out", &lite]);
    strat(&["train", "parity5", "--seeds", "41..41", "--epochs", "5", "--out", &parity]);
    for (run, seed, example, has) in [
        (&lite, "1", "12 + 3 - 5", ["How the value travels", "right is 10"]),
        (&parity, "41", "11010 0", ["routes, head 3", "glu gate"]),
    ] {
        let text = strat(&["inspect", run, "--seed", seed, "--example", example]);
        has.iter().for_each(|h| assert!(text.contains(h), "{h}: {text}"));
        assert!(text.contains('█'), "{text}");
        text.lines().for_each(|line| assert!(line.chars().count() <= 80, "{line}"));
        let line = strat(&["inspect", run, "--seed", seed, "--example", example, "--json"]);
        assert_eq!(line.lines().count(), 1);
        let line: Value = serde_json::from_str(&line).unwrap();
        let opened = strat_paper::experiment::open(Path::new(run)).unwrap();
        let row = opened.row(None).unwrap();
        let source = ExampleSource::of(row, &DataFolder::find(None)).unwrap();
        let example = source.read(example).unwrap();
        let learner = opened.learners(row, seed.parse().ok()).unwrap().remove(0);
        let trace = source.trace(&learner.weights, &example).unwrap();
        for name in trace.names() {
            let array = trace.array(name).unwrap();
            let values: Vec<f64> =
                line["arrays"][name]["values"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
            assert_eq!(values, array.values, "{name}");
        }
    }
    refused(&["inspect", &lite, "--example", "1 + 2"], &["--seed"]);
    refused(&["inspect", &lite, "--seed", "1", "--example", "1 + 2", "--token", "3"], &["token 3", "has 3"]);
}
