//! Downloads from the public homes: resumed where they broke off, checked before they replace anything.

use super::content::{self, Content, Files};
use super::error::DataError;
use super::folder::DataFolder;
use super::source::Source;
use super::transport::{Answer, Transport};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a connection may break before we give up; what has come is kept.
const ATTEMPTS: u32 = 5;

/// Why a file could not be fetched. What was in the data folder is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// No connection at all.
    #[error(
        "cannot reach {host}: {reason}. Are you offline? Nothing was changed; {url} \
         can also be downloaded elsewhere and put in place as {}", .path.display()
    )]
    Offline {
        /// Whom we asked.
        host: String,
        /// What was asked for.
        url: String,
        /// Where it would have gone.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The server has no such file, or will not give it.
    #[error("{url}: the server answers with status {status}; has the file moved? Nothing was changed")]
    Status {
        /// What was asked for.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// From one address to the next, without end.
    #[error("{url}: redirected too often; nothing was changed")]
    Redirects {
        /// What was asked for.
        url: String,
    },
    /// The connection broke, again and again.
    #[error(
        "{url}: the connection broke {attempts} times ({reason}). What has come is kept: fetch again \
         to go on after {have} bytes"
    )]
    Broken {
        /// What was asked for.
        url: String,
        /// How often it was tried.
        attempts: u32,
        /// How much has come.
        have: u64,
        /// Why it broke the last time.
        reason: String,
    },
    /// More than the file can be.
    #[error("{url}: sends more than {cap} bytes, more than this file can have; nothing was changed")]
    TooLarge {
        /// What was asked for.
        url: String,
        /// The most that is taken.
        cap: u64,
    },
    /// Not the file that it should be.
    #[error("{url} is not what it should be, so nothing was replaced: {error}")]
    Wrong {
        /// What was asked for.
        url: String,
        /// What is wrong with it.
        error: Box<DataError>,
    },
    /// Neither answered nor refused as HTTP has it.
    #[error("{url}: {reason}; nothing was changed")]
    Protocol {
        /// What was asked for.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// The processor lacks instructions that the encryption needs.
    #[error("{url}: this processor lacks {feature}, which https needs here; nothing was changed. \
             Download the file elsewhere and put it in place as {}", .path.display())]
    Processor {
        /// What was asked for.
        url: String,
        /// What it lacks.
        feature: &'static str,
        /// Where it would have gone.
        path: PathBuf,
    },
    /// Another download of the same file is under way.
    #[error("{}: another download is writing it; wait until that is done", .0.display())]
    Busy(PathBuf),
    /// The operating system says no.
    #[error("{}: cannot {doing}: {source}; choose another folder", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// Its words.
        source: io::Error,
    },
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// It was there already, and it is right.
    AlreadyThere(Content),
    /// It is there now.
    New(Content),
}

/// Gets a source into the folder, unless it is there and right. `mirror` serves the files under their
/// names in the folder, in place of their homes. `progress` hears of bytes so far and, where the
/// server says, in all.
pub fn fetch(
    folder: &DataFolder,
    source: &Source,
    mirror: Option<&str>,
    progress: &dyn Fn(u64, Option<u64>),
) -> Result<Fetched, FetchError> {
    // What is there but wrong is replaced once the right file has come.
    if let Ok(Some(content)) = folder.verify(source) {
        return Ok(Fetched::AlreadyThere(content));
    }
    let path = folder.root().join(source.file);
    let url = match mirror {
        Some(mirror) => format!("{}/{}", mirror.trim_end_matches('/'), source.file),
        None => source.url.into(),
    };
    let transport = Transport::new(&url, &path)?;
    let mut partial = Partial::open(&path)?;
    // A part from another day may not fit the rest: then once more from the start.
    let resumed = partial.have > 0;
    partial.download(&transport, source.cap, progress).inspect_err(|_| partial.discard_empty())?;
    let content = match partial.check(source) {
        Err(_) if resumed => {
            partial.restart()?;
            partial.download(&transport, source.cap, progress)?;
            partial.check(source)
        }
        checked => checked,
    };
    match content {
        Ok(content) => partial.finish(&path).map(|()| Fetched::New(content)),
        Err(error) => {
            partial.discard();
            Err(FetchError::Wrong { url, error: error.into() })
        }
    }
}

