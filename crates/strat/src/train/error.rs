//! Why a model cannot be trained on a task.

use crate::config::ConfigError;
use crate::engine::{CompileError, InputError};

/// Why a model cannot be trained on a task.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A setting that no learner can be trained with.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The model's graph cannot be run.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// An example does not fit the model.
    #[error("task {task}: {source}")]
    Input {
        /// The task.
        task: String,
        /// What does not fit.
        source: InputError,
    },
    /// The model reads what the task does not give.
    #[error("task {task} gives no input {input:?}, which the model reads; it gives {given}")]
    Missing {
        /// The task.
        task: String,
        /// The input.
        input: String,
        /// What there is.
        given: String,
    },
    /// An input has another shape than the model reads.
    #[error(
        "task {task} gives input {input:?} with {found} numbers for an example, but the model reads {rows} × {cols}"
    )]
    Shape {
        /// The task.
        task: String,
        /// The input.
        input: String,
        /// Numbers that there are.
        found: usize,
        /// Rows that the model reads.
        rows: usize,
        /// Columns that the model reads.
        cols: usize,
    },
    /// Learners side by side take the same number of steps.
    #[error("learners trained side by side should take the same number of steps, but take {0} and {1}")]
    Steps(usize, usize),
    /// Not one learner, or more than fit.
    #[error("{found} seeds, but from 1 to {most} learners are trained at once here")]
    Seeds {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// The model is made for other lengths.
    #[error("task {task} has examples of {tokens} tokens, which the model cannot read")]
    Tokens {
        /// The task.
        task: String,
        /// The tokens of an example.
        tokens: usize,
    },
    /// No examples at the first step.
    #[error("task {0} gives no training examples")]
    NoExamples(String),
    /// Another number of examples than at the first step.
    #[error("task {task} gives {found} training examples at step {step}, but {expected} at the first")]
    Examples {
        /// The task.
        task: String,
        /// The step.
        step: usize,
        /// How many it gives there.
        found: usize,
        /// How many it gave before.
        expected: usize,
    },
}
