//! STRAT-Lite (§5.2). Routes and gates are decided by Type alone; Data only passes.

use super::door::{Model, Spec};
use super::{Built, Init, ORACLE_TYPES, Param, items, tokens};
use crate::engine::{Bias, Graph};
use crate::model::{ITEMS, Kind};
use serde::{Deserialize, Serialize};

/// Where a token's Type comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Types {
    /// Hand-coded on D1–D4 (§5.3).
    Fixed,
    /// One learned vector per token kind, N(0, 0.02) at the start (§5.4).
    Latent,
    /// The same for the items of a grocery list, which the model then reads instead of a sum.
    Items,
}

impl Types {
    /// How many kinds of token there are.
    pub fn kinds(self) -> usize {
        match self {
            Types::Fixed | Types::Latent => Kind::ALL.len(),
            Types::Items => ITEMS,
        }
    }
}

/// A STRAT-Lite configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lite {
    /// Dimensions of Type: 2, 3 or 4 in the paper.
    pub width: usize,
    /// Attention heads; the width must be a multiple.
    pub heads: usize,
    /// Fixed types need width 4.
    pub types: Types,
}

/// The widest Type that `Lite::check` lets pass.
const WIDEST: usize = 64;

/// Why there is no such STRAT-Lite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LiteError {
    /// No room for types, or more than anyone meant.
    #[error("width should be from 1 to {WIDEST}, but is {0}")]
    Width(usize),
    /// Heads of unequal width.
    #[error("heads should divide the width {width}, but is {heads}")]
    Heads {
        /// Dimensions of Type.
        width: usize,
        /// Attention heads.
        heads: usize,
    },
    /// Fixed types are D1–D4.
    #[error("fixed types need width 4, but it is {0}")]
    Fixed(usize),
}

impl Lite {
    /// Flat (2D/1H): learned types of two dimensions (§6).
    pub const FLAT: Lite = Lite { width: 2, heads: 1, types: Types::Latent };
    /// Flat MH (2D/2H): the same with two heads.
    pub const FLAT_TWO_HEADS: Lite = Lite { heads: 2, ..Lite::FLAT };
    /// Compact (3D/1H).
    pub const COMPACT: Lite = Lite { width: 3, ..Lite::FLAT };
    /// Std (4D/1H).
    pub const STANDARD: Lite = Lite { width: 4, ..Lite::FLAT };
    /// The four of Table 5, in its order.
    pub const ALL: [Lite; 4] = [Lite::FLAT, Lite::FLAT_TWO_HEADS, Lite::COMPACT, Lite::STANDARD];

    /// Whether there is such a model; for those read from a file.
    pub(crate) fn check(&self) -> Result<(), LiteError> {
        let Lite { width, heads, types } = *self;
        if !(1..=WIDEST).contains(&width) {
            Err(LiteError::Width(width))
        } else if heads == 0 || width % heads != 0 {
            Err(LiteError::Heads { width, heads })
        } else if types == Types::Fixed && width != 4 {
            Err(LiteError::Fixed(width))
        } else {
            Ok(())
        }
    }

