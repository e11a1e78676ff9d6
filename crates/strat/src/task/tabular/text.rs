//! Rows of tables as text.

use super::{Column, Tabular, Words};
use crate::data::{DataError, pmlb};
use crate::task::dataset::{Domain, RowFault};
use crate::task::example::{Example, Target};
use crate::task::text::{ProbeFault, ReadFault, Text};
use std::borrow::Cow;

/// How files and people write the rows of a table.
#[derive(Clone, Copy, Debug)]
pub(in crate::task) struct Written {
    /// How the smallest value of every column is written.
    pub low: i32,
    /// The classes in words; without words they are numbered.
    pub classes: &'static [&'static str],
    /// Whether a file's target is the answer. Where the paper has a rule of its own it is not.
    pub has_answer: bool,
    /// Which columns a file has.
    pub columns: Columns,
    /// Reads a file's rows.
    pub rows: fn(&str, &[u8]) -> Result<Vec<pmlb::Row>, DataError>,
    /// What such a file is like.
    pub file_form: &'static str,
}

/// Which columns a file has.
#[derive(Clone, Copy, Debug)]
pub(in crate::task) enum Columns {
    /// Those of the table.
    Same,
    /// So many, or those of the table, which stand first.
    More(usize),
    /// The first `columns`, from which `rows` makes whole rows; or those of the table. Who types may
    /// give one value for all that are missing.
    Fewer { columns: usize, rows: fn(&[u8]) -> Vec<Vec<u8>> },
}

fn table(file: &str, bytes: &[u8]) -> Result<Vec<pmlb::Row>, DataError> {
    Ok(pmlb::numbered(file, bytes)?.1)
}

impl Written {
    /// As PMLB has them.
    pub const PMLB: Written = Written {
        low: 0,
        classes: &["negative", "positive"],
        has_answer: true,
        columns: Columns::Same,
        rows: table,
        file_form: "a table with tabs, a header and `target` as its last column, as it is or packed with gzip",
    };
    /// A table of one's own.
    pub const OWN: Written = Written { classes: &[], ..Written::PMLB };
}

/// Values of a row as symbols. The row may have more or fewer values than there are columns.
pub(in crate::task) fn symbols(columns: &[Column], low: i32, row: &[i32]) -> Result<Vec<u8>, RowFault> {
    let symbol = |(column, &value): (&Column, &i32)| {
        let high = highest(column, low);
        if (low..=high).contains(&value) {
            Ok((value - low) as u8)
        } else {
            Err(RowFault::Value { column: column.name.clone(), value, low, high })
        }
    };
    columns.iter().zip(row).map(symbol).collect()
}

/// How the largest value of a column is written.
fn highest(column: &Column, low: i32) -> i32 {
    low + column.values.min(1 << u8::BITS) as i32 - 1
}

/// A column's name in few letters: its first and its number, or its beginning.
fn short(name: &str) -> String {
    let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match &name[word.len()..] {
        "" => name.chars().take(6).collect(),
        number => word.chars().take(1).chain(number.chars().take(4)).collect(),
    }
}

impl Tabular {
    /// The inputs that a row of a file stands for.
    fn inputs(&self, row: &[i32]) -> Result<Vec<Vec<u8>>, RowFault> {
        let symbols = || symbols(&self.columns, self.written.low, row);
        let wanted = match self.written.columns {
            Columns::Fewer { columns, rows } if row.len() == columns => return Ok(rows(&symbols()?)),
            Columns::More(columns) | Columns::Fewer { columns, .. } => columns,
            Columns::Same => self.columns.len(),
        };
        if row.len() == wanted || row.len() == self.columns.len() {
            Ok(vec![symbols()?])
        } else {
            Err(RowFault::Columns { found: row.len(), wanted })
        }
    }

    /// The class of an input whose row has this target.
    fn class(&self, input: &[u8], target: i32) -> Result<Target, RowFault> {
        let right = self.label(input);
        if let (Some(right), false) = (&right, self.written.has_answer) {
            return Ok(right.clone());
        }
        let high = self.classes as i32 - 1;
        let class = match u8::try_from(target) {
            Ok(class) if i32::from(class) <= high => Target::Class(class),
            _ => return Err(RowFault::Value { column: "target".into(), value: target, low: 0, high }),
        };
        match right {
            Some(right @ Target::Class(rule)) if right != class => {
                Err(RowFault::Answer { what: "target", found: target.to_string(), rule: rule.to_string() })
            }
            _ => Ok(class),
        }
    }

    fn examples(&self, row: &pmlb::Row) -> Result<Vec<Example>, RowFault> {
        let inputs = self.inputs(&row.features)?.into_iter();
        inputs.map(|input| self.class(&input, row.target).map(|target| Example::new(input, target))).collect()
    }

    /// Whether a row is a run of digits 0 and 1.
    fn is_binary(&self) -> bool {
        self.written.low == 0 && self.columns.iter().all(|c| c.values == 2)
    }

    /// What was typed, number by number; bits need nothing between them.
    fn numbers<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
        if !self.is_binary() {
            return words.collect();
        }
        words.flat_map(|word| word.split("").filter(|c| !c.is_empty())).collect()
    }
}

