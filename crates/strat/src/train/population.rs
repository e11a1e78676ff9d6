//! Thousands of learners: seeds dealt out in vectors, vectors to threads.

use super::predict::Predictor;
use super::trainer::check;
use super::{Learner, TrainConfig, TrainError, Trainer, learners_per_machine};
use crate::config::ValidConfig;
use crate::engine::{Elem, Isa};
use crate::model::{Model, Precision};
use crate::rng::Stream;
use crate::task::{Example, Split, Sums, Task};
use rayon::prelude::*;
use std::sync::Arc;

/// A task, a model and a way to train it, for any number of seeds.
#[derive(Clone, Debug)]
pub struct Population {
    task: Arc<dyn Task>,
    model: Arc<dyn Model>,
    config: ValidConfig,
    isa: Isa,
    precision: Precision,
}

impl Population {
    /// On the given instruction set. Whether the model can read the task, and the configuration can be, is seen here.
    pub fn new(
        task: Arc<dyn Task>,
        model: Arc<dyn Model>,
        config: TrainConfig,
        isa: Isa,
    ) -> Result<Self, TrainError> {
        let config = config.check()?;
        check(&*task, &*model)?;
        let precision = model.precision();
        Ok(Population { task, model, config, isa, precision })
    }

    /// Whether a model can read a task: its tokens, and every input by name and shape.
    pub fn check(task: &dyn Task, model: &dyn Model) -> Result<(), TrainError> {
        check(task, model)
    }

    pub(super) fn task(&self) -> &dyn Task {
        &*self.task
    }

    pub(super) fn model(&self) -> &Arc<dyn Model> {
        &self.model
    }

    pub(super) fn isa(&self) -> Isa {
        self.isa
    }

    /// The same in other numbers than the model asks for.
    pub fn with_precision(self, precision: Precision) -> Self {
        Population { precision, ..self }
    }

    /// Trains one learner per seed on the current thread pool. Each comes out the same,
    /// bit for bit, whatever the other seeds and however many threads.
    /// `progress` hears of every learner that is done.
    pub fn train(&self, seeds: &[u64], progress: &(dyn Fn(usize) + Sync)) -> Result<Vec<Learner>, TrainError> {
        match self.precision {
            Precision::F32 => self.train_in::<f32>(seeds, progress),
            Precision::F64 => self.train_in::<f64>(seeds, progress),
        }
    }

    fn train_in<E: Elem>(
        &self,
        seeds: &[u64],
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Learner>, TrainError> {
        let group = |seeds: &[u64]| {
            let mut trainer = Trainer::<E>::new(&*self.task, self.model.clone(), self.config, self.isa, seeds)?;
            while trainer.step()? {}
            progress(seeds.len());
            Ok((0..seeds.len()).map(|i| trainer.learner(i)).collect::<Vec<_>>())
        };
        let at_once = learners_per_machine::<E>(&*self.task, &*self.model, self.isa);
        let groups: Result<Vec<Vec<Learner>>, TrainError> = seeds.par_chunks(at_once).map(group).collect();
        Ok(groups?.into_iter().flatten().collect())
    }

    /// What is asked of each learner, one after the other.
    fn ask<T: Send>(
        &self,
        learners: &[Learner],
        ask: impl Fn(&Learner, &mut Predictor<'_>) -> Result<T, TrainError> + Sync,
    ) -> Result<Vec<T>, TrainError> {
        let new = |learner: &Learner| {
            let (task, model) = (&*self.task, self.model.clone());
            Predictor::with_precision(task, model, &learner.weights, self.isa, self.precision)
        };
        let group = |learners: &[Learner]| {
            let mut predictor: Option<Predictor<'_>> = None;
            let one = |learner: &Learner| {
                let predictor = match &mut predictor {
                    Some(predictor) => {
                        predictor.set_weights(&learner.weights);
                        predictor
                    }
                    none => none.insert(new(learner)),
                };
                ask(learner, predictor)
            };
            learners.iter().map(one).collect::<Result<Vec<T>, TrainError>>()
        };
        let groups: Result<Vec<Vec<T>>, TrainError> = learners.par_chunks(GROUP).map(group).collect();
        Ok(groups?.into_iter().flatten().collect())
    }

    /// What each learner scores on its test examples: the share of right answers, or the mean error of numbers.
    pub fn test(&self, learners: &[Learner], split: Split) -> Result<Vec<f64>, TrainError> {
        self.ask(learners, |learner, predictor| predictor.test(split, learner.seed))
    }

    /// The mean score of each learner on its own examples.
    pub fn scores(
        &self,
        learners: &[Learner],
        examples: impl Fn(u64) -> Vec<Example> + Sync,
        score: impl Fn(&Example, &[f64]) -> f64 + Sync,
    ) -> Result<Vec<f64>, TrainError> {
        self.ask(learners, |learner, predictor| {
            let examples = examples(learner.seed);
            let outputs = predictor.outputs(&examples)?;
            Ok(Example::mean_score(&examples, |i, example| score(example, &outputs[i])))
        })
    }

    /// Mean absolute error of each learner on `count` sums or lists of its own.
    pub fn errors(
        &self,
        learners: &[Learner],
        sums: impl Into<Sums>,
        stream: Stream,
        count: usize,
    ) -> Result<Vec<f64>, TrainError> {
        let sums = sums.into();
        self.ask(learners, |learner, predictor| predictor.error_on(sums, (learner.seed, stream), count))
    }
}

/// Learners that are asked by one thread, one after the other, so that its machine is made once.
const GROUP: usize = 8;
