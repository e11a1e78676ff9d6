//! Type decides, Data passes: no route and no gate of a STRAT model can see Data.

use strat::certify::Control;
use strat::engine::reference::{Arrays, evaluate};
use strat::engine::{Graph, Node};
use strat::model::{
    Architecture, AttentionMask, BlockConfig, BlockModel, BlockOptions, Lite, Model, ModelRecord, Types, Unityped,
};
use strat::rng::{RandomStream, Stream};
use strat::task::SignedSum;

/// Random cases of every model.
const CASES: u64 = 1000;

/// Unscaled scores, and routes that read Type as it is.
fn sharp() -> BlockOptions {
    BlockOptions { norm_routes: false, ..BlockOptions::SHARP_START }
}

/// Every STRAT model of §7. Few tokens keep the slow reference quick; a torus needs a square.
fn models() -> Vec<(&'static str, BlockConfig, usize)> {
    vec![
        ("tables", BlockConfig::TABULAR, 4),
        ("Parity5", BlockConfig::PARITY5, 3),
        ("Tic-Tac-Toe", BlockConfig::TIC_TAC_TOE, 3),
        ("Life", BlockConfig { mask: AttentionMask::Torus(2), ..BlockConfig::LIFE }, 4),
        ("Sudoku, two layers", BlockConfig { layers: 2, ..BlockConfig::SUDOKU }, 3),
        ("SAT", BlockConfig::SAT, 6),
        ("other options", BlockConfig { options: sharp(), ..BlockConfig::TABULAR }, 4),
    ]
}

fn is_control(name: &str) -> bool {
    name.ends_with("routes") || name.ends_with("gate")
}

/// Routes and gates by name.
fn controls(g: &Graph) -> Vec<(String, Node)> {
    g.names().filter(|(name, _)| is_control(name)).map(|(name, n)| (name.to_string(), n)).collect()
}

/// By structure: there is no path in the graph, whatever the weights.
#[test]
fn no_path_leads_from_data_to_a_route_or_a_gate() {
    let all = models().into_iter().chain([("Sudoku", BlockConfig::SUDOKU, 81), ("Life", BlockConfig::LIFE, 36)]);
    for (name, sizes, tokens) in all {
        let graph = BlockModel { architecture: Architecture::Strat, sizes }.build(tokens).graph;
        let controls = controls(&graph);
        assert!(controls.len() >= 2 * sizes.layers, "{name}: routes and gates of every layer");
        for (control, n) in &controls {
            assert_eq!(graph.inputs_of(*n), ["type"], "{name}: {control}");
        }
        // The answer, of course, depends on both.
        let output = graph.named("output").unwrap();
        assert!(graph.inputs_of(output).contains(&"data"), "{name}");
    }
    for width in [2, 3, 4] {
        let graph = Lite { width, heads: 1, types: Types::Latent }.build(SignedSum::TOKENS).graph;
        let controls = controls(&graph);
        assert_eq!(controls.len(), 2);
        assert!(controls.iter().all(|(_, n)| graph.inputs_of(*n) == ["kind"]));
    }
}

/// The test above can fail: a Transformer's routes see Data.
#[test]
fn a_transformers_routes_see_data() {
    let graph = BlockModel { architecture: Architecture::Transformer, sizes: BlockConfig::TABULAR }.build(4).graph;
    let routes = graph.named("block.0.routes").unwrap();
    assert_eq!(graph.inputs_of(routes), ["data", "type"]);
}

/// What `strat certify` says of a model.
#[test]
fn the_certificate_tells_models_apart() {
    let of = |architecture| Control::all(&BlockModel { architecture, sizes: BlockConfig::TABULAR }.build(4).graph);
    let (strat, transformer) = (of(Architecture::Strat), of(Architecture::Transformer));
    assert!(strat.len() >= 2 && strat.iter().all(|c| !c.sees_data()), "{strat:?}");
    assert!(!transformer.is_empty() && transformer.iter().all(|c| c.sees_data()), "{transformer:?}");
    assert!(Control::words(&strat).starts_with("no path leads from Data"));
    assert!(Control::words(&transformer).starts_with("Data reaches 1 of its 1"));
    assert!(Control::all(&Lite::STANDARD.build(SignedSum::TOKENS).graph).iter().all(|c| !c.sees_data()));
    assert!(Control::all(&Unityped::A.build(SignedSum::TOKENS).graph).iter().all(|c| c.sees_data()));
}

fn random(d: &mut RandomStream, len: usize, size: f64) -> Vec<f64> {
    (0..len).map(|_| (2.0 * d.uniform() - 1.0) * size).collect()
}

/// By number: other Data, up to a million times as large, the same routes and gates bit for bit.
#[test]
fn changing_data_changes_no_route_and_no_gate() {
    for (name, sizes, tokens) in models() {
        let model = BlockModel { architecture: Architecture::Strat, sizes };
        let graph = model.build(tokens).graph;
        let controls = controls(&graph);
        let params = ModelRecord::Blocks(model).params();
        for case in 0..CASES {
            let mut d = RandomStream::new(case, Stream::Init, 0);
            let weights: Arrays =
                params.iter().map(|p| (p.name.to_string(), random(&mut d, p.shape[0] * p.shape[1], 1.0))).collect();
            let mut inputs = Arrays::new();
            for (input, len) in leaves(&graph) {
                inputs.insert(input, random(&mut d, len, 1.0));
            }
            let before = evaluate(&graph, &weights, &inputs);
            let data = inputs.get_mut("data").unwrap();
            let size = 10f64.powi(case as i32 % 7);
            let other = random(&mut d, data.len(), size);
            *data = other;
            let after = evaluate(&graph, &weights, &inputs);
            for (control, n) in &controls {
                assert_eq!(before[n.index()], after[n.index()], "{name}, case {case}: {control}");
            }
            let output = graph.named("output").unwrap().index();
            assert_ne!(before[output], after[output], "{name}, case {case}: Data must matter");
        }
    }
}

/// Names and sizes of a graph's inputs.
fn leaves(graph: &Graph) -> Vec<(String, usize)> {
    ["type", "data", "target", "weight", "share"]
        .into_iter()
        .filter_map(|name| graph.input_size(name).map(|len| (name.to_string(), len)))
        .collect()
}
