//! What learners have learned, read from their weights. Never trains.
//!
//! - [`Finding`]: whatever there is to say about a learner, by its model
//! - [`Mechanism`], [`Attractor`]: how a STRAT-Lite learner subtracts
//! - [`Measures`], [`Diagnosis`]: what a unityped model does, and why it fails
//! - [`learned_types`]: learned types as geometry
//! - [`Pca`]: points of a few dimensions as a picture of two

mod attractor;
mod diagnosis;
mod finding;
mod measures;
mod pca;
mod types;

pub(crate) use attractor::CONTEXTS;
pub use attractor::{Action, Attractor, Mechanism};
pub use diagnosis::Diagnosis;
pub use finding::Finding;
pub use measures::Measures;
pub use pca::Pca;
pub use types::{cosine, gate_ratio, learned_types};
