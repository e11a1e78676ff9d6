//! Rows of a table one after the other, however many, for a schema that is known.

use super::schema::{Schema, is_missing};
use super::sheet::{Records, SheetError, SheetFault, delimiter, line_of, reader, same_names};
use crate::data::clip;
use csv::ByteRecord;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Bytes that are looked at to find the delimiter.
const PREVIEW: usize = 1 << 16;

/// A table that is read row by row.
pub struct Stream {
    path: PathBuf,
    reader: Records<BufReader<Box<dyn Read>>>,
    /// Names of its columns.
    pub names: Vec<String>,
    /// What stands between them.
    pub delimiter: u8,
    /// Where each field of the schema stands.
    columns: Vec<usize>,
    record: ByteRecord,
}

/// A row that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Streamed {
    /// Its number in the file.
    pub row: usize,
    /// Its cells.
    pub cells: Vec<String>,
    /// Its values for a model, or the first that is unknown.
    pub input: Result<Vec<u8>, Unknown>,
}

/// A value that the schema does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("row {row}, column {column:?}: {value:?} is unknown; the table that was learned has {known}")]
pub struct Unknown {
    /// The row's number in the file.
    pub row: usize,
    /// The column's name.
    pub column: String,
    /// What stands there.
    pub value: String,
    /// What may.
    pub known: String,
}

impl Stream {
    /// Begins to read; `path` is for messages. The first row names the columns, all of the schema's among them.
    pub fn new(path: &Path, source: Box<dyn Read>, schema: &Schema) -> Result<Stream, SheetError> {
        let fail = |fault| SheetError { path: path.into(), fault };
        let mut source = BufReader::with_capacity(PREVIEW, source);
        let preview = source.fill_buf().map_err(|e| fail(e.into()))?;
        let mark = if preview.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 };
        // A line that the preview cuts is not looked at.
        let end = preview.iter().rposition(|b| *b == b'\n').map_or(preview.len(), |n| n + 1);
        let found = delimiter(&String::from_utf8_lossy(&preview[mark..end]));
        source.consume(mark);
        // A single column needs no delimiter.
        let delimiter = match (found, schema.fields.len()) {
            (Some(found), _) => found,
            (None, 1) => b',',
            (None, _) => return Err(fail(SheetFault::OneColumn)),
        };
        let mut reader = reader(source, delimiter);
        let mut record = ByteRecord::new();
        let any = reader.read_byte_record(&mut record).map_err(|e| fail(broken(e)))?;
        if !any {
            return Err(fail(SheetFault::Empty));
        }
        let names: Vec<String> = record.iter().map(|c| String::from_utf8_lossy(c).trim().to_string()).collect();
        same_names(&names).map_err(fail)?;
        let column = |name: &String| {
            let missing = || fail(SheetFault::NoColumn { name: name.clone(), names: names.join(", ") });
            names.iter().position(|n| n == name).ok_or_else(missing)
        };
        let columns = schema.fields.iter().map(|f| column(&f.name)).collect::<Result<_, _>>()?;
        Ok(Stream { path: path.into(), reader, names, delimiter, columns, record })
    }

    /// The next row; none at the end.
    pub fn next(&mut self, schema: &Schema) -> Result<Option<Streamed>, SheetError> {
        let fail = |path: &PathBuf, fault| SheetError { path: path.clone(), fault };
        loop {
            let any = self.reader.read_byte_record(&mut self.record).map_err(|e| fail(&self.path, broken(e)))?;
            if !any {
                return Ok(None);
            }
            if self.record.iter().any(|c| !c.trim_ascii().is_empty()) {
                break;
            }
        }
        let row = line_of(&self.reader, &self.record, false);
        let (found, wanted) = (self.record.len(), self.names.len());
        if found != wanted {
            let first = clip(&String::from_utf8_lossy(self.record.get(0).unwrap_or_default()));
            return Err(fail(&self.path, SheetFault::Ragged { row, found, wanted, first }));
        }
        let mut cells = Vec::with_capacity(found);
        for cell in &self.record {
            let text = std::str::from_utf8(cell).map_err(|e| {
                let byte = e.valid_up_to();
                fail(&self.path, SheetFault::Encoding { row, byte: byte + 1, value: cell[byte] })
            })?;
            cells.push(text.trim().to_string());
        }
        let value = |(field, &column): (&super::Field, &usize)| {
            field.number(&cells[column]).ok_or_else(|| Unknown {
                row,
                column: field.name.clone(),
                value: if is_missing(&cells[column]) { String::new() } else { clip(&cells[column]) },
                known: field.values.join(", "),
            })
        };
        let input = schema.fields.iter().zip(&self.columns).map(value).collect();
        Ok(Some(Streamed { row, cells, input }))
    }
}

fn broken(error: csv::Error) -> SheetFault {
    match error.into_kind() {
        csv::ErrorKind::Io(e) => SheetFault::Io(e),
        other => SheetFault::Io(std::io::Error::other(format!("{other:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Known, Lesson, Sheet};
    use std::io::Cursor;

    fn schema() -> Schema {
        let sheet = Sheet::parse(Path::new("t"), b"a,b,y\n1,x,p\n0,z,n\n", None).unwrap();
        Lesson::of(&sheet, "y", &[], &Known::default()).unwrap().schema
    }

    fn stream(text: &str) -> Result<Vec<Streamed>, SheetError> {
        let (schema, mut all) = (schema(), vec![]);
        let mut stream =
            Stream::new(Path::new("new.csv"), Box::new(Cursor::new(text.to_string().into_bytes())), &schema)?;
        while let Some(row) = stream.next(&schema)? {
            all.push(row);
        }
        Ok(all)
    }

    #[test]
    fn rows_are_read_in_any_order_of_columns() {
        let rows = stream("name;b;a\nfirst;x;1\n\nsecond; z ;0\n").unwrap();
        assert_eq!(rows.iter().map(|r| r.row).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(rows[0].input, Ok(vec![1, 0]));
        assert_eq!(rows[1].cells, ["second", "z", "0"]);
    }

    #[test]
    fn what_is_unknown_is_named() {
        let rows = stream("a,b\n1,x\n2,x\n").unwrap();
        assert_eq!(
            rows[1].input.as_ref().unwrap_err().to_string(),
            "row 3, column \"a\": \"2\" is unknown; the table that was learned has 0, 1"
        );
        let error = stream("a,c\n1,x\n").unwrap_err().to_string();
        assert_eq!(error, "new.csv: there is no column \"b\", which the learners need; the columns are a, c");
        assert!(stream("a,b\n1\n").unwrap_err().to_string().contains("row 2 has 1 columns"));
    }
}
