//! `summary.json`, `cells.jsonl` and figures: what the learners of a complete run show. The summary is
//! sealed, names its run, and has length and checksum of the other files.

use super::limits::LONGEST_RESULT;
use super::{ReadError, RecordError, RunId, files, seal};
use crate::result::{Cell, Check, Summary};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// `summary.json`
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    /// Checksum of the run's manifest.
    run: String,
    title: String,
    notes: String,
    checks: Vec<Check>,
    /// Of `cells.jsonl`.
    cells: Content,
    figures: Vec<Figure>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Figure {
    name: String,
    content: Content,
}

/// Length and checksum of a file.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    bytes: u64,
    crc32: String,
}

impl Content {
    fn of(bytes: &[u8]) -> Content {
        Content { bytes: bytes.len() as u64, crc32: format!("{:08x}", crc32fast::hash(bytes)) }
    }

    fn words(&self) -> String {
        format!("{} bytes with checksum {}", self.bytes, self.crc32)
    }

    /// The file that has this content.
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        let changed = |found: String| ReadError::Result { path: path.into(), expected: self.words(), found };
        let bytes = match files::read(path, self.bytes.min(LONGEST_RESULT)) {
            Err(ReadError::TooLong { .. }) => return Err(changed("more bytes".into())),
            read => read?,
        };
        match Content::of(&bytes) {
            found if found != *self => Err(changed(found.words())),
            _ => Ok(bytes),
        }
    }
}

/// What can be done about a damaged summary.
const ANEW: &str =
    "Remove it, and give the run's command again: if its weights were kept, what they show is found out anew";

/// Where it is said that a run is complete.
pub(super) fn path(folder: &Path) -> PathBuf {
    folder.join("summary.json")
}

/// The files that a summary becomes, the last of which says that all are there.
pub(super) fn write(folder: &Path, run: &RunId, summary: &Summary) -> Result<(), RecordError> {
    let Summary { title, cells, checks, notes, figures } = summary;
    let cells = Cell::json_lines(cells).into_bytes();
    let figure =
        |(name, svg): &(String, String)| Figure { name: name.clone(), content: Content::of(svg.as_bytes()) };
    let shown = Shown {
        run: run.to_string(),
        title: title.clone(),
        notes: notes.clone(),
        checks: checks.clone(),
        cells: Content::of(&cells),
        figures: figures.iter().map(figure).collect(),
    };
    let shown = seal::seal(&serde_json::to_string_pretty(&shown).expect("plain data"));
    let figures = figures.iter().map(|(name, svg)| (folder.join(name), svg.clone().into_bytes()));
    let mut results: Vec<_> = figures.collect();
    results.push((folder.join("cells.jsonl"), cells));
    results.push((path(folder), shown.into_bytes()));
    files::replace(&results)
}

/// What was written, if it was; an error if it is not of this run.
pub(super) fn read(folder: &Path, run: &RunId) -> Result<Option<Summary>, ReadError> {
    let path = path(folder);
    if !path.exists() {
        return Ok(None);
    }
    let (text, _) = seal::unseal(files::read(&path, LONGEST_RESULT)?).map_err(|source| ReadError::Seal {
        path: path.clone(),
        source: source.into(),
        advice: ANEW,
    })?;
    let fail = |source: serde_json::Error| ReadError::Json { path: path.clone(), line: source.line(), source };
    let shown: Shown = serde_json::from_slice(&text).map_err(fail)?;
    let Shown { run: of, title, notes, checks, cells, figures } = shown;
    if of != run.to_string() {
        return Err(ReadError::OtherRun { path, found: of });
    }
    let path = folder.join("cells.jsonl");
    let text = cells.read(&path)?;
    let mut cells = vec![];
    for (i, line) in text.split(|b| *b == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
        let fail = |source| ReadError::Json { path: path.clone(), line: i + 1, source };
        cells.push(serde_json::from_slice::<Cell>(line).map_err(fail)?);
    }
    let figure = |Figure { name, content }: Figure| {
        // A name, not a way out of the folder.
        let path = folder.join(Path::new(&name).file_name().unwrap_or_default());
        Ok((name, String::from_utf8_lossy(&content.read(&path)?).into_owned()))
    };
    let figures = figures.into_iter().map(figure).collect::<Result<_, ReadError>>()?;
    Ok(Some(Summary { title, cells, checks, notes, figures }))
}
