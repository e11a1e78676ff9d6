//! A file as rows of text.

use super::records::{Beginning, LONGEST_ROW, PREVIEW, Place, Records, Text};
use crate::data::clip;
use crate::escape;
use csv::StringRecord;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The largest table that is read as a whole, after decompression.
const LARGEST: u64 = 64 << 20;
/// The most columns.
pub const MOST_COLUMNS: usize = 512;
/// The most rows.
pub const MOST_ROWS: usize = 100_000;
/// The most cells: a run keeps them, and every reader of it must be able to.
pub const MOST_CELLS: usize = 2 << 20;
/// The longest text in a cell: a quote that is never closed swallows the rest of the file.
const LONGEST_CELL: usize = 1000;

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
    pub rows: Vec<(usize, StringRecord)>,
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
    #[error(
        "row {row}, column {column}: not UTF-8 (byte {byte} of the row is {value:#04x}); save the table as UTF-8"
    )]
    Encoding { row: usize, column: usize, byte: usize, value: u8 },
    #[error(
        "row {row} is not UTF-16 ({value:#06x} is half of a character, without the other half); save the table as UTF-8"
    )]
    Surrogate { row: usize, value: u16 },
    #[error("row {row} is not UTF-16 (it ends with half of a unit of two bytes); save the table as UTF-8")]
    HalfUnit { row: usize },
    #[error("row {row} has a byte 0; it is no table of text")]
    Binary { row: usize },
    #[error("has one column only; columns are separated by a comma, tab, semicolon or |")]
    OneColumn,
    #[error("has {found} columns; at most {MOST_COLUMNS} are read")]
    Wide { found: usize },
    #[error("has more than {MOST_ROWS} rows; take a part of it")]
    ManyRows,
    #[error("has more than {MOST_CELLS} cells; take fewer rows, or leave columns out of the file")]
    ManyCells,
    #[error("row {row} has more than {LONGEST_ROW} bytes; is a quote not closed?")]
    LongRow { row: usize },
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
    #[error("there is no column {name:?}, which is needed; the columns are {}", escape::list(.names))]
    NoColumn { name: String, names: Vec<String> },
}

impl Sheet {
    /// Reads a whole file; gzip is unpacked and UTF-16 decoded. Rows and columns are counted on the way, so that no file needs much memory.
    pub fn read(path: &Path, header: Header<'_>) -> Result<Sheet, SheetError> {
        let read = open(path).map_err(SheetFault::from).and_then(|file| Sheet::load(path, file, header));
        read.map_err(|fault| SheetError { path: path.into(), fault })
    }

    /// The same from anything that can be read, such as standard input; `name` is for messages.
    pub fn read_from(
        name: &Path,
        source: impl Read + Send + 'static,
        header: Header<'_>,
    ) -> Result<Sheet, SheetError> {
        let read = unpack(source).map_err(SheetFault::from).and_then(|source| Sheet::load(name, source, header));
        read.map_err(|fault| SheetError { path: name.into(), fault })
    }

    /// The same from bytes.
    pub fn parse(path: &Path, bytes: &[u8], header: Header<'_>) -> Result<Sheet, SheetFault> {
        Sheet::load(path, bytes, header)
    }

    fn load(path: &Path, source: impl Read, header: Header<'_>) -> Result<Sheet, SheetFault> {
        let (mut source, mut preview) = (Text::new(source)?, vec![]);
        source.by_ref().take(PREVIEW as u64).read_to_end(&mut preview)?;
        let beginning = Beginning::of(&preview)?;
        let first = &preview[beginning.skipped..];
        if first.trim_ascii().is_empty() {
            return Err(SheetFault::Empty);
        }
        let (delimiter, utf16) = (beginning.delimiter.ok_or(SheetFault::OneColumn)?, source.is_utf16());
        let mut records = Records::after(&beginning, delimiter, first.chain(source), utf16, LARGEST);
        let mut rows: Vec<(usize, StringRecord)> = vec![];
        let mut cells_read = 0;
        while let Some(Place { line: row, open }) = records.advance()? {
            if open {
                return Err(SheetFault::OpenQuote { row });
            }
            let cells = records.cells(row)?;
            let (found, wanted) = (cells.len(), rows.first().map(|(_, first)| first.len()));
            // A line of spaces is an empty line.
            if found == 1 && cells[0].trim().is_empty() {
                continue;
            }
            match wanted {
                Some(wanted) if wanted != found => {
                    return Err(SheetFault::Ragged { row, found, wanted, first: clip(cells[0].trim()) });
                }
                None if found > MOST_COLUMNS => return Err(SheetFault::Wide { found }),
                // The header may be one of them.
                _ if rows.len() > MOST_ROWS => return Err(SheetFault::ManyRows),
                _ => {}
            }
            cells_read += found;
            if cells_read > MOST_CELLS {
                return Err(SheetFault::ManyCells);
            }
            let mut kept = StringRecord::with_capacity(cells.iter().map(|c| c.trim().len()).sum(), found);
            cells.iter().for_each(|cell| kept.push_field(cell.trim()));
            rows.push((row, kept));
        }
        let Some((_, first)) = rows.first() else { return Err(SheetFault::Empty) };
        let header = match header {
            Header::Present => true,
            Header::Absent => false,
            Header::Unknown(names) => first.iter().any(|c| names.contains(&c)) || is_header(&rows),
        };
        let first: Vec<String> =
            first.iter().map(|name| if header { name.into() } else { String::new() }).collect();
        if header {
            rows.remove(0);
        }
        let names = names_of(first)?;
        for (row, cells) in &rows {
            if let Some(i) = cells.iter().position(|c| c.chars().count() > LONGEST_CELL) {
                return Err(SheetFault::Long { row: *row, column: names[i].clone() });
            }
        }
        match rows.len() {
            0 => Err(SheetFault::NoRows),
            n if n > MOST_ROWS => Err(SheetFault::ManyRows),
            _ => Ok(Sheet { path: path.into(), header, delimiter, names, rows }),
        }
    }
}

