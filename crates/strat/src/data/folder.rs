//! The data folder: where it is, and what can be read from it.

use super::content::{self, Content, Files, Named};
use super::dimacs::Formula;
use super::error::{DataError, FileFault};
use super::life::LifePair;
use super::pmlb::Table;
use super::source::{Kind, SOURCES, Source, source};
use super::spect::SpectSplit;
use super::sudoku::SudokuPair;
use super::tic_tac_toe::Board;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A folder with data sets in their public form. Every reader gives `None` where the file is not
/// there, and an error where it is there but cannot be what it should be.
#[derive(Clone, Debug)]
pub struct DataFolder {
    root: PathBuf,
}

impl DataFolder {
    /// The folder asked for, else `STRAT_DATA`, else the platform's folder for caches.
    pub fn find(flag: Option<PathBuf>) -> Self {
        let root = flag.or_else(|| set("STRAT_DATA").map(PathBuf::from)).unwrap_or_else(cache);
        DataFolder { root }
    }

    /// Where it is; it need not exist.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// SATNet's Sudoku: the 100 puzzles that the paper trains on, then its 1,000 for testing.
    #[doc(hidden)]
    pub fn sudoku(&self) -> Result<Option<Vec<SudokuPair>>, DataError> {
        self.load(Kind::Sudoku, content::sudoku)
    }

    /// UCI's Tic-Tac-Toe Endgame: every final board and whether x has won.
    #[doc(hidden)]
    pub fn tic_tac_toe(&self) -> Result<Option<Vec<Board>>, DataError> {
        self.load(Kind::TicTacToe, content::tic_tac_toe)
    }

    /// Game of Life: boards of 6 × 6 and their next step.
    #[doc(hidden)]
    pub fn life(&self) -> Result<Option<Vec<LifePair>>, DataError> {
        self.load(Kind::Life, content::life)
    }

    /// A table of PMLB: `parity5`, `threeof9`, `m-of-n`, `monk-2` or `led24`; no other is there.
    #[doc(hidden)]
    pub fn pmlb(&self, name: &str) -> Result<Option<Table>, DataError> {
        let table = source(name).filter(|s| s.kind == Kind::Pmlb);
        table.map_or(Ok(None), |source| self.load_from(source, content::pmlb))
    }

    /// UCI's SPECT Heart.
    #[doc(hidden)]
    pub fn spect(&self) -> Result<Option<SpectSplit>, DataError> {
        self.load(Kind::Spect, content::spect)
    }

    /// SATLIB's satisfiable formulas of 20 variables and 91 clauses, in order of their numbers.
    #[doc(hidden)]
    pub fn satlib(&self) -> Result<Option<Vec<Formula>>, DataError> {
        self.load(Kind::Satlib, content::satlib)
    }

    /// SATBench's formulas, each with whether it is satisfiable.
    #[doc(hidden)]
    pub fn satbench(&self) -> Result<Option<Vec<(Formula, bool)>>, DataError> {
        self.load(Kind::Satbench, content::satbench)
    }

    fn load<T>(&self, kind: Kind, read: content::Reader<T>) -> Result<Option<T>, DataError> {
        let source = SOURCES.iter().find(|s| s.kind == kind).expect("the table has every kind");
        self.load_from(source, read)
    }

    fn load_from<T>(&self, source: &Source, read: content::Reader<T>) -> Result<Option<T>, DataError> {
        self.open(source)?.map(|found| read(source, &found.files)).transpose()
    }

    /// A source's files that are there: the public one, else those that stand in for it. Not read.
    pub fn files(&self, source: &Source) -> Vec<PathBuf> {
        let there = |files: &[&str]| -> Vec<PathBuf> {
            files.iter().map(|file| self.root.join(file)).filter(|path| path.is_file()).collect()
        };
        let public = there(&[source.file]);
        if public.is_empty() { there(source.instead) } else { public }
    }

    /// Reads a source and compares it with what it should be; `None` where it is not there.
    pub fn verify(&self, source: &Source) -> Result<Option<Content>, DataError> {
        self.open(source)?.map(|files| content::verify(source, &files)).transpose()
    }

    /// The public file, or all that stand in for it.
    fn open(&self, source: &Source) -> Result<Option<Files>, DataError> {
        if let Some(found) = self.bytes(source.file, source.cap)? {
            return Ok(Some(Files { public: true, files: vec![found] }));
        }
        let instead = source.instead.iter().map(|file| self.bytes(file, source.cap));
        let found: Vec<Option<Named>> = instead.collect::<Result<_, _>>()?;
        if found.iter().all(Option::is_none) {
            return Ok(None);
        }
        // Some without the others is an error: half a data set is none.
        let both = |(file, found): (&&'static str, Option<Named>)| {
            let name = || self.root.join(file).display().to_string();
            found.ok_or_else(|| {
                DataError::file(&name(), FileFault::Missing("such file, but there is its other part"))
            })
        };
        let files = source.instead.iter().zip(found).map(both).collect::<Result<_, _>>()?;
        Ok(Some(Files { public: false, files }))
    }

    fn bytes(&self, file: &str, cap: u64) -> Result<Option<Named>, DataError> {
        let path = self.root.join(file);
        match File::open(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => Ok(Some((path.display().to_string(), contents(&path, opened, cap)?))),
        }
    }
}

/// A file's bytes, if they are no more than `cap`.
pub(crate) fn read_file(path: &Path, cap: u64) -> Result<Vec<u8>, DataError> {
    contents(path, File::open(path), cap)
}

fn contents(path: &Path, opened: io::Result<File>, cap: u64) -> Result<Vec<u8>, DataError> {
    let fail = |fault| DataError::file(&path.display().to_string(), fault);
    let opened = opened.map_err(|source| fail(FileFault::Io { doing: "open it", source }))?;
    let mut bytes = vec![];
    let read = opened.take(cap + 1).read_to_end(&mut bytes);
    read.map_err(|source| fail(FileFault::Io { doing: "read it", source }))?;
    if bytes.len() as u64 > cap {
        Err(fail(FileFault::TooLarge { limit: cap, unpacked: false }))
    } else {
        Ok(bytes)
    }
}

/// A variable that is set and not empty.
fn set(variable: &str) -> Option<OsString> {
    std::env::var_os(variable).filter(|v| !v.is_empty())
}

/// Where this platform keeps what can be fetched again.
fn cache() -> PathBuf {
    let home = |below: &str| std::env::home_dir().map(|home| home.join(below));
    let base = if cfg!(windows) {
        set("LOCALAPPDATA").map(PathBuf::from)
    } else if cfg!(target_os = "macos") {
        home("Library/Caches")
    } else {
        // The XDG specification asks to ignore a relative path.
        set("XDG_CACHE_HOME").map(PathBuf::from).filter(|p| p.is_absolute()).or_else(|| home(".cache"))
    };
    base.unwrap_or_else(std::env::temp_dir).join("strat")
}
