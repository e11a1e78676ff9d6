//! The command line as a user meets it: results, records, errors, exit codes.

#[path = "../../strat/tests/common/reseal.rs"]
mod reseal;

use std::path::Path;
use std::process::{Command, Output};

fn strat(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_strat")).args(args).env_remove("STRAT_ISA").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Fails with code 2 and a message that has every one of `words`; prints nothing else.
fn refused(args: &[&str], words: &[&str]) {
    let out = strat(args);
    let err = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{args:?}: {err}");
    assert!(out.stdout.is_empty(), "{args:?}");
    for w in words {
        assert!(err.contains(w), "{args:?}: no {w:?} in {err:?}");
    }
}

/// A run of the repository.
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/all/lite");

#[test]
fn bad_input_is_named_and_refused() {
    refused(&["reproduce", "locking", "--learners", "0"], &["'0'", "--learners", "at least 1"]);
    refused(&["reproduce", "locking", "--seeds", "50..41"], &["50..41", "backwards", "41..50"]);
    refused(&["reproduce", "locking", "--seeds", "ten"], &["'ten'", "A..B"]);
    refused(&["reproduce", "locking", "--seeds", "0..18446744073709551615"], &["at most 1000000"]);
    refused(&["reproduce", "lokcing"], &["lokcing", "locking"]);
    refused(&["reproduce", "locking", "--threads", "0"], &["'0'", "--threads", "from 1 to "]);
    refused(&["reproduce", "locking", "--threads", "100000"], &["100000", "--threads", "four for each core"]);
    refused(&["train", "parity5", "--threads", "99999999999999999999"], &["--threads", "from 1 to "]);
    refused(&["reproduce", "locking", "--threads", "-3"], &["-3"]);
    refused(&["reproduce", "locking", "--seeds", "1..4", "--learners", "4"], &["cannot be used with"]);
    refused(&["reproduce", "locking", "--no-weights"], &["--out"]);
    refused(&["reproduce", "locking", "--picks", "2"], &["--picks", "reproduce tasks"]);
    refused(&["reproduce", "tasks", "--only", "chess"], &["chess", "tic-tac-toe"]);
    refused(&["reproduce", "locking", "--shard", "4/3", "--out", "x"], &["4/3", "I/N"]);
    refused(&["reproduce", "locking", "--shard", "1/3"], &["--out"]);
    refused(&["reproduce", "locking", "--save-every", "-1", "--out", "x"], &["-1"]);
    refused(&["merge", "/no/such/folder", "--out", "x"], &["/no/such/folder"]);
    refused(&["report", "/no/such/folder", "--csv"], &["/no/such/folder"]);
    refused(&["report", "x"], &["--html", "--markdown", "--csv"]);
    refused(&["report", "x", "--markdown", "--csv"], &["cannot be used with"]);
    refused(&["report", KEPT, "--html", "/no/such/folder/x.html"], &["/no/such/folder/x.html", "another file"]);
    refused(&["inspect", "/no/such/folder"], &["/no/such/folder"]);
    refused(&["bench", "nothing"], &["nothing", "locking"]);
    refused(&["train", "chess"], &["chess", "tic-tac-toe"]);
    refused(&["train", "parity5", "--epochs", "0"], &["'0'", "--epochs", "at least 1"]);
    refused(&["train", "parity5", "--pick", "best"], &["best", "coverage:SEED"]);
    refused(&["train", "sudoku", "--pick", "random:1"], &["sudoku", "--pick"]);
    refused(&["train", "parity5", "--model", "lstm"], &["lstm", "transformer"]);
    refused(&["eval", "/no/such/folder"], &["/no/such/folder"]);
    refused(&["train", "parity5", "--data", "/no/such/data"], &["/no/such/data", "--data"]);
    refused(&[], &["Usage"]);
}

#[test]
fn an_unknown_instruction_set_is_refused() {
    let out = Command::new(env!("CARGO_BIN_EXE_strat"))
        .args(["reproduce", "locking", "--learners", "1"])
        .env("STRAT_ISA", "mmx")
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("\"mmx\"") && text(&out.stderr).contains("portable"));
}