    fn all_params(&self) -> Vec<Param> {
        let t = self.width;
        // PyTorch's default for linear layers, biases included.
        let linear = |name: &'static str, outs: usize, ins: usize, fan_in: usize| {
            Param::new(name, [outs, ins], Init::Uniform(1.0 / (fan_in as f64).sqrt()))
        };
        let mut params = vec![
            linear("query.weight", t, t, t),
            linear("key.weight", t, t, t),
            linear("type_value.weight", t, t, t),
            linear("gate.weight", 2, t, t),
            Param::vector("gate.bias", 2, Init::Uniform(1.0 / (t as f64).sqrt())),
            linear("value.weight", 2, 2, 2),
            linear("readout.weight", 1, t + 2, t + 2),
        ];
        if self.types != Types::Fixed {
            params.push(Param::new("embed", [self.types.kinds(), t], Init::Normal(0.02)));
        }
        params
    }

    /// The graph for sums of at most `terms` literals, or lists of as many items.
    fn graph(&self, terms: usize) -> Built {
        let t = self.width;
        let g = &mut Graph::new();
        let tok = if self.types == Types::Items { items(g, terms) } else { tokens(g, terms) };
        let n = tok.count;

        let kinds = match self.types {
            Types::Latent | Types::Items => g.param("embed", self.types.kinds(), t),
            Types::Fixed => g.constant(3, 4, &ORACLE_TYPES),
        };
        let x_t = g.gather(tok.one_hot, kinds); // [n, t]
        let zero = g.zeros(n, 1);
        let x_v = g.concat(&[tok.value, zero]); // [n, 2]: D0, D5
        g.name("block.0.type", x_t);
        g.name("block.0.data", x_v);

        // A = softmax(Q x_T · K x_T / √d + ALiBi),  x_T ← x_T + A V x_T        (eq. 4)
        let [w_q, w_k, w_v] = ["query.weight", "key.weight", "type_value.weight"].map(|name| g.param(name, t, t));
        let (q, k, v) = (g.linear(x_t, w_q), g.linear(x_t, w_k), g.linear(x_t, w_v));
        let per_head = t / self.heads;
        let routes = g.routes(q, k, self.heads, 1.0 / (per_head as f64).sqrt(), Bias::alibi_causal(n, 1.0));
        g.name("block.0.routes", routes);
        let fetched = g.mix(routes, v, self.heads);
        g.name("block.0.type_fetched", fetched);
        let x_t = g.add(x_t, fetched);
        g.name("type", x_t);

        // x_V ← x_V + σ(W_gate x_T + b_gate) ⊙ W_val x_V                       (eq. 5)
        let (w_gate, b_gate) = (g.param("gate.weight", 2, t), g.param("gate.bias", 1, 2));
        let w_val = g.param("value.weight", 2, 2);
        let gate = g.linear(x_t, w_gate);
        let gate = g.add(gate, b_gate);
        let gate = g.sigmoid(gate); // [n, 2]
        g.name("block.0.gate", gate);
        let update = g.linear(x_v, w_val);
        g.name("block.0.payload", update);
        let update = g.mul(gate, update);
        g.name("block.0.written", update);
        let x_v = g.add(x_v, update);
        g.name("data", x_v);

        // y = Σ_t W_out [x_V0, x_T, x_V1]
        let w_out = g.param("readout.weight", 1, t + 2);
        let (d0, d5) = (g.columns(x_v, 0, 1), g.columns(x_v, 1, 1));
        let x = g.concat(&[d0, x_t, d5]);
        let y = g.linear(x, w_out); // [n, 1]
        g.name("contributions", y);
        let output = g.sum_rows(y, tok.real);
        g.name("output", output);
        let loss = g.squared_error(output, tok.target);
        Built { graph: std::mem::take(g), output, loss, params: self.all_params(), frozen: vec![] }
    }
}

/// On sums of literals and operators in turn, or on lists of items.
impl Model for Lite {
    fn spec(&self) -> Spec {
        Spec::new("lite", self)
    }

    fn build(&self, tokens: usize) -> Built {
        self.graph(if self.types == Types::Items { tokens } else { tokens.div_ceil(2) })
    }

    fn params(&self) -> Vec<Param> {
        self.all_params()
    }

    fn is_small(&self, _examples: usize, _kinds: bool) -> bool {
        true
    }

    fn columns(&self, array: &str) -> Option<Vec<String>> {
        match array.rsplit('.').next()? {
            "type" | "type_fetched" => Some((1..=self.width).map(|d| format!("D{d}")).collect()),
            "data" | "gate" | "payload" | "written" => Some(vec!["D0".into(), "D5".into()]),
            _ => None,
        }
    }
}
