//! Weights on disk: a safetensors file for a row, its learners stacked.

use crate::engine::reference::Arrays;
use crate::experiment::LearnerRow;
use crate::model::{Model, Param};
use safetensors::tensor::{Dtype, Metadata, TensorView};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The longest header that is read; ours have at most a few thousand bytes.
const LONGEST_HEADER: u64 = 1 << 20;

/// What is wrong with a file of weights.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The operating system says no.
    #[error("cannot read the file: {0}")]
    Io(#[from] io::Error),
    /// Too short to say how long its header is, or shorter than it says.
    #[error("has {found} bytes but should have {expected}; it is cut short or has too much. Make the record anew")]
    Length {
        /// By its header.
        expected: u64,
        /// In truth.
        found: u64,
    },
    /// More than a header can sensibly have.
    #[error("says that its header has {0} bytes; at most {LONGEST_HEADER} are read. This is not a file of weights")]
    Header(u64),
    /// The header is not one.
    #[error("its header cannot be read: {0}. Make the record anew")]
    Json(#[from] serde_json::Error),
    /// Weights of some other row.
    #[error("belongs to {found}, but the manifest says {expected}; the record's files do not belong together")]
    Model {
        /// By the manifest.
        expected: String,
        /// By the file.
        found: String,
    },
    /// A parameter is not there.
    #[error("has no tensor {0:?}, which the model needs")]
    Missing(String),
    /// Something the model does not have.
    #[error("has a tensor {0:?}, which the model does not know")]
    Unknown(String),
    /// Not the model's shape.
    #[error("tensor {name:?} has the shape {found:?}, but the model and the seeds need {expected:?}")]
    Shape {
        /// The tensor.
        name: String,
        /// `[learners, out, in]`
        expected: [usize; 3],
        /// By the file.
        found: Vec<usize>,
    },
    /// Not a number type that learners are trained in.
    #[error("tensor {name:?} is of type {found:?}; learners are F32 or F64")]
    Type {
        /// The tensor.
        name: String,
        /// By the file.
        found: Dtype,
    },
}

/// `[learner, rows, cols]` in the type they were trained in: `f32` where that is exact, else `f64`.
pub(super) fn stacked(row: &LearnerRow) -> Vec<u8> {
    let n = row.learners.len();
    let single = |x: &f64| x.is_nan() || f64::from(*x as f32) == *x;
    let all_single = row.learners.iter().all(|l| l.weights.values().flatten().all(single));
    let stack = |name: &str| -> Vec<u8> {
        let all = row.learners.iter().flat_map(|l| &l.weights[name]);
        match all_single {
            true => all.flat_map(|&x| (x as f32).to_le_bytes()).collect(),
            false => all.flat_map(|&x| x.to_le_bytes()).collect(),
        }
    };
    let dtype = if all_single { Dtype::F32 } else { Dtype::F64 };
    let params = row.model.params();
    let data: Vec<(&str, [usize; 3], Vec<u8>)> =
        params.iter().map(|p| (&*p.name, stacked_shape(p, n), stack(&p.name))).collect();
    let view = |shape: [usize; 3], bytes| {
        TensorView::new(dtype, shape.to_vec(), bytes).expect("the shape fits its own data")
    };
    let tensors: Vec<_> = data.iter().map(|(name, shape, bytes)| (*name, view(*shape, bytes))).collect();
    let meta = HashMap::from([("row".to_string(), row.name.to_string()), ("model".into(), described(&row.model))]);
    safetensors::serialize(tensors, Some(meta)).expect("names are unique and data is contiguous")
}

fn stacked_shape(p: &Param, learners: usize) -> [usize; 3] {
    [learners, p.shape[0], p.shape[1]]
}

fn described(model: &Model) -> String {
    serde_json::to_string(model).expect("plain data")
}

/// A file whose header has been checked against the model; learners are read one by one.
#[derive(Debug)]
pub struct WeightsFile {
    file: File,
    learners: usize,
    tensors: Vec<Stack>,
}

/// Where a parameter's learners lie in the file.
#[derive(Debug)]
struct Stack {
    param: Param,
    double: bool,
    start: u64,
}

impl WeightsFile {
    /// Opens the weights of `learners` learners of this model. Reads the header alone.
    pub fn open(path: &Path, model: &Model, learners: usize) -> Result<Self, WeightsError> {
        let mut file = File::open(path)?;
        let found = file.metadata()?.len();
        let length = |expected| WeightsError::Length { expected, found };
        let mut size = [0; 8];
        file.read_exact(&mut size).map_err(|_| length(8))?;
        let header = u64::from_le_bytes(size);
        if header > LONGEST_HEADER {
            return Err(WeightsError::Header(header));
        }
        if 8 + header > found {
            return Err(length(8 + header));
        }
        let mut text = vec![0; header as usize];
        file.read_exact(&mut text)?;
        // Offsets are checked here: the tensors lie one after the other and each has the size
        // that its shape and type give.
        let meta: Metadata = serde_json::from_slice(&text)?;
        let expected = (8 + header).saturating_add(meta.data_len() as u64);
        if expected != found {
            return Err(length(expected));
        }
        let ours = described(model);
        let theirs = meta.metadata().as_ref().and_then(|m| m.get("model")).map_or("no model", String::as_str);
        if theirs != ours {
            return Err(WeightsError::Model { expected: ours, found: theirs.into() });
        }
        let params = model.params();
        if let Some(name) = meta.tensors().into_keys().find(|name| params.iter().all(|p| p.name != *name)) {
            return Err(WeightsError::Unknown(name));
        }
        let stack = |param: Param| {
            let name = || param.name.to_string();
            let info = meta.info(&param.name).ok_or_else(|| WeightsError::Missing(name()))?;
            let expected = stacked_shape(&param, learners);
            if info.shape != expected {
                return Err(WeightsError::Shape { name: name(), expected, found: info.shape.clone() });
            }
            if !matches!(info.dtype, Dtype::F32 | Dtype::F64) {
                return Err(WeightsError::Type { name: name(), found: info.dtype });
            }
            Ok(Stack { double: info.dtype == Dtype::F64, start: 8 + header + info.data_offsets.0 as u64, param })
        };
        Ok(WeightsFile { learners, tensors: params.into_iter().map(stack).collect::<Result<_, _>>()?, file })
    }

    /// The weights of the learner at this place.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn learner(&mut self, index: usize) -> Result<Arrays, WeightsError> {
        let WeightsFile { file, learners, tensors } = self;
        assert!(index < *learners, "learner {index} of {learners}");
        let mut weights = Arrays::new();
        for Stack { param, double, start } in tensors.iter() {
            let mut bytes = vec![0; param.shape[0] * param.shape[1] * if *double { 8 } else { 4 }];
            file.seek(SeekFrom::Start(start + (index * bytes.len()) as u64))?;
            file.read_exact(&mut bytes)?;
            let numbers = match double {
                true => bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect(),
                false => bytes.as_chunks().0.iter().map(|b| f64::from(f32::from_le_bytes(*b))).collect(),
            };
            weights.insert(param.name.to_string(), numbers);
        }
        Ok(weights)
    }
}
