//! Thousands of learners: seeds dealt out in vectors, vectors to threads.

use super::predict::{Predictor, mean_score};
use super::{Learner, SumTraining, TrainConfig, TrainError, Trainer, learners_per_machine};
use crate::engine::{Elem, Isa};
use crate::model::{Arithmetic, Model};
use crate::rng::{RandomStream, Stream};
use crate::task::{Example, Sums, Task};
use rayon::prelude::*;
use std::marker::PhantomData;
use std::sync::Arc;

/// A task, a model and a way to train it, for any number of seeds.
#[derive(Clone, Debug)]
pub struct Population<E = f32> {
    task: Arc<dyn Task>,
    model: Arc<dyn Model>,
    config: TrainConfig,
    isa: Isa,
    number: PhantomData<E>,
}

impl<E: Elem> Population<E> {
    /// On the given instruction set. Whether the model can read the task is seen here.
    pub fn new(
        task: Arc<dyn Task>,
        model: Arc<dyn Model>,
        config: TrainConfig,
        isa: Isa,
    ) -> Result<Self, TrainError> {
        Trainer::<E>::new(&*task, model.clone(), TrainConfig { steps: 0, ..config }, isa, &[0])?;
        Ok(Population { task, model, config, isa, number: PhantomData })
    }

    /// Trains one learner per seed on the current thread pool. Each comes out the same,
    /// bit for bit, whatever the other seeds and however many threads.
    /// `progress` hears of every learner that is done.
    pub fn train(&self, seeds: &[u64], progress: &(dyn Fn(usize) + Sync)) -> Result<Vec<Learner>, TrainError> {
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
        ask: impl Fn(&Learner, &mut Predictor<'_, E>) -> Result<T, TrainError> + Sync,
    ) -> Result<Vec<T>, TrainError> {
        let group = |learners: &[Learner]| {
            let mut predictor: Option<Predictor<'_, E>> = None;
            let one = |learner: &Learner| {
                let predictor = match &mut predictor {
                    Some(predictor) => {
                        predictor.set_weights(&learner.weights);
                        predictor
                    }
                    none => {
                        none.insert(Predictor::new(&*self.task, self.model.clone(), &learner.weights, self.isa))
                    }
                };
                ask(learner, predictor)
            };
            learners.iter().map(one).collect::<Result<Vec<T>, TrainError>>()
        };
        let groups: Result<Vec<Vec<T>>, TrainError> = learners.par_chunks(GROUP).map(group).collect();
        Ok(groups?.into_iter().flatten().collect())
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
            Ok(mean_score(&examples, |i, example| score(example, &outputs[i])))
        })
    }
}

/// Learners that are asked by one thread, one after the other, so that its machine is made once.
const GROUP: usize = 8;

impl<E: Elem> Population<E> {
    /// Learners of sums or lists. These fit every model of sums.
    pub fn of_sums(model: Arithmetic, training: SumTraining, isa: Isa) -> Self {
        let task: Arc<dyn Task> = Arc::new(training.task());
        Population { task, model: Arc::new(model), config: training.config(), isa, number: PhantomData }
    }

    /// Mean absolute error of each learner on its own `count` sums.
    pub fn errors(
        &self,
        learners: &[Learner],
        sums: impl Into<Sums>,
        stream: Stream,
        count: usize,
    ) -> Result<Vec<f64>, TrainError> {
        let sums = sums.into();
        self.ask(learners, |learner, predictor| {
            let mut draws = RandomStream::new(learner.seed, stream, 0);
            predictor.mean_absolute_error(count, |batch, n| sums.draw_into(n, &mut draws, batch))
        })
    }
}
