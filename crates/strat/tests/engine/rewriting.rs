//! The rules change how a graph is computed, never what.

use super::*;
use strat::engine::graph::{Op, Rows};
use strat::model::{Arithmetic, Config, Lite, Types};

fn models() -> Vec<(&'static str, Arithmetic)> {
    let lite = |width, heads, types| Arithmetic::Lite(Lite { width, heads, types });
    vec![
        ("2D", lite(2, 1, Types::Latent)),
        ("2D, two heads", lite(2, 2, Types::Latent)),
        ("3D", lite(3, 1, Types::Latent)),
        ("4D", lite(4, 1, Types::Latent)),
        ("4D, fixed types", lite(4, 1, Types::Fixed)),
        ("4D, two heads", lite(4, 2, Types::Latent)),
    ]
}

/// Every configuration of Table 2: frozen parts, gains, penalties, LayerNorm.
#[test]
fn unityped_models_compute_the_same_as_written_and_optimized() {
    for config in Config::LEARNED {
        let built = Arithmetic::Unityped(config).build(3);
        let case = Case { name: "Table 2", graph: built.graph, output: built.output, loss: built.loss };
        // In f32 gains of 50 and 100, and A_s's output of 5,000 times its prediction, leave
        // too few digits to compare.
        let rough = matches!(config, Config::As | Config::Csb | Config::Cb | Config::Cc);
        for isa in Isa::all_available() {
            case.check(compile_as_written::<f64>(case.source(), isa), 1e-8, "f64 as written");
            case.check(compile::<f64>(case.source(), isa), 1e-8, "f64 optimized");
            if !rough {
                case.check(compile::<f32>(case.source(), isa), 2e-4, "f32 optimized");
            }
        }
    }
}

fn names(g: &Graph) -> Vec<String> {
    let name = |op: &Op| format!("{op:?}").split([' ', '{']).next().unwrap().to_string();
    g.entries().iter().map(|e| name(&e.op)).collect()
}

/// Values, and gradients by finite differences, of every model: as written, optimized,
/// `f32` and `f64`, on every instruction set.
#[test]
fn models_compute_the_same_as_written_and_optimized() {
    for (name, model) in models() {
        let built = model.build(3);
        Case { name, graph: built.graph, output: built.output, loss: built.loss }.check_all();
    }
}

#[test]
fn lite_becomes_tables_of_kinds() {
    for (name, model) in models() {
        let built = model.build(6);
        let (g, _) = optimized(&built.graph, &[built.output, built.loss]);
        let names = names(&g);
        for gone in ["Softmax", "Scale(", "Sigmoid", "Take", "Place", "Concat"] {
            let left =
                g.entries().iter().zip(&names).filter(|(e, n)| *n == gone && e.varies == graph::Varies::ByExample);
            assert_eq!(left.count(), 0, "{name}: {gone} is still computed per example\n{g}");
        }
        // Only the six literals have gates; queries, keys and values exist once per kind.
        let gate = g.entries().iter().find(|e| matches!(e.op, Op::Affine { sigmoid: true, .. })).expect("a gate");
        assert_eq!([gate.rows, gate.cols], [6, 2], "{name}");
        let linear = g.entries().iter().filter(|e| matches!(e.op, Op::Linear { .. }));
        assert!(linear.filter(|e| e.varies == graph::Varies::ByExample).count() == 0, "{name}\n{g}");
        assert!(names.iter().any(|n| n == "KindRoutes"), "{name}\n{g}");
    }
}

#[test]
fn equal_operations_are_shared_and_unused_ones_dropped() {
    let mut g = Graph::new();
    let x = leaf(&mut g, "x", 2, 2);
    let (a, b) = (g.sigmoid(x), g.sigmoid(x));
    assert_eq!(a, b);
    let _unused = g.scale(x, 3.0);
    let before = g.entries().len();
    let (after, _) = rules::simplify(&g, &[a]);
    assert_eq!(after.entries().len(), before - 1);
}

#[test]
fn products_with_zero_vanish() {
    let mut g = Graph::new();
    let x = leaf(&mut g, "x", 3, 2);
    let zero = g.zeros(3, 1);
    let w = g.param("w", 2, 3);
    let both = g.concat(&[x, zero]);
    let y = g.linear(both, w);
    let case = Case::new("zero columns", g, y);
    case.check_all();
    let (g, _) = rules::simplify(&case.graph, &[case.output]);
    assert!(!names(&g).iter().any(|n| n == "Concat"), "{g}");
}

