//! A bit of every byte of every file, one at a time.

use crate::folders::{files, latent, of_table, place, restore, table, work};
use crate::harness::{is_whole_sweep, listen};
use crate::readers::{Reader, merged, of_fit, of_latent};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Beside twice the file: messages, and what the parts of a message are.
const ROOM: usize = 64 << 10;

/// Places of a file that are tried, if not all are; every file's first and last are among them.
const PLACES: usize = 12;
/// And by readers that write or take long.
const FEW: usize = 4;

fn places(length: usize, most: usize) -> Vec<usize> {
    if is_whole_sweep() || length <= most {
        return (0..length).collect();
    }
    // Not at even distances, so that all kinds of bytes are hit.
    let between = (1..most - 1).map(|i| i * (length - 1) / (most - 1) + i % 7);
    [0].into_iter().chain(between).chain([length - 1]).collect()
}

/// Flips bits in all files of a folder; each reader refuses or says what it said before. Returns how often each did.
fn flip_all(folder: &Path, readers: &[Reader], files: &BTreeMap<PathBuf, Vec<u8>>) -> [usize; 2] {
    let mut counts = [0; 2];
    for reader in readers {
        restore(folder, files);
        let (before, held) = listen(reader, folder, "as it was");
        let before = before.unwrap_or_else(|e| panic!("{} of a whole run: {e}", reader.name));
        restore(folder, files);
        for (name, bytes) in files {
            for at in places(bytes.len(), if reader.writes { FEW } else { PLACES }) {
                let what = format!("{}, bit {} of byte {at}", name.display(), at % 8);
                let mut changed = bytes.clone();
                changed[at] ^= 1 << (at % 8);
                fs::write(folder.join(name), &changed).unwrap();
                let (said, now) = listen(reader, folder, &what);
                assert!(now <= held + 2 * bytes.len() + ROOM, "{what}: {} holds {now}, not {held}", reader.name);
                match said {
                    Ok(said) => {
                        assert!(said == before, "{what}: {} says\n{said}\nnot\n{before}", reader.name);
                        counts[0] += 1;
                    }
                    Err(why) => {
                        let named = name.file_name().unwrap().to_str().unwrap();
                        assert!(why.contains(named), "{what}: {} does not name the file: {why}", reader.name);
                        // Nothing is lost by trying.
                        let mut kept = crate::folders::files(folder);
                        kept.retain(|name, _| name != Path::new("sessions.jsonl"));
                        let mut all = files.clone();
                        all.insert(name.clone(), changed);
                        all.retain(|name, _| name != Path::new("sessions.jsonl"));
                        assert!(kept == all, "{what}: {} changed other files", reader.name);
                        counts[1] += 1;
                    }
                }
                if reader.writes { restore(folder, files) } else { fs::write(folder.join(name), bytes).unwrap() }
            }
        }
    }
    println!("{}: {} the same, {} refused", folder.display(), counts[0], counts[1]);
    counts
}

#[test]
fn a_finished_run_of_sums() {
    let dir = place();
    let folder = dir.path().join("latent");
    work(&latent(), &folder, None, u64::MAX).unwrap();
    let files = files(&folder);
    let names: Vec<&str> = files.keys().map(|p| p.to_str().unwrap()).collect();
    let weights = ["weights-0.safetensors", "weights-1.safetensors"];
    let all =
        ["cells.jsonl", "latent-types.svg", "learners.jsonl", "manifest.json", "sessions.jsonl", "summary.json"];
    assert_eq!(names, [&all[..], &weights].concat());
    let [same, refused] = flip_all(&folder, &of_latent(), &files);
    assert!(same > 100 && refused > 100, "{same}, {refused}");
}

#[test]
fn a_finished_run_of_a_table() {
    let dir = place();
    let folder = dir.path().join("fit");
    let (own, task) = table();
    work(&of_table(&own, &task), &folder, None, u64::MAX).unwrap();
    let [same, refused] = flip_all(&folder, &of_fit(), &files(&folder));
    assert!(same > 100 && refused > 100, "{same}, {refused}");
}

/// One learner is done, one in training, one not begun.
#[test]
fn an_unfinished_run_of_a_table() {
    let dir = place();
    let folder = dir.path().join("fit");
    let (own, task) = table();
    assert!(work(&of_table(&own, &task), &folder, None, 6).is_err(), "it was stopped");
    let files = files(&folder);
    let names: Vec<&str> = files.keys().map(|p| p.to_str().unwrap()).collect();
    let of_learners = ["checkpoints/0-2.safetensors", "learners.jsonl"];
    assert_eq!(names, [&of_learners[..], &["manifest.json", "parts/0-0-1.safetensors", "sessions.jsonl"]].concat());
    let [same, refused] = flip_all(&folder, &of_fit(), &files);
    assert!(same > 100 && refused > 100, "{same}, {refused}");
}

#[test]
fn shards() {
    let dir = place();
    for (name, shard) in [("one", "1/2"), ("two", "2/2")] {
        work(&latent(), &dir.path().join(name), Some(shard), u64::MAX).unwrap();
    }
    let merge = Reader { name: "merge", read: merged, writes: true };
    let [same, refused] = flip_all(dir.path(), &[merge], &files(dir.path()));
    assert!(same + refused > 20 && refused > 20, "{same}, {refused}");
}
