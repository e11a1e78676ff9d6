//! One error for all of the crate, over the precise ones.

use crate::experiment::crystallize::CrystallizeError;
use crate::fitted::FitDataError;
use crate::microscope::{PageDataError, PageError};
use strat::record::{MergeError, ReadError, RecordError};
use strat::sweep::Interrupted;
use strat::train::TrainError;

/// Whatever can go wrong in this crate. Functions return the precise error; `?` turns each into this one.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum Error {
    /// Learners cannot be crystallized.
    Crystallize(#[from] CrystallizeError),
    /// What a run keeps of a table cannot be shown.
    FitData(#[from] FitDataError),
    /// A page is too large.
    Page(#[from] PageError),
    /// A learner cannot be shown.
    PageData(#[from] PageDataError),
    /// The library's.
    Strat(#[from] strat::Error),
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Errors of the library that this crate's functions return as they are.
macro_rules! of_library {
    ($($error:ty),+) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Error {
                Error::Strat(error.into())
            }
        })+
    };
}
of_library!(Interrupted, MergeError, ReadError, RecordError, TrainError);
