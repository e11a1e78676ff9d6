//! One error for all of the crate, over the precise ones.

use crate::baseline::Undetermined;
use crate::config::ConfigFileError;
use crate::crystal::{Flaw, Obstacle};
use crate::data::DataError;
#[cfg(feature = "fetch")]
use crate::data::FetchError;
use crate::engine::{CompileError, InputError, UnknownIsa};
use crate::export::ExportError;
use crate::model::{ModelError, SpecError};
use crate::record::{MergeError, ReadError, RecordError};
use crate::seeds::SeedsError;
use crate::sweep::Interrupted;
use crate::task::table::{SchemaError, SheetError, SymmetriesError, TableTaskError, Unknown};
use crate::task::{self, AnswerError, ArrayTaskError, ProbeError, SetError, SumError, TaskError};
use crate::trace::{ExampleSourceError, TraceError};
use crate::train::{ConfigError, TrainError};

/// Whatever can go wrong in this crate. Functions return the precise error, which says what, where, and what to do; `?`
/// turns each into this one.
///
/// ```
/// fn main() -> strat::Result<()> {
///     let isa = strat::engine::Isa::detect()?;
///     let task = strat::task::by_name("parity5")?;
///     println!("{} on {isa}", task.name());
///     Ok(())
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum Error {
    /// A model's output says no answer.
    Answer(#[from] AnswerError),
    /// A file of arrays is no task.
    Arrays(#[from] ArrayTaskError),
    /// A training configuration that cannot be.
    Config(#[from] ConfigError),
    /// A configuration file that says nothing that can be trained.
    ConfigFile(#[from] Box<ConfigFileError>),
    /// A data set cannot be read.
    Data(#[from] DataError),
    /// The engine refuses.
    Engine(#[from] crate::engine::Error),
    /// There is no such example to look at.
    ExampleSource(#[from] Box<ExampleSourceError>),
    /// A learner cannot be exported.
    Export(#[from] ExportError),
    /// A data set cannot be fetched.
    #[cfg(feature = "fetch")]
    Fetch(#[from] FetchError),
    /// A learner is no exact program.
    Flaw(#[from] Flaw),
    /// A plan was not run to its end.
    Interrupted(#[from] Box<Interrupted>),
    /// Shards cannot be merged.
    Merge(#[from] Box<MergeError>),
    /// There is no such model.
    Model(#[from] ModelError),
    /// A learner cannot be crystallized.
    Obstacle(#[from] Obstacle),
    /// A text is no example of a task.
    Probe(#[from] ProbeError),
    /// A run cannot be read.
    Read(#[from] Box<ReadError>),
    /// A file gives no examples.
    Examples(#[from] task::ReadError),
    /// A run cannot be written.
    Record(#[from] Box<RecordError>),
    /// A table has no columns to learn from.
    Schema(#[from] SchemaError),
    /// A text names no seeds.
    Seeds(#[from] SeedsError),
    /// Sums are no teaching set.
    Set(#[from] SetError),
    /// A table cannot be read.
    Sheet(#[from] SheetError),
    /// A description of a model or task that is none.
    Spec(#[from] SpecError),
    /// A text is no sum.
    Sum(#[from] SumError),
    /// Symmetries do not fit a table.
    Symmetries(#[from] SymmetriesError),
    /// A kept table is none.
    Table(#[from] TableTaskError),
    /// There is no such task.
    Task(#[from] TaskError),
    /// There is no such trace.
    Trace(#[from] TraceError),
    /// A model cannot be trained on a task.
    Train(#[from] TrainError),
    /// Examples do not determine a rule.
    Undetermined(#[from] Undetermined),
    /// A table has a value that its schema does not know.
    Unknown(#[from] Unknown),
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Errors that are large are kept elsewhere, so that results stay small.
macro_rules! boxed {
    ($($error:ty),+) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Error {
                Box::new(error).into()
            }
        })+
    };
}
boxed!(ConfigFileError, ExampleSourceError, Interrupted, MergeError, ReadError, RecordError);

/// Errors of the engine.
macro_rules! of_engine {
    ($($error:ty),+) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Error {
                Error::Engine(error.into())
            }
        })+
    };
}
of_engine!(CompileError, InputError, UnknownIsa);
