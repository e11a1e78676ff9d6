//! The full STRAT block (§7, App. D) and its opponent, with the sizes of every task.
//!
//! One [`Sizes`] value describes both models of a task, a row of the paper's configurations;
//! [`strat`](super::strat) and [`transformer`](super::transformer) write down the blocks.

use super::layers::Layers;
use super::{Built, Init, Param, strat, transformer};
use crate::engine::{Bias, Node, Rows};
use crate::task::Readout;

/// Which of the two models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
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
}

/// Who sees whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Every token sees every token.
    Full,
    /// The same on a square torus of this side, with a learned bias for each head and offset.
    Torus(usize),
    /// A token sees itself and what came before, this many tokens in all, with ALiBi of slope 1.
    /// Whether that is as good as all of them, [`reach_of`] says.
    Causal(usize),
}

/// The sizes of both models on a task (App. D, Table 11).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizes {
    /// Width of Type.
    pub types: usize,
    /// Width of Data.
    pub data: usize,
    /// Width of the Transformer's stream: both, and zeros up to a multiple of the heads.
    pub stream: usize,
    /// Attention heads.
    pub heads: usize,
    /// Blocks.
    pub layers: usize,
    /// Hidden widths of the GLU and of the Transformer's FFN.
    pub hidden: &'static [usize],
    /// Does attention update Type too?
    pub type_moves: bool,
    /// Width in which Data travels along the routes; none where it does not travel (SAT).
    pub route: Option<usize>,
    /// Have STRAT's attention projections biases?
    pub strat_biases: bool,
    /// And the Transformer's?
    pub transformer_biases: bool,
    /// Who sees whom.
    pub sight: Sight,
    /// Where the answer is read.
    pub readout: Readout,
}

/// One layer, 32 + 32 wide: M-of-N, MONK-2, LED24, ThreeOf9, SPECT.
pub const TABULAR: Sizes = Sizes {
    types: 32,
    data: 32,
    stream: 64,
    heads: 4,
    layers: 1,
    hidden: &[68, 68],
    type_moves: true,
    route: Some(32),
    strat_biases: false,
    transformer_biases: false,
    sight: Sight::Full,
    readout: Readout::Class(2),
};

/// Parity5: two layers.
pub const PARITY5: Sizes = Sizes { layers: 2, ..TABULAR };

/// Tic-Tac-Toe: two layers, hidden widths 64.
pub const TIC_TAC_TOE: Sizes = Sizes { layers: 2, hidden: &[64, 64], ..TABULAR };

/// Game of Life on a torus of 6 × 6.
pub const LIFE: Sizes = Sizes {
    strat_biases: true,
    transformer_biases: true,
    sight: Sight::Torus(6),
    readout: Readout::Bits,
    ..TABULAR
};

/// SATNet Sudoku: sixteen layers; Type stays as it is.
pub const SUDOKU: Sizes = Sizes {
    types: 64,
    data: 18,
    stream: 84,
    layers: 16,
    hidden: &[128],
    type_moves: false,
    route: Some(64),
    readout: Readout::Values(9),
    ..TABULAR
};

/// SATBench and SATLIB: Lite attention on Type, Data stays in its place.
pub const SAT: Sizes = Sizes {
    types: 8,
    data: 3,
    stream: 11,
    heads: 1,
    layers: 4,
    hidden: &[32],
    type_moves: true,
    route: None,
    strat_biases: false,
    transformer_biases: true,
    sight: Sight::Causal(64),
    readout: Readout::Verdict,
};

impl Sizes {
    /// Parameters in the order of their random streams.
    pub fn params(&self, architecture: Architecture) -> Vec<Param> {
        self.construct(architecture, self.some_tokens()).1
    }

    /// The graph for examples of `tokens` tokens. It reads
    ///
    /// - `type` `[tokens, types]` and `data` `[tokens, data]`;
    /// - `target`, the class of each row that is read as a row of zeros and a one, or its bit;
    /// - `weight` `[rows read, 1]`, what each weighs in the example's loss (`Values` and `Bits` only);
    /// - `share` `[tokens, 1]`, one over the number of real tokens, zero for padding (`Verdict` only).
    pub fn build(&self, architecture: Architecture, tokens: usize) -> Built {
        self.construct(architecture, tokens).0
    }

