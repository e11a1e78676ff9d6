//! Rows of a table one after the other, however many, for a schema that is known.

use super::schema::Schema;
use super::sheet::{Place, Records, SheetError, SheetFault, delimiter, name_of, names_of, reader};
use crate::data::clip;
use csv::ByteRecord;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Bytes that are looked at to find the delimiter.
const PREVIEW: usize = 1 << 16;

/// The longest row: a quote that is never closed swallows the rest of the file, which may be longer than memory.
const LONGEST_ROW: usize = 1 << 20;

/// Bytes of which not too many can be read at a time.
struct Rationed<R> {
    source: R,
    /// How many can be read before the next row begins.
    left: usize,
    /// How many were read.
    read: u64,
    /// Whether these were all.
    ended: bool,
}

impl<R: Read> Read for Rationed<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::other(format!(
                "a row has more than {LONGEST_ROW} bytes; is a quote not closed?"
            )));
        }
        let most = to.len().min(self.left);
        let read = self.source.read(&mut to[..most])?;
        self.left -= read;
        self.read += read as u64;
        self.ended = read == 0;
        Ok(read)
    }
}

/// A table that is read row by row.
pub struct Stream {
    path: PathBuf,
    reader: Records<Rationed<BufReader<Box<dyn Read + Send>>>>,
    /// Names of its columns.
    pub names: Vec<String>,
    /// What stands between them.
    pub delimiter: u8,
    /// Where each field of the schema stands.
    columns: Vec<usize>,
    record: ByteRecord,
    /// Whether `record` is the next row.
    pending: bool,
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
    /// Begins to read; `path` is for messages. The first row names the columns, all of the schema's among them; if the
    /// table that was learned had no header, this has none either.
    pub fn new(path: &Path, source: Box<dyn Read + Send>, schema: &Schema) -> Result<Stream, SheetError> {
        let fail = |fault| SheetError { path: path.into(), fault };
        let mut source = BufReader::with_capacity(PREVIEW, source);
        let preview = source.fill_buf().map_err(|e| fail(e.into()))?;
        if preview.starts_with(&[0xff, 0xfe]) || preview.starts_with(&[0xfe, 0xff]) {
            return Err(fail(SheetFault::Utf16));
        }
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
        let source = Rationed { source, left: LONGEST_ROW, read: 0, ended: false };
        let (path, reader, record) = (path.to_path_buf(), reader(source, delimiter), ByteRecord::new());
        let mut stream = Stream { path, reader, names: vec![], delimiter, columns: vec![], record, pending: false };
        if stream.advance()?.is_none() {
            return Err(fail(SheetFault::Empty));
        }
        let cells: Vec<String> =
            stream.record.iter().map(|c| String::from_utf8_lossy(c).trim().to_string()).collect();
        // Names that were made up do not stand in a file.
        let bare = |name: &String| (0..cells.len()).any(|i| *name == name_of(i)) && !cells.contains(name);
        stream.pending = schema.fields.iter().all(|f| bare(&f.name));
        let row = if stream.pending { vec![String::new(); cells.len()] } else { cells };
        stream.names = names_of(row).map_err(fail)?;
        let column = |name: &String| {
            let names = stream.names.join(", ");
            let missing = || fail(SheetFault::NoColumn { name: name.clone(), names });
            stream.names.iter().position(|n| n == name).ok_or_else(missing)
        };
        stream.columns = schema.fields.iter().map(|f| column(&f.name)).collect::<Result<_, _>>()?;
        Ok(stream)
    }

    /// Reads a record that has something in it; none at the end.
    fn advance(&mut self) -> Result<Option<Place>, SheetError> {
        loop {
            self.reader.get_mut().get_mut().0.left = LONGEST_ROW;
            let any = self.reader.read_byte_record(&mut self.record);
            if !any.map_err(|e| self.fail(broken(e)))? {
                return Ok(None);
            }
            if self.record.iter().any(|c| !c.trim_ascii().is_empty()) {
                let source = self.reader.get_ref().get_ref().0;
                let at_end = source.ended && self.reader.position().byte() > source.read;
                return Ok(Some(Place::of(&self.reader, &self.record, at_end)));
            }
        }
    }

