//! Why there is no such trace.

/// Why there is no such trace.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// No array has this name.
    #[error("there is no array {name:?}; this model's are {known}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Too many numbers for an array, or too few.
    #[error("{name}: {found} numbers, but its shape is {shape:?}; give {} row by row", .shape.iter().product::<usize>())]
    Size {
        /// Which array.
        name: String,
        /// Its shape.
        shape: Vec<usize>,
        /// How many numbers there are.
        found: usize,
    },
    /// A route from a token that is out of sight.
    #[error("{name}: number {at} is {value}, but should be 0: it is a route from a token that is out of sight")]
    Unseen {
        /// Which array.
        name: String,
        /// Where, from 0 on.
        at: usize,
        /// What stands there.
        value: f64,
    },
    /// Weights of another model.
    #[error(
        "weights {name:?}: {found} numbers, but the model has {wanted}; give the weights of a learner of this model"
    )]
    Weights {
        /// Which of them.
        name: String,
        /// How many numbers there are.
        found: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// Nothing to read.
    #[error("the example has no numbers in it; give at least one")]
    Empty,
    /// A model of another task.
    #[error("the model does not fit the task {0:?}; give an example of the task that it was trained on")]
    Misfit(String),
}
