//! A forward pass, and what becomes of it when arrays are replaced.

use crate::arrays::shaped;
use crate::failure::{guarded, of, value};
use numpy::{PyArrayDyn, PyReadonlyArrayDyn};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use strat::engine::reference::Arrays;
use strat::trace::{self, ExampleSource, TracedExample};

/// What a learner computed of an example.
#[pyclass(frozen, module = "strat._native")]
pub struct Trace {
    source: ExampleSource,
    example: TracedExample,
    trace: trace::Trace,
}

impl Trace {
    pub fn of(source: ExampleSource, weights: &Arrays, text: &str) -> PyResult<Trace> {
        let example = source.read(text).map_err(of)?;
        let trace = source.trace(weights, &example).map_err(of)?;
        Ok(Trace { source, example, trace })
    }
}

#[pymethods]
impl Trace {
    /// The names of all arrays, in the order in which they are computed.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.trace.names().into_iter().map(String::from).collect()
    }

    /// The example, as it was given.
    #[getter]
    fn text(&self) -> &str {
        &self.example.text
    }

    /// What each token is.
    #[getter]
    fn tokens(&self) -> Vec<String> {
        self.example.tokens.clone()
    }

    /// The right answer, if it is known.
    #[getter]
    fn right(&self) -> Option<String> {
        self.example.right.clone()
    }

    /// What the learner says: in words, how sure it is, and whether it is right.
    fn said(&self) -> PyResult<(String, Option<f64>, Option<bool>)> {
        guarded(|| {
            let said = self.source.said(&self.example, &self.trace).map_err(of)?;
            Ok((said.words, said.confidence, said.right))
        })
    }

    /// What the columns of an array are called, where they have names.
    fn columns(&self, name: &str) -> Option<Vec<String>> {
        self.source.columns(name)
    }

    /// An array by name.
    fn array<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        guarded(|| {
            let array = self.trace.array(name).map_err(|e| PyKeyError::new_err(e.to_string()))?;
            shaped(py, array.values, array.shape)
        })
    }

    /// The pass with arrays replaced.
    fn patch(&self, arrays: BTreeMap<String, PyReadonlyArrayDyn<'_, f64>>) -> PyResult<Trace> {
        guarded(|| {
            let mut given: Vec<(&str, Vec<f64>)> = vec![];
            for (name, numbers) in &arrays {
                let (view, shape) = (numbers.as_array(), self.trace.array(name).map_err(of)?.shape);
                if view.shape() != shape {
                    let found = view.shape();
                    return Err(value(format!("array {name:?} has shape {shape:?}, but was given with {found:?}")));
                }
                if let Some(x) = view.iter().find(|x| x.is_nan()) {
                    return Err(value(format!("array {name:?} was given with the value {x}")));
                }
                given.push((name, view.iter().copied().collect()));
            }
            let trace = self.trace.with_all(given.iter().map(|(name, x)| (*name, &x[..]))).map_err(of)?;
            Ok(Trace { source: self.source.clone(), example: self.example.clone(), trace })
        })
    }
}
