//! One test per operation.

use super::*;
use strat_engine::graph::{Op, Rows, Term};

pub fn case(name: &'static str, build: impl FnOnce(&mut Graph) -> Node) {
    let mut g = Graph::new();
    let x = build(&mut g);
    Case::new(name, g, x).check_all();
}

/// Kinds of five tokens: even ones of kind 0, odd ones of kind 1 or 2.
fn kinds(g: &mut Graph) -> Node {
    let index = g.input("kind", 5, 1);
    g.one_hot(index, 3, [(0, 1), (1, 3), (0, 1), (1, 3), (0, 1)])
}

#[test]
fn linear() {
    // Sizes on both sides of the 4 × 4 register tile.
    for (rows, ins, outs) in [(1, 1, 1), (5, 3, 2), (4, 4, 4), (7, 5, 9)] {
        case("linear", |g| {
            let (x, w) = (leaf(g, "x", rows, ins), g.param("w", outs, ins));
            g.linear(x, w)
        });
    }
    case("linear of weights", |g| {
        let (x, w) = (g.param("x", 3, 4), g.param("w", 2, 4));
        let y = g.linear(x, w);
        let by_example = g.input("z", 3, 2);
        g.add(y, by_example)
    });
}

/// A table beyond the first-level cache, frozen but for one corner that finite differences
/// can try, used by several operations.
#[test]
fn linear_with_a_large_table() {
    let (outs, ins) = (46, 45);
    let mut g = Graph::new();
    let fixed: Vec<f64> = (0..outs * ins).map(|i| (0.37 * i as f64).sin() * 0.2).collect();
    let (left, right) = (g.param("left", outs, 1), g.param("right", ins, 1));
    let (fixed, learned) = (g.constant(outs, ins, &fixed), g.linear(left, right));
    let w = g.add(learned, fixed);
    let (x, bias) = (leaf(&mut g, "x", 1, ins), g.param("bias", 1, outs));
    let y = g.linear(x, w);
    let y = g.add(y, bias);
    let y = g.sigmoid(y);
    let again = g.columns(y, 0, ins);
    let again = g.linear(again, w);
    let y = g.add(again, y);
    Case::new("large linear", g, y).check_all();
}

#[test]
fn add_and_broadcast() {
    case("add", |g| {
        let (a, b) = (leaf(g, "a", 3, 2), leaf(g, "b", 3, 2));
        g.add(a, b)
    });
    for cols in [2, 6] {
        case("add a row", |g| {
            let (a, b) = (leaf(g, "a", 3, cols), g.param("b", 1, cols));
            g.add(a, b)
        });
    }
}

/// A row that differs by example, for each row; of products too, which are not fused then.
#[test]
fn add_a_row_of_each_example() {
    case("add a row by example", |g| {
        let (a, b) = (leaf(g, "a", 3, 2), leaf(g, "b", 1, 2));
        g.add(a, b)
    });
    case("add a product of one row", |g| {
        let (x, row, w) = (leaf(g, "x", 3, 2), leaf(g, "row", 1, 2), g.param("w", 4, 2));
        let (a, b) = (g.linear(x, w), g.linear(row, w));
        g.add(a, b)
    });
}

#[test]
fn mul() {
    case("mul", |g| {
        let (a, b) = (leaf(g, "a", 3, 2), leaf(g, "b", 3, 2));
        g.mul(a, b)
    });
    case("mul by a table", |g| {
        let (a, b) = (leaf(g, "a", 3, 2), g.param("b", 3, 2));
        g.mul(a, b)
    });
}

#[test]
fn mul_by_a_row() {
    case("mul by a row", |g| {
        let (a, b) = (leaf(g, "a", 3, 5), g.param("b", 1, 5));
        g.mul(a, b)
    });
}

#[test]
fn layer_norm() {
    for cols in [3, 6, 9] {
        case("layer_norm", |g| {
            let x = leaf(g, "x", 3, cols);
            g.layer_norm(x)
        });
    }
}

#[test]
fn scale() {
    case("scale", |g| {
        let x = leaf(g, "x", 3, 2);
        g.scale(x, -1.7)
    });
}

#[test]
fn sigmoid() {
    case("sigmoid", |g| {
        let x = leaf(g, "x", 3, 5);
        let x = g.scale(x, 6.0);
        g.sigmoid(x)
    });
}

#[test]
fn gelu() {
    case("gelu", |g| {
        let x = leaf(g, "x", 3, 5);
        let x = g.scale(x, 4.0);
        g.gelu(x)
    });
}

#[test]
fn add_offsets() {
    case("add_offsets", |g| {
        let (x, table) = (leaf(g, "x", 3, 8), g.param("table", 2, 5));
        g.add_offsets(x, table, &[0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 0])
    });
}

#[test]
fn cross_entropy() {
    case("cross_entropy", |g| {
        let (x, weight) = (leaf(g, "x", 5, 3), g.input("weight", 5, 1));
        let x = g.scale(x, 3.0);
        let share = kinds(g);
        g.cross_entropy(x, share, weight)
    });
    case("binary_cross_entropy", |g| {
        let (x, target, weight) = (leaf(g, "x", 3, 1), g.input("y", 3, 1), g.input("weight", 3, 1));
        let x = g.scale(x, 3.0);
        g.binary_cross_entropy(x, target, weight)
    });
}

