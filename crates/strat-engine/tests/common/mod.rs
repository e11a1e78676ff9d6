//! A graph under test, on random numbers, against the slow reference: values directly, gradients by finite
//! differences in `f64`.

#![allow(dead_code)] // Each test program uses its part.

pub mod rows;

use strat_engine::graph::{Entry, Op};
use strat_engine::reference::{Arrays, evaluate};
use strat_engine::{
    CompileError, CompileSpec, Elem, Graph, Isa, Lanes, Machine, Node, compile, compile_as_written,
};

/// Examples in a test batch; more than one, and not a multiple of anything.
pub const BATCH: usize = 3;

/// A prediction and its loss.
pub struct Case {
    pub name: String,
    pub graph: Graph,
    pub output: Node,
    pub loss: Node,
}

/// What compiling gives.
pub type Made<E> = Result<Box<dyn Machine<E>>, CompileError>;

/// Random numbers for tests: SplitMix64.
pub struct Draws(pub u64);

impl Draws {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// In [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }
    /// In [−1, 1), and exact in `f32`: what a machine has wrong is then its own.
    pub fn number(&mut self) -> f64 {
        f64::from((2.0 * self.uniform() - 1.0) as f32)
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }
}

pub fn convert<E: Elem>(v: &[f64]) -> Vec<E> {
    v.iter().map(|&x| E::of(x)).collect()
}

impl Case {
    /// Reads a matrix out as one number with fixed weights, and squares its error.
    pub fn new(name: &str, mut graph: Graph, x: Node) -> Case {
        let g = &mut graph;
        let [rows, cols] = g.shape(x);
        let wave = |n: usize, f: f64| (0..n).map(|i| (f * (i + 1) as f64).sin()).collect::<Vec<_>>();
        let weight = g.constant(rows, 1, &wave(rows, 1.3));
        let row = g.sum_rows(x, weight);
        let readout = g.constant(1, cols, &wave(cols, 0.7));
        let output = g.linear(row, readout);
        let target = g.input("target", 1, 1);
        let loss = g.squared_error(output, target);
        Case { name: name.into(), graph, output, loss }
    }

    /// Reads a matrix out as scores of `classes` at every row, with their cross-entropy.
    pub fn of_rows(name: &str, mut graph: Graph, x: Node, classes: usize) -> Case {
        let g = &mut graph;
        let [rows, cols] = g.shape(x);
        let (w, bias) = (g.param("head.weight", classes, cols), g.param("head.bias", 1, classes));
        // Columns side by side stay so: a map of them would be made a sum of maps, which is not done row by row.
        let x = if matches!(g.entries()[x.index()].op, Op::Concat { .. }) { g.layer_norm(x) } else { x };
        let output = g.linear(x, w);
        let output = g.add(output, bias);
        let (target, weight) = (g.input("class", rows, classes), g.input("weight", rows, 1));
        let loss = g.cross_entropy(output, target, weight);
        Case { name: name.into(), graph, output, loss }
    }

