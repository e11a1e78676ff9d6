//! Random graphs of all operations, with operands shared and repeated: a learner, an example and a row in each lane,
//! as written and optimized, `f32` and `f64`, on every instruction set. All must agree with the slow reference, and
//! their gradients with its finite differences.
//!
//! ```console
//! $ STRAT_GRAPHS=50000 cargo test -p strat-engine --test graphs   # so many of each of the two kinds
//! $ STRAT_GRAPHS_SEED=7 cargo test -p strat-engine --test graphs  # others than usual
//! ```

#[path = "../common/mod.rs"]
mod common;
mod recipe;

use common::{Case, Draws, Made, names};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use recipe::{Recipe, recipes};
use std::cell::RefCell;
use std::collections::BTreeSet;
use strat_engine::graph::{Graph, Op};
use strat_engine::reference::{Arrays, evaluate};
use strat_engine::{CompileSpec, Elem, Isa, Lanes, compile, compile_as_written, optimized};

/// Graphs of each kind that every run tries.
const USUAL: u32 = 2500;

/// Two learners, of which one has to do with the lanes of odd number.
const LEARNERS: usize = 2;

/// What a learner is given, and what the reference makes of it.
struct Expected {
    params: Arrays,
    examples: Vec<Arrays>,
    outputs: Vec<f64>,
    loss: f64,
}

/// Input by the kind that its name begins with.
fn numbers(d: &mut Draws, name: &str, [rows, cols]: [usize; 2]) -> Vec<f64> {
    let kind = |d: &mut Draws, t: usize| if t.is_multiple_of(2) { 1 } else { 2 + d.below(2) } as f64;
    match name.split('.').next().unwrap_or_default() {
        "kind" | "" => (0..rows).map(|t| kind(d, t)).collect(),
        "pad" => (0..rows).map(|t| if d.below(4) == 0 { 0.0 } else { kind(d, t) }).collect(),
        "mask" => (0..rows).map(|_| d.below(2) as f64).collect(),
        "class" => {
            let one = |chosen: usize| (0..cols).map(move |c| f64::from(u8::from(c == chosen)));
            (0..rows).flat_map(|_| one(d.below(cols))).collect()
        }
        _ => (0..rows * cols).map(|_| d.number()).collect(),
    }
}

fn case_of(recipe: &Recipe) -> Case {
    let (mut graph, ends) = recipe.grow();
    if recipe.of_rows {
        let all = if ends.len() == 1 { ends[0] } else { graph.concat(&ends) };
        return Case::of_rows("rows", graph, all, 3);
    }
    let mut sum = None;
    for end in ends {
        let [rows, cols] = graph.shape(end);
        let wave = |n: usize, f: f64| (0..n).map(|i| (f * (i + 1) as f64).sin()).collect::<Vec<_>>();
        let (weight, readout) =
            (graph.constant(rows, 1, &wave(rows, 1.3)), graph.constant(1, cols, &wave(cols, 0.7)));
        let row = graph.sum_rows(end, weight);
        let one = graph.linear(row, readout);
        sum = Some(sum.map_or(one, |sum| graph.add(sum, one)));
    }
    let output = sum.expect("the last operation is read by none");
    let target = graph.input("target", 1, 1);
    let loss = graph.squared_error(output, target);
    Case { name: "all operations".into(), graph, output, loss }
}

/// Whether the numbers are such that `f32` and finite differences can be asked: nothing large, no LayerNorm of
/// nearly equal numbers, no logarithm near zero.
fn is_tame(graph: &Graph, values: &[Vec<f64>]) -> bool {
    graph.entries().iter().zip(values).all(|(e, v)| match e.op {
        Op::LayerNorm { x } | Op::ScaledNorm { x, .. } if e.cols > 1 => {
            values[x.index()].chunks_exact(e.cols).all(|row| {
                let mean = row.iter().sum::<f64>() / e.cols as f64;
                row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / e.cols as f64 > 0.01
            })
        }
        Op::LogAbs { x } => values[x.index()].iter().all(|x| x.abs() > 0.1),
        _ => v.iter().all(|x| x.abs() < 20.0),
    })
}

fn expect(case: &Case, recipe: &Recipe, learner: usize) -> Option<Expected> {
    let mut d = Draws(recipe.seed * LEARNERS as u64 + learner as u64);
    // Attention between kinds does not see padding; see `Graph::one_hot`.
    let padded = !names(&case.graph).iter().any(|op| op == "Scores");
    let numbers = |d: &mut Draws, name: &str, shape| {
        numbers(d, if padded { name } else { name.trim_start_matches("pad") }, shape)
    };
    let params: Arrays =
        case.leaves(true).into_iter().map(|(n, shape)| (n.clone(), numbers(&mut d, &n, shape))).collect();
    let inputs = case.leaves(false);
    let one =
        |d: &mut Draws| inputs.iter().map(|(n, shape)| (n.clone(), numbers(d, n, *shape))).collect::<Arrays>();
    let examples: Vec<Arrays> = (0..recipe.batch).map(|_| one(&mut d)).collect();
    let mut outputs = vec![];
    let mut loss = 0.0;
    for x in &examples {
        let values = evaluate(&case.graph, &params, x);
        if !is_tame(&case.graph, &values) {
            return None;
        }
        outputs.extend_from_slice(&values[case.output.index()]);
        loss += values[case.loss.index()][0] / recipe.batch as f64;
    }
    Some(Expected { params, examples, outputs, loss })
}

