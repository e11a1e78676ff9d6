//! Numbers between NumPy and the library.

use crate::failure::value;
use numpy::{IntoPyArray, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use strat::data::{Array, NumberKind};
use strat::engine::reference::Arrays;
use strat::model::{Model, Precision};

/// Numbers with a shape, moved, not copied.
pub fn shaped<'py, T: numpy::Element>(
    py: Python<'py>,
    numbers: Vec<T>,
    shape: Vec<usize>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    numbers.into_pyarray(py).reshape(shape)
}

/// The same in the numbers that a model is trained in: those of the library are `f64` and hold both.
pub fn weights<'py>(
    py: Python<'py>,
    model: &dyn Model,
    numbers: impl Iterator<Item = f64>,
    shape: Vec<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(match model.precision() {
        Precision::F64 => shaped(py, numbers.collect::<Vec<f64>>(), shape)?.into_any(),
        _ => shaped(py, numbers.map(|x| x as f32).collect::<Vec<f32>>(), shape)?.into_any(),
    })
}

/// An array of a user: the Python layer has made it `float64`, and says what it was.
pub fn given(numbers: &PyReadonlyArrayDyn<'_, f64>, kind: &str) -> Array {
    let kind = match kind {
        "bool" => NumberKind::Bool,
        "int" => NumberKind::Int,
        _ => NumberKind::Float,
    };
    let view = numbers.as_array();
    Array { shape: view.shape().to_vec(), kind, values: view.iter().copied().collect() }
}

/// Weights by name that fit a model, from a state dict.
pub fn state(model: &dyn Model, given: &BTreeMap<String, PyReadonlyArrayDyn<'_, f64>>) -> PyResult<Arrays> {
    let params = model.params();
    let known = || params.iter().map(|p| &*p.name).collect::<Vec<_>>().join(", ");
    if let Some(name) = given.keys().find(|name| params.iter().all(|p| p.name != **name)) {
        return Err(value(format!("the model has no weights {name:?}; it has {}", known())));
    }
    let mut weights = Arrays::new();
    for p in &params {
        let Some(found) = given.get(&*p.name) else {
            return Err(value(format!("weights {:?} are missing; the model has {}", p.name, known())));
        };
        let (found, expected) = (found.as_array(), p.torch_shape());
        if found.shape() != expected {
            let found = found.shape();
            return Err(value(format!(
                "weights {:?} have shape {found:?}, but the model's have {expected:?}",
                p.name
            )));
        }
        let is_single = !matches!(model.precision(), Precision::F64);
        let is_number = |x: f64| if is_single { (x as f32).is_finite() } else { x.is_finite() };
        if let Some(x) = found.iter().find(|&&x| !is_number(x)) {
            let kind = if is_single { "f32" } else { "f64" };
            return Err(value(format!("weights {:?} have the value {x:e}; all must be finite as {kind}", p.name)));
        }
        weights.insert(p.name.to_string(), found.iter().copied().collect());
    }
    Ok(weights)
}
