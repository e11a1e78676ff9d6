//! The unityped models (§2, App. A and B): one block of a Transformer on six dimensions, in
//! which Data (D0) and Type (D1–D4) share every matrix. Config A, its eleven relatives of
//! Table 2, and the hand-coded Geometric ALU, all through the same forward pass.

use super::door::{Model, Spec};
use super::{Built, Init, ORACLE_TYPES, Param, Start, tokens};
use crate::engine::{Bias, Graph, Node};
use serde::{Deserialize, Serialize};

/// Dimensions D0–D5.
const WIDTH: usize = 6;

/// A row of Table 2; on disk it has the table's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Unityped {
    /// The Geometric ALU: hand-set weights, nothing learned (App. A).
    Ref,
    /// The simplified Transformer.
    A,
    /// Values and targets scaled by 1/5000.
    #[serde(rename = "A_s")]
    As,
    /// LayerNorm before attention and FFN.
    #[serde(rename = "A_ln")]
    Aln,
    /// A range of values that grows during training.
    #[serde(rename = "A_curr")]
    Acurr,
    /// FFN and readout frozen at the ALU's; attention learned.
    #[serde(rename = "B_fl")]
    Bfl,
    /// Attention frozen at the ALU's.
    #[serde(rename = "B_fa")]
    Bfa,
    /// A penalty on gate weights from D0.
    #[serde(rename = "B_ortho")]
    Bortho,
    /// Attention's update times a learned gain from 1.
    #[serde(rename = "C_g")]
    Cg,
    /// Attention's update times 100.
    #[serde(rename = "C_sb")]
    Csb,
    /// A learned gain from 50 and the penalty (Table 2 calls it B_c).
    #[serde(rename = "B_c")]
    Cc,
    /// Attention frozen at the ALU's, a learned gain from 50.
    #[serde(rename = "C_b")]
    Cb,
    /// Gate biases start at +1.
    #[serde(rename = "C_bi")]
    Cbi,
}

use Unityped::*;

/// A configuration, and how its matrices start: from Xavier's numbers, unless another start is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Named", into = "Named")]
pub struct UnitypedModel {
    /// The row of Table 2.
    pub config: Unityped,
    /// How the matrices start that are learned.
    pub start: Start,
}

impl UnitypedModel {
    /// The start that App. B has.
    pub const SPECIFIED: Start = Start::Xavier;
}

impl From<Unityped> for UnitypedModel {
    fn from(config: Unityped) -> UnitypedModel {
        UnitypedModel { config, start: UnitypedModel::SPECIFIED }
    }
}

/// The same in files: the configuration alone if it starts as specified.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Named {
    Specified(Unityped),
    Started(Started),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Started {
    config: Unityped,
    start: Start,
}

impl From<Named> for UnitypedModel {
    fn from(named: Named) -> UnitypedModel {
        match named {
            Named::Specified(config) => config.into(),
            Named::Started(Started { config, start }) => UnitypedModel { config, start },
        }
    }
}

impl From<UnitypedModel> for Named {
    fn from(UnitypedModel { config, start }: UnitypedModel) -> Named {
        match start {
            UnitypedModel::SPECIFIED => Named::Specified(config),
            start => Named::Started(Started { config, start }),
        }
    }
}

impl Unityped {
    /// The twelve learned configurations, in the order of Table 2.
    pub const LEARNED: [Unityped; 12] = [A, As, Aln, Acurr, Bfl, Bfa, Bortho, Cg, Csb, Cc, Cb, Cbi];

    /// A_s: what values and targets are multiplied by.
    fn scale(self) -> f64 {
        if self == As { 1.0 / 5000.0 } else { 1.0 }
    }

    /// Start of the learned gain on attention's update, if there is one.
    fn learned_gain(self) -> Option<f64> {
        match self {
            Cg => Some(1.0),
            Cc | Cb => Some(50.0),
            _ => None,
        }
    }

    fn penalized(self) -> bool {
        matches!(self, Bortho | Cc)
    }

    fn attention_is_the_alus(self) -> bool {
        matches!(self, Ref | Bfa | Cb)
    }

    fn logic_is_the_alus(self) -> bool {
        matches!(self, Ref | Bfl)
    }

