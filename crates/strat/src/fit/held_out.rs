//! How good a population is on rows that it was not shown, beside ordinary classifiers.

use super::rivals::Rival;
use super::{answers, model_of, teach, vote};
use crate::engine::Isa;
use crate::experiment::Progress;
use crate::model::Architecture;
use crate::rng::{Draws, Stream};
use crate::table::{KnownError, OwnTable, Taught, task_of};
use crate::task::{Example, Target};
use crate::train::task::Lessons;

/// Fewer rows than these are not split.
pub const LEAST_ROWS: usize = 20;
/// How often rows are split.
pub const SPLITS: u32 = 5;
/// Every so many-th row is left out.
const LEFT_OUT: usize = 5;
/// Learners of each split.
pub const LEARNERS: u64 = 16;

/// Shares of right answers on rows that were left out, means over the splits.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldOut {
    /// Rows left out of each split.
    pub rows: usize,
    /// The vote's.
    pub vote: f64,
    /// A single learner's.
    pub single: f64,
    /// Those of ordinary classifiers, taught with the same; none where one cannot learn from them.
    pub rivals: Vec<(Rival, Option<f64>)>,
    /// That of always giving the most frequent class.
    pub majority: f64,
}

/// Splits a table's rows [`SPLITS`] times; none if there are too few. `progress` hears of epochs of learners.
pub fn held_out(
    own: &OwnTable,
    lessons: Lessons,
    isa: Isa,
    progress: Progress<'_>,
) -> Result<Option<HeldOut>, KnownError> {
    if own.rows.len() < LEAST_ROWS {
        return Ok(None);
    }
    let classes = own.schema.classes.len();
    let values: Vec<usize> = own.schema.fields.iter().map(|f| f.values.len()).collect();
    let rows = own.rows.len() / LEFT_OUT;
    let mut sums = (0.0, 0.0, vec![(0.0, 0u32); Rival::ALL.len()], 0.0);
    for split in 0..SPLITS {
        let mut order: Vec<&Taught> = own.rows.iter().collect();
        Draws::new(0, Stream::Pick, split).shuffle(&mut order);
        let (asked, taught) = order.split_at(rows);
        let part = OwnTable { rows: taught.iter().map(|&r| r.clone()).collect(), ..own.clone() };
        let images = part.images()?;
        let example = |r: &&Taught| Example::new(r.input.clone(), Target::Class(r.class));
        let asked: Vec<Example> = asked.iter().map(example).collect();
        let right = |given: &dyn Fn(usize) -> u8| {
            let is_right = |i: &usize| asked[*i].target == Target::Class(given(*i));
            (0..asked.len()).filter(is_right).count() as f64 / asked.len() as f64
        };
        let task = task_of("held out", &own.schema, images.clone());
        let model = model_of(&task, Architecture::Strat);
        let seeds: Vec<u64> = (1..=LEARNERS).collect();
        let learners = teach(&task, model, lessons, &seeds, isa, progress);
        let said = answers(&task, model, &learners, &asked, isa);
        sums.0 += right(&|i| vote(said.iter().map(|l| l[i]), classes).class);
        sums.1 += said.iter().map(|l| right(&|i| l[i])).sum::<f64>() / said.len() as f64;
        for (sum, rival) in sums.2.iter_mut().zip(Rival::ALL) {
            if let Some(given) = rival.answers(&images, &asked, &values) {
                *sum = (sum.0 + right(&|i| given[i]), sum.1 + 1);
            }
        }
        let most = vote(part.rows.iter().map(|r| r.class), classes).class;
        sums.3 += right(&|_| most);
    }
    let n = f64::from(SPLITS);
    let rivals =
        Rival::ALL.into_iter().zip(sums.2).map(|(r, (sum, count))| (r, (count == SPLITS).then_some(sum / n)));
    Ok(Some(HeldOut { rows, vote: sums.0 / n, single: sums.1 / n, rivals: rivals.collect(), majority: sums.3 / n }))
}
