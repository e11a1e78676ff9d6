//! Traces: named, shaped arrays of a forward pass, and what patching one of them does.

use std::sync::Arc;
use strat::data::DataFolder;
use strat::engine::Isa;
use strat::engine::reference::Arrays;
use strat::model::{
    Architecture, AttentionMask, BlockConfig, BlockModel, Lite, Model, ModelRecord, Param, Precision, Types, Unit,
    Unityped,
};
use strat::rng::{RandomStream, Stream};
use strat::task::{DataTask, Entry, Example, Sum, SumTask, TextForm};
use strat::trace::{Trace, TraceError};
use strat::train::Predictor;

const LITE: Lite = Lite { width: 4, heads: 1, types: Types::Fixed };

fn sum(text: &str) -> Example {
    SumTask::LOCKING.parse(text).unwrap().example().clone()
}

fn list(text: &str) -> Example {
    SumTask::GROCERY.parse(text).unwrap().example().clone()
}

fn of_sum(model: &dyn Model, weights: &Arrays, sum: &Example) -> Result<Trace, TraceError> {
    Trace::of_example(model, weights, &SumTask::LOCKING, sum)
}

/// Every kind of model of the arithmetic half on a sum or a list.
fn of_arithmetic(seed: u64, values: [u32; 3]) -> Vec<(String, Trace)> {
    let mut models: Vec<ModelRecord> = vec![LITE.into(), Unit::Nac.into(), Unit::Nalu.into()];
    use Unityped::{A, Aln, As, Cg, Csb, Ref};
    models.extend([Ref, A, As, Aln, Cg, Csb].map(ModelRecord::from));
    models.push(Lite { width: 2, heads: 2, types: Types::Latent }.into());
    let mut traces: Vec<(String, Trace)> = vec![];
    for record in models {
        let (model, sum) =
            (record.model().unwrap(), Sum { values: values.to_vec(), minus: vec![false, true, false] });
        traces.push((format!("{record:?}"), of_sum(&*model, &model.init(seed), &sum.example()).unwrap()));
    }
    let lists = Lite { width: 3, heads: 1, types: Types::Items };
    let [a, b, c] = values;
    let list = list(&format!("1:{a} 5:{b} 9:{c}"));
    let trace = Trace::of_example(&lists, &lists.init(seed), &SumTask::GROCERY, &list);
    traces.push(("lists".into(), trace.unwrap()));
    traces
}

/// Both models of §7 in all their forms, with few tokens and random inputs.
fn of_blocks(weights: u64, inputs: u64) -> Vec<(String, Trace)> {
    let forms = [
        ("tables", BlockConfig::TABULAR, 4),
        ("Parity5", BlockConfig::PARITY5, 3),
        ("Life", BlockConfig { mask: AttentionMask::Torus(2), ..BlockConfig::LIFE }, 4),
        ("Sudoku", BlockConfig { layers: 2, ..BlockConfig::SUDOKU }, 3),
        ("SAT", BlockConfig::SAT, 6),
        ("SAT, narrow", BlockConfig { mask: AttentionMask::Causal(3), ..BlockConfig::SAT }, 6),
    ];
    let mut traces = vec![];
    for (name, sizes, tokens) in forms {
        for architecture in Architecture::ALL {
            let model = BlockModel { architecture, sizes };
            let graph = model.build(tokens).graph;
            let mut d = RandomStream::new(inputs, Stream::TestId, 0);
            let mut given = Arrays::new();
            for input in ["type", "data", "target", "weight", "share"] {
                if let Some(len) = graph.input_size(input) {
                    given.insert(input.into(), (0..len).map(|_| 2.0 * d.uniform() - 1.0).collect());
                }
            }
            let trace = Trace::of(graph, Param::initial(&ModelRecord::Blocks(model).params(), weights), given);
            traces.push((format!("{name}, {}", architecture.name()), trace));
        }
    }
    traces
}

