//! Learners of one model on one task, side by side: trained, saved on the way, and scored.

use super::Interrupted;
use super::run::TrainContext;
use crate::config::ValidConfig;
use crate::engine::{Elem, Isa};
use crate::metric::Metric;
use crate::model::{Model, Precision};
use crate::result::LearnerResult;
use crate::task::Task;
use crate::train::{Learner, Predictor, State, TrainError, Trainer, learners_per_machine};
use std::sync::Arc;

/// What a trained learner scores.
pub type Scores = Vec<(Metric, f64)>;

/// Asks a trained learner for its scores.
pub(super) type Score = Box<dyn Fn(&Learner, &mut Predictor<'_>) -> Result<Scores, TrainError> + Send + Sync>;

/// A learner to be trained: the number of its row, how it is trained, its seed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    /// The row in the plan.
    pub row: usize,
    /// How it is trained.
    pub config: ValidConfig,
    /// Its seed.
    pub seed: u64,
}

/// How many learners are best trained at once.
pub(super) fn at_once(task: &dyn Task, model: &dyn Model, isa: Isa) -> usize {
    match model.precision() {
        Precision::F32 => learners_per_machine::<f32>(task, model, isa),
        Precision::F64 => learners_per_machine::<f64>(task, model, isa),
    }
}

/// Trains learners side by side and scores them.
pub(super) fn learn(
    task: &dyn Task,
    model: &Arc<dyn Model>,
    jobs: &[Job],
    context: &TrainContext<'_>,
    (score, cost): (&Score, u64),
) -> Result<Vec<LearnerResult>, Interrupted> {
    let learners = match model.precision() {
        Precision::F32 => train::<f32>(task, model, jobs, context, cost)?,
        Precision::F64 => train::<f64>(task, model, jobs, context, cost)?,
    };
    let mut predictor: Option<Predictor<'_>> = None;
    let record = |learner: Learner| {
        // A machine is made once for all of them.
        let predictor = match &mut predictor {
            Some(predictor) => {
                predictor.set_weights(&learner.weights);
                predictor
            }
            none => none.insert(Predictor::new(task, model.clone(), &learner.weights, context.isa)),
        };
        let scores = score(&learner, predictor)?;
        (context.progress)(1);
        Ok(LearnerResult::new(learner, scores))
    };
    learners.into_iter().map(record).collect()
}

fn train<E: Elem>(
    task: &dyn Task,
    model: &Arc<dyn Model>,
    jobs: &[Job],
    context: &TrainContext<'_>,
    cost: u64,
) -> Result<Vec<Learner>, Interrupted> {
    let learners: Vec<_> = jobs.iter().map(|job| (job.config, job.seed)).collect();
    let mut trainer = Trainer::<E>::of_learners(task, model.clone(), &learners, context.isa)?;
    trainer.join_crew(context.crew);
    let each = jobs.len() as u64 * cost;
    let saved = jobs.iter().map(|job| context.saved(job)).collect::<Result<Option<Vec<State<E>>>, _>>()?;
    // Learners side by side go on together or not at all; those few steps are soon made good.
    if let Some(states) = saved.filter(|states| states.iter().all(|s| s.step == states[0].step)) {
        (context.progress)(each * states[0].step as u64);
        trainer.resume(&states)?;
    }
    let mut pace = context.pace();
    while trainer.step()? {
        (context.progress)(each);
        let stopped = context.stopped();
        if stopped || context.is_due(&pace) {
            let mut jobs = jobs.iter().enumerate();
            pace.save(|| jobs.try_for_each(|(i, job)| context.save(job, &trainer.state(i))))?;
        }
        if stopped {
            return Err(Interrupted::Stopped);
        }
    }
    Ok((0..jobs.len()).map(|i| trainer.learner(i)).collect())
}
