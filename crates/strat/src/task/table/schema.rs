//! Columns with their values, and rows as examples.

use super::notes::Note;
use super::sheet::Sheet;
use super::symmetries::Symmetries;
use crate::data::clip;
use csv::StringRecord;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};

/// The most values of a column.
pub const MOST_VALUES: usize = 32;
/// The most classes.
pub const MOST_CLASSES: usize = 16;
/// From so many rows on, a column that is different in all of them is a name, and no property.
const MANY_ROWS: usize = 8;
/// What a cell without a value is called.
pub const MISSING: &str = "(missing)";
/// What people write into cells without a value.
const NOTHING: [&str; 6] = ["", "?", "na", "n/a", "nan", "null"];
/// The same for the target, where a word is rather an answer.
const NO_ANSWER: [&str; 2] = ["", "?"];
/// The longest name or value, in bytes of JSON: readers of runs refuse longer ones.
pub const LONGEST: usize = 200;

/// A column that is learned from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// The column's name.
    pub name: String,
    /// Its values, in order: numbers by size, words by letters, what is missing last.
    pub values: Vec<String>,
}

/// What a table is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledRow {
    /// Its number in the file.
    pub row: usize,
    /// A value for every field.
    pub input: Vec<u8>,
    /// The right class.
    pub class: u8,
}

/// A table to be learned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledTable {
    /// What it is about.
    pub schema: Schema,
    /// The rows, each with its class.
    pub rows: Vec<LabelledRow>,
    /// What is unusual about the table, and what was done.
    pub notes: Vec<Note>,
}

/// Why there is nothing to learn.
#[expect(missing_docs, reason = "the messages say what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    #[error("there is no column {name:?}; the columns are {}", list(.names))]
    NoColumn { name: String, names: Vec<String> },
    #[error("the target {target:?} is {class:?} in every row; there is nothing to learn")]
    OneClass { target: String, class: String },
    #[error(
        "the target {target:?} is {class:?} in every row that is left: those with another answer are outvoted by rows \
         that are alike, or left out. There is nothing to learn{}", listed(.notes)
    )]
    OneClassLeft { target: String, class: String, notes: Vec<Note> },
    #[error(
        "column {column:?}: {text:?} is longer than {LONGEST} bytes, those that are not printed counted as they are \
         kept, with six each; shorten it, or leave the column out"
    )]
    Long { column: String, text: String },
    #[error("{target:?} is the target; it cannot be irrelevant too")]
    Irrelevant { target: String },
    #[error("the target {target:?} has no value in any row")]
    NoClass { target: String },
    #[error(
        "the target {target:?} has {found} different values, and at most {MOST_CLASSES} can be learned; is it the right column?"
    )]
    ManyClasses { target: String, found: usize },
    #[error("no column is left to learn from{}", listed(.notes))]
    NoFields { notes: Vec<Note> },
    #[error("all rows contradict each other: none is left{}", listed(.notes))]
    NoRows { notes: Vec<Note> },
}

fn list(names: &[String]) -> String {
    names.iter().map(|n| format!("{:?}", clip(n))).collect::<Vec<_>>().join(", ")
}

/// The first few notes, a line each.
fn listed(notes: &[Note]) -> String {
    const SHOWN: usize = 20;
    let mut lines: String = notes.iter().take(SHOWN).map(|n| format!("\n  {n}")).collect();
    if notes.len() > SHOWN {
        lines += &format!("\n  and {} more", notes.len() - SHOWN);
    }
    lines
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

/// The different values of cells, in order.
fn values<'a>(cells: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let different: HashSet<&str> = cells.map(|c| if is_missing(c) { MISSING } else { c }).collect();
    let mut values: Vec<&str> = different.into_iter().collect();
    values.sort_by(|a, b| by_size_or_letters(a, b));
    values
}

