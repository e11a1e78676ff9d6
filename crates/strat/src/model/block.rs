//! The full STRAT block (§7, App. D) and its opponent, with the sizes of every task.
//!
//! One [`BlockConfig`] value describes both models of a task, a row of the paper's configurations;
//! [`strat`] and [`transformer`] write down the blocks.

use super::layers::Layers;
use super::{BlockOptions, Built, Init, Param, strat, transformer};
use crate::engine::{Bias, Node};
use crate::model::{Kinds, Readout, Shape};
use serde::{Deserialize, Serialize};

/// Which of the two models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Architecture {
    /// Type and Data in separate streams.
    Strat,
    /// The same fields in one stream.
    Transformer,
}

impl Architecture {
    /// Both, STRAT first.
    pub const ALL: [Architecture; 2] = [Architecture::Strat, Architecture::Transformer];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Architecture::Strat => "strat",
            Architecture::Transformer => "transformer",
        }
    }

    /// As in the paper's tables.
    pub fn title(self) -> &'static str {
        match self {
            Architecture::Strat => "STRAT",
            Architecture::Transformer => "Transformer",
        }
    }
}

/// Who sees whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum AttentionMask {
    /// Every token sees every token.
    Full,
    /// The same on a square torus of this side, with a learned bias for each head and offset.
    Torus(usize),
    /// A token sees itself and what came before, this many tokens in all, with ALiBi of slope 1.
    /// Whether that is as good as all of them, the trainer measures.
    Causal(usize),
}

/// The sizes of both models on a task (App. D, Table 11).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockConfig {
    /// Width of Type.
    pub types: usize,
    /// Width of Data.
    pub data: usize,
    /// How many of its columns, the last ones, are zeros that no example gives: room for Data that is too narrow for a
    /// LayerNorm.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub zeros: usize,
    /// Width of the Transformer's stream: both, and zeros up to a multiple of the heads.
    pub stream: usize,
    /// Attention heads.
    pub heads: usize,
    /// How many blocks there are, one after the other.
    pub layers: usize,
    /// Hidden widths of the GLU and of the Transformer's FFN; the second is 0 where there is one.
    pub hidden: [usize; 2],
    /// Does attention update Type too?
    #[serde(rename = "type_moves")]
    pub updates_type: bool,
    /// Width in which Data travels along the routes; none where it does not travel (SAT).
    pub route: Option<usize>,
    /// Have STRAT's attention projections biases?
    pub strat_biases: bool,
    /// And the Transformer's?
    pub transformer_biases: bool,
    /// Who sees whom.
    #[serde(rename = "sight")]
    pub mask: AttentionMask,
    /// Where the answer is read.
    pub readout: Readout,
    /// What the paper leaves open.
    #[serde(default, skip_serializing_if = "BlockOptions::is_specified")]
    pub options: BlockOptions,
}

impl BlockConfig {
    /// One layer, 32 + 32 wide: M-of-N, MONK-2, LED24, ThreeOf9, SPECT.
    pub const TABULAR: BlockConfig = BlockConfig {
        types: 32,
        data: 32,
        zeros: 0,
        stream: 64,
        heads: 4,
        layers: 1,
        hidden: [68, 68],
        updates_type: true,
        route: Some(32),
        strat_biases: false,
        transformer_biases: false,
        mask: AttentionMask::Full,
        readout: Readout::Class(2),
        options: BlockOptions::SPECIFIED,
    };

    /// Parity5: two layers.
    pub const PARITY5: BlockConfig = BlockConfig { layers: 2, ..BlockConfig::TABULAR };

    /// Tic-Tac-Toe: two layers, hidden widths 64.
    pub const TIC_TAC_TOE: BlockConfig = BlockConfig { layers: 2, hidden: [64, 64], ..BlockConfig::TABULAR };

    /// Game of Life on a torus of 6 × 6.
    pub const LIFE: BlockConfig = BlockConfig {
        strat_biases: true,
        transformer_biases: true,
        mask: AttentionMask::Torus(6),
        readout: Readout::TokenBinary,
        ..BlockConfig::TABULAR
    };