/// Logits far beyond what `exp` can represent.
#[test]
fn losses_of_large_logits_are_finite() {
    for isa in Isa::all_available() {
        for size in [1e4f32, -1e4] {
            let mut g = Graph::new();
            let (x, z) = (g.param("x", 1, 2), g.input("z", 1, 2));
            let x = g.add(x, z);
            let (target, weight) = (g.constant(1, 2, &[1.0, 0.0]), g.constant(1, 1, &[1.0]));
            let many = g.cross_entropy(x, target, weight);
            let (first, one) = (g.columns(x, 0, 1), g.constant(1, 1, &[1.0]));
            let two = g.binary_cross_entropy(first, one, weight);
            let loss = g.add(many, two);
            let source =
                CompileSpec { graph: &g, output: loss, loss, batch: 1, frozen: &[], lanes: Lanes::Learners };
            let mut m = compile::<f32>(source, isa).unwrap();
            m.set_param(0, "x", &[size, 0.0]);
            m.set_input(0, "z", &[0.0; 2]).unwrap();
            m.load();
            m.gradients();
            let want = if size > 0.0 { (0.0, 0.0) } else { (2e4, -2.0) };
            assert!((m.loss(0) - want.0).abs() < 1e-2, "{isa} {size}: {}", m.loss(0));
            assert!((m.gradient(0, "x")[0] - want.1).abs() < 1e-6, "{isa} {size}");
        }
    }
}

#[test]
fn scores() {
    for heads in [1, 2] {
        case("scores", |g| {
            let (q, k) = (leaf(g, "q", 5, 4), leaf(g, "k", 6, 4));
            g.scores(q, k, heads)
        });
    }
}

#[test]
fn attention() {
    for (tokens, heads) in [(5, 1), (9, 2)] {
        case("attention", |g| {
            let (q, k, v) = (leaf(g, "q", tokens, 4), leaf(g, "k", tokens, 4), leaf(g, "v", tokens, 6));
            let routes = g.routes(q, k, heads, 0.5, Bias::alibi_causal(tokens, 1.0));
            g.mix(routes, v, heads)
        });
    }
}

#[test]
fn gather() {
    case("gather", |g| {
        let (one_hot, table) = (kinds(g), g.param("table", 3, 4));
        g.gather(one_hot, table)
    });
}

#[test]
fn sum_rows() {
    case("sum_rows", |g| {
        let (x, weight) = (leaf(g, "x", 5, 6), g.input("weight", 5, 1));
        g.sum_rows(x, weight)
    });
}

#[test]
fn concat_and_columns() {
    case("concat", |g| {
        let (a, b, c) = (leaf(g, "a", 3, 2), leaf(g, "b", 3, 1), leaf(g, "c", 3, 3));
        g.concat(&[a, b, c])
    });
    case("columns", |g| {
        let x = leaf(g, "x", 3, 5);
        g.columns(x, 1, 3)
    });
}

#[test]
fn take_and_place() {
    case("take", |g| {
        let x = leaf(g, "x", 5, 2);
        g.take(x, Rows::every(2, 1, 5))
    });
    case("place", |g| {
        let x = leaf(g, "x", 3, 2);
        g.place(x, Rows::every(2, 0, 5), 5)
    });
}

#[test]
fn normalized_exponentials() {
    for heads in [1, 2] {
        case("exp_rows and normalize", |g| {
            let x = leaf(g, "x", 3, 4 * heads);
            let e = g.push(Op::ExpRows { x, heads }, 3, 4 * heads);
            // A mass is positive: squares of an input.
            let m = g.input("mass", 3, 4);
            let mass = g.mul(m, m);
            g.push(Op::Normalize { x: e, mass, heads }, 3, 4 * heads)
        });
    }
}

#[test]
fn mass_of_kinds() {
    case("mass", |g| {
        let one_hot = kinds(g);
        let mass = g.push(Op::Mass { one_hot, bias: Bias::alibi_causal(5, 0.5) }, 5, 3);
        let p = g.param("p", 5, 3);
        g.mul(mass, p)
    });
}

#[test]
fn split_heads() {
    case("split_heads", |g| {
        let x = g.param("x", 3, 4);
        let y = g.push(Op::SplitHeads { x, heads: 2 }, 6, 4);
        let by_example = g.input("z", 6, 4);
        g.mul(y, by_example)
    });
}

#[test]
fn affine() {
    for sigmoid in [false, true] {
        case("affine", |g| {
            let (x, y) = (leaf(g, "x", 3, 5), leaf(g, "y", 7, 2));
            let (w, table, bias) = (g.param("w", 6, 5), g.param("table", 2, 6), g.param("bias", 1, 6));
            let rows = Some(Rows::every(2, 1, 7));
            let terms = vec![
                Term { a: x, rows: None, table: w, by_rows: true },
                Term { a: y, rows, table, by_rows: false },
            ];
            g.push(Op::Affine { terms, bias: Some(bias), sigmoid }, 3, 6)
        });
    }
    case("affine without bias", |g| {
        let (x, w) = (leaf(g, "x", 3, 5), g.param("w", 2, 5));
        let terms = vec![Term { a: x, rows: None, table: w, by_rows: true }];
        g.push(Op::Affine { terms, bias: None, sigmoid: false }, 3, 2)
    });
}

