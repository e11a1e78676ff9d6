//! Compressed files and archives, unpacked in memory and never beyond a limit. Entries are looked up
//! by name; nothing is written to disk.

use super::error::{DataError, FileFault};
use std::borrow::Cow;
use std::io::{Cursor, Read};

/// Most bytes that come out of one file: many times what the largest of ours needs.
const LIMIT: u64 = 16 << 20;
/// Memory for an xz decoder, in KiB: enough for `xz -9`, whatever a header claims.
const XZ_MEMORY: u32 = 80 << 10;

/// A gzip or xz file's content, any other file as it is.
pub(super) fn plain<'a>(file: &str, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, DataError> {
    if bytes.starts_with(b"\x1f\x8b") {
        let content = flate2::read::MultiGzDecoder::new(bytes);
        Ok(limited(file, "gzip", content)?.into())
    } else if bytes.starts_with(b"\xfd7zXZ\0") {
        let content = lzma_rust2::XzReader::new_mem_limit(bytes, true, XZ_MEMORY);
        Ok(limited(file, "xz", content)?.into())
    } else {
        Ok(bytes.into())
    }
}

/// Whether this is a zip archive.
pub(super) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

/// One entry of a zip archive, in whatever folder it is.
pub(super) fn zip_entry(file: &str, bytes: &[u8], name: &'static str) -> Result<Vec<u8>, DataError> {
    let damaged =
        |e: zip::result::ZipError| DataError::file(file, FileFault::Unpack { form: "zip", reason: e.to_string() });
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    // By index: names are the archive's own, so one that is no text is passed over.
    let is_it = |path: &str| path.rsplit('/').next() == Some(name);
    let Some(index) = archive.file_names().position(|path| path.is_ok_and(|p| is_it(&p))) else {
        return Err(DataError::file(file, FileFault::Missing(name)));
    };
    let entry = archive.by_index(index).map_err(damaged)?;
    limited(&format!("{file}/{name}"), "zip", entry)
}

/// The entries of a tar archive (compressed or not) whose name ends so, in order of the archive.
pub(super) fn tar_entries(file: &str, bytes: &[u8], ending: &str) -> Result<Vec<(String, Vec<u8>)>, DataError> {
    let damaged =
        |e: std::io::Error| DataError::file(file, FileFault::Unpack { form: "tar", reason: e.to_string() });
    let content = plain(file, bytes)?;
    let mut archive = tar::Archive::new(&content[..]);
    let mut found = vec![];
    let mut room = LIMIT; // for all entries: a sparse one can claim any size
    for entry in archive.entries().map_err(damaged)? {
        let entry = entry.map_err(damaged)?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if !entry.header().entry_type().is_file() || !path.ends_with(ending) {
            continue;
        }
        let name = path.rsplit('/').next().unwrap_or(&path).to_string();
        let bytes = limited_to(room, &format!("{file}/{name}"), "tar", entry)?;
        room -= bytes.len() as u64;
        found.push((name, bytes));
    }
    Ok(found)
}

fn limited(file: &str, form: &'static str, content: impl Read) -> Result<Vec<u8>, DataError> {
    limited_to(LIMIT, file, form, content)
}

fn limited_to(limit: u64, file: &str, form: &'static str, content: impl Read) -> Result<Vec<u8>, DataError> {
    let mut bytes = vec![];
    let read = content.take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|e| DataError::file(file, FileFault::Unpack { form, reason: e.to_string() }))?;
    if bytes.len() as u64 > limit {
        Err(DataError::file(file, FileFault::TooLarge { limit: LIMIT, unpacked: true }))
    } else {
        Ok(bytes)
    }
}