fn all(weights: u64, inputs: u64) -> Vec<(String, Trace)> {
    let values = RandomStream::new(inputs, Stream::TestId, 1);
    let values = [0; 3].map(|_| values.clone().below(100) + 1 + inputs as u32);
    of_arithmetic(weights, values).into_iter().chain(of_blocks(weights, inputs)).collect()
}

fn values(trace: &Trace, name: &str) -> Vec<f64> {
    trace.array(name).unwrap().values
}

#[test]
fn an_array_patched_by_itself_changes_nothing() {
    for (model, trace) in all(3, 1) {
        for name in trace.names() {
            let patched = trace.with(name, &values(&trace, name)).unwrap();
            for other in trace.names() {
                assert_eq!(patched.array(other), trace.array(other), "{model}: {other} after {name}");
            }
        }
    }
}

/// The test above can fail: every array matters to the answer, but for what no head or sum reads.
#[test]
fn another_array_changes_the_answer() {
    for (model, trace) in all(3, 1) {
        for name in trace.names() {
            let changed: Vec<f64> = values(&trace, name).iter().map(|x| 0.5 * x + 0.25).collect();
            // Only routes are kept where a token sees no further, and there zeros stay.
            let changed = match trace.with(name, &changed) {
                Err(TraceError::Unseen { .. }) => values(&trace, name).iter().map(|x| 0.5 * x).collect(),
                _ => changed,
            };
            let patched = trace.with(name, &changed).unwrap();
            assert_eq!(values(&patched, name), changed, "{model}: {name}");
            // No head reads the Type that leaves the last block, and A_s adds up what is not yet scaled back.
            // No head reads the Type that leaves the last block, and A_s adds up what is not yet scaled back.
            let unread = match name {
                "type" => !model.starts_with("Lite") && model != "lists",
                "contributions" => model.contains("As"),
                _ => false,
            };
            if !unread {
                assert_ne!(values(&patched, "output"), values(&trace, "output"), "{model}: {name}");
            }
        }
    }
}

/// The paper's separation, by surgery: whatever stands in Data, no route and no gate moves.
#[test]
fn patching_data_moves_no_route_and_no_gate() {
    let is_control = |name: &str| name.ends_with("routes") || name.ends_with("gate");
    let mut patched_at_all = 0;
    for (model, trace) in all(5, 2) {
        for name in trace.names().into_iter().filter(|n| n.ends_with("data") || n.ends_with("written")) {
            if model.starts_with("Unityped") {
                continue;
            }
            let changed: Vec<f64> = values(&trace, name).iter().map(|x| 1e3 * x - 7.0).collect();
            let patched = trace.with(name, &changed).unwrap();
            for control in trace.names().into_iter().filter(|n| is_control(n)) {
                assert_eq!(patched.array(control), trace.array(control), "{model}: {control} after {name}");
            }
            patched_at_all += 1;
        }
    }
    assert!(patched_at_all > 20, "{patched_at_all}");
    // A unityped model's gates do see values.
    let trace = of_sum(&Unityped::A, &Unityped::A.init(5), &sum("12 + 3 - 5")).unwrap();
    let larger: Vec<f64> = values(&trace, "block.0.stream").iter().map(|x| 2.0 * x).collect();
    let patched = trace.with("block.0.stream", &larger).unwrap();
    assert_ne!(patched.array("block.0.gate"), trace.array("block.0.gate"));
}

