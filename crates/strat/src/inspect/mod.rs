//! What learners have learned, read from their weights. Never trains.
//!
//! - [`finding`]: whatever there is to say about a learner, by its model
//! - [`attractor`]: how a STRAT-Lite learner subtracts
//! - [`measures`], [`diagnosis`]: what a unityped model does, and why it fails
//! - [`types`]: learned types as geometry
//! - [`pca`]: points of a few dimensions as a picture of two

pub mod attractor;
pub mod diagnosis;
pub mod finding;
pub mod measures;
pub mod pca;
pub mod types;