    /// Whether all that has come was read, so that the next row may take its time.
    pub fn waits(&self) -> bool {
        let source = self.reader.get_ref().get_ref().0;
        // Of two characters at the end of a row, the second is left.
        let read = self.reader.position().byte() + 1 >= source.read;
        !self.pending && read && source.source.buffer().is_empty()
    }

    fn fail(&self, fault: SheetFault) -> SheetError {
        SheetError { path: self.path.clone(), fault }
    }

    /// The next row; none at the end.
    pub fn next(&mut self, schema: &Schema) -> Result<Option<Streamed>, SheetError> {
        let place = match std::mem::take(&mut self.pending) {
            true => Some(Place::of(&self.reader, &self.record, false)),
            false => self.advance()?,
        };
        let Some(Place { line: row, open }) = place else { return Ok(None) };
        if open {
            return Err(self.fail(SheetFault::OpenQuote { row }));
        }
        let (found, wanted) = (self.record.len(), self.names.len());
        if found != wanted {
            let first = clip(&String::from_utf8_lossy(self.record.get(0).unwrap_or_default()));
            return Err(self.fail(SheetFault::Ragged { row, found, wanted, first }));
        }
        let mut cells = Vec::with_capacity(found);
        for cell in &self.record {
            let text = std::str::from_utf8(cell).map_err(|e| {
                let byte = e.valid_up_to();
                self.fail(SheetFault::Encoding { row, byte: byte + 1, value: cell[byte] })
            })?;
            cells.push(text.trim().to_string());
        }
        let value = |(field, &column): (&super::Field, &usize)| {
            field.number(&cells[column]).ok_or_else(|| Unknown {
                row,
                column: field.name.clone(),
                value: clip(&cells[column]),
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
    use crate::table::sheet::Header;
    use crate::table::{Known, Lesson, Sheet};
    use std::io::Cursor;

    fn schema() -> Schema {
        let sheet = Sheet::parse(Path::new("t"), b"a,b,y\n1,x,p\n0,z,n\n", Header::Present).unwrap();
        Lesson::of(&sheet, "y", &[], &Known::default()).unwrap().schema
    }

    fn stream(text: &str) -> Result<Vec<Streamed>, SheetError> {
        stream_of(schema(), text)
    }

    fn stream_of(schema: Schema, text: &str) -> Result<Vec<Streamed>, SheetError> {
        let mut all = vec![];
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

    /// However long the file, no more of it is held than the longest row.
    #[test]
    fn an_open_quote_is_found_before_the_file_is_read() {
        let open = stream("a,b\n1,x\n0,\"z\n1,x\n").unwrap_err().to_string();
        assert_eq!(open, "new.csv: row 3: a quote is not closed, so that the rest of the file is one cell");
        let endless = Box::new(Cursor::new("a,b\n0,\"z").chain(io::repeat(b'z')));
        let mut stream = Stream::new(Path::new("new.csv"), endless, &schema()).unwrap();
        let error = stream.next(&schema()).unwrap_err().to_string();
        assert!(error.contains("a row has more than 1048576 bytes; is a quote not closed?"), "{error}");
    }

    #[test]
    fn a_table_without_a_header_is_asked_without_one() {
        let sheet = Sheet::parse(Path::new("t"), b"1,x,p\n0,z,n\n", Header::Absent).unwrap();
        let schema = Lesson::of(&sheet, "#3", &[], &Known::default()).unwrap().schema;
        let rows = stream_of(schema, "\n0,x\n1,z\n").unwrap();
        assert_eq!(
            rows.iter().map(|r| (r.row, r.input.clone())).collect::<Vec<_>>(),
            [(2, Ok(vec![0, 0])), (3, Ok(vec![1, 1]))]
        );
    }
}
