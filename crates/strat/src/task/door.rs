//! The door for tasks: what anyone implements to have a task of their own.

use super::batch::Batch;
use super::text::TextForm;
use super::{Example, Rule, Split, Target};
use crate::config::Setup;
use crate::metric::Metric;
use crate::model::{Kinds, Readout, Spec};
use std::borrow::Cow;
use std::fmt;

/// What is learned: examples, how a model reads them, and when an answer is right.
///
/// Everything a learner sees is a function of (seed, step), so that learners come out the same wherever they are
/// trained. Six methods are enough; `examples/own_task.rs` has a whole task.
pub trait Task: fmt::Debug + Send + Sync {
    /// Its name in files, tables and on the command line.
    fn name(&self) -> &str;
    /// The inputs that [`Task::encode`] writes for an example with room for `tokens` tokens.
    fn inputs(&self, tokens: usize) -> Vec<Input>;
    /// Tokens of the longest training example.
    fn tokens(&self) -> usize;
    /// Where the answer is read, which also decides the loss.
    fn readout(&self) -> Readout;
    /// What a learner trains on at a step. As many at every step, a function of (seed, step) alone.
    fn train(&self, seed: u64, step: u32) -> Cow<'_, [Example]>;
    /// Writes an example's inputs; they are zero before.
    fn encode(&self, example: &Example, inputs: &mut Inputs<'_>);

    /// The examples that the learner of a seed is tested on; none if there is no such test.
    fn test(&self, _split: Split, _seed: u64) -> Cow<'_, [Example]> {
        Cow::Borrowed(&[])
    }
    /// The examples that all that is learned comes from, to be shown: what a learner trains on at first, unless these are
    /// made of fewer.
    fn bases(&self) -> Cow<'_, [Example]> {
        self.train(1, 0)
    }
    /// How often [`Task::train`] gives other examples. Say so if it is seldom: what does not change is encoded once.
    fn changes(&self) -> Changes {
        Changes::ByStep
    }
    /// Tokens of the longest example there is.
    fn most_tokens(&self) -> usize {
        self.tokens()
    }
    /// Tokens of an example that are no padding.
    fn length(&self, _example: &Example) -> usize {
        self.tokens()
    }
    /// How good an output is for an example: 1 or 0 for right and wrong; of a number, how far off it is.
    fn score(&self, example: &Example, output: &[f64]) -> f64 {
        match example.target {
            Target::Number(right) => (output[0] - right).abs(),
            _ => f64::from(u8::from(example.target.is_answered_by(self.readout(), output))),
        }
    }
    /// What the mean of its scores is called and counted in. Learners have it with `id_` or `ood_` before its name
    /// ([`Split::metric`]); the manifest of a run keeps all of one that is not [built in](Metric::built_in).
    fn metric(&self) -> Metric {
        if self.readout() == Readout::Number { Metric::MAE } else { Metric::ACCURACY }
    }
    /// Replaces what is in a batch by [`Task::train`]'s examples. Implement it to draw examples without keeping them.
    fn fill(&self, seed: u64, step: u32, batch: &mut Batch) {
        batch.clear();
        for example in &*self.train(seed, step) {
            batch.push(example, self.length(example), |inputs| self.encode(example, inputs));
        }
        batch.weigh();
    }
    /// The tokens that there can be, where a token is decided by its place and its symbol alone: training is then
    /// faster.
    fn kinds(&self) -> Option<Kinds> {
        None
    }
    /// What a run's files name it by.
    fn spec(&self) -> Spec {
        Spec::named(self.name())
    }
    /// Models of the right size and how they are trained, where that is settled: for the paper's tasks, by the paper.
    fn paper(&self) -> Option<Setup> {
        None
    }
    /// Checksum of every example, where these are kept: what a run must find unchanged when it goes on.
    fn fingerprint(&self) -> Option<String> {
        None
    }
    /// How examples are typed and shown. Without it they are named by number, and answers are numbers.
    fn text(&self) -> Option<&dyn TextForm> {
        None
    }
    /// How an answer can be checked without knowing the right one, where it can.
    fn rule(&self) -> Option<&dyn Rule> {
        None
    }
    /// The share of a test set whose answers follow from the base examples, where a number decides them.
    fn decided(&self, _split: Split) -> Option<f64> {
        None
    }
    /// Every input there is with its right answer, each once, where these are few: then learners can be
    /// [certified](crate::certify).
    fn all_inputs(&self) -> Option<Vec<Example>> {
        None
    }
}

/// How often the training examples change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// Never: all learners train on the same.
    Never,
    /// By seed: a learner has its own, the same at every step.
    BySeed,
    /// At every step.
    ByStep,
}

/// A matrix that a model reads of every example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// As in the model's graph.
    pub name: Cow<'static, str>,
    /// Rows; for most inputs, tokens.
    pub rows: usize,
    /// Numbers in a row.
    pub width: usize,
}

impl Input {
    /// A matrix of this name and shape.
    pub fn new(name: impl Into<Cow<'static, str>>, rows: usize, width: usize) -> Input {
        Input { name: name.into(), rows, width }
    }
}

/// The inputs of one example, to be written.
#[derive(Debug)]
pub struct Inputs<'a> {
    inputs: &'a [Input],
    values: Vec<&'a mut [f64]>,
}

impl<'a> Inputs<'a> {
    /// Adds an example of zeros to the numbers of each input.
    pub(super) fn add(inputs: &'a [Input], values: &'a mut [Vec<f64>]) -> Self {
        let zeros = |(input, values): (&Input, &'a mut Vec<f64>)| {
            let (start, size) = (values.len(), input.rows * input.width);
            values.resize(start + size, 0.0);
            &mut values[start..]
        };
        Inputs { inputs, values: inputs.iter().zip(values).map(zeros).collect() }
    }

    /// The numbers of an input, row by row.
    ///
    /// # Panics
    /// If [`Task::inputs`] lists no such input.
    pub fn array(&mut self, name: &str) -> &mut [f64] {
        let at = self.at(name);
        self.values[at]
    }

    /// Sets one number.
    ///
    /// # Panics
    /// If [`Task::inputs`] lists no such input, or one with fewer rows or columns.
    pub fn set(&mut self, name: &str, row: usize, column: usize, x: f64) {
        let at = self.at(name);
        let Input { rows, width, .. } = self.inputs[at];
        assert!(row < rows && column < width, "input {name:?} is {rows} × {width}; there is no [{row}, {column}]");
        self.values[at][row * width + column] = x;
    }

    fn at(&self, name: &str) -> usize {
        let known = || self.inputs.iter().map(|i| format!("{:?}", i.name)).collect::<Vec<_>>().join(", ");
        let at = self.inputs.iter().position(|input| input.name == name);
        at.unwrap_or_else(|| panic!("there is no input {name:?}; the task lists {}", known()))
    }
}
