//! A table of plain columns that pandas, polars and others read through Arrow's C stream, without a copy of ours in between.

use crate::failure::{guarded, value};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, StringArray, UInt64Array};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use std::sync::Arc;

/// A column.
pub enum Column {
    /// Words.
    Text(Vec<String>),
    /// Whole numbers.
    Whole(Vec<u64>),
    /// Numbers.
    Number(Vec<f64>),
}

/// Columns of one length, by name.
#[pyclass(frozen, module = "strat._native")]
pub struct Frame {
    columns: Vec<(String, Column)>,
}

impl Frame {
    pub fn new(columns: Vec<(String, Column)>) -> Frame {
        Frame { columns }
    }

    fn get(&self, name: &str) -> PyResult<&Column> {
        let found = self.columns.iter().find(|(known, _)| known == name);
        found
            .map(|(_, column)| column)
            .ok_or_else(|| value(format!("there is no column {name:?}; there are {}", self.names().join(", "))))
    }
}

#[pymethods]
impl Frame {
    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.columns.iter().map(|(name, _)| name.clone()).collect()
    }

    fn __len__(&self) -> usize {
        match self.columns.first() {
            Some((_, Column::Text(x))) => x.len(),
            Some((_, Column::Whole(x))) => x.len(),
            Some((_, Column::Number(x))) => x.len(),
            None => 0,
        }
    }

    /// A column: an array of numbers, or a list of texts.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self.get(name)? {
            Column::Text(x) => PyList::new(py, x)?.into_any(),
            Column::Whole(x) => x.clone().into_pyarray(py).into_any(),
            Column::Number(x) => x.clone().into_pyarray(py).into_any(),
        })
    }

    /// Arrow's protocol: a capsule with a stream of one batch.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A wish that a producer may ignore.
        let _ = requested_schema;
        guarded(|| {
            let array = |column: &Column| -> ArrayRef {
                match column {
                    Column::Text(x) => Arc::new(StringArray::from_iter_values(x)),
                    Column::Whole(x) => Arc::new(UInt64Array::from(x.clone())),
                    Column::Number(x) => Arc::new(Float64Array::from(x.clone())),
                }
            };
            let columns = self.columns.iter().map(|(name, column)| (name.clone(), array(column)));
            let batch = RecordBatch::try_from_iter(columns).map_err(value)?;
            let schema = batch.schema();
            let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
            PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
        })
    }
}
