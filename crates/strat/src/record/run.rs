//! A run being written, so that it can be left at any moment and taken up again.

use super::checkpoint::Owner;
use super::folder::{Demanded, Folder, part_name};
use super::session::{Event, Session};
use super::{Manifest, Origin, ReadError, RecordError, checkpoint, files, log, shown, weights, weights_name};
use crate::engine::Elem;
use crate::result::{LearnerResult, LearnerRow, Summary};
use crate::train::State;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// A run's folder, open for work. Only one process has it at a time.
#[derive(Debug)]
pub struct RunFolder {
    folder: Folder,
    /// Learners finished and saved.
    done: AtomicUsize,
    /// Length of the log that tells of them.
    length: AtomicU64,
    /// When work on it began here, which may be long after it was opened.
    start: OnceLock<Instant>,
    /// Nanoseconds that were spent on saving, in all threads.
    saving: AtomicU64,
    /// Keeps other processes out as long as it lives, and knows the folder by whatever name.
    lock: File,
}

impl RunFolder {
    /// Starts the run of this manifest in a new or empty folder, or goes on with it. Its learners have the scores that are
    /// demanded.
    pub fn open(path: &Path, manifest: Manifest, demanded: Demanded) -> Result<RunFolder, RecordError> {
        let start = |doing, source| RecordError::Start { path: path.into(), doing, source };
        let file = path.join("manifest.json");
        // What could not be read again is not begun.
        let begun = if file.exists() { None } else { Some(to_begin(&manifest, &file)?) };
        fs::create_dir_all(path).map_err(|e| start("create the folder", e))?;
        let lock = lock(path)?;
        let folder = match begun.filter(|_| !file.exists()) {
            None => Folder::open(path)?.demanding(demanded),
            Some((folder, text)) => {
                // A run that was stopped before it began may have left one file.
                let foreign =
                    |e: fs::DirEntry| e.path() != files::beside(&file) && Some(e.path()) != lock_file(path);
                let mut inside = fs::read_dir(path).map_err(|e| start("look into it", e))?.flatten();
                if inside.any(foreign) {
                    return Err(RecordError::Occupied(path.into()));
                }
                files::replace(&[(file, text)]).map_err(|e| match e {
                    RecordError::Middle { path, doing, source } => RecordError::Start { path, doing, source },
                    other => other,
                })?;
                folder.demanding(demanded)
            }
        };
        let differences = folder.manifest.differences(&manifest);
        if !differences.is_empty() {
            return Err(RecordError::Differs { path: path.into(), differences });
        }
        files::remove_beside(path)?;
        let log = folder.whole_log()?;
        let (done, length) = (log.len().into(), log.bytes().into());
        Ok(RunFolder { folder, done, length, start: OnceLock::new(), saving: 0.into(), lock })
    }

    /// As others read it.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Learners that are finished and saved.
    pub fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    /// All learners of the run.
    pub fn total(&self) -> usize {
        self.folder.manifest.order().count()
    }

    /// Whether all learners are finished and saved.
    pub fn is_complete(&self) -> bool {
        self.done() == self.total()
    }

    /// What a run that was complete shows, even if its log has lost lines since.
    pub(crate) fn shown(&self) -> Result<Option<Summary>, ReadError> {
        shown::read(&self.folder.path, &self.folder.id)
    }

    /// The finished learners, in their order.
    pub fn records(&self) -> Result<Vec<LearnerResult>, ReadError> {
        // Without weights, lost lines cannot be made good: those that are left would have none.
        let log = if self.folder.manifest.weights { self.folder.whole_log()? } else { self.folder.log()? };
        self.folder.records(&log)
    }

    /// That the folder is still the one that was opened: one that was moved must not be begun anew in its old place.
    fn in_place(&self) -> Result<(), RecordError> {
        let path = &self.folder.path;
        match is_at(&self.lock, path) {
            Ok(true) => Ok(()),
            Ok(false) => Err(RecordError::Moved(path.clone())),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Err(RecordError::Moved(path.clone())),
            Err(source) => Err(RecordError::Middle { path: path.clone(), doing: "look at the folder", source }),
        }
    }

