//! Which learners: a range of seeds, and the part of a sweep that one machine does.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Most learners of one row: enough for any sweep, few enough to count in memory.
const MOST_LEARNERS: u64 = 1_000_000;

/// Seeds from the first to the last, both included: `41..50` in text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Seeds {
    first: u64,
    last: u64,
}

impl Seeds {
    /// Most learners of one row: enough for any sweep, few enough to count in memory.
    pub const MOST: u64 = MOST_LEARNERS;

    /// From one to the other; `None` if they run backwards or name more than [`Seeds::MOST`].
    pub fn new(first: u64, last: u64) -> Option<Seeds> {
        (first <= last && last - first < MOST_LEARNERS).then_some(Seeds { first, last })
    }

    /// The same of numbers that are known to be in order.
    ///
    /// # Panics
    /// If they run backwards or name more than [`Seeds::MOST`].
    pub const fn between(first: u64, last: u64) -> Seeds {
        assert!(first <= last && last - first < MOST_LEARNERS, "these are no seeds");
        Seeds { first, last }
    }

    /// `1..count`, as the paper's learners are numbered.
    ///
    /// # Panics
    /// If there are none, or more than [`Seeds::MOST`].
    pub fn to(count: u64) -> Seeds {
        Seeds::new(1, count).unwrap_or_else(|| panic!("{count} learners"))
    }

    /// How many.
    pub fn count(&self) -> usize {
        (self.last - self.first + 1) as usize
    }

    /// All of them.
    pub fn iter(&self) -> std::ops::RangeInclusive<u64> {
        self.first..=self.last
    }

    /// The one at this place.
    pub fn at(&self, place: usize) -> u64 {
        self.first + place as u64
    }

    /// Where this one stands, if it is among them.
    pub fn position(&self, seed: u64) -> Option<usize> {
        (self.first..=self.last).contains(&seed).then(|| (seed - self.first) as usize)
    }
}

impl fmt::Display for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.first, self.last)
    }
}

/// Why a text names no seeds, or no shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SeedsError {
    /// Something else.
    #[error("should be two whole numbers A..B, first and last seed, as in 1..400")]
    Form,
    /// The last before the first.
    #[error("runs backwards; did you mean {0}..{1}?")]
    Backwards(u64, u64),
    /// More than anyone trains.
    #[error("should name at most {MOST_LEARNERS} seeds")]
    TooMany,
    /// A text that names no shard.
    #[error("should be I/N with I from 1 to N and N at most {MOST_LEARNERS}, as in 2/3")]
    Shard,
}

impl FromStr for Seeds {
    type Err = SeedsError;
    fn from_str(text: &str) -> Result<Self, SeedsError> {
        let (first, last) = text.split_once("..").ok_or(SeedsError::Form)?;
        let last = last.strip_prefix('=').unwrap_or(last);
        let number = |text: &str| text.trim().parse::<u64>().map_err(|_| SeedsError::Form);
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(SeedsError::Backwards(last, first));
        }
        Seeds::new(first, last).ok_or(SeedsError::TooMany)
    }
}

/// The `index`-th of `of` parts of a sweep, counted from 1: `2/3` in text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    index: usize,
    of: usize,
}

impl Shard {
    /// The whole sweep.
    pub const WHOLE: Shard = Shard { index: 1, of: 1 };

