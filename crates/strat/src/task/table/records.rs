//! Records of a table one after the other, each with the line it begins on. No more is held than the longest row.

mod text;

use super::sheet::SheetFault;
use csv::{ByteRecord, Reader, ReaderBuilder};
use std::collections::VecDeque;
use std::io::{self, Read};

pub(super) use text::Text;

/// The longest row: a quote that is never closed swallows the rest of the file, which may be longer than memory.
pub const LONGEST_ROW: usize = 1 << 20;
/// What may stand between columns, likelier ones first.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];
/// Bytes that are looked at to find the delimiter.
pub(super) const PREVIEW: usize = 1 << 16;
/// The same in lines.
const PREVIEW_LINES: usize = 64;

/// What comes after the last byte. The parser leaves the second to the next line, unless a quote is open and takes both.
const END: &[u8] = b"\r\n";

/// Bytes on their way to the parser: some at a time, lines counted, with [`END`] after them.
struct Source<R> {
    bytes: R,
    /// How many can be read before the next row begins.
    left: usize,
    /// How many can be read in all.
    left_in_all: u64,
    /// How many were read.
    read: u64,
    /// The last of them.
    last: u8,
    /// Whether these were all, but for the end.
    over: bool,
    /// What is left of the end.
    end: &'static [u8],
    /// Whether there was more than may be read, of a row or in all.
    excess: Option<SheetFault>,
    /// Where lines end that are not counted yet.
    ends: VecDeque<u64>,
    /// Lines that were counted.
    lines: usize,
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if to.is_empty() {
            return Ok(0);
        }
        let fault = match (self.left, self.left_in_all) {
            _ if self.over => None,
            (0, _) => Some(SheetFault::LongRow { row: self.lines + 1 }),
            (_, 0) => Some(SheetFault::Large),
            _ => None,
        };
        if fault.is_some() {
            self.excess = fault;
            return Err(io::Error::other("more than is read"));
        }
        let most = (self.left as u64).min(self.left_in_all).min(to.len() as u64) as usize;
        let mut count = if self.over { 0 } else { self.bytes.read(&mut to[..most])? };
        self.left -= count;
        self.left_in_all -= count as u64;
        if count == 0 {
            self.over = true;
            count = self.end.read(to)?;
        }
        for (&byte, at) in to[..count].iter().zip(self.read + 1..) {
            // Where a line has two characters at its end, the first ends it.
            if byte == b'\r' || byte == b'\n' && self.last != b'\r' {
                self.ends.push_back(at);
            }
            self.last = byte;
        }
        self.read += count as u64;
        Ok(count)
    }
}

impl<R> Source<R> {
    /// Lines that end before this byte.
    fn lines_to(&mut self, byte: u64) -> usize {
        while self.ends.front().is_some_and(|end| *end <= byte) {
            self.ends.pop_front();
            self.lines += 1;
        }
        self.lines
    }
}

/// How many lines end inside of a cell.
fn lines_in(cell: &[u8]) -> usize {
    let ends = |i: usize| cell[i] == b'\r' || cell[i] == b'\n' && (i == 0 || cell[i - 1] != b'\r');
    (0..cell.len()).filter(|&i| ends(i)).count()
}

/// Where a record is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The line on which it begins.
    pub line: usize,
    /// Whether a quote in it is never closed, so that it has swallowed the end of the file.
    pub open: bool,
}

/// Records of any length.
pub(super) struct Records<R> {
    reader: Reader<Source<R>>,
    /// Whether they were decoded from UTF-16.
    utf16: bool,
    /// The one that was read last.
    pub record: ByteRecord,
}

impl<R: Read> Records<R> {
    /// Of at most so many bytes.
    pub fn new(bytes: R, delimiter: u8, most: u64) -> Records<R> {
        let (left, left_in_all, ends) = (LONGEST_ROW, most, VecDeque::new());
        let source = Source {
            bytes,
            left,
            left_in_all,
            read: 0,
            last: 0,
            over: false,
            end: END,
            excess: None,
            ends,
            lines: 0,
        };
        let reader =
            ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(source);
        Records { reader, utf16: false, record: ByteRecord::new() }
    }

    /// Of what comes after the part of the beginning that is no row, which is read already.
    pub fn after(beginning: &Beginning, delimiter: u8, bytes: R, utf16: bool, most: u64) -> Records<R> {
        let mut records = Records::new(bytes, delimiter, most);
        if let Some(last) = beginning.last_skipped {
            // What may follow of the end of that line is no line of its own.
            let source = records.reader.get_mut();
            (source.lines, source.last) = (beginning.lines, last);
        }
        Records { utf16, ..records }
    }

