//! The door for architectures: what anyone implements to have a model of their own.

use super::block::AttentionMask;
use super::{BlockConfig, Built, Kinds, Param};
use crate::engine::reference::Arrays;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// An architecture with its sizes: what is trained. It writes down the forward pass; gradients are derived.
///
/// Two methods are enough; `examples/own_model.rs` has a whole model. The graph's inputs are those that the task
/// [gives](crate::task::Task::inputs), and what [`Batch`](crate::task::Batch) adds to them: `target`,
/// `weight` and `share`.
pub trait Model: fmt::Debug + Send + Sync {
    /// Its kind and sizes, as a run's files name it.
    fn spec(&self) -> Spec;
    /// The forward pass on examples with room for `tokens` tokens, and its parameters, which are the same for any
    /// number of tokens.
    fn build(&self, tokens: usize) -> Built;

    /// Whether it can be built for so many tokens: a grid has as many as it has cells.
    fn reads(&self, _tokens: usize) -> bool {
        true
    }
    /// The parameters, in the order of their random streams.
    fn params(&self) -> Vec<Param> {
        // They are the same for any number of tokens.
        let tokens = (3..=1024).find(|&tokens| self.reads(tokens)).unwrap_or(3);
        self.build(tokens).params
    }
    /// Whether learners are trained side by side, one in each lane of a vector, which is faster for small models;
    /// `examples` is how many a step sees, `kinds` whether their tokens are of few kinds.
    fn is_small(&self, _examples: usize, _kinds: bool) -> bool {
        const FEW: usize = 4096;
        self.params().iter().map(|p| p.shape[0] * p.shape[1]).sum::<usize>() <= FEW
    }
    /// The same graph for tokens of few kinds, which reads `kind` instead of `type` and `data`; none if there is no
    /// such form.
    fn build_of_kinds(&self, _kinds: &Kinds) -> Option<Built> {
        None
    }
    /// How many tokens a windowed attention sees; none if every token sees all that it may.
    fn window(&self) -> Option<usize> {
        None
    }
    /// The same model with another window.
    fn with_window(&self, _window: usize) -> Option<Arc<dyn Model>> {
        None
    }
    /// The model as it is trained, where that is another than the one that answers: with dropout.
    fn in_training(&self) -> Option<Arc<dyn Model>> {
        None
    }
    /// The share of numbers that are dropped in training.
    fn dropout(&self) -> f64 {
        0.0
    }
    /// Names of the parameters that decide gates, which [annealing](crate::train::Anneal) sharpens.
    fn gates(&self) -> Vec<String> {
        let names = self.params().into_iter().map(|p| p.name.into_owned());
        names.filter(|name| name.starts_with("gate.")).collect()
    }
    /// The input whose zeros are padding that leaves everything as it is, if there is one. Examples are taught longest first
    /// then, so that where they have ended need not be computed.
    fn padding(&self) -> Option<&str> {
        None
    }
    /// Initial weights of the learner `seed`.
    fn init(&self, seed: u64) -> Arrays {
        Param::initial(&self.params(), seed)
    }
    /// The numbers that its learners are trained in.
    fn precision(&self) -> Precision {
        Precision::F32
    }
    /// What the columns of a named array are called, where they have names.
    fn columns(&self, _array: &str) -> Option<Vec<String>> {
        None
    }
}

/// The numbers that learners are trained in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Precision {
    /// Single: what nearly all models have.
    F32,
    /// Double.
    F64,
}

/// A model or a task as files name it: its kind and its settings, `{"lite": {"width": 4}}`, or the kind alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "Value")]
pub struct Spec {
    /// What it is, as a name of its own.
    pub kind: String,
    /// Its settings; null if there are none.
    pub settings: Value,
}

/// Why a value in a file is no model or task.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("should be a name, or an object with one name and its settings, but is {0}")]
pub struct SpecError(String);

impl Spec {
    /// A kind with its settings.
    ///
    /// # Panics
    /// If the settings cannot be written as JSON, such as a map whose keys are not texts.
    pub fn new(kind: &str, settings: impl Serialize) -> Spec {
        Spec { kind: kind.into(), settings: serde_json::to_value(settings).expect("settings are plain data") }
    }

    /// A kind without settings.
    pub fn named(kind: &str) -> Spec {
        Spec { kind: kind.into(), settings: Value::Null }
    }

    /// The settings, if it is of this kind and they are as they should be.
    pub fn settings_of<T: DeserializeOwned>(&self, kind: &str) -> Option<T> {
        if self.kind != kind {
            return None;
        }
        serde_json::from_value(self.settings.clone()).ok()
    }
}

impl From<Spec> for Value {
    fn from(Spec { kind, settings }: Spec) -> Value {
        if settings.is_null() { Value::String(kind) } else { serde_json::json!({ kind: settings }) }
    }
}

impl TryFrom<Value> for Spec {
    type Error = SpecError;

    fn try_from(value: Value) -> Result<Spec, SpecError> {
        match value {
            Value::String(kind) => Ok(Spec::named(&kind)),
            Value::Object(one) if one.len() == 1 => {
                let (kind, settings) = one.into_iter().next().expect("there is one");
                Ok(Spec { kind, settings })
            }
            other => Err(SpecError(other.to_string().chars().take(80).collect())),
        }
    }
}

impl super::BlockModel {
    /// With another window, if it has one.
    pub(super) fn windowed(&self, window: usize) -> Option<super::BlockModel> {
        let sizes = BlockConfig { mask: AttentionMask::Causal(window), ..self.sizes };
        self.window().map(|_| super::BlockModel { sizes, ..*self })
    }
}

impl Model for super::BlockModel {
    fn spec(&self) -> Spec {
        Spec::new("blocks", self)
    }

    fn build(&self, tokens: usize) -> Built {
        super::BlockModel::build(self, tokens)
    }

    fn reads(&self, tokens: usize) -> bool {
        match self.sizes.mask {
            AttentionMask::Torus(side) => side * side == tokens,
            AttentionMask::Full | AttentionMask::Causal(_) => true,
        }
    }

    fn params(&self) -> Vec<Param> {
        super::BlockModel::params(self)
    }

    /// Classifiers of a table that see few examples: with an example in each lane, a step would spend its time on
    /// copies of the weights. After the first layer a token is more than its kind.
    fn is_small(&self, examples: usize, kinds: bool) -> bool {
        const FEW: usize = 128;
        kinds && self.sizes.layers == 1 && examples <= FEW
    }

    fn build_of_kinds(&self, kinds: &Kinds) -> Option<Built> {
        (self.sizes.layers == 1).then(|| super::BlockModel::build_of_kinds(self, kinds))
    }

    fn window(&self) -> Option<usize> {
        match self.sizes.mask {
            AttentionMask::Causal(window) => Some(window),
            AttentionMask::Full | AttentionMask::Torus(_) => None,
        }
    }

    fn with_window(&self, window: usize) -> Option<Arc<dyn Model>> {
        self.windowed(window).map(|model| Arc::new(model) as _)
    }

    fn in_training(&self) -> Option<Arc<dyn Model>> {
        (self.dropout() > 0.0).then(|| Arc::new(super::dropout::Dropping(*self)) as _)
    }

    fn dropout(&self) -> f64 {
        self.sizes.options.dropout
    }
}
