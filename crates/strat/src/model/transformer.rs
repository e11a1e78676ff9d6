//! The Transformer baseline (App. D): pre-LN blocks on one stream that holds Type and Data
//! side by side, with the same depth, heads and hidden widths as STRAT.

use super::block::BlockConfig;
use super::layers::Layers;
use crate::engine::Node;

/// All blocks on `[tokens, types]` and `[tokens, data]`; what the head reads of the stream.
pub(super) fn blocks(s: &BlockConfig, l: &mut Layers, x_t: Node, x_d: Node) -> Node {
    let tokens = l.g.shape(x_t)[0];
    let mut x = match s.stream - s.types - s.data {
        0 => l.g.concat(&[x_t, x_d]),
        spare => {
            let zeros = l.g.zeros(tokens, spare);
            l.g.concat(&[x_t, x_d, zeros])
        }
    };
    for b in 0..s.layers {
        let name = format!("block.{b}");
        l.g.name(format!("{name}.stream"), x);
        x = block(s, l, &name, x);
    }
    l.g.name("stream", x);
    l.norm("norm", x)
}

fn block(s: &BlockConfig, l: &mut Layers, name: &str, x: Node) -> Node {
    let at = |part: &str| format!("{name}.{part}");
    let (biases, start) = (s.transformer_biases, s.options);
    // x ← x + O concat_h(A_h (V t)_h) with t = LN₁(x), A_h = softmax(Q_h t · K_h t / √(W/H) + bias_h)
    let t = l.norm(&at("norm1"), x);
    let q = l.linear_from(start.start_routes, &at("query"), t, s.stream, biases);
    let k = l.linear_from(start.start_routes, &at("key"), t, s.stream, biases);
    let v = l.linear_from(start.start_values, &at("value"), t, s.stream, biases);
    let routes = s.routes(l, name, q, k);
    l.g.name(at("routes"), routes);
    let fetched = s.along(l, routes, v);
    let update = l.linear_from(start.start_values, &at("out"), fetched, s.stream, biases);
    l.g.name(at("fetched"), update);
    let update = l.dropped(&at("fetched"), update);
    let x = l.g.add(x, update);

    // x ← x + FFN(LN₂(x)), GELU after every layer but the last
    let mut h = l.norm(&at("norm2"), x);
    let widths: Vec<usize> = s.hidden().collect();
    for (i, &width) in widths.iter().enumerate() {
        h = l.linear_from(start.start_hidden, &at(&format!("ffn.{i}")), h, width, true);
        h = l.g.gelu(h);
    }
    let update = l.linear_from(start.start_hidden, &at(&format!("ffn.{}", widths.len())), h, s.stream, true);
    l.g.name(at("computed"), update);
    let update = l.dropped(&at("computed"), update);
    l.g.add(x, update)
}
