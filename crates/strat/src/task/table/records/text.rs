//! Bytes of a file as UTF-8, whatever Unicode encoding they come in. Only some at a time are held.

use super::PREVIEW;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

/// What stands for half of a unit at the end of a file: a byte that is in no UTF-8, and in nothing that is decoded.
pub(super) const HALF_UNIT: u8 = 0xff;

/// The mark of UTF-8.
const MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// A file as UTF-8. What is not UTF-16 is passed on as it is, but for a mark at its beginning.
pub(in super::super) struct Text<R> {
    bytes: BufReader<Chain<Cursor<Vec<u8>>, R>>,
    utf16: Option<Utf16>,
}

impl<R: Read> Text<R> {
    /// Reads the beginning, at least a line if there is one, and finds out the encoding.
    pub fn new(mut bytes: R) -> io::Result<Text<R>> {
        let (mut first, mut count) = (vec![0; PREVIEW], 0);
        // No row is complete before a line is, so that nobody waits for an answer yet.
        while count < PREVIEW && !has_line(&first[..count]) {
            match bytes.read(&mut first[count..]) {
                Ok(0) => break,
                Ok(more) => count += more,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        first.truncate(count);
        let (mark, big) = match &first[..] {
            [0xff, 0xfe, ..] => (2, Some(false)),
            [0xfe, 0xff, ..] => (2, Some(true)),
            first if first.starts_with(&MARK) => (MARK.len(), None),
            first => (0, order_without_mark(first)),
        };
        first.drain(..mark);
        let bytes = BufReader::with_capacity(PREVIEW, Cursor::new(first).chain(bytes));
        Ok(Text { bytes, utf16: big.map(Utf16::new) })
    }

    /// Whether it is decoded from UTF-16.
    pub fn is_utf16(&self) -> bool {
        self.utf16.is_some()
    }

    /// What has come and was not taken yet.
    pub fn buffer(&self) -> &[u8] {
        self.utf16.as_ref().map_or_else(|| self.bytes.buffer(), Utf16::left)
    }
}

/// Whether a line ends in bytes of any encoding.
fn has_line(bytes: &[u8]) -> bool {
    let ends = |b: &u8| [b'\n', b'\r'].contains(b);
    match bytes {
        [] | [_] => false,
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => has_line_of_two(bytes, ends),
        bytes if bytes.contains(&0) => has_line_of_two(bytes, ends),
        bytes => bytes.iter().any(ends),
    }
}

fn has_line_of_two(bytes: &[u8], ends: impl Fn(&u8) -> bool) -> bool {
    bytes.chunks_exact(2).any(|unit| unit[0] == 0 && ends(&unit[1]) || unit[1] == 0 && ends(&unit[0]))
}

/// Whether bytes without a mark are UTF-16 with the higher byte first, or last; none if they are no UTF-16. The higher
/// bytes of most characters of a table are 0, and hardly a lower one is.
fn order_without_mark(bytes: &[u8]) -> Option<bool> {
    let zeros = |at: usize| bytes.iter().skip(at).step_by(2).filter(|b| **b == 0).count();
    let most = |higher: usize, lower: usize| 4 * higher >= 3 * (bytes.len() / 2) && higher >= 8 * lower;
    match (zeros(0), zeros(1)) {
        (0, 0) => None,
        _ if bytes.len() < 3 => None,
        (lower, higher) if most(higher, lower) => Some(false),
        (higher, lower) if most(higher, lower) => Some(true),
        _ => None,
    }
}

impl<R: Read> BufRead for Text<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let Some(utf16) = &mut self.utf16 else { return self.bytes.fill_buf() };
        while utf16.left().is_empty() && !utf16.over {
            let bytes = self.bytes.fill_buf()?;
            let count = bytes.len();
            utf16.decode(bytes);
            self.bytes.consume(count);
        }
        Ok(utf16.left())
    }

    fn consume(&mut self, count: usize) {
        match &mut self.utf16 {
            Some(utf16) => utf16.taken += count,
            None => self.bytes.consume(count),
        }
    }
}

impl<R: Read> Read for Text<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(to)?;
        self.consume(count);
        Ok(count)
    }
}

/// UTF-16 on its way to UTF-8. A surrogate without its other half becomes the three bytes that it would have in UTF-8 if
/// it were a character, which are an error for whoever reads them as text: only there the row is known.
struct Utf16 {
    /// Whether the higher byte comes first.
    big: bool,
    /// The first byte of a unit.
    half: Option<u8>,
    /// The first half of a character of two units.
    high: Option<u16>,
    /// What was decoded last.
    text: Vec<u8>,
    /// How much of it was taken.
    taken: usize,
    /// Whether that was all.
    over: bool,
}

impl Utf16 {
    fn new(big: bool) -> Utf16 {
        Utf16 { big, half: None, high: None, text: vec![], taken: 0, over: false }
    }

    fn left(&self) -> &[u8] {
        &self.text[self.taken.min(self.text.len())..]
    }

