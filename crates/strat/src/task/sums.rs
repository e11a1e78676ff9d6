//! Sums and lists as a task: where they come from, and which of them a learner sees.

use super::batch::Batch;
use super::door::{Changes, Input, Inputs, Task};
use super::grocery::{self, Item};
use super::signed_sum::{MAX_TERMS, TOKENS};
use super::{Example, Split, Sum, Sums, Target};
use crate::model::{Kind, Readout, Spec};
use crate::rng::{Draws, Stream};
use crate::train::Examples;
use std::borrow::Cow;

/// Test examples of a learner, in each of the two ranges.
const TESTS: usize = 1000;

/// Sums or lists, drawn for each learner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SumTask {
    /// Which of them a step sees.
    pub examples: Examples,
    /// All steps, of which a curriculum has its stages.
    pub steps: usize,
    /// What is tested in distribution.
    pub id: Sums,
    /// What is tested out of distribution.
    pub ood: Sums,
}

impl SumTask {
    fn of(&self, step: usize) -> (Sums, usize) {
        match self.examples {
            Examples::Fixed { count, from } | Examples::Shuffled { count, from } => (from, count),
            Examples::Fresh { batch, from } => (from, batch),
            Examples::Chosen { sums } => (self.id, sums.count()),
            Examples::Curriculum { batch, stages } => {
                let stage = if 4 * step < self.steps { 0 } else { 1 + usize::from(2 * step >= self.steps) };
                (Sums::Signed(stages[stage]), batch)
            }
        }
    }

    fn draws(&self, seed: u64, step: u32) -> Draws {
        let step = if self.changes() == Changes::ByStep { step } else { 0 };
        Draws::new(seed, Stream::Train, step)
    }
}

impl Sums {
    /// One of them.
    fn draw(&self, draws: &mut Draws) -> Example {
        match self {
            Sums::Signed(sums) => sums.draw(draws).example(),
            Sums::Grocery(lists) => grocery::example(&lists.draw(draws)),
        }
    }
}

impl Task for SumTask {
    fn name(&self) -> &str {
        match self.id {
            Sums::Signed(_) => "signed-sum",
            Sums::Grocery(_) => "grocery",
        }
    }

    fn inputs(&self, tokens: usize) -> Vec<Input> {
        let values = if let Sums::Signed(_) = self.id { tokens.div_ceil(2) } else { tokens };
        vec![Input::new("kind", tokens, 1), Input::new("value", values, 1)]
    }

    fn tokens(&self) -> usize {
        if let Sums::Signed(_) = self.id { TOKENS } else { MAX_TERMS }
    }

    fn readout(&self) -> Readout {
        Readout::Number
    }

    fn changes(&self) -> Changes {
        match self.examples {
            Examples::Fixed { .. } | Examples::Shuffled { .. } => Changes::BySeed,
            Examples::Chosen { .. } => Changes::Never,
            Examples::Fresh { .. } | Examples::Curriculum { .. } => Changes::ByStep,
        }
    }

    fn train(&self, seed: u64, step: u32) -> Cow<'_, [Example]> {
        if let Examples::Chosen { sums } = self.examples {
            return sums.sums().iter().map(Sum::example).collect();
        }
        let (from, count) = self.of(step as usize);
        let mut draws = self.draws(seed, step);
        let mut examples: Vec<Example> = (0..count).map(|_| from.draw(&mut draws)).collect();
        if let Examples::Shuffled { .. } = self.examples {
            let mut targets: Vec<Target> = examples.iter().map(|e| e.target.clone()).collect();
            targets.rotate_left(1);
            examples.iter_mut().zip(targets).for_each(|(e, target)| e.target = target);
        }
        examples.into()
    }

    fn test(&self, split: Split, seed: u64) -> Cow<'_, [Example]> {
        let (from, stream) = match split {
            Split::Id => (self.id, Stream::TestId),
            Split::Ood => (self.ood, Stream::TestOod),
        };
        let mut draws = Draws::new(seed, stream, 0);
        (0..TESTS).map(|_| from.draw(&mut draws)).collect()
    }

    fn length(&self, example: &Example) -> usize {
        example.input.len()
    }

    fn encode(&self, example: &Example, inputs: &mut Inputs<'_>) {
        for (name, numbers) in [("kind", example.input.iter().map(|&k| f64::from(k)).collect()), ("value", example.values.clone())] {
            let numbers: Vec<f64> = numbers;
            inputs.array(name)[..numbers.len()].copy_from_slice(&numbers);
        }
    }

    /// Without keeping them.
    fn fill(&self, seed: u64, step: u32, batch: &mut Batch) {
        let (from, count) = self.of(step as usize);
        batch.clear();
        let mut draws = self.draws(seed, step);
        match (self.examples, from) {
            (Examples::Chosen { sums }, _) => {
                sums.terms().for_each(|(values, minus)| push_sum(batch, values, minus));
            }
            (_, Sums::Signed(sums)) => {
                for _ in 0..count {
                    let (values, minus, n) = sums.draw_terms(&mut draws);
                    push_sum(batch, &values[..n], &minus[..n]);
                }
            }
            (_, Sums::Grocery(lists)) => {
                for _ in 0..count {
                    let (items, n) = lists.draw_items(&mut draws);
                    push_list(batch, &items[..n]);
                }
            }
        }
        if let Examples::Shuffled { .. } = self.examples {
            batch.rotate_targets();
        }
    }

    fn spec(&self) -> Spec {
        Spec::new(self.name(), self.examples)
    }
}

/// Literals and operators in turn, padding at the end.
fn push_sum(batch: &mut Batch, values: &[u32], minus: &[bool]) {
    let terms = batch.tokens().div_ceil(2);
    let signed = |(&value, &minus): (&u32, &bool)| if minus { -i64::from(value) } else { i64::from(value) };
    let answer: i64 = values.iter().zip(minus).map(signed).sum();
    batch.push_number(answer as f64, |inputs| {
        let [kinds, numbers] = inputs else { unreachable!("two inputs are listed") };
        for i in 0..terms {
            let real = i < values.len();
            if i > 0 {
                let operator = if real && minus[i] { Kind::Minus } else { Kind::Plus };
                kinds.push(if real { f64::from(operator as u8) } else { 0.0 });
            }
            kinds.push(if real { f64::from(Kind::Literal as u8) } else { 0.0 });
            numbers.push(if real { f64::from(values[i]) } else { 0.0 });
        }
    });
}

/// A kind and a value for each item, padding at the end.
fn push_list(batch: &mut Batch, list: &[Item]) {
    let tokens = batch.tokens();
    batch.push_number(grocery::answer(list) as f64, |inputs| {
        let [kinds, numbers] = inputs else { unreachable!("two inputs are listed") };
        for i in 0..tokens {
            let Item { id, value } = list.get(i).copied().unwrap_or_default();
            kinds.push(id as f64);
            numbers.push(f64::from(value));
        }
    });
}
