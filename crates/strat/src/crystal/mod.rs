//! From a trained STRAT-Lite to an exact program (§8 leaves this as future work).
//!
//! A crystal is read off the network. Its ten sums are not used to find it: solving them for the rule needs no network
//! at all, and is kept as a baseline ([`linear_solve`](crate::baseline::linear_solve)).
//!
//! 1. `bounds`: what gates can see, and so what the learner's own coefficients can be, over all inputs of any length.
//! 2. [`Rule`]: the whole numbers next to these, if they are next to one on all inputs.
//! 3. `circuit`: the learner's own gates sharpened to steps; cut, paste and readout moved to the nearest numbers that
//!    make every coefficient exactly the rule's.
//! 4. [`Equation`]: the training examples, which verify the rule and never supply it.
//! 5. [`Rule::check`]: a second opinion, from the files alone.
//! 6. [`Rule::to_rust`], [`Rule::to_python`]: the rule as a function.
//! 7. [`Simplified`]: classifiers of few inputs, made simpler without changing an answer.

mod bounds;
mod check;
mod circuit;
mod program;
mod reading;
mod rule;
mod simplify;

pub(crate) use bounds::Attention;
pub use bounds::Range;
pub use check::Flaw;
pub use reading::{Equation, Reading};
pub use rule::Rule;
pub use simplify::{Gates, Heads, Simplified, Units};

use crate::engine::reference::Arrays;
use crate::model::Lite;
use crate::task::SumTask;
use circuit::Circuit;

/// An exact program that a learner became.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
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
#[non_exhaustive]
pub enum Obstacle {
    /// Its own coefficients are next to no rule.
    #[error(
        "its coefficient of a value with context {context} is {low:+.3} to {high:+.3}, not next to one whole number on all \
         inputs; it has not learned a rule"
    )]
    Between {
        /// The context in words.
        context: String,
        /// Its smallest coefficient.
        low: f64,
        /// Its largest.
        high: f64,
    },
    /// Its gates do not tell the contexts apart.
    #[error(
        "its gates cannot become steps that hold its rule: no thresholds on what they see tell the contexts apart for \
         every input"
    )]
    Blunt,
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

impl Crystal {
    /// Turns a learner into the exact program that its own weights are next to, and verifies it on the examples of its
    /// seed.
    pub fn of(lite: Lite, weights: &Arrays, task: &SumTask, seed: u64) -> Result<Crystal, Obstacle> {
        let crystal = Crystal::read_off(lite, weights)?;
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
}

/// What a learner's coefficient can be in each context, over all inputs of any length.
pub(crate) fn coefficients(attention: &Attention, weights: &Arrays) -> Vec<Range> {
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
