//! A learner depends on its seed alone: not on its neighbours, the population's size, the
//! number of threads, or the order of seeds.

use std::sync::Arc;
use strat::engine::Isa;
use strat::model::{Lite, Model, Precision, Types, Unit, Unityped};
use strat::rng::Stream;
use strat::task::{SignedSum, SumTask};
use strat::train::{Adam, Learner, Population, TrainConfig};

/// Every bit of what a learner became and how it scored.
fn bytes(learners: &[Learner], errors: &[f64]) -> Vec<(u64, Vec<u8>)> {
    let one = |(l, e): (&Learner, &f64)| {
        let mut out = vec![];
        for (name, w) in &l.weights {
            out.extend(name.as_bytes());
            w.iter().for_each(|x| out.extend(x.to_le_bytes()));
        }
        out.extend(l.final_loss.to_le_bytes());
        l.losses.iter().for_each(|x| out.extend(x.to_le_bytes()));
        out.extend(e.to_le_bytes());
        (l.seed, out)
    };
    let mut all: Vec<_> = learners.iter().zip(errors).map(one).collect();
    all.sort();
    all
}

fn run(p: &Population, seeds: &[u64], threads: usize) -> Vec<(u64, Vec<u8>)> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let learners = p.train(seeds, &|_| {}).unwrap();
        let errors = p.errors(&learners, SignedSum::OOD, Stream::TestOod, 60).unwrap();
        bytes(&learners, &errors)
    })
}

fn check(model: impl Model + 'static, precision: Precision, task: SumTask, config: TrainConfig) {
    let model = Arc::new(model);
    for isa in Isa::all_available() {
        let p = Population::new(Arc::new(task), model.clone(), config, isa).unwrap().with_precision(precision);
        let three = [7, 8, 9];
        let sixty_four: Vec<u64> = (0..64).rev().collect();
        let alone: Vec<_> = three.iter().flat_map(|&s| run(&p, &[s], 1)).collect();
        for (seeds, threads) in [(&three[..], 1), (&three[..], 2), (&sixty_four, 1), (&sixty_four, 2)] {
            let all = run(&p, seeds, threads);
            let ours: Vec<_> = all.into_iter().filter(|l| three.contains(&l.0)).collect();
            assert!(ours == alone, "{model:?} {isa}: {} seeds on {threads} threads differ", seeds.len());
        }
        // And it can fail: another seed is another learner.
        assert_ne!(alone[0].1, alone[1].1);
    }
}

const SHORT: TrainConfig = TrainConfig { steps: 40, adam: Adam::new(0.005), clip: None, ..TrainConfig::DEFAULT };

#[test]
fn lite_f32() {
    for (width, heads) in [(2, 2), (4, 1)] {
        check(Lite { width, heads, types: Types::Latent }, Precision::F32, SumTask::LOCKING, SHORT);
    }
}

#[test]
fn lite_f64_on_fresh_samples() {
    let lite = Lite { width: 4, heads: 1, types: Types::Fixed };
    check(lite, Precision::F64, SumTask::ABLATION, SHORT);
}

#[test]
fn config_a_f32() {
    check(Unityped::A, Precision::F32, SumTask::LOCKING, SHORT);
}

/// Large tables and the clipped gradient, whose length is each learner's own.
#[test]
fn nac_f64_with_clipping() {
    assert_eq!(Unit::Nac.precision(), Precision::F64);
    let config = TrainConfig { steps: 2, clip: Some(1.0), ..SHORT };
    check(Unit::Nac, Precision::F64, SumTask::LOCKING, config);
}

/// The batch, and so the order of every sum, is the same for one vector or many: chunks
/// are planned from the model, never from the population.
#[test]
fn evaluation_does_not_depend_on_how_many_are_evaluated_together() {
    let model = Arc::new(Lite { width: 3, heads: 1, types: Types::Latent });
    let p = Population::new(Arc::new(SumTask::LOCKING), model, SHORT, Isa::detect().unwrap()).unwrap();
    let learners = p.train(&(0..20).collect::<Vec<_>>(), &|_| {}).unwrap();
    let together = p.errors(&learners, SignedSum::OOD, Stream::TestOod, 130).unwrap();
    for (l, e) in learners.iter().zip(together) {
        let alone = p.errors(std::slice::from_ref(l), SignedSum::OOD, Stream::TestOod, 130).unwrap();
        assert_eq!(alone, [e]);
    }
}
