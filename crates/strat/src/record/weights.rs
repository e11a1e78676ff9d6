//! Weights on disk: a safetensors file for learners of a row, stacked.
//!
//! What a file's header must be follows from the model and the number of learners, so it is not
//! parsed but compared: a file that says anything else is refused before a byte of it is believed.

use super::WeightsError;
use crate::engine::reference::Arrays;
use crate::model::{ModelRecord, Param};
use crate::result::LearnerResult;
use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// The header of a file with these tensors, one after the other; the first eight bytes are its length.
pub(super) fn header(
    model: &ModelRecord,
    tensors: impl IntoIterator<Item = (String, Dtype, Vec<usize>)>,
) -> Vec<u8> {
    let mut end = 0;
    let info = |(name, dtype, shape): (String, Dtype, Vec<usize>)| {
        let start = end;
        end += shape.iter().product::<usize>() * dtype.bitsize() / 8;
        (name, TensorInfo { dtype, shape, data_offsets: (start, end) })
    };
    let tensors = tensors.into_iter().map(info).collect();
    // One entry only: the order of more would not be the same in every file.
    let model = serde_json::to_string(model).expect("plain data");
    let metadata = Metadata::new(Some(HashMap::from([("model".to_string(), model)])), tensors);
    let mut text = serde_json::to_vec(&metadata.expect("tensors lie one after the other")).expect("plain data");
    text.resize(text.len().next_multiple_of(8), b' ');
    [&(text.len() as u64).to_le_bytes()[..], &text].concat()
}

fn stacked_header(model: &ModelRecord, params: &[Param], dtype: Dtype, learners: usize) -> Vec<u8> {
    let tensor = |p: &Param| (p.name.to_string(), dtype, vec![learners, p.shape[0], p.shape[1]]);
    header(model, params.iter().map(tensor))
}

/// `[learner, rows, cols]` in the type they were trained in: `f32` where that is exact, else `f64`.
pub(super) fn stacked(model: &ModelRecord, learners: &[&LearnerResult]) -> Vec<u8> {
    let single = |x: &f64| x.is_nan() || f64::from(*x as f32) == *x;
    let all_single = learners.iter().all(|l| l.weights.values().flatten().all(single));
    let params = model.params();
    let dtype = if all_single { Dtype::F32 } else { Dtype::F64 };
    let mut out = stacked_header(model, &params, dtype, learners.len());
    for p in &params {
        let all = learners.iter().flat_map(|l| &l.weights[&*p.name]);
        if all_single {
            out.extend(all.flat_map(|&x| (x as f32).to_le_bytes()))
        } else {
            out.extend(all.flat_map(|&x| x.to_le_bytes()))
        }
    }
    out
}

/// A file whose header is the one that the model asks for; learners are read one by one.
#[derive(Debug)]
pub struct WeightsFile {
    file: File,
    learners: usize,
    params: Vec<Param>,
    /// Bytes of a number.
    size: usize,
    /// Where the first tensor starts.
    start: usize,
}

impl WeightsFile {
    /// Opens the weights of `learners` learners of this model. Reads the header alone.
    pub fn open(path: &Path, model: &ModelRecord, learners: usize) -> Result<Self, WeightsError> {
        let mut file = File::open(path)?;
        let found = file.metadata()?.len();
        let params = model.params();
        let numbers: usize = params.iter().map(|p| learners * p.shape[0] * p.shape[1]).sum();
        let mut expected = 0;
        for (dtype, size) in [(Dtype::F64, 8), (Dtype::F32, 4)] {
            let header = stacked_header(model, &params, dtype, learners);
            expected = (header.len() + numbers * size) as u64;
            if found == expected {
                let mut text = vec![0; header.len()];
                file.read_exact(&mut text)?;
                compare(&header, &text)?;
                return Ok(WeightsFile { file, learners, params, size, start: header.len() });
            }
        }
        Err(WeightsError::Length { expected, found })
    }

    /// The weights of the learner at this place.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn learner(&mut self, index: usize) -> Result<Arrays, WeightsError> {
        let WeightsFile { file, learners, params, size, start } = self;
        assert!(index < *learners, "learner {index} of {learners}");
        let mut weights = Arrays::new();
        let mut tensor = *start;
        for p in params.iter() {
            let mut bytes = vec![0; p.shape[0] * p.shape[1] * *size];
            file.seek(SeekFrom::Start((tensor + index * bytes.len()) as u64))?;
            file.read_exact(&mut bytes)?;
            tensor += *learners * bytes.len();
            let numbers = match size {
                8 => bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect(),
                _ => bytes.as_chunks().0.iter().map(|b| f64::from(f32::from_le_bytes(*b))).collect(),
            };
            weights.insert(p.name.to_string(), numbers);
        }
        Ok(weights)
    }
}

/// Whether a file starts with the header it should have.
pub(super) fn compare(header: &[u8], found: &[u8]) -> Result<(), WeightsError> {
    let differs = header.iter().zip(found).position(|(a, b)| a != b);
    differs.map_or(Ok(()), |at| Err(WeightsError::Header(at)))
}
