//! Every leaf of a manifest, set to what it should not be: refused as it is, and with the checksums that it should have
//! at least no harm to anyone.

use crate::folders::{diverged, files, latent, of_table, place, restore, table, work};
use crate::harness::listen;
use crate::readers::{Reader, of_any, of_fit, of_latent};
use crate::reseal::reseal;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Beside twice the files: what a table, a model or a page of another size needs.
const ROOM: usize = 4 << 20;

/// Paths to all leaves.
fn leaves(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, v)| leaves(v, &format!("{at}/{name}"), found)),
        Value::Array(items) => items.iter().enumerate().for_each(|(i, v)| leaves(v, &format!("{at}/{i}"), found)),
        _ => found.push(at.into()),
    }
}

fn without(value: &mut Value, leaf: &str) {
    let (parent, name) = leaf.rsplit_once('/').unwrap();
    match value.pointer_mut(parent).unwrap() {
        Value::Object(fields) => drop(fields.remove(name)),
        Value::Array(items) => drop(items.remove(name.parse().unwrap())),
        _ => unreachable!("a leaf has a parent"),
    }
}

/// Texts of the manifest with one leaf changed, and what was done.
fn changed(manifest: &str, leaf: &str) -> Vec<(String, String)> {
    let whole: Value = serde_json::from_str(manifest).unwrap();
    let long = format!("\"{}\"", "x".repeat(100_000));
    let values = [
        "0",
        "-1",
        "1",
        "1000000000",
        "18446744073709551615",
        "NaN",
        "\"NaN\"",
        "\"\"",
        &long,
        "\"\u{3000}: x\"",
        "null",
        "1e308",
    ];
    let mut texts = vec![];
    for value in values {
        let mut value_of = whole.clone();
        *value_of.pointer_mut(leaf).unwrap() = "@leaf@".into();
        let text = value_of.to_string().replace("\"@leaf@\"", value);
        texts.push((format!("{leaf} = {:.30}", value), text));
    }
    let mut less = whole;
    without(&mut less, leaf);
    texts.push((format!("{leaf} removed"), less.to_string()));
    texts
}

fn try_all(folder: &Path, readers: &[Reader], files: &BTreeMap<PathBuf, Vec<u8>>) {
    let manifest = String::from_utf8(files[Path::new("manifest.json")].clone()).unwrap();
    let total: usize = files.values().map(Vec::len).sum();
    let mut value: Value = serde_json::from_str(&manifest).unwrap();
    value.as_object_mut().unwrap().remove("sha256");
    let unsealed = value.to_string();
    let mut all = vec![];
    leaves(&value, "", &mut all);
    let held: Vec<usize> = readers.iter().map(|reader| listen(reader, folder, "as it was").1).collect();
    let mut counts = [0; 2];
    for leaf in &all {
        for (what, text) in changed(&unsealed, leaf) {
            restore(folder, files);
            fs::write(folder.join("manifest.json"), &text).unwrap();
            for reader in readers {
                let (said, _) = listen(reader, folder, &what);
                let why = said.expect_err(&what);
                assert!(why.contains("manifest.json"), "{what}: {}: {why}", reader.name);
                assert!(why.len() < 2000, "{what}: {} has much to say", reader.name);
            }
            // With the checksums of somebody who knows them.
            reseal(folder);
            for (reader, held) in readers.iter().zip(&held) {
                let (said, now) = listen(reader, folder, &what);
                let most = held + 2 * (total + text.len()) + ROOM;
                assert!(now <= most, "{what}: {} holds {now}, not {held}", reader.name);
                counts[usize::from(said.is_err())] += 1;
            }
        }
    }
    println!("{}: {} leaves, {} read, {} refused", folder.display(), all.len(), counts[0], counts[1]);
    assert!(counts[1] > counts[0], "{counts:?}");
}

/// Readers that do not train: another manifest is another run to go on with.
fn that_read(readers: Vec<Reader>) -> Vec<Reader> {
    readers.into_iter().filter(|r| !r.writes).collect()
}

#[test]
fn of_a_run_of_sums() {
    let dir = place();
    let folder = dir.path().join("latent");
    work(&latent(), &folder, None, u64::MAX).unwrap();
    try_all(&folder, &that_read(of_latent()), &files(&folder));
}

#[test]
fn of_a_run_of_a_table() {
    let dir = place();
    let folder = dir.path().join("fit");
    let (own, task) = table();
    work(&of_table(&own, &task), &folder, None, u64::MAX).unwrap();
    try_all(&folder, &that_read(of_fit()), &files(&folder));
}

/// A learner that has diverged has weights that are no numbers: they are read, and nobody looks for their principal
/// components for ever.
#[test]
fn weights_that_are_no_numbers() {
    let dir = place();
    let folder = dir.path().join("latent");
    work(&diverged(), &folder, None, u64::MAX).unwrap();
    let run = strat_paper::experiment::open(&folder).unwrap();
    for row in &run.manifest.rows {
        let learners = run.learners(row, None).unwrap();
        assert!(learners.len() == 3 && learners.iter().all(|l| l.weights.values().flatten().all(|x| x.is_nan())));
    }
    for reader in of_any() {
        let (said, _) = listen(&reader, &folder, "NaN");
        assert!(said.is_ok() || reader.name == "microscope", "{}: {said:?}", reader.name);
    }
}
