//! From a trained STRAT-Lite to an exact program (§8 leaves this as future work).
//!
//! A crystal is read off the network. Its ten sums are not used to find it: solving them for the rule needs no network
//! at all, and is kept as a baseline ([`linear_solve`](crate::baseline::linear_solve)).
//!
//! 1. [`bounds`]: what gates can see, and so what the learner's own coefficients can be, over all inputs of any length.
//! 2. [`rule`]: the whole numbers next to these, if they are next to one on all inputs.
//! 3. [`circuit`]: the learner's own gates sharpened to steps; cut, paste and readout moved to the nearest numbers that
//!    make every coefficient exactly the rule's.
//! 4. [`reading`]: the training examples, which verify the rule and never supply it.
//! 5. [`check`]: a second opinion, from the files alone.
//! 6. [`program`]: the rule as text, as Rust and as Python.
//! 7. [`simplify`]: classifiers of few inputs, made simpler without changing an answer.

pub mod bounds;
pub mod check;
pub mod circuit;
pub mod program;
pub mod reading;
pub mod rule;
pub mod simplify;

use crate::engine::reference::Arrays;
use crate::model::Lite;
use crate::task::SumTask;
use bounds::{Attention, Range};
use circuit::{Blunt, Circuit};
use reading::{Equation, Reading};
use rule::{Between, Rule};

/// An exact program that a learner became.
#[derive(Clone, Debug, PartialEq)]
pub struct Crystal {
    /// What it computes.
    pub rule: Rule,
    /// Weights that compute it, on any input of any length.
    pub weights: Arrays,
    /// What the learner's own coefficients can be, by context.
    pub learned: Vec<Range>,
    /// How far these are from the rule's, at most.
    pub distance: f64,
    /// How far apart the gates see the contexts that they tell apart, as a share of what they see.
    pub margin: f64,
}

/// Why a learner is not crystallized.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Obstacle {
    /// Its own coefficients are next to no rule.
    #[error(transparent)]
    Between(#[from] Between),
    /// Its gates do not tell the contexts apart.
    #[error(transparent)]
    Blunt(#[from] Blunt),
    /// The rule that it is next to is wrong.
    #[error(
        "its own coefficients are next to a rule that gives {given} on training example {number}, whose answer is {right}"
    )]
    Refuted {
        /// Which example, from 1 on.
        number: usize,
        /// What the rule gives.
        given: i64,
        /// What is right.
        right: i64,
    },
}

/// Turns a learner into the exact program that its own weights are next to, and verifies it on the examples of its seed.
pub fn crystallize(lite: Lite, weights: &Arrays, task: &SumTask, seed: u64) -> Result<Crystal, Obstacle> {
    let crystal = read_off(lite, weights)?;
    let equations = Equation::of_training(crystal.rule.reading, task, seed);
    match equations.iter().enumerate().find(|(_, e)| !e.holds(&crystal.rule.coefficients)) {
        None => Ok(crystal),
        Some((i, e)) => {
            let given = e.totals.iter().zip(&crystal.rule.coefficients).map(|(t, c)| t * c).sum();
            Err(Obstacle::Refuted { number: i + 1, given, right: e.answer })
        }
    }
}

/// The exact program that a learner's weights are next to, without a look at any example.
pub fn read_off(lite: Lite, weights: &Arrays) -> Result<Crystal, Obstacle> {
    let attention = Attention::of(lite, weights);
    let learned = coefficients(&attention, weights);
    let rule = Rule::nearest(Reading::of(lite.types), &learned)?;
    let Circuit { weights, margin } = Circuit::of(lite, &attention, weights, &rule)?;
    let distance = rule.distance(&learned);
    Ok(Crystal { rule, weights, learned, distance, margin })
}

/// What a learner's coefficient can be in each context, over all inputs of any length.
pub fn coefficients(attention: &Attention, weights: &Arrays) -> Vec<Range> {
    let out = &weights["readout.weight"];
    let (cut, paste) = (weights["value.weight"][0], weights["value.weight"][2]);
    let width = weights["gate.weight"].len() / 2;
    let gate = |k: usize, row: usize| {
        let direction = &weights["gate.weight"][row * width..][..width];
        let seen = attention.range(direction, &attention.place(k)).plus(Range::at(weights["gate.bias"][row]));
        Range::around([seen.low, seen.high].map(|x| 1.0 / (1.0 + (-x).exp())))
    };
    let of = |k: usize| {
        let kept = gate(k, 0).times(cut).plus(Range::at(1.0)).times(out[0]);
        kept.plus(gate(k, 1).times(paste * out[out.len() - 1]))
    };
    (0..attention.contexts()).map(of).collect()
}
