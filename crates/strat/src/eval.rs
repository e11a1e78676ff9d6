//! How far off a learner is on sums it has not seen.

use crate::engine::reference::Arrays;
use crate::engine::{Elem, Isa};
use crate::model::Arithmetic;
use crate::rng::{Draws, Stream};
use crate::task::Sums;
use crate::task::signed_sum::{Batch, MAX_TERMS};
use crate::train::{machine, set_batch, set_weights};

/// Sums evaluated at a time.
const BATCH: usize = 50;

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
            for (y, target) in m.output(lane).iter().zip(&batch.target).take(counted) {
                *total += (y.f64() - target.f64()).abs();
            }
        }
        done += counted;
    }
    total.into_iter().map(|t| t / count as f64).collect()
}