    /// Reads the next; none at the end. Empty lines are passed over.
    pub fn advance(&mut self) -> Result<Option<Place>, SheetFault> {
        self.reader.get_mut().left = LONGEST_ROW;
        match self.reader.read_byte_record(&mut self.record) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => {
                let fault = self.reader.get_mut().excess.take();
                return Err(fault.unwrap_or_else(|| broken(error)));
            }
        }
        let read = self.reader.position().byte();
        let source = self.reader.get_mut();
        // A quote that is open has taken the second character of the end.
        let open = source.over && source.end.is_empty() && read == source.read;
        let inside: usize = self.record.iter().map(lines_in).sum();
        let line = (source.lines_to(read) + usize::from(open)).saturating_sub(inside);
        Ok(Some(Place { line, open }))
    }

    /// What was read: the text of cells in order.
    pub fn cells(&self, row: usize) -> Result<Vec<&str>, SheetFault> {
        let mut before = 0;
        let mut cells = Vec::with_capacity(self.record.len());
        for (column, cell) in (1..).zip(&self.record) {
            let text = std::str::from_utf8(cell).map_err(|e| {
                let at = e.valid_up_to();
                match text::surrogate(&cell[at..]) {
                    Some(value) if self.utf16 => SheetFault::Surrogate { row, value },
                    _ if self.utf16 && cell[at] == text::HALF_UNIT => SheetFault::HalfUnit { row },
                    _ => SheetFault::Encoding { row, column, byte: before + at + 1, value: cell[at] },
                }
            })?;
            if text.contains('\0') {
                return Err(SheetFault::Binary { row });
            }
            before += cell.len() + 1;
            cells.push(text);
        }
        Ok(cells)
    }

    /// Whether every byte that was read is in a record by now.
    pub fn is_caught_up(&self) -> bool {
        // Of two characters at the end of a row, the second is left.
        self.reader.position().byte() + 1 >= self.reader.get_ref().read
    }

    /// Where the bytes come from.
    pub fn bytes(&self) -> &R {
        &self.reader.get_ref().bytes
    }
}

fn broken(error: csv::Error) -> SheetFault {
    match error.into_kind() {
        csv::ErrorKind::Io(e) => SheetFault::Io(e),
        other => SheetFault::Io(io::Error::other(format!("{other:?}"))),
    }
}

/// What the beginning of a table tells.
pub(super) struct Beginning {
    /// Bytes before the first row: a line such as `sep=;`, in which a spreadsheet names the delimiter, or comments.
    pub skipped: usize,
    /// Lines in them.
    lines: usize,
    /// The last of them.
    last_skipped: Option<u8>,
    /// What stands between columns; none if there is one.
    pub delimiter: Option<u8>,
}

impl Beginning {
    /// Of the first bytes of a table.
    pub fn of(bytes: &[u8]) -> Result<Beginning, SheetFault> {
        if let Some(at) = bytes.iter().position(|b| *b == 0) {
            return Err(SheetFault::Binary { row: 1 + lines_in(&bytes[..at]) });
        }
        if let Some((skipped, delimiter)) = named_delimiter(bytes) {
            let last_skipped = Some(bytes[skipped - 1]);
            return Ok(Beginning { skipped, lines: 1, last_skipped, delimiter: Some(delimiter) });
        }
        let (skipped, lines) = comments(bytes);
        // A line that was cut is not looked at.
        let end = match bytes.iter().rposition(|b| [b'\n', b'\r'].contains(b)) {
            Some(at) if bytes.len() >= PREVIEW => at + 1,
            _ => bytes.len(),
        };
        let last_skipped = skipped.checked_sub(1).map(|last| bytes[last]);
        Ok(Beginning { skipped, lines, last_skipped, delimiter: delimiter(&bytes[skipped..end.max(skipped)]) })
    }
}

/// Bytes and lines of comments before the first row, but for the second of two characters at their end. A line that begins
/// with `#` is one if it has no delimiter or another follows; else it may be a header.
fn comments(bytes: &[u8]) -> (usize, usize) {
    let (mut skipped, mut lines, mut at) = (0, 0, 0);
    while bytes[at..].starts_with(b"#") {
        let Some(length) = bytes[at..].iter().position(|b| [b'\n', b'\r'].contains(b)) else { break };
        let line = &bytes[at..at + length];
        let end = at + length + 1;
        at = if bytes[end - 1..].starts_with(b"\r\n") { end + 1 } else { end };
        if line.iter().any(|b| DELIMITERS.contains(b)) && !bytes[at..].starts_with(b"#") {
            break;
        }
        (skipped, lines) = (end, lines + 1);
    }
    (skipped, lines)
}

/// The delimiter that the first line names, and where this line ends, but for the second of two characters.
fn named_delimiter(bytes: &[u8]) -> Option<(usize, u8)> {
    let end = bytes.iter().position(|b| [b'\n', b'\r'].contains(b))?;
    let line = bytes[..end].strip_prefix(b"\"").and_then(|l| l.strip_suffix(b"\"")).unwrap_or(&bytes[..end]);
    let is_possible = |d: &u8| (d.is_ascii_punctuation() || [b' ', b'\t'].contains(d)) && *d != b'"';
    match line {
        [s, e, p, b'=', delimiter]
            if [s, e, p].map(u8::to_ascii_lowercase) == *b"sep" && is_possible(delimiter) =>
        {
            Some((end + 1, *delimiter))
        }
        _ => None,
    }
}

