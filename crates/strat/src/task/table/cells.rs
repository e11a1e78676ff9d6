//! What the cells of a column mean: numbers, dates, words, or nothing that a rule could be about.

mod dates;
mod numbers;
#[cfg(test)]
mod tests;

use super::schema::is_missing;
use crate::data::clip;
use dates::Dates;
use numbers::Numbers;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

pub(crate) use dates::DateForm;
pub(crate) use numbers::NumberForm;

/// From so many cells on, a column that is different in all of them is a name, and no property.
const MANY: usize = 8;

/// What the cells of a column mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Meaning {
    /// Values without an order. Also one value that some rows do not have.
    Words,
    /// Numbers, all written alike.
    Numbers(NumberForm),
    /// Dates, all written alike.
    Dates(DateForm),
    /// A name or number for every row.
    Identifier,
    /// Sentences.
    Text,
    /// The same in every row.
    Constant,
    /// Nothing in any row.
    Empty,
}

/// A column as it is taken, and what the user may want to know about this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Understood {
    /// What its cells mean.
    pub meaning: Meaning,
    /// Why, if it could be a surprise: the end of a line that begins with the column's name.
    pub note: Option<String>,
}

impl Understood {
    fn noted(meaning: Meaning, note: impl Into<String>) -> Understood {
        Understood { meaning, note: Some(note.into()) }
    }

    fn words(note: &str) -> Understood {
        Understood::noted(Meaning::Words, format!("{note}; taken for words"))
    }
}

impl From<Meaning> for Understood {
    fn from(meaning: Meaning) -> Understood {
        Understood { meaning, note: None }
    }
}

/// What the column `name` means, by its cells in the order of rows. Those without a value do not count.
pub(super) fn meaning(name: &str, cells: &[&str]) -> Understood {
    let present: Vec<&str> = cells.iter().map(|cell| cell.trim()).filter(|cell| !is_missing(cell)).collect();
    let Some(first) = present.first() else { return Meaning::Empty.into() };
    if present.iter().all(|cell| cell == first) {
        return if present.len() == cells.len() { Meaning::Constant } else { Meaning::Words }.into();
    }
    match DateForm::of(&present) {
        Dates::All { form, ambiguous: false } => return Meaning::Dates(form).into(),
        Dates::All { form, ambiguous: true } => {
            let (read, day) = (form.parse(first).map(|days| form.format(days)).unwrap_or_default(), clip(first));
            let note = format!("dates are read with the month first: {day:?} is {read}");
            return Understood::noted(Meaning::Dates(form), note);
        }
        Dates::Mixed(why) => return Understood::words(why),
        Dates::Most(at) => {
            return Understood::words(&format!("{:?} is no date like the others", clip(present[at])));
        }
        Dates::None => {}
    }
    let distinct = present.iter().collect::<HashSet<_>>().len();
    let named = is_name_of_identifier(name) && distinct == present.len();
    match NumberForm::of(&present) {
        Numbers::All { form, ambiguous } => {
            let integers = form.unit.is_none().then(|| integers(&form, &present)).flatten();
            if let Some(integers) = integers {
                if named {
                    return Understood::noted(
                        Meaning::Identifier,
                        "is different in every row, and named like an identifier",
                    );
                }
                if present.len() == cells.len() && counts(&integers) {
                    return Understood::noted(Meaning::Identifier, "counts the rows, like an identifier");
                }
            }
            let grouped = present.iter().find(|cell| ambiguous && cell.contains(','));
            let note = grouped.and_then(|cell| {
                let plain = NumberForm { group: None, ..form.clone() };
                Some(format!(
                    "commas are read as separators of thousands: {:?} is {}",
                    clip(cell),
                    plain.format(form.parse(cell)?)
                ))
            });
            Understood { meaning: Meaning::Numbers(form), note }
        }
        Numbers::Codes(at) => match is_nearly_all(distinct, present.len()) || named {
            true => Understood::noted(Meaning::Identifier, "has codes that are different in nearly every row"),
            false => Understood::words(&format!("has codes such as {:?}", clip(present[at]))),
        },
        Numbers::Mixed(why) => Understood::words(&why),
        Numbers::Most(at) => Understood::words(&format!("{:?} is no number like the others", clip(present[at]))),
        Numbers::None if named => {
            Understood::noted(Meaning::Identifier, "is different in every row, and named like an identifier")
        }
        Numbers::None if present.len() >= MANY && 2 * distinct >= present.len() && is_text(&present) => {
            Understood::noted(Meaning::Text, "is text, different in most rows")
        }
        Numbers::None if is_nearly_all(distinct, present.len()) => {
            Understood::noted(Meaning::Identifier, "is different in nearly every row, like a name")
        }
        Numbers::None => Meaning::Words.into(),
    }
}

/// Whether many cells are different, but for a few.
fn is_nearly_all(distinct: usize, cells: usize) -> bool {
    cells >= MANY && 10 * distinct >= 9 * cells
}

/// Cells as integers, if all are.
fn integers(form: &NumberForm, cells: &[&str]) -> Option<Vec<i64>> {
    let integer = |cell: &&str| form.parse(cell).filter(|v| v.fract() == 0. && v.abs() < 1e15).map(|v| v as i64);
    cells.iter().map(integer).collect()
}

/// Whether integers count up by one. Years may, and are no identifier for that.
fn counts(integers: &[i64]) -> bool {
    let years = integers.iter().all(|n| (1500..=2200).contains(n));
    integers.len() >= MANY && !years && integers.windows(2).all(|pair| pair[1] == pair[0] + 1)
}

/// `id`, `user_id`, `Row ID`, `PassengerId`, `index`
fn is_name_of_identifier(name: &str) -> bool {
    let name = name.trim();
    let lower = name.to_lowercase();
    let whole = ["id", "ids", "index", "idx", "uuid", "guid"].contains(&&lower[..]);
    let part = ["_id", "-id", " id", ".id", "_index", " index", "_uuid"].iter().any(|end| lower.ends_with(end));
    let camel = name.strip_suffix("Id").or(name.strip_suffix("ID"));
    whole || part || camel.is_some_and(|before| before.ends_with(char::is_lowercase))
}

/// Whether cells are sentences rather than names: several words, and more than a few of them with a small first letter.
fn is_text(cells: &[&str]) -> bool {
    let (mut words, mut small, mut characters) = (0, 0, 0);
    for cell in cells {
        characters += cell.chars().count();
        for word in cell.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)) {
            words += 1;
            small += usize::from(word.starts_with(char::is_lowercase));
        }
    }
    let long = words >= 6 * cells.len() || characters >= 60 * cells.len() && words >= 2 * cells.len();
    long || words >= 3 * cells.len() && 3 * small >= words
}