/// What a block reads decides all that follows: with that of another example, its answer comes out.
#[test]
fn another_examples_streams_transplant_its_answer() {
    for ((model, here), (_, there)) in all(3, 1).into_iter().zip(all(3, 2)) {
        let streams = ["type", "data", "stream"].map(|s| format!("block.0.{s}"));
        let streams: Vec<&str> =
            here.names().into_iter().filter(|n| streams.contains(&n.to_string()) || n.contains("memory")).collect();
        let theirs: Vec<Vec<f64>> = streams.iter().map(|name| values(&there, name)).collect();
        let patches = streams.iter().copied().zip(theirs.iter().map(|v| &v[..]));
        let patched = here.with_all(patches).unwrap();
        // Verdicts weigh tokens by an input of their own; sums' readers are given the number of tokens.
        if !model.starts_with("SAT") {
            assert_ne!(here.array("output"), there.array("output"), "{model}");
            assert_eq!(patched.array("output"), there.array("output"), "{model}");
        }
    }
}

#[test]
fn patches_add_up_and_the_later_array_wins() {
    let here = of_sum(&LITE, &LITE.init(1), &sum("12 + 3 - 5")).unwrap();
    let shut = vec![0.0; 10];
    let patched = here.with("block.0.gate", &shut).unwrap().with("block.0.type", &[0.0; 20]).unwrap();
    assert_eq!(values(&patched, "block.0.gate"), shut);
    assert_eq!(values(&patched, "type"), [0.0; 20]);
    // With its gates shut, Data stays.
    assert_eq!(values(&patched, "data"), values(&here, "block.0.data"));
}

#[test]
fn shapes_are_tokens_widths_and_heads() {
    for (model, trace) in all(3, 1) {
        for name in trace.names() {
            let array = trace.array(name).unwrap();
            assert_eq!(array.shape.iter().product::<usize>(), array.values.len(), "{model}: {name}");
            if name.ends_with("routes") {
                let [_, queries, keys] = array.shape[..] else { panic!("{model}: {:?}", array.shape) };
                assert_eq!(queries, keys);
                for row in array.values.chunks_exact(keys) {
                    assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{model}: {name}");
                }
                // Arithmetic and SAT look back only.
                let is_of_blocks = Architecture::ALL.iter().any(|a| model.ends_with(a.name()));
                if model.starts_with("SAT") || !is_of_blocks {
                    let ahead = |i: usize| i % keys > i / keys % queries;
                    assert!((0..array.values.len()).all(|i| !ahead(i) || array.values[i] == 0.0), "{model}");
                }
            }
        }
    }
    let trace = of_sum(&LITE, &LITE.init(1), &sum("12 + 3 - 5")).unwrap();
    assert_eq!(trace.array("block.0.routes").unwrap().shape, [1, 5, 5]);
    assert_eq!(trace.array("block.0.type").unwrap().shape, [5, 4]);
    let heads = Lite { width: 4, heads: 2, types: Types::Latent };
    let trace = of_sum(&heads, &heads.init(1), &sum("12 + 3 - 5")).unwrap();
    assert_eq!(trace.array("block.0.routes").unwrap().shape, [2, 5, 5]);
}

#[test]
fn tokens_contributions_add_up_to_the_answer() {
    for (model, trace) in of_arithmetic(3, [12, 3, 5]) {
        if trace.names().contains(&"contributions") {
            let (parts, answer) = (values(&trace, "contributions"), values(&trace, "output")[0]);
            assert!((parts.iter().sum::<f64>() - answer).abs() < 1e-9 * answer.abs().max(1.0), "{model}");
        }
    }
}

