//! A file as rows of text.

use crate::data::clip;
use csv::{ByteRecord, Reader, ReaderBuilder, StringRecord};
use flate2::read::MultiGzDecoder;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Chain, Read};
use std::path::{Path, PathBuf};

/// The largest table that is read as a whole, after decompression.
const LARGEST: u64 = 64 << 20;
/// The most columns.
pub const MOST_COLUMNS: usize = 512;
/// The longest text in a cell: a quote that is never closed swallows the rest of the file.
const LONGEST_CELL: usize = 1000;
/// What may stand between columns, likelier ones first.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];
/// Lines that are looked at to find the delimiter.
const PREVIEW: usize = 64;

/// Whether the first row of a file names its columns.
#[derive(Clone, Copy, Debug)]
pub enum Header<'a> {
    /// It does.
    Present,
    /// It is a row like any other.
    Absent,
    /// To be found out; it does if it has one of these names.
    Unknown(&'a [&'a str]),
}

/// Rows of text, all as long as the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// Where it came from.
    pub path: PathBuf,
    /// Whether its first row names the columns; else they are called by their numbers.
    pub header: bool,
    /// What stands between columns.
    pub delimiter: u8,
    /// Names of the columns.
    pub names: Vec<String>,
    /// Rows with their number in the file, the header being number 1 if there is one.
    pub rows: Vec<(usize, Vec<String>)>,
}

/// Why a file is no table.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", .path.display())]
pub struct SheetError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub fault: SheetFault,
}

/// What is wrong with a table.
#[expect(missing_docs, reason = "the messages say what the fields are")]
#[derive(Debug, thiserror::Error)]
pub enum SheetFault {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("has more than {} MB; take a part of it", LARGEST >> 20)]
    Large,
    #[error("is empty; a table has a header and rows")]
    Empty,
    #[error("is UTF-16; save it as UTF-8")]
    Utf16,
    #[error("row {row} is not UTF-8 (byte {byte} of it is {value:#04x}); save the table as UTF-8")]
    Encoding { row: usize, byte: usize, value: u8 },
    #[error("row {row} has a byte 0; it is no table of text")]
    Binary { row: usize },
    #[error("has one column only; columns are separated by a comma, tab, semicolon or |")]
    OneColumn,
    #[error("has {found} columns; at most {MOST_COLUMNS} are read")]
    Wide { found: usize },
    #[error("row {row} has {found} columns, but the header has {wanted}; the first cell of the row is {first:?}")]
    Ragged { row: usize, found: usize, wanted: usize, first: String },
    #[error(
        "row {row}, column {column:?}: the cell has more than {LONGEST_CELL} characters; is a quote not closed?"
    )]
    Long { row: usize, column: String },
    #[error("row {row}: a quote is not closed, so that the rest of the file is one cell")]
    OpenQuote { row: usize },
    #[error("columns {first} and {second} have the same name {name:?}; rename one")]
    SameName { first: usize, second: usize, name: String },
    #[error("has a header and no rows")]
    NoRows,
    #[error("there is no column {name:?}, which the learners need; the columns are {names}")]
    NoColumn { name: String, names: String },
}

impl Sheet {
    /// Reads a whole file; gzip is unpacked.
    pub fn read(path: &Path, header: Header<'_>) -> Result<Sheet, SheetError> {
        let fail = |fault| SheetError { path: path.into(), fault };
        let mut bytes = vec![];
        let read = open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
        read.map_err(|e| fail(e.into()))?;
        Sheet::parse(path, &bytes, header).map_err(fail)
    }

    /// The same from bytes.
    pub fn parse(path: &Path, bytes: &[u8], header: Header<'_>) -> Result<Sheet, SheetFault> {
        if bytes.len() as u64 > LARGEST {
            return Err(SheetFault::Large);
        }
        let text = text(bytes)?;
        if text.trim().is_empty() {
            return Err(SheetFault::Empty);
        }
        // Lines of old Macintoshes.
        let text = if text.contains('\n') { Cow::Borrowed(text) } else { Cow::Owned(text.replace('\r', "\n")) };
        let delimiter = delimiter(&text).ok_or(SheetFault::OneColumn)?;
        let mut rows: Vec<(usize, Vec<String>)> = vec![];
        for (place, record) in records(&text, delimiter) {
            if place.open {
                return Err(SheetFault::OpenQuote { row: place.line });
            }
            rows.push((place.line, record.iter().map(|cell| cell.trim().to_string()).collect()));
        }
        let Some((_, first)) = rows.first().cloned() else { return Err(SheetFault::Empty) };
        if first.len() > MOST_COLUMNS {
            return Err(SheetFault::Wide { found: first.len() });
        }
        let header = match header {
            Header::Present => true,
            Header::Absent => false,
            Header::Unknown(names) => first.iter().any(|c| names.contains(&c.as_str())) || is_header(&rows),
        };
        if header {
            rows.remove(0);
        }
        let names = names_of(if header { first } else { vec![String::new(); first.len()] })?;
        for (row, cells) in &rows {
            if let Some(i) = cells.iter().position(|c| c.chars().count() > LONGEST_CELL) {
                let column = names.get(i).cloned().unwrap_or_else(|| name_of(i));
                return Err(SheetFault::Long { row: *row, column });
            }
            if cells.len() != names.len() {
                let first = clip(cells.first().map_or("", |c| c));
                return Err(SheetFault::Ragged { row: *row, found: cells.len(), wanted: names.len(), first });
            }
        }
        if rows.is_empty() {
            return Err(SheetFault::NoRows);
        }
        Ok(Sheet { path: path.into(), header, delimiter, names, rows })
    }
}

