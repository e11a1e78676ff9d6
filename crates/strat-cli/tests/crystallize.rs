//! `strat crystallize` as a user meets it.

use std::path::Path;
use std::process::{Command, Output};

fn strat(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_strat")).args(args).env_remove("STRAT_ISA").output().unwrap()
}

fn out(args: &[&str]) -> String {
    let out = strat(args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

fn refused(args: &[&str], words: &[&str]) {
    let out = strat(args);
    let err = String::from_utf8_lossy(&out.stderr);
    assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0), "{args:?}: {err}");
    assert!(words.iter().all(|w| err.contains(w)), "{args:?}: {err}");
}

/// From a run to programs, and to a run that other commands read.
#[test]
fn learners_become_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (run, exact) = (path("locking"), path("exact"));
    out(&["reproduce", "locking", "--learners", "16", "--out", &run]);

    let list = out(&["crystallize", &run, "--row", "4D"]);
    assert!(list.contains("y = Σ +x if bound to nothing or +; −x if bound to −"), "{list}");
    assert!(list.contains("learners are exact programs now"), "{list}");
    let (rust, python) = (path("rule.rs"), path("rule.py"));
    let page = out(&["crystallize", &run, "--row", "4D", "--seed", "1", "--rust", &rust, "--python", &python]);
    assert!(page.contains(&std::fs::read_to_string(rust).unwrap()), "{page}");
    assert!(page.contains(&std::fs::read_to_string(python).unwrap()), "{page}");

    let table = out(&["crystallize", &run, "--out", &exact]);
    assert!(table.contains("became exact programs"), "{table}");
    let learners = out(&["inspect", &exact, "--row", "4D", "--json"]);
    let became: Vec<serde_json::Value> = learners
        .lines()
        .map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap())
        .filter(|l| l["metrics"]["crystallized"] == 1.0)
        .collect();
    assert!(became.len() >= 12, "{} of 16", became.len());
    for l in &became {
        assert_eq!(l["metrics"]["ood_mae"], 0.0);
        assert_eq!(l["mechanism"]["coefficients"], serde_json::json!([1.0, 1.0, -1.0]), "seed {}", l["seed"]);
    }
    // A second routine reads the files alone and agrees; those that did not crystallize are not called exact.
    let checked = strat(&["certify", &exact, "--row", "4D", "--json"]);
    let lines: Vec<serde_json::Value> = checked
        .stdout
        .split(|b| *b == b'\n')
        .filter(|l| !l.is_empty())
        .map(|l| serde_json::from_slice(l).unwrap())
        .collect();
    assert_eq!(lines.len(), 16);
    let exact_seeds: Vec<u64> =
        lines.iter().filter(|l| l["exact"] == true).map(|l| l["seed"].as_u64().unwrap()).collect();
    assert!(exact_seeds.len() >= 11, "{exact_seeds:?}");
    assert!(exact_seeds.iter().all(|s| became.iter().any(|l| l["seed"] == *s)));
    assert!(
        !strat(&["certify", &run, "--row", "4D", "--seed", "1"]).status.success(),
        "as learned, it is not exact"
    );

    // One changed bit of a weight is noticed.
    let weights = Path::new(&exact).join("weights-3.safetensors");
    let mut bytes = std::fs::read(&weights).unwrap();
    let last = bytes.len() - 2;
    bytes[last] ^= 1;
    std::fs::write(&weights, &bytes).unwrap();
    refused(&["certify", &exact, "--row", "4D"], &["weights-3.safetensors"]);
    bytes[last] ^= 1;
    std::fs::write(&weights, &bytes).unwrap();

    out(&["report", &exact, "--html", &path("page.html")]);

    // Another run in its place is refused, and what was there stays.
    let before = std::fs::read(Path::new(&exact).join("manifest.json")).unwrap();
    refused(&["reproduce", "locking", "--learners", "16", "--out", &exact], &["experiment", "crystal"]);
    assert_eq!(std::fs::read(Path::new(&exact).join("manifest.json")).unwrap(), before);
}

/// A task's learners become simpler, in a run that other commands read, with the same answers to every input.
#[test]
fn classifiers_become_simpler() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (run, simple) = (path("threeof9"), path("simple"));
    out(&["train", "threeof9", "--model", "both", "--seeds", "41..42", "--epochs", "400", "--out", &run]);
    let page = out(&["crystallize", &run, "--out", &simple]);
    assert!(page.contains("STRAT, seed 42: ") && page.contains("weights are left, and all 512 answers"), "{page}");
    assert!(!page.contains("Transformer, seed"), "{page}");
    let certified = |run: &str| strat(&["certify", run, "--row", "STRAT", "--json"]).stdout;
    assert_eq!(certified(&run), certified(&simple));
    out(&["report", &simple, "--html", &path("page.html")]);
    refused(&["crystallize", &run, "--seed", "41", "--rust", &path("x.rs")], &["STRAT-Lite alone"]);
}

#[test]
fn what_cannot_be_crystallized_is_said() {
    let kept = |name: &str| format!("{}/../../results/all/{name}", env!("CARGO_MANIFEST_DIR"));
    refused(&["crystallize", &kept("alu")], &["no learners that can be crystallized", "locking"]);
    refused(&["crystallize", "no/such/folder"], &["no/such/folder"]);
    refused(&["crystallize", &kept("lite"), "--rust", "x.rs"], &["--seed"]);
}
