//! The trainer against the two loops that it replaces: the same bits.

use super::config::{self, Precision};
use super::predictor::Predictor;
use super::task::{Apprentices, Lessons};
use super::trainer::Trainer;
use super::{Answerer, Population, TrainConfig};
use crate::data::DataFolder;
use crate::engine::{Elem, Isa};
use crate::model::{Architecture, Arithmetic, Blocks, Config, Lite, Types};
use crate::rng::Stream;
use crate::task::sums::SumTask;
use crate::task::{self, Grocery, SignedSum, Split, Sums};
use std::sync::Arc;

fn new_config(old: &TrainConfig) -> config::TrainConfig {
    config::TrainConfig {
        steps: old.steps,
        adam: old.adam,
        clip: old.clip,
        anneal: old.anneal.map(|a| config::Anneal { from: a.from, sharpness: a.sharpness, rate: a.rate }),
        precision: Precision::F32,
    }
}

fn sums<E: Elem>(model: Arithmetic, old: TrainConfig, [id, ood]: [Sums; 2]) {
    let isa = Isa::detect().unwrap();
    let seeds = [1, 2, 3, 9, 10];
    let task = SumTask { examples: old.examples, steps: old.steps, id, ood };
    let population = Population::<E>::new(model, old, isa);
    let before = population.train(&seeds, &|_| {});
    let errors = population.errors(&before, ood, Stream::TestOod, 1000);
    let mut after = vec![];
    for seeds in seeds.chunks(isa.lanes::<E>()) {
        let mut trainer = Trainer::<E>::new(&task, Arc::new(model), new_config(&old), isa, seeds).unwrap();
        for _ in 0..old.steps / 3 {
            assert!(trainer.step().unwrap());
        }
        // Left and taken up again.
        let states: Vec<_> = (0..seeds.len()).map(|i| trainer.state(i)).collect();
        let mut trainer = Trainer::<E>::new(&task, Arc::new(model), new_config(&old), isa, seeds).unwrap();
        trainer.resume(&states).unwrap();
        while trainer.step().unwrap() {}
        after.extend((0..seeds.len()).map(|i| trainer.learner(i)));
    }
    assert_eq!(after.len(), before.len());
    for ((before, after), error) in before.iter().zip(&after).zip(errors) {
        assert_eq!(before.weights, after.weights, "{model:?}");
        assert_eq!((&before.losses, before.final_loss.to_bits()), (&after.losses, after.final_loss.to_bits()));
        let mut predictor = Predictor::<E>::new(&task, Arc::new(model), &after.weights, isa);
        assert_eq!(predictor.test(Split::Ood, after.seed).unwrap(), error, "{model:?}");
    }
}

#[test]
fn sums_and_lists() {
    let signed = [SignedSum::ABLATION, SignedSum::OOD].map(Sums::Signed);
    let lite = |types| Arithmetic::Lite(Lite { width: 4, heads: 1, types });
    let short = |config: TrainConfig| TrainConfig { steps: 60, ..config };
    sums::<f32>(lite(Types::Latent), short(TrainConfig::locking()), signed);
    sums::<f32>(lite(Types::Latent), short(TrainConfig::locking().annealed()), signed);
    sums::<f32>(lite(Types::Fixed), short(TrainConfig::ablation()), signed);
    sums::<f32>(Arithmetic::Unityped(Config::Bfl), short(TrainConfig::ablation()), signed);
    sums::<f64>(Arithmetic::Nac, TrainConfig { clip: Some(1.0), ..short(TrainConfig::locking()) }, signed);
    let lists = [Grocery::TRAINING, Grocery::OOD].map(Sums::Grocery);
    sums::<f32>(lite(Types::Items), short(TrainConfig::grocery()), lists);
}

#[test]
fn data_sets() {
    let isa = Isa::detect().unwrap();
    let nowhere = DataFolder::find(Some("/nonexistent".into()));
    for (name, epochs) in [("parity5", 20), ("threeof9", 20), ("life", 4), ("satbench", 3), ("sudoku", 2)] {
        for architecture in Architecture::ALL {
            let task = task::entry(name).unwrap().load(&nowhere, None).unwrap();
            let mut model = Blocks::paper(name, architecture);
            model.sizes.layers = model.sizes.layers.min(2);
            let lessons = Lessons { epochs, ..Lessons::paper(name) };
            let config = config::TrainConfig {
                steps: epochs,
                adam: lessons.adam,
                clip: Some(lessons.clip),
                ..config::TrainConfig::default()
            };
            let mut before = Apprentices::new(&task, model, lessons, isa, &[41]);
            while before.learn() {}
            let mut after = Trainer::<f32>::new(&task, Arc::new(model), config, isa, &[41]).unwrap();
            while after.step().unwrap() {}
            let (then, now) = (before.state(0), after.state(0));
            assert_eq!(then.params, now.params, "{name}");
            assert_eq!((then.window, then.last_loss, then.losses), (now.window, now.last_loss, now.losses), "{name}");
            let weights = after.weights(0);
            let mut examples = task.split(Split::Id).to_vec();
            examples.truncate(100);
            let old = Answerer::new(&task, model, &weights, isa).logits(&examples);
            let new = Predictor::<f32>::new(&task, Arc::new(model), &weights, isa).outputs(&examples).unwrap();
            let old: Vec<Vec<f64>> = old.into_iter().map(|l| l.into_iter().map(f64::from).collect()).collect();
            assert_eq!(old, new, "{name}");
        }
    }
}
