//! A run being read. Nothing in it is trusted.

use super::limits::{LONGEST_LINE, LONGEST_LOG, LONGEST_MANIFEST, LONGEST_RESULT};
use super::{
    Line, Log, Manifest, Misfit, ReadError, RunId, Session, WeightsError, WeightsFile, files, log, shown,
    weights_name,
};
use crate::engine::reference::Arrays;
use crate::metric::Metric;
use crate::result::{LearnerResult, LearnerRow, Row, Summary};
use std::fs;
use std::path::{Path, PathBuf};

/// A run: one experiment's folder.
#[derive(Clone, Debug)]
pub struct Folder {
    pub(super) path: PathBuf,
    /// What is to be done.
    pub manifest: Manifest,
    /// Checksum of the manifest.
    pub(super) id: RunId,
    /// What its log must have.
    pub(super) demanded: Demanded,
}

/// Which scores every learner of an experiment's row must have, by both names. A log without them is refused where it is
/// read and not missed where a table is made of it.
pub(super) type Demanded = fn(experiment: &str, row: &str) -> &'static [Metric];

impl Folder {
    /// Reads and checks the manifest.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let file = path.join("manifest.json");
        let fail = |source| ReadError::Io { path: path.into(), source };
        if !fs::metadata(path).map_err(fail)?.is_dir() || !file.exists() {
            return Err(not_a_run(path));
        }
        let (manifest, id) = Manifest::parse(files::read(&file, LONGEST_MANIFEST as u64)?, &file)?;
        Ok(Folder { path: path.into(), manifest, id, demanded: |_, _| &[] })
    }

    /// The same run, whose log must have these scores.
    pub fn demanding(self, demanded: Demanded) -> Folder {
        Folder { demanded, ..self }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The row of this name, or of the one name that has this in it in any case (of several the one that the others begin
    /// with), or the only row.
    pub fn row(&self, name: Option<&str>) -> Result<&Row, ReadError> {
        let all = &self.manifest.rows;
        let names = || all.iter().map(|r| r.name.clone()).collect();
        let Some(name) = name else {
            let [row] = &all[..] else {
                return Err(ReadError::ChooseRow { path: self.path.clone(), rows: names() });
            };
            return Ok(row);
        };
        let part = name.to_lowercase();
        let mut like: Vec<&Row> = all.iter().filter(|r| r.name.to_lowercase().contains(&part)).collect();
        // "Std" is meant where "Std" and "Std, annealed" are there.
        if let Some(short) = like.iter().copied().min_by_key(|r| r.name.len())
            && like.iter().all(|r| r.name.starts_with(&short.name))
        {
            like = vec![short];
        }
        match (all.iter().find(|r| r.name == name), &like[..]) {
            (Some(row), _) => Ok(row),
            (None, [row]) => Ok(row),
            _ => Err(ReadError::NoRow { path: self.path.clone(), row: name.into(), rows: names() }),
        }
    }

    /// How many learners are finished. Of a run that was complete, all must be there.
    pub fn done(&self) -> Result<usize, ReadError> {
        Ok(self.log()?.len())
    }

    /// Their lines, in their order.
    pub(super) fn log(&self) -> Result<Log, ReadError> {
        let log = self.whole_log()?;
        let (found, total) = (log.len(), self.manifest.order().count());
        if found < total && shown::read(&self.path, &self.id)?.is_some() {
            let path = self.path.join("learners.jsonl");
            return Err(ReadError::Lost { path, found, total, weights: self.manifest.weights });
        }
        Ok(log)
    }

    /// The same, whether or not lines were lost.
    pub(super) fn whole_log(&self) -> Result<Log, ReadError> {
        let path = self.path.join("learners.jsonl");
        let (order, rows) = (self.manifest.order(), &self.manifest.rows);
        let limit = LONGEST_LOG.min((order.count() as u64 + 1) * LONGEST_LINE);
        let text = if path.exists() { files::read(&path, limit)? } else { vec![] };
        let demanded: Vec<_> =
            rows.iter().map(|row| (self.demanded)(&self.manifest.experiment, &row.name)).collect();
        let belongs = |i: usize, line: &Line| {
            if i >= order.count() {
                return Err(Misfit::Order);
            }
            let (row, seed) = order.at(i);
            if (&rows[row].name, seed) != (&line.row, line.seed) {
                return Err(Misfit::Order);
            }
            match demanded[row].iter().find(|metric| !line.metrics.contains_key(&*metric.name)) {
                Some(metric) => Err(Misfit::NoScore(metric)),
                None => Ok(()),
            }
        };
        Log::read(text, &self.id, belongs).map_err(|source| ReadError::Log { path, source: source.into() })
    }

    /// The finished learners of a row of this run: the one of this seed, or all.
    pub fn learners(&self, row: &Row, only: Option<u64>) -> Result<Vec<LearnerResult>, ReadError> {
        let (path, name) = (|| self.path.clone(), || row.name.clone());
        let index = self.manifest.rows.iter().position(|r| r.name == row.name);
        let index = index.ok_or_else(|| ReadError::NoRow { path: path(), row: name(), rows: vec![] })?;
        let of_row = self.manifest.order().of_row(index);
        let log = self.log()?;
        let of_row = of_row.start.min(log.len())..of_row.end.min(log.len());
        if of_row.is_empty() {
            return Err(ReadError::Empty { path: path(), row: name() });
        }
        let order = self.manifest.order();
        let wanted = |place: &usize| only.is_none_or(|seed| seed == order.at(*place).1);
        let wanted: Vec<usize> = of_row.clone().filter(wanted).collect();
        if let (Some(seed), []) = (only, &wanted[..]) {
            let (count, seeds) = (of_row.len(), self.manifest.seeds.to_string());
            return Err(ReadError::NoSeed { path: path(), row: name(), seed, count, seeds });
        }
        let mut weights = Weights::of_row(self, index)?;
        wanted.into_iter().map(|place| weights.learner(place, log.line(place))).collect()
    }

    /// Every finished learner, by row, without its weights.
    pub fn scores(&self) -> Result<Vec<LearnerRow>, ReadError> {
        let log = self.log()?;
        let record = |line: Line| line.record(Arrays::new());
        Ok(in_rows(&self.manifest, (0..log.len()).map(|i| record(log.line(i))).collect()))
    }

    /// Every finished learner with its weights, in their order.
    pub(super) fn records(&self, log: &Log) -> Result<Vec<LearnerResult>, ReadError> {
        let mut records = vec![];
        for row in 0..self.manifest.rows.len() {
            let of_row = self.manifest.order().of_row(row);
            if of_row.start < log.len() && !of_row.is_empty() {
                let mut weights = Weights::of_row(self, row)?;
                for place in of_row.start..of_row.end.min(log.len()) {
                    records.push(weights.learner(place, log.line(place))?);
                }
            }
        }
        Ok(records)
    }

    /// Who worked on it, a line for each start and stop, as the file has it.
    pub(super) fn sessions(&self) -> Result<Vec<u8>, ReadError> {
        let path = self.path.join("sessions.jsonl");
        if path.exists() { files::read(&path, LONGEST_RESULT) } else { Ok(vec![]) }
    }

    /// Who worked on it.
    pub fn history(&self) -> Result<Vec<Session>, ReadError> {
        let path = self.path.join("sessions.jsonl");
        let session = |(i, line): (usize, &[u8])| {
            if log::checks(&self.id, line) {
                serde_json::from_slice(line).map_err(|source| ReadError::Json {
                    path: path.clone(),
                    line: i + 1,
                    source,
                })
            } else {
                Err(ReadError::Session { path: path.clone(), line: i + 1 })
            }
        };
        self.sessions()?.split_inclusive(|b| *b == b'\n').enumerate().map(session).collect()
    }

    /// The table and what it shows, if the run is complete and no shard.
    pub fn summary(&self) -> Result<Option<Summary>, ReadError> {
        let mut summary = shown::read(&self.path, &self.id)?;
        if let Some(Summary { cells, .. }) = &mut summary {
            // What shows less than it says is none.
            self.log()?;
            // Cells have the names of their metrics alone.
            for cell in cells {
                if let Some(row) = self.manifest.rows.iter().find(|row| row.name == cell.row) {
                    cell.metric = row.metric(&cell.metric.name);
                }
            }
        }
        Ok(summary)
    }
}

/// Learners in the rows of a manifest.
pub(super) fn in_rows(manifest: &Manifest, records: Vec<LearnerResult>) -> Vec<LearnerRow> {
    let mut records = records.into_iter();
    let row = |(i, row): (usize, &Row)| {
        let learners = records.by_ref().take(manifest.order().of_row(i).len()).collect();
        LearnerRow { row: row.clone(), learners }
    };
    manifest.rows.iter().enumerate().map(row).collect()
}

/// Where the weights of a row's learners are: in one file in the end, in parts on the way there.
struct Weights<'a> {
    folder: &'a Folder,
    row: usize,
    /// First place, number of learners, file; opened when it is needed.
    parts: Vec<(usize, usize, PathBuf, Option<WeightsFile>)>,
}