/// A file on its way, beside its final place.
struct Partial {
    path: PathBuf,
    file: File,
    have: u64,
}

impl Partial {
    fn open(target: &Path) -> Result<Self, FetchError> {
        let parent = target.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(|e| failed(parent, "create the folder", e))?;
        let mut path = target.as_os_str().to_owned();
        path.push(".partial");
        let path = PathBuf::from(path);
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = options.map_err(|e| failed(&path, "write to it", e))?;
        match file.try_lock() {
            Err(fs::TryLockError::WouldBlock) => return Err(FetchError::Busy(path)),
            Err(fs::TryLockError::Error(e)) if e.kind() != io::ErrorKind::Unsupported => {
                return Err(failed(&path, "lock it", e));
            }
            _ => {}
        }
        let have = file.seek(SeekFrom::End(0)).map_err(|e| failed(&path, "read it", e))?;
        Ok(Partial { path, file, have })
    }

    fn download(
        &mut self,
        transport: &Transport,
        cap: u64,
        progress: &dyn Fn(u64, Option<u64>),
    ) -> Result<(), FetchError> {
        let mut reason = String::new();
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                std::thread::sleep(Duration::from_millis(100 << attempt));
            }
            let (mut body, total) = match transport.get(self.have)? {
                Answer::From { start, body, total } => {
                    // The whole file where only the rest was asked for, or a rest that does not fit.
                    if start != self.have {
                        self.restart()?;
                    }
                    if start != self.have {
                        reason = format!("it sends from byte {start} on instead of from the start");
                        continue;
                    }
                    (body, total)
                }
                Answer::Complete => return Ok(()),
                Answer::Elsewhere => {
                    reason = "it has no such part of the file".into();
                    self.restart()?;
                    continue;
                }
                Answer::Broken(why) => {
                    reason = why;
                    continue;
                }
            };
            if total.is_some_and(|total| total > cap) {
                return Err(self.too_large(transport, cap));
            }
            let mut buffer = vec![0; 1 << 16];
            loop {
                let n = match body.read(&mut buffer) {
                    Ok(0) if total.is_some_and(|total| self.have < total) => {
                        reason = "it ended early".into();
                        break;
                    }
                    Ok(0) => return Ok(()),
                    Ok(n) => n,
                    Err(e) => {
                        reason = e.to_string();
                        break;
                    }
                };
                if self.have + n as u64 > cap {
                    return Err(self.too_large(transport, cap));
                }
                self.file.write_all(&buffer[..n]).map_err(|e| failed(&self.path, "write to it", e))?;
                self.have += n as u64;
                progress(self.have, total);
            }
        }
        let url = transport.url.clone();
        Err(FetchError::Broken { url, attempts: ATTEMPTS, have: self.have, reason })
    }

    fn too_large(&mut self, transport: &Transport, cap: u64) -> FetchError {
        self.discard();
        FetchError::TooLarge { url: transport.url.clone(), cap }
    }

    fn restart(&mut self) -> Result<(), FetchError> {
        let emptied = self.file.set_len(0).and_then(|()| self.file.seek(SeekFrom::Start(0)));
        self.have = emptied.map_err(|e| failed(&self.path, "empty it", e))?;
        Ok(())
    }

    fn check(&mut self, source: &Source) -> Result<Content, DataError> {
        let mut bytes = vec![];
        let read = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.read_to_end(&mut bytes));
        let name = self.path.display().to_string();
        read.map_err(|source| DataError::file(&name, super::error::FileFault::Io { doing: "read it", source }))?;
        content::verify(source, &Files { public: true, files: vec![(source.file.into(), bytes)] })
    }

    fn finish(self, target: &Path) -> Result<(), FetchError> {
        self.file.sync_all().map_err(|e| failed(&self.path, "write to it", e))?;
        drop(self.file); // Windows does not rename open files
        fs::rename(&self.path, target).map_err(|e| failed(target, "move the file there", e))
    }

    /// An empty file helps nobody to go on.
    fn discard_empty(&self) {
        if self.have == 0 {
            self.discard();
        }
    }

    /// Nothing better can be done here if this fails too.
    fn discard(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn failed(path: &Path, doing: &'static str, source: io::Error) -> FetchError {
    FetchError::Io { path: path.into(), doing, source }
}
