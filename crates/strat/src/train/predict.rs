//! What a trained learner answers.

use super::TrainError;
use super::trainer::{machine, widened};
use crate::engine::reference::Arrays;
use crate::engine::{Elem, Isa, Machine};
use crate::model::{Model, Precision};
use crate::rng::{RandomStream, Stream};
use crate::task::{Batch, Example, Split, Sums, Task, class};
use std::sync::Arc;

/// Examples a machine answers at a time: fewer long ones, so that what attention holds of each fits in memory.
fn at_once(tokens: usize) -> usize {
    if tokens > 256 { 8 } else { 64 }
}

/// Examples in each lane, of a model so small that its learners are trained side by side: at most 50, so that what is
/// computed of them stays in the cache, and about as many in every round.
fn in_a_lane(count: usize, lanes: usize) -> usize {
    let rounds = count.div_ceil(lanes * 50).max(1);
    count.div_ceil(lanes * rounds).max(1)
}

/// Lengths of sequences are rounded up to a multiple of this, so that few machines are made.
const LENGTHS: usize = 64;

/// A trained learner that answers examples of a task. Other learners of the same model can take its place.
pub struct Predictor<'a> {
    task: &'a dyn Task,
    learner: Box<dyn Answers + Send + 'a>,
}

/// What is asked of a learner, whatever numbers it computes with.
trait Answers {
    fn set_weights(&mut self, weights: &Arrays);
    fn outputs(&mut self, examples: &[Example]) -> Result<Vec<Vec<f64>>, TrainError>;
    fn mean_absolute_error(
        &mut self,
        count: usize,
        draw: &mut dyn FnMut(&mut Batch, usize),
    ) -> Result<f64, TrainError>;
}

impl<'a> Predictor<'a> {
    /// Of weights by name, in the numbers that the model is trained in.
    pub fn new(task: &'a dyn Task, model: Arc<dyn Model>, weights: &Arrays, isa: Isa) -> Self {
        let precision = model.precision();
        Predictor::with_precision(task, model, weights, isa, precision)
    }

    /// The same in other numbers.
    pub fn with_precision(
        task: &'a dyn Task,
        model: Arc<dyn Model>,
        weights: &Arrays,
        isa: Isa,
        precision: Precision,
    ) -> Self {
        let learner: Box<dyn Answers + Send + 'a> = match precision {
            Precision::F32 => Box::new(Learned::<f32>::new(task, model, weights, isa)),
            Precision::F64 => Box::new(Learned::<f64>::new(task, model, weights, isa)),
        };
        Predictor { task, learner }
    }

    /// Goes on with another learner of the same model.
    pub fn set_weights(&mut self, weights: &Arrays) {
        self.learner.set_weights(weights);
    }

    /// The model's output for each example, in order.
    pub fn outputs(&mut self, examples: &[Example]) -> Result<Vec<Vec<f64>>, TrainError> {
        self.learner.outputs(examples)
    }

    /// The class that it gives to each example; one that there is not, if a logit is NaN.
    pub fn classes(&mut self, examples: &[Example]) -> Result<Vec<u8>, TrainError> {
        Ok(self.outputs(examples)?.iter().map(|l| class(l)).collect())
    }

    /// The mean score of some examples, weighted as they are.
    pub fn mean_score(&mut self, examples: &[Example]) -> Result<f64, TrainError> {
        let outputs = self.outputs(examples)?;
        Ok(Example::mean_score(examples, |i, example| self.task.score(example, &outputs[i])))
    }

    /// The mean score of a seed's test examples.
    pub fn test(&mut self, split: Split, seed: u64) -> Result<f64, TrainError> {
        let task = self.task;
        self.mean_score(&task.test(split, seed))
    }

    /// Mean absolute error on `count` sums or lists of a seed. None of them is kept, which is faster where there are many.
    pub fn error_on(
        &mut self,
        sums: impl Into<Sums>,
        (seed, stream): (u64, Stream),
        count: usize,
    ) -> Result<f64, TrainError> {
        let (sums, mut draws) = (sums.into(), RandomStream::new(seed, stream, 0));
        self.learner.mean_absolute_error(count, &mut |batch, n| sums.draw_into(n, &mut draws, batch))
    }
}

/// A learner that computes with numbers of one kind.
struct Learned<'a, E: Elem> {
    task: &'a dyn Task,
    /// As it was given.
    given: Arc<dyn Model>,
    /// With a window as wide as this learner has needed.
    model: Arc<dyn Model>,
    weights: Vec<(String, Vec<E>)>,
    isa: Isa,
    side_by_side: bool,
    machine: Option<Answering<E>>,
    numbers: Vec<E>,
}

/// A machine for so many examples in a lane, and what it is fed with.
struct Answering<E: Elem> {
    machine: Box<dyn Machine<E>>,
    batch: Batch,
    in_a_lane: usize,
}

impl<'a, E: Elem> Learned<'a, E> {
    fn new(task: &'a dyn Task, model: Arc<dyn Model>, weights: &Arrays, isa: Isa) -> Self {
        let side_by_side = model.is_small(1, false);
        let given = model.clone();
        let mut new =
            Learned { task, given, model, weights: vec![], isa, side_by_side, machine: None, numbers: vec![] };
        new.set_weights(weights);
        new
    }