impl<'a> Weights<'a> {
    fn of_row(folder: &'a Folder, row: usize) -> Result<Self, ReadError> {
        let of_row = folder.manifest.order().of_row(row);
        let whole = folder.path.join(weights_name(row));
        let mut parts = vec![];
        if whole.exists() {
            parts.push((of_row.start, of_row.len(), whole, None));
        } else {
            for entry in fs::read_dir(folder.path.join("parts")).into_iter().flatten().flatten() {
                let name = entry.file_name();
                if let Some((r, first, count)) = name.to_str().and_then(part_of)
                    && r == row
                    && of_row.contains(&first)
                    && count <= of_row.end - first
                {
                    parts.push((first, count, entry.path(), None));
                }
            }
        }
        if parts.is_empty() && !folder.manifest.weights {
            return Err(ReadError::NoWeights(folder.path.clone()));
        }
        Ok(Weights { folder, row, parts })
    }

    fn learner(&mut self, place: usize, line: Line) -> Result<LearnerResult, ReadError> {
        let row = &self.folder.manifest.rows[self.row];
        let found = self.parts.iter_mut().find(|(first, count, ..)| (*first..first + count).contains(&place));
        let Some((first, count, path, file)) = found else {
            let path = self.folder.path.clone();
            return Err(ReadError::LostWeights { path, row: row.name.clone(), seed: line.seed });
        };
        let fail = |source: WeightsError| ReadError::Weights { path: path.clone(), source: source.into() };
        if file.is_none() {
            *file = Some(WeightsFile::open(path, &row.model, *count).map_err(fail)?);
        }
        let weights = file.as_mut().expect("just opened").learner(place - *first).map_err(fail)?;
        let (seed, expected) = (line.seed, line.weights);
        let record = line.record(weights);
        match record.fingerprint() {
            found if found != expected => Err(ReadError::Changed { path: path.clone(), seed, expected, found }),
            _ => Ok(record),
        }
    }
}

/// The name of the part with `count` learners of a row from a place on.
pub(super) fn part_name(row: usize, first: usize, count: usize) -> String {
    format!("{row}-{first}-{count}.safetensors")
}

fn part_of(name: &str) -> Option<(usize, usize, usize)> {
    let mut numbers = name.strip_suffix(".safetensors")?.split('-').map(|n| n.parse().ok());
    let part = (numbers.next()??, numbers.next()??, numbers.next()??);
    (numbers.next().is_none() && part.2 > 0).then_some(part)
}

/// Says what a folder is instead.
fn not_a_run(path: &Path) -> ReadError {
    let inside = fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path());
    let mut names: Vec<String> =
        inside.filter(|p| p.join("manifest.json").exists()).map(|p| p.display().to_string()).collect();
    names.sort();
    if names.is_empty() { ReadError::NotARun(path.into()) } else { ReadError::Several { path: path.into(), names } }
}
