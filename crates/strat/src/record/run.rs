//! A run being written, so that it can be left at any moment and taken up again.

use super::folder::{Folder, Shown, part_name};
use super::session::{Event, Session};
use super::{Manifest, Origin, ReadError, RecordError, checkpoint, files, log, weights, weights_name};
use crate::experiment::{LearnerRow, Record, Summary};
use crate::model::Model;
use crate::report::json_lines;
use crate::train::task::State;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// The longest file of a learner in training.
const LONGEST_CHECKPOINT: u64 = 4 << 30;

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
    /// Keeps other processes out as long as it lives.
    _lock: File,
}

impl RunFolder {
    /// Starts the run of this manifest in a new or empty folder, or goes on with it.
    pub fn open(path: &Path, manifest: Manifest) -> Result<RunFolder, RecordError> {
        let start = |doing, source| RecordError::Start { path: path.into(), doing, source };
        fs::create_dir_all(path).map_err(|e| start("create the folder", e))?;
        let lock = lock(path)?;
        let file = path.join("manifest.json");
        let folder = match file.exists() {
            true => Folder::open(path)?,
            false => {
                // A run that was stopped before it began may have left one file.
                let foreign = |e: fs::DirEntry| e.file_name() != ".manifest.json.tmp";
                let mut inside = fs::read_dir(path).map_err(|e| start("look into it", e))?.flatten();
                if inside.any(foreign) {
                    return Err(RecordError::Occupied(path.into()));
                }
                // What could not be read again is not begun.
                Manifest::parse(manifest.to_text().as_bytes(), &file)?;
                files::replace(&[(file, manifest.to_text().into_bytes())]).map_err(|e| match e {
                    RecordError::Middle { path, doing, source } => RecordError::Start { path, doing, source },
                    other => other,
                })?;
                Folder { path: path.into(), manifest: manifest.clone() }
            }
        };
        let differences = folder.manifest.differences(&manifest);
        if !differences.is_empty() {
            return Err(RecordError::Differs { path: path.into(), differences });
        }
        let log = folder.log()?;
        let (done, length) = (log.len().into(), log.bytes().into());
        Ok(RunFolder { folder, done, length, start: OnceLock::new(), saving: 0.into(), _lock: lock })
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
        self.folder.manifest.places().count()
    }

    /// The finished learners, in their order.
    pub fn records(&self) -> Result<Vec<Record>, ReadError> {
        self.folder.records(&self.folder.log()?)
    }

    /// Saves learners that are finished and next in order.
    pub(crate) fn append(&self, learners: &[Record]) -> Result<(), RecordError> {
        self.timed(|| self.add_parts(&learners.iter().collect::<Vec<_>>()))
    }

    /// First their weights, then their lines.
    fn add_parts(&self, learners: &[&Record]) -> Result<(), RecordError> {
        let manifest = &self.folder.manifest;
        let (places, mut place) = (manifest.places(), self.done());
        let folder = self.subfolder("parts")?;
        let (mut parts, mut rest) = (vec![], learners);
        while !rest.is_empty() {
            let row = places.at(place).0;
            let (these, others) = rest.split_at(rest.len().min(places.of_row(row).end - place));
            let bytes = weights::stacked(&manifest.rows[row].model, these);
            parts.push((folder.join(part_name(row, place, these.len())), bytes));
            (rest, place) = (others, place + these.len());
        }
        files::replace(&parts)?;
        self.log(learners)
    }

