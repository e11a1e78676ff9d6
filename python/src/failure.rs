//! Errors as Python's: `ValueError` for what was given, `OSError` for files, and never a panic.

use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};
use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use strat::record::{ReadError, RecordError};
use strat::sweep::Interrupted;

/// What was given cannot be.
pub fn value(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// An error of the library.
pub fn of(error: impl Into<strat::Error>) -> PyErr {
    let error = error.into();
    let is_file = match &error {
        strat::Error::Record(e) => is_io(e),
        strat::Error::Read(e) => matches!(**e, ReadError::Io { .. }),
        strat::Error::Interrupted(e) => match &**e {
            Interrupted::Stopped => return PyKeyboardInterrupt::new_err(()),
            Interrupted::Record(e) => is_io(e),
            _ => false,
        },
        _ => false,
    };
    if is_file { PyOSError::new_err(error.to_string()) } else { value(error) }
}

fn is_io(error: &RecordError) -> bool {
    matches!(
        error,
        RecordError::Start { .. } | RecordError::Middle { .. } | RecordError::Moved(_) | RecordError::Busy(_)
    )
}

/// Does something; a panic is told as an error of this program.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, PyErr>) -> Result<T, PyErr> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(bug(&*payload)))
}

/// What a panic said.
pub fn bug(payload: &(dyn Any + Send)) -> PyErr {
    let said = payload.downcast_ref::<&str>().map(|s| s.to_string());
    let said = said.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
    PyRuntimeError::new_err(format!("a mistake in strat itself, please report it: {said}"))
}
