//! What a trained model does, read off its weights. Never trains.

pub mod attractor;
pub mod diagnosis;