/// The slope of the loss along a direction, by finite differences of the reference.
fn slope(case: &Case, e: &Expected, direction: &Arrays) -> f64 {
    let shifted = |by: f64| {
        let moved = |(name, v): (&String, &Vec<f64>)| {
            (name.clone(), v.iter().zip(&direction[name]).map(|(x, d)| x + by * d).collect())
        };
        case.reference_loss(&e.params.iter().map(moved).collect(), &e.examples)
    };
    // Four points: the error is of order h⁴.
    let h = 1e-4;
    (8.0 * (shifted(h) - shifted(-h)) - (shifted(2.0 * h) - shifted(-2.0 * h))) / (12.0 * h)
}

/// Not if one is no number.
fn near(got: f64, want: f64, allowed: f64) -> bool {
    (got - want).abs() < allowed
}

fn largest(v: impl Iterator<Item = f64>) -> f64 {
    v.fold(0.0, |most, x| if x.abs() > most || x.is_nan() { x.abs() } else { most })
}

/// What a machine says of a learner: its gradient.
type Gradient = Vec<(String, Vec<f64>)>;

struct Trial<'a> {
    case: &'a Case,
    expected: &'a [Expected],
    /// The gradients that the first machine gave, which finite differences have approved.
    approved: Vec<Gradient>,
}

impl Trial<'_> {
    fn try_machine<E: Elem>(&mut self, m: Made<E>, close: f64, what: &str) -> Result<(), String> {
        let mut m = m.map_err(|e| format!("{what}: {e}"))?;
        for lane in 0..m.lanes() {
            let e = &self.expected[lane % LEARNERS];
            self.case.set(&mut *m, lane, &e.params, &e.examples);
        }
        m.load();
        m.gradients();
        m.gradients(); // a second pass must not see the first one's gradients
        for lane in 0..m.lanes() {
            let learner = lane % LEARNERS;
            let e = &self.expected[learner];
            let allowed = close * (1.0 + largest(e.outputs.iter().copied()));
            let got: Vec<f64> = m.output(lane).into_iter().map(E::f64).collect();
            if got.len() != e.outputs.len() || !got.iter().zip(&e.outputs).all(|(&a, &b)| near(a, b, allowed)) {
                return Err(format!("{what}: outputs of lane {lane} are\n{got:?}, should be\n{:?}", e.outputs));
            }
            let loss = m.loss(lane).f64();
            if !near(loss, e.loss, close * (1.0 + e.loss.abs())) {
                return Err(format!("{what}: the loss of lane {lane} is {loss}, should be {}", e.loss));
            }
            let gradient: Gradient = e
                .params
                .keys()
                .map(|name| (name.clone(), m.gradient(lane, name).into_iter().map(E::f64).collect()))
                .collect();
            if self.approved.len() == learner {
                self.compare_with_slopes(e, &gradient, what)?;
                self.approved.push(gradient);
                continue;
            }
            let approved = &self.approved[learner];
            let allowed = 10.0 * close * (1.0 + largest(approved.iter().flat_map(|(_, v)| v.iter().copied())));
            for ((name, got), (_, want)) in gradient.iter().zip(approved) {
                if !got.iter().zip(want).all(|(&a, &b)| near(a, b, allowed)) {
                    return Err(format!("{what}: d {name} of lane {lane} is\n{got:?}, should be\n{want:?}"));
                }
            }
        }
        Ok(())
    }

    /// Along some random directions, which no wrong number is at right angles to.
    fn compare_with_slopes(&self, e: &Expected, gradient: &Gradient, what: &str) -> Result<(), String> {
        let mut d = Draws(17);
        let size = largest(gradient.iter().flat_map(|(_, v)| v.iter().copied()));
        for _ in 0..3 {
            let direction: Arrays =
                e.params.iter().map(|(name, v)| (name.clone(), v.iter().map(|_| d.number()).collect())).collect();
            let want = slope(self.case, e, &direction);
            let along =
                |(name, v): &(String, Vec<f64>)| v.iter().zip(&direction[name]).map(|(g, d)| g * d).sum::<f64>();
            let got: f64 = gradient.iter().map(along).sum();
            if !near(got, want, 1e-6 * (1.0 + size)) {
                return Err(format!("{what}: the slope is {got}, should be {want}; the gradient is\n{gradient:?}"));
            }
        }
        Ok(())
    }
}

/// What was tried, for the controls below.
#[derive(Default)]
struct Seen {
    operations: BTreeSet<String>,
    on_rows: u32,
    graphs: u32,
}