    fn frozen(self) -> Vec<&'static str> {
        let mut names = vec![];
        if self.attention_is_the_alus() {
            names.extend(ATTENTION);
        }
        if self.logic_is_the_alus() {
            names.extend(LOGIC);
        }
        names
    }

    fn all_params(self, start: Start) -> Vec<Param> {
        let alu = |name: &'static str| {
            self.attention_is_the_alus() && ATTENTION.contains(&name)
                || self.logic_is_the_alus() && LOGIC.contains(&name)
        };
        // Biases as PyTorch's default.
        let matrix = |name, outs: usize, ins: usize| {
            let init = if alu(name) { Init::Values(alu_weights(name)) } else { start.init(outs, ins) };
            Param::new(name, [outs, ins], init)
        };
        let bias = |name: &'static str| {
            let init = if alu(name) {
                Init::Values(alu_weights(name))
            } else if self == Cbi && name == "gate.bias" {
                Init::Constant(1.0)
            } else {
                Init::Uniform(1.0 / (WIDTH as f64).sqrt())
            };
            Param::vector(name, WIDTH, init)
        };
        let mut params = vec![
            matrix("query.weight", WIDTH, WIDTH),
            matrix("key.weight", WIDTH, WIDTH),
            matrix("value.weight", WIDTH, WIDTH),
            matrix("gate.weight", WIDTH, WIDTH),
            bias("gate.bias"),
            matrix("ffn_value.weight", WIDTH, WIDTH),
            bias("ffn_value.bias"),
            matrix("readout.weight", 1, WIDTH),
        ];
        if let Some(start) = self.learned_gain() {
            params.push(Param::new("gain", [1, 1], Init::Constant(start)));
        }
        if self == Aln {
            for (name, start) in
                [("norm1.weight", 1.0), ("norm1.bias", 0.0), ("norm2.weight", 1.0), ("norm2.bias", 0.0)]
            {
                params.push(Param::vector(name, WIDTH, Init::Constant(start)));
            }
        }
        params
    }

    /// The graph for sums of at most `terms` literals.
    fn graph(self, start: Start, terms: usize) -> Built {
        let g = &mut Graph::new();
        let tok = tokens(g, terms);
        let n = tok.count;
        let kinds = g.constant(3, 4, &ORACLE_TYPES);
        let flags = g.gather(tok.one_hot, kinds);
        let zero = g.zeros(n, 1);
        let value = scaled(g, tok.value, self.scale());
        let x = g.concat(&[value, flags, zero]); // [n, 6]
        g.name("block.0.stream", x);

        // x ← x + γ A V x,  A = softmax(Q x · K x + ALiBi), unscaled              (eq. 1)
        let [w_q, w_k, w_v] =
            ["query.weight", "key.weight", "value.weight"].map(|name| g.param(name, WIDTH, WIDTH));
        let h = self.norm(g, x, "norm1.weight", "norm1.bias");
        let (q, k, v) = (g.linear(h, w_q), g.linear(h, w_k), g.linear(h, w_v));
        let routes = g.routes(q, k, 1, 1.0, Bias::alibi_causal(n, 1.0));
        g.name("block.0.routes", routes);
        let fetched = g.mix(routes, v, 1);
        let fetched = match self.learned_gain() {
            Some(_) => {
                let (gain, ones) = (g.param("gain", 1, 1), g.constant(WIDTH, 1, &[1.0; WIDTH]));
                let row = g.linear(gain, ones); // [1, 6], the gain in each
                g.mul(fetched, row)
            }
            None => scaled(g, fetched, if self == Csb { 100.0 } else { 1.0 }),
        };
        g.name("block.0.fetched", fetched);
        let x = g.add(x, fetched);

        // x ← x + σ(W_gate x + b) ⊙ (W_val x + b)                                 (eq. 2)
        let [w_gate, w_val] = ["gate.weight", "ffn_value.weight"].map(|name| g.param(name, WIDTH, WIDTH));
        let [b_gate, b_val] = ["gate.bias", "ffn_value.bias"].map(|name| g.param(name, 1, WIDTH));
        let h = self.norm(g, x, "norm2.weight", "norm2.bias");
        let gate = g.linear(h, w_gate);
        let gate = g.add(gate, b_gate);
        let gate = g.sigmoid(gate);
        g.name("block.0.gate", gate);
        let update = g.linear(h, w_val);
        let update = g.add(update, b_val);
        g.name("block.0.payload", update);
        let update = g.mul(gate, update);
        g.name("block.0.written", update);
        let x = g.add(x, update);
        g.name("stream", x);

        // y = Σ_t W_out x
        let w_out = g.param("readout.weight", 1, WIDTH);
        let y = g.linear(x, w_out);
        let each = scaled(g, y, 1.0 / self.scale());
        g.name("contributions", each);
        let y = g.sum_rows(y, tok.real);
        let target = scaled(g, tok.target, self.scale());
        let mut loss = g.squared_error(y, target);
        if self.penalized() {
            // + 10 Σ W_gate[:, D0]²
            let from_d0 = g.columns(w_gate, 0, 1);
            let square = g.mul(from_d0, from_d0);
            let ones = g.constant(WIDTH, 1, &[1.0; WIDTH]);
            let sum = g.sum_rows(square, ones);
            let penalty = g.scale(sum, 10.0);
            loss = g.add(loss, penalty);
        }
        let output = scaled(g, y, 1.0 / self.scale());
        g.name("output", output);
        Built { graph: std::mem::take(g), output, loss, params: self.all_params(start), frozen: self.frozen() }
    }

    /// Pre-LN in A_ln; nothing elsewhere.
    fn norm(self, g: &mut Graph, x: Node, weight: &str, bias: &str) -> Node {
        if self != Aln {
            return x;
        }
        let (w, b) = (g.param(weight, 1, WIDTH), g.param(bias, 1, WIDTH));
        let y = g.layer_norm(x);
        let y = g.mul(y, w);
        g.add(y, b)
    }
}

