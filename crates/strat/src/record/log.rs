//! A log: lines of JSON, each with a checksum, that only grows. One that was cut off while it was
//! written ends in a line that does not check, which counts as not written.

use super::text::{self, LONGEST_TEXT};
use crate::engine::reference::Arrays;
use crate::experiment::Record;
use crate::train::losses::POINTS;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Most scores of a learner; ours have at most a dozen.
const MOST_METRICS: usize = 64;
/// `,"crc":"0123abcd"}` and the line's end.
const TAIL: usize = 19;

/// What is wrong with a log.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// A line in the middle is not as it was written.
    #[error("line {0} is not as it was written, and lines after it are")]
    Damaged(usize),
    /// It checks, and has a text that no learner has.
    #[error("line {0}: a text of more than {LONGEST_TEXT} bytes, which no learner has")]
    Text(usize),
    /// It checks, and says something else than a learner.
    #[error("line {line}: {source}")]
    Json {
        /// From 1.
        line: usize,
        /// What the parser found.
        source: serde_json::Error,
    },
    /// A learner whose turn it is not.
    #[error("line {line} is of row {row:?}, seed {seed}, which does not belong there")]
    Order {
        /// From 1.
        line: usize,
        /// Its row.
        row: String,
        /// Its seed.
        seed: u64,
    },
}

/// A line of `learners.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The row's name.
    pub row: String,
    /// The learner.
    pub seed: u64,
    /// Its scores; NaN where it diverged, which JSON calls null.
    #[serde(deserialize_with = "metrics")]
    pub metrics: BTreeMap<String, f64>,
    /// Its losses on the way ([`Record::losses`]), null where it diverged; runs of earlier programs have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "losses")]
    pub losses: Vec<f32>,
    /// Checksum of its weights ([`Record::fingerprint`]).
    #[serde(with = "hex")]
    pub weights: u32,
    #[serde(default, skip_serializing)]
    crc: String,
}

impl Line {
    /// Of a finished learner.
    pub fn of(row: &str, l: &Record) -> Line {
        let (row, metrics, losses) = (row.into(), l.metrics.clone(), l.losses.clone());
        Line { row, seed: l.seed, metrics, losses, weights: l.fingerprint(), crc: String::new() }
    }

    /// The learner that it tells of.
    pub(super) fn record(self, weights: Arrays) -> Record {
        Record { seed: self.seed, metrics: self.metrics, losses: self.losses, weights }
    }
}

/// A line of a log: the JSON object with its checksum as the last field.
pub(super) fn line(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).expect("plain data");
    assert_eq!(text.pop(), Some('}'), "a line is an object");
    let crc = crc32fast::hash(text.as_bytes());
    text + &format!(",\"crc\":\"{crc:08x}\"}}\n")
}

/// Whether a line, with its end, is as [`line`] wrote it.
fn checks(line: &[u8]) -> bool {
    let Some(at) = line.len().checked_sub(TAIL) else { return false };
    let (text, tail) = line.split_at(at);
    let crc = |hex: &[u8]| u32::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok();
    tail.starts_with(b",\"crc\":\"") && tail.ends_with(b"\"}\n") && crc(&tail[8..16]) == Some(crc32fast::hash(text))
}

/// The learners' lines of a log. They are kept as text and parsed when they are asked for: scores
/// by name need many times as much memory as their text.
#[derive(Debug)]
pub struct Log {
    text: Vec<u8>,
    /// Where each line ends.
    ends: Vec<usize>,
}

impl Log {
    /// Reads what is whole: behind it there is nothing, or what was cut off. `belongs` says whether
    /// a line, with its number from 0, is the one that should be there.
    pub fn read(mut text: Vec<u8>, mut belongs: impl FnMut(usize, &Line) -> bool) -> Result<Log, LogError> {
        let (mut whole, mut ends) = (0, vec![]);
        for (i, line) in text.split_inclusive(|b| *b == b'\n').enumerate() {
            if !checks(line) {
                let mut after = text[whole + line.len()..].split_inclusive(|b| *b == b'\n');
                if after.any(checks) {
                    return Err(LogError::Damaged(i + 1));
                }
                break;
            }
            if text::too_long(line).is_some() {
                return Err(LogError::Text(i + 1));
            }
            let parsed: Line =
                serde_json::from_slice(line).map_err(|source| LogError::Json { line: i + 1, source })?;
            if !belongs(i, &parsed) {
                return Err(LogError::Order { line: i + 1, row: parsed.row, seed: parsed.seed });
            }
            whole += line.len();
            ends.push(whole);
        }
        text.truncate(whole);
        Ok(Log { text, ends })
    }

