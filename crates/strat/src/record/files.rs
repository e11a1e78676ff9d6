//! Files that are there whole or not at all, and logs that only grow. Nothing of a run is written through a
//! symbolic link: what a link in its folder points to is not ours.

use super::{ReadError, RecordError};
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The folder of a path; the current one has no name.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    }
}

/// A new file. What somebody who was stopped left there is removed; nobody's link is followed.
fn create(path: &Path) -> io::Result<File> {
    let new = || OpenOptions::new().write(true).create_new(true).open(path);
    match new() {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            new()
        }
        file => file,
    }
}

/// Puts a file in its place: written beside it, flushed, renamed.
fn put(path: &Path, beside: &Path, bytes: &[u8], like: Option<Permissions>) -> io::Result<()> {
    let save = || -> io::Result<()> {
        let mut file = create(beside)?;
        file.write_all(bytes)?;
        if let Some(like) = like {
            file.set_permissions(like)?;
        }
        file.sync_all()?;
        fs::rename(beside, path)
    };
    save().inspect_err(|_| {
        // Nothing better can be done if this fails too; the next attempt writes over it.
        let _ = fs::remove_file(beside);
    })
}

/// Writes a file that somebody asked for, such as a page: whole, or what was there before stays.
///
/// It is written beside its place, flushed and renamed. A link stays a link: what it points to is replaced. What
/// is no file (a pipe, a terminal, `/dev/null`) is written to as it is. A file that may not be written is not
/// replaced either, and one that is replaced keeps its permissions.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Of a link to nothing this is an error: who knows where it was to point.
    let path = if path.is_symlink() { path.canonicalize()? } else { path.to_path_buf() };
    let like = match OpenOptions::new().write(true).open(&path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => return Err(e),
        Ok(mut there) => match there.metadata()? {
            m if m.is_file() => Some(m.permissions()),
            _ => return there.write_all(bytes),
        },
    };
    // Its own name for each process: two may write the same page.
    let beside = folder(&path).join(format!(".strat-{}.tmp", std::process::id()));
    put(&path, &beside, bytes, like)?;
    sync_folder(folder(&path))
}

/// Puts files of one folder in their places, one after the other; then the folder is flushed.
pub(super) fn replace(files: &[(PathBuf, Vec<u8>)]) -> Result<(), RecordError> {
    for (path, bytes) in files {
        put(path, &beside(path), bytes, None).map_err(|source| RecordError::Middle {
            path: path.clone(),
            doing: "write the file",
            source,
        })?;
    }
    let Some((path, _)) = files.last() else { return Ok(()) };
    sync_folder(folder(path)).map_err(|source| RecordError::Middle {
        path: folder(path).into(),
        doing: "flush the folder",
        source,
    })
}

/// Where a file is while it is being written.
pub(super) fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tmp"))
}

/// Removes what somebody who was stopped while writing left beside the files of a run.
pub(super) fn remove_beside(path: &Path) -> Result<(), RecordError> {
    let fail = |source| RecordError::Start { path: path.into(), doing: "look into it", source };
    for entry in fs::read_dir(path).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name();
        let written = name.to_str().and_then(|name| name.strip_prefix('.')?.strip_suffix(".tmp"));
        let is_ours = |name: &str| [".json", ".jsonl", ".safetensors"].iter().any(|end| name.ends_with(end));
        if written.is_some_and(is_ours) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

/// Appends to a log that is whole up to `at`; what is behind was cut off and is dropped.
/// Returns how long it is now.
pub(super) fn append(path: &Path, at: u64, bytes: &[u8]) -> Result<u64, RecordError> {
    let save = || -> io::Result<u64> {
        let new = !path.exists();
        let mut file = open_to_append(path)?;
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

/// A file to append to: a new one, or one that is there and is no link. Nothing was changed in it yet.
fn open_to_append(path: &Path) -> io::Result<File> {
    let none = || io::Error::other("it is a link or no file, and is not written through");
    match fs::symlink_metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => OpenOptions::new().write(true).create_new(true).open(path),
        Err(e) => Err(e),
        Ok(found) if !found.is_file() => Err(none()),
        Ok(_) => {
            let file = OpenOptions::new().write(true).open(path)?;
            // It may have become a link in between.
            if is_same(&fs::symlink_metadata(path)?, &file.metadata()?) { Ok(file) } else { Err(none()) }
        }
    }
}

/// Whether two are one file or folder.
#[cfg(unix)]
pub(super) fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Elsewhere they have no numbers to know them by.
#[cfg(not(unix))]
pub(super) fn is_same(a: &Metadata, b: &Metadata) -> bool {
    a.file_type() == b.file_type()
}

/// Makes a folder in one that is there, unless it is there itself. A link to one is none.
pub(super) fn subfolder(path: &Path) -> Result<(), RecordError> {
    let fail = |source| RecordError::Middle { path: path.into(), doing: "create the folder", source };
    match fs::create_dir(path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            if fs::symlink_metadata(path).map_err(fail)?.is_dir() {
                Ok(())
            } else {
                Err(fail(io::Error::other("it is a link or a file, and is not written through")))
            }
        }
        made => made.map_err(fail),
    }
}

/// Removes a file or folder of ours that is no longer needed, if it is there.
pub(super) fn remove(path: &Path) -> Result<(), RecordError> {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let gone = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match gone {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(RecordError::Middle { path: path.into(), doing: "remove what is no longer needed", source })
        }
        _ => Ok(()),
    }
}

/// The whole of a file that has at most `limit` bytes. Nothing is allocated for a longer one.
pub(super) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let fail = |source| ReadError::Io { path: path.into(), source };
    // Asked before it is opened: a pipe would keep us waiting.
    let found = fs::metadata(path).map_err(fail)?;
    if !found.is_file() {
        return Err(fail(io::Error::other("it is no file")));
    }
    let too_long = || ReadError::TooLong { path: path.into(), limit };
    if found.len() > limit {
        return Err(too_long());
    }
    let mut bytes = Vec::with_capacity(found.len() as usize);
    File::open(path).map_err(fail)?.take(limit + 1).read_to_end(&mut bytes).map_err(fail)?;
    // It may have grown.
    if bytes.len() as u64 > limit { Err(too_long()) } else { Ok(bytes) }
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
