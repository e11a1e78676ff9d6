//! What can be wrong with arrays as examples.

use crate::data::arrays::{ArraysError, ArraysFault};
use std::error::Error;
use std::path::PathBuf;

impl From<ArraysError> for ArrayTaskError {
    fn from(error: ArraysError) -> ArrayTaskError {
        ArrayTaskError::Fault { name: error.path.display().to_string(), fault: error.fault.into() }
    }
}

/// Why arrays are no task.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayTaskError {
    /// The file has no sound arrays, or the arrays are no examples.
    #[error("{name}: {fault}")]
    Fault {
        /// The file, or what the arrays are called.
        name: String,
        /// What is wrong.
        fault: Box<dyn Error + Send + Sync>,
    },
    /// The file of a run is not at hand.
    #[error(
        "{file}, the file of examples that the run was trained on, is neither in {} nor in the current folder; name its folder",
        .folder.display()
    )]
    NotThere {
        /// The file's name.
        file: String,
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// Another file of the same name.
    #[error(
        "{}: is not the file that the run was trained on ({here} here, {there} there); name the folder of that one",
        .path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// Checksum of its arrays.
        here: String,
        /// And of the run's.
        there: String,
    },
}

/// What is wrong with arrays as examples.
#[derive(Debug, thiserror::Error)]
pub(super) enum ArrayFault {
    /// Arrays in memory that no file could hold.
    #[error(transparent)]
    Arrays(#[from] ArraysFault),
    /// No right answers.
    #[error("there is no array \"target\" with the right answers; there are {found}")]
    NoTarget {
        /// The arrays.
        found: String,
    },
    /// Nothing to read.
    #[error(
        "there is no input; beside \"target\" there should be \"type\" and \"data\", \"kind\" and \"value\", or what your model reads"
    )]
    NoInput,
    /// No example to learn from.
    #[error("no example has split 0 (train), so that there is nothing to learn from")]
    NoTraining,
    /// A name that a batch uses.
    #[error("an input cannot be called {name:?}, because models read under this name {what}; rename it")]
    Reserved {
        /// The array.
        name: String,
        /// What is called so already.
        what: &'static str,
    },
    /// An array of another shape than it should have.
    #[error("array {name:?} has shape {shape:?}, but should have {expected}")]
    Shape {
        /// The array.
        name: String,
        /// Its shape.
        shape: Vec<usize>,
        /// What it should be.
        expected: String,
    },
    /// A number that cannot be there.
    #[error("array {name:?} is {value} at index {index:?}, but should be {expected}")]
    Value {
        /// The array.
        name: String,
        /// Where.
        index: Vec<usize>,
        /// What is there.
        value: f64,
        /// What it may be.
        expected: String,
    },
    /// An array with another number of tokens.
    #[error("array {name:?} has {found} tokens, but array {other:?} has {expected}")]
    Tokens {
        /// The array.
        name: String,
        /// How many it has.
        found: usize,
        /// The array that tells how many tokens there are.
        other: String,
        /// How many that has.
        expected: usize,
    },
    /// Answers that cannot be read as asked.
    #[error(
        "the readout {readout} needs a target of {expected}, but array \"target\" holds {found} of shape {shape:?}"
    )]
    Readout {
        /// What is asked.
        readout: &'static str,
        /// What the target should be.
        expected: &'static str,
        /// What its numbers are.
        found: &'static str,
        /// Its shape.
        shape: Vec<usize>,
    },
    /// Answers that tell no readout.
    #[error(
        "array \"target\" holds {found} of shape {shape:?}; it should have a number for each example, or integers or bools for every token"
    )]
    Target {
        /// What its numbers are.
        found: &'static str,
        /// Its shape.
        shape: Vec<usize>,
    },
    /// Classes of what has none.
    #[error("classes is {classes}, but the answers are no classes: the readout is {readout}")]
    Classes {
        /// How many were asked for.
        classes: usize,
        /// What the answers are.
        readout: &'static str,
    },
    /// Test examples of which none counts.
    #[error("all examples of split {split} have weight 0, so that they have no score")]
    NoWeight {
        /// The split, 1 or 2.
        split: usize,
    },
    /// An example of which nothing is asked.
    #[error("array \"scored\" asks for no token of example {example}; at least one should be 1")]
    NothingAsked {
        /// Which.
        example: usize,
    },
    /// Tokens to be asked for, where none is.
    #[error(
        "array \"scored\" says which tokens are asked for, but there is one answer for each example; leave it out"
    )]
    OneAnswer,
    /// Examples for a trained model that it cannot read.
    #[error("array {name:?} is missing, which the model was trained on; there are {found}")]
    NoSuchInput {
        /// The array.
        name: String,
        /// The arrays.
        found: String,
    },
    /// Examples of another width than those that a model was trained on.
    #[error("array {name:?} has {found} numbers for every token, but the model was trained on {expected}")]
    Width {
        /// The array.
        name: String,
        /// How many it has.
        found: usize,
        /// How many the model reads.
        expected: usize,
    },
}