/// The engine's answers, on every instruction set, in `f32`.
#[test]
fn answers_are_the_engines() {
    let isa = Isa::detect().unwrap();
    let close = |a: f64, b: f64, what: &str| assert!((a - b).abs() < 1e-4 * b.abs().max(1.0), "{what}: {a}, {b}");
    let sums = ["12 + 3 - 5", "7", "4000 - 3000 + 20 - 1 + 2 - 3 - 4 + 5"].map(sum);
    let models: [Arc<dyn Model>; 3] = [Arc::new(LITE), Arc::new(Unityped::Aln), Arc::new(Unit::Nalu)];
    for model in models {
        let (task, weights) = (SumTask::LOCKING, model.init(9));
        let mut predictor = Predictor::with_precision(&task, model.clone(), &weights, isa, Precision::F64);
        for (sum, answer) in sums.iter().zip(predictor.outputs(&sums).unwrap()) {
            close(values(&of_sum(&*model, &weights, sum).unwrap(), "output")[0], answer[0], "sum");
        }
    }
    let (lists, list) = (Lite { width: 4, heads: 1, types: Types::Items }, list("3:45 12:7"));
    let (task, weights) = (SumTask::GROCERY, lists.init(1));
    let trace = Trace::of_example(&lists, &weights, &task, &list).unwrap();
    let mut predictor = Predictor::new(&task, Arc::new(lists), &weights, isa);
    close(values(&trace, "output")[0], predictor.outputs(&[list]).unwrap()[0][0], "list");
    for name in ["tic-tac-toe", "parity5", "satbench"] {
        let task = load(name);
        for architecture in Architecture::ALL {
            let model = Entry::named(name).unwrap().model(architecture);
            let weights = Param::initial(&model.params(), 41);
            for example in &task.bases()[..2] {
                let mut predictor = Predictor::new(&task, Arc::new(model), &weights, isa);
                let logits = predictor.outputs(std::slice::from_ref(example)).unwrap();
                let trace = Trace::of_example(&model, &weights, &task, example).unwrap();
                for (ours, engine) in values(&trace, "output").iter().zip(&logits[0]) {
                    close(*ours, *engine, name);
                }
            }
        }
    }
}

/// With stand-ins for its files.
fn load(name: &str) -> DataTask {
    let nowhere = tempfile::tempdir().unwrap();
    Entry::named(name).unwrap().load(&DataFolder::find(Some(nowhere.path().into())), None).unwrap()
}

#[test]
fn mistakes_are_named() {
    let weights = LITE.init(1);
    let trace = of_sum(&LITE, &weights, &sum("12 + 3 - 5")).unwrap();
    let says = |e: TraceError| e.to_string();
    assert!(says(trace.array("gates").unwrap_err()).contains("block.0.gate, "), "names what there is");
    let size = says(trace.with("block.0.gate", &[1.0]).unwrap_err());
    assert_eq!(size, "block.0.gate: 1 numbers, but its shape is [5, 2]; give 10 row by row");
    let (_, sat) = of_blocks(1, 1).into_iter().find(|(name, _)| name == "SAT, strat").unwrap();
    let unseen = says(sat.with("block.1.routes", &[0.5; 36]).unwrap_err());
    assert!(unseen.starts_with("block.1.routes: number 1 is 0.5, but should be 0"), "{unseen}");
    let nothing = Sum { values: vec![], minus: vec![] }.example();
    assert_eq!(of_sum(&LITE, &weights, &nothing).unwrap_err(), TraceError::Empty);
    let unfit = says(of_sum(&Unityped::A, &weights, &sum("1 + 2")).unwrap_err());
    assert!(unfit.contains("\"query.weight\": 16 numbers, but the model has 36"), "{unfit}");
    let lists = Lite { width: 4, heads: 1, types: Types::Items };
    for text in ["1", "1 + 2"] {
        let misfit = of_sum(&lists, &lists.init(1), &sum(text)).unwrap_err();
        assert_eq!(misfit, TraceError::Misfit("signed-sum".into()), "{text}");
    }
    for text in ["3:45", "3:45 12:7", "3:45 12:7 5:20"] {
        let misfit = Trace::of_example(&LITE, &weights, &SumTask::GROCERY, &list(text)).unwrap_err();
        assert_eq!(misfit, TraceError::Misfit("grocery".into()), "{text}");
    }
    let model = Entry::named("sudoku").unwrap().model(Architecture::Strat);
    let task = load("parity5");
    let misfit = Trace::of_example(&model, &weights, &task, &task.bases()[0]).unwrap_err();
    assert_eq!(misfit, TraceError::Misfit("parity5".into()));
}
