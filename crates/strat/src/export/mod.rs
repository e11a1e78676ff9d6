//! One learner for PyTorch: its weights as a safetensors file with PyTorch's names and shapes, and beside it a
//! configuration with the operations of its forward pass, which [`TORCH`] computes.
//!
//! The configuration is made from the model's graph, so it is there for every architecture, also for one's own.

mod graph;

use crate::engine::reference::Arrays;
use crate::model::{Built, Param};
use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Map, Value, json};

/// A PyTorch module that loads what [`export`] makes: `strat_torch.py`.
pub const TORCH: &str = include_str!("strat_torch.py");

/// A learner in two files.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Exported {
    /// `NAME.safetensors`
    pub weights: Vec<u8>,
    /// `NAME.json`
    pub config: String,
}

/// Why a learner cannot be exported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// Its graph has an operation that only compiled graphs have.
    #[error("the model's graph has the operation {0}, which is not a layer's; build it with the methods of Graph")]
    Operation(String),
    /// A parameter is missing or of another size.
    #[error("parameter {name:?} should have {expected} numbers, but the weights have {found}")]
    Weights {
        /// The parameter.
        name: String,
        /// How many it should have.
        expected: usize,
        /// How many there are.
        found: usize,
    },
}

/// Writes down one learner. `about` is put into the configuration as it is: what it was trained on, its seed.
pub fn export(
    built: &Built,
    params: &[Param],
    weights: &Arrays,
    about: Map<String, Value>,
) -> Result<Exported, ExportError> {
    for p in params {
        let (expected, found) = (p.shape[0] * p.shape[1], weights.get(&*p.name).map_or(0, Vec::len));
        if found != expected {
            return Err(ExportError::Weights { name: p.name.to_string(), expected, found });
        }
    }
    let mut config = about;
    let shapes = params.iter().map(|p| (p.name.to_string(), json!(p.torch_shape())));
    config.insert("params".into(), Value::Object(shapes.collect()));
    config.extend(graph::to_json(&built.graph, built.output)?);
    let config = serde_json::to_string(&config).expect("plain data") + "\n";
    Ok(Exported { weights: tensors(params, weights), config })
}

/// In the type they were trained in: `f32` where that is exact, else `f64`.
fn tensors(params: &[Param], weights: &Arrays) -> Vec<u8> {
    let is_single = |x: &f64| x.is_nan() || f64::from(*x as f32) == *x;
    let all_single = params.iter().flat_map(|p| &weights[&*p.name]).all(is_single);
    let bytes = |p: &Param| -> Vec<u8> {
        let numbers = weights[&*p.name].iter();
        if all_single {
            numbers.flat_map(|&x| (x as f32).to_le_bytes()).collect()
        } else {
            numbers.flat_map(|&x| x.to_le_bytes()).collect()
        }
    };
    let all: Vec<(&Param, Vec<u8>)> = params.iter().map(|p| (p, bytes(p))).collect();
    let dtype = if all_single { Dtype::F32 } else { Dtype::F64 };
    let view = |(p, bytes)| {
        let p: &Param = p;
        (
            p.name.to_string(),
            TensorView::new(dtype, p.torch_shape(), bytes).expect("as many bytes as the shape says"),
        )
    };
    let views = all.iter().map(|(p, bytes)| view((*p, bytes)));
    safetensors::serialize(views, None).expect("tensors of known shapes")
}
