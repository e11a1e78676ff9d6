//! Columns with their values, and rows as examples.

mod error;
#[cfg(test)]
mod tests;
mod weight;

use super::cells::{Meaning, Understood};
use super::columns::{Scale, field};
use super::notes::Note;
use super::sheet::Sheet;
use super::symmetries::Symmetries;
use crate::data::clip;
use csv::StringRecord;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use weight::weighted;

pub use error::SchemaError;

/// The most values of a column. Of more words, the rarest are one value together.
pub const MOST_VALUES: usize = 32;
/// The most classes.
pub const MOST_CLASSES: usize = 100;
/// Up to these, a class may be in one row.
const FEW_CLASSES: usize = 16;
/// What a cell without a value is called.
pub const MISSING: &str = "(missing)";
/// What rare words are called together.
pub const OTHER: &str = "(other)";
/// The number of a value that the table does not have.
pub const UNKNOWN: u8 = u8::MAX;
/// What people write into cells without a value.
const NOTHING: [&str; 6] = ["", "?", "na", "n/a", "nan", "null"];
/// The same for the target, where a word is rather an answer.
const NO_ANSWER: [&str; 2] = ["", "?"];
/// The longest name or value, in bytes of JSON: readers of runs refuse longer ones.
pub const LONGEST: usize = 200;

/// A column that is learned from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// The column's name.
    pub name: String,
    /// Its values, in order: numbers or ranges of them by size, words by letters, what is missing last.
    pub values: Vec<String>,
    /// How numbers become values; none if the values are words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) scale: Option<Scale>,
}

impl Field {
    /// A column of words, by name and values.
    pub fn of_words(name: impl Into<String>, values: Vec<String>) -> Field {
        Field { name: name.into(), values, scale: None }
    }

    /// Whether its values are numbers, dates, or ranges of these.
    pub fn has_numbers(&self) -> bool {
        self.scale.is_some()
    }
}

/// What a table is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// Columns that are learned from.
    pub fields: Vec<Field>,
    /// The column that is learned.
    pub target: String,
    /// The values of the target column, each a class.
    pub classes: Vec<String>,
}

/// A row as numbers of values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledRow {
    /// Its number in the file.
    pub row: usize,
    /// A value for every field.
    pub input: Vec<u8>,
    /// The number itself, for every field that has a scale; none where it is missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<Option<f64>>,
    /// The right class.
    pub class: u8,
}

/// A row whose class is asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableRow {
    /// A value for every field, or `u8::MAX` for a value that the table does not have.
    pub input: Vec<u8>,
    /// The number itself, for every field that has a scale; none where it is missing or cannot be read.
    pub numbers: Vec<Option<f64>>,
}

/// What the user says about columns, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// These do not matter.
    pub irrelevant: Vec<String>,
    /// Numbers in these are names.
    pub words: Vec<String>,
    /// How many rows each row counts for is in this one.
    pub weight: Option<String>,
}

/// A table to be learned.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledTable {
    /// What it is about.
    pub schema: Schema,
    /// The rows, each with its class.
    pub rows: Vec<LabelledRow>,
    /// What is unusual about the table, and what was done.
    pub notes: Vec<Note>,
}

/// Bytes of a text as a run keeps it, in JSON.
pub(super) fn kept_length(text: &str) -> usize {
    serde_json::to_string(text).map_or(usize::MAX, |kept| kept.len() - 2)
}

/// Whether a cell has no value.
pub fn is_missing(cell: &str) -> bool {
    NOTHING.iter().any(|nothing| cell.eq_ignore_ascii_case(nothing))
}

/// Whether a cell of the target has an answer.
fn is_answer(cell: &str) -> bool {
    !NO_ANSWER.contains(&cell)
}

