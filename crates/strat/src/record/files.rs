//! Files that are there whole or not at all, and logs that only grow.

use super::{ReadError, RecordError};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The folder of a path; the current one has no name.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    }
}

/// Puts files of one folder in their places: each written beside its place, flushed, renamed; then
/// the folder is flushed.
pub(super) fn replace(files: &[(PathBuf, Vec<u8>)]) -> Result<(), RecordError> {
    for (path, bytes) in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let beside = path.with_file_name(format!(".{name}.tmp"));
        let save = || -> io::Result<()> {
            let mut file = File::create(&beside)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&beside, path)
        };
        save().map_err(|source| {
            // Nothing better can be done if this fails too; the next attempt writes over it.
            let _ = fs::remove_file(&beside);
            RecordError::Middle { path: path.clone(), doing: "write the file", source }
        })?;
    }
    let Some((path, _)) = files.last() else { return Ok(()) };
    sync_folder(folder(path)).map_err(|source| RecordError::Middle {
        path: folder(path).into(),
        doing: "flush the folder",
        source,
    })
}

/// Appends to a log that is whole up to `at`; what is behind was cut off and is dropped.
/// Returns how long it is now.
pub(super) fn append(path: &Path, at: u64, bytes: &[u8]) -> Result<u64, RecordError> {
    let save = || -> io::Result<u64> {
        let new = !path.exists();
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        file.set_len(at)?;
        file.seek(SeekFrom::Start(at))?;
        let written = file.write_all(bytes).and_then(|()| file.sync_data());
        if let Err(e) = written {
            let _ = file.set_len(at);
            return Err(e);
        }
        if new {
            sync_folder(folder(path))?;
        }
        Ok(at + bytes.len() as u64)
    };
    save().map_err(|source| RecordError::Middle { path: path.into(), doing: "append to the log", source })
}

/// Removes a file or folder of ours that is no longer needed, if it is there.
pub(super) fn remove(path: &Path) -> Result<(), RecordError> {
    let gone = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match gone {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(RecordError::Middle { path: path.into(), doing: "remove what is no longer needed", source })
        }
        _ => Ok(()),
    }
}

/// The whole of a file that has at most `limit` bytes.
pub(super) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let fail = |source| ReadError::Io { path: path.into(), source };
    let file = File::open(path).map_err(fail)?;
    let length = file.metadata().map_err(fail)?.len();
    let mut bytes = Vec::with_capacity(length.min(limit) as usize);
    file.take(limit + 1).read_to_end(&mut bytes).map_err(fail)?;
    match bytes.len() as u64 > limit {
        true => Err(ReadError::TooLong { path: path.into(), limit }),
        false => Ok(bytes),
    }
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Elsewhere a folder cannot be opened; the system writes it when it pleases.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
