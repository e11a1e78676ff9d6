//! The fast kernels: each operation forward and backward, on vectors of learners.
//!
//! All are `#[inline(always)]` and generic over the vector; [`Program`](super::program)
//! enters them through [`Simd::vectorize`](super::simd::Simd::vectorize). Backward
//! kernels *add* to the gradients they are given. Matrices are row-major slices of
//! vectors; a leading batch axis is just more rows.

#![allow(clippy::needless_range_loop)] // Register tiles read best with plain indices.

pub mod adam;
pub mod affine;
pub mod attention;
pub mod band;
pub mod by_row;
pub mod columns;
pub mod contract;
pub mod dense;
pub mod elementwise;
pub mod ffn;
pub mod kind_routes;
pub mod large;
pub mod layer_norm;
pub mod loss;
pub mod mix;
pub mod rearrange;
pub mod recurrent;
pub mod rows;
pub mod softmax;
pub mod sums;
pub mod window;

/// `ExpRows` subtracts the row's maximum less this, so that scores up to 117 apart
/// (f32) keep their exact ratio even where the largest is out of sight.
pub const EXP_ROWS_OFFSET: f64 = 30.0;

/// Added to the variance in `LayerNorm`, as in PyTorch.
pub const LAYER_NORM_EPSILON: f64 = 1e-5;
