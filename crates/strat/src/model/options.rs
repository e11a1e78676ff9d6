//! Choices that the paper leaves open, by name: how matrices start, whether scores are scaled, and whether routes read Type
//! behind a LayerNorm.

use super::Init;
use serde::{Deserialize, Serialize};

/// How the matrices of a class start. Biases start as PyTorch's do with each of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Start {
    /// Uniform in ±1/√ins: the default of PyTorch's `nn.Linear`.
    #[default]
    PyTorch,
    /// Uniform in ±√(6 / (ins + outs)).
    Xavier,
    /// Uniform in ±√(6 / ins).
    Kaiming,
    /// All zeros.
    Zero,
}

impl Start {
    /// All, PyTorch's first.
    pub const ALL: [Start; 4] = [Start::PyTorch, Start::Xavier, Start::Kaiming, Start::Zero];

    /// As in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Start::PyTorch => "pytorch",
            Start::Xavier => "xavier",
            Start::Kaiming => "kaiming",
            Start::Zero => "zero",
        }
    }

    /// Of a matrix `[outs, ins]`.
    pub fn init(self, outs: usize, ins: usize) -> Init {
        match self {
            Start::PyTorch => Init::Uniform(1.0 / (ins as f64).sqrt()),
            Start::Xavier => Init::Uniform((6.0 / (ins + outs) as f64).sqrt()),
            Start::Kaiming => Init::Uniform((6.0 / ins as f64).sqrt()),
            Start::Zero => Init::Constant(0.0),
        }
    }
}

/// What may be chosen in a block besides its sizes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BlockOptions {
    /// How queries and keys start: the larger, the sharper attention is at first.
    pub start_routes: Start,
    /// How values start, and what takes them back into their stream.
    pub start_values: Start,
    /// How STRAT's gates start.
    pub start_gates: Start,
    /// How the matrices of the GLU or FFN start, without its gates.
    pub start_hidden: Start,
    /// How the matrix that the answer is read with starts.
    pub start_head: Start,
    /// Standard deviation with which the biases of a torus's offsets start.
    pub start_offsets: f64,
    /// Are scores divided by the root of a head's width?
    pub scale_scores: bool,
    /// Do STRAT's queries and keys read Type behind its LayerNorm? Eq. 4 has none. SAT's block never has.
    pub norm_routes: bool,
    /// Share of the numbers that are zero in training wherever a block adds to a stream; the others are larger by as much.
    pub dropout: f64,
}

impl BlockOptions {
    /// The specification's: PyTorch's start, scaled scores, LayerNorm before the routes, no dropout. How the biases of
    /// offsets start the paper does not say.
    pub const SPECIFIED: BlockOptions = BlockOptions {
        start_routes: Start::PyTorch,
        start_values: Start::PyTorch,
        start_gates: Start::PyTorch,
        start_hidden: Start::PyTorch,
        start_head: Start::PyTorch,
        start_offsets: 0.1,
        scale_scores: true,
        norm_routes: true,
        dropout: 0.0,
    };

    /// Attention that is sharp and random at first: Xavier's start of queries and keys, unscaled scores.
    pub const SHARP_START: BlockOptions =
        BlockOptions { start_routes: Start::Xavier, scale_scores: false, ..BlockOptions::SPECIFIED };

    pub(super) fn is_specified(&self) -> bool {
        *self == BlockOptions::SPECIFIED
    }
}

impl Default for BlockOptions {
    fn default() -> Self {
        BlockOptions::SPECIFIED
    }
}