    /// SATNet Sudoku: sixteen layers; Type stays as it is.
    pub const SUDOKU: BlockConfig = BlockConfig {
        types: 64,
        data: 18,
        stream: 84,
        layers: 16,
        hidden: [128, 0],
        updates_type: false,
        route: Some(64),
        readout: Readout::TokenClass(9),
        ..BlockConfig::TABULAR
    };

    /// SATBench and SATLIB: Lite attention on Type, Data stays in its place.
    pub const SAT: BlockConfig = BlockConfig {
        types: 8,
        data: 3,
        zeros: 0,
        stream: 11,
        heads: 1,
        layers: 4,
        hidden: [32, 0],
        updates_type: true,
        route: None,
        strat_biases: false,
        transformer_biases: true,
        mask: AttentionMask::Causal(64),
        readout: Readout::Binary,
        options: BlockOptions::SPECIFIED,
    };
}

/// A model of §7: which of the two, and how large.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockModel {
    /// STRAT or the Transformer.
    pub architecture: Architecture,
    /// How large it is, and who sees whom.
    pub sizes: BlockConfig,
}

/// The largest width or window that `BlockModel::check` lets pass.
const LARGEST: usize = 4096;
/// The most layers: a graph has dozens of operations for each.
const MOST_LAYERS: usize = 64;
/// The largest share of numbers that are dropped.
const MOST_DROPOUT: f64 = 0.99;
/// The largest standard deviation of biases.
const MOST_DEVIATION: f64 = 1000.0;
/// The largest side of a torus: the graph names the offset of every two of its cells.
const LARGEST_SIDE: usize = 16;

/// Why there is no such model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum BlockConfigError {
    /// Nothing, or more than anyone meant.
    #[error("{field} should be from 1 to {most}, but is {value}")]
    Range {
        /// Which size.
        field: &'static str,
        /// What it is.
        value: usize,
        /// The most it can be.
        most: usize,
    },
    /// Heads of unequal width.
    #[error("heads should divide {field}, which is {value}, but is {heads}")]
    Heads {
        /// Which size.
        field: &'static str,
        /// What it is.
        value: usize,
        /// How many heads.
        heads: usize,
    },
    /// A stream too narrow for what is in it.
    #[error("stream should be at least types + data = {least}, but is {stream}")]
    Stream {
        /// What it must hold.
        least: usize,
        /// What it is.
        stream: usize,
    },
    /// Nothing of Data is given.
    #[error("zeros should be fewer than the columns of data, {data}, but are {zeros}")]
    Zeros {
        /// How many columns there are.
        data: usize,
        /// How many of them are zeros.
        zeros: usize,
    },
    /// Windows are for one head.
    #[error("causal sight needs one head, but there are {0}")]
    Causal(usize),
    /// Nothing is kept, or what is a number is none.
    #[error("{field} should be from 0 to {most}, but is {value}")]
    Share {
        /// Which option.
        field: &'static str,
        /// What it is, as text: numbers that are none are not equal to themselves.
        value: String,
        /// The most it can be.
        most: f64,
    },
    /// Data rests only where Type moves.
    #[error("without a route for Data, Type should move")]
    Resting,
}

