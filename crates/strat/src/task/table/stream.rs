//! Rows of a table one after the other, however many, for a schema that is known.

use super::records::{Beginning, Place, Records, Text};
use super::schema::{Schema, TableRow, UNKNOWN};
use super::sheet::{SheetError, SheetFault, name_of, names_of};
use crate::data::clip;
use crate::escape;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

/// A table that is read row by row.
pub struct Stream {
    path: PathBuf,
    records: Records<Text<Box<dyn Read + Send>>>,
    /// Names of its columns.
    pub names: Vec<String>,
    /// What stands between them.
    pub delimiter: u8,
    /// Where each field of the schema stands.
    columns: Vec<usize>,
    /// Where the record that was read is, if it is the next row.
    pending: Option<Place>,
}

/// A row that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Streamed {
    /// Its number in the file.
    pub row: usize,
    /// Its cells as they are, spaces included.
    pub cells: Vec<String>,
    /// As a model reads it.
    pub read: TableRow,
    /// Its first cell that the table that was learned tells nothing about.
    pub unknown: Option<Unknown>,
}

/// A value that the schema does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("row {row}, column {column:?}: {value:?} is unknown; the table that was learned has {}", escape::list(.known))]
pub struct Unknown {
    /// The row's number in the file.
    pub row: usize,
    /// The column's name.
    pub column: String,
    /// What stands there.
    pub value: String,
    /// What may.
    pub known: Vec<String>,
}

impl Stream {
    /// Begins to read; `path` is for messages. The first row names the columns, all of the schema's among them; if the
    /// table that was learned had no header, this has none either.
    pub fn new(path: &Path, source: Box<dyn Read + Send>, schema: &Schema) -> Result<Stream, SheetError> {
        let fail = |fault| SheetError { path: path.into(), fault };
        let mut source = Text::new(source).map_err(SheetFault::from).map_err(fail)?;
        let beginning = source.fill_buf().map_err(SheetFault::from).and_then(Beginning::of).map_err(fail)?;
        source.consume(beginning.skipped);
        // A single column needs no delimiter.
        let delimiter = match (beginning.delimiter, schema.fields.len()) {
            (Some(found), _) => found,
            (None, 1) => b',',
            (None, _) => return Err(fail(SheetFault::OneColumn)),
        };
        let utf16 = source.is_utf16();
        let mut records = Records::after(&beginning, delimiter, source, utf16, u64::MAX);
        let (first, cells, is_row) = loop {
            let place = records.advance().map_err(fail)?.ok_or_else(|| fail(SheetFault::Empty))?;
            if place.open {
                return Err(fail(SheetFault::OpenQuote { row: place.line }));
            }
            let cells = records.cells(place.line).map_err(fail)?;
            let cells: Vec<String> = cells.into_iter().map(|cell| cell.trim().to_string()).collect();
            // Names that were made up do not stand in a file.
            let bare = |name: &String| (0..cells.len()).any(|i| *name == name_of(i)) && !cells.contains(name);
            let is_row = schema.fields.iter().all(|f| bare(&f.name));
            if is_row || cells.iter().any(|cell| !cell.is_empty()) {
                break (place, cells, is_row);
            }
        };
        let names = names_of(if is_row { vec![String::new(); cells.len()] } else { cells }).map_err(fail)?;
        let column = |name: &String| {
            let missing = || fail(SheetFault::NoColumn { name: name.clone(), names: names.clone() });
            names.iter().position(|n| n == name).ok_or_else(missing)
        };
        let columns = schema.fields.iter().map(|f| column(&f.name)).collect::<Result<_, _>>()?;
        let pending = is_row.then_some(first);
        Ok(Stream { path: path.into(), records, names, delimiter, columns, pending })
    }

    /// Reads the next row; none at the end. Lines with nothing in them are passed over.
    fn advance(&mut self) -> Result<Option<Place>, SheetFault> {
        loop {
            let Some(place) = self.records.advance()? else { return Ok(None) };
            let record = &self.records.record;
            if self.names.len() == 1 || record.len() > 1 || !record[0].trim_ascii().is_empty() {
                return Ok(Some(place));
            }
        }
    }

    /// Whether all that has come was read, so that the next row may take its time.
    pub fn waits(&self) -> bool {
        self.pending.is_none() && self.records.is_caught_up() && self.records.bytes().buffer().is_empty()
    }

    /// The next row; none at the end.
    pub fn next(&mut self, schema: &Schema) -> Result<Option<Streamed>, SheetError> {
        self.row(schema).map_err(|fault| SheetError { path: self.path.clone(), fault })
    }