    /// Saves learners that are finished and next in order.
    pub(crate) fn append(&self, learners: &[LearnerResult]) -> Result<(), RecordError> {
        self.in_place()?;
        self.timed(|| self.add_parts(&learners.iter().collect::<Vec<_>>()))
    }

    /// First their weights, then their lines.
    fn add_parts(&self, learners: &[&LearnerResult]) -> Result<(), RecordError> {
        let manifest = &self.folder.manifest;
        let (order, mut place) = (manifest.order(), self.done());
        let folder = self.folder.path.join("parts");
        files::subfolder(&folder)?;
        let (mut parts, mut rest) = (vec![], learners);
        while !rest.is_empty() {
            let row = order.at(place).0;
            let (these, others) = rest.split_at(rest.len().min(order.of_row(row).end - place));
            let bytes = weights::stacked(&manifest.rows[row].model, these);
            parts.push((folder.join(part_name(row, place, these.len())), bytes));
            (rest, place) = (others, place + these.len());
        }
        files::replace(&parts)?;
        self.log(learners)
    }

    /// Writes the lines of learners whose weights are saved; they need no checkpoints any more.
    fn log(&self, learners: &[&LearnerResult]) -> Result<(), RecordError> {
        let (order, first) = (self.folder.manifest.order(), self.done());
        let line = |(place, l): (usize, &&LearnerResult)| {
            log::line(&self.folder.id, &log::Line::of(&self.folder.manifest.rows[order.at(place).0].name, l))
        };
        let lines: String = (first..).zip(learners).map(line).collect();
        let path = self.folder.path.join("learners.jsonl");
        let length = files::append(&path, self.length.load(Ordering::Relaxed), lines.as_bytes())?;
        self.length.store(length, Ordering::Relaxed);
        self.done.store(first + learners.len(), Ordering::Relaxed);
        for place in first..first + learners.len() {
            let (row, seed) = order.at(place);
            files::remove(&self.checkpoint(row, seed))?;
        }
        Ok(())
    }

    fn timed<T>(&self, save: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let saved = save();
        self.saving.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        saved
    }

    fn checkpoint(&self, row: usize, seed: u64) -> PathBuf {
        self.folder.path.join("checkpoints").join(format!("{row}-{seed}.safetensors"))
    }

    fn owner(&self, row: usize, seed: u64) -> Owner {
        Owner { run: self.folder.id, row, seed }
    }

    /// Saves a learner in training.
    pub(crate) fn save<E: Elem>(&self, row: usize, seed: u64, state: &State<E>) -> Result<(), RecordError> {
        let (model, owner) = (&self.folder.manifest.rows[row].model, self.owner(row, seed));
        self.in_place()?;
        self.timed(|| {
            files::subfolder(&self.folder.path.join("checkpoints"))?;
            files::replace(&[(self.checkpoint(row, seed), checkpoint::encode(model, &owner, state))])
        })
    }

    /// A learner in training, as it was saved last.
    pub(crate) fn saved<E: Elem>(&self, row: usize, seed: u64) -> Result<Option<State<E>>, ReadError> {
        let path = self.checkpoint(row, seed);
        if !path.exists() {
            return Ok(None);
        }
        let model = &self.folder.manifest.rows[row].model;
        let bytes = files::read(&path, checkpoint::length::<E>(model))?;
        let state = checkpoint::decode(model, &self.owner(row, seed), &bytes);
        state.map(Some).map_err(|source| ReadError::Checkpoint { path, source: source.into() })
    }