fn by_size_or_letters(a: &str, b: &str) -> Ordering {
    match (a == MISSING, b == MISSING) {
        (false, false) => {}
        (a, b) => return a.cmp(&b),
    }
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(x), Ok(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}

impl Sheet {
    /// The number of a column by its name, or by `#` and its number from 1 on.
    pub fn column(&self, name: &str) -> Result<usize, SchemaError> {
        let by_name = self.names.iter().position(|n| n == name);
        let by_number =
            || name.strip_prefix('#')?.parse::<usize>().ok()?.checked_sub(1).filter(|i| *i < self.names.len());
        let missing = || SchemaError::NoColumn { name: clip(name), names: self.names.clone() };
        by_name.or_else(by_number).ok_or_else(missing)
    }
}

impl LabelledTable {
    /// What can be learned from a table about its column `target`. Columns that may change places have each other's
    /// values too, also those that a few rows do not show.
    pub fn of(sheet: &Sheet, target: &str, told: &Told, known: &Symmetries) -> Result<LabelledTable, SchemaError> {
        let at = sheet.column(target)?;
        let target = sheet.names[at].clone();
        let mut notes = vec![];
        let unlabelled: Vec<usize> =
            sheet.rows.iter().filter(|(_, cells)| !is_answer(&cells[at])).map(|(row, _)| *row).collect();
        let rows: Vec<&(usize, StringRecord)> =
            sheet.rows.iter().filter(|(_, cells)| is_answer(&cells[at])).collect();
        if !unlabelled.is_empty() {
            notes.push(Note::Unlabelled { target: target.clone(), rows: unlabelled });
        }
        let classes: HashSet<&str> = rows.iter().map(|(_, cells)| &cells[at]).collect();
        let mut classes: Vec<&str> = classes.into_iter().collect();
        classes.sort_by(|a, b| by_size_or_letters(a, b));
        match &classes[..] {
            [] => return Err(SchemaError::NoClass { target }),
            [class] => return Err(SchemaError::OneClass { target, class: clip(class) }),
            classes
                if classes.len() > MOST_CLASSES
                    || (classes.len() > FEW_CLASSES && 2 * classes.len() > rows.len()) =>
            {
                return Err(SchemaError::ManyClasses { target, found: classes.len(), rows: rows.len() });
            }
            _ => {}
        }
        let classes: Vec<String> = classes.into_iter().map(String::from).collect();
        let mut left_out = vec![at];
        for name in &told.irrelevant {
            let i = sheet.column(name)?;
            if i == at {
                return Err(SchemaError::Irrelevant { target });
            }
            left_out.push(i);
            notes.push(Note::Irrelevant { column: sheet.names[i].clone() });
        }
        let weight = told.weight.as_ref().map(|name| sheet.column(name)).transpose()?;
        if weight == Some(at) {
            return Err(SchemaError::Irrelevant { target });
        }
        left_out.extend(weight);
        let as_words: Vec<usize> = told.words.iter().map(|name| sheet.column(name)).collect::<Result<_, _>>()?;
        let mut fields = vec![];
        let mut columns = vec![];
        let alike: Vec<Vec<usize>> = known
            .interchangeable
            .iter()
            .chain(&known.cyclic)
            .map(|list| list.iter().filter_map(|name| sheet.column(name).ok()).collect())
            .collect();
        let cells = |i: usize| rows.iter().map(move |(_, cells)| &cells[i]);
        for (i, name) in sheet.names.iter().enumerate() {
            if left_out.contains(&i) {
                continue;
            }
            let shared = alike.iter().find(|list| list.contains(&i) && have_common(list, &cells));
            let seen: Vec<&str> = shared.map_or(vec![i], Vec::clone).into_iter().flat_map(cells).collect();
            let (Understood { meaning, note }, field) = field(name, &seen, as_words.contains(&i));
            let different: HashSet<&str> = seen.iter().copied().filter(|cell| !is_missing(cell)).collect();
            let column = || name.clone();
            let empty: Vec<usize> =
                rows.iter().filter(|(_, cells)| is_missing(&cells[i])).map(|(row, _)| *row).collect();
            let told = shared.is_some() || as_words.contains(&i);
            if field.values.len() <= 1 {
                let value = field.values.first().map_or(MISSING, String::as_str);
                notes.push(Note::Constant { column: column(), value: clip(value) });
            } else if meaning == Meaning::Identifier && !told {
                notes.push(Note::Identifier { column: column() });
            } else if meaning == Meaning::Text && !told {
                notes.push(Note::Text { column: column() });
            } else {
                notes.extend(note.map(|note| Note::Understood { column: column(), note }));
                if field.values.iter().any(|value| value == OTHER) {
                    notes.push(Note::TooMany { column: column(), values: different.len() });
                }
                if !empty.is_empty() {
                    notes.push(Note::Missing { column: column(), rows: empty });
                }
                fields.push(field);
                columns.push(i);
            }
        }
        if fields.is_empty() {
            return Err(SchemaError::NoFields { notes });
        }
        for (column, texts) in fields.iter().map(|f| (&f.name, &f.values)).chain([(&target, &classes)]) {
            if let Some(text) = texts.iter().chain([column]).find(|text| kept_length(text) > LONGEST) {
                return Err(SchemaError::Long { column: clip(column), text: clip(text) });
            }
            let alike = |a: &String| texts.iter().find(|b| a < *b && a.to_lowercase() == b.to_lowercase());
            if let Some((a, b)) = texts.iter().find_map(|a| Some((a, alike(a)?))) {
                notes.push(Note::Case { column: column.clone(), values: [a.clone(), b.clone()] });
            }
        }
        let schema = Schema { fields, target, classes };
        let encode = |(row, cells): &&(usize, StringRecord)| {
            let read = schema.read(&columns.iter().map(|&i| &cells[i]).collect::<Vec<_>>());
            let class = schema.classes.iter().position(|c| *c == cells[at]).expect("seen above") as u8;
            LabelledRow { row: *row, input: read.input, numbers: read.numbers, class }
        };
        let encoded: Vec<LabelledRow> = rows.iter().map(encode).collect();
        notes.extend(contradictions(&encoded));
        let rows = match weight {
            Some(i) => weighted(encoded, &sheet.names[i], &cells(i).collect::<Vec<_>>())?,
            None => encoded,
        };
        Ok(LabelledTable { schema, rows, notes })
    }
}

/// Whether each of some columns has a value in common with others of them, directly or by way of a third.
fn have_common<'a, I: Iterator<Item = &'a str>>(list: &[usize], cells: &dyn Fn(usize) -> I) -> bool {
    let values = |i: usize| cells(i).filter(|cell| !is_missing(cell)).collect::<HashSet<&str>>();
    let mut left: Vec<HashSet<&str>> = list.iter().map(|&i| values(i)).collect();
    let mut all = left.pop().unwrap_or_default();
    while let Some(at) = left.iter().position(|values| values.iter().any(|v| all.contains(v))) {
        all.extend(left.swap_remove(at));
    }
    left.is_empty() || all.iter().chain(left.iter().flatten()).all(|cell| cell.parse::<f64>().is_ok())
}

impl Schema {
    /// A row of cells, one for each field.
    pub fn read(&self, cells: &[&str]) -> TableRow {
        let mut row = TableRow::default();
        for (field, cell) in self.fields.iter().zip(cells) {
            let (value, number) = field.read(cell);
            row.input.push(value);
            if field.has_numbers() {
                row.numbers.push(number);
            }
        }
        row
    }
}

/// Rows that are alike and have different answers.
fn contradictions(rows: &[LabelledRow]) -> Vec<Note> {
    let bits = |row: &LabelledRow| row.numbers.iter().map(|x| x.map(f64::to_bits)).collect::<Vec<_>>();
    let mut alike = BTreeMap::<(&[u8], Vec<Option<u64>>), Vec<&LabelledRow>>::new();
    rows.iter().for_each(|row| alike.entry((&row.input, bits(row))).or_default().push(row));
    let mut found: Vec<Vec<usize>> = alike
        .into_values()
        .filter(|same| same.iter().any(|row| row.class != same[0].class))
        .map(|same| same.iter().map(|row| row.row).collect())
        .collect();
    found.sort();
    found.into_iter().map(|rows| Note::Contradiction { rows }).collect()
}