/// Far apart scores: the kind with the largest is out of sight of some tokens.
#[test]
fn attention_between_kinds_is_exact_for_scores_far_apart() {
    let model = Arithmetic::Lite(Lite { width: 2, heads: 1, types: Types::Latent });
    let built = model.build(3);
    let case = Case { name: "far apart", graph: built.graph, output: built.output, loss: built.loss };
    let (mut params, batch) = case.draw(0);
    // Scores up to about ±50 between kinds.
    params.insert("embed".into(), vec![-3.0, 1.0, 4.0, 2.0, 5.0, -4.0]);
    params.insert("query.weight".into(), vec![1.5, 0.0, 0.0, 1.5]);
    params.insert("key.weight".into(), vec![1.0, 0.2, -0.3, 1.0]);
    for isa in Isa::all_available() {
        let mut m = compile::<f32>(case.source(), isa);
        for (name, v) in &params {
            m.set_param(0, name, &v.iter().map(|&x| x as f32).collect::<Vec<_>>());
        }
        for (name, _) in case.leaves(false) {
            let all: Vec<f32> = batch.iter().flat_map(|x| x[&name].clone()).map(|x| x as f32).collect();
            m.set_input(0, &name, &all);
        }
        m.load();
        m.forward();
        for (got, x) in m.output(0).iter().zip(&batch) {
            let want = evaluate(&case.graph, &params, x)[case.output.index()][0];
            assert!((f64::from(*got) - want).abs() < 1e-4 * (1.0 + want.abs()), "{isa}: {got} for {want}");
        }
    }
}

/// Without a memory of what was taken, each of these layers would double the time.
#[test]
fn a_readout_of_one_row_costs_one_row_in_every_layer() {
    let mut g = Graph::new();
    let (z, w) = (g.input("z", 3, 2), g.param("w", 2, 2));
    let mut x = g.linear(z, w);
    for _ in 0..60 {
        let y = g.gelu(x);
        x = g.add(x, y);
    }
    let first = g.take(x, Rows { start: 0, step: 1, count: 1 });
    let (g, _) = rules::simplify(&g, &[first]);
    let rows: Vec<usize> = g.entries().iter().filter(|e| matches!(e.op, Op::Gelu { .. })).map(|e| e.rows).collect();
    assert_eq!(rows, [1; 60]);
}

/// A table of categories: tokens of few kinds, of which the first is always the same. All but what is done to that token
/// is done to kinds.
#[test]
fn blocks_on_tables_become_tables_of_kinds() {
    use strat::model::block::{Sizes, TABULAR};
    use strat::model::{Architecture, Blocks};
    use strat::task::Kinds;
    let wave = |n: usize, f: f64| (0..n).map(|i| (f * (i + 1) as f64).sin()).collect::<Vec<f64>>();
    let of = vec![(0, 1), (1, 3), (0, 1), (1, 3)];
    let kinds = Kinds { of, types: wave(3 * 4, 1.7), data: wave(3 * 3, 0.9) };
    let sizes = Sizes { types: 4, data: 3, stream: 8, heads: 2, hidden: [5, 3], route: Some(4), ..TABULAR };
    for (architecture, name) in Architecture::ALL.into_iter().zip(["STRAT", "Transformer"]) {
        let built = Blocks { architecture, sizes }.build_of_kinds(&kinds);
        let (graph, roots) = rules::simplify(&built.graph, &[built.output]);
        let many = |e: &&graph::Entry| e.varies == graph::Varies::ByExample && e.rows > 1;
        let left: Vec<_> = graph.entries().iter().filter(many).collect();
        assert!(left.is_empty(), "{name}: {left:?} is computed for every token\n{graph}");
        Case::new(name, graph, roots[0]).check_all();

        // As written, and for two layers, of which the second looks at all tokens.
        let two = Blocks { architecture, sizes: Sizes { layers: 2, ..sizes } }.build_of_kinds(&kinds);
        let output = two.output;
        let (graph, roots) = rules::simplify(&two.graph, &[output]);
        Case::new(name, graph, roots[0]).check_all();
    }
}