fn check(recipe: &Recipe, seen: &RefCell<Seen>) -> Result<(), TestCaseError> {
    let case = case_of(recipe);
    let expected: Option<Vec<Expected>> = (0..LEARNERS).map(|learner| expect(&case, recipe, learner)).collect();
    let Some(expected) = expected else { return Err(TestCaseError::reject("too steep")) };
    let source = CompileSpec { batch: recipe.batch, ..case.source() };
    let shared = CompileSpec { lanes: Lanes::Examples, ..source };
    let rows = CompileSpec { lanes: Lanes::of_one_learner::<f32>(&case.graph, case.output, case.loss), ..source };
    let mut trial = Trial { case: &case, expected: &expected, approved: vec![] };
    let mut all = || {
        for isa in Isa::all_available() {
            // Rows on lanes are `f32` alone, so nothing else is there to be exact.
            let (exact, near, near_rows) = (1e-9, 3e-4, 3e-5);
            trial.try_machine(compile_as_written::<f64>(source, isa), exact, &format!("{isa} f64 as written"))?;
            trial.try_machine(compile_as_written::<f32>(source, isa), near, &format!("{isa} f32 as written"))?;
            trial.try_machine(compile::<f64>(source, isa), exact, &format!("{isa} f64"))?;
            trial.try_machine(compile::<f32>(source, isa), near, &format!("{isa} f32"))?;
            trial.try_machine(
                compile_as_written::<f64>(shared, isa),
                exact,
                &format!("{isa} f64 examples as written"),
            )?;
            trial.try_machine(compile::<f64>(shared, isa), exact, &format!("{isa} f64 examples"))?;
            trial.try_machine(compile::<f32>(shared, isa), near, &format!("{isa} f32 examples"))?;
            if rows.lanes == Lanes::Tokens {
                trial.try_machine(compile::<f32>(rows, isa), near_rows, &format!("{isa} f32 rows"))?;
            }
        }
        Ok::<(), String>(())
    };
    all().map_err(|e| TestCaseError::fail(format!("{e}\n{}", case.graph)))?;
    let mut seen = seen.borrow_mut();
    seen.graphs += 1;
    seen.on_rows += u32::from(rows.lanes == Lanes::Tokens);
    seen.operations.extend(names(&case.graph));
    seen.operations.extend(names(&optimized(&case.graph, &[case.output, case.loss]).0));
    Ok(())
}

fn number_from(variable: &str, otherwise: u32) -> u32 {
    match std::env::var(variable) {
        Ok(given) => given.parse().unwrap_or_else(|_| panic!("{variable} should be a number, but is {given:?}")),
        Err(_) => otherwise,
    }
}

fn try_graphs(of_rows: bool) -> Seen {
    let cases = number_from("STRAT_GRAPHS", USUAL);
    let config =
        Config { cases, max_global_rejects: 20 * cases + 1000, failure_persistence: None, ..Config::default() };
    let mut seed = [0; 32];
    seed[..4].copy_from_slice(&number_from("STRAT_GRAPHS_SEED", 0).to_le_bytes());
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let seen = RefCell::new(Seen::default());
    match runner.run(&recipes(of_rows), |recipe| check(&recipe, &seen)) {
        Ok(()) => {}
        Err(TestError::Fail(why, recipe)) => panic!("{why}\n{recipe:#?}"),
        Err(e) => panic!("{e}"),
    }
    let seen = seen.into_inner();
    println!("{} graphs, {} of them also with rows on lanes", seen.graphs, seen.on_rows);
    seen
}

/// Every operation there is, by the names that the engine gives them.
const OPERATIONS: [&str; 39] = [
    "Param",
    "Constant",
    "Input",
    "OneHot",
    "Linear",
    "Add",
    "Mul",
    "Scale",
    "Sigmoid",
    "Scores",
    "Softmax",
    "Mix",
    "SumRows",
    "Concat",
    "Columns",
    "Take",
    "Place",
    "ExpRows",
    "Normalize",
    "Mass",
    "SplitHeads",
    "SquaredError",
    "Affine",
    "LayerNorm",
    "KindRoutes",
    "Tanh",
    "Exp",
    "LogAbs",
    "Select",
    "WindowScores",
    "WindowMix",
    "Gelu",
    "AddOffsets",
    "CrossEntropy",
    "BinaryCrossEntropy",
    "LstmCell",
    "WindowAttend",
    "Ffn",
    "ScaledNorm",
];

#[test]
fn all_operations() {
    let seen = try_graphs(false);
    let missing: Vec<_> = OPERATIONS.iter().filter(|op| !seen.operations.contains(**op)).collect();
    assert!(missing.is_empty(), "never drawn: {missing:?}");
}

#[test]
fn rows_on_lanes() {
    let seen = try_graphs(true);
    assert!(seen.on_rows > seen.graphs / 2, "only {} of {} ran with rows on lanes", seen.on_rows, seen.graphs);
}