    /// Writes what stays of a run whose learners are all there: weights by row, the rest of the log,
    /// and what they show unless this is a shard; then removes what was needed on the way. Does it
    /// again if it was stopped in the middle.
    ///
    /// # Panics
    /// If learners are missing.
    pub fn finish(&self, rows: &[LearnerRow], summary: Option<&Summary>) -> Result<(), RecordError> {
        self.in_place()?;
        self.timed(|| {
            let manifest = &self.folder.manifest;
            let all: Vec<&LearnerResult> = rows.iter().flat_map(|r| &r.learners).collect();
            assert_eq!(all.len(), self.total(), "a run is finished when it has all its learners");
            let unsaved = &all[self.done()..];
            // What a shard's learners show is seen when it is merged, and may depend on their weights.
            if manifest.weights || manifest.shard.is_some() {
                let all = rows.iter().enumerate().filter(|(_, row)| !row.learners.is_empty());
                let path = |i: usize| self.folder.path.join(weights_name(i));
                let stacked =
                    |row: &LearnerRow| weights::stacked(&row.model, &row.learners.iter().collect::<Vec<_>>());
                files::replace(&all.map(|(i, row)| (path(i), stacked(row))).collect::<Vec<_>>())?;
                self.log(unsaved)?;
            } else if !unsaved.is_empty() {
                self.add_parts(unsaved)?;
            }
            summary.map_or(Ok(()), |summary| shown::write(&self.folder.path, &self.folder.id, summary))?;
            self.clear()
        })
    }

    /// Removes what a finished run does not need.
    pub(crate) fn clear(&self) -> Result<(), RecordError> {
        files::remove(&self.folder.path.join("parts"))?;
        files::remove(&self.folder.path.join("checkpoints"))
    }

    /// Notes who starts to work on it.
    pub fn started(&self, origin: &Origin) -> Result<(), RecordError> {
        self.start.get_or_init(Instant::now);
        self.note(Event::Started(origin.clone()))
    }

    /// Notes that they stop.
    pub fn stopped(&self) -> Result<(), RecordError> {
        let saving = Duration::from_nanos(self.saving.load(Ordering::Relaxed)).as_secs_f64();
        let seconds = self.start.get().map_or(0.0, |start| start.elapsed().as_secs_f64());
        self.note(Event::Stopped { seconds, saving })
    }

    fn note(&self, event: Event) -> Result<(), RecordError> {
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |t| t.as_secs());
        self.note_all(&[Session { time, learners: self.done(), event }])
    }

    /// Notes who worked on it. What is there stays as it is, whole or not; the file is small, and is written anew so
    /// that it is never cut off.
    pub(super) fn note_all(&self, sessions: &[Session]) -> Result<(), RecordError> {
        self.in_place()?;
        let mut bytes = self.folder.sessions()?;
        if bytes.last().is_some_and(|end| *end != b'\n') {
            bytes.push(b'\n');
        }
        for session in sessions {
            bytes.extend_from_slice(log::line(&self.folder.id, session).as_bytes());
        }
        files::replace(&[(self.folder.path.join("sessions.jsonl"), bytes)])
    }
}

/// A run that is about to begin, and its manifest's text.
fn to_begin(manifest: &Manifest, path: &Path) -> Result<(Folder, Vec<u8>), RecordError> {
    let text = manifest.to_text().into_bytes();
    let (manifest, id) = Manifest::parse(text.clone(), path)?;
    let path = path.parent().unwrap_or(Path::new("")).into();
    Ok((Folder { path, manifest, id, demanded: |_, _| &[] }, text))
}

/// Whether the folder of this lock is at a path. Where the lock is a file, its folder cannot be moved, only removed.
fn is_at(lock: &File, path: &Path) -> std::io::Result<bool> {
    let target = lock_file(path).unwrap_or(path.into());
    Ok(files::is_same(&fs::metadata(target)?, &lock.metadata()?))
}

/// Locks a run, as far as the file system can.
fn lock(path: &Path) -> Result<File, RecordError> {
    let target = lock_file(path).unwrap_or(path.into());
    let file = if cfg!(unix) { File::open(&target) } else { File::create(&target) };
    let file = file.map_err(|source| RecordError::Start { path: target, doing: "open it", source })?;
    match file.try_lock() {
        Err(fs::TryLockError::WouldBlock) => Err(RecordError::Busy(path.into())),
        _ => Ok(file),
    }
}

/// Windows opens no folders; there a file in it must do.
fn lock_file(path: &Path) -> Option<PathBuf> {
    (!cfg!(unix)).then(|| path.join("lock"))
}
