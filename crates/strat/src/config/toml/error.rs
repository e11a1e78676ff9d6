//! What can be wrong with a configuration, told with its place.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Where a setting was made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// On a line of a file, from 1 on.
    Line(Arc<str>, usize),
    /// By [`ConfigFile::set`](super::ConfigFile::set), of which this was the first, second, ….
    Set(usize),
    /// In a file, but on no line of it: something that it leaves out.
    File(Arc<str>),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(file, line) => write!(f, "{file}: line {line}"),
            Place::Set(number) => write!(f, "setting {number}"),
            Place::File(file) => f.write_str(file),
        }
    }
}

/// Why a configuration says nothing that can be trained.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigFileError {
    /// The file cannot be read.
    #[error("{}: cannot read it: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// More than anyone writes.
    #[error("{}: it has more than {most} bytes; a configuration has a few hundred", .path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The most that is read.
        most: u64,
    },
    /// Not TOML.
    #[error("{at}: this is not TOML: {reason}")]
    Syntax {
        /// Where.
        at: Place,
        /// What the parser says.
        reason: String,
    },
    /// A setting that sets nothing.
    #[error("{at}: {text:?} should be KEY=VALUE, as in train.learning_rate=0.003")]
    Set {
        /// Which.
        at: Place,
        /// What it is.
        text: String,
    },
    /// A key twice.
    #[error("{at}: {key} is given twice, first at {first}; keep one of them")]
    Duplicate {
        /// The second one.
        at: Place,
        /// The key.
        key: String,
        /// The first one.
        first: Place,
    },
    /// A key that there is not.
    #[error("{at}: there is no key {key}; {hint}")]
    Unknown {
        /// Where.
        at: Place,
        /// The key.
        key: String,
        /// The nearest one that there is, or all.
        hint: String,
    },
    /// A key for what the task decides.
    #[error("{at}: {key} is not a setting, because the task decides it; leave it out")]
    Decided {
        /// Where.
        at: Place,
        /// The key.
        key: String,
    },
    /// A key without effect.
    #[error("{at}: {key} would have no effect; it needs {needs}")]
    NoEffect {
        /// Where.
        at: Place,
        /// The key.
        key: &'static str,
        /// With what it has one.
        needs: &'static str,
    },
    /// `[task]` where the task is known.
    #[error("{at}: {key} is for files of examples; {task} says itself what is asked")]
    KnownTask {
        /// Where.
        at: Place,
        /// The key.
        key: &'static str,
        /// The task.
        task: String,
    },
    /// A value of another type, or out of range.
    #[error("{at}: {key} is {value}, but should be {expected}")]
    Value {
        /// Where.
        at: Place,
        /// The key.
        key: String,
        /// As it was written.
        value: String,
        /// What it may be.
        expected: String,
    },
    /// A list where there is one value for the whole run.
    #[error("{at}: {key} cannot be a list; it is one for the whole run, {expected}")]
    NoSweep {
        /// Where.
        at: Place,
        /// The key.
        key: String,
        /// What it may be.
        expected: &'static str,
    },
    /// A list of nothing.
    #[error("{at}: {key} is an empty list; name at least one value, or leave the key out")]
    EmptyList {
        /// Where.
        at: Place,
        /// The key.
        key: &'static str,
    },
    /// One value twice in a list.
    #[error("{at}: {key} has {value} twice; every value of a list is a row of its own")]
    Repeated {
        /// Where.
        at: Place,
        /// The key.
        key: &'static str,
        /// The value.
        value: String,
    },
    /// A list too long.
    #[error("{at}: {key} has {found} values, but at most {most} are tried")]
    LongList {
        /// Where.
        at: Place,
        /// The key.
        key: &'static str,
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// Too many combinations.
    #[error("{at}: its lists make more than {most} settings; shorten them")]
    TooManySettings {
        /// The file.
        at: Place,
        /// How many there may be.
        most: usize,
    },
    /// Values that do not go together, or not with the examples.
    #[error("{at}: {key}: {reason}")]
    Misfit {
        /// Where.
        at: Place,
        /// The key that is best changed.
        key: &'static str,
        /// What does not fit.
        reason: String,
    },
}
