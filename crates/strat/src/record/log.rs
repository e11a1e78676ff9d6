//! A log: lines of JSON, each with a checksum of its run, that only grows. One that was cut off while
//! it was written ends in a line without its end, which counts as not written. Any other line that does not
//! check is an error.

use super::limits::{LONGEST_TEXT, MOST_METRICS};
use super::{RunId, text};
use crate::engine::reference::Arrays;
use crate::metric::Metric;
use crate::result::LearnerResult;
use crate::train::losses::POINTS;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// `,"crc":"0123abcd"}` and the line's end.
const TAIL: usize = 19;

/// What is wrong with a log.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// A line is not as it was written.
    #[error(
        "line {0} is not as it was written, or is of another run. Remove it and all lines after it, and give the run's \
         command again: those learners are trained anew"
    )]
    Damaged(usize),
    /// It checks, and has a text that no learner has.
    #[error("line {0}: a text of more than {LONGEST_TEXT} bytes, which no learner has. Make the run anew")]
    Text(usize),
    /// It checks, and says something else than a learner.
    #[error("line {line}: {source}. Make the run anew")]
    Json {
        /// From 1.
        line: usize,
        /// What the parser found.
        source: serde_json::Error,
    },
    /// A learner whose turn it is not.
    #[error("line {line} is of row {row:?}, seed {seed}, which does not belong there. Make the run anew")]
    Order {
        /// From 1.
        line: usize,
        /// Its row.
        row: String,
        /// Its seed.
        seed: u64,
    },
    /// A learner that was not tested.
    #[error("line {line}: seed {seed} of row {row:?} has no score {:?}. Make the run anew", .metric.name)]
    NoScore {
        /// From 1.
        line: usize,
        /// Its row.
        row: String,
        /// Its seed.
        seed: u64,
        /// What it lacks.
        metric: &'static Metric,
    },
}

/// Why a line does not belong where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// It is another learner's turn.
    Order,
    /// It lacks this score.
    NoScore(&'static Metric),
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
    /// Its losses on the way ([`LearnerResult::losses`]), null where it diverged; runs of earlier programs have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "losses")]
    pub losses: Vec<f32>,
    /// Checksum of its weights ([`LearnerResult::fingerprint`]).
    #[serde(with = "hex")]
    pub weights: u32,
    #[serde(default, skip_serializing)]
    crc: String,
}

impl Line {
    /// Of a finished learner.
    pub fn of(row: &str, l: &LearnerResult) -> Line {
        let (row, metrics, losses) = (row.into(), l.metrics.clone(), l.losses.clone());
        Line { row, seed: l.seed, metrics, losses, weights: l.fingerprint(), crc: String::new() }
    }

    /// The learner that it tells of.
    pub(super) fn record(self, weights: Arrays) -> LearnerResult {
        LearnerResult { seed: self.seed, metrics: self.metrics, losses: self.losses, weights }
    }
}

/// A line of a run's log: the JSON object with its checksum as the last field.
pub(super) fn line(run: &RunId, value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).expect("plain data");
    assert_eq!(text.pop(), Some('}'), "a line is an object");
    let tail = tail(run, text.as_bytes());
    text + &tail
}

fn tail(run: &RunId, text: &[u8]) -> String {
    format!(",\"crc\":\"{:08x}\"}}\n", run.crc(text))
}

/// Whether a line, with its end, is as [`line`] wrote it.
pub(super) fn checks(run: &RunId, line: &[u8]) -> bool {
    line.len()
        .checked_sub(TAIL)
        .map(|at| line.split_at(at))
        .is_some_and(|(text, end)| tail(run, text).as_bytes() == end)
}

/// Whether a last line was cut off while it was written. One that is whole but for another byte in the place of its
/// end was not.
fn is_cut_off(run: &RunId, line: &[u8]) -> bool {
    let whole = || line.split_last().is_some_and(|(_, text)| checks(run, &[text, b"\n"].concat()));
    !line.ends_with(b"\n") && !whole()
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
    pub fn read(
        mut text: Vec<u8>,
        run: &RunId,
        mut belongs: impl FnMut(usize, &Line) -> Result<(), Misfit>,
    ) -> Result<Log, LogError> {
        let (mut whole, mut ends) = (0, vec![]);
        for (i, line) in text.split_inclusive(|b| *b == b'\n').enumerate() {
            let number = i + 1;
            if !checks(run, line) {
                if is_cut_off(run, line) {
                    break;
                }
                return Err(LogError::Damaged(number));
            }
            if text::too_long(line).is_some() {
                return Err(LogError::Text(number));
            }
            let parsed: Line =
                serde_json::from_slice(line).map_err(|source| LogError::Json { line: number, source })?;
            let misfit = belongs(i, &parsed).err();
            let Line { row, seed, .. } = parsed;
            match misfit {
                Some(Misfit::Order) => return Err(LogError::Order { line: number, row, seed }),
                Some(Misfit::NoScore(metric)) => {
                    return Err(LogError::NoScore { line: number, row, seed, metric });
                }
                None => {}
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
        (1..=3).map(|seed| line(&run(), &one(seed))).collect()
    }

    fn run() -> RunId {
        RunId::of(b"a manifest")
    }

    fn seeds(bytes: &[u8]) -> Result<(Vec<u64>, u64), LogError> {
        let belongs = |i, line: &Line| if line.seed == i as u64 + 1 { Ok(()) } else { Err(Misfit::Order) };
        let log = Log::read(bytes.to_vec(), &run(), belongs)?;
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
    fn every_flipped_bit_is_found() {
        let text = text();
        let length = text.len() / 3;
        for (at, bit) in (0..text.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1 << bit;
            match seeds(&bytes) {
                Err(LogError::Damaged(line)) => assert_eq!(line, at / length + 1),
                other => panic!("byte {at}, bit {bit}: {other:?}"),
            }
        }
    }

    #[test]
    fn lines_of_another_run_are_no_lines() {
        let read = Log::read(text().into_bytes(), &RunId::of(b"another manifest"), |_, _| Ok(()));
        assert!(matches!(read, Err(LogError::Damaged(1))));
    }
}
