//! A rule from a table of one's own: a population of STRAT and other classifiers are taught, and rows left out decide how
//! much each has to say.
//!
//! [`held_out`]: what each part says about rows that it was not shown, and the weights that follow. [`mixture`]: the parts by
//! these weights, which answer. [`estimate`]: how long that will take. [`run`]: the population as a run like any other. [`rule`]: the rule that is told, or why none
//! is. [`next`]: what to ask about next. [`learned`]: what else was learned;
//! [`certificate`]: a population's answers to all inputs; [`code`]: these as a function of another language.
//!
//! Many rules fit ten rows, and a simple one is often the better guess. So one population's weights decay a hundred times
//! faster than in the paper's training ([`config`]), and another's do not; the table chooses.

pub mod certificate;
pub mod code;
pub mod estimate;
pub mod held_out;
pub mod learned;
pub mod mixture;
pub mod next;
pub mod rule;
pub mod run;
pub(crate) mod tree;

use crate::config::ValidConfig;
use crate::engine::Isa;
use crate::engine::reference::Arrays;
use crate::model::{Architecture, BlockConfig, BlockModel, Readout};
use crate::rng::{RandomStream, Stream};
use crate::sweep::Progress;
use crate::task::{DataTask, Example, Target};
use crate::train::{Adam, Predictor, TrainConfig, Trainer, learners_per_machine};
use rayon::prelude::*;
use std::sync::Arc;

/// The paper's model for tables, as wide as this one needs.
pub fn model_of(task: &DataTask, architecture: Architecture) -> BlockModel {
    let shape = task.shape();
    let sizes = BlockConfig {
        types: shape.types,
        data: shape.data,
        stream: shape.types + shape.data,
        route: Some(shape.data),
        readout: task.readout(),
        ..BlockConfig::TABULAR
    };
    BlockModel { architecture, sizes }
}

/// How learners of such a table are trained: as the paper trains those of its tables, for fewer epochs and with a weight
/// decay that may be another than its 0.01. With 1, a learner that was shown ten random rows of ThreeOf9 is right on all
/// others (docs/guide.md).
pub fn config(weight_decay: f64) -> TrainConfig {
    let paper = TrainConfig::DEFAULT;
    TrainConfig { steps: EPOCHS, adam: Adam { weight_decay, ..paper.adam }, ..paper }
}

/// Epochs of a learner.
const EPOCHS: usize = 400;

/// Rows by which learners are made more careful.
const CAREFUL: f64 = 2.0;

/// Random words for forests.
pub(crate) fn random(tree: u32) -> Box<dyn FnMut() -> u32> {
    let mut draws = RandomStream::new(0, Stream::Pick, 2 + tree);
    Box::new(move || draws.word())
}

/// The most probable class; of several the first.
pub(crate) fn most(probabilities: &[f64]) -> usize {
    (0..probabilities.len())
        .reduce(|best, c| if probabilities[c] > probabilities[best] { c } else { best })
        .unwrap_or(0)
}

/// Logits as probabilities; none if one is NaN.
pub(crate) fn softmax(logits: &[f64]) -> Option<Vec<f64>> {
    let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = logits.iter().map(|x| libm::exp(x - most)).collect();
    let all: f64 = powers.iter().sum();
    all.is_finite().then(|| powers.into_iter().map(|p| p / all).collect())
}

/// Makes probabilities as much more careful as some rows more, of all classes by their shares, would: learners are sure of
/// what they say, whatever they were shown.
pub(crate) fn temper(probabilities: &mut [f64], rows: usize, shares: &[f64]) {
    let n = rows as f64;
    probabilities.iter_mut().zip(shares).for_each(|(p, share)| *p = (*p * n + CAREFUL * share) / (n + CAREFUL));
}

/// What a population says of each input: the mean of its learners' probabilities.
pub(crate) fn probabilities(
    task: &DataTask,
    model: BlockModel,
    learners: &[Arrays],
    inputs: &[Vec<u8>],
    isa: Isa,
) -> Vec<Vec<f64>> {
    let examples: Vec<Example> = inputs.iter().map(|i| Example::new(i.clone(), Target::Class(0))).collect();
    let of = |weights: &Arrays| {
        let mut predictor = Predictor::new(task, Arc::new(model), weights, isa);
        predictor.outputs(&examples).expect("the model is one of this task")
    };
    let said: Vec<Vec<Vec<f64>>> = learners.par_iter().map(of).collect();
    let classes = if let Readout::Class(classes) = task.readout() { classes } else { 0 };
    let mean = |i: usize| {
        let learned: Vec<Vec<f64>> = said.iter().filter_map(|outputs| softmax(&outputs[i])).collect();
        let n = learned.len() as f64;
        if learned.is_empty() {
            return vec![1.0 / classes as f64; classes];
        }
        (0..classes).map(|c| learned.iter().map(|p| p[c]).sum::<f64>() / n).collect()
    };
    (0..inputs.len()).map(mean).collect()
}

