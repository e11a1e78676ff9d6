//! A task and an architecture of one's own.

use serde::Serialize;
use std::borrow::Cow;
use strat::model::{Built, Layers, Model, Readout, Spec};
use strat::rng::{RandomStream, Stream};
use strat::task::{Example, Input, Inputs, Split, Target, Task};

/// Four bits; are at least three of them set? A first token is there to read the answer at.
#[derive(Debug)]
pub struct ThreeOfFour;

fn example(bits: u32) -> Example {
    let input: Vec<u8> = (0..4).map(|i| (bits >> i & 1) as u8).collect();
    Example::new(input, Target::Class(u8::from(bits.count_ones() >= 3)))
}

impl Task for ThreeOfFour {
    fn name(&self) -> &str {
        "three-of-four"
    }
    fn tokens(&self) -> usize {
        5
    }
    fn readout(&self) -> Readout {
        Readout::Class(2)
    }
    fn inputs(&self, tokens: usize) -> Vec<Input> {
        vec![Input::new("type", tokens, 2), Input::new("data", tokens, 1)]
    }
    fn encode(&self, example: &Example, inputs: &mut Inputs<'_>) {
        inputs.set("type", 0, 0, 1.0);
        for (i, &bit) in example.input.iter().enumerate() {
            inputs.set("type", i + 1, 1, 1.0);
            inputs.set("data", i + 1, 0, f64::from(bit));
        }
    }
    fn train(&self, seed: u64, step: u32) -> Cow<'_, [Example]> {
        let mut draws = RandomStream::new(seed, Stream::Train, step);
        (0..8).map(|_| example(draws.below(16))).collect()
    }
    fn test(&self, split: Split, _seed: u64) -> Cow<'_, [Example]> {
        if split == Split::Id { (0..16).map(example).collect() } else { Cow::Borrowed(&[]) }
    }
    fn all_inputs(&self) -> Option<Vec<Example>> {
        Some((0..16).map(example).collect())
    }
}

/// Type decides which values count; their sum decides the class.
#[derive(Debug, Serialize)]
pub struct GatedCount {
    pub width: usize,
}

impl Model for GatedCount {
    fn spec(&self) -> Spec {
        Spec::new("gated-count", self)
    }
    fn build(&self, tokens: usize) -> Built {
        let mut l = Layers::new();
        let (types, data) = (l.input("type", tokens, 2), l.input("data", tokens, 1));
        let gate = l.linear("gate", types, self.width, true);
        let gate = l.sigmoid(gate);
        l.name("gate", gate);
        let value = l.linear("value", data, self.width, false);
        let written = l.mul(gate, value);
        let ones = l.constant(tokens, 1, &vec![1.0; tokens]);
        let sum = l.sum_rows(written, ones);
        l.name("sum", sum);
        let hidden = l.linear("hidden", sum, self.width, true);
        let hidden = l.tanh(hidden);
        let output = l.linear("head", hidden, 2, true);
        l.finish(Readout::Class(2), output)
    }
}