    /// A number of tokens that every task could have.
    fn some_tokens(&self) -> usize {
        match self.sight {
            Sight::Torus(side) => side * side,
            Sight::Full | Sight::Causal(_) => 2,
        }
    }

    fn construct(&self, architecture: Architecture, tokens: usize) -> (Built, Vec<Param>) {
        let mut l = Layers::default();
        let x_t = l.g.input("type", tokens, self.types);
        let x_d = l.g.input("data", tokens, self.data);
        let x = match architecture {
            Architecture::Strat => strat::blocks(self, &mut l, x_t, x_d),
            Architecture::Transformer => transformer::blocks(self, &mut l, x_t, x_d),
        };
        let first = Rows { start: 0, step: 1, count: 1 };
        let x = match self.readout {
            Readout::Class(_) => l.g.take(x, first),
            Readout::Verdict => {
                let share = l.g.input("share", tokens, 1);
                l.g.sum_rows(x, share)
            }
            Readout::Values(_) | Readout::Bits => x,
        };
        let output = l.linear("head", x, self.readout.logits(1), true);
        l.g.name("output", output);
        let [rows, width] = l.g.shape(output);
        let target = l.g.input("target", rows, width);
        let weight = match self.readout {
            Readout::Class(_) | Readout::Verdict => l.g.constant(1, 1, &[1.0]),
            Readout::Values(_) | Readout::Bits => l.g.input("weight", rows, 1),
        };
        let loss = match self.readout {
            Readout::Class(_) | Readout::Values(_) => l.g.cross_entropy(output, target, weight),
            Readout::Bits | Readout::Verdict => l.g.binary_cross_entropy(output, target, weight),
        };
        (Built { graph: l.g, output, loss, frozen: vec![] }, l.params)
    }

    /// `softmax(q·k / √width + bias)` by head.
    pub(super) fn routes(&self, l: &mut Layers, name: &str, q: Node, k: Node) -> Node {
        let [tokens, width] = l.g.shape(q);
        let scale = 1.0 / (width as f64 / self.heads as f64).sqrt();
        match self.sight {
            Sight::Full => l.g.routes(q, k, self.heads, scale, Bias::none(tokens, tokens)),
            Sight::Torus(side) => {
                let scores = l.g.scores(q, k, self.heads);
                let scores = l.g.scale(scores, scale);
                let table = l.param(format!("{name}.rel_bias"), [self.heads, side * side], Init::Normal(0.1));
                let scores = l.g.add_offsets(scores, table, &offsets(side));
                l.g.softmax(scores, self.heads, Bias::none(tokens, tokens))
            }
            Sight::Causal(window) => {
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
        match self.sight {
            Sight::Full | Sight::Torus(_) => l.g.mix(routes, x, self.heads),
            Sight::Causal(_) => l.g.window_mix(routes, x),
        }
    }

    /// For [`Sight::Causal`]: the window that is enough if no query and key have a larger product.
    pub fn enough(&self, architecture: Architecture, largest_score: f64) -> usize {
        let width = match architecture {
            Architecture::Strat => self.types,
            Architecture::Transformer => self.stream,
        };
        reach_of(largest_score / (width as f64 / self.heads as f64).sqrt())
    }
}

/// With ALiBi of slope 1 and scores within ±`bound`, the tokens beyond this many weigh, all
/// together, less than 2⁻²⁵ of the token itself, and so change no sum in `f32`:
/// `Σ_{d ≥ n} exp(2·bound − d) = exp(2·bound − n) / (1 − 1/e) < 2⁻²⁵`.
pub fn reach_of(bound: f64) -> usize {
    let needed = 2.0 * bound + 25.0 * std::f64::consts::LN_2 - (1.0 - (-1f64).exp()).ln();
    // A score that is no number is no bound.
    if needed < 1e6 { needed.ceil() as usize } else { usize::MAX }
}

/// For cells `i` and `j` of a torus: how far `i` lies below and to the right of `j`, as `[i, j]`.
pub fn offsets(side: usize) -> Vec<u32> {
    let apart = |a: usize, b: usize| (a + side - b) % side;
    let cell = |i: usize, j: usize| apart(i / side, j / side) * side + apart(i % side, j % side);
    let cells = side * side;
    (0..cells * cells).map(|c| cell(c / cells, c % cells) as u32).collect()
}
