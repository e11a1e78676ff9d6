//! Learners of one task, side by side: trained, saved on the way, and scored.

use super::{Desk, Interrupted};
use crate::model::Blocks;
use crate::result::Record;
use crate::task::Task;
use crate::train::task::{Apprentices, Lessons, State};
use crate::train::{Answerer, Learner};
use std::time::Instant;

/// What a trained learner scores.
pub type Scores = Vec<(&'static str, f64)>;

/// Trains a learner for each seed, side by side, and scores them.
pub fn learn(
    task: &Task,
    model: Blocks,
    lessons: Lessons,
    seeds: &[u64],
    desk: &Desk<'_>,
    score: &dyn Fn(&Task, &mut Answerer<'_>) -> Scores,
) -> Result<Vec<Record>, Interrupted> {
    let mut learners = Apprentices::new(task, model, lessons, desk.isa, seeds);
    let count = seeds.len() as u64;
    let saved = seeds.iter().map(|&seed| desk.saved(seed)).collect::<Result<Option<Vec<State>>, _>>()?;
    // Learners side by side go on together or not at all; those few epochs are soon made good.
    if let Some(states) = saved.filter(|states| states.iter().all(|s| s.epoch == states[0].epoch)) {
        (desk.progress)(count * states[0].epoch as u64);
        learners.resume(&states);
    }
    let mut last = Instant::now();
    while learners.learn() {
        (desk.progress)(count);
        let stopped = desk.stopped();
        if stopped || desk.is_due(last) {
            for (i, &seed) in seeds.iter().enumerate() {
                desk.save(seed, &learners.state(i))?;
            }
            last = Instant::now();
        }
        if stopped {
            return Err(Interrupted::Stopped);
        }
    }
    let learner = |(i, &seed): (usize, &u64)| {
        let (final_loss, losses) = (learners.last_loss()[i], learners.losses(i).to_vec());
        Learner { seed, weights: learners.weights(i), final_loss, losses }
    };
    let taught: Vec<Learner> = seeds.iter().enumerate().map(learner).collect();
    // What trained them may hold as much memory as what they answer with.
    drop(learners);
    let record = |learner: Learner| {
        let scores = score(task, &mut Answerer::new(task, model, &learner.weights, desk.isa));
        Record::new(learner, scores)
    };
    Ok(taught.into_iter().map(record).collect())
}
