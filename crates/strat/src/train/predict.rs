//! How many answers of a task's learner are right.

use crate::engine::reference::Arrays;
use crate::engine::{Isa, Machine};
use crate::model::Blocks;
use crate::task::{Example, Task, class};
use crate::train::encoding::Feed;
use crate::train::task::{machine, widened};

/// Examples a machine answers at a time: fewer long ones, so that what attention holds of each fits in memory.
fn batch(tokens: usize) -> usize {
    if tokens > 256 { 8 } else { 64 }
}

/// Lengths of sequences are rounded up to a multiple of this, so that few machines are made.
const LENGTHS: usize = 64;

/// A trained learner that answers examples.
pub struct Answerer<'a> {
    task: &'a Task,
    model: Blocks,
    weights: Vec<(String, Vec<f32>)>,
    isa: Isa,
    /// For the number of tokens that it was asked for last.
    machine: Option<Box<dyn Machine<f32>>>,
    feed: Feed,
}

impl<'a> Answerer<'a> {
    /// From weights by name.
    pub fn new(task: &'a Task, model: Blocks, weights: &Arrays, isa: Isa) -> Self {
        let weights = weights.iter().map(|(n, w)| (n.clone(), w.iter().map(|&x| x as f32).collect())).collect();
        Answerer { task, model, weights, isa, machine: None, feed: Feed::new(task, 0) }
    }

    /// The logits for each example, in order.
    pub fn logits(&mut self, examples: &[Example]) -> Vec<Vec<f32>> {
        let most = self.task.shape().tokens;
        let length = |example| self.task.length(example).next_multiple_of(LENGTHS).min(most);
        let mut order: Vec<(usize, usize)> = examples.iter().map(length).zip(0..).collect();
        order.sort();
        let mut logits = vec![vec![]; examples.len()];
        for same in order.chunk_by(|a, b| a.0 == b.0) {
            for batch in same.chunks(batch(same[0].0)) {
                let answers = self.answer(batch[0].0, batch.iter().map(|&(_, i)| &examples[i]));
                for (&(_, i), answer) in batch.iter().zip(answers) {
                    logits[i] = answer;
                }
            }
        }
        logits
    }

    fn answer<'e>(&mut self, tokens: usize, examples: impl Iterator<Item = &'e Example> + Clone) -> Vec<Vec<f32>> {
        let (count, batch) = (examples.clone().count(), batch(tokens));
        if self.feed.tokens() != tokens {
            (self.feed, self.machine) = (Feed::new(self.task, tokens), None);
        }
        // Idle places repeat the last example.
        let last = examples.clone().last().into_iter().cycle();
        self.feed.fill(self.task, examples.chain(last).take(batch));
        loop {
            let m = self.machine.get_or_insert_with(|| {
                let mut m = machine(&self.model, self.feed.kinds(), tokens, (batch, false), self.isa);
                self.weights.iter().for_each(|(name, w)| m.set_param(0, name, w));
                m
            });
            let m = &mut **m;
            self.feed.set(m, 0);
            m.load();
            m.forward();
            match widened(&self.model, m, tokens) {
                Some(model) => (self.model, self.machine) = (model, None),
                None => {
                    let output = m.output(0);
                    return output.chunks(output.len() / batch).take(count).map(<[f32]>::to_vec).collect();
                }
            }
        }
    }

    /// The class that it gives to each example; one that there is not, if a logit is no number.
    pub fn classes(&mut self, examples: &[Example]) -> Vec<u8> {
        self.logits(examples).iter().map(|l| class(l)).collect()
    }

    /// The share of right answers, weighted as the examples are.
    pub fn accuracy(&mut self, examples: &[Example]) -> f64 {
        let mut logits = self.logits(examples).into_iter();
        accuracy(examples, |example| logits.next().is_some_and(|logits| self.task.is_correct(example, &logits)))
    }
}

/// The share of examples that are answered right, weighted as the examples are. Each is asked for once, in order.
pub fn accuracy(examples: &[Example], mut is_right: impl FnMut(&Example) -> bool) -> f64 {
    let mut right = 0.0;
    for example in examples {
        if is_right(example) {
            right += example.weight;
        }
    }
    right / examples.iter().map(|e| e.weight).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Target;

    #[test]
    fn examples_count_by_weight() {
        let weighing = |weight, class| Example { weight, ..Example::new(vec![], Target::Class(class)) };
        let examples = [weighing(1.0, 0), weighing(2.0, 1), weighing(5.0, 0)];
        assert_eq!(accuracy(&examples, |e| e.target == Target::Class(1)), 0.25);
    }
}
