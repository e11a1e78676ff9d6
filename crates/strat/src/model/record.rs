//! A model as records name it: one of the paper's, or anyone's own.

use super::lite::LiteError;
use super::{BlockModel, Init, Lite, Model, Param, Spec, Unit, Unityped, UnitypedModel, block};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::Arc;

/// Which model the weights of a record belong to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Named", into = "Named")]
#[non_exhaustive]
pub enum ModelRecord {
    /// Of §7.
    Blocks(BlockModel),
    /// STRAT-Lite (§5.2).
    Lite(Lite),
    /// Config A and its relatives (§2, App. B).
    Unityped(UnitypedModel),
    /// NAC or NALU (App. F).
    Unit(Unit),
    /// Not of the paper.
    Own(OwnModel),
}

/// A model that this program need not know: what its author calls it, and its parameters, so that its weights can be
/// read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnModel {
    /// Its kind and sizes.
    pub spec: Spec,
    /// Its parameters with their shapes in PyTorch, in order.
    pub params: Vec<(String, Vec<usize>)>,
}

/// The same in files: one list of names.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Named {
    Blocks(BlockModel),
    Lite(Lite),
    Unityped(UnitypedModel),
    Nac,
    Nalu,
    Own(OwnModel),
}

impl From<Named> for ModelRecord {
    fn from(named: Named) -> Self {
        match named {
            Named::Blocks(m) => ModelRecord::Blocks(m),
            Named::Lite(m) => ModelRecord::Lite(m),
            Named::Unityped(m) => ModelRecord::Unityped(m),
            Named::Nac => ModelRecord::Unit(Unit::Nac),
            Named::Nalu => ModelRecord::Unit(Unit::Nalu),
            Named::Own(m) => ModelRecord::Own(m),
        }
    }
}

impl From<ModelRecord> for Named {
    fn from(model: ModelRecord) -> Self {
        match model {
            ModelRecord::Blocks(m) => Named::Blocks(m),
            ModelRecord::Lite(m) => Named::Lite(m),
            ModelRecord::Unityped(m) => Named::Unityped(m),
            ModelRecord::Unit(Unit::Nac) => Named::Nac,
            ModelRecord::Unit(Unit::Nalu) => Named::Nalu,
            ModelRecord::Own(m) => Named::Own(m),
        }
    }
}

/// Most parameters of a model of one's own, and most numbers in all of them.
const MOST_PARAMS: usize = 10_000;
const MOST_NUMBERS: usize = 1 << 26;

/// Why there is no such model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(transparent)]
pub struct ModelError(#[from] pub(crate) ModelFault);

/// The same, by what is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum ModelFault {
    /// No such STRAT-Lite.
    #[error(transparent)]
    Lite(#[from] LiteError),
    /// No such blocks.
    #[error(transparent)]
    BlockConfig(#[from] block::BlockConfigError),
    /// A parameter that no model has.
    #[error(
        "parameter {name:?} has shape {shape:?}, but should have one or two axes of at least 1, all together at most {MOST_NUMBERS} numbers"
    )]
    Param {
        /// Which.
        name: String,
        /// Its shape.
        shape: Vec<usize>,
    },
    /// None, too many, or one name twice.
    #[error("a model should have from 1 to {MOST_PARAMS} parameters with names of their own, but has {0}")]
    Params(usize),
}

impl OwnModel {
    /// Of a model.
    pub fn of(model: &dyn Model) -> OwnModel {
        let params = model.params().into_iter().map(|p| (p.name.to_string(), p.torch_shape())).collect();
        OwnModel { spec: model.spec(), params }
    }

    fn check(&self) -> Result<(), ModelFault> {
        let names: HashSet<&str> = self.params.iter().map(|p| &*p.0).collect();
        if names.len() != self.params.len() || !(1..=MOST_PARAMS).contains(&names.len()) {
            return Err(ModelFault::Params(self.params.len()));
        }
        let mut all = 0usize;
        for (name, shape) in &self.params {
            let count = shape.iter().try_fold(1usize, |n, &axis| n.checked_mul(axis));
            all = all.saturating_add(count.unwrap_or(usize::MAX));
            if !(1..=2).contains(&shape.len()) || shape.contains(&0) || all > MOST_NUMBERS {
                return Err(ModelFault::Param { name: name.clone(), shape: shape.clone() });
            }
        }
        Ok(())
    }
}

impl ModelRecord {
    /// Of any model: one of the paper's is known again.
    pub fn of(model: &dyn Model) -> ModelRecord {
        let spec = serde_json::Value::from(model.spec());
        match serde_json::from_value(spec) {
            Ok(ModelRecord::Own(_)) | Err(_) => ModelRecord::Own(OwnModel::of(model)),
            Ok(known) => known,
        }
    }

    /// The model, if it is one of the paper's: of anyone's own only the program that has it knows the forward pass.
    pub fn model(&self) -> Option<Arc<dyn Model>> {
        match *self {
            ModelRecord::Blocks(m) => Some(Arc::new(m)),
            ModelRecord::Lite(m) => Some(Arc::new(m)),
            ModelRecord::Unityped(m) => Some(Arc::new(m)),
            ModelRecord::Unit(m) => Some(Arc::new(m)),
            ModelRecord::Own(_) => None,
        }
    }

    /// Parameters in the order of their random streams. How those of a model of one's own start is not known here.
    pub fn params(&self) -> Vec<Param> {
        match self {
            ModelRecord::Own(m) => m.params.iter().map(|(name, shape)| param(name, shape)).collect(),
            known => known.model().expect("a model of the paper").params(),
        }
    }

    /// Whether there is such a model; for those read from a file.
    pub fn check(&self) -> Result<(), ModelError> {
        let checked = match self {
            ModelRecord::Lite(m) => m.check().map_err(ModelFault::from),
            ModelRecord::Unityped(_) | ModelRecord::Unit(_) => Ok(()),
            ModelRecord::Blocks(m) => m.check().map_err(ModelFault::from),
            ModelRecord::Own(m) => m.check(),
        };
        checked.map_err(ModelError)
    }
}

fn param(name: &str, shape: &[usize]) -> Param {
    match *shape {
        [width] => Param::vector(name.to_string(), width, Init::Constant(0.0)),
        [rows, cols] => Param::new(name.to_string(), [rows, cols], Init::Constant(0.0)),
        _ => unreachable!("shapes are checked when they are read"),
    }
}

impl From<BlockModel> for ModelRecord {
    fn from(model: BlockModel) -> Self {
        ModelRecord::Blocks(model)
    }
}

impl From<Lite> for ModelRecord {
    fn from(model: Lite) -> Self {
        ModelRecord::Lite(model)
    }
}

impl From<UnitypedModel> for ModelRecord {
    fn from(model: UnitypedModel) -> Self {
        ModelRecord::Unityped(model)
    }
}

impl From<Unityped> for ModelRecord {
    fn from(config: Unityped) -> Self {
        ModelRecord::Unityped(config.into())
    }
}

impl From<Unit> for ModelRecord {
    fn from(model: Unit) -> Self {
        ModelRecord::Unit(model)
    }
}
