//! Classifiers are made simpler without changing an answer, and what is said of them is so.

use std::sync::Arc;
use strat::crystal::Simplified;
use strat::data::DataFolder;
use strat::engine::Isa;
use strat::model::{Architecture, BlockModel};
use strat::task::{DataTask, Entry, Example};
use strat::train::{Predictor, TrainConfig, Trainer};

fn best(logits: &[f64]) -> usize {
    (1..logits.len()).fold(0, |best, i| if logits[i] > logits[best] { i } else { best })
}

fn answers(
    task: &DataTask,
    inputs: &[Example],
    model: BlockModel,
    weights: &strat::engine::reference::Arrays,
) -> Vec<usize> {
    let isa = Isa::detect().unwrap();
    let mut predictor = Predictor::new(task, Arc::new(model), weights, isa);
    predictor.outputs(inputs).unwrap().iter().map(|l| best(l)).collect()
}

#[test]
fn answers_stay_the_same_on_every_input() {
    let isa = Isa::detect().unwrap();
    let folder = DataFolder::find(Some("no such folder".into()));
    for (name, steps) in [("threeof9", 600), ("parity5", 60)] {
        let entry = Entry::named(name).unwrap();
        let (task, model) = (entry.load(&folder, None).unwrap(), entry.model(Architecture::Strat));
        let config = TrainConfig { steps, ..entry.train }.check().unwrap();
        let mut learner = Trainer::<f32>::new(&task, Arc::new(model), config, isa, &[41]).unwrap();
        while learner.step().unwrap() {}
        let (weights, inputs) = (learner.weights(0), task.inputs().unwrap());
        let simple = Simplified::of(&task, &inputs, model, &weights, isa);
        let before = answers(&task, &inputs, model, &weights);
        assert!(before.contains(&0) && before.contains(&1), "{name}: a learner with one answer shows nothing");
        assert_eq!(answers(&task, &inputs, model, &simple.weights), before, "{name}");

        let Simplified { units, gates, heads, weights_left, .. } = &simple;
        let nonzero = |w: &strat::engine::reference::Arrays| w.values().flatten().filter(|x| **x != 0.0).count();
        assert_eq!(*weights_left, [nonzero(&weights), nonzero(&simple.weights)]);
        assert!(weights_left[1] < weights_left[0] / 2, "{name}: {weights_left:?}");
        let head = &simple.weights["head.weight"];
        let read = (0..head.len() / 2).filter(|j| head[*j] != 0.0 || head[head.len() / 2 + j] != 0.0).count();
        assert_eq!((units[0].left, units[0].all), (read, 32));
        assert_eq!(heads.unused + heads.mean + heads.hard + heads.soft, 4 * model.sizes.layers);
        assert!(gates.constant + gates.steps + gates.soft <= 100 * model.sizes.layers);
    }
}

#[test]
fn only_strat_classifiers_are_simplified() {
    for (name, architecture, expected) in [
        ("threeof9", Architecture::Strat, true),
        ("threeof9", Architecture::Transformer, false),
        ("satlib", Architecture::Strat, false),
        ("sudoku", Architecture::Strat, false),
    ] {
        assert_eq!(Simplified::applies(&Entry::named(name).unwrap().model(architecture)), expected, "{name}");
    }
}
