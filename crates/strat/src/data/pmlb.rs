//! PMLB's tables: tab-separated whole numbers, the last column is `target`.

use super::error::{DataError, LineFault};
use super::lines::lines;
use super::unpack;
use std::fmt;

/// A table of whole numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Names of the features.
    pub columns: Vec<String>,
    /// Features, one inner vector per row.
    pub rows: Vec<Vec<i32>>,
    /// The class of every row.
    pub target: Vec<i32>,
}

/// One row, with the line where it stands.
pub(crate) struct Row {
    pub line: usize,
    pub features: Vec<i32>,
    pub target: i32,
}

/// Reads a `.tsv.gz` or a `.tsv`.
pub fn parse(file: &str, bytes: &[u8]) -> Result<Table, DataError> {
    let (columns, rows) = numbered(file, bytes)?;
    let (rows, target) = rows.into_iter().map(|row| (row.features, row.target)).unzip();
    Ok(Table { columns, rows, target })
}

/// The names of the features, and the rows.
pub(crate) fn numbered(file: &str, bytes: &[u8]) -> Result<(Vec<String>, Vec<Row>), DataError> {
    let text = unpack::plain(file, bytes)?;
    let mut lines = lines(file, &text);
    let (number, header) = lines.next().unwrap_or(Ok((1, "")))?;
    let mut columns: Vec<String> = header.split('\t').map(|c| c.trim().into()).collect();
    if columns.pop().as_deref() != Some("target") || columns.is_empty() {
        let what = "header: names of the features separated by tabs, then `target`";
        return Err(DataError::line(file, number, LineFault::Missing(what)));
    }
    let mut rows = vec![];
    for next in lines {
        let (line, text) = next?;
        let (found, wanted) = (text.split('\t').count(), columns.len() + 1);
        if found != wanted {
            return Err(DataError::line(file, line, LineFault::Fields { found, wanted }));
        }
        let mut features = Vec::with_capacity(wanted);
        for (i, field) in text.split('\t').enumerate() {
            let name = || columns.get(i).map_or("target", String::as_str).to_string();
            let value = field.trim().parse();
            let bad = |_| DataError::value(file, line, name(), field, "a whole number of 32 bits");
            features.push(value.map_err(bad)?);
        }
        let target = features.pop().expect("a line has at least one field");
        rows.push(Row { line, features, target });
    }
    Ok((columns, rows))
}

impl fmt::Display for Table {
    /// As the unpacked file, without its last line end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\ttarget", self.columns.join("\t"))?;
        for (row, target) in self.rows.iter().zip(&self.target) {
            f.write_str("\n")?;
            row.iter().try_for_each(|value| write!(f, "{value}\t"))?;
            write!(f, "{target}")?;
        }
        Ok(())
    }
}
