//! Rows on lanes against the reference. There they are `f32` alone, so they are compared as closely as `f32` allows: with
//! numbers that it holds exactly, and with slopes of the reference in `f64`.

use super::{Arrays, Case, evaluate};
use std::collections::BTreeSet;
use strat_engine::graph::Op;
use strat_engine::reference::{Overrides, evaluate_with};
use strat_engine::{CompileSpec, Isa, Lanes, Machine, Node, compile};

/// How far from the reference they may be, as a part of the largest number of the same matrix.
pub const CLOSE: f64 = 2e-5;

/// How wrong a kernel is that must be found.
const WRONG: f64 = 1e-3;

/// The numbers of a machine's one learner, and of its examples.
struct Drawn {
    params: Arrays,
    examples: Vec<Arrays>,
}

impl Case {
    /// Compares outputs, loss and every slope with the reference, on every instruction set.
    pub fn check_rows(&self, batch: usize) {
        let drawn = self.drawn(batch);
        let slopes: Vec<(&String, Vec<f64>)> =
            drawn.params.keys().map(|name| (name, self.slopes(name, &drawn))).collect();
        let steepest = largest(slopes.iter().flat_map(|(_, v)| v));
        for isa in Isa::all_available() {
            let m = self.machine(&drawn, isa);
            let apart = self.apart(&*m, &drawn, |_| Overrides::new());
            assert!(apart < CLOSE, "{} {isa}: outputs or loss are {apart:e} apart", self.name);
            for (name, want) in &slopes {
                // A sum of numbers that cancel is as uncertain as they are.
                let scale = largest(want).max(0.1 * steepest);
                let apart = farthest(&m.gradient(0, name), want) / scale;
                assert!(apart < CLOSE, "{} {isa}: d {name} is {apart:e} apart", self.name);
            }
        }
    }

    /// That outputs and loss would show a wrong kernel: whichever node of the reference is wrong by a thousandth,
    /// the machine is told from it.
    pub fn check_that_wrong_rows_are_seen(&self, batch: usize) {
        let drawn = self.drawn(batch);
        let m = self.machine(&drawn, Isa::Portable);
        let operands = self.graph.entries().iter().flat_map(|e| e.op.operands());
        let nodes: BTreeSet<Node> = operands.chain([self.loss]).collect();
        for node in nodes {
            let op = &self.graph.entries()[node.index()].op;
            if matches!(op, Op::Param { .. } | Op::Input { .. } | Op::Constant { .. }) {
                continue;
            }
            let wrong = |x: &Arrays| {
                let mut v = evaluate(&self.graph, &drawn.params, x).swap_remove(node.index());
                let size = WRONG * largest(&v);
                v.iter_mut().enumerate().for_each(|(i, x)| *x += size * (2.3 * (i + 1) as f64).sin());
                Overrides::from([(node, v)])
            };
            let apart = self.apart(&*m, &drawn, wrong);
            assert!(apart > CLOSE, "{}: {op:?}, wrong by {WRONG}, is only {apart:e} apart", self.name);
        }
    }

    fn drawn(&self, batch: usize) -> Drawn {
        let (params, examples) = self.draw(batch as u64, batch);
        Drawn { params, examples }
    }

    /// With rows on lanes, and its gradients made.
    fn machine(&self, drawn: &Drawn, isa: Isa) -> Box<dyn Machine<f32>> {
        let lanes = Lanes::of_one_learner::<f32>(&self.graph, self.output, self.loss);
        assert_eq!(lanes, Lanes::Tokens, "{}", self.name);
        let source = CompileSpec { batch: drawn.examples.len(), lanes, ..self.source() };
        let mut m = compile::<f32>(source, isa).unwrap_or_else(|e| panic!("{} {isa}: {e}", self.name));
        self.set(&mut *m, 0, &drawn.params, &drawn.examples);
        m.load();
        m.gradients();
        m.gradients(); // a second pass must not see the first one's gradients
        m
    }

    /// How far outputs or loss are from a reference of whose nodes some may be overridden.
    fn apart(&self, m: &dyn Machine<f32>, drawn: &Drawn, wrong: impl Fn(&Arrays) -> Overrides) -> f64 {
        let values = |x: &Arrays| evaluate_with(&self.graph, &drawn.params, x, &wrong(x));
        let values: Vec<_> = drawn.examples.iter().map(values).collect();
        let outputs: Vec<f64> = values.iter().flat_map(|v| v[self.output.index()].clone()).collect();
        let losses: Vec<f64> = values.iter().map(|v| v[self.loss.index()][0]).collect();
        let loss = losses.iter().sum::<f64>() / losses.len() as f64;
        let of_loss = farthest(&[m.loss(0)], &[loss]) / largest(&losses);
        (farthest(&m.output(0), &outputs) / largest(&outputs)).max(of_loss)
    }

    /// The slope of the mean loss along each number of a parameter, by finite differences of the reference.
    fn slopes(&self, name: &str, Drawn { params, examples }: &Drawn) -> Vec<f64> {
        let shifted = |i: usize, by: f64| {
            let mut moved = params.clone();
            moved.get_mut(name).unwrap()[i] += by;
            self.reference_loss(&moved, examples)
        };
        // Four points: the error is of order h⁴.
        let h = 1e-3;
        let slope = |i: usize| {
            (8.0 * (shifted(i, h) - shifted(i, -h)) - (shifted(i, 2.0 * h) - shifted(i, -2.0 * h))) / (12.0 * h)
        };
        (0..params[name].len()).map(slope).collect()
    }
}

fn largest<'a>(v: impl IntoIterator<Item = &'a f64>) -> f64 {
    v.into_iter().fold(0.0, |most, x| most.max(x.abs()))
}

/// The largest difference; infinite if one is no number or missing.
fn farthest(got: &[f32], want: &[f64]) -> f64 {
    let apart = |(got, want): (&f32, &f64)| {
        let apart = (f64::from(*got) - want).abs();
        if apart.is_nan() { f64::INFINITY } else { apart }
    };
    if got.len() == want.len() { got.iter().zip(want).map(apart).fold(0.0, f64::max) } else { f64::INFINITY }
}
