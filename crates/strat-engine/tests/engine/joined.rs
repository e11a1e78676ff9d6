//! Steps that are more than one operation, and do not keep what is between them.

use super::operations::case;
use super::*;
use strat_engine::graph::Op;

/// Attention within a window; the routes are read once more if they are to be `kept`.
fn windowed(g: &mut Graph, [tokens, window]: [usize; 2], scale: f64, kept: bool) -> Node {
    let [q, k, v] = [("q", 3), ("k", 3), ("v", 5)].map(|(name, cols)| leaf(g, name, tokens, cols));
    let s = g.window_scores(q, k, window);
    let s = if scale == 1.0 { s } else { g.scale(s, scale) };
    let routes = g.softmax(s, 1, Bias::alibi_window(tokens, 1.0, window));
    let y = g.window_mix(routes, v);
    if kept { g.concat(&[y, routes]) } else { y }
}

/// Windows on both sides of the block of four rows, up to all tokens; and of the larger blocks of attention in one step.
#[test]
fn window() {
    for window in [1, 2, 3, 4, 7, 9] {
        case("window", |g| windowed(g, [9, window], 1.0, true));
    }
    for (tokens, window, scale) in [(1, 1, 1.0), (9, 4, 0.6), (19, 7, -0.6), (19, 8, 1.0), (27, 25, 0.6)] {
        let mut g = Graph::new();
        let y = windowed(&mut g, [tokens, window], scale, false);
        let case = Case::new("window in one step", g, y);
        case.check_all();
        let (fused, _) = optimized(&case.graph, &[case.output, case.loss]);
        assert!(names(&fused).iter().any(|n| n == "WindowAttend"), "{fused}");
    }
}

/// What is written to at once must not be the same.
#[test]
fn windowed_attention_to_oneself() {
    case("window of one matrix", |g| {
        let x = leaf(g, "x", 9, 3);
        let s = g.window_scores(x, x, 4);
        let routes = g.softmax(s, 1, Bias::alibi_window(9, 1.0, 4));
        g.window_mix(routes, x)
    });
}

/// Rows on both sides of a block, with and without biases.
#[test]
fn ffn() {
    for (rows, [ins, hidden, outs], biases) in
        [(3, [2, 5, 3], [false, false]), (9, [3, 4, 2], [true, true]), (17, [5, 9, 1], [true, false])]
    {
        case("ffn", |g| {
            let x = leaf(g, "x", rows, ins);
            let w = [g.param("w0", hidden, ins), g.param("w1", outs, hidden)];
            let bias = [(biases[0], hidden, "b0"), (biases[1], outs, "b1")];
            let bias = bias.map(|(has, width, name)| has.then(|| g.param(name, 1, width)));
            g.push(Op::Ffn { x, w, bias }, rows, outs)
        });
    }
}

/// Only where it is long enough is what is between two maps computed twice.
#[test]
fn long_maps_are_joined() {
    for (rows, joined) in [(600, true), (100, false)] {
        for biases in [false, true] {
            let mut g = Graph::new();
            let x = leaf(&mut g, "x", rows, 1);
            let (w0, w1) = (g.param("w0", 7, 1), g.param("w1", 2, 7));
            let mut h = g.linear(x, w0);
            if biases {
                let b = g.param("b0", 1, 7);
                h = g.add(h, b);
            }
            let h = g.gelu(h);
            let mut y = g.linear(h, w1);
            if biases {
                let b = g.param("b1", 1, 2);
                y = g.add(y, b);
            }
            let (fused, _) = optimized(&g, &[y]);
            assert_eq!(names(&fused).iter().any(|n| n == "Ffn"), joined, "{fused}");
            assert_eq!(names(&fused).iter().any(|n| n == "Gelu"), !joined, "{fused}");
        }
    }
}

/// A LayerNorm with its scale and shift is one step if it has more columns than a few.
#[test]
fn scaled_norm() {
    for (cols, joined) in [(4, false), (6, true), (9, true)] {
        let mut g = Graph::new();
        let (x, scale, shift) = (leaf(&mut g, "x", 3, cols), g.param("scale", 1, cols), g.param("shift", 1, cols));
        let y = g.layer_norm(x);
        let y = g.mul(y, scale);
        let y = g.add(y, shift);
        let case = Case::new("scaled norm", g, y);
        case.check_all();
        let (fused, _) = optimized(&case.graph, &[case.output, case.loss]);
        assert_eq!(names(&fused).iter().any(|n| n == "ScaledNorm"), joined, "{fused}");
    }
}
