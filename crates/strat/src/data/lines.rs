//! Lines and fields of plain text.

use super::error::{DataError, LineFault};

/// The lines that are not blank, numbered from 1. Line ends are `\n` or `\r\n`; the last needs none.
pub(super) fn lines<'a>(
    file: &'a str,
    bytes: &'a [u8],
) -> impl Iterator<Item = Result<(usize, &'a str), DataError>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let numbered = bytes.split(|&b| b == b'\n').zip(1..);
    numbered.filter(|(line, _)| !line.trim_ascii().is_empty()).map(move |(line, number)| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = std::str::from_utf8(line);
        text.map(|t| (number, t)).map_err(|_| DataError::line(file, number, LineFault::NotUtf8))
    })
}

/// Exactly `N` fields, spaces around them dropped.
pub(super) fn fields<'a, const N: usize>(
    file: &str,
    line: usize,
    text: &'a str,
    separator: char,
) -> Result<[&'a str; N], DataError> {
    let mut fields = [""; N];
    let mut found = 0;
    for field in text.split(separator) {
        if let Some(place) = fields.get_mut(found) {
            *place = field.trim();
        }
        found += 1;
    }
    if found == N { Ok(fields) } else { Err(DataError::line(file, line, LineFault::Fields { found, wanted: N })) }
}
