//! Examples from files of arrays: what is read, what is refused and in which words, and that models learn from them.

mod learned;
mod read;
mod refused;

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use strat::config::{ConfigFile, ReadoutChoice, ReadoutKind, Setup, TaskFacts};
use strat::data::{Array, NumberKind};
use strat::engine::Isa;
use strat::internals::parse_arrays;
use strat::model::{Architecture, BlockConfig, BlockModel, Lite, ModelRecord, Param, Readout};
use strat::seeds::Seeds;
use strat::task::{ArrayTask, Batch, Entry, Split, Target, Task};
use strat::train::{Population, Predictor, TrainConfig};

const AUTO: ReadoutChoice = ReadoutChoice { kind: None, classes: None };

type NamedArrays = BTreeMap<String, Array>;

fn array(kind: NumberKind, shape: &[usize], values: &[f64]) -> Array {
    Array { shape: shape.to_vec(), kind, values: values.to_vec() }
}

fn ints(shape: &[usize], values: &[f64]) -> Array {
    array(NumberKind::Int, shape, values)
}

fn floats(shape: &[usize], values: &[f64]) -> Array {
    array(NumberKind::Float, shape, values)
}

fn bools(shape: &[usize], values: &[f64]) -> Array {
    array(NumberKind::Bool, shape, values)
}

fn named(arrays: &[(&str, Array)]) -> NamedArrays {
    arrays.iter().map(|(name, array)| (name.to_string(), array.clone())).collect()
}

/// Three examples of two tokens: 4 + 1 channels, classes 0, 1, 1, one in each split.
fn sound() -> NamedArrays {
    let types: Vec<f64> = (0..24).map(f64::from).collect();
    named(&[
        ("type", floats(&[3, 2, 4], &types)),
        ("data", floats(&[3, 2], &[0.5, 1.5, 2.5, 3.5, 4.5, 5.5])),
        ("target", ints(&[3], &[0.0, 1.0, 1.0])),
        ("split", ints(&[3], &[0.0, 1.0, 2.0])),
    ])
}

fn with(changes: &[(&str, Array)]) -> NamedArrays {
    let mut arrays = sound();
    arrays.extend(named(changes));
    arrays
}

fn message(arrays: NamedArrays, choice: ReadoutChoice) -> String {
    ArrayTask::new("votes", arrays, choice).map(|_| String::from("none")).unwrap_or_else(|e| e.to_string())
}

/// A file of this text in a folder of its own.
fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// Is there more of the first kind? Tokens have the kinds 0 and 1; the first is to read the answer at.
fn votes(count: usize) -> String {
    let line = |i: usize| {
        let kinds: Vec<usize> = (0..5).map(|t| (i >> t) & 1).collect();
        let row = |kind: usize| format!("[{}, {}, 0, 0]", 1 - kind, kind);
        let rows: Vec<String> = ["[0, 0, 1, 0]".into()].into_iter().chain(kinds.iter().map(|&k| row(k))).collect();
        let target = usize::from(kinds.iter().sum::<usize>() >= 3);
        let split = ["train", "id", "ood"][usize::from(i % 8 == 3) + 2 * usize::from(i % 8 == 5)];
        let (rows, data) = (rows.join(", "), [[0.0, 0.5, 0.0, 0.0]; 6]);
        format!("{{\"type\": [{rows}], \"data\": {data:?}, \"target\": {target}, \"split\": \"{split}\"}}\n")
    };
    (0..count).map(line).collect()
}
