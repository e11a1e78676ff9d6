//! Files that would need many times their length in memory, and do not. `fuzz/run` looks for more.

#[path = "../../../fuzz/src/limits.rs"]
mod limits;
#[path = "../../../fuzz/src/meter.rs"]
mod meter;

use meter::{bounded, most_held};
use std::path::Path;
use strat::engine::Elem;
use strat::internals::{
    Line, Log, LogError, MOST_ROWS, Misfit, Owner, POINTS, RunId, checkpoint_bytes, read_checkpoint, seal,
};
use strat::model::{Architecture, ModelRecord, Param};
use strat::record::{Manifest, ReadError};
use strat::task::Entry;
use strat::train::State;

/// Of so many rows; without its checksum.
fn manifest(rows: usize) -> String {
    let row = |i: usize| format!(r#"{{"name":"{i}","model":"nac"}}"#);
    let rows: Vec<String> = (0..rows).map(row).collect();
    format!(
        r#"{{"format":4,"experiment":"x","version":"x","commit":"x","isa":"x","weights":true,"seeds":"1..1","rows":[{}]}}"#,
        rows.join(",")
    )
}

/// That this text is a case at all: without what we do about it, it needs more.
fn is_greedy(text: &str) {
    let fixed = limits::manifest(text.as_bytes());
    let (_, held) = most_held(|| serde_json::from_str::<Manifest>(text).map_err(|e| e.to_string()));
    assert!(held > 2 * text.len() + fixed, "{held} bytes for {}", text.len());
}

/// Reads it with its checksum, if it is an object.
fn read_manifest(text: &str) -> Result<Manifest, ReadError> {
    let text = if text.ends_with('}') { seal(text) } else { text.into() };
    let bytes = text.clone().into_bytes();
    bounded(text.len(), limits::manifest(text.as_bytes()), || {
        let read = Manifest::parse(bytes, Path::new("manifest.json"));
        // The message too.
        read.inspect_err(|e| assert!(e.to_string().starts_with("manifest.json: "))).map(|(manifest, _)| manifest)
    })
}

#[test]
fn a_manifest_of_many_short_rows() {
    let text = manifest(10_000);
    is_greedy(&text);
    assert!(matches!(read_manifest(&text), Err(ReadError::Rows { found: 10_000, most: MOST_ROWS, .. })));
    assert_eq!(read_manifest(&manifest(MOST_ROWS)).unwrap().rows.len(), MOST_ROWS);
}

#[test]
fn a_manifest_of_long_texts() {
    let long = "x".repeat(3_000_000);
    let names = manifest(1).replace(r#""name":"0""#, &format!(r#""name":"{long}\n""#));
    let unprintable = manifest(1).replace("4,", &format!("\"{}\",", "\u{7f}".repeat(1_000_000)));
    for text in [names, unprintable, format!("\"{long}\""), format!("{{\"{long}\":1}}")] {
        assert!(matches!(read_manifest(&text), Err(ReadError::Text { line: 1, .. })));
        if !text.starts_with("{\"xxx") {
            is_greedy(&text);
        }
    }
    // As long as they may be, and quoted in the worst way.
    let text = manifest(MOST_ROWS).replace("true", &format!("\"{}\"", "\u{7f}".repeat(256)));
    assert!(matches!(read_manifest(&text), Err(ReadError::Json { .. })));
}

/// Settings of a task or a model of one's own are kept, whatever they are.
#[test]
fn a_manifest_of_many_short_settings() {
    let many = |value: &str, count: usize| format!("[{}]", vec![value; count].join(","));
    let own = |model: &str| manifest(1).replace(r#""model":"nac""#, model);
    for value in ["0", "[]", r#"{"":0}"#, r#"["",[1]]"#] {
        for count in [10_000, 300_000] {
            let values = many(value, count);
            let task = own(&format!(r#""model":"nac","own":{{"task":{{"x":{values}}},"data":"x","train":null}}"#));
            let model = own(&format!(r#""model":{{"own":{{"spec":{{"x":{values}}},"params":[]}}}}"#));
            let params = own(&format!(r#""model":{{"own":{{"spec":"x","params":{values}}}}}"#));
            for text in [task, model, params] {
                let read = read_manifest(&text);
                match count {
                    10_000 => assert!(!matches!(read, Err(ReadError::Range { .. }))),
                    _ => assert!(matches!(read, Err(ReadError::Range { .. })), "{value}: {read:?}"),
                }
            }
        }
    }
}

#[test]
fn a_manifest_of_deep_or_long_values() {
    for value in ["[".repeat(300_000), "1".repeat(300_000), format!("0.{}", "1".repeat(300_000))] {
        for text in [manifest(1).replace("true", &value), manifest(1).replace("4,", &format!("{value},"))] {
            assert!(matches!(read_manifest(&text), Err(ReadError::Json { .. })));
        }
    }
}

fn run() -> RunId {
    RunId::of(b"a manifest")
}

/// A log of these lines, with their checksums.
fn sealed(lines: impl IntoIterator<Item = String>) -> Vec<u8> {
    let seal = |line: String| format!("{line},\"crc\":\"{:08x}\"}}\n", run().crc(line.as_bytes()));
    lines.into_iter().flat_map(|line| seal(line).into_bytes()).collect()
}

fn line(seed: usize, scores: usize) -> String {
    let scores: Vec<String> = (0..scores).map(|i| format!("\"{i}\":0")).collect();
    format!(r#"{{"row":"","seed":{seed},"metrics":{{{}}},"weights":"0""#, scores.join(","))
}

fn read_log(text: &[u8]) -> Result<Log, LogError> {
    let text = text.to_vec();
    bounded(text.len(), limits::LOG, || {
        let belongs = |i, line: &Line| if line.seed == i as u64 { Ok(()) } else { Err(Misfit::Order) };
        let read = Log::read(text, &run(), belongs);
        read.inspect_err(|e| assert!(e.to_string().starts_with("line ")))
    })
}

#[test]
fn a_log_of_many_short_lines() {
    let text = sealed((0..10_000).map(|seed| line(seed, 1)));
    let lines = || text.split_inclusive(|b| *b == b'\n').map(|l| serde_json::from_slice::<Line>(l).unwrap());
    let (_, held) = most_held(|| lines().collect::<Vec<_>>());
    assert!(held > 5 * text.len(), "parsed, they are many times as long: {held} for {}", text.len());
    let log = read_log(&text).unwrap();
    assert!((0..log.len()).map(|i| log.line(i)).eq(lines()));
}

#[test]
fn a_log_of_many_scores_and_long_texts() {
    assert_eq!(read_log(&sealed([line(0, 64)])).unwrap().line(0).metrics.len(), 64);
    assert!(matches!(read_log(&sealed([line(0, 65)])), Err(LogError::Json { line: 1, .. })));
    let with_losses = |n: usize| line(0, 64) + &format!(",\"losses\":[{}]", vec!["0"; n].join(","));
    assert_eq!(read_log(&sealed([with_losses(POINTS)])).unwrap().line(0).losses, [0.0; POINTS]);
    assert!(matches!(read_log(&sealed([with_losses(POINTS + 1)])), Err(LogError::Json { line: 1, .. })));
    for long in [format!("{}\\n", "x".repeat(100_000)), "\u{7f}".repeat(100_000)] {
        for of in ["row", "weights", "seed"] {
            let line = line(1, 1).replace(&format!("\"{of}\":"), &format!("\"{of}\":\"{long}\",\"{of}\":"));
            assert!(matches!(read_log(&sealed([self::line(0, 1), line])), Err(LogError::Text(2))));
        }
    }
    // As long as they may be, and quoted in the worst way.
    let quoted = line(0, 64).replace(":0}", &format!(":\"{}\"}}", "\u{7f}".repeat(256)));
    assert!(matches!(read_log(&sealed([quoted])), Err(LogError::Json { .. })));
}

/// Nothing is allocated for what a file says of itself, and a right one needs no more than twice its bytes.
#[test]
fn a_checkpoint_of_any_length() {
    checkpoints_of_any_length::<f32>();
    checkpoints_of_any_length::<f64>();
}

fn checkpoints_of_any_length<E: Elem>() {
    for (entry, architecture) in Entry::ALL.iter().flat_map(|e| Architecture::ALL.map(|a| (e, a))) {
        let model = entry.model(architecture);
        let (record, owner) = (ModelRecord::from(model), Owner { run: run(), row: 0, seed: 1 });
        let layout = most_held(|| read_checkpoint::<E>(&record, &owner, &[])).1;
        for length in [1, 1000, 10_000_000] {
            let bytes = vec![0; length];
            assert!(bounded(length, layout, || read_checkpoint::<E>(&record, &owner, &bytes)).is_err());
        }
        let tenths = |p: &Param| [(); 3].map(|()| vec![E::of(0.1); p.shape[0] * p.shape[1]]);
        let params = model.params().iter().map(tenths).collect();
        let state = State { step: 1, window: 64, last_loss: 0.5, losses: [0.25; POINTS], params };
        let bytes = checkpoint_bytes(&record, &owner, &state);
        assert_eq!(bounded(bytes.len(), 0, || read_checkpoint(&record, &owner, &bytes)).unwrap(), state);
    }
}

/// They are no larger than they must be.
#[test]
fn little_of_the_limits_is_to_spare() {
    let beyond = |bytes: usize, held: usize| held.saturating_sub(2 * bytes);
    for rows in [64, MOST_ROWS] {
        let short = manifest(rows);
        let needed = beyond(short.len(), most_held(|| read_manifest(&short)).1);
        let limit = limits::manifest(short.as_bytes());
        assert!(needed > limit / 2, "{rows} rows: {needed} of {limit}");
    }
    let scores = sealed([line(0, 64)]);
    let needed = beyond(scores.len(), most_held(|| Log::read(scores, &run(), |_, _| Ok(()))).1);
    assert!(needed > limits::LOG / 2, "{needed} of {}", limits::LOG);
}
