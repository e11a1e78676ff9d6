//! The STRAT block (§7, App. D). Attention and gates read `x_T` and nothing else: no line
//! below lets Data reach a query, a key or a gate.

use super::block::BlockConfig;
use super::layers::Layers;
use crate::engine::Node;

/// All blocks on `[tokens, types]` and `[tokens, data]`; what the head reads of Data.
pub(super) fn blocks(s: &BlockConfig, l: &mut Layers, mut x_t: Node, mut x_d: Node) -> Node {
    for b in 0..s.layers {
        let name = format!("block.{b}");
        l.g.name(format!("{name}.type"), x_t);
        l.g.name(format!("{name}.data"), x_d);
        (x_t, x_d) = match s.route {
            Some(width) => block(s, l, &name, width, x_t, x_d),
            None => resting_block(s, l, &name, x_t, x_d),
        };
    }
    l.g.name("type", x_t);
    l.g.name("data", x_d);
    match s.route {
        Some(_) => l.norm("norm", x_d),
        None => x_d,
    }
}

fn block(s: &BlockConfig, l: &mut Layers, name: &str, width: usize, x_t: Node, x_d: Node) -> (Node, Node) {
    let at = |part: &str| format!("{name}.{part}");
    let start = s.options;
    // t = LN_T(x_T),  A_h = softmax(Q_h t · K_h t / √(T/H) + bias_h); eq. 4 has x_T in the place of this t
    let t = l.norm(&at("norm_type"), x_t);
    let read = if s.options.norm_routes { t } else { x_t };
    let q = l.linear_from(start.start_routes, &at("query"), read, s.types, s.strat_biases);
    let k = l.linear_from(start.start_routes, &at("key"), read, s.types, s.strat_biases);
    let routes = s.routes(l, name, q, k); // [tokens, heads · tokens]
    l.g.name(at("routes"), routes);

    // x_T ← x_T + concat_h(A_h (V_T t)_h); the control signal c is what Type has become,
    // or t where it stays
    let (x_t, control) = if s.updates_type {
        let v = l.linear_from(start.start_values, &at("type_value"), t, s.types, s.strat_biases);
        let fetched = s.along(l, routes, v);
        l.g.name(at("type_fetched"), fetched);
        let fetched = l.dropped(&at("type_fetched"), fetched);
        let x_t = l.g.add(x_t, fetched);
        (x_t, x_t)
    } else {
        (x_t, t)
    };

    // x_D ← x_D + σ(W_write c + b) ⊙ O_D concat_h(A_h (V_D LN_D(x_D))_h)
    let norm_data = l.norm_params(&at("norm_data"), s.data);
    let d = l.norm_with(norm_data, x_d);
    let v = l.linear_from(start.start_values, &at("data_value"), d, width, s.strat_biases);
    let fetched = s.along(l, routes, v);
    let fetched = l.linear_from(start.start_values, &at("data_out"), fetched, s.data, s.strat_biases);
    l.g.name(at("data_fetched"), fetched);
    let write = l.linear_from(start.start_gates, &at("write_gate"), control, s.data, true);
    let write = l.g.sigmoid(write);
    l.g.name(at("write_gate"), write);
    let update = l.g.mul(write, fetched);
    l.g.name(at("written"), update);
    let update = l.dropped(&at("written"), update);
    let x_d = l.g.add(x_d, update);

    // h = σ(W_gate c + b) ⊙ GELU(W_value LN_D(x_D)),  h = GELU(W_2 h + b_2) if there are two
    let d = l.norm_with(norm_data, x_d);
    let gate = l.linear_from(start.start_gates, &at("glu_gate"), control, s.hidden[0], true);
    let gate = l.g.sigmoid(gate);
    l.g.name(at("glu_gate"), gate);
    let value = l.linear_from(start.start_hidden, &at("glu_value"), d, s.hidden[0], false);
    let value = l.g.gelu(value);
    let mut h = l.g.mul(gate, value);
    if let Some(second) = s.hidden().nth(1) {
        h = l.linear_from(start.start_hidden, &at("glu_hidden"), h, second, true);
        h = l.g.gelu(h);
    }

    // x_D ← x_D + W_out h
    let update = l.linear_from(start.start_hidden, &at("glu_out"), h, s.data, false);
    l.g.name(at("computed"), update);
    let update = l.dropped(&at("computed"), update);
    (x_t, l.g.add(x_d, update))
}

/// The block of the SAT tasks: STRAT-Lite's attention on Type, no LayerNorm, and Data that
/// stays in its place.
fn resting_block(s: &BlockConfig, l: &mut Layers, name: &str, x_t: Node, x_d: Node) -> (Node, Node) {
    let at = |part: &str| format!("{name}.{part}");
    let start = s.options;
    // x_T ← x_T + A V x_T
    let q = l.linear_from(start.start_routes, &at("query"), x_t, s.types, s.strat_biases);
    let k = l.linear_from(start.start_routes, &at("key"), x_t, s.types, s.strat_biases);
    let v = l.linear_from(start.start_values, &at("type_value"), x_t, s.types, s.strat_biases);
    let routes = s.routes(l, name, q, k);
    l.g.name(at("routes"), routes);
    let fetched = s.along(l, routes, v);
    l.g.name(at("type_fetched"), fetched);
    let fetched = l.dropped(&at("type_fetched"), fetched);
    let x_t = l.g.add(x_t, fetched);

    // x_D ← x_D + σ(W_gate x_T + b) ⊙ W_out GELU(W_value x_D)
    let gate = l.linear_from(start.start_gates, &at("gate"), x_t, s.data, true);
    let gate = l.g.sigmoid(gate);
    l.g.name(at("glu_gate"), gate);
    let h = l.linear_from(start.start_hidden, &at("glu_value"), x_d, s.hidden[0], false);
    let h = l.g.gelu(h);
    let update = l.linear_from(start.start_hidden, &at("glu_out"), h, s.data, false);
    let update = l.g.mul(gate, update);
    l.g.name(at("computed"), update);
    let update = l.dropped(&at("computed"), update);
    (x_t, l.g.add(x_d, update))
}
