//! What learners have learned, read from their weights. Never trains.
//!
//! - [`attractor`]: how a STRAT-Lite learner subtracts
//! - [`diagnosis`]: why a unityped model fails
//! - [`types`]: learned types as geometry
//! - [`pca`]: points of a few dimensions as a picture of two

pub mod attractor;
pub mod diagnosis;
pub mod pca;
pub mod types;