    /// Makes a machine, unless there is one, for so many tokens and examples in a lane.
    fn prepare(&mut self, tokens: usize, in_a_lane: usize) -> Result<(), TrainError> {
        if self.machine.as_ref().is_some_and(|a| (a.batch.tokens(), a.in_a_lane) == (tokens, in_a_lane)) {
            return Ok(());
        }
        if !self.model.reads(tokens) {
            return Err(TrainError::Tokens { task: self.task.name().into(), tokens });
        }
        let batch = Batch::new(self.task, tokens);
        let size = (in_a_lane, self.side_by_side);
        let mut machine = machine::<E>(&*self.model, batch.kinds(), tokens, size, self.isa)?;
        set_weights(&mut *machine, &self.weights);
        self.machine = Some(Answering { machine, batch, in_a_lane });
        Ok(())
    }

    /// Of as many examples as fit the machine at once.
    fn answer(&mut self, tokens: usize, in_a_lane: usize, asked: &[&Example]) -> Result<Vec<Vec<f64>>, TrainError> {
        loop {
            self.prepare(tokens, in_a_lane)?;
            let Some(Answering { machine, batch, .. }) = &mut self.machine else { unreachable!("just made") };
            for (lane, part) in asked.chunks(in_a_lane).enumerate() {
                // Idle places repeat the last example.
                let last = part.last().into_iter().cycle();
                batch.fill(self.task, part.iter().chain(last).take(in_a_lane).copied());
                let fail = |source| TrainError::Input { task: self.task.name().into(), source };
                batch.set(&mut **machine, lane, &mut self.numbers).map_err(fail)?;
            }
            machine.load();
            machine.forward();
            if let Some(model) = widened(&*self.model, &**machine, tokens) {
                (self.model, self.machine) = (model, None);
                continue;
            }
            let mut outputs = vec![];
            for (lane, part) in asked.chunks(in_a_lane).enumerate() {
                let output = machine.output(lane);
                let each = output.chunks(output.len() / in_a_lane).take(part.len());
                outputs.extend(each.map(|y| y.iter().map(|x| x.f64()).collect::<Vec<f64>>()));
            }
            return Ok(outputs);
        }
    }
}

impl<E: Elem> Answers for Learned<'_, E> {
    fn set_weights(&mut self, weights: &Arrays) {
        self.weights = weights.iter().map(|(n, w)| (n.clone(), w.iter().map(|&x| E::of(x)).collect())).collect();
        if self.model.window() != self.given.window() {
            (self.model, self.machine) = (self.given.clone(), None);
        }
        if let Some(Answering { machine, .. }) = &mut self.machine {
            set_weights(&mut **machine, &self.weights);
        }
    }

    fn outputs(&mut self, examples: &[Example]) -> Result<Vec<Vec<f64>>, TrainError> {
        let most = self.task.most_tokens();
        let room = |example| {
            let length = self.task.length(example);
            length.next_multiple_of(LENGTHS).min(most).max(length)
        };
        let mut order: Vec<(usize, usize)> = examples.iter().map(room).zip(0..).collect();
        order.sort();
        let mut outputs = vec![vec![]; examples.len()];
        for same in order.chunk_by(|a, b| a.0 == b.0) {
            let (tokens, lanes) = (same[0].0, if self.side_by_side { self.isa.lanes::<E>() } else { 1 });
            let in_a_lane = if self.side_by_side { in_a_lane(same.len(), lanes) } else { at_once(tokens) };
            for group in same.chunks(lanes * in_a_lane) {
                let asked: Vec<&Example> = group.iter().map(|&(_, i)| &examples[i]).collect();
                for (&(_, i), output) in group.iter().zip(self.answer(tokens, in_a_lane, &asked)?) {
                    outputs[i] = output;
                }
            }
        }
        Ok(outputs)
    }

    fn mean_absolute_error(
        &mut self,
        count: usize,
        draw: &mut dyn FnMut(&mut Batch, usize),
    ) -> Result<f64, TrainError> {
        let lanes = if self.side_by_side { self.isa.lanes::<E>() } else { 1 };
        let (tokens, in_a_lane) = (self.task.tokens(), in_a_lane(count, lanes));
        self.prepare(tokens, in_a_lane)?;
        let Some(Answering { machine, batch, .. }) = &mut self.machine else { unreachable!("just made") };
        let (mut done, mut total, mut targets) = (0, 0.0, vec![]);
        while done < count {
            targets.clear();
            for lane in 0..lanes {
                batch.clear();
                draw(batch, in_a_lane);
                assert_eq!(batch.len(), in_a_lane, "as many examples as were asked for");
                targets.extend_from_slice(batch.target());
                let fail = |source| TrainError::Input { task: self.task.name().into(), source };
                batch.set(&mut **machine, lane, &mut self.numbers).map_err(fail)?;
            }
            machine.load();
            machine.forward();
            for (lane, targets) in targets.chunks(in_a_lane).enumerate() {
                let counted = in_a_lane.min(count - done);
                for (y, target) in machine.output(lane).iter().zip(targets).take(counted) {
                    total += (y.f64() - target).abs();
                }
                done += counted;
            }
        }
        Ok(total / count as f64)
    }
}

fn set_weights<E: Elem>(m: &mut dyn Machine<E>, weights: &[(String, Vec<E>)]) {
    for lane in 0..m.lanes() {
        weights.iter().for_each(|(name, w)| m.set_param(lane, name, w));
    }
}
