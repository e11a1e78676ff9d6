//! Public data sets: where they come from, checksums, parsers. Knows bytes only.
//!
//! [`SOURCES`] is the table of all of them. A [`DataFolder`] reads those that are there; each also has a
//! module with its rows and a `parse` for the bytes of any file of that form. A parser gives valid rows
//! or an error with file and line, and never takes more memory than its input explains.

pub mod arrays;
pub(crate) mod content;
pub mod dimacs;
mod error;
#[cfg(feature = "fetch")]
mod fetch;
mod folder;
#[cfg(feature = "sat")]
mod formulas;
pub mod life;
mod lines;
pub mod pmlb;
pub mod satbench;
mod source;
pub mod spect;
pub mod sudoku;
pub mod tic_tac_toe;
#[cfg(feature = "fetch")]
mod transport;
#[cfg(feature = "archives")]
mod unpack;
#[cfg(not(feature = "archives"))]
#[path = "packed.rs"]
mod unpack;

pub use content::Content;
pub use dimacs::Formula;
pub(crate) use error::clip;
pub use error::{DataError, FileFault, LineFault};
#[cfg(feature = "fetch")]
pub use fetch::{FetchError, Fetched, fetch};
pub use folder::DataFolder;
pub(crate) use folder::read_file;
#[cfg(feature = "sat")]
pub(crate) use formulas::read as read_formulas;
pub use life::LifePair;
pub use pmlb::Table;
pub use source::{SOURCES, Source, same_name, source};
pub use spect::{SpectRow, SpectSplit};
pub use sudoku::SudokuPair;
pub use tic_tac_toe::{Board, Mark};