/// The delimiter by which rows have the most columns, and all as many; none if there is one column.
fn delimiter(bytes: &[u8]) -> Option<u8> {
    let score = |&delimiter: &u8| {
        let mut records = Records::new(bytes, delimiter, u64::MAX);
        let mut widths = vec![];
        while widths.len() < PREVIEW_LINES
            && let Ok(Some(_)) = records.advance()
        {
            if records.record.iter().any(|cell| !cell.trim_ascii().is_empty()) {
                widths.push(records.record.len());
            }
        }
        let first = widths.first().copied().unwrap_or(0);
        let alike = widths.iter().filter(|w| **w == first).count();
        (first > 1).then_some((alike * 1000 / widths.len().max(1), first))
    };
    // Of equally good ones the first, which is likelier.
    let scored = DELIMITERS.iter().filter_map(|d| Some((score(d)?, *d)));
    scored.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, delimiter)| delimiter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

        /// Whatever stands in cells, and however lines end: every row of a table is read as it is, with its line.
        #[test]
        fn tables_are_read_as_they_are(
            rows in prop::collection::vec(prop::collection::vec("[a ,\"\r\n]{0,4}", 2..5), 1..8),
            empty in prop::collection::vec(0..3usize, 8),
            end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
            ended in any::<bool>(),
        ) {
            let (mut text, mut wanted) = (String::new(), vec![]);
            for (i, row) in rows.iter().enumerate() {
                text += &end.repeat(empty[i]);
                wanted.push((1 + lines_in(text.as_bytes()), row.clone()));
                let quoted: Vec<String> = row.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect();
                text += &quoted.join(",");
                text += if ended || i + 1 < rows.len() { end } else { "" };
            }
            let mut records = Records::new(text.as_bytes(), b',', u64::MAX);
            let mut found = vec![];
            while let Some(place) = records.advance().unwrap() {
                let cells: Vec<String> = records.cells(place.line).unwrap().into_iter().map(String::from).collect();
                prop_assert!(!place.open, "{text:?}");
                found.push((place.line, cells));
            }
            prop_assert_eq!(found, wanted, "{:?}", text);
        }

        /// Anything else is read to its end too, lines never going back.
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(prop::sample::select(b"a,\"\r\n\xff\0".to_vec()), 0..60)) {
            let mut records = Records::new(&bytes[..], b',', u64::MAX);
            let (mut last, all) = (0, 1 + lines_in(&bytes));
            while let Some(place) = records.advance().unwrap() {
                prop_assert!(place.line > last && place.line <= all, "{bytes:?}: {place:?} after {last}");
                last = place.line;
                let _ = records.cells(place.line);
            }
        }
    }

    /// Line and first cell of every record, by any way to end a line.
    #[test]
    fn records_know_their_lines() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["a,b", "", "1,x", "\"2", "\",y", "", "3,\"z", "", "z\"", "4,w"].join(end);
            for text in [text.clone(), text + end] {
                let mut records = Records::new(text.as_bytes(), b',', u64::MAX);
                let mut found = vec![];
                while let Some(place) = records.advance().unwrap() {
                    assert!(!place.open, "{text:?}");
                    found.push((place.line, records.record[0].trim_ascii().to_vec()));
                }
                let wanted = [(1, "a"), (3, "1"), (4, "2"), (7, "3"), (10, "4")];
                assert_eq!(found, wanted.map(|(line, cell)| (line, cell.as_bytes().to_vec())), "{text:?}");
            }
        }
    }

    #[test]
    fn an_open_quote_is_told_from_a_cell_that_ends_a_line() {
        let last = |text: &str| {
            let mut records = Records::new(text.as_bytes(), b',', u64::MAX);
            let mut last = None;
            while let Some(place) = records.advance().unwrap() {
                last = Some((place.line, place.open));
            }
            last.unwrap()
        };
        assert_eq!(last("a,b\n1,\"x\n2,y"), (2, true));
        assert_eq!(last("a,b\r\n1,\"x\r\n2,y\r\n"), (2, true));
        assert_eq!(last("a,b\n1,\"x\"\""), (2, true));
        assert_eq!(last("a,b\n1,\""), (2, true));
        assert_eq!(last("a,b\n1,\"x\n\""), (2, false));
        assert_eq!(last("a,b\n1,\"x\"\"\n\""), (2, false));
        assert_eq!(last("a,b\n1,\"x\n\"\n"), (2, false));
        assert_eq!(last("a,b\n1,\"x\"\n2,"), (3, false));
    }
}
