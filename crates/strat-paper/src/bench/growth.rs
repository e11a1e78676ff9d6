//! How an epoch's time and memory grow with layers, width, tokens and learners.

use rayon::prelude::*;
use serde::Serialize;
use std::time::Instant;
use strat::engine::{Isa, Machine};
use strat::model::{Architecture, BlockConfig, BlockModel, Param, Readout};
use strat::rng::{RandomStream, Stream};
use strat::train::{Adam, Trainer};

/// Examples in a batch.
const BATCH: usize = 10;
/// Values that every token can have.
const VALUES: usize = 9;
/// Rounds, of which the best counts.
const ROUNDS: usize = 5;

/// What is varied; the rest stays at two layers, a width of 64, 32 tokens and one learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    /// Blocks, one after the other.
    Layers,
    /// Type and Data together.
    Width,
    /// Of an example; all see all.
    Tokens,
    /// On the pool's threads.
    Learners,
}

impl Axis {
    /// All, with the values that are tried.
    pub const ALL: [(Axis, &'static [usize]); 4] = [
        (Axis::Layers, &[1, 2, 4, 8, 16, 32, 64]),
        (Axis::Width, &[16, 32, 64, 128, 256, 512, 1024]),
        (Axis::Tokens, &[8, 16, 32, 64, 128, 256, 512, 1024, 2048]),
        (Axis::Learners, &[1, 2, 4, 8, 16]),
    ];

    /// As in the paper.
    pub fn name(self) -> &'static str {
        match self {
            Axis::Layers => "layers",
            Axis::Width => "width",
            Axis::Tokens => "tokens",
            Axis::Learners => "learners",
        }
    }
}

/// What a model is tried with.
#[derive(Clone, Copy, Debug)]
struct Size {
    layers: usize,
    width: usize,
    tokens: usize,
    learners: usize,
}

/// Where every axis starts from.
const BASE: Size = Size { layers: 2, width: 64, tokens: 32, learners: 1 };

/// What one size costs: a line of `strat bench growth --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Cost {
    /// `growth`.
    pub work: &'static str,
    /// `strat` or `transformer`.
    pub model: &'static str,
    /// What is varied.
    pub axis: Axis,
    /// How many of it.
    pub size: usize,
    /// An epoch of all learners, on all threads of the pool.
    pub ms_per_epoch: f64,
    /// Memory of all learners.
    pub bytes: usize,
    /// Arithmetic carried out, 10⁹ per second, on all threads.
    pub gflops: f64,
    /// Threads of the pool.
    pub threads: usize,
}

/// Measures a model at every size of an axis on the current thread pool. The model answers at every token; its numbers
/// are drawn, as only their count matters.
pub fn growth(architecture: Architecture, axis: Axis, isa: Isa) -> Vec<Cost> {
    let sizes = Axis::ALL.iter().find(|a| a.0 == axis).expect("every axis is listed").1;
    let cost = |&size| {
        let mut s = BASE;
        match axis {
            Axis::Layers => s.layers = size,
            Axis::Width => s.width = size,
            Axis::Tokens => s.tokens = size,
            Axis::Learners => s.learners = size,
        }
        let (ms_per_epoch, bytes, flops) = measure(architecture, s, isa);
        let threads = rayon::current_num_threads();
        let gflops = flops as f64 / ms_per_epoch / 1e6;
        Cost { work: "growth", model: architecture.name(), axis, size, ms_per_epoch, bytes, gflops, threads }
    };
    sizes.iter().map(cost).collect()
}

/// Milliseconds of an epoch, bytes, and what an epoch computes, of all learners together.
fn measure(architecture: Architecture, size: Size, isa: Isa) -> (f64, usize, usize) {
    let half = size.width / 2;
    let sizes = BlockConfig {
        types: half,
        data: half,
        stream: size.width,
        layers: size.layers,
        hidden: [size.width, size.width],
        route: Some(half),
        readout: Readout::TokenClass(VALUES),
        ..BlockConfig::TABULAR
    };
    let model = BlockModel { architecture, sizes };
    let mut learners: Vec<Box<dyn Machine<f32>>> =
        (0..size.learners).map(|seed| learner(&model, size.tokens, seed as u64, isa)).collect();
    let bytes = learners.iter().map(|m| m.bytes()).sum();
    let flops = learners.iter().map(|m| m.step_flops()).sum();
    let mut step = 0;
    let mut teach = |epochs: usize| {
        let start = Instant::now();
        for _ in 0..epochs {
            step += 1;
            let adam = Adam::new(1e-3).at(step);
            learners.par_iter_mut().with_max_len(1).for_each(|m| m.step(&[adam]));
        }
        start.elapsed().as_secs_f64()
    };
    teach(2); // memory is touched for the first time
    let epochs = (0.2 / teach(3) * 3.0).ceil().max(3.0) as usize;
    let best = (0..ROUNDS).map(|_| teach(epochs)).fold(f64::INFINITY, f64::min);
    (1e3 * best / epochs as f64, bytes, flops)
}

fn learner(model: &BlockModel, tokens: usize, seed: u64, isa: Isa) -> Box<dyn Machine<f32>> {
    let machine = Trainer::machine_for(model, None, tokens, (BATCH, false), isa);
    let mut m: Box<dyn Machine<f32>> = machine.expect("such a model can be run");
    m.set_clip(&[Some(1.0)]);
    for (name, w) in Param::initial(&model.params(), seed) {
        m.set_param(0, &name, &w.iter().map(|&x| x as f32).collect::<Vec<_>>());
    }
    let mut d = RandomStream::new(seed, Stream::Train, 0);
    let mut set =
        |name: &str, numbers: &[f32]| m.set_input(0, name, numbers).expect("a batch as the model reads it");
    for (name, cols) in [("type", model.sizes.types), ("data", model.sizes.data)] {
        let numbers: Vec<f32> = (0..BATCH * tokens * cols).map(|_| d.uniform() as f32).collect();
        set(name, &numbers);
    }
    let mut target = vec![0.0; BATCH * tokens * VALUES];
    target.chunks_exact_mut(VALUES).for_each(|row| row[d.below(VALUES as u32) as usize] = 1.0);
    set("target", &target);
    set("weight", &vec![1.0; BATCH * tokens]);
    m.load();
    m
}