    /// Writes the lines of learners whose weights are saved; they need no checkpoints any more.
    fn log(&self, learners: &[&Record]) -> Result<(), RecordError> {
        let (places, first) = (self.folder.manifest.places(), self.done());
        let line = |(place, l): (usize, &&Record)| {
            log::line(&log::Line::of(&self.folder.manifest.rows[places.at(place).0].name, l))
        };
        let lines: String = (first..).zip(learners).map(line).collect();
        let path = self.folder.path.join("learners.jsonl");
        let length = files::append(&path, self.length.load(Ordering::Relaxed), lines.as_bytes())?;
        self.length.store(length, Ordering::Relaxed);
        self.done.store(first + learners.len(), Ordering::Relaxed);
        for place in first..first + learners.len() {
            let (row, seed) = places.at(place);
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

    /// Saves a learner in training.
    pub(crate) fn save(&self, row: usize, seed: u64, state: &State) -> Result<(), RecordError> {
        let Model::Blocks(model) = self.folder.manifest.rows[row].model else {
            unreachable!("only these are saved in training");
        };
        self.timed(|| {
            self.subfolder("checkpoints")?;
            files::replace(&[(self.checkpoint(row, seed), checkpoint::encode(&model, state))])
        })
    }

    /// A learner in training, as it was saved last.
    pub(crate) fn saved(&self, row: usize, seed: u64) -> Result<Option<State>, ReadError> {
        let path = self.checkpoint(row, seed);
        let Model::Blocks(model) = self.folder.manifest.rows[row].model else { return Ok(None) };
        if !path.exists() {
            return Ok(None);
        }
        let state = checkpoint::decode(&model, &files::read(&path, LONGEST_CHECKPOINT)?);
        state.map(Some).map_err(|source| ReadError::Checkpoint { path, source })
    }

    fn subfolder(&self, name: &str) -> Result<PathBuf, RecordError> {
        let path = self.folder.path.join(name);
        match fs::create_dir_all(&path) {
            Ok(()) => Ok(path),
            Err(source) => Err(RecordError::Middle { path, doing: "create the folder", source }),
        }
    }

    /// Writes what stays of a run whose learners are all there: weights by row, the rest of the log,
    /// and what they show unless this is a shard; then removes what was needed on the way. Does it
    /// again if it was stopped in the middle.
    pub(crate) fn finish(&self, rows: &[LearnerRow], summary: Option<&Summary>) -> Result<(), RecordError> {
        self.timed(|| {
            let path = |name: &str| self.folder.path.join(name);
            let manifest = &self.folder.manifest;
            let unsaved: Vec<&Record> = rows.iter().flat_map(|r| &r.learners).skip(self.done()).collect();
            // What a shard's learners show is seen when it is merged, and may depend on their weights.
            if manifest.weights || manifest.shard.is_some() {
                let all = rows.iter().enumerate().filter(|(_, row)| !row.learners.is_empty());
                let stacked =
                    |row: &LearnerRow| weights::stacked(&row.model, &row.learners.iter().collect::<Vec<_>>());
                files::replace(&all.map(|(i, row)| (path(&weights_name(i)), stacked(row))).collect::<Vec<_>>())?;
                self.log(&unsaved)?;
            } else if !unsaved.is_empty() {
                self.add_parts(&unsaved)?;
            }
            if let Some(Summary { title, cells, checks, notes, figures }) = summary {
                let shown = Shown {
                    title: title.clone(),
                    notes: notes.clone(),
                    checks: checks.clone(),
                    figures: figures.iter().map(|f| f.0.clone()).collect(),
                };
                let shown = serde_json::to_string_pretty(&shown).expect("plain data") + "\n";
                let figures = figures.iter().map(|(name, svg)| (path(name), svg.clone().into_bytes()));
                let mut results: Vec<_> = figures.collect();
                results.push((path("cells.jsonl"), json_lines(cells).into_bytes()));
                // Last, since it says that all is there.
                results.push((path("summary.json"), shown.into_bytes()));
                files::replace(&results)?;
            }
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
        self.append_sessions(&log::line(&Session { time, learners: self.done(), event }))
    }

    /// Appends whole lines about who worked on it.
    pub(super) fn append_sessions(&self, lines: &str) -> Result<(), RecordError> {
        let whole = self.folder.sessions()?.len() as u64;
        files::append(&self.folder.path.join("sessions.jsonl"), whole, lines.as_bytes()).map(|_| ())
    }
}

/// Locks a run, as far as the file system can.
fn lock(path: &Path) -> Result<File, RecordError> {
    // Windows opens no folders; there a file in it must do.
    let target = if cfg!(unix) { path.to_path_buf() } else { path.join("lock") };
    let file = if cfg!(unix) { File::open(&target) } else { File::create(&target) };
    let file = file.map_err(|source| RecordError::Start { path: target, doing: "open it", source })?;
    match file.try_lock() {
        Err(fs::TryLockError::WouldBlock) => Err(RecordError::Busy(path.into())),
        _ => Ok(file),
    }
}