fn entries(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_out_that_cannot_be_written_costs_nothing_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    // A file in the way of the folder, and a file in the way of its parent.
    let file = dir.path().join("taken");
    std::fs::write(&file, "mine").unwrap();
    for out in [file.clone(), file.join("below")] {
        refused(&["reproduce", "locking", "--learners", "2", "--out", out.to_str().unwrap()], &["taken", "--out"]);
    }
    // A folder that holds something.
    let full = dir.path().join("full");
    std::fs::create_dir(&full).unwrap();
    std::fs::write(full.join("precious"), "mine").unwrap();
    refused(
        &["reproduce", "locking", "--learners", "2", "--out", full.to_str().unwrap()],
        &["full", "already there", "--out"],
    );
    refused(&["reproduce", "locking", "--learners", "2", "--out", "/"], &["already there"]);
    assert_eq!(entries(dir.path()), ["full", "taken"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(entries(&full), ["precious"]);
}

#[test]
fn json_has_one_line_per_cell_for_any_number_of_threads() {
    let lines = |threads: &str| {
        let out = strat(&["reproduce", "locking", "--learners", "5", "--threads", threads, "--json"]);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        assert!(out.stderr.is_empty(), "no progress bar without a terminal");
        text(&out.stdout)
    };
    let one = lines("1");
    assert_eq!(one, lines("2"));
    let cells: Vec<serde_json::Value> = one.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    // Five rows of the paper, four annealed, four controls; twelve of these crystallized; and a linear solve.
    assert_eq!(cells.len(), 26 * 5);
    let strict =
        |row: &str| cells.iter().find(|c| c["row"] == row && c["metric"] == "strict").unwrap()["value"].clone();
    assert_eq!(strict("Std, untrained, crystallized"), 0.0);
    assert_eq!(strict("Linear solve, no network"), 1.0);
    for c in &cells {
        assert_eq!(c["experiment"], "locking");
        assert_eq!(c["n"], 5);
        for number in ["value", "low", "high"] {
            assert!(c[number].is_number(), "{number} of {c}");
        }
        // What the paper has no row for is compared with nothing.
        let verdict = c["verdict"].as_str();
        assert_eq!(c["paper"].is_number(), verdict.is_some(), "{c}");
        assert!(verdict.is_none_or(|v| ["same", "better", "worse", "uncertain"].contains(&v)), "{c}");
    }
    let std = cells.iter().find(|c| c["row"] == "STRAT Std (4D/1H)" && c["metric"] == "logic").unwrap();
    assert_eq!(std["paper"], 0.31);
}

#[test]
fn the_table_stands_beside_the_papers_and_check_decides_the_exit_code() {
    let out = strat(&["reproduce", "locking", "--learners", "3"]);
    assert_eq!(out.status.code(), Some(0));
    let table = text(&out.stdout);
    for word in ["Baseline (Config A)", "STRAT Flat MH (2D/2H)", "9,046", "31 %", "Checks:"] {
        assert!(table.contains(word), "no {word:?} in\n{table}");
    }
    let failed = table.contains("[no]");
    let checked = strat(&["reproduce", "locking", "--learners", "3", "--check"]);
    assert_eq!(checked.status.code(), Some(i32::from(failed)));
}

#[test]
fn records_hold_every_learner_and_its_weights() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let done = strat(&["reproduce", "locking", "--seeds", "41..43", "--out", out.to_str().unwrap(), "--json"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert_eq!(entries(dir.path()), ["run"]);
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    assert_eq!(read("cells.jsonl"), text(&done.stdout));
    let learners: Vec<serde_json::Value> =
        read("learners.jsonl").lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(learners.len(), 39);
    assert!(learners.iter().all(|l| (41..=43).contains(&l["seed"].as_u64().unwrap())));
    assert!(learners.iter().all(|l| l["metrics"]["ood_mae"].is_number()));
    let manifest: serde_json::Value = serde_json::from_str(&read("manifest.json")).unwrap();
    assert_eq!(manifest["seeds"], "41..43");
    assert_eq!(manifest["rows"][4]["model"]["lite"]["types"], "latent");
    assert_eq!(manifest["rows"][4]["train"]["steps"], 2000);
    assert!(!manifest["commit"].as_str().unwrap().is_empty() && manifest["isa"].is_string());
    let sessions: Vec<serde_json::Value> =
        read("sessions.jsonl").lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let [started, stopped] = &sessions[..] else { panic!("{sessions:?}") };
    let (started, seconds) = (&started["started"], &stopped["stopped"]["seconds"]);
    assert!(started["command"].as_str().unwrap().starts_with("strat reproduce locking --seeds 41..43"));
    assert!(seconds.as_f64().unwrap() > 0.0 && started["cores"].as_u64().unwrap() > 0);
    assert!(!started["cpu"].as_str().unwrap().is_empty() && stopped["learners"] == 39);
    let bytes = std::fs::read(out.join("weights-4.safetensors")).unwrap();
    let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(file.tensor("query.weight").unwrap().shape(), [3, 4, 4]);
    assert_eq!(file.tensor("embed").unwrap().shape(), [3, 3, 4]);
    assert_eq!(file.names().len(), 8);
}

#[test]
fn a_records_learners_can_be_inspected() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("lite");
    let out = out.to_str().unwrap();
    let done = strat(&["reproduce", "lite", "--seeds", "3..4", "--out", out]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));

    let page = strat(&["inspect", out, "--seed", "4"]);
    assert_eq!(page.status.code(), Some(0), "{}", text(&page.stderr));
    let page = text(&page.stdout);
    for word in ["seed 4", "After + it", "cut", "paste", "gate D5", "coefficient", "ood_mae", "Readout", "Key"] {
        assert!(page.contains(word), "no {word:?} in\n{page}");
    }
    assert!(page.lines().all(|l| l.chars().count() <= 80), "{page}");

    let line = strat(&["inspect", out, "--row", "lite", "--seed", "4", "--json"]);
    let line: serde_json::Value = serde_json::from_str(text(&line.stdout).trim_end()).unwrap();
    assert_eq!((&line["seed"], &line["finding"]), (&4.into(), &"mechanism".into()));
    assert_eq!(line["mechanism"]["coefficients"].as_array().unwrap().len(), 3);
    let list = text(&strat(&["inspect", out]).stdout);
    assert_eq!(list.lines().count(), 5, "{list}");

    refused(&["inspect", out, "--seed", "5"], &["no seed 5", "2 of 3..4"]);
    refused(&["inspect", out, "--row", "nac"], &["no row \"nac\"", "STRAT-Lite (fixed types)"]);
    refused(&["inspect", dir.path().to_str().unwrap()], &["several runs", out]);
    let weights = Path::new(out).join("weights-0.safetensors");
    let whole = std::fs::read(&weights).unwrap();
    std::fs::write(&weights, &whole[..whole.len() - 7]).unwrap();
    refused(&["inspect", out], &["weights-0.safetensors", "bytes", "cut short"]);
    std::fs::write(&weights, u64::MAX.to_le_bytes()).unwrap();
    refused(&["inspect", out, "--seed", "3"], &["weights-0.safetensors", "has 8 bytes"]);
}

#[test]
fn a_record_without_weights_is_small_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("alu");
    let out = out.to_str().unwrap();
    assert_eq!(strat(&["reproduce", "alu", "--out", out, "--no-weights"]).status.code(), Some(0));
    let kept = ["cells.jsonl", "learners.jsonl", "manifest.json", "sessions.jsonl", "summary.json"];
    assert_eq!(entries(Path::new(out)), kept);
    let again = strat(&["reproduce", "alu", "--out", out, "--no-weights"]);
    assert!(text(&again.stdout).contains("Geometric ALU"), "the table is shown again");
    refused(&["inspect", out, "--seed", "1"], &["--no-weights"]);
}