    /// How many lines.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The length of what is whole.
    pub fn bytes(&self) -> u64 {
        self.text.len() as u64
    }

    /// The line of this number, from 0.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn line(&self, i: usize) -> Line {
        let start = i.checked_sub(1).map_or(0, |before| self.ends[before]);
        serde_json::from_slice(&self.text[start..self.ends[i]]).expect("it was read before")
    }
}

/// The length of what is whole in a log of any kind of lines.
pub(super) fn whole(bytes: &[u8]) -> u64 {
    let lines = bytes.split_inclusive(|b| *b == b'\n');
    lines.take_while(|text| checks(text)).map(|text| text.len() as u64).sum()
}

/// A map of not too many scores.
fn metrics<'de, D: Deserializer<'de>>(d: D) -> Result<BTreeMap<String, f64>, D::Error> {
    struct Scores;
    impl<'de> Visitor<'de> for Scores {
        type Value = BTreeMap<String, f64>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("scores by name")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut all = BTreeMap::new();
            while let Some((name, x)) = map.next_entry::<String, Option<f64>>()? {
                all.insert(name, x.unwrap_or(f64::NAN));
                if all.len() > MOST_METRICS {
                    return Err(A::Error::custom(format_args!("more than {MOST_METRICS} scores")));
                }
            }
            Ok(all)
        }
    }
    d.deserialize_map(Scores)
}

/// Not too many numbers.
fn losses<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<f32>, D::Error> {
    struct Numbers;
    impl<'de> Visitor<'de> for Numbers {
        type Value = Vec<f32>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "at most {POINTS} losses")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut all = vec![];
            while let Some(x) = seq.next_element::<Option<f32>>()? {
                if all.len() == POINTS {
                    return Err(A::Error::invalid_length(POINTS + 1, &self));
                }
                all.push(x.unwrap_or(f32::NAN));
            }
            Ok(all)
        }
    }
    d.deserialize_seq(Numbers)
}

/// A checksum as eight hexadecimal digits.
mod hex {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(x: &u32, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(&format_args!("{x:08x}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<u32, D::Error> {
        let text = String::deserialize(d)?;
        u32::from_str_radix(&text, 16).map_err(|_| D::Error::custom("a checksum has eight hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> String {
        let one = |seed| Line {
            row: "a \"row\"".into(),
            seed,
            metrics: [("x".to_string(), 0.1 + seed as f64), ("y".into(), f64::NAN)].into(),
            losses: vec![28.53, f32::NAN],
            weights: 7,
            crc: String::new(),
        };
        (1..=3).map(|seed| line(&one(seed))).collect()
    }

    fn seeds(bytes: &[u8]) -> Result<(Vec<u64>, u64), LogError> {
        let log = Log::read(bytes.to_vec(), |i, line| line.seed == i as u64 + 1)?;
        let seed = |i: usize| {
            let line = log.line(i);
            assert_eq!(line.metrics["x"], 0.1 + line.seed as f64);
            assert!(line.metrics["y"].is_nan() && line.weights == 7);
            line.seed
        };
        Ok(((0..log.len()).map(seed).collect(), log.bytes()))
    }

    #[test]
    fn every_prefix_is_read_up_to_its_last_whole_line() {
        let text = text();
        let length = text.len() / 3;
        for cut in 0..=text.len() {
            let n = (cut / length) as u64;
            assert_eq!(seeds(&text.as_bytes()[..cut]).unwrap(), ((1..=n).collect(), n * length as u64), "{cut}");
        }
    }

    #[test]
    fn a_change_is_an_end_or_an_error_and_never_a_number() {
        let text = text();
        let length = text.len() / 3;
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            match seeds(&bytes) {
                // The last line, or the end of the one before: then the two are one that does not check.
                Ok((seeds, _)) => assert!(at + 1 >= 2 * length && seeds.len() == at / length, "{at}"),
                Err(LogError::Damaged(line)) => assert_eq!(line, at / length + 1),
                Err(e) => panic!("{at}: {e}"),
            }
        }
    }
}
