//! Whole learners of the data-set tasks: what they reach, and that they depend on their seed alone.

use std::sync::Arc;
use strat::config::Setting;
use strat::data::DataFolder;
use strat::engine::Isa;
use strat::engine::reference::Arrays;
use strat::model::Architecture;
use strat::task::{DataTask, Entry};
use strat::train::{TrainConfig, Trainer};
use strat_paper::experiment::tasks;

/// Tasks that are made by rule, or with stand-ins: no files are needed.
fn task(name: &str) -> DataTask {
    let nowhere = DataFolder::find(Some("/nonexistent".into()));
    Entry::named(name).unwrap().load(&nowhere, None).unwrap()
}

fn short(name: &str, steps: usize) -> TrainConfig {
    TrainConfig { steps, ..Entry::named(name).unwrap().train }
}

/// By rule, so that it is the paper's task on every machine: one seed, all epochs.
#[test]
fn parity5_is_learned_from_ten_assignments() {
    let entry = Entry::named("parity5").unwrap();
    let isa = Isa::detect().unwrap();
    let setting = Setting::new("STRAT", entry.model(Architecture::Strat).into(), entry.train);
    let plan = tasks::plan(&Arc::new(task("parity5")), &[setting]).unwrap();
    for cell in &plan.run("41..41".parse().unwrap(), isa, &|_| {}).summary.cells {
        assert!(cell.value >= 0.96, "{}: {}", cell.metric.name, cell.value);
    }
}

/// Every readout, fixed examples and fresh ones, both models.
#[test]
fn a_learner_depends_on_its_seed_alone() {
    for (name, steps) in [("parity5", 20), ("threeof9", 20), ("life", 4), ("sudoku", 1), ("satbench", 2)] {
        let task = task(name);
        for isa in Isa::all_available() {
            let run = |seeds: &[u64], threads: usize| -> Vec<(u64, Arrays)> {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let model = Entry::named(name).unwrap().model(Architecture::Strat);
                let train = |seeds: &[u64]| -> Vec<(u64, Arrays)> {
                    let config = short(name, steps).check().unwrap();
                    let mut learners = Trainer::<f32>::new(&task, Arc::new(model), config, isa, seeds).unwrap();
                    while learners.step().unwrap() {}
                    seeds.iter().enumerate().map(|(i, &seed)| (seed, learners.weights(i))).collect()
                };
                use rayon::prelude::*;
                pool.install(|| {
                    seeds
                        .par_chunks(Trainer::<f32>::learners_per_machine(&task, &model, isa))
                        .flat_map_iter(train)
                        .collect()
                })
            };
            let alone = run(&[42], 1);
            let several = run(&[41, 42, 43], 2);
            assert_eq!(alone[0], several[1], "{name} {isa}");
            assert_ne!(several[0].1, several[1].1, "{name} {isa}: seeds differ");
        }
    }
}

/// A narrow window is widened when the scores ask for it, with nothing lost on the way.
#[test]
fn a_window_that_becomes_too_narrow_is_widened() {
    use strat::model::AttentionMask;
    let task = task("satbench");
    let isa = Isa::detect().unwrap();
    let learn = |window: usize| {
        let mut model = Entry::named("satbench").unwrap().model(Architecture::Strat);
        model.sizes.mask = AttentionMask::Causal(window);
        let config = short("satbench", 3).check().unwrap();
        let mut learner = Trainer::<f32>::new(&task, Arc::new(model), config, isa, &[41]).unwrap();
        while learner.step().unwrap() {}
        learner.weights(0)
    };
    let (narrow, wide) = (learn(4), learn(256));
    for (name, w) in &wide {
        // Three steps of 0.01 each; sums in another order.
        let near = w.iter().zip(&narrow[name]).all(|(a, b)| (a - b).abs() < 1e-4);
        assert!(near, "{name}: {:?} instead of {w:?}", narrow[name]);
    }
}
