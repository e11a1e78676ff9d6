//! What is learned: generators, encodings, ground truth. Knows nothing of models.

pub mod signed_sum;

pub use signed_sum::{SignedSum, Sum};
