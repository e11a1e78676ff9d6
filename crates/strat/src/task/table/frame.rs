//! A table as other classifiers read it: numbers as they are, words by position.

use super::schema::{MISSING, TableRow, UNKNOWN};
use super::symmetries::SymmetriesError;
use super::task::TableTask;
use serde::{Deserialize, Serialize};
use strat_tables::{Frame, Kind, Method};

/// Symmetries make no more rows than these for classifiers that compare all rows.
const MOST_ROWS: usize = 512;

/// A part of the mixture that answers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Part {
    /// A population of STRAT, by its weight decay.
    Strat(f64),
    /// Another classifier.
    Other(Method),
}

/// Weight decays of the populations of STRAT that a table chooses from. With 1, a learner comes close to counting; with the
/// paper's 0.01 it may remember single rows.
pub const DECAYS: [f64; 2] = [1.0, 0.01];

impl Part {
    /// Whether it is one that this program has.
    pub(super) fn is_known(self) -> bool {
        match self {
            Part::Strat(decay) => DECAYS.contains(&decay),
            Part::Other(method) => Method::ALL.iter().any(|(known, _)| *known == method),
        }
    }

    /// What kind of classifier it is, in words.
    pub fn title(self) -> &'static str {
        match self {
            Part::Strat(_) => "STRAT",
            Part::Other(method) => method.title(),
        }
    }
}

/// A part with its weight. All weights of a table add up to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weighted {
    /// The part.
    pub part: Part,
    /// Its weight.
    pub weight: f64,
}

impl TableTask {
    /// Whether populations of STRAT were dropped from its mixture.
    pub(crate) fn is_without_strat(&self) -> bool {
        !self.mixture.is_empty() && !self.mixture.iter().any(|w| matches!(w.part, Part::Strat(_)))
    }

    /// The rows, then what symmetries make of them, and for each the place of the row that it comes from.
    pub(crate) fn frame(&self) -> Result<(Frame, Vec<usize>), SymmetriesError> {
        let mut origins: Vec<usize> = (0..self.rows.len()).collect();
        let mut rows: Vec<Vec<f64>> = self.rows.iter().map(|row| self.cells(&row.input, &row.numbers)).collect();
        let mut labels: Vec<usize> = self.rows.iter().map(|row| usize::from(row.class)).collect();
        if !self.known.is_empty() {
            let own: std::collections::HashSet<&[u8]> = self.rows.iter().map(|row| &row.input[..]).collect();
            let most = MOST_ROWS.saturating_sub(rows.len());
            for image in self.images()?.into_iter().filter(|image| !own.contains(&image.input[..])).take(most) {
                rows.push(self.cells(&image.input, &[]));
                labels.push(usize::from(image.class));
                origins.push(image.origin);
            }
        }
        let word = |value: &String| *value != MISSING;
        let kind = |field: &super::Field| match &field.scale {
            Some(_) => Kind::Numbers,
            None => Kind::Words(field.values.iter().filter(|value| word(value)).cloned().collect()),
        };
        let kinds = self.schema.fields.iter().map(kind).collect();
        Ok((Frame { kinds, rows, labels, classes: self.schema.classes.len() }, origins))
    }

    /// A row whose class is asked for, as a row of the [frame](TableTask::frame).
    pub(crate) fn asked(&self, row: &TableRow) -> Vec<f64> {
        self.cells(&row.input, &row.numbers)
    }

    /// An input as a row, with the typical number of each value.
    pub fn typical(&self, input: &[u8]) -> TableRow {
        let number = |(field, &value): (&super::Field, &u8)| {
            field.scale.as_ref().map(|scale| scale.typical.get(usize::from(value)).copied())
        };
        TableRow {
            input: input.to_vec(),
            numbers: self.schema.fields.iter().zip(input).filter_map(number).collect(),
        }
    }

    /// Numbers are typical ones of their values where they are not given.
    fn cells(&self, input: &[u8], numbers: &[Option<f64>]) -> Vec<f64> {
        let mut numbers = numbers.iter();
        let cell = |(field, &value): (&super::Field, &u8)| {
            let given = if field.has_numbers() { numbers.next() } else { None };
            let missing = field.values.get(usize::from(value)).is_none_or(|word| word == MISSING);
            match (&field.scale, given) {
                (Some(_), Some(number)) => number.unwrap_or(f64::NAN),
                _ if missing || value == UNKNOWN => f64::NAN,
                (Some(scale), None) => scale.typical.get(usize::from(value)).copied().unwrap_or(f64::NAN),
                (None, _) => f64::from(value),
            }
        };
        self.schema.fields.iter().zip(input).map(cell).collect()
    }

    /// The value of each field that most rows have.
    pub(crate) fn usual(&self) -> Vec<u8> {
        let most = |column: usize| {
            let mut counts = vec![0usize; usize::from(UNKNOWN) + 1];
            self.rows.iter().for_each(|row| counts[usize::from(row.input[column])] += 1);
            (0..counts.len()).rev().max_by_key(|&value| counts[value]).unwrap_or(0) as u8
        };
        (0..self.schema.fields.len()).map(most).collect()
    }
}