fn scaled(g: &mut Graph, x: Node, by: f64) -> Node {
    if by == 1.0 { x } else { g.scale(x, by) }
}

const ATTENTION: [&str; 3] = ["query.weight", "key.weight", "value.weight"];
const LOGIC: [&str; 5] = ["gate.weight", "gate.bias", "ffn_value.weight", "ffn_value.bias", "readout.weight"];

/// A 6 × 6 matrix `[to, from]` that is zero but for these.
const fn sparse<const N: usize>(cells: [(usize, usize, f64); N]) -> [f64; WIDTH * WIDTH] {
    let mut w = [0.0; WIDTH * WIDTH];
    let mut i = 0;
    while i < N {
        let (to, from, x) = cells[i];
        w[to * WIDTH + from] = x;
        i += 1;
    }
    w
}

/// Numbers (D1) ask on channel D4 …
static ALU_QUERY: [f64; 36] = sparse([(4, 1, 10.0)]);
/// … operators (D4) answer on it.
static ALU_KEY: [f64; 36] = sparse([(4, 4, 10.0)]);
/// The operator's flags are fetched.
static ALU_VALUE: [f64; 36] = sparse([(2, 2, 1.0), (3, 3, 1.0)]);
/// D5 opens for a number (D1) that fetched a minus (D3).
static ALU_GATE: [f64; 36] = sparse([(5, 1, 100.0), (5, 3, 100.0)]);
static ALU_GATE_BIAS: [f64; 6] = [0.0, 0.0, 0.0, 0.0, 0.0, -150.0];
/// The number is pasted into D5.
static ALU_FFN_VALUE: [f64; 36] = sparse([(5, 0, 1.0)]);
static ALU_FFN_BIAS: [f64; 6] = [0.0; 6];
/// y = Σ D0 − 2 Σ D5
static ALU_READOUT: [f64; 6] = [1.0, 0.0, 0.0, 0.0, 0.0, -2.0];

/// The Geometric ALU's weights (App. A), transposed to `[out, in]`.
fn alu_weights(name: &str) -> &'static [f64] {
    match name {
        "query.weight" => &ALU_QUERY,
        "key.weight" => &ALU_KEY,
        "value.weight" => &ALU_VALUE,
        "gate.weight" => &ALU_GATE,
        "gate.bias" => &ALU_GATE_BIAS,
        "ffn_value.weight" => &ALU_FFN_VALUE,
        "ffn_value.bias" => &ALU_FFN_BIAS,
        "readout.weight" => &ALU_READOUT,
        other => unreachable!("the ALU has no {other}"),
    }
}

/// On sums of literals and operators in turn.
impl Model for UnitypedModel {
    fn spec(&self) -> Spec {
        Spec::new("unityped", self)
    }

    fn build(&self, tokens: usize) -> Built {
        self.config.graph(self.start, tokens.div_ceil(2))
    }

    fn params(&self) -> Vec<Param> {
        self.config.all_params(self.start)
    }

    fn columns(&self, array: &str) -> Option<Vec<String>> {
        match array.rsplit('.').next()? {
            "stream" | "fetched" | "gate" | "payload" | "written" => {
                Some((0..WIDTH).map(|d| format!("D{d}")).collect())
            }
            _ => None,
        }
    }
}

/// As specified.
impl Model for Unityped {
    fn spec(&self) -> Spec {
        UnitypedModel::from(*self).spec()
    }

    fn build(&self, tokens: usize) -> Built {
        UnitypedModel::from(*self).build(tokens)
    }

    fn params(&self) -> Vec<Param> {
        UnitypedModel::from(*self).params()
    }

    fn columns(&self, array: &str) -> Option<Vec<String>> {
        UnitypedModel::from(*self).columns(array)
    }
}