/// A file, unpacked if it is gzip.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    let mut file = BufReader::new(File::open(path)?);
    Ok(match file.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
        true => Box::new(MultiGzDecoder::new(file)),
        false => Box::new(file),
    })
}

/// The bytes as text, without a byte order mark.
fn text(bytes: &[u8]) -> Result<&str, SheetFault> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(SheetFault::Utf16);
    }
    let row_of = |at: usize| 1 + bytes[..at].iter().filter(|b| **b == b'\n').count();
    if let Some(at) = bytes.iter().position(|b| *b == 0) {
        return Err(SheetFault::Binary { row: row_of(at) });
    }
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let at = e.valid_up_to();
        let line = bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
        SheetFault::Encoding { row: row_of(at), byte: at - line + 1, value: bytes[at] }
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// The records of a text with their places; empty lines are passed over.
fn records(text: &str, delimiter: u8) -> impl Iterator<Item = (Place, StringRecord)> {
    let mut reader = reader(text.as_bytes(), delimiter);
    std::iter::from_fn(move || {
        let mut record = StringRecord::new();
        let more = reader.read_record(&mut record).unwrap_or(false);
        let at_end = reader.position().byte() as usize > text.len();
        more.then(|| (Place::of(&reader, record.as_byte_record(), at_end), record))
    })
    .filter(|(_, record)| record.iter().any(|cell| !cell.trim().is_empty()))
}

/// Where a record was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The line on which it began.
    pub line: usize,
    /// Whether a quote in it is never closed, so that it has swallowed the end of the file.
    pub open: bool,
}

impl Place {
    /// Of the record that was just read; `at_end` if nothing is left.
    pub fn of<R: Read>(reader: &Records<R>, record: &ByteRecord, at_end: bool) -> Place {
        let inside = record.iter().flatten().filter(|b| **b == b'\n').count();
        let open = at_end && record.iter().next_back().is_some_and(|cell| cell.ends_with(b"\n"));
        let line = (reader.position().line() as usize).saturating_sub(inside + usize::from(!open));
        Place { line, open }
    }
}

/// A reader of records.
pub(super) type Records<R> = Reader<Chain<R, &'static [u8]>>;

/// A reader of records of any length; the last has an end too, so that lines can be counted.
pub(super) fn reader<R: Read>(source: R, delimiter: u8) -> Records<R> {
    let source = source.chain(&b"\n"[..]);
    ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(source)
}

/// The delimiter by which rows have the most columns, and all as many; none if there is one column.
pub(super) fn delimiter(text: &str) -> Option<u8> {
    let score = |&delimiter: &u8| {
        let widths: Vec<usize> = records(text, delimiter).take(PREVIEW).map(|(_, r)| r.len()).collect();
        let first = widths.first().copied().unwrap_or(0);
        let alike = widths.iter().filter(|w| **w == first).count();
        (first > 1).then_some((alike * 1000 / widths.len().max(1), first))
    };
    // Of equally good ones the first, which is likelier.
    let scored = DELIMITERS.iter().filter_map(|d| Some((score(d)?, *d)));
    scored.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, delimiter)| delimiter)
}

/// Whether the first row names columns: its cells are different words, none of which occurs below.
fn is_header(rows: &[(usize, Vec<String>)]) -> bool {
    let first = &rows[0].1;
    let below = |i: usize| rows[1..].iter().filter_map(move |(_, row)| row.get(i));
    let named = |(i, name): (usize, &String)| name.parse::<f64>().is_err() && below(i).all(|cell| cell != name);
    first.iter().enumerate().all(named)
}

/// What a column without a name is called; the first is number 0.
pub(super) fn name_of(column: usize) -> String {
    format!("column {}", column + 1)
}

