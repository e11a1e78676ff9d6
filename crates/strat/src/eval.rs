//! How far off a learner is on sums it has not seen.

use crate::engine::reference::Arrays;
use crate::engine::{Elem, Isa};
use crate::model::Arithmetic;
use crate::rng::{Draws, Stream};
use crate::task::SignedSum;
use crate::task::signed_sum::MAX_TERMS;
use crate::train::{machine, set_sums, set_weights};

/// Sums evaluated at a time.
const BATCH: usize = 50;

/// Mean absolute error of each learner on its own `count` sums drawn from `task`.
/// At most one vector of learners.
pub fn mean_absolute_error<E: Elem>(
    model: &Arithmetic,
    isa: Isa,
    learners: &[(u64, &Arrays)],
    task: SignedSum,
    stream: Stream,
    count: usize,
) -> Vec<f64> {
    let mut m = machine::<E>(&model.build(MAX_TERMS), BATCH.min(count), isa);
    let mut draws: Vec<Draws> = learners.iter().map(|l| Draws::new(l.0, stream, 0)).collect();
    for (lane, (_, weights)) in learners.iter().enumerate() {
        set_weights(&mut *m, lane, weights);
    }
    let mut total = vec![0.0; learners.len()];
    let mut done = 0;
    while done < count {
        let n = BATCH.min(count);
        let mut answers = vec![];
        for (lane, d) in draws.iter_mut().enumerate() {
            let sums: Vec<_> = (0..n).map(|_| task.draw(d)).collect();
            set_sums(&mut *m, lane, &sums);
            answers.push(sums);
        }
        m.load();
        m.forward();
        let counted = n.min(count - done);
        for (lane, sums) in answers.iter().enumerate() {
            let y = m.output(lane);
            for (y, s) in y.iter().zip(sums).take(counted) {
                total[lane] += (y.f64() - s.answer() as f64).abs();
            }
        }
        done += counted;
    }
    total.into_iter().map(|t| t / count as f64).collect()
}
