//! Public data sets: where they come from, checksums, parsers. Knows bytes only.
//!
//! [`Source::all`] is the table of all of them. A [`DataFolder`] has those that are there; a [task](crate::task) reads them.
//! Each has a parser for the bytes of any file of that form, which gives valid rows or an error with file and line, and
//! never takes more memory than its input explains.

pub(crate) mod arrays;
pub(crate) mod content;
pub(crate) mod dimacs;
mod error;
#[cfg(feature = "fetch")]
mod fetch;
mod folder;
#[cfg(feature = "sat")]
mod formulas;
pub(crate) mod life;
mod lines;
pub(crate) mod pmlb;
pub(crate) mod satbench;
mod source;
pub(crate) mod spect;
pub(crate) mod sudoku;
pub(crate) mod tic_tac_toe;
#[cfg(feature = "fetch")]
mod transport;
#[cfg(feature = "archives")]
mod unpack;
#[cfg(not(feature = "archives"))]
#[path = "packed.rs"]
mod unpack;

pub use arrays::{Array, NumberKind};
pub use content::Content;
#[cfg(feature = "sat")]
pub(crate) use dimacs::Formula;
pub use error::DataError;
pub(crate) use error::clip;

#[cfg(feature = "fetch")]
pub use fetch::{FetchError, Fetched, fetch};
pub use folder::DataFolder;
pub(crate) use folder::read_file;
#[cfg(feature = "sat")]
pub(crate) use formulas::read as read_formulas;
pub(crate) use life::LifePair;
pub(crate) use pmlb::Table;
pub use source::{Source, same_name};
pub(crate) use spect::SpectRow;
pub(crate) use sudoku::SudokuPair;
pub(crate) use tic_tac_toe::Mark;
