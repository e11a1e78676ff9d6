//! Examples of a task as the inputs of a machine.

use super::door::{Input, Inputs, Task};
use super::{Example, Target};
use crate::engine::reference::Arrays;
use crate::engine::{Elem, InputError, Machine};
use crate::model::{Kinds, Readout};
use std::borrow::Cow;

/// A batch of encoded examples, all with room for the same number of tokens.
#[derive(Clone, Debug)]
pub struct Batch {
    tokens: usize,
    readout: Readout,
    count: usize,
    /// Where there are kinds, their numbers say what the inputs would be.
    kinds: Option<Kinds>,
    /// Numbers of the tokens' kinds, from 1 on.
    kind: Vec<f64>,
    /// As [`Task::inputs`] lists them.
    inputs: Vec<Input>,
    /// Of each input, example by example.
    values: Vec<Vec<f64>>,
    /// One-hot rows for classes and values, bits, or numbers.
    target: Vec<f64>,
    /// For answers at every token: what each weighs in the mean over all that are scored.
    weight: Vec<f64>,
    /// For one answer read from all tokens: one over the number of real tokens, zero for padding.
    share: Vec<f64>,
    /// Answers that are scored.
    scored: usize,
}

impl Batch {
    /// An empty one for examples of at most `tokens` tokens.
    pub fn new(task: &dyn Task, tokens: usize) -> Batch {
        let [kind, target, weight, share] = [const { vec![] }; 4];
        let (inputs, kinds) = (task.inputs(tokens), task.kinds().filter(|kinds| kinds.of.len() == tokens));
        let (values, readout) = (vec![vec![]; inputs.len()], task.readout());
        Batch { tokens, readout, count: 0, kinds, kind, inputs, values, target, weight, share, scored: 0 }
    }