    /// Decodes the next bytes; none are the end. What was decoded before is gone.
    fn decode(&mut self, bytes: &[u8]) {
        self.text.clear();
        self.taken = 0;
        for &byte in bytes {
            match (self.half.take(), self.big) {
                (None, _) => self.half = Some(byte),
                (Some(first), true) => self.push(u16::from_be_bytes([first, byte])),
                (Some(first), false) => self.push(u16::from_le_bytes([first, byte])),
            }
        }
        if bytes.is_empty() {
            self.over = true;
            if let Some(high) = self.high.take() {
                self.push_lone(high);
            }
            if self.half.take().is_some() {
                self.text.push(HALF_UNIT);
            }
        }
    }

    fn push(&mut self, unit: u16) {
        let high = self.high.take();
        let character = match (high, unit) {
            (Some(high), 0xdc00..=0xdfff) => {
                char::from_u32(0x1_0000 + (u32::from(high - 0xd800) << 10 | u32::from(unit - 0xdc00)))
            }
            (Some(high), _) => {
                self.push_lone(high);
                char::from_u32(unit.into())
            }
            (None, _) => char::from_u32(unit.into()),
        };
        match (character, unit) {
            (Some(character), _) => self.text.extend(character.encode_utf8(&mut [0; 4]).as_bytes()),
            (None, 0xd800..=0xdbff) => self.high = Some(unit),
            (None, _) => self.push_lone(unit),
        }
    }

    fn push_lone(&mut self, unit: u16) {
        let low_bits = |bits: u16| 0x80 | (bits & 0x3f) as u8;
        self.text.extend([0xe0 | (unit >> 12) as u8, low_bits(unit >> 6), low_bits(unit)]);
    }
}

/// The surrogate that bytes begin with, if they were decoded from UTF-16.
pub(super) fn surrogate(bytes: &[u8]) -> Option<u16> {
    match bytes {
        [0xed, a @ 0xa0..=0xbf, b @ 0x80..=0xbf, ..] => {
            Some(0xd000 | u16::from(a & 0x3f) << 6 | u16::from(b & 0x3f))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A source that gives few bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let most = to.len().min(self.1);
            self.0.read(&mut to[..most])
        }
    }

    fn encoded(text: &str, big: bool) -> Vec<u8> {
        text.encode_utf16().flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() }).collect()
    }

    fn read(bytes: &[u8], step: usize) -> (Vec<u8>, bool) {
        let mut text = Text::new(Slow(bytes, step)).unwrap();
        let mut all = vec![];
        text.read_to_end(&mut all).unwrap();
        (all, text.is_utf16())
    }

    proptest! {
        /// However the bytes are cut, any text comes out as it went in.
        #[test]
        fn any_text_is_decoded(text in "[a-z,\n€😀\u{d7ff}\u{e000}\u{10ffff}]{0,20}", step in 1..7usize, big: bool) {
            let bytes = encoded(&format!("\u{feff}{text}"), big);
            prop_assert_eq!(read(&bytes, step), (text.clone().into_bytes(), true));
            prop_assert_eq!(read(format!("\u{feff}{text}").as_bytes(), step), (text.into_bytes(), false));
        }

        /// Any units: what is decoded is what the standard library makes of them, or not UTF-8.
        #[test]
        fn wrong_units_are_not_utf8(units in prop::collection::vec(prop::sample::select(vec![0x61, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0x20ac]), 0..8), step in 1..5usize) {
            let bytes: Vec<u8> = [0xfeff_u16].iter().chain(&units).flat_map(|u| u.to_le_bytes()).collect();
            let found = String::from_utf8(read(&bytes, step).0);
            match String::from_utf16(&units) {
                Ok(text) => prop_assert_eq!(found, Ok(text)),
                Err(_) => {
                    let error = found.unwrap_err();
                    let at = error.utf8_error().valid_up_to();
                    prop_assert!(surrogate(&error.as_bytes()[at..]).is_some_and(|s| units.contains(&s)));
                }
            }
        }

        #[test]
        fn any_bytes_are_read_to_their_end(bytes in prop::collection::vec(any::<u8>(), 0..40), step in 1..5usize) {
            read(&bytes, step);
        }
    }

    #[test]
    fn utf16_is_known_without_its_mark() {
        for big in [false, true] {
            assert_eq!(read(&encoded("a,b\n1,ü\n", big), 100), ("a,b\n1,ü\n".as_bytes().to_vec(), true));
            assert_eq!(read(&encoded("a,€\n1,ü\n", big), 100), ("a,€\n1,ü\n".as_bytes().to_vec(), true));
        }
        for bytes in [&b"a,b\n1,\0\n"[..], b"", b"a", b"\0", b"\0\0\0\0", "a,€\n1,ü\n".as_bytes()] {
            assert_eq!(read(bytes, 100), (bytes.to_vec(), false));
        }
    }

    /// What is asked for one row at a time is answered before the next one comes.
    #[test]
    fn nothing_is_read_ahead_of_a_line() {
        let mut source = Slow(b"1\n2\n", 2);
        Text::new(&mut source).unwrap();
        assert_eq!(source.0, b"2\n");
    }

    #[test]
    fn half_a_unit_at_the_end_is_marked() {
        assert_eq!(read(b"\xff\xfea\0\n", 100).0, [b'a', HALF_UNIT]);
        assert_eq!(read(b"\xfe\xff\xd8\0\0", 1).0, [0xed, 0xa0, 0x80, HALF_UNIT]);
    }
}