    /// Which part, from 1 on.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Of how many.
    pub fn of(&self) -> usize {
        self.of
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = SeedsError;
    fn from_str(text: &str) -> Result<Self, SeedsError> {
        let (index, of) = text.split_once('/').ok_or(SeedsError::Shard)?;
        let (index, of) =
            (index.parse().map_err(|_| SeedsError::Shard)?, of.parse().map_err(|_| SeedsError::Shard)?);
        ((1..=of).contains(&index) && of as u64 <= MOST_LEARNERS)
            .then_some(Shard { index, of })
            .ok_or(SeedsError::Shard)
    }
}

/// Text in files, by way of `Display` and `FromStr`.
macro_rules! as_text {
    ($kind:ty, $error:ty) => {
        impl TryFrom<String> for $kind {
            type Error = $error;
            fn try_from(text: String) -> Result<Self, $error> {
                text.parse()
            }
        }

        impl From<$kind> for String {
            fn from(value: $kind) -> String {
                value.to_string()
            }
        }
    };
}
as_text!(Seeds, SeedsError);
as_text!(Shard, SeedsError);

/// The learners of a run in their order: row by row, and by seed. A shard has every `of`-th.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepOrder {
    rows: usize,
    seeds: Seeds,
    shard: Shard,
}

impl SweepOrder {
    /// Of so many rows, with the same seeds each.
    pub fn new(rows: usize, seeds: Seeds, shard: Shard) -> SweepOrder {
        SweepOrder { rows, seeds, shard }
    }

    /// How many learners.
    pub fn count(&self) -> usize {
        self.from(self.rows * self.seeds.count())
    }

    /// Row and seed of the learner at a place.
    pub fn at(&self, place: usize) -> (usize, u64) {
        let whole = self.shard.index - 1 + place * self.shard.of;
        (whole / self.seeds.count(), self.seeds.at(whole % self.seeds.count()))
    }

    /// The places of a row.
    pub fn of_row(&self, row: usize) -> std::ops::Range<usize> {
        self.from(row * self.seeds.count())..self.from((row + 1) * self.seeds.count())
    }

    /// The place of a learner, if it is among them.
    pub fn position(&self, row: usize, seed: u64) -> Option<usize> {
        let whole = (row * self.seeds.count() + self.seeds.position(seed)?).checked_sub(self.shard.index - 1)?;
        (row < self.rows && whole % self.shard.of == 0).then_some(whole / self.shard.of)
    }

    /// The first place of ours that is not before this one of the whole sweep.
    fn from(&self, whole: usize) -> usize {
        whole.saturating_sub(self.shard.index - 1).div_ceil(self.shard.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_a_partition_in_order() {
        let seeds: Seeds = "41..47".parse().unwrap();
        let whole = SweepOrder::new(3, seeds, Shard::WHOLE);
        assert_eq!((whole.count(), whole.at(0), whole.at(20)), (21, (0, 41), (2, 47)));
        for of in 1..=25 {
            let mut seen = vec![0; 21];
            for index in 1..=of {
                let part = SweepOrder::new(3, seeds, format!("{index}/{of}").parse().unwrap());
                let rows: Vec<usize> = (0..3).flat_map(|r| part.of_row(r).map(move |_| r)).collect();
                assert_eq!(rows.len(), part.count());
                for (place, &of_row) in rows.iter().enumerate() {
                    let (row, seed) = part.at(place);
                    assert_eq!((of_row, part.position(row, seed)), (row, Some(place)));
                    seen[whole.position(row, seed).unwrap()] += 1;
                }
            }
            assert!(seen.iter().all(|&n| n == 1), "{of}: {seen:?}");
        }
        assert_eq!((whole.position(3, 41), whole.position(0, 48), whole.position(0, 40)), (None, None, None));
    }

    #[test]
    fn texts_are_read_and_refused() {
        assert_eq!("41..=50".parse::<Seeds>().unwrap().to_string(), "41..50");
        assert_eq!("50..41".parse::<Seeds>(), Err(SeedsError::Backwards(41, 50)));
        assert_eq!("0..18446744073709551615".parse::<Seeds>(), Err(SeedsError::TooMany));
        assert!(["", "1", "a..b", "1..", "-1..2"].iter().all(|t| t.parse::<Seeds>() == Err(SeedsError::Form)));
        assert_eq!("2/3".parse::<Shard>().unwrap().to_string(), "2/3");
        assert!(["", "1", "0/3", "4/3", "1/0", "1/1000001", "a/b"].iter().all(|t| t.parse::<Shard>().is_err()));
    }
}
