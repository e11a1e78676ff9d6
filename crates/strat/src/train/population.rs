//! Thousands of learners: seeds dealt out in vectors, vectors to threads.

use crate::engine::{Elem, Isa};
use crate::model::Arithmetic;
use crate::rng::Stream;
use crate::task::Sums;
use crate::train::eval::{Answer, mean_score};
use crate::train::{Learner, TrainConfig, train_group};
use rayon::prelude::*;
use std::marker::PhantomData;

/// A model and a way to train it, for any number of seeds.
#[derive(Clone, Copy, Debug)]
pub struct Population<E> {
    /// The architecture.
    pub model: Arithmetic,
    /// The protocol.
    pub config: TrainConfig,
    isa: Isa,
    number: PhantomData<E>,
}

impl<E: Elem> Population<E> {
    /// A population on the given instruction set.
    pub fn new(model: Arithmetic, config: TrainConfig, isa: Isa) -> Self {
        Population { model, config, isa, number: PhantomData }
    }

    /// Trains one learner per seed on the current thread pool. Each comes out the same,
    /// bit for bit, whatever the other seeds and however many threads.
    /// `progress` hears of every learner that is done.
    pub fn train(&self, seeds: &[u64], progress: &(dyn Fn(usize) + Sync)) -> Vec<Learner> {
        let groups: Vec<Vec<Learner>> = seeds
            .par_chunks(self.isa.lanes::<E>())
            .map(|seeds| {
                let group = train_group::<E>(&self.model, &self.config, self.isa, seeds);
                progress(seeds.len());
                group
            })
            .collect();
        groups.into_iter().flatten().collect()
    }

    /// Mean absolute error of each learner on its own `count` sums of `task`.
    pub fn errors(&self, learners: &[Learner], task: impl Into<Sums>, stream: Stream, count: usize) -> Vec<f64> {
        self.scores(learners, task.into(), stream, count, Answer::absolute_error)
    }

    /// Mean score of each learner on its own `count` sums of `task`.
    pub fn scores(
        &self,
        learners: &[Learner],
        task: Sums,
        stream: Stream,
        count: usize,
        score: fn(Answer) -> f64,
    ) -> Vec<f64> {
        let groups: Vec<Vec<f64>> = learners
            .par_chunks(self.isa.lanes::<E>())
            .map(|group| {
                let group: Vec<_> = group.iter().map(|l| (l.seed, &l.weights)).collect();
                mean_score::<E>(&self.model, self.isa, &group, task, stream, count, score)
            })
            .collect();
        groups.into_iter().flatten().collect()
    }
}