#[test]
fn the_alu_is_found_to_be_logic_in_80_columns() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("alu");
    let out = out.to_str().unwrap();
    assert_eq!(strat(&["reproduce", "alu", "--out", out]).status.code(), Some(0));
    let page = text(&strat(&["inspect", out, "--seed", "1"]).stdout);
    assert!(page.contains("Geometric Logic") && page.contains("gradient_passed"), "{page}");
    assert!(page.lines().all(|l| l.chars().count() <= 80), "{page}");
}

#[test]
fn bench_prints_one_line_in_the_peers_form() {
    let out = strat(&["bench", "locking", "--learners", "16", "--threads", "1", "--json"]);
    assert_eq!(out.status.code(), Some(0));
    let line: serde_json::Value = serde_json::from_str(text(&out.stdout).trim_end()).unwrap();
    assert_eq!((&line["work"], &line["threads"]), (&"locking".into(), &1.into()));
    assert!(line["learners_per_s"].as_f64().unwrap() > 0.0);
    let share = line["peak_share"].as_f64().unwrap();
    // Of a peak that may have been measured while the machine had much else to do.
    assert!(share > 0.0 && share.is_finite(), "{share}");
}

#[test]
fn every_help_shows_examples() {
    let data = [&["data", "--help"][..], &["data", "list", "--help"], &["data", "fetch", "--help"]];
    for args in [
        &["--help"][..],
        &["reproduce", "--help"],
        &["train", "--help"],
        &["eval", "--help"],
        &["predict", "--help"],
        &["inspect", "--help"],
        &["bench", "--help"],
    ]
    .into_iter()
    .chain(data)
    {
        let out = strat(args);
        assert_eq!(out.status.code(), Some(0));
        assert!(text(&out.stdout).contains("Examples:"), "{args:?}");
    }
}

