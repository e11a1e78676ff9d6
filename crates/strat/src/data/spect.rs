//! UCI's SPECT Heart: a label and 22 binary features, in two files.

use super::error::DataError;
use super::lines::{fields, lines};
use super::{pmlb, unpack};
use std::fmt;

/// One patient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpectRow {
    /// The diagnosis: abnormal.
    pub label: bool,
    /// F1 to F22.
    pub features: [bool; 22],
}

/// Both files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpectSplit {
    /// `SPECT.train`
    pub train: Vec<SpectRow>,
    /// `SPECT.test`
    pub test: Vec<SpectRow>,
}

/// Reads `SPECT.train` or `SPECT.test`.
pub fn parse(file: &str, bytes: &[u8]) -> Result<Vec<SpectRow>, DataError> {
    let mut rows = vec![];
    for next in lines(file, bytes) {
        let (line, text) = next?;
        let all: [&str; 23] = fields(file, line, text, ',')?;
        let mut bits = [false; 23];
        for (i, bit) in bits.iter_mut().enumerate() {
            let name = || if i == 0 { "label".into() } else { format!("F{i}") };
            *bit = match all[i] {
                "0" => false,
                "1" => true,
                other => return Err(DataError::value(file, line, name(), other, "0 or 1")),
            };
        }
        let [label, features @ ..] = bits;
        rows.push(SpectRow { label, features });
    }
    Ok(rows)
}

/// Rows of either file, of the zip (those for training first), or of PMLB's table.
pub(crate) fn rows(file: &str, bytes: &[u8]) -> Result<Vec<pmlb::Row>, DataError> {
    let rows = if unpack::is_zip(bytes) {
        let SpectSplit { train, test } = parse_zip(file, bytes)?;
        [train, test].concat()
    } else {
        let text = unpack::plain(file, bytes)?;
        if text.split(|&b| b == b'\n').next().is_some_and(|header| header.contains(&b'\t')) {
            return Ok(pmlb::numbered(file, &text)?.1);
        }
        parse(file, &text)?
    };
    let row = |(row, line): (SpectRow, usize)| pmlb::Row {
        line,
        features: row.features.map(i32::from).to_vec(),
        target: i32::from(row.label),
    };
    Ok(rows.into_iter().zip(1..).map(row).collect())
}

/// Reads UCI's zip that holds both files.
pub fn parse_zip(file: &str, bytes: &[u8]) -> Result<SpectSplit, DataError> {
    let part = |entry| parse(&format!("{file}/{entry}"), &unpack::zip_entry(file, bytes, entry)?);
    Ok(SpectSplit { train: part("SPECT.train")?, test: part("SPECT.test")? })
}

impl fmt::Display for SpectRow {
    /// As a line of the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", u8::from(self.label))?;
        self.features.iter().try_for_each(|&bit| write!(f, ",{}", u8::from(bit)))
    }
}
