//! `manifest.json`: everything that decides what a run's learners become.

use super::disk::DiskManifest;
use super::limits::{LONGEST_MANIFEST, MOST_ROWS};
use super::outline::Outline;
use super::{ReadError, RunId, ranges, seal, text};
use crate::result::Row;
use crate::seeds::{Seeds, Shard, SweepOrder};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

/// Version of the folder's layout; others are refused.
const FORMAT: u32 = 4;

/// `manifest.json`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "DiskManifest", into = "DiskManifest")]
pub struct Manifest {
    /// Always [`Manifest::FORMAT`].
    pub format: u32,
    /// Its name on the command line.
    pub experiment: String,
    /// Of the program.
    pub version: String,
    /// Of its source, or `unknown`.
    pub commit: String,
    /// The instruction set; the same seeds give the same bits on it.
    pub isa: String,
    /// Whether the weights are kept in the end.
    pub weights: bool,
    /// The learners of every row.
    pub seeds: Seeds,
    /// Which part of them this folder has; none if all.
    pub shard: Option<Shard>,
    /// The [preset](crate::config::Preset) that was asked for; none if it is as specified.
    pub preset: Option<String>,
    /// The rows of the table that have learners.
    pub rows: Vec<Row>,
}

/// Who worked on a run, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// As typed.
    pub command: String,
    /// The processor's name for itself.
    pub cpu: String,
    /// Cores that the system offers.
    pub cores: usize,
    /// Threads that were used.
    pub threads: usize,
}

impl Manifest {
    /// The format of runs that this version writes and reads.
    pub const FORMAT: u32 = FORMAT;

    /// The learners in their order.
    pub fn order(&self) -> SweepOrder {
        SweepOrder::new(self.rows.len(), self.seeds, self.shard.unwrap_or(Shard::WHOLE))
    }

    /// As the file has it: with its checksum at the end.
    pub fn to_text(&self) -> String {
        // A line for every cell would be seven times as long.
        let text = if self.rows.iter().any(|row| row.table().is_some()) {
            serde_json::to_string(self)
        } else {
            serde_json::to_string_pretty(self)
        };
        seal::seal(&text.expect("plain data"))
    }

    /// Reads and checks it, and tells its checksum. `path` is for messages.
    #[doc(hidden)]
    pub fn parse(text: Vec<u8>, path: &Path) -> Result<(Manifest, RunId), ReadError> {
        let fail = |source: serde_json::Error| ReadError::Json { path: path.into(), line: source.line(), source };
        if text.len() > LONGEST_MANIFEST {
            return Err(ReadError::TooLong { path: path.into(), limit: LONGEST_MANIFEST as u64 });
        }
        if let Some(line) = text::too_long(&text) {
            return Err(ReadError::Text { path: path.into(), line });
        }
        let Outline { format, rows } = serde_json::from_slice(&text).map_err(fail)?;
        if format != u64::from(FORMAT) {
            return Err(ReadError::Format { path: path.into(), found: format });
        }
        let (text, id) = seal::unseal(text).map_err(|source| ReadError::Seal {
            path: path.into(),
            source: source.into(),
            advice: "Make the run anew",
        })?;
        if rows.count > MOST_ROWS {
            return Err(ReadError::Rows { path: path.into(), found: rows.count, most: MOST_ROWS });
        }
        ranges::check_own_values(rows.own_values)
            .map_err(|source| ReadError::Range { path: path.into(), source: source.into() })?;
        let manifest: Manifest = serde_json::from_slice(&text).map_err(fail)?;
        for row in &manifest.rows {
            let fail = |source| ReadError::Model { path: path.into(), row: row.name.clone(), source };
            row.model.check().map_err(fail)?;
            if let Some(table) = row.table() {
                let fail = |e| ReadError::Table { path: path.into(), row: row.name.clone(), source: Box::new(e) };
                table.check().map_err(fail)?;
            }
        }
        ranges::check(&manifest).map_err(|source| ReadError::Range { path: path.into(), source: source.into() })?;
        Ok((manifest, id))
    }

    /// Where another manifest differs, a line each: `what: there, here`.
    pub fn differences(&self, other: &Manifest) -> Vec<String> {
        let value = |m: &Manifest| serde_json::to_value(m).expect("plain data");
        let mut out = vec![];
        compare(&mut out, "", Some(&value(self)), Some(&value(other)));
        out
    }
}

fn compare(out: &mut Vec<String>, at: &str, a: Option<&Value>, b: Option<&Value>) {
    match (a, b) {
        (a, b) if a == b => {}
        (Some(Value::Object(x)), Some(Value::Object(y))) => {
            let keys = x.keys().chain(y.keys().filter(|k| !x.contains_key(*k)));
            for key in keys {
                let dot = if at.is_empty() { "" } else { "." };
                compare(out, &format!("{at}{dot}{key}"), x.get(key), y.get(key));
            }
        }
        (Some(Value::Array(x)), Some(Value::Array(y))) => {
            for i in 0..x.len().max(y.len()) {
                // A row is known by its name.
                let name = |row: Option<&Value>| row?.get("name")?.as_str().map(String::from);
                let name = name(x.get(i)).or_else(|| name(y.get(i))).unwrap_or_else(|| i.to_string());
                compare(out, &format!("{at}[{name}]"), x.get(i), y.get(i));
            }
        }
        (a, b) => {
            let text = |v: Option<&Value>| match v {
                // Rows that only one of them has are too long to be told.
                Some(Value::Object(_)) => "something".to_string(),
                Some(v) => v.to_string(),
                None => "nothing".to_string(),
            };
            out.push(format!("{at}: {} there, {} here", text(a), text(b)));
        }
    }
}