/// Teaches a learner for each seed, on the current thread pool. Each comes out the same, whatever the others. `progress`
/// hears of epochs of learners.
pub fn teach(
    task: &DataTask,
    model: BlockModel,
    config: ValidConfig,
    seeds: &[u64],
    isa: Isa,
    progress: Progress<'_>,
) -> Vec<Arrays> {
    let group = |seeds: &[u64]| {
        let trainer = Trainer::<f32>::new(task, Arc::new(model), config, isa, seeds);
        let mut trainer = trainer.expect("the model is one of this task");
        while trainer.step().expect("its examples fit the model") {
            progress(seeds.len() as u64);
        }
        (0..seeds.len()).map(|i| trainer.weights(i)).collect::<Vec<_>>()
    };
    seeds.par_chunks(learners_per_machine::<f32>(task, &model, isa)).flat_map_iter(group).collect()
}

/// What each learner answers to each input: classes by learner.
pub(crate) fn answers(
    task: &DataTask,
    model: BlockModel,
    learners: &[Arrays],
    inputs: &[Example],
    isa: Isa,
) -> Vec<Vec<u8>> {
    let of = |weights: &Arrays| {
        let mut predictor = Predictor::new(task, Arc::new(model), weights, isa);
        predictor.classes(inputs).expect("the model is one of this task")
    };
    learners.par_iter().map(of).collect()
}

/// What a population says about each input.
pub(crate) fn votes(
    task: &DataTask,
    model: BlockModel,
    learners: &[Arrays],
    inputs: &[Vec<u8>],
    isa: Isa,
) -> Vec<Vote> {
    let examples: Vec<Example> = inputs.iter().map(|i| Example::new(i.clone(), Target::Class(0))).collect();
    let said = answers(task, model, learners, &examples, isa);
    let classes = if let Readout::Class(classes) = task.readout() { classes } else { 0 };
    (0..inputs.len()).map(|i| vote(said.iter().map(|l| l[i]), classes)).collect()
}

/// What a population says about an input.
#[derive(Clone, Debug, PartialEq)]
pub struct Vote {
    /// The class that most learners give; of several the first.
    pub class: u8,
    /// The share of learners that gives it, which is no probability: learners agree on what they were taught, right or
    /// wrong. Of a mixture, its probability.
    pub agreement: f64,
}

/// Counts the answers to one input.
pub fn vote(answers: impl IntoIterator<Item = u8>, classes: usize) -> Vote {
    let mut counts = vec![0usize; classes];
    let mut all = 0;
    for class in answers {
        all += 1;
        // A learner that has diverged has no vote.
        if let Some(count) = counts.get_mut(usize::from(class)) {
            *count += 1;
        }
    }
    let best = (0..classes).reduce(|best, c| if counts[c] > counts[best] { c } else { best }).unwrap_or(0);
    Vote { class: best as u8, agreement: counts[best] as f64 / all.max(1) as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::table::Told;
    use crate::task::table::sheet::Header;
    use crate::task::table::{LabelledTable, Sheet, Symmetries, TableTask};
    use std::path::Path;

    #[test]
    fn most_votes_win_and_the_first_of_equals() {
        assert_eq!(vote([0, 1, 1, 1], 2), Vote { class: 1, agreement: 0.75 });
        assert_eq!(vote([1, 0], 2), Vote { class: 0, agreement: 0.5 });
        // One that has diverged does not agree with anyone.
        assert_eq!(vote([1, u8::MAX], 2), Vote { class: 1, agreement: 0.5 });
    }

    /// `ok` is whether the size is large; colours do not matter.
    #[test]
    fn a_plain_rule_is_learned_from_a_table() {
        let mut text = String::from("size,colour,ok\n");
        for (size, ok) in [("small", "no"), ("medium", "no"), ("large", "yes")] {
            for colour in ["red", "green", "blue"].iter().take(if size == "medium" { 2 } else { 3 }) {
                text += &format!("{size},{colour},{ok}\n");
            }
        }
        let sheet = Sheet::parse(Path::new("t.csv"), text.as_bytes(), Header::Present).unwrap();
        let labelled = LabelledTable::of(&sheet, "ok", &Told::default(), &Symmetries::default()).unwrap();
        let own = TableTask::new(labelled, Symmetries::default());
        let task = own.task("t").unwrap();
        let model = model_of(&task, Architecture::Strat);
        assert!(model.fits(task.shape(), task.readout()));
        let config = TrainConfig { steps: 300, ..config(1.0) }.check().unwrap();
        let isa = Isa::detect().unwrap();
        let learners = teach(&task, model, config, &[1, 2, 3], isa, &|_| {});
        assert_eq!(learners[1], teach(&task, model, config, &[2], isa, &|_| {})[0], "each by itself");
        // The row that is not in the table: medium and blue.
        let field = |i: usize, value: &str| own.schema.fields[i].read(value).0;
        let new = Example::new(vec![field(0, "medium"), field(1, "blue")], Target::Class(0));
        let said = answers(&task, model, &learners, std::slice::from_ref(&new), isa);
        assert_eq!(vote(said.iter().map(|l| l[0]), 2).class, 0);
    }
}