    fn row(&mut self, schema: &Schema) -> Result<Option<Streamed>, SheetFault> {
        let place = match self.pending.take() {
            Some(place) => Some(place),
            None => self.advance()?,
        };
        let Some(Place { line: row, open }) = place else { return Ok(None) };
        if open {
            return Err(SheetFault::OpenQuote { row });
        }
        let cells: Vec<String> = self.records.cells(row)?.into_iter().map(String::from).collect();
        let (found, wanted) = (cells.len(), self.names.len());
        if found != wanted {
            let first = clip(cells.first().map_or("", |cell| cell));
            return Err(SheetFault::Ragged { row, found, wanted, first });
        }
        let asked: Vec<&str> = self.columns.iter().map(|&column| cells[column].trim()).collect();
        let read = schema.read(&asked);
        let unknown = read.input.iter().position(|value| *value == UNKNOWN).map(|i| Unknown {
            row,
            column: schema.fields[i].name.clone(),
            value: clip(asked[i]),
            known: match schema.fields[i].scale {
                Some(_) => vec!["numbers".into()],
                None => schema.fields[i].values.clone(),
            },
        });
        Ok(Some(Streamed { row, cells, read, unknown }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::table::Told;
    use crate::task::table::sheet::Header;
    use crate::task::table::{LabelledTable, Sheet, Symmetries};
    use std::io::{self, Cursor};

    fn schema() -> Schema {
        let sheet = Sheet::parse(Path::new("t"), b"a,b,y\n1,x,p\n0,z,n\n", Header::Present).unwrap();
        LabelledTable::of(&sheet, "y", &Told::default(), &Symmetries::default()).unwrap().schema
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
        assert_eq!(rows[0].read.input, [1, 0]);
        assert_eq!(rows[1].cells, ["second", " z ", "0"]);
    }

    /// Also one that has nothing in it; that line is no row, and this may be one of a table with one column.
    #[test]
    fn every_row_is_read() {
        let numbers = |rows: &[Streamed]| rows.iter().map(|r| (r.row, r.unknown.is_none())).collect::<Vec<_>>();
        for end in ["\n", "\r\n", "\r"] {
            let rows = stream(&["a,b", "1,x", ",", "", "  ", "\"\",\"\"", "0,z"].join(end)).unwrap();
            assert_eq!(numbers(&rows), [(2, true), (3, false), (6, false), (7, true)], "{end:?}");
        }
        let sheet = Sheet::parse(Path::new("t"), b"a,y\n1,p\n,n\n", Header::Present).unwrap();
        let schema = LabelledTable::of(&sheet, "y", &Told::default(), &Symmetries::default()).unwrap().schema;
        let rows = stream_of(schema, "a\n1\n\n\"\"\n1\n").unwrap();
        assert_eq!(numbers(&rows), [(2, true), (4, true), (5, true)]);
    }

    #[test]
    fn what_is_unknown_is_named() {
        let rows = stream("a,b\n1,x\n2,q\n").unwrap();
        assert_eq!(
            rows[1].unknown.as_ref().unwrap().to_string(),
            "row 3, column \"b\": \"q\" is unknown; the table that was learned has x, z"
        );
        let error = stream("a,c\n1,x\n").unwrap_err().to_string();
        assert_eq!(error, "new.csv: there is no column \"b\", which is needed; the columns are a, c");
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
        assert!(error.contains("row 2 has more than 1048576 bytes; is a quote not closed?"), "{error}");
    }

    #[test]
    fn a_table_without_a_header_is_asked_without_one() {
        let sheet = Sheet::parse(Path::new("t"), b"1,x,p\n0,z,n\n", Header::Absent).unwrap();
        let schema = LabelledTable::of(&sheet, "#3", &Told::default(), &Symmetries::default()).unwrap().schema;
        assert_eq!(stream_of(schema.clone(), "\n,\n0,x\n").unwrap().len(), 2, "nothing is no name");
        let rows = stream_of(schema, "\n0,x\n1,z\n").unwrap();
        assert_eq!(
            rows.iter().map(|r| (r.row, r.read.input.clone())).collect::<Vec<_>>(),
            [(2, vec![0, 0]), (3, vec![1, 1])]
        );
    }

    /// However the bytes come.
    #[test]
    fn utf16_and_named_delimiters_are_read_as_they_come() {
        struct Slow(Cursor<Vec<u8>>, usize);
        impl Read for Slow {
            fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
                let most = to.len().min(self.1);
                self.0.read(&mut to[..most])
            }
        }
        let read = |bytes: Vec<u8>, step: usize| -> Result<Vec<Streamed>, SheetError> {
            let source = Box::new(Slow(Cursor::new(bytes), step));
            let (mut stream, mut all) = (Stream::new(Path::new("new.csv"), source, &schema())?, vec![]);
            while let Some(row) = stream.next(&schema())? {
                all.push(row);
            }
            assert!(stream.waits());
            Ok(all)
        };
        let text = "name;a;b\r\n\"😀\r\n€\";1;x\r\n\r\nä;0;z\r\n";
        let wanted = stream(text).unwrap();
        assert_eq!(wanted.iter().map(|r| (r.row, r.unknown.is_none())).collect::<Vec<_>>(), [(2, true), (5, true)]);
        let bytes = |text: &str, big: bool| -> Vec<u8> {
            text.encode_utf16().flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() }).collect()
        };
        for (big, step) in [false, true].into_iter().flat_map(|big| [1, 2, 3, 7, 1000].map(|step| (big, step))) {
            for mark in ["", "\u{feff}"] {
                assert_eq!(read(bytes(&format!("{mark}{text}"), big), step).unwrap(), wanted, "{big} {step}");
            }
            let named = read(bytes(&format!("\u{feff}sep=;\r\n{text}"), big), step).unwrap();
            assert_eq!(named.iter().map(|r| r.row).collect::<Vec<_>>(), [3, 6]);
            let odd = [bytes(&format!("\u{feff}{text}"), big), vec![0]].concat();
            let said = read(odd, step).unwrap_err().to_string();
            assert!(said.starts_with("new.csv: row 6 is not UTF-16 (it ends with half"), "{said}");
            let lone = if big { [0xdc, 0] } else { [0, 0xdc] };
            let said = read([bytes("\u{feff}a;b\n1;", big), lone.into()].concat(), step).unwrap_err().to_string();
            assert!(said.starts_with("new.csv: row 2 is not UTF-16 (0xdc00 is half"), "{said}");
        }
        let named = read(format!("sep=;\n{text}").into(), 2).unwrap();
        assert_eq!(named.iter().map(|r| r.row).collect::<Vec<_>>(), [3, 6]);
    }
}
