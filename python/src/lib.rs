//! `strat._native`: what the Python package calls. Each function checks what it is given and asks the library's public
//! API; names, shapes and documentation for users are in the Python files beside it.

mod arrays;
mod failure;
mod frame;
mod look;
mod population;
mod run;
mod table;
mod task;
mod trace;
mod work;

use pyo3::prelude::*;
use std::ffi::OsString;

/// The native part of `strat`.
#[pymodule(name = "_native")]
mod native {
    use super::*;

    #[pymodule_export]
    use crate::frame::Frame;
    #[pymodule_export]
    use crate::look::{certify, crystallize, forward_pass, microscope, report, torch_module};
    #[pymodule_export]
    use crate::population::{Population, load};
    #[pymodule_export]
    use crate::run::{merge, reproduce, train};
    #[pymodule_export]
    use crate::table::{Table, fit_table};
    #[pymodule_export]
    use crate::task::{Task, array_task, open_task, task_names};
    #[pymodule_export]
    use crate::trace::Trace;

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = strat_cli::origin::VERSION;

    /// The `strat` command: does what the arguments say and gives its exit code.
    #[pyfunction]
    fn main(py: Python<'_>, args: Vec<OsString>) -> PyResult<u8> {
        failure::guarded(|| Ok(py.detach(|| strat_cli::main_from(args)).into()))
    }

    /// Panics, for the test that no panic leaves this module.
    #[pyfunction]
    fn panic_for_test(py: Python<'_>, inside: &str) -> PyResult<()> {
        match inside {
            "work" => work::run(py, None, |_| -> PyResult<()> { panic!("as asked") }),
            _ => failure::guarded(|| panic!("as asked")),
        }
    }
}