/// Names of columns, made up where there is none; no two are the same.
pub(super) fn names_of(row: Vec<String>) -> Result<Vec<String>, SheetFault> {
    let name = |(i, name): (usize, String)| if name.is_empty() { name_of(i) } else { name };
    let names: Vec<String> = row.into_iter().enumerate().map(name).collect();
    let mut seen = HashMap::<&str, usize>::new();
    for (i, name) in names.iter().enumerate() {
        if let Some(first) = seen.insert(name, i) {
            return Err(SheetFault::SameName { first: first + 1, second: i + 1, name: clip(name) });
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Sheet, SheetFault> {
        Sheet::parse(Path::new("t.csv"), text.as_bytes(), Header::Unknown(&[]))
    }

    fn message(bytes: &[u8]) -> String {
        Sheet::parse(Path::new("t.csv"), bytes, Header::Unknown(&[])).unwrap_err().to_string()
    }

    #[test]
    fn delimiter_header_and_quotes_are_found() {
        for text in ["a,b\n1,x\n2,y\n", "a;b\n1;x\n2;y\n", "a\tb\r\n1\tx\r\n2\ty", "\u{feff}a|b\n\n1|x\n2|y\n"] {
            let sheet = parse(text).unwrap();
            assert_eq!(sheet.names, ["a", "b"], "{text:?}");
            assert_eq!(sheet.rows.iter().map(|r| r.1.concat()).collect::<Vec<_>>(), ["1x", "2y"], "{text:?}");
        }
        let quoted = parse("name,\"says, or not\"\n\"a, b\",\"c \"\"d\"\"\"\n").unwrap();
        assert_eq!(quoted.names[1], "says, or not");
        assert_eq!(quoted.rows, [(2, vec!["a, b".to_string(), "c \"d\"".to_string()])]);
        let bare = parse("1,yes\n0,no\n1,no\n").unwrap();
        assert_eq!((bare.names, bare.rows.len()), (vec!["column 1".to_string(), "column 2".into()], 3));
        // Words in the first row that occur below are values.
        assert_eq!(parse("yes,no\nno,yes\nyes,yes\n").unwrap().rows.len(), 3);
    }

    #[test]
    fn what_is_no_table_is_said_with_its_row() {
        assert_eq!(message(b" \n"), "is empty; a table has a header and rows");
        assert_eq!(
            message(b"a\n1\n"),
            "has one column only; columns are separated by a comma, tab, semicolon or |"
        );
        assert_eq!(message(b"a,b\n"), "has a header and no rows");
        assert_eq!(
            message(b"a,b\n1,2\n3\n"),
            "row 3 has 1 columns, but the header has 2; the first cell of the row is \"3\""
        );
        assert_eq!(message(b"a,a\n1,2\n"), "columns 1 and 2 have the same name \"a\"; rename one");
        assert_eq!(message(b"a,b\n1,\xff\n"), "row 2 is not UTF-8 (byte 3 of it is 0xff); save the table as UTF-8");
        assert_eq!(message(b"\xff\xfea\0"), "is UTF-16; save it as UTF-8");
        assert_eq!(message(b"a,b\n1,\0\n"), "row 2 has a byte 0; it is no table of text");
        let open = "row 3: a quote is not closed, so that the rest of the file is one cell";
        assert_eq!(message(b"a,b\n1,x\n0,\"y\n1,x\n0,y\n"), open);
        assert_eq!(message(b"a,b\n1,x\n0,\"y"), open);
        assert!(message(b"a,\"b\n1,x\n").starts_with("row 1: a quote is not closed"));
        let long = format!("a,b\n1,\"{}\"\n", "x,y\n".repeat(500));
        assert!(message(long.as_bytes()).contains("has more than 1000 characters"));
    }

    /// A name that the user gave tells that the first row is a header, whatever else is in it.
    #[test]
    fn a_known_name_makes_a_header() {
        let text = b"2019,2020,y\n1,0,p\n0,1,n\n";
        let of = |names: &[&str]| Sheet::parse(Path::new("t.csv"), text, Header::Unknown(names)).unwrap();
        assert_eq!((of(&[]).header, of(&[]).rows.len()), (false, 3));
        assert_eq!((of(&["y"]).names[0].as_str(), of(&["y"]).rows.len()), ("2019", 2));
    }

    #[test]
    fn lines_of_old_macintoshes_are_counted() {
        let sheet = parse("a,b\r1,x\r2,y\r").unwrap();
        assert_eq!(sheet.rows.iter().map(|r| r.0).collect::<Vec<_>>(), [2, 3]);
    }
}
