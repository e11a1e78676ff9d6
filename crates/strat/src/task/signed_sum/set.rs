//! A few sums that all learners are taught with.

use super::{MAX_TERMS, Sum, SumError};
use serde::{Deserialize, Serialize};

/// Most sums of a set.
pub const MOST_SUMS: usize = 16;

/// A few sums, the same for every learner. In files it is a list such as `["12 + 3 - 5", "7 - 7 + 1"]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct TeachingSet {
    sums: [Short; MOST_SUMS],
    count: usize,
}

/// A sum that fits a generated one's slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Short {
    terms: usize,
    values: [u32; MAX_TERMS],
    minus: [bool; MAX_TERMS],
}

/// Why sums are no teaching set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetError {
    /// None, or too many.
    #[error("a teaching set should have from 1 to {MOST_SUMS} sums, but has {0}")]
    Count(usize),
    /// One that is too long.
    #[error("sum {number} of a teaching set has {terms} numbers, but should have at most {MAX_TERMS}")]
    Long {
        /// Which, from 1 on.
        number: usize,
        /// How many numbers it has.
        terms: usize,
    },
    /// A text that is no sum.
    #[error("sum {number} of a teaching set: {error}")]
    Text {
        /// Which, from 1 on.
        number: usize,
        /// What is wrong.
        error: SumError,
    },
}

impl TeachingSet {
    /// Of these sums.
    pub fn new(sums: &[Sum]) -> Result<TeachingSet, SetError> {
        if !(1..=MOST_SUMS).contains(&sums.len()) {
            return Err(SetError::Count(sums.len()));
        }
        let mut set = TeachingSet { sums: [Short::default(); MOST_SUMS], count: sums.len() };
        for (i, (short, sum)) in set.sums.iter_mut().zip(sums).enumerate() {
            let terms = sum.values.len();
            if terms > MAX_TERMS {
                return Err(SetError::Long { number: i + 1, terms });
            }
            short.terms = terms;
            short.values[..terms].copy_from_slice(&sum.values);
            short.minus[..terms].copy_from_slice(&sum.minus);
        }
        Ok(set)
    }

    /// How many sums.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The sums: literals and signs.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&[u32], &[bool])> {
        self.sums[..self.count].iter().map(|s| (&s.values[..s.terms], &s.minus[..s.terms]))
    }

    /// The sums.
    pub fn sums(&self) -> Vec<Sum> {
        self.terms().map(|(values, minus)| Sum { values: values.to_vec(), minus: minus.to_vec() }).collect()
    }
}

impl TryFrom<Vec<String>> for TeachingSet {
    type Error = SetError;
    fn try_from(lines: Vec<String>) -> Result<Self, SetError> {
        if lines.len() > MOST_SUMS {
            return Err(SetError::Count(lines.len()));
        }
        let sum =
            |(i, line): (usize, &String)| line.parse().map_err(|error| SetError::Text { number: i + 1, error });
        TeachingSet::new(&lines.iter().enumerate().map(sum).collect::<Result<Vec<Sum>, _>>()?)
    }
}

impl From<TeachingSet> for Vec<String> {
    fn from(set: TeachingSet) -> Self {
        set.sums().iter().map(Sum::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let text = r#"["12 + 3 - 5","7 - 7 + 1 + 0 - 2 + 100"]"#;
        let set: TeachingSet = serde_json::from_str(text).unwrap();
        assert_eq!(set.count(), 2);
        assert_eq!(set.sums()[0].answer(), 10);
        assert_eq!(serde_json::to_string(&set).unwrap(), text);
    }

    #[test]
    fn what_is_no_set_is_refused() {
        let read = |lines: &[&str]| TeachingSet::try_from(lines.iter().map(|l| l.to_string()).collect::<Vec<_>>());
        assert_eq!(read(&[]), Err(SetError::Count(0)));
        assert_eq!(read(&["1 + 1"; 17]), Err(SetError::Count(17)));
        assert_eq!(read(&["1", "1+1+1+1+1+1+1"]), Err(SetError::Long { number: 2, terms: 7 }));
        let says = |line: &str| read(&["1", line]).unwrap_err().to_string();
        assert_eq!(
            says("1 + one"),
            "sum 2 of a teaching set: \"one\" should be a number without a sign, such as 12 or 0.5, of at most 1e12"
        );
        assert_eq!(says("1 + 0.5"), "sum 2 of a teaching set: 0.5 should be a whole number up to 4294967295");
    }
}