/// Gives all columns of a list the values of any, unless those of some have nothing to do with those of others.
fn share_values<'a>(list: &[usize], possible: &mut [Vec<&'a str>]) {
    let mut all: HashSet<&'a str> =
        list.first().map_or_else(HashSet::new, |&i| possible[i].iter().copied().collect());
    let mut left: Vec<usize> = list.to_vec();
    while let Some(at) = left.iter().position(|&i| possible[i].iter().any(|v| all.contains(v))) {
        all.extend(&possible[left.swap_remove(at)]);
    }
    if left.is_empty() {
        let all = values(all.into_iter());
        list.iter().for_each(|&i| possible[i].clone_from(&all));
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
    pub fn of(
        sheet: &Sheet,
        target: &str,
        irrelevant: &[String],
        known: &Symmetries,
    ) -> Result<LabelledTable, SchemaError> {
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
            classes if classes.len() > MOST_CLASSES => {
                return Err(SchemaError::ManyClasses { target, found: classes.len() });
            }
            _ => {}
        }
        let classes: Vec<String> = classes.into_iter().map(String::from).collect();
        let mut left_out = vec![at];
        for name in irrelevant {
            let i = sheet.column(name)?;
            if i == at {
                return Err(SchemaError::Irrelevant { target });
            }
            left_out.push(i);
            notes.push(Note::Irrelevant { column: sheet.names[i].clone() });
        }
        let mut fields = vec![];
        let mut columns = vec![];
        let seen = |i: usize| values(rows.iter().map(|(_, cells)| &cells[i]));
        let mut possible: Vec<Vec<&str>> = (0..sheet.names.len()).map(seen).collect();
        let mut shared = vec![];
        for list in known.interchangeable.iter().chain(&known.cyclic) {
            let list: Vec<usize> = list.iter().filter_map(|name| sheet.column(name).ok()).collect();
            share_values(&list, &mut possible);
            shared.extend(list);
        }
        for ((i, name), values) in sheet.names.iter().enumerate().zip(possible) {
            if left_out.contains(&i) {
                continue;
            }
            let is_name = values.len() == rows.len() && rows.len() >= MANY_ROWS && !shared.contains(&i);
            let column = || name.clone();
            let empty: Vec<usize> =
                rows.iter().filter(|(_, cells)| is_missing(&cells[i])).map(|(row, _)| *row).collect();
            match values.len() {
                1 => notes.push(Note::Constant { column: column(), value: clip(values[0]) }),
                n if n > MOST_VALUES => notes.push(Note::TooMany { column: column(), values: n }),
                n if is_name => notes.push(Note::AllDifferent { column: column(), rows: n }),
                _ => {
                    if !empty.is_empty() {
                        notes.push(Note::Missing { column: column(), rows: empty });
                    }
                    let values = values.into_iter().map(String::from).collect();
                    fields.push(Field { name: column(), values });
                    columns.push(i);
                }
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
        let encode = |(row, cells): &&(usize, StringRecord)| LabelledRow {
            row: *row,
            input: schema
                .fields
                .iter()
                .zip(&columns)
                .map(|(f, &i)| f.number(&cells[i]).expect("seen above"))
                .collect(),
            class: schema.classes.iter().position(|c| *c == cells[at]).expect("seen above") as u8,
        };
        let rows = agreed(rows.iter().map(encode).collect(), &mut notes);
        let Some(first) = rows.first() else { return Err(SchemaError::NoRows { notes }) };
        if rows.iter().all(|r| r.class == first.class) {
            let class = schema.classes[usize::from(first.class)].clone();
            return Err(SchemaError::OneClassLeft { target: schema.target, class, notes });
        }
        Ok(LabelledTable { schema, rows, notes })
    }
}

fn number(values: &[String], cell: &str) -> Option<u8> {
    let cell = if is_missing(cell) { MISSING } else { cell };
    values.iter().position(|v| v == cell).map(|i| i as u8)
}

impl Field {
    /// The number of a cell's value.
    pub fn number(&self, cell: &str) -> Option<u8> {
        number(&self.values, cell)
    }
}

/// Rows without those that contradict most rows that are alike.
fn agreed(rows: Vec<LabelledRow>, notes: &mut Vec<Note>) -> Vec<LabelledRow> {
    let mut alike = BTreeMap::<&[u8], Vec<usize>>::new();
    rows.iter().enumerate().for_each(|(i, r)| alike.entry(&r.input).or_default().push(i));
    let mut wrong = HashSet::new();
    for same in alike.values().filter(|same| same.iter().any(|&i| rows[i].class != rows[same[0]].class)) {
        let votes = |class: u8| same.iter().filter(|&&i| rows[i].class == class).count();
        let (kept, out): (Vec<usize>, Vec<usize>) =
            same.iter().partition(|&&i| 2 * votes(rows[i].class) > same.len());
        let numbers = |of: &[usize]| of.iter().map(|&i| rows[i].row).collect();
        notes.push(Note::Contradiction { rows: numbers(same), kept: numbers(&kept) });
        wrong.extend(out);
    }
    rows.iter().enumerate().filter(|(i, _)| !wrong.contains(i)).map(|(_, r)| r.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::table::sheet::Header;
    use std::path::Path;

    fn labelled(text: &str, target: &str) -> Result<LabelledTable, SchemaError> {
        let sheet = Sheet::parse(Path::new("t.csv"), text.as_bytes(), Header::Present).unwrap();
        LabelledTable::of(&sheet, target, &[], &Symmetries::default())
    }

    /// In ten rows of a ring one place may never change, and still it is part of the ring.
    #[test]
    fn columns_that_change_places_share_their_values() {
        let sheet = |text: &str| Sheet::parse(Path::new("t.csv"), text.as_bytes(), Header::Present).unwrap();
        let ring = |names: &str| Symmetries {
            cyclic: vec![names.split(',').map(String::from).collect()],
            ..Symmetries::default()
        };
        let of = |text: &str, names: &str| LabelledTable::of(&sheet(text), "y", &[], &ring(names)).unwrap();
        let l = of("a,b,c,y\n1,0,2,p\n0,0,1,n\n", "a,b,c");
        assert!(l.schema.fields.iter().all(|f| f.values == ["0", "1", "2"]) && l.schema.fields.len() == 3);
        assert!(l.notes.is_empty(), "{:?}", l.notes);
        assert_eq!(l.rows[0].input, [1, 0, 2]);
        // Whatever the order in which they are named.
        let l = of("a,b,c,y\non,off,on,p\non,off,off,n\n", "a,b,c");
        assert!(l.schema.fields.iter().all(|f| f.values == ["off", "on"]) && l.schema.fields.len() == 3);
        // Columns that have nothing in common do not share anything.
        let l = of("a,b,y\n1,red,p\n0,green,n\n", "a,b");
        assert_eq!(l.schema.fields[1].values, ["green", "red"]);
    }

    #[test]
    fn values_are_numbered_by_size_or_letters() {
        let l = labelled("size,colour,ok\n10,red,yes\n9,blue,no\n,red,yes\n9,blue,no\n", "ok").unwrap();
        assert_eq!(l.schema.fields[0].values, ["9", "10", MISSING]);
        assert_eq!(l.schema.fields[1].values, ["blue", "red"]);
        assert_eq!(l.schema.classes, ["no", "yes"]);
        assert_eq!(l.rows[0], LabelledRow { row: 2, input: vec![1, 1], class: 1 });
        assert_eq!(l.notes, [Note::Missing { column: "size".into(), rows: vec![4] }]);
    }

    #[test]
    fn words_that_differ_in_case_alone_are_pointed_out() {
        let l = labelled("x,y\nYes,a\nno,A\nyes,a\nno,A\n", "y").unwrap();
        let said: Vec<String> = l.notes.iter().map(Note::to_string).collect();
        let hint = "are taken for different values; write them alike if they are the same";
        assert_eq!(said, [format!("\"x\": \"Yes\" and \"yes\" {hint}"), format!("\"y\": \"A\" and \"a\" {hint}")]);
    }

    #[test]
    fn unusual_columns_are_left_out_and_named() {
        let rows: String = (0..40).map(|i| format!("{i},same,{},{}\n", i % 2, i % 2)).collect();
        let l = labelled(&format!("id,c,x,y\n{rows}"), "y").unwrap();
        let said: Vec<String> = l.notes.iter().map(Note::to_string).collect();
        assert!(said[0].starts_with("\"id\": has 40 different values"), "{said:?}");
        assert_eq!(said[1], "\"c\": is \"same\" in every row; left out");
        assert_eq!(l.schema.fields.len(), 1);
        let rows: String = (0..9).map(|i| format!("n{i},{},{}\n", i % 2, i % 2)).collect();
        let l = labelled(&format!("name,x,y\n{rows}"), "y").unwrap();
        assert_eq!(l.notes[0].to_string(), "\"name\": is different in each of the 9 rows, like a name; left out");
    }

    #[test]
    fn contradicting_rows_are_settled_by_most_of_them() {
        let l = labelled("x,y\n1,a\n1,a\n1,b\n0,b\n", "y").unwrap();
        assert_eq!(
            l.notes[0].to_string(),
            "rows 2, 3 and 4 are alike, but have different answers; kept rows 2 and 3, as most of them say"
        );
        assert_eq!(l.rows.iter().map(|r| r.row).collect::<Vec<_>>(), [2, 3, 5]);
        let l = labelled("x,y\n1,a\n1,b\n0,b\n2,a\n", "y").unwrap();
        assert_eq!(l.notes[0].to_string(), "rows 2 and 3 are alike, but have different answers; left out");
    }

    #[test]
    fn nothing_to_learn_is_said() {
        let error = |text: &str, target: &str| labelled(text, target).unwrap_err().to_string();
        assert_eq!(
            error("x,y\n1,a\n0,a\n", "y"),
            "the target \"y\" is \"a\" in every row; there is nothing to learn"
        );
        assert_eq!(error("x,y\n1,a\n0,b\n", "z"), "there is no column \"z\"; the columns are \"x\", \"y\"");
        assert_eq!(error("x,y\n1,\n0,?\n", "y"), "the target \"y\" has no value in any row");
        // Both are there, but one of them only in a row that is outvoted, or that contradicts another.
        let left = error("x,y\n1,a\n1,a\n1,b\n0,a\n", "y");
        assert!(left.starts_with("the target \"y\" is \"a\" in every row that is left"), "{left}");
        assert!(
            left.ends_with(
                "rows 2, 3 and 4 are alike, but have different answers; kept rows 2 and 3, as most of them say"
            ),
            "{left}"
        );
        // As long as it is kept.
        let bells = "\u{7}".repeat(34);
        assert!(error(&format!("x,y\n{bells},a\n0,b\n"), "y").contains("is longer than 200 bytes"));
        assert!(labelled(&format!("x,y\n{},a\n0,b\n", &bells[1..]), "y").is_ok());
        assert!(error("x,y\n1,a\n1,b\n", "y").starts_with("no column is left to learn from\n  \"x\": is \"1\""));
        let many: String = (0..40).map(|i| format!("{},{i}\n", i % 2)).collect();
        assert!(error(&format!("x,y\n{many}"), "y").contains("has 40 different values"));
    }
}
