//! Whatever there is to say about a learner, by its model.

use super::attractor::{Attractor, Mechanism};
use super::diagnosis::Diagnosis;
use super::measures::Measures;
use super::types::{cosine, learned_types};
use crate::engine::reference::Arrays;
use crate::model::{ModelRecord, Types, UnitypedModel};
use serde::Serialize;

/// What was found in a learner.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "finding", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finding {
    /// STRAT-Lite on sums: how it subtracts.
    Mechanism {
        /// What its gates do after each operator.
        attractor: Attractor,
        /// Whether it adds after + and subtracts after −.
        tells_apart: bool,
        /// The numbers.
        mechanism: Mechanism,
        /// Of the learned types of plus and minus, if they were learned.
        cosine: Option<f64>,
    },
    /// STRAT-Lite on lists: the learned types, item by item.
    Items {
        /// `[item][dimension]`
        types: Vec<Vec<f64>>,
    },
    /// A unityped model: why it fails.
    Failure {
        /// Its name.
        diagnosis: Diagnosis,
        /// What it rests on.
        measures: Measures,
    },
    /// NAC and NALU, which an LSTM commands, and the models of §7: not read here.
    Unread,
}

impl Finding {
    /// Looks at a learner of this model that errs so much outside of the training range.
    pub fn of(model: &ModelRecord, weights: &Arrays, ood_mae: f64) -> Finding {
        match *model {
            ModelRecord::Lite(lite) if lite.types == Types::Items => {
                Finding::Items { types: learned_types(weights, lite.width) }
            }
            ModelRecord::Lite(lite) => {
                let mechanism = Mechanism::of(lite, weights);
                let types = (lite.types == Types::Latent).then(|| learned_types(weights, lite.width));
                Finding::Mechanism {
                    attractor: mechanism.attractor(),
                    tells_apart: mechanism.tells_apart(),
                    mechanism,
                    cosine: types.map(|t| cosine(&t[1], &t[2])),
                }
            }
            ModelRecord::Unityped(UnitypedModel { config, .. }) => {
                let measures = Measures::of(config, weights, &Measures::probes(config));
                Finding::Failure { diagnosis: Diagnosis::of(&measures, ood_mae), measures }
            }
            ModelRecord::Unit(_) | ModelRecord::Blocks(_) | ModelRecord::Own(_) => Finding::Unread,
        }
    }

    /// In a word or two, for a list of learners.
    pub fn name(&self) -> String {
        match self {
            Finding::Mechanism { mechanism, .. } => mechanism.name(),
            Finding::Failure { diagnosis, .. } => diagnosis.to_string(),
            Finding::Items { .. } | Finding::Unread => "–".into(),
        }
    }
}