    /// These examples, with room for `tokens` tokens each.
    ///
    /// # Panics
    /// As [`Batch::fill`] does.
    pub fn of<'a>(task: &dyn Task, tokens: usize, examples: impl IntoIterator<Item = &'a Example>) -> Batch {
        let mut batch = Batch::new(task, tokens);
        batch.fill(task, examples);
        batch
    }

    /// One example without padding.
    pub fn of_one(task: &dyn Task, example: &Example) -> Batch {
        Batch::of(task, task.length(example), [example])
    }

    /// The tokens that there can be, where these are few.
    pub fn kinds(&self) -> Option<&Kinds> {
        self.kinds.as_ref()
    }

    /// Tokens that there is room for.
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// How many examples it holds.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The numbers of an input, example by example; none if there is no such input.
    pub fn input(&self, name: &str) -> Option<&[f64]> {
        let at = self.inputs.iter().position(|input| input.name == name)?;
        Some(&self.values[at])
    }

    /// The right answers: one-hot rows, bits or numbers.
    pub fn target(&self) -> &[f64] {
        &self.target
    }

    /// Takes all examples out.
    pub fn clear(&mut self) {
        [&mut self.kind, &mut self.target, &mut self.weight, &mut self.share].into_iter().for_each(Vec::clear);
        self.values.iter_mut().for_each(Vec::clear);
        (self.count, self.scored) = (0, 0);
    }

    /// Replaces what it holds.
    ///
    /// # Panics
    /// If an example has more tokens than there is room for, or an answer of another kind than the task's.
    pub fn fill<'a>(&mut self, task: &dyn Task, examples: impl IntoIterator<Item = &'a Example>) {
        self.clear();
        for example in examples {
            self.push(example, task.length(example), |inputs| task.encode(example, inputs));
        }
        self.weigh();
    }

    /// Adds an example of `real` tokens, whose inputs `encode` writes; at last comes [`Batch::weigh`].
    pub(super) fn push(&mut self, example: &Example, real: usize, encode: impl FnOnce(&mut Inputs<'_>)) {
        assert!(real <= self.tokens, "an example has {real} tokens, but there is room for {}", self.tokens);
        if let Some(kinds) = &self.kinds {
            self.kind.extend(kinds.numbers(&example.input).map(|kind| (kind + 1) as f64));
        } else {
            encode(&mut Inputs::add(&self.inputs, &mut self.values));
        }
        self.answer(&example.target, real);
        self.count += 1;
    }

    /// Each example's loss is averaged over the batch, so the sum over its cells is scaled such that every scored
    /// cell of the batch counts the same.
    pub(super) fn weigh(&mut self) {
        // In f32, as it is used.
        let each = self.count as f32 / self.scored.max(1) as f32;
        self.weight.iter_mut().for_each(|w| *w = f64::from(*w as f32 * each));
    }

    /// Adds an example whose answer is a number: `write` appends its numbers to each input, in the order of
    /// [`Task::inputs`]. For tasks that draw new examples at every step and do not keep them.
    pub fn push_number(&mut self, target: f64, write: impl FnOnce(&mut [Vec<f64>])) {
        write(&mut self.values);
        self.answer(&Target::Number(target), self.tokens);
        self.count += 1;
    }

    /// Puts examples with the fewest zeros in an input first; those with as many stay in order.
    pub(crate) fn longest_first(&mut self, input: &str) {
        let zeros = |numbers: &[f64]| numbers.iter().filter(|&&x| x == 0.0).count();
        let Some(of) = self.input(input).filter(|of| !of.is_empty() && self.count > 0) else { return };
        let lengths: Vec<usize> = of.chunks(of.len() / self.count).map(zeros).collect();
        if lengths.is_sorted() {
            return;
        }
        let mut order: Vec<usize> = (0..self.count).collect();
        order.sort_by_key(|&i| lengths[i]);
        let others = [&mut self.kind, &mut self.target, &mut self.weight, &mut self.share];
        for numbers in others.into_iter().chain(&mut self.values) {
            let each = numbers.len() / self.count;
            *numbers = order.iter().flat_map(|&i| &numbers[i * each..][..each]).copied().collect();
        }
    }

    /// Gives every example the answer of the next, the last that of the first.
    pub fn rotate_targets(&mut self) {
        let each = self.target.len() / self.count.max(1);
        self.target.rotate_left(each);
    }

    /// Appends the right answer to an example of `real` tokens.
    fn answer(&mut self, target: &Target, real: usize) {
        let mut one_hot = |value: u8, of: usize| self.target.extend((0..of).map(|v| bit(v == usize::from(value))));
        match (target, self.readout) {
            (Target::Class(class), Readout::Class(of)) => one_hot(*class, of),
            (Target::Verdict(yes), Readout::Binary) => self.target.push(bit(*yes)),
            (Target::Number(x), Readout::Number) => self.target.push(*x),
            (Target::Cells { values, .. }, Readout::TokenClass(of)) => values.iter().for_each(|&v| one_hot(v, of)),
            (Target::Cells { values, .. }, Readout::TokenBinary) => {
                self.target.extend(values.iter().map(|&v| f64::from(v)))
            }
            _ => panic!("a readout of {:?} does not answer {target:?}", self.readout),
        }
        if matches!(self.readout, Readout::Binary | Readout::Number) {
            // Divided in f32, as it is used.
            let share = f64::from(1.0 / real as f32);
            self.share.extend((0..self.tokens).map(|t| if t < real { share } else { 0.0 }));
        }
        if let Target::Cells { scored, .. } = target {
            self.weight.extend(scored.iter().map(|&s| bit(s)));
            self.scored += scored.iter().filter(|&&s| s).count();
        }
    }

    /// Gives the batch to a learner of a machine that was made for as many examples and tokens, which is to be
    /// loaded then. What the machine does not read is left out. `numbers` is room to work in.
    pub fn set<E: Elem>(
        &self,
        m: &mut dyn Machine<E>,
        lane: usize,
        numbers: &mut Vec<E>,
    ) -> Result<(), InputError> {
        let by_kind = self.kinds.is_some() && m.has_input("kind");
        let mut set = |name: &str, values: &[f64]| {
            if !m.has_input(name) {
                return Ok(());
            }
            numbers.clear();
            numbers.extend(values.iter().map(|&x| E::of(x)));
            m.set_input(lane, name, numbers)
        };
        if by_kind {
            set("kind", &self.kind)?;
            return self.answers().into_iter().try_for_each(|(name, x)| set(name, x));
        }
        self.by_name().into_iter().try_for_each(|(name, x)| set(name, &x))
    }

    /// The batch as the reference reads it, which takes one example.
    pub fn arrays(&self) -> Arrays {
        self.by_name().into_iter().map(|(name, x)| (name.to_string(), x.into_owned())).collect()
    }

    /// The names of all that a model may read, each with how many numbers it has of one example.
    pub fn sizes(&self) -> Vec<(&str, usize)> {
        let inputs = self.inputs.iter().map(|input| (&*input.name, input.rows * input.width));
        let answers = self.answers().into_iter().map(|(name, x)| (name, x.len() / self.count.max(1)));
        inputs.chain(answers).collect()
    }

    /// Inputs and answers.
    fn by_name(&self) -> Vec<(&str, Cow<'_, [f64]>)> {
        let mut all: Vec<(&str, Cow<'_, [f64]>)> = match &self.kinds {
            None => self.inputs.iter().zip(&self.values).map(|(i, x)| (&*i.name, Cow::Borrowed(&x[..]))).collect(),
            Some(kinds) => kinds.inputs(&self.kind).into_iter().map(|(name, x)| (name, Cow::Owned(x))).collect(),
        };
        all.extend(self.answers().into_iter().map(|(name, x)| (name, Cow::Borrowed(x))));
        all
    }

    /// What a model should answer, and how that counts.
    fn answers(&self) -> Vec<(&'static str, &[f64])> {
        let target = ("target", &self.target[..]);
        match self.readout {
            Readout::Class(_) => vec![target],
            Readout::Binary | Readout::Number => vec![target, ("share", &self.share)],
            Readout::TokenClass(_) | Readout::TokenBinary => vec![target, ("weight", &self.weight)],
        }
    }
}

fn bit(yes: bool) -> f64 {
    f64::from(u8::from(yes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Sum, SumTask};

    #[test]
    fn longest_first_moves_whole_examples() {
        let sum = |values: &[u32]| Sum { values: values.to_vec(), minus: vec![false; values.len()] }.example();
        let sums = [sum(&[1, 2, 3]), sum(&[4, 5, 6, 7, 8]), sum(&[9, 10, 11]), sum(&[12, 13, 14, 15])];
        let mut batch = Batch::of(&SumTask::LOCKING, 9, &sums);
        batch.longest_first("kind");
        let sorted = Batch::of(&SumTask::LOCKING, 9, [1, 3, 0, 2].map(|i: usize| &sums[i]));
        for name in ["kind", "value"] {
            assert_eq!(batch.input(name), sorted.input(name), "{name}");
        }
        assert_eq!(batch.target(), [30.0, 54.0, 6.0, 30.0]);
        assert_eq!((batch.target(), &batch.share), (sorted.target(), &sorted.share));
    }
}
