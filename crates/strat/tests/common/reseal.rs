#![allow(dead_code, reason = "not every test needs all of it")]
//! Files of a run, changed by somebody who knows the checksums: so that what stands behind them is tested too.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use strat::internals::{RunId, seal};

/// A document's object without its checksum.
fn object(document: &str) -> String {
    let end = document.rfind(",\n  \"sha256\": ").map_or(document.trim_end().len() - 1, |at| at);
    format!("{}}}", &document[..end])
}

/// The checksum of a manifest, right or not.
pub fn run_id(manifest: &str) -> RunId {
    let object = object(manifest);
    RunId::of(object[..object.len() - 1].trim_end().as_bytes())
}

/// The document with the checksum that it should have.
pub fn sealed(document: &str) -> String {
    seal(&object(document))
}

/// The lines of a log of this run with the checksums that they should have.
pub fn sealed_log(run: &RunId, log: &str) -> String {
    let line = |line: &str| {
        let text = line.rsplit_once(",\"crc\":").map_or(line, |(text, _)| text);
        format!("{text},\"crc\":\"{:08x}\"}}\n", run.crc(text.as_bytes()))
    };
    log.lines().map(line).collect()
}

/// Gives every file of a run the checksums that it should have, after some of them were changed.
pub fn reseal(folder: &Path) {
    let read = |name: &str| fs::read_to_string(folder.join(name));
    let write = |name: &str, text: String| fs::write(folder.join(name), text).unwrap();
    let manifest = sealed(&read("manifest.json").unwrap());
    let run = run_id(&manifest);
    write("manifest.json", manifest);
    for log in ["learners.jsonl", "sessions.jsonl"] {
        if let Ok(text) = read(log) {
            write(log, sealed_log(&run, &text));
        }
    }
    let Ok(summary) = read("summary.json") else { return };
    // What is no summary any more stays what it is.
    let Ok(mut shown) = serde_json::from_str::<Value>(&object(&summary)) else { return };
    let content = |name: &str| {
        let bytes = fs::read(folder.join(name)).unwrap_or_default();
        json!({ "bytes": bytes.len(), "crc32": format!("{:08x}", crc32fast::hash(&bytes)) })
    };
    shown["run"] = run.to_string().into();
    shown["cells"] = content("cells.jsonl");
    for figure in shown["figures"].as_array_mut().into_iter().flatten() {
        figure["content"] = content(figure["name"].as_str().unwrap_or_default());
    }
    write("summary.json", seal(&shown.to_string()));
}
