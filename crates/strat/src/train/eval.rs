//! How far off a learner is on sums it has not seen.

use crate::engine::reference::Arrays;
use crate::engine::{Elem, Isa};
use crate::model::Arithmetic;
use crate::rng::{Draws, Stream};
use crate::task::signed_sum::{Batch, MAX_TERMS};
use crate::task::{Sum, Sums};
use crate::train::{machine, set_batch, set_weights};

/// Sums evaluated at a time.
const BATCH: usize = 50;

/// A learner's answer to one sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// What it said.
    pub given: f64,
    /// What is right.
    pub target: f64,
    /// All the values in the sum, added up whatever their sign or category.
    pub total: f64,
}

impl Answer {
    /// How far off it is.
    pub fn absolute_error(self) -> f64 {
        (self.given - self.target).abs()
    }

    /// 1 if it is off by less than 1 % of all the values in the sum, else 0 (§5.4).
    pub fn within_a_hundredth(self) -> f64 {
        f64::from(self.absolute_error() < 0.01 * self.total)
    }
}

/// Mean absolute error of each learner on its own `count` sums drawn from `task`.
/// At most one vector of learners.
pub fn mean_absolute_error<E: Elem>(
    model: &Arithmetic,
    isa: Isa,
    learners: &[(u64, &Arrays)],
    task: Sums,
    stream: Stream,
    count: usize,
) -> Vec<f64> {
    mean_score::<E>(model, isa, learners, task, stream, count, Answer::absolute_error)
}

/// Mean score of each learner on its own `count` sums drawn from `task`.
/// At most one vector of learners.
pub fn mean_score<E: Elem>(
    model: &Arithmetic,
    isa: Isa,
    learners: &[(u64, &Arrays)],
    task: Sums,
    stream: Stream,
    count: usize,
    score: fn(Answer) -> f64,
) -> Vec<f64> {
    let mut m = machine::<E>(&model.build(MAX_TERMS), BATCH.min(count), isa);
    let mut draws: Vec<Draws> = learners.iter().map(|l| Draws::new(l.0, stream, 0)).collect();
    for (lane, (_, weights)) in learners.iter().enumerate() {
        set_weights(&mut *m, lane, weights);
    }
    let mut total = vec![0.0; learners.len()];
    let mut batches = vec![Batch::<E>::new(MAX_TERMS); learners.len()];
    let mut done = 0;
    while done < count {
        for (lane, (batch, draws)) in batches.iter_mut().zip(&mut draws).enumerate() {
            task.redraw(batch, BATCH.min(count), draws);
            set_batch(&mut *m, lane, batch);
        }
        m.load();
        m.forward();
        let counted = BATCH.min(count - done);
        for (lane, (total, batch)) in total.iter_mut().zip(&batches).enumerate() {
            let values = batch.value.chunks_exact(MAX_TERMS);
            for ((y, target), values) in m.output(lane).iter().zip(&batch.target).zip(values).take(counted) {
                let sum = values.iter().map(|v| v.f64()).sum();
                *total += score(Answer { given: y.f64(), target: target.f64(), total: sum });
            }
        }
        done += counted;
    }
    total.into_iter().map(|t| t / count as f64).collect()
}

/// One learner's answers to given sums, which may be of any length. They sit on lanes.
pub fn predictions<E: Elem>(model: &Arithmetic, isa: Isa, weights: &Arrays, sums: &[Sum]) -> Vec<f64> {
    let terms = sums.iter().map(|s| s.values.len()).max().unwrap_or(1);
    let built = model.build(terms);
    let lanes = machine::<E>(&built, 1, isa).lanes();
    let per_lane = sums.len().div_ceil(lanes).clamp(1, BATCH);
    let mut m = machine::<E>(&built, per_lane, isa);
    for lane in 0..lanes {
        set_weights(&mut *m, lane, weights);
    }
    let mut answers = Vec::with_capacity(sums.len());
    for group in sums.chunks(lanes * per_lane) {
        for (lane, sums) in group.chunks(per_lane).enumerate() {
            // A short last batch is filled up with its first sum.
            let mut full = sums.to_vec();
            full.resize(per_lane, sums[0].clone());
            set_batch(&mut *m, lane, &Batch::of(terms, &full));
        }
        m.load();
        m.forward();
        for (lane, sums) in group.chunks(per_lane).enumerate() {
            answers.extend(m.output(lane).iter().take(sums.len()).map(|y| y.f64()));
        }
    }
    answers
}
