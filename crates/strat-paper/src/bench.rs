//! How fast, and what share of the machine: measurements for `strat bench`.

mod growth;

use crate::experiment::locking;
use rayon::prelude::*;
use serde::Serialize;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use strat::engine::{Crew, Isa, optimized, step_flops};
use strat::model::{Architecture, Lite, Model};
use strat::rng::Stream;
use strat::task::{DataTask, Entry, SignedSum, SumTask, Task};
use strat::train::{Population, TrainConfig, Trainer};

pub use growth::{Axis, Cost, growth};

/// One line of `strat bench locking --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Locking {
    /// `locking`, as the peers print it.
    pub work: &'static str,
    /// STRAT-Lite 4D learners trained and tested per second.
    pub learners_per_s: f64,
    /// Threads used.
    pub threads: usize,
    /// Learners trained.
    pub learners: usize,
    /// Instruction set.
    pub isa: &'static str,
    /// Arithmetic actually carried out in training, 10⁹ per second.
    pub gflops: f64,
    /// What the same threads reach on independent fused multiply-adds, 10⁹ per second.
    pub peak_gflops: f64,
    /// The first as a share of the second.
    pub peak_share: f64,
    /// Arithmetic that the model as written would have needed, per arithmetic carried out.
    pub algebra: f64,
}

/// Trains and tests `seeds` learners of [`Lite::STANDARD`] on the current thread pool,
/// then measures the peak on the same threads.
pub fn locking(seeds: &[u64], isa: Isa, progress: &(dyn Fn(u64) + Sync)) -> Locking {
    const FITS: &str = "sums fit every model of sums";
    let task = SumTask::LOCKING;
    let config = task.paper().expect("it is the paper's").train;
    let start = Instant::now();
    let population = Population::new(Arc::new(task), Arc::new(Lite::STANDARD), config, isa).expect(FITS);
    let learners = population.train(seeds, &|done| progress(done as u64)).expect(FITS);
    black_box(population.errors(&learners, task.ood, Stream::TestOod, locking::TEST_SUMS)).expect(FITS);
    let seconds = start.elapsed().as_secs_f64();

    let batch = task.examples.batch();
    let built = Lite::STANDARD.build(SignedSum::TOKENS);
    let (fast, _) = optimized(&built.graph, &[built.output, built.loss]);
    let (carried_out, as_written) = (step_flops(&fast, batch), step_flops(&built.graph, batch));
    let learners_per_s = seeds.len() as f64 / seconds;
    let gflops = learners_per_s * (config.steps * carried_out) as f64 / 1e9;
    let peak_gflops = peak(isa);
    Locking {
        work: "locking",
        learners_per_s,
        threads: rayon::current_num_threads(),
        learners: seeds.len(),
        isa: isa.name(),
        gflops,
        peak_gflops,
        peak_share: gflops / peak_gflops,
        algebra: as_written as f64 / carried_out as f64,
    }
}

/// One line of `strat bench sudoku --json` and its like.
#[derive(Clone, Debug, Serialize)]
pub struct Epochs {
    /// The task.
    pub work: String,
    /// `strat` or `transformer`.
    pub model: &'static str,
    /// Time of one learner's epoch on one thread, or on several that help each other: the examples drawn and encoded,
    /// forward, backward, optimizer. The mean of the best of [`ROUNDS`], as neighbours on the machine only ever slow it down.
    pub ms_per_epoch: f64,
    /// Threads used.
    pub threads: usize,
    /// Those that train a machine of their own; the others help them.
    pub machines: usize,
    /// Learners side by side on each machine; the time is divided by their number.
    pub learners: usize,
    /// Epochs that each did in a round.
    pub epochs: usize,
    /// Instruction set.
    pub isa: &'static str,
    /// What is not the paper's data; none if all of it is.
    pub stand_in: Option<String>,
    /// Arithmetic carried out, 10⁹ per second, on all threads.
    pub gflops: f64,
    /// What the same threads reach on independent fused multiply-adds, 10⁹ per second.
    pub peak_gflops: f64,
    /// The first as a share of the second.
    pub peak_share: f64,
}

/// Rounds of [`epochs`].
pub const ROUNDS: usize = 5;

/// Learners of a task that are trained at once, where several are: as many as the paper trains.
const SIDE_BY_SIDE: usize = 10;

/// Trains learners of a task on the threads of the current pool for about `seconds` a round, then measures the peak on the
/// same threads. Each thread has a machine of its own, unless that would be more than `most` learners: then the others help.
pub fn epochs(task: &DataTask, architecture: Architecture, most: Option<usize>, seconds: f64, isa: Isa) -> Epochs {
    let threads = rayon::current_num_threads();
    let entry = Entry::named(task.name()).expect("a task of the paper");
    let model = entry.model(architecture);
    let config =
        TrainConfig { steps: TrainConfig::MOST_STEPS, ..entry.train }.check().expect("the paper's training");
    let at_once = Trainer::<f32>::learners_per_machine(task, &model, isa).min(SIDE_BY_SIDE);
    let learners = at_once.min(most.unwrap_or(at_once));
    let machines = threads.min(most.map_or(threads, |most| most.div_ceil(learners)));
    let crew = Crew::new();
    let start = |thread: usize| {
        let seeds: Vec<u64> = (0..learners).map(|i| (thread * learners + i) as u64).collect();
        let mut trainer =
            Trainer::new(task, Arc::new(model), config, isa, &seeds).expect("the paper's model of this task");
        trainer.join_crew(&crew);
        Mutex::new(trainer)
    };
    let groups: Vec<Mutex<Trainer<'_>>> = (0..machines).into_par_iter().map(start).collect();
    let teach = |epochs: usize| {
        let (start, next) = (Instant::now(), AtomicUsize::new(0));
        rayon::broadcast(|_| {
            crew.work(|| {
                let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                let mut trainer = group.lock().expect("no other has it");
                assert!((0..epochs).all(|_| trainer.step().is_ok_and(|more| more)));
            });
        });
        start.elapsed().as_secs_f64()
    };
    // The first epochs touch memory for the first time.
    teach(2);
    let epochs = ((seconds / teach(3) * 3.0).ceil() as usize).clamp(3, TrainConfig::MOST_STEPS / (ROUNDS + 1));
    let time = (0..ROUNDS).map(|_| teach(epochs)).fold(f64::INFINITY, f64::min) / (epochs * learners) as f64;
    let flops = groups[0].lock().expect("nobody has it").step_flops();
    let gflops = (machines * flops) as f64 / time / 1e9;
    let peak_gflops = peak(isa);
    Epochs {
        work: task.name().into(),
        model: architecture.name(),
        ms_per_epoch: 1e3 * time,
        threads,
        machines,
        learners,
        epochs,
        isa: isa.name(),
        stand_in: task.stand_in().map(String::from),
        gflops,
        peak_gflops,
        peak_share: gflops / peak_gflops,
    }
}

/// The most arithmetic that the current pool's threads reach together, 10⁹ per second: the best of several rounds.
pub fn peak(isa: Isa) -> f64 {
    let round = || rayon::broadcast(|_| isa.peak_gflops()).into_iter().sum::<f64>();
    (0..5).map(|_| round()).fold(0.0, f64::max)
}