/// A file, unpacked if it is gzip.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    unpack(File::open(path)?)
}

/// Bytes, unpacked if they are gzip.
fn unpack(source: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let mut source = BufReader::new(source);
    if source.fill_buf()?.starts_with(&[0x1f, 0x8b]) { unpacked(source) } else { Ok(Box::new(source)) }
}

#[cfg(feature = "archives")]
fn unpacked(source: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(flate2::read::MultiGzDecoder::new(source)))
}

#[cfg(not(feature = "archives"))]
fn unpacked(_: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let reason =
        "is compressed with gzip, which this program was built without (feature `archives`); unpack it first";
    Err(io::Error::new(io::ErrorKind::Unsupported, reason))
}

/// Whether the first row names columns: its cells are different words, none of which occurs below.
fn is_header(rows: &[(usize, StringRecord)]) -> bool {
    let first = &rows[0].1;
    let below = |i: usize| rows[1..].iter().filter_map(move |(_, row)| row.get(i));
    let named = |(i, name): (usize, &str)| name.parse::<f64>().is_err() && below(i).all(|cell| cell != name);
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
            let rows: Vec<String> = sheet.rows.iter().map(|r| r.1.iter().collect()).collect();
            assert_eq!(rows, ["1x", "2y"], "{text:?}");
        }
        let quoted = parse("name,\"says, or not\"\n\"a, b\",\"c \"\"d\"\"\"\n").unwrap();
        assert_eq!(quoted.names[1], "says, or not");
        assert_eq!(quoted.rows, [(2, StringRecord::from(vec!["a, b", "c \"d\""]))]);
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
        assert_eq!(
            message(b"a,b\n1,\xff\n"),
            "row 2, column 2: not UTF-8 (byte 3 of the row is 0xff); save the table as UTF-8"
        );
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

    /// However a line ends, also inside of a cell.
    #[test]
    fn rows_are_numbered_by_their_lines() {
        for end in ["\n", "\r\n", "\r"] {
            let sheet = parse(&["a,b", "1,x", "", "2,\"y", "y\"", "3,z", ""].join(end)).unwrap();
            assert_eq!(sheet.rows.iter().map(|r| r.0).collect::<Vec<_>>(), [2, 4, 6], "{end:?}");
            let ragged = ["a,b", "1,x", "2"].join(end);
            assert!(message(ragged.as_bytes()).starts_with("row 3 has 1 columns"), "{end:?}");
        }
    }

    #[test]
    fn a_row_of_empty_cells_is_a_row_and_a_line_of_spaces_is_none() {
        let sheet = parse("a,b\n1,x\n,\n  \n0,y\n").unwrap();
        assert_eq!(sheet.rows.iter().map(|r| r.0).collect::<Vec<_>>(), [2, 3, 5]);
    }

    #[test]
    fn what_is_too_much_is_said_before_it_is_read() {
        let many = [b"a,b\n".to_vec(), b"1,x\n".repeat(MOST_ROWS + 1)].concat();
        assert_eq!(message(&many), "has more than 100000 rows; take a part of it");
        assert_eq!(parse(std::str::from_utf8(&many[..many.len() - 4]).unwrap()).unwrap().rows.len(), MOST_ROWS);
        let row = [b"1".as_slice(), &b",1".repeat(99), b"\n"].concat();
        assert!(message(&row.repeat(MOST_CELLS / 100 + 1)).starts_with("has more than 2097152 cells"));
        // Never read to its end: it has none.
        let endless = io::repeat(b',');
        let error = Sheet::load(Path::new("t"), b"a,b\n".chain(endless), Header::Present).unwrap_err().to_string();
        assert!(error.starts_with("row 2 has more than 1048576 bytes"), "{error}");
        let blank = Sheet::load(Path::new("t"), b"a,b\n".chain(io::repeat(b'\n')), Header::Present);
        assert!(blank.unwrap_err().to_string().starts_with("row 2 has more than"));
    }

    fn utf16(text: &str, big: bool) -> Vec<u8> {
        text.encode_utf16().flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() }).collect()
    }

    /// As Excel saves it, with a mark; or without one.
    #[test]
    fn utf16_is_read_like_utf8() {
        let text = "name\tb\r\n\"zwei\r\nZeilen\"\tä€\r\n\r\n😀\tz\r\n";
        let wanted = parse(text).unwrap();
        assert_eq!(wanted.rows.iter().map(|r| r.0).collect::<Vec<_>>(), [2, 5]);
        for big in [false, true] {
            for text in [text.to_string(), format!("\u{feff}{text}")] {
                let sheet = Sheet::parse(Path::new("t.csv"), &utf16(&text, big), Header::Unknown(&[])).unwrap();
                assert_eq!(sheet, wanted, "{big}");
            }
        }
        // More than is looked at first.
        let long = format!("\u{feff}a,b\n{}", "1,€😀\n".repeat(30_000));
        for big in [false, true] {
            let sheet = Sheet::parse(Path::new("t.csv"), &utf16(&long, big), Header::Present).unwrap();
            assert!(sheet.rows.len() == 30_000 && sheet.rows.iter().all(|(_, row)| &row[1] == "€😀"));
        }
    }

    #[test]
    fn wrong_utf16_is_said_with_its_row() {
        for big in [false, true] {
            let bytes = |units: &[u16]| -> Vec<u8> {
                units.iter().flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() }).collect()
            };
            let begin = utf16("\u{feff}a,b\r\n1,", big);
            for (unit, after) in [(0xd83d, "\r\n2,y\r\n"), (0xde00, "\r\n2,y\r\n"), (0xd83d, "")] {
                let said = message(&[begin.clone(), bytes(&[unit]), utf16(after, big)].concat());
                let wanted =
                    format!("row 2 is not UTF-16 ({unit:#06x} is half of a character, without the other half)");
                assert!(said.starts_with(&wanted), "{said}");
            }
            let said = message(&[begin.clone(), utf16("x\r\n", big), vec![b'\n']].concat());
            assert!(said.starts_with("row 3 is not UTF-16 (it ends with half of a unit"), "{said}");
            assert_eq!(
                message(&[begin, utf16("\0\r\n", big)].concat()),
                "row 2 has a byte 0; it is no table of text"
            );
        }
        assert_eq!(message(b"\xff\xfe"), "is empty; a table has a header and rows");
        assert!(message(b"\xff\xfea\0,\0b\0\n\0").starts_with("has a header and no rows"));
        // A text of one byte for every character is none of them.
        assert!(message(b"a,b\n1,caf\xe9\n").starts_with("row 2, column 2: not UTF-8 (byte 6 of the row is 0xe9)"));
    }

    #[test]
    fn comments_before_the_header_are_passed_over() {
        for end in ["\n", "\r\n", "\r"] {
            for (first, line) in [("# made by me", 3), ("#\u{e4}", 3), ("# a, b", 2)] {
                let text = match line {
                    3 => [first, "a,b", "1,x", "0,y"].join(end),
                    _ => [first, "# in May", "a,b", "1,x", "0,y"].join(end),
                };
                let sheet = parse(&text).unwrap();
                let first = if line == 3 { 3 } else { 4 };
                assert_eq!((sheet.names, sheet.rows[0].0), (vec!["a".to_string(), "b".into()], first), "{text:?}");
            }
        }
        // The name of a column may begin like one.
        assert_eq!(parse("#id,b\n1,x\n2,y\n").unwrap().names, ["#id", "b"]);
        assert_eq!(message(b"# a\n# b\n"), "is empty; a table has a header and rows");
        assert!(message(b"# a\n\na,b\n1\n").starts_with("row 4 has 1 columns"));
    }

    #[test]
    fn a_delimiter_can_be_named_in_the_first_line() {
        for end in ["\n", "\r\n", "\r"] {
            for first in ["sep=;", "SEP=;", "\"sep=;\"", "\u{feff}sep=;"] {
                let text = [first, "a;b,c,d", "1;x,y,z", "", "2;\"z", "\"", "3;w"].join(end);
                let sheet = parse(&text).unwrap();
                assert_eq!((sheet.delimiter, &sheet.names[1][..]), (b';', "b,c,d"), "{text:?}");
                assert_eq!(sheet.rows.iter().map(|r| r.0).collect::<Vec<_>>(), [3, 5, 7], "{text:?}");
                for big in [false, true] {
                    let decoded = Sheet::parse(Path::new("t.csv"), &utf16(&text, big), Header::Present).unwrap();
                    assert_eq!(decoded, sheet);
                }
            }
        }
        assert_eq!(parse("sep=~\na~b\n1~2\n").unwrap().rows[0].0, 3);
        assert_eq!(parse("sep=,b\n1,2\n").unwrap().names, ["sep=", "b"]);
        assert_eq!(message(b"sep=;\n"), "is empty; a table has a header and rows");
        assert!(message(b"sep=;\na;b\n1\n").starts_with("row 3 has 1 columns"));
    }
}
