//! The paper's protocols on sums and lists: which examples, and how they are learned.

use super::{Adam, Anneal, Predictor, Schedule, TrainConfig};
use crate::engine::reference::Arrays;
use crate::engine::{Elem, Isa};
use crate::model::Arithmetic;
use crate::rng::{RandomStream, Stream};
use crate::task::{Example, Examples, Grocery, SignedSum, Sum, SumTask, Sums};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How a learner is trained on sums, and on which.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SumTraining {
    /// Optimizer steps.
    pub steps: usize,
    /// The optimizer.
    pub adam: Adam,
    /// The examples.
    pub examples: Examples,
    /// The longest gradient, over all of a learner's weights; a longer one is shortened to it.
    pub clip: Option<f64>,
    /// How gates become steps in the last part of training, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anneal: Option<Anneal>,
}

impl SumTraining {
    /// §6: ten fixed sums, 2,000 full-batch steps, Adam 0.005.
    pub fn locking() -> Self {
        SumTraining {
            steps: 2000,
            adam: Adam::new(0.005),
            examples: Examples::Fixed { count: 10, from: Sums::Signed(SignedSum::LOCKING) },
            clip: None,
            anneal: None,
        }
    }

    /// The same training with gates annealed toward steps, which §8 leaves as future work, and an optimizer that
    /// forgets large first gradients sooner. The numbers were chosen on seeds 10001 to 10800 of §6
    /// (docs/crystal.md), which no table uses.
    pub fn annealed(self) -> Self {
        let adam = Adam { learning_rate: 0.015, beta2: 0.95, weight_decay: 0.3, ..self.adam };
        SumTraining { adam, anneal: Some(Anneal { from: 0.6, sharpness: 4.0, rate: 0.01 }), ..self }
    }

    /// §4.1 and §5.3: 2,000 steps of 64 fresh sums, Adam 0.01.
    pub fn ablation() -> Self {
        SumTraining {
            steps: 2000,
            adam: Adam::new(0.01),
            examples: Examples::Fresh { batch: 64, from: Sums::Signed(SignedSum::ABLATION) },
            clip: None,
            anneal: None,
        }
    }

    /// §5.4, the grocery list: as [`SumTraining::ablation`], with lists.
    pub fn grocery() -> Self {
        let examples = Examples::Fresh { batch: 64, from: Sums::Grocery(Grocery::TRAINING) };
        SumTraining { examples, ..SumTraining::ablation() }
    }

    /// How many examples a step sees.
    pub fn batch(&self) -> usize {
        match self.examples {
            Examples::Fixed { count, .. } | Examples::Shuffled { count, .. } => count,
            Examples::Chosen { sums } => sums.count(),
            Examples::Fresh { batch, .. } | Examples::Curriculum { batch, .. } => batch,
        }
    }

    /// Whether every step sees the same examples.
    pub fn is_fixed(&self) -> bool {
        matches!(self.examples, Examples::Fixed { .. } | Examples::Shuffled { .. } | Examples::Chosen { .. })
    }

    /// The sums as a task.
    pub fn task(&self) -> SumTask {
        let (id, ood) = match self.examples {
            Examples::Fixed { from: Sums::Grocery(from), .. }
            | Examples::Fresh { from: Sums::Grocery(from), .. } => {
                (Sums::Grocery(from), Sums::Grocery(Grocery::OOD))
            }
            Examples::Fixed { from, .. } | Examples::Shuffled { from, .. } | Examples::Fresh { from, .. } => {
                (from, Sums::Signed(SignedSum::OOD))
            }
            Examples::Chosen { .. } => (Sums::Signed(SignedSum::LOCKING), Sums::Signed(SignedSum::OOD)),
            Examples::Curriculum { stages, .. } => (Sums::Signed(stages[2]), Sums::Signed(SignedSum::OOD)),
        };
        SumTask { examples: self.examples, steps: self.steps, id, ood }
    }

    /// The rest: how they are learned.
    pub fn config(&self) -> TrainConfig {
        TrainConfig {
            steps: self.steps,
            adam: self.adam,
            clip: self.clip,
            schedule: Schedule::Constant,
            anneal: self.anneal,
        }
    }
}

/// One learner's answers to sums of any length.
///
/// # Panics
/// If the model reads lists, or the weights are not its own.
pub fn predictions<E: Elem>(model: &Arithmetic, isa: Isa, weights: &Arrays, sums: &[Sum]) -> Vec<f64> {
    let examples: Vec<Example> = sums.iter().map(Sum::example).collect();
    let mut predictor = Predictor::<E>::new(&SumTask::SIGNED, Arc::new(*model), weights, isa);
    let outputs = predictor.outputs(&examples).expect("sums fit every model of sums");
    outputs.into_iter().map(|y| y[0]).collect()
}

/// Mean absolute error of the learner `seed` on `count` sums or lists of its own.
///
/// # Panics
/// If the model does not read these, or the weights are not its own.
pub fn mean_absolute_error<E: Elem>(
    model: &Arithmetic,
    isa: Isa,
    (seed, weights): (u64, &Arrays),
    sums: Sums,
    stream: Stream,
    count: usize,
) -> f64 {
    let task = match sums {
        Sums::Signed(_) => SumTask::SIGNED,
        Sums::Grocery(_) => SumTask::GROCERY,
    };
    let mut predictor = Predictor::<E>::new(&task, Arc::new(*model), weights, isa);
    let mut draws = RandomStream::new(seed, stream, 0);
    let error = predictor.mean_absolute_error(count, |batch, n| sums.draw_into(n, &mut draws, batch));
    error.expect("sums fit every model of sums")
}