impl Words {
    /// What was typed, value by value.
    fn probe(&self, columns: &[Column], text: &str) -> Result<Vec<u8>, ProbeFault> {
        let typed: Vec<&str> = text.split(',').map(str::trim).collect();
        if typed.len() != columns.len() {
            let wanted = columns.len().to_string().into();
            return Err(ProbeFault::Count { what: "values", found: typed.len(), wanted });
        }
        let symbol = |((column, known), typed): ((&Column, &Vec<String>), &str)| {
            let found = known.iter().position(|value| value == typed).map(|i| i as u8);
            found.ok_or_else(|| ProbeFault::value(&column.name, typed, one_of(known)))
        };
        columns.iter().zip(&self.values).zip(typed).map(symbol).collect()
    }
}

/// `a`, `a or b`, `a, b or c`
fn one_of(values: &[String]) -> String {
    match values {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => values.concat(),
    }
}

impl Text for Tabular {
    fn form(&self) -> Cow<'static, str> {
        if let Some(words) = &self.words {
            let names: Vec<&str> = self.columns.iter().map(|c| c.name.as_str()).collect();
            let values: Vec<&str> = words.values.iter().map(|v| v[0].as_str()).collect();
            return format!(
                "values of {} with commas between them, such as `{}`",
                names.join(", "),
                values.join(", ")
            )
            .into();
        }
        let low = self.written.low;
        // All sorts of values.
        let values: Vec<String> = (0..)
            .zip(&self.columns)
            .map(|(i, column)| (low + i % (highest(column, low) - low + 1).max(1)).to_string())
            .collect();
        let most = self.columns.len();
        match (self.is_binary(), self.written.columns) {
            (true, Columns::Fewer { columns, .. }) => {
                let (bits, rest) = (values[..columns].concat(), most - columns);
                format!("{columns} bits, then 1 bit for the other {rest} or all of them, such as `{bits} 1`").into()
            }
            (true, _) => format!("{most} bits, such as `{}`", values.concat()).into(),
            (false, _) => {
                let highs: Vec<String> = self.columns.iter().map(|c| highest(c, low).to_string()).collect();
                let (highs, values) = (highs.join(", "), values.join(" "));
                format!("{most} values from {low} on, at most {highs} in turn, such as `{values}`").into()
            }
        }
    }

    fn file_form(&self) -> Cow<'static, str> {
        self.written.file_form.into()
    }

    fn read(&self, file: &str, bytes: &[u8]) -> Result<Vec<Example>, ReadFault> {
        let mut examples = vec![];
        for row in (self.written.rows)(file, bytes)? {
            let fault = |fault| ReadFault::Row { file: file.into(), line: row.line, fault };
            examples.extend(self.examples(&row).map_err(fault)?);
        }
        Ok(examples)
    }

    fn probe(&self, text: &str) -> Result<Vec<u8>, ProbeFault> {
        if let Some(words) = &self.words {
            return words.probe(&self.columns, text);
        }
        let mut numbers = self.numbers(text);
        let (found, wanted) = (numbers.len(), self.columns.len());
        let wanted_too = match self.written.columns {
            Columns::Same => wanted,
            Columns::More(columns) => columns,
            Columns::Fewer { columns, .. } => columns + 1,
        };
        if found != wanted && found != wanted_too {
            let wanted: Cow<'static, str> = if wanted_too == wanted {
                wanted.to_string().into()
            } else {
                format!("{} or {}", wanted.min(wanted_too), wanted.max(wanted_too)).into()
            };
            return Err(ProbeFault::Count { what: "values", found, wanted });
        }
        // The last stands for all that are missing; those that are too many are not used.
        let last = numbers.last().copied().unwrap_or_default();
        numbers.resize(wanted, last);
        let low = self.written.low;
        let symbol = |(column, number): (&Column, &str)| {
            let high = highest(column, low);
            let value = number.parse().ok().filter(|value| (low..=high).contains(value));
            let bad = || ProbeFault::value(&column.name, number, format!("a whole number from {low} to {high}"));
            value.map(|value: i32| (value - low) as u8).ok_or_else(bad)
        };
        self.columns.iter().zip(numbers).map(symbol).collect()
    }

    fn place(&self, at: usize) -> String {
        self.columns[at].name.clone()
    }

    fn symbol(&self, symbol: u8) -> String {
        (self.written.low + i32::from(symbol)).to_string()
    }

    fn tokens(&self, input: &[u8]) -> Vec<String> {
        let column = |(i, (column, &symbol)): (usize, (&Column, &u8))| {
            let own = self.words.as_ref().and_then(|w| w.values[i].get(usize::from(symbol)).cloned());
            let value = own.unwrap_or_else(|| (self.written.low + i32::from(symbol)).to_string());
            format!("{} {value}", short(&column.name))
        };
        let class = std::iter::once("class".to_string());
        class.chain(self.columns.iter().zip(input).enumerate().map(column)).collect()
    }

    fn words(&self, target: &Target) -> String {
        let Target::Class(class) = target else { unreachable!("a table is not answered by {target:?}") };
        if let Some(own) = self.words.as_ref().and_then(|w| w.classes.get(usize::from(*class))) {
            return own.clone();
        }
        let word = self.written.classes.get(usize::from(*class));
        word.map_or_else(|| format!("class {class}"), |word| word.to_string())
    }
}
