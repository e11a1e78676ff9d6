//! What can be wrong with what a machine is made from and given.

use super::simd::{Isa, UnknownIsa};

/// Whatever can go wrong in this crate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum Error {
    /// An instruction set that this machine does not have.
    Isa(#[from] UnknownIsa),
    /// A graph that cannot be run as it was asked.
    Compile(#[from] CompileError),
    /// An input that a machine does not take.
    Input(#[from] InputError),
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The most memory that a machine may need: far more than any model here, far less than would bring a computer down. In
/// WebAssembly a quarter of what there can be.
pub const MOST_BYTES: usize = if usize::BITS > 32 { 8 << 30 } else { 1 << 30 };

/// Why a graph cannot be run as it was asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// There is nothing to run on.
    #[error("a batch should have at least one example, but has 0")]
    EmptyBatch,
    /// The batch or the model is too large.
    #[error("a batch of {batch} examples would need more than {MOST_BYTES} bytes of memory; take fewer at a time")]
    TooLarge {
        /// Examples in the batch.
        batch: usize,
    },
    /// The system has no memory left.
    #[error("there is no memory for a batch of {batch} examples ({bytes} bytes); take fewer at a time")]
    NoMemory {
        /// Examples in the batch.
        batch: usize,
        /// What could not be had.
        bytes: usize,
    },
    /// The loss is not one number.
    #[error("the loss of an example should be one number, but is a matrix of {rows} × {cols}")]
    Loss {
        /// Its rows.
        rows: usize,
        /// Its columns.
        cols: usize,
    },
    /// With rows on lanes, something is not done row by row.
    #[error("rows cannot be on lanes: the model does not answer at every token; put examples on lanes")]
    NotByRow,
    /// With rows on lanes, all parameters are trained.
    #[error("rows cannot be on lanes: parameter {name:?} is frozen; put examples on lanes")]
    Frozen {
        /// One that is not.
        name: String,
    },
    /// With rows on lanes, numbers are `f32`.
    #[error("rows cannot be on lanes: that is for f32 alone, and this is f64; put examples on lanes")]
    RowsOfF64,
    /// This program has no such kernels.
    #[error(
        "this program has no machines for f64 or rows on lanes; build it with the feature every-machine of strat"
    )]
    NotBuilt,
    /// This machine cannot run it.
    #[error("instruction set {0} is not available on this machine")]
    Isa(Isa),
}

/// Why a machine does not take an input.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// There is no such input.
    #[error("input {name:?}: the model reads no such input")]
    Name {
        /// The name that was given.
        name: String,
    },
    /// There is no such learner.
    #[error("input {name:?}: learner {lane} of {lanes}")]
    Lane {
        /// The input.
        name: String,
        /// The learner that was given, from 0.
        lane: usize,
        /// How many there are.
        lanes: usize,
    },
    /// Not as many numbers as the batch has.
    #[error("input {name:?}: should have {expected} numbers, but has {found}")]
    Length {
        /// The input.
        name: String,
        /// Of all examples together.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// A token of a kind that it cannot be of.
    #[error(
        "input {name:?}: example {example}, row {row}: the kind should be a whole number from {low} to {high}{}, but is {found}",
        if *.padding { " (or 0 for padding)" } else { "" }
    )]
    Kind {
        /// The input.
        name: String,
        /// Which example of the batch, from 0.
        example: usize,
        /// Which row of it, from 0.
        row: usize,
        /// What was given.
        found: f64,
        /// The first kind that the row can be of, from 1.
        low: usize,
        /// The last.
        high: usize,
        /// Whether there may be none.
        padding: bool,
    },
}