#[test]
fn a_closed_pipe_is_not_an_error_and_loses_no_learner() {
    use std::process::Stdio;
    let dir = tempfile::tempdir().unwrap();
    let (sums, task) = (dir.path().join("sums"), dir.path().join("task"));
    let train = ["train", "parity5", "--seeds", "41..41", "--epochs", "1", "--out", task.to_str().unwrap()];
    let reproduce = ["reproduce", "locking", "--learners", "1", "--out", sums.to_str().unwrap()];
    for args in [&reproduce[..4], &reproduce, &train] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_strat"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let out = child.wait_with_output().unwrap();
        assert_eq!(out.status.code(), Some(0), "{args:?}: {}", text(&out.stderr));
        assert!(out.stderr.is_empty(), "{args:?}");
    }
    for run in [sums, task] {
        assert!(run.join("manifest.json").exists() && run.join("weights-0.safetensors").exists());
    }
}

/// Numbers from a stand-in say so, wherever they are printed or kept.
#[test]
fn a_stand_in_is_named_with_every_number() {
    let dir = tempfile::tempdir().unwrap();
    let (run, nowhere) = (dir.path().join("run"), dir.path().join("nowhere"));
    std::fs::create_dir(&nowhere).unwrap();
    let (run, nowhere) = (run.to_str().unwrap(), nowhere.to_str().unwrap());
    let train = ["train", "spect", "--seeds", "41..41", "--epochs", "1", "--data", nowhere];
    let cells = text(&strat(&[&train[..], &["--json"]].concat()).stdout);
    assert!(cells.lines().count() == 6 && cells.lines().all(|l| l.contains("drawn rows")), "{cells}");
    let table = text(&strat(&[&train[..], &["--out", run]].concat()).stdout);
    assert!(table.contains("Stand-in: 80 and 187 drawn rows"), "{table}");

    let eval = |more: &[&str]| text(&strat(&[&["eval", run, "--data", nowhere], more].concat()).stdout);
    assert!(eval(&[]).contains("Stand-in: 80 and 187 drawn rows"));
    // Examples of a file are as they are; what the learner was taught with is not.
    let file = dir.path().join("SPECT.test");
    std::fs::write(&file, format!("1{}\n", ",1".repeat(22))).unwrap();
    let answers = eval(&["--data-file", file.to_str().unwrap()]);
    assert!(answers.contains("1 examples") && !answers.contains("Stand-in:"), "{answers}");
    assert!(answers.contains("Trained on a stand-in: 80 and 187 drawn rows"), "{answers}");
    let line = eval(&["--data-file", file.to_str().unwrap(), "--json"]);
    assert!(line.contains(r#""stand_in":null"#) && line.contains(r#""trained_on_stand_in":"80"#), "{line}");
}

/// Table 6 in small: two tasks that need no files, two picks.
#[test]
fn tasks_stand_in_one_table_with_the_spread_over_picks() {
    let dir = tempfile::tempdir().unwrap();
    let (out, nowhere) = (dir.path().join("tasks"), dir.path().join("nowhere"));
    std::fs::create_dir(&nowhere).unwrap();
    let args = ["reproduce", "tasks", "--only", "parity5", "threeof9", "--learners", "2", "--epochs", "3"];
    let more = ["--picks", "2", "--data", nowhere.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let args = [&args[..], &more].concat();
    let done = strat(&args);
    let table = text(&done.stdout);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    for word in
        ["Right answers in %", "Average", "difference", "STRAT, ID over 2 picks", "Transformer, OOD over 2 picks"]
    {
        assert!(table.contains(word), "no {word:?} in\n{table}");
    }
    assert_eq!(entries(&out), ["parity5", "parity5-coverage-2", "threeof9", "threeof9-coverage-2"]);
    assert_eq!(text(&strat(&args).stdout), table, "from what is kept, the same");
    let lines = text(&strat(&[&args[..], &["--json"]].concat()).stdout);
    let cells: Vec<serde_json::Value> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let of = |experiment: &str| cells.iter().filter(|c| c["experiment"] == experiment).count();
    // Two rows and their average in eight columns; four votes beside each row, and what the bases decide, ID and OOD; two
    // tasks, two models, ID and OOD in four figures.
    assert_eq!((of("tasks"), of("picks")), (36, 32), "{lines}");
    let votes = lines.lines().filter(|l| l.contains("\"experiment\":\"tasks\"") && l.contains("_vote\""));
    assert_eq!(votes.count(), 8, "{lines}");
    // What is not kept in a folder says the same.
    let kept_nowhere: Vec<&str> =
        args.iter().copied().filter(|a| *a != "--out" && *a != out.to_str().unwrap()).collect();
    assert_eq!(text(&strat(&[&kept_nowhere[..], &["--json"]].concat()).stdout), lines);
}

/// Train, test, ask: the way of a user with a task. Needs no files: Parity5 is made by rule.
#[test]
fn a_run_is_trained_tested_and_asked() {
    let dir = tempfile::tempdir().unwrap();
    let (run, nowhere) = (dir.path().join("run"), dir.path().join("nowhere"));
    std::fs::create_dir(&nowhere).unwrap();
    let (run, nowhere) = (run.to_str().unwrap(), nowhere.to_str().unwrap());
    let train = ["train", "parity5", "--model", "both", "--seeds", "41..42", "--epochs", "30", "--data", nowhere];
    let out = strat(&[&train[..], &["--out", run]].concat());
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let table = text(&out.stdout);
    assert!(table.contains("STRAT") && table.contains("96.94 %") && table.contains("coverage pick 1"), "{table}");
    assert!(table.contains("logistic regression"), "shortcuts stand beside: {table}");
    let cells = std::fs::read_to_string(Path::new(run).join("cells.jsonl")).unwrap();
    assert!(cells.lines().all(|l| l.contains(r#""task":"parity5""#) && !l.contains("stand_in")), "{cells}");
    // What is done is not done again, and another run is not mixed with it.
    let again = strat(&[&train[..], &["--out", run]].concat());
    assert_eq!((text(&again.stdout), again.status.code()), (table, Some(0)));
    assert!(text(&again.stderr).contains("4 of 4 learners are done already"), "{}", text(&again.stderr));
    let more = ["--seeds", "41..43", "--epochs", "31"];
    let words = ["another run", "seeds: \"41..42\" there, \"41..43\" here", "epochs: 30 there, 31 here", "--fresh"];
    refused(
        &[&["train", "parity5", "--model", "both", "--data", nowhere, "--out", run], &more[..]].concat(),
        &words,
    );

    let out = strat(&["eval", run, "--row", "STRAT", "--split", "ood", "--json", "--data", nowhere]);
    let lines = text(&out.stdout);
    assert_eq!(lines.lines().count(), 2, "{lines}{}", text(&out.stderr));
    let line: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&line["seed"], &line["count"]), (&41.into(), &160.into()));
    let kept = std::fs::read_to_string(Path::new(run).join("learners.jsonl")).unwrap();
    let kept: serde_json::Value = serde_json::from_str(kept.lines().next().unwrap()).unwrap();
    assert_eq!(kept["metrics"]["ood_accuracy"], line["accuracy"], "tested again, the same comes out");

    let ask = |example: &[&str]| {
        strat(&[&["predict", run, "--row", "transformer", "--seed", "41", "--json"], example].concat())
    };
    let out = ask(&["10110 11111"]);
    let line: serde_json::Value = serde_json::from_str(&text(&out.stdout)).unwrap();
    assert!(line["answer"] == "odd" || line["answer"] == "even", "{line}");
    assert!(line["right"].is_boolean() && line["confidence"].as_f64().unwrap() >= 0.5, "{line}");
    let out = ask(&["10110 1111"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("parity5"), "{}", text(&out.stderr));
    refused(&["predict", run, "10110 11111"], &["--row", "STRAT, Transformer"]);
    refused(&["eval", run, "--row", "strat", "--data-file", "/no/such.tsv"], &["/no/such.tsv"]);
    refused(&["eval", run, "--row", "strat", "--seed", "7"], &["no seed 7", "41"]);

    // A manifest that was changed by hand: no model of that kind, and no panic.
    let manifest = Path::new(run).join("manifest.json");
    let whole = std::fs::read_to_string(&manifest).unwrap();
    for (from, to, words) in [
        ("\"parity5\"", "\"life\"", ["does not fit", "\"life\""]),
        ("\"full\"", "{\"torus\": 4096}", ["sight", "from 1 to 16"]),
        ("\"layers\": 2", "\"layers\": 4096", ["layers", "from 1 to 64"]),
    ] {
        assert!(whole.contains(from), "no {from} in {whole}");
        std::fs::write(&manifest, whole.replace(from, to)).unwrap();
        refused(&["eval", run, "--row", "strat"], &["manifest.json", "checksum"]);
        reseal::reseal(Path::new(run));
        for ask in [&["eval", run, "--row", "strat"][..], &["predict", run, "10110 11111", "--row", "strat"]] {
            refused(&[ask, &["--data", nowhere]].concat(), &words);
        }
    }
}

/// Spelled in any way, a name is that of the lists.
#[test]
fn names_of_tasks_and_data_are_one() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["threeOf9", "threeof9", "three-of-9", "THREE_OF_9"] {
        let out = strat(&["data", "verify", name, "--json", "--data", dir.path().to_str().unwrap()]);
        assert!(text(&out.stdout).contains("\"name\":\"threeof9\""), "{name}: {}", text(&out.stdout));
    }
    let out = strat(&["data", "verify", "mofn_3_7_10", "--data", dir.path().to_str().unwrap()]);
    assert!(text(&out.stdout).contains("strat data fetch m-of-n"), "{}", text(&out.stdout));
    let out = strat(&["train", "Parity-5", "--epochs", "1", "--seeds", "41..41", "--json"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    // Every task has its data under the task's own name.
    let names = |args: &[&str], key: &str| -> std::collections::BTreeSet<String> {
        let out = text(&strat(&[args, &["--json", "--data", dir.path().to_str().unwrap()]].concat()).stdout);
        let name =
            |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()[key].as_str().unwrap().into();
        out.lines().map(name).collect()
    };
    assert_eq!(names(&["data", "list"], "name"), names(&["tasks"], "task"));
}

#[test]
fn a_variable_cannot_start_thousands_of_threads_either() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_strat"));
    let out = command.args(["reproduce", "alu"]).env("RAYON_NUM_THREADS", "100000").output().unwrap();
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("RAYON_NUM_THREADS is 100000, but at most "), "{}", text(&out.stderr));
}

/// Boards that no game ends with are answered, with a warning.
#[test]
fn what_breaks_the_rules_is_answered_with_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("ttt");
    let run = run.to_str().unwrap();
    let args = ["train", "tic-tac-toe", "--seeds", "41..41", "--epochs", "1", "--out", run];
    assert!(strat(&args).status.success());
    for (board, warning) in [
        ("xxxoobbbb", ""),
        ("xxxoob_o_", "as many marks"),
        ("xxxooobbb", "both have a line"),
        ("xobbbbbbb", "not over"),
    ] {
        let out = strat(&["predict", run, board]);
        let said = text(&out.stderr);
        assert!(out.status.success() && text(&out.stdout).contains("seed 41"), "{board}: {said}");
        assert!(said.contains(warning) && said.is_empty() == warning.is_empty(), "{board}: {said}");
    }
}
