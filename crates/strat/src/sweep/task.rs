//! Learners of one task, side by side: trained, saved on the way, and scored.

use super::{Interrupted, TrainContext};
use crate::metric::Metric;
use crate::model::Model;
use crate::result::LearnerResult;
use crate::task::Task;
use crate::train::{Learner, Predictor, State, TrainConfig, TrainError, Trainer};
use std::sync::Arc;
use std::time::Instant;

/// What a trained learner scores.
pub type Scores = Vec<(Metric, f64)>;

/// Asks a trained learner of a seed for its scores.
pub type Score<'a> = dyn Fn(u64, &mut Predictor<'_>) -> Result<Scores, TrainError> + Sync + 'a;

/// Trains a learner for each seed, side by side, and scores them.
pub fn learn(
    task: &dyn Task,
    model: Arc<dyn Model>,
    config: TrainConfig,
    seeds: &[u64],
    context: &TrainContext<'_>,
    score: &Score<'_>,
) -> Result<Vec<LearnerResult>, Interrupted> {
    let mut trainer = Trainer::<f32>::new(task, model.clone(), config, context.isa, seeds)?;
    let count = seeds.len() as u64;
    let saved = seeds.iter().map(|&seed| context.saved(seed)).collect::<Result<Option<Vec<State>>, _>>()?;
    // Learners side by side go on together or not at all; those few steps are soon made good.
    if let Some(states) = saved.filter(|states| states.iter().all(|s| s.step == states[0].step)) {
        (context.progress)(count * states[0].step as u64);
        trainer.resume(&states)?;
    }
    let mut last = Instant::now();
    while trainer.step()? {
        (context.progress)(count);
        let stopped = context.stopped();
        if stopped || context.is_due(last) {
            for (i, &seed) in seeds.iter().enumerate() {
                context.save(seed, &trainer.state(i))?;
            }
            last = Instant::now();
        }
        if stopped {
            return Err(Interrupted::Stopped);
        }
    }
    let learners: Vec<Learner> = (0..seeds.len()).map(|i| trainer.learner(i)).collect();
    // What trained them may hold as much memory as what they answer with.
    drop(trainer);
    let record = |learner: Learner| {
        let mut predictor = Predictor::new(task, model.clone(), &learner.weights, context.isa);
        let scores = score(learner.seed, &mut predictor)?;
        Ok(LearnerResult::new(learner, scores))
    };
    learners.into_iter().map(record).collect()
}