    pub fn source(&self) -> CompileSpec<'_> {
        CompileSpec {
            graph: &self.graph,
            output: self.output,
            loss: self.loss,
            batch: BATCH,
            frozen: &[],
            lanes: Lanes::Learners,
        }
    }

    /// Names and shapes of parameters or inputs.
    pub fn leaves(&self, params: bool) -> Vec<(String, [usize; 2])> {
        let leaf = |e: &Entry| match &e.op {
            Op::Param { name } if params => Some((name.clone(), [e.rows, e.cols])),
            Op::Input { name } if !params => Some((name.clone(), [e.rows, e.cols])),
            _ => None,
        };
        self.graph.entries().iter().filter_map(leaf).collect()
    }

    /// Random parameters of one learner and inputs of its batch.
    pub fn draw(&self, seed: u64, batch: usize) -> (Arrays, Vec<Arrays>) {
        let mut d = Draws(seed);
        let mut numbers = |(name, [rows, cols]): &(String, [usize; 2])| -> (String, Vec<f64>) {
            let v = match name.as_str() {
                "kind" => (0..*rows).map(|t| if t % 2 == 0 { 1 } else { 2 + d.below(2) } as f64).collect(),
                "class" => {
                    let one = |chosen: usize| (0..*cols).map(move |c| f64::from(u8::from(c == chosen)));
                    (0..*rows).flat_map(|_| one(d.below(*cols))).collect()
                }
                _ => (0..rows * cols).map(|_| d.number()).collect(),
            };
            (name.clone(), v)
        };
        let params = self.leaves(true).iter().map(&mut numbers).collect();
        let inputs = self.leaves(false);
        (params, (0..batch).map(|_| inputs.iter().map(&mut numbers).collect()).collect())
    }

    /// Gives a learner its numbers.
    pub fn set<E: Elem>(&self, m: &mut dyn Machine<E>, lane: usize, params: &Arrays, examples: &[Arrays]) {
        for (name, v) in params {
            m.set_param(lane, name, &convert(v));
        }
        for (name, _) in self.leaves(false) {
            if m.has_input(&name) {
                let all: Vec<f64> = examples.iter().flat_map(|x| x[&name].clone()).collect();
                m.set_input(lane, &name, &convert(&all)).unwrap();
            }
        }
    }

    /// Mean loss over a batch, by the reference.
    pub fn reference_loss(&self, params: &Arrays, examples: &[Arrays]) -> f64 {
        let one = |x: &Arrays| evaluate(&self.graph, params, x)[self.loss.index()][0];
        examples.iter().map(one).sum::<f64>() / examples.len() as f64
    }

    /// Runs a machine on different numbers in every lane and compares each with the
    /// reference: outputs and loss, and gradients with finite differences.
    pub fn check<E: Elem>(&self, m: Made<E>, batch: usize, tolerance: f64, what: &str) {
        let mut m = m.unwrap_or_else(|e| panic!("{} {what}: {e}", self.name));
        let drawn: Vec<_> = (0..m.lanes()).map(|lane| self.draw(lane as u64, batch)).collect();
        for (lane, (params, examples)) in drawn.iter().enumerate() {
            self.set(&mut *m, lane, params, examples);
        }
        m.load();
        m.gradients();
        m.gradients(); // a second pass must not see the first one's gradients
        let close = |got: f64, want: f64| (got - want).abs() < tolerance * (1.0 + want.abs());
        for (lane, (params, examples)) in drawn.iter().enumerate() {
            let want = examples.iter().flat_map(|x| evaluate(&self.graph, params, x)[self.output.index()].clone());
            for (i, (got, want)) in m.output(lane).iter().zip(want).enumerate() {
                assert!(close(got.f64(), want), "{} {what}: output {i} is {got:?}, should be {want}", self.name);
            }
            let want = self.reference_loss(params, examples);
            let got = m.loss(lane);
            assert!(close(got.f64(), want), "{} {what}: loss is {got:?}, should be {want}", self.name);
            // Finite differences are slow; the first and the last lane stand for all.
            let probed = lane == 0 || lane + 1 == drawn.len();
            for (name, v) in params.iter().filter(|_| probed) {
                for (i, got) in m.gradient(lane, name).iter().enumerate() {
                    let shifted = |by: f64| {
                        let mut p = params.clone();
                        p.get_mut(name).unwrap()[i] = v[i] + by;
                        self.reference_loss(&p, examples)
                    };
                    // Four points: the error is of order h⁴.
                    let h = 1e-5;
                    let near = shifted(h) - shifted(-h);
                    let far = shifted(2.0 * h) - shifted(-2.0 * h);
                    let want = (8.0 * near - far) / (12.0 * h);
                    // What rounding of the loss itself leaves uncertain, and the kernel's share.
                    let noise = 4.0 * f64::EPSILON * shifted(0.0).abs() / h;
                    let allowed = tolerance.max(1e-7) * (1.0 + want.abs()) + noise;
                    let e = (got.f64() - want).abs();
                    assert!(e < allowed, "{} {what}: d {name}[{i}] is {got:?}, should be {want}", self.name);
                }
            }
        }
    }

    /// In `f64` and `f32`, as written and optimized, a learner or an example in each lane, on
    /// every instruction set.
    pub fn check_all(&self) {
        let shared = CompileSpec { lanes: Lanes::Examples, ..self.source() };
        for isa in Isa::all_available() {
            let (written, f64s, f32s) = (compile_as_written::<f64>, 1e-9, 2e-4);
            self.check(written(self.source(), isa), BATCH, f64s, &format!("{isa} f64 as written"));
            self.check(compile::<f64>(self.source(), isa), BATCH, f64s, &format!("{isa} f64 optimized"));
            self.check(
                compile_as_written::<f32>(self.source(), isa),
                BATCH,
                f32s,
                &format!("{isa} f32 as written"),
            );
            self.check(compile::<f32>(self.source(), isa), BATCH, f32s, &format!("{isa} f32 optimized"));
            self.check(written(shared, isa), BATCH, f64s, &format!("{isa} f64 examples, as written"));
            self.check(compile::<f32>(shared, isa), BATCH, f32s, &format!("{isa} f32 examples"));
        }
    }
}

/// A matrix that differs by example and is learned: input plus parameter.
pub fn leaf(g: &mut Graph, name: &str, rows: usize, cols: usize) -> Node {
    let x = g.input(&format!("{name}.in"), rows, cols);
    let p = g.param(&format!("{name}.p"), rows, cols);
    g.add(x, p)
}

/// What operations a graph has, in order.
pub fn names(g: &Graph) -> Vec<String> {
    let name = |op: &Op| format!("{op:?}").split([' ', '{']).next().unwrap().to_string();
    g.entries().iter().map(|e| name(&e.op)).collect()
}
