//! Every operation against the slow reference: values directly, gradients by finite
//! differences in `f64`, as written and optimized, on every instruction set.

mod math;
mod operations;
mod rewriting;
mod tokens;

use strat::engine::reference::{Arrays, evaluate};
use strat::engine::{
    Bias, Elem, Graph, Isa, Lanes, Machine, Node, Source, compile, compile_as_written, graph, optimized, rules,
};
use strat::rng::{Draws, Stream};

/// Examples in a test batch; more than one, and not a multiple of anything.
const BATCH: usize = 3;

/// A graph under test: a scalar output and its loss.
struct Case {
    name: &'static str,
    graph: Graph,
    output: Node,
    loss: Node,
}

impl Case {
    /// Reads a matrix out as one number with fixed weights, and squares its error.
    fn new(name: &'static str, mut graph: Graph, x: Node) -> Case {
        let g = &mut graph;
        let [rows, cols] = g.shape(x);
        let wave = |n: usize, f: f64| (0..n).map(|i| (f * (i + 1) as f64).sin()).collect::<Vec<_>>();
        let weight = g.constant(rows, 1, &wave(rows, 1.3));
        let row = g.sum_rows(x, weight);
        let readout = g.constant(1, cols, &wave(cols, 0.7));
        let output = g.linear(row, readout);
        let target = g.input("target", 1, 1);
        let loss = g.squared_error(output, target);
        Case { name, graph, output, loss }
    }

    fn source(&self) -> Source<'_> {
        Source {
            graph: &self.graph,
            output: self.output,
            loss: self.loss,
            batch: BATCH,
            frozen: &[],
            lanes: Lanes::Learners,
        }
    }

    /// Names and sizes of parameters or inputs.
    fn leaves(&self, params: bool) -> Vec<(String, usize)> {
        let leaf = |e: &graph::Entry| match &e.op {
            graph::Op::Param { name } if params => Some((name.clone(), e.rows * e.cols)),
            graph::Op::Input { name } if !params => Some((name.clone(), e.rows * e.cols)),
            _ => None,
        };
        self.graph.entries().iter().filter_map(leaf).collect()
    }

    /// Random parameters of one learner and inputs of its batch.
    fn draw(&self, lane: usize) -> (Arrays, Vec<Arrays>) {
        let mut d = Draws::new(lane as u64, Stream::Init, 0);
        let mut numbers = |name: &str, len: usize| -> Vec<f64> {
            match name {
                "kind" => (0..len).map(|t| f64::from(if t % 2 == 0 { 1 } else { 2 + d.below(2) })).collect(),
                _ => (0..len).map(|_| 2.0 * d.uniform() - 1.0).collect(),
            }
        };
        let params = self.leaves(true).iter().map(|(n, len)| (n.clone(), numbers(n, *len))).collect();
        let inputs = self.leaves(false);
        let mut one = || inputs.iter().map(|(n, len)| (n.clone(), numbers(n, *len))).collect();
        (params, (0..BATCH).map(|_| one()).collect())
    }

    /// Mean loss over a batch, by the reference.
    fn reference_loss(&self, params: &Arrays, batch: &[Arrays]) -> f64 {
        let one = |x: &Arrays| evaluate(&self.graph, params, x)[self.loss.index()][0];
        batch.iter().map(one).sum::<f64>() / batch.len() as f64
    }

    /// Runs a machine on different numbers in every lane and compares each with the
    /// reference: outputs, and gradients with finite differences.
    fn check<E: Elem>(&self, mut m: Box<dyn Machine<E>>, tolerance: f64, what: &str) {
        let drawn: Vec<_> = (0..m.lanes()).map(|lane| self.draw(lane)).collect();
        let convert = |v: &[f64]| v.iter().map(|&x| E::of(x)).collect::<Vec<E>>();
        for (lane, (params, batch)) in drawn.iter().enumerate() {
            for (name, v) in params {
                m.set_param(lane, name, &convert(v));
            }
            for (name, _) in self.leaves(false) {
                let all: Vec<f64> = batch.iter().flat_map(|x| x[&name].clone()).collect();
                m.set_input(lane, &name, &convert(&all));
            }
        }
        m.load();
        m.gradients();
        m.gradients(); // a second pass must not see the first one's gradients
        for (lane, (params, batch)) in drawn.iter().enumerate() {
            let want: Vec<f64> =
                batch.iter().map(|x| evaluate(&self.graph, params, x)[self.output.index()][0]).collect();
            for (got, want) in m.output(lane).iter().zip(&want) {
                let e = (got.f64() - want).abs();
                assert!(e < tolerance * (1.0 + want.abs()), "{} {what}: {got:?} for {want}", self.name);
            }
            // Finite differences are slow; the first and the last lane stand for all.
            let probed = lane == 0 || lane + 1 == drawn.len();
            for (name, v) in params.iter().filter(|_| probed) {
                let got = m.gradient(lane, name);
                for (i, got) in got.iter().enumerate() {
                    let shifted = |by: f64| {
                        let mut p = params.clone();
                        p.get_mut(name).unwrap()[i] = v[i] + by;
                        self.reference_loss(&p, batch)
                    };
                    // Four points: the error is of order h⁴.
                    let h = 1e-5;
                    let near = shifted(h) - shifted(-h);
                    let far = shifted(2.0 * h) - shifted(-2.0 * h);
                    let want = (8.0 * near - far) / (12.0 * h);
                    let e = (got.f64() - want).abs();
                    // What rounding of the loss itself leaves uncertain, and the kernel's share.
                    let noise = 4.0 * f64::EPSILON * shifted(0.0) / h;
                    let allowed = tolerance.max(1e-7) * (1.0 + want.abs()) + noise;
                    assert!(e < allowed, "{} {what}: d {name}[{i}] is {got:?}, should be {want}", self.name);
                }
            }
        }
    }

    /// In `f64` and `f32`, as written and optimized, a learner or an example in each lane, on
    /// every instruction set.
    fn check_all(&self) {
        for isa in Isa::all_available() {
            self.check(compile_as_written::<f64>(self.source(), isa), 1e-9, &format!("{isa} f64 as written"));
            self.check(compile::<f64>(self.source(), isa), 1e-9, &format!("{isa} f64 optimized"));
            self.check(compile_as_written::<f32>(self.source(), isa), 2e-4, &format!("{isa} f32 as written"));
            self.check(compile::<f32>(self.source(), isa), 2e-4, &format!("{isa} f32 optimized"));
            let shared = Source { lanes: Lanes::Examples, ..self.source() };
            self.check(compile_as_written::<f64>(shared, isa), 1e-9, &format!("{isa} f64 examples, as written"));
            self.check(compile::<f32>(shared, isa), 2e-4, &format!("{isa} f32 examples"));
        }
    }
}

/// A matrix that differs by example and is learned: input plus parameter.
fn leaf(g: &mut Graph, name: &str, rows: usize, cols: usize) -> Node {
    let x = g.input(&format!("{name}.in"), rows, cols);
    let p = g.param(&format!("{name}.p"), rows, cols);
    g.add(x, p)
}
