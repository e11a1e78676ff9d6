//! What can be wrong with a file, and where.

use std::borrow::Cow;
use std::io;

/// Why a file could not be read as data. Names the file and, where there is one, the line.
#[derive(Debug, thiserror::Error)]
#[error("{file}{}: {fault}", .line.map_or_else(String::new, |line| format!(":{line}")))]
pub struct DataError {
    /// The file, or `archive/entry`.
    file: String,
    line: Option<usize>,
    fault: DataFault,
}

/// What is wrong with a line, or with a file as a whole.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
enum DataFault {
    Line(LineFault),
    File(FileFault),
}

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LineFault {
    /// Bytes that are no text.
    #[error("not UTF-8 text")]
    NotUtf8,
    /// Too many or too few fields.
    #[error("{found} fields, but there should be {wanted}")]
    Fields {
        /// How many there are.
        found: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// A field has a value that it cannot have.
    #[error("{field} is {value:?}, but should be {wanted}")]
    Value {
        /// Which field.
        field: Cow<'static, str>,
        /// What it holds, shortened.
        value: String,
        /// What it could hold.
        wanted: Cow<'static, str>,
    },
    /// Something that should stand at or before this line does not.
    #[error("no {0}")]
    Missing(&'static str),
    /// A count that is announced is not what follows.
    #[error("{announced} {what} are announced, but there are {found}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// How many the file says there are.
        announced: u64,
        /// How many there are.
        found: u64,
    },
    /// Not JSON, or not with the fields that are needed.
    #[error("column {column}: {reason}")]
    Json {
        /// Where in the line, from 1 on.
        column: usize,
        /// What the JSON reader says.
        reason: String,
    },
}

/// What is wrong with a file as a whole.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileFault {
    /// The operating system says no.
    #[error("cannot {doing}: {source}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// Its words.
        source: io::Error,
    },
    /// More than is ever needed, so that a wrong or hostile file cannot fill the memory.
    #[error("larger than {limit} bytes{}; this cannot be the file it should be", if *.unpacked { " when unpacked" } else { "" })]
    TooLarge {
        /// The most that is read.
        limit: u64,
        /// Whether that counts what comes out of an archive.
        unpacked: bool,
    },
    /// An archive is damaged.
    #[error("cannot be unpacked as {form}: {reason}")]
    Unpack {
        /// The archive's form.
        form: &'static str,
        /// What the unpacker says.
        reason: String,
    },
    /// Something that should be in an archive, or beside a file, is not.
    #[error("no {0}")]
    Missing(&'static str),
    /// Too many or too few rows for the data set that it should be.
    #[error("{found} rows, but there should be {wanted}")]
    Rows {
        /// How many there are.
        found: usize,
        /// How many there should be.
        wanted: String,
    },
    /// Other bytes than those of the public file.
    #[error("its SHA-256 is {found}, but should be {wanted}: not the public file")]
    Checksum {
        /// What it is.
        found: String,
        /// What it should be.
        wanted: &'static str,
    },
    /// Sound rows, but others than those of the public file.
    #[error(
        "its rows are sound, but not those of the public file: their fingerprint is {found} instead of {wanted}"
    )]
    Content {
        /// What it is.
        found: String,
        /// What it should be.
        wanted: &'static str,
    },
}

impl DataError {
    /// The line that is not as it should be, from 1 on; none where that is the whole file.
    pub fn line_number(&self) -> Option<usize> {
        self.line
    }

    pub(super) fn line(file: &str, line: usize, fault: LineFault) -> Self {
        DataError { file: file.into(), line: Some(line), fault: DataFault::Line(fault) }
    }

    pub(super) fn file(file: &str, fault: FileFault) -> Self {
        DataError { file: file.into(), line: None, fault: DataFault::File(fault) }
    }

    /// `field` of a line holds `value`.
    pub(super) fn value(
        file: &str,
        line: usize,
        field: impl Into<Cow<'static, str>>,
        value: &str,
        wanted: impl Into<Cow<'static, str>>,
    ) -> Self {
        let fault = LineFault::Value { field: field.into(), value: clip(value), wanted: wanted.into() };
        DataError::line(file, line, fault)
    }

    pub(super) fn json(file: &str, line: usize, error: &serde_json::Error) -> Self {
        // Its own "at line 1" counts lines within the one line that it was given.
        let words = error.to_string();
        let reason = words.rfind(" at line ").map_or(&words[..], |end| &words[..end]);
        let reason = clip(reason);
        DataError::line(file, line, LineFault::Json { column: error.column(), reason })
    }
}

/// Long enough to recognize, short enough for one line of a terminal.
pub(crate) fn clip(text: &str) -> String {
    const MOST: usize = 90;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}
