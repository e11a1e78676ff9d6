//! Config A (App. B): one block of a Transformer on six dimensions, in which Data (D0)
//! and Type (D1–D4) share every matrix. The baseline that cannot learn the rule.

use super::{Built, Init, ORACLE_TYPES, Param, tokens};
use crate::engine::{Bias, Graph};

/// Dimensions D0–D5.
const WIDTH: usize = 6;

/// The baseline, with fixed types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigA;

impl ConfigA {
    pub(super) fn params(&self) -> Vec<Param> {
        // Xavier: uniform in ±√(6 / (in + out)); biases as PyTorch's default.
        let xavier = |name, outs: usize, ins: usize| Param {
            name,
            shape: [outs, ins],
            init: Init::Uniform((6.0 / (outs + ins) as f64).sqrt()),
        };
        let bias = |name| Param { name, shape: [1, WIDTH], init: Init::Uniform(1.0 / (WIDTH as f64).sqrt()) };
        vec![
            xavier("query.weight", WIDTH, WIDTH),
            xavier("key.weight", WIDTH, WIDTH),
            xavier("value.weight", WIDTH, WIDTH),
            xavier("gate.weight", WIDTH, WIDTH),
            bias("gate.bias"),
            xavier("ffn_value.weight", WIDTH, WIDTH),
            bias("ffn_value.bias"),
            xavier("readout.weight", 1, WIDTH),
        ]
    }

    pub(super) fn build(&self, terms: usize) -> Built {
        let g = &mut Graph::new();
        let tok = tokens(g, terms);
        let n = tok.count;
        let kinds = g.constant(3, 4, &ORACLE_TYPES);
        let flags = g.gather(tok.one_hot, kinds);
        let zero = g.zeros(n, 1);
        let x = g.concat(&[tok.value, flags, zero]); // [n, 6]
        g.name("x.0", x);

        // x ← x + A V x,  A = softmax(Q x · K x + ALiBi), unscaled                (eq. 1)
        let [w_q, w_k, w_v] =
            ["query.weight", "key.weight", "value.weight"].map(|name| g.param(name, WIDTH, WIDTH));
        let (q, k, v) = (g.linear(x, w_q), g.linear(x, w_k), g.linear(x, w_v));
        let routes = g.routes(q, k, 1, 1.0, Bias::alibi_causal(n, 1.0));
        g.name("routes", routes);
        let fetched = g.mix(routes, v, 1);
        let x = g.add(x, fetched);
        g.name("x.1", x);

        // x ← x + σ(W_gate x + b) ⊙ (W_val x + b)                                 (eq. 2)
        let [w_gate, w_val] = ["gate.weight", "ffn_value.weight"].map(|name| g.param(name, WIDTH, WIDTH));
        let [b_gate, b_val] = ["gate.bias", "ffn_value.bias"].map(|name| g.param(name, 1, WIDTH));
        let gate = g.linear(x, w_gate);
        let gate = g.add(gate, b_gate);
        let gate = g.sigmoid(gate);
        g.name("gate", gate);
        let update = g.linear(x, w_val);
        let update = g.add(update, b_val);
        let update = g.mul(gate, update);
        let x = g.add(x, update);
        g.name("x.2", x);

        // y = Σ_t W_out x
        let w_out = g.param("readout.weight", 1, WIDTH);
        let y = g.linear(x, w_out);
        let output = g.sum_rows(y, tok.real);
        g.name("output", output);
        let loss = g.squared_error(output, tok.target);
        Built { graph: std::mem::take(g), output, loss, frozen: vec![] }
    }
}
