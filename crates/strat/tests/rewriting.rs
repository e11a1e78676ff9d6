//! What the engine's rules make of the models: cheaper to compute, and the same.

#[path = "../../strat-engine/tests/common/mod.rs"]
mod common;

use common::{BATCH, Case, names};
use strat::engine::graph::{self, Op};
use strat::engine::internals::simplify;
use strat::engine::reference::evaluate;
use strat::engine::{Isa, compile, compile_as_written, optimized};
use strat::model::{Lite, Model, Types, Unityped};

/// Tokens of a sum of three terms, and of six.
const SHORT: usize = 5;
const LONG: usize = 11;

fn models() -> Vec<(&'static str, Lite)> {
    let lite = |width, heads, types| Lite { width, heads, types };
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
    for model in Unityped::LEARNED {
        let built = model.build(SHORT);
        let case = Case { name: "Table 2".into(), graph: built.graph, output: built.output, loss: built.loss };
        // In f32 gains of 50 and 100, and A_s's output of 5,000 times its prediction, leave
        // too few digits to compare.
        let rough = matches!(model, Unityped::As | Unityped::Csb | Unityped::Cb | Unityped::Cc);
        for isa in Isa::all_available() {
            case.check(compile_as_written::<f64>(case.source(), isa), BATCH, 1e-8, "f64 as written");
            case.check(compile::<f64>(case.source(), isa), BATCH, 1e-8, "f64 optimized");
            if !rough {
                case.check(compile::<f32>(case.source(), isa), BATCH, 2e-4, "f32 optimized");
            }
        }
    }
}

/// A token of Config A is a row of a table with its value beside it: four numbers, which is all that attention reads.
#[test]
fn unityped_attention_is_between_numbers_of_the_batch() {
    for model in Unityped::LEARNED {
        let built = model.build(LONG);
        let (g, _) = optimized(&built.graph, &[built.output, built.loss]);
        // Of all others a LayerNorm comes first.
        let is_narrow = model != Unityped::Aln;
        let (mut scores, mut fetched) = (0, 0);
        for e in g.entries() {
            let read = match &e.op {
                Op::Scores { k, .. } => (&mut scores, *k),
                Op::Mix { a, x, .. } if matches!(g.entries()[a.index()].op, Op::Softmax { .. }) => {
                    (&mut fetched, *x)
                }
                _ => continue,
            };
            *read.0 += 1;
            let read = &g.entries()[read.1.index()];
            let is_of_batch = read.varies == graph::Varies::ByBatch;
            assert_eq!((is_of_batch, read.cols), if is_narrow { (true, 4) } else { (false, 6) }, "{model:?}\n{g}");
        }
        assert_eq!([scores, fetched], [1, 1], "{model:?}\n{g}");
    }
}

/// Values, and gradients by finite differences, of every model: as written, optimized,
/// `f32` and `f64`, on every instruction set.
#[test]
fn models_compute_the_same_as_written_and_optimized() {
    for (name, model) in models() {
        let built = model.build(SHORT);
        Case { name: name.into(), graph: built.graph, output: built.output, loss: built.loss }.check_all();
    }
}

#[test]
fn lite_becomes_tables_of_kinds() {
    for (name, model) in models() {
        let built = model.build(LONG);
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

/// Far apart scores: the kind with the largest is out of sight of some tokens.
#[test]
fn attention_between_kinds_is_exact_for_scores_far_apart() {
    let built = Lite { width: 2, heads: 1, types: Types::Latent }.build(SHORT);
    let case = Case { name: "far apart".into(), graph: built.graph, output: built.output, loss: built.loss };
    let (mut params, batch) = case.draw(0, BATCH);
    // Scores up to about ±50 between kinds.
    params.insert("embed".into(), vec![-3.0, 1.0, 4.0, 2.0, 5.0, -4.0]);
    params.insert("query.weight".into(), vec![1.5, 0.0, 0.0, 1.5]);
    params.insert("key.weight".into(), vec![1.0, 0.2, -0.3, 1.0]);
    for isa in Isa::all_available() {
        let mut m = compile::<f32>(case.source(), isa).unwrap();
        case.set(&mut *m, 0, &params, &batch);
        m.load();
        m.forward();
        for (got, x) in m.output(0).iter().zip(&batch) {
            let want = evaluate(&case.graph, &params, x)[case.output.index()][0];
            assert!((f64::from(*got) - want).abs() < 1e-4 * (1.0 + want.abs()), "{isa}: {got} for {want}");
        }
    }
}

/// A table of categories: tokens of few kinds, of which the first is always the same. All but what is done to that token
/// is done to kinds.
#[test]
fn blocks_on_tables_become_tables_of_kinds() {
    use strat::model::{Architecture, BlockConfig, BlockModel, Kinds};
    let wave = |n: usize, f: f64| (0..n).map(|i| (f * (i + 1) as f64).sin()).collect::<Vec<f64>>();
    let of = vec![(0, 1), (1, 3), (0, 1), (1, 3)];
    let kinds = Kinds { of, types: wave(3 * 4, 1.7), data: wave(3 * 3, 0.9) };
    let sizes = BlockConfig {
        types: 4,
        data: 3,
        stream: 8,
        heads: 2,
        hidden: [5, 3],
        route: Some(4),
        ..BlockConfig::TABULAR
    };
    for (architecture, name) in Architecture::ALL.into_iter().zip(["STRAT", "Transformer"]) {
        let built = BlockModel { architecture, sizes }.build_of_kinds(&kinds);
        let (graph, roots) = simplify(&built.graph, &[built.output]);
        let many = |e: &&graph::Entry| e.varies == graph::Varies::ByExample && e.rows > 1;
        let left: Vec<_> = graph.entries().iter().filter(many).collect();
        assert!(left.is_empty(), "{name}: {left:?} is computed for every token\n{graph}");
        Case::new(name, graph, roots[0]).check_all();

        // As written, and for two layers, of which the second looks at all tokens.
        let two = BlockModel { architecture, sizes: BlockConfig { layers: 2, ..sizes } }.build_of_kinds(&kinds);
        let output = two.output;
        let (graph, roots) = simplify(&two.graph, &[output]);
        Case::new(name, graph, roots[0]).check_all();
    }
}