impl BlockModel {
    /// Whether there is such a model; for those read from a file.
    pub(crate) fn check(&self) -> Result<(), BlockConfigError> {
        let s = &self.sizes;
        let classes = match s.readout {
            Readout::Class(n) | Readout::TokenClass(n) => n,
            Readout::Binary | Readout::TokenBinary | Readout::Number => 1,
        };
        let (mask, farthest) = match s.mask {
            AttentionMask::Torus(side) => (side, LARGEST_SIDE),
            AttentionMask::Causal(window) => (window, LARGEST),
            AttentionMask::Full => (1, 1),
        };
        for (field, value, most) in [
            ("types", s.types, LARGEST),
            ("data", s.data, LARGEST),
            ("stream", s.stream, LARGEST),
            ("heads", s.heads, LARGEST),
            ("layers", s.layers, MOST_LAYERS),
            ("hidden", s.hidden[0], LARGEST),
            ("the second hidden width", s.hidden[1].max(1), LARGEST),
            ("route", s.route.unwrap_or(1), LARGEST),
            ("the number of classes", classes, LARGEST),
            ("sight", mask, farthest),
        ] {
            if !(1..=most).contains(&value) {
                return Err(BlockConfigError::Range { field, value, most });
            }
        }
        for (field, value) in [("types", s.types), ("stream", s.stream), ("route", s.route.unwrap_or(s.heads))] {
            if value % s.heads != 0 {
                return Err(BlockConfigError::Heads { field, value, heads: s.heads });
            }
        }
        for (field, value, most) in [
            ("dropout", s.options.dropout, MOST_DROPOUT),
            ("start_offsets", s.options.start_offsets, MOST_DEVIATION),
        ] {
            if !(0.0..=most).contains(&value) {
                return Err(BlockConfigError::Share { field, value: value.to_string(), most });
            }
        }
        match s.mask {
            _ if s.zeros >= s.data => Err(BlockConfigError::Zeros { data: s.data, zeros: s.zeros }),
            _ if s.stream < s.types + s.data => {
                Err(BlockConfigError::Stream { least: s.types + s.data, stream: s.stream })
            }
            _ if s.route.is_none() && !s.updates_type => Err(BlockConfigError::Resting),
            AttentionMask::Causal(_) if s.heads != 1 => Err(BlockConfigError::Causal(s.heads)),
            _ => Ok(()),
        }
    }

    /// Whether it reads examples of this shape and gives answers of this kind.
    pub fn fits(&self, shape: Shape, readout: Readout) -> bool {
        let s = &self.sizes;
        let all_cells = match s.mask {
            AttentionMask::Torus(side) => side * side == shape.tokens,
            AttentionMask::Full | AttentionMask::Causal(_) => true,
        };
        all_cells && (s.types, s.given(), s.readout) == (shape.types, shape.data, readout)
    }

    /// Parameters in the order of their random streams.
    pub fn params(&self) -> Vec<Param> {
        // They do not depend on how many tokens there are.
        let tokens = match self.sizes.mask {
            AttentionMask::Torus(side) => side * side,
            AttentionMask::Full | AttentionMask::Causal(_) => 2,
        };
        self.sizes.construct(self.architecture, Layers::default(), tokens, None).params
    }

    /// The graph for examples of `tokens` tokens. It reads
    ///
    /// - `type` `[tokens, types]` and `data` `[tokens, data]`, without the columns that are zeros;
    /// - `target`, the class of each row that is read as a row of zeros and a one, or its bit;
    /// - `weight` `[rows read, 1]`, what each weighs in the example's loss (`Values` and `Bits` only);
    /// - `share` `[tokens, 1]`, one over the number of real tokens, zero for padding (`Verdict` only).
    pub fn build(&self, tokens: usize) -> Built {
        self.sizes.construct(self.architecture, Layers::default(), tokens, None)
    }

    /// The same in training with dropout. It also reads which numbers are dropped ([`Dropping`](super::dropout::Dropping)).
    pub(super) fn build_dropping(&self, tokens: usize) -> Built {
        self.sizes.construct(self.architecture, Layers::dropping(), tokens, None)
    }

    /// The same for tokens of few kinds: instead of `type` and `data` it reads `kind` `[tokens, 1]`, numbered from 1 on.
    pub fn build_of_kinds(&self, kinds: &Kinds) -> Built {
        self.sizes.construct(self.architecture, Layers::default(), kinds.of.len(), Some(kinds))
    }
}

impl BlockConfig {
    /// The hidden widths there are.
    pub(super) fn hidden(&self) -> impl Iterator<Item = usize> {
        self.hidden.into_iter().filter(|&width| width > 0)
    }

    /// Columns of Data that examples give.
    fn given(&self) -> usize {
        self.data.saturating_sub(self.zeros)
    }

