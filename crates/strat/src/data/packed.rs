//! Compressed files and archives in a program without the feature `archives`: each is refused with that reason.

use super::error::{DataError, FileFault};
use std::borrow::Cow;

fn refused(file: &str, form: &'static str) -> DataError {
    let reason = "this program was built without the feature `archives`; unpack it first".into();
    DataError::file(file, FileFault::Unpack { form, reason })
}

/// A file as it is, if it is not compressed.
pub(super) fn plain<'a>(file: &str, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, DataError> {
    if bytes.starts_with(b"\x1f\x8b") {
        Err(refused(file, "gzip"))
    } else if bytes.starts_with(b"\xfd7zXZ\0") {
        Err(refused(file, "xz"))
    } else {
        Ok(bytes.into())
    }
}

/// Whether this is a zip archive.
pub(super) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

/// No entry of any archive.
pub(super) fn zip_entry(file: &str, _: &[u8], _: &'static str) -> Result<Vec<u8>, DataError> {
    Err(refused(file, "zip"))
}

/// No entries of any archive.
pub(super) fn tar_entries(file: &str, _: &[u8], _: &str) -> Result<Vec<(String, Vec<u8>)>, DataError> {
    Err(refused(file, "tar"))
}