#[test]
fn kind_routes() {
    for heads in [1, 2] {
        case("kind_routes", |g| {
            let one_hot = kinds(g);
            let Op::OneHot { reach, .. } = g.entries()[one_hot.index()].op.clone() else { unreachable!() };
            let mass = g.push(Op::Mass { one_hot, bias: Bias::alibi_causal(5, 0.5) }, 5, 3);
            let s = g.param("s", 3, 3 * heads);
            let e = g.push(Op::ExpRows { x: s, heads }, 3, 3 * heads);
            g.push(Op::KindRoutes { one_hot, e, mass, heads, reach }, 5, 3 * heads)
        });
    }
}

#[test]
fn tanh_exp_and_log() {
    case("tanh", |g| {
        let x = leaf(g, "x", 3, 5);
        let x = g.scale(x, 2.0);
        g.tanh(x)
    });
    case("exp", |g| {
        let x = leaf(g, "x", 3, 5);
        g.exp(x)
    });
    // Away from zero, where finite differences cannot follow: see the next test.
    for sign in [1.0, -1.0] {
        case("log_abs", |g| {
            let (x, far) = (leaf(g, "x", 3, 5), g.constant(1, 5, &[3.0 * sign; 5]));
            let x = g.add(x, far);
            g.log_abs(x)
        });
    }
}

#[test]
fn the_logarithm_of_zero_is_finite_and_flat() {
    let mut g = Graph::new();
    let (x, z) = (g.param("x", 1, 1), g.input("z", 1, 1));
    let x = g.mul(x, z);
    let y = g.log_abs(x);
    let case = Case::new("log of zero", g, y);
    for isa in Isa::all_available() {
        let mut m = compile_as_written::<f64>(case.source(), isa).unwrap();
        m.set_param(0, "x", &[0.0]);
        m.set_input(0, "z", &[1.0; BATCH]).unwrap();
        m.load();
        m.gradients();
        let weights = (1.3f64).sin() * (0.7f64).sin();
        assert!((m.output(0)[0] - weights * (1e-7f64).ln()).abs() < 1e-9, "{isa}");
        assert_eq!(m.gradient(0, "x"), [0.0], "{isa}");
    }
}

#[test]
fn select() {
    case("select", |g| {
        let (a, b) = (leaf(g, "a", 5, 3), leaf(g, "b", 5, 3));
        let kinds = kinds(g);
        let mask = g.columns(kinds, 1, 1);
        g.select(mask, a, b)
    });
}

/// What is not chosen may be anything, even infinite.
#[test]
fn select_hides_what_it_does_not_choose() {
    let mut g = Graph::new();
    let (a, b, mask) = (g.param("a", 1, 1), g.input("b", 1, 1), g.input("mask", 1, 1));
    let y = g.select(mask, a, b);
    let case = Case::new("select", g, y);
    for isa in Isa::all_available() {
        let mut m = compile_as_written::<f32>(case.source(), isa).unwrap();
        m.set_param(0, "a", &[0.5]);
        m.set_input(0, "b", &[f32::NAN; BATCH]).unwrap();
        m.set_input(0, "mask", &[1.0; BATCH]).unwrap();
        m.load();
        m.gradients();
        assert!(m.output(0)[0].is_finite() && m.gradient(0, "a")[0].is_finite(), "{isa}");
    }
}

#[test]
fn lstm_cell() {
    for (rows, width) in [(1, 3), (2, 5)] {
        case("lstm_cell", |g| {
            let (gates, state) = (leaf(g, "gates", rows, 4 * width), leaf(g, "state", rows, 2 * width));
            g.lstm_cell(gates, state)
        });
    }
    case("lstm_cell from nothing", |g| {
        let (gates, state) = (leaf(g, "gates", 1, 12), g.zeros(1, 6));
        g.lstm_cell(gates, state)
    });
}

/// Padding sees nothing and routes nothing, without a NaN.
#[test]
fn rows_without_mass_are_zero() {
    let mut g = Graph::new();
    let (x, mass) = (g.param("x", 1, 3), g.input("mass", 1, 3));
    let e = g.push(Op::ExpRows { x, heads: 1 }, 1, 3);
    let y = g.push(Op::Normalize { x: e, mass, heads: 1 }, 1, 3);
    let case = Case::new("no mass", g, y);
    let mut m = compile_as_written::<f32>(case.source(), Isa::Portable).unwrap();
    m.set_param(0, "x", &[0.1, 0.2, 0.3]);
    m.load();
    m.gradients();
    assert_eq!(m.output(0), [0.0; BATCH]);
    assert_eq!(m.gradient(0, "x"), [0.0; 3]);
}