    fn construct(&self, architecture: Architecture, mut l: Layers, tokens: usize, kinds: Option<&Kinds>) -> Built {
        let (x_t, x_d) = match kinds {
            None => (l.g.input("type", tokens, self.types), l.g.input("data", tokens, self.given())),
            Some(kinds) => {
                let number = l.g.input("kind", tokens, 1);
                let one_hot = l.g.total_one_hot(number, kinds.count(), kinds.of.clone());
                let types = l.g.constant(kinds.count(), self.types, &kinds.types);
                let data = l.g.constant(kinds.count(), self.given(), &kinds.data);
                (l.g.gather(one_hot, types), l.g.gather(one_hot, data))
            }
        };
        let x_d = match self.zeros {
            0 => x_d,
            zeros => {
                let zeros = l.g.zeros(tokens, zeros);
                l.g.concat(&[x_d, zeros])
            }
        };
        let x = match architecture {
            Architecture::Strat => strat::blocks(self, &mut l, x_t, x_d),
            Architecture::Transformer => transformer::blocks(self, &mut l, x_t, x_d),
        };
        l.answer_from(self.options.start_head, self.readout, x)
    }

    /// `softmax(q·k / √width + bias)` by head; without the root if scores are not scaled.
    pub(super) fn routes(&self, l: &mut Layers, name: &str, q: Node, k: Node) -> Node {
        let [tokens, width] = l.g.shape(q);
        let scale = if self.options.scale_scores { 1.0 / (width as f64 / self.heads as f64).sqrt() } else { 1.0 };
        match self.mask {
            AttentionMask::Full => l.g.routes(q, k, self.heads, scale, Bias::none(tokens, tokens)),
            AttentionMask::Torus(side) => {
                let scores = l.g.scores(q, k, self.heads);
                let scores = l.g.scale(scores, scale);
                let start = Init::Normal(self.options.start_offsets);
                let table = l.param(format!("{name}.rel_bias"), [self.heads, side * side], start);
                let scores = l.g.add_offsets(scores, table, &offsets(side));
                l.g.softmax(scores, self.heads, Bias::none(tokens, tokens))
            }
            AttentionMask::Causal(window) => {
                assert_eq!(self.heads, 1, "windows are for one head");
                let window = window.min(tokens);
                let scores = l.g.window_scores(q, k, window);
                let scores = l.g.scale(scores, scale);
                l.g.softmax(scores, 1, Bias::alibi_window(tokens, 1.0, window))
            }
        }
    }

    /// Rows of `x` along the routes.
    pub(super) fn along(&self, l: &mut Layers, routes: Node, x: Node) -> Node {
        match self.mask {
            AttentionMask::Full | AttentionMask::Torus(_) => l.g.mix(routes, x, self.heads),
            AttentionMask::Causal(_) => l.g.window_mix(routes, x),
        }
    }
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// With ALiBi of slope 1, and no score of a token out of sight more than `excess` above the best one in sight, distance left
/// aside, the tokens beyond this many weigh, all together, less than 2⁻²⁵ of that best one, which is less than
/// `f32` resolves: `Σ_{d ≥ n} exp(excess − d) = exp(excess − n) / (1 − 1/e) < 2⁻²⁵`.
pub fn window_needed(excess: f64) -> usize {
    let needed = excess + 25.0 * std::f64::consts::LN_2 - (1.0 - (-1f64).exp()).ln();
    // A score that is no number is no bound.
    if needed < 1e6 { needed.ceil() as usize } else { usize::MAX }
}

/// For cells `i` and `j` of a torus: how far `i` lies below and to the right of `j`, as `[i, j]`.
pub(crate) fn offsets(side: usize) -> Vec<u32> {
    let apart = |a: usize, b: usize| (a + side - b) % side;
    let cell = |i: usize, j: usize| apart(i / side, j / side) * side + apart(i % side, j % side);
    let cells = side * side;
    (0..cells * cells).map(|c| cell(c / cells, c % cells) as u32).collect()
}
