//! What tests of runs on disk have in common.
#![allow(dead_code)] // each of them needs a part

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Everything in a folder but the list of who worked on it.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(|e| e.unwrap()) {
        if entry.file_type().unwrap().is_dir() {
            all.extend(files(&entry.path()).into_iter().map(|(p, b)| (Path::new(&entry.file_name()).join(p), b)));
        } else if entry.file_name() != "sessions.jsonl" {
            all.insert(entry.file_name().into(), fs::read(entry.path()).unwrap());
        }
    }
    all
}

/// In memory where that can be, so that what is tested is the order of writing, not the disk's speed.
pub fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

/// Fails with 2 and says where, why and what to do; a shown table is no part of it.
pub fn refused(out: &Output, words: &[&str]) {
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    for word in words {
        assert!(said.contains(word), "no {word:?} in {said}");
    }
}
