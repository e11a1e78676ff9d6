//! From a trained STRAT-Lite to an exact program (§8 leaves this as future work).
//!
//! 1. [`reading`]: the examples as equations in the coefficients of contexts; [`rule`]: the only whole numbers that
//!    solve them, or what is missing.
//! 2. [`bounds`]: what the gates can see, over all inputs of any length.
//! 3. [`circuit`]: gates sharpened to steps, cut, paste and readout set so that every coefficient is exactly the rule's.
//! 4. [`check`]: a second opinion, from the files alone.
//! 5. [`program`]: the rule as text, as Rust and as Python; [`run`]: all learners of a run.
//! 6. [`simplify`]: classifiers of few inputs, made simpler without changing an answer.
//!
//! Nothing is guessed: where the examples leave the rule open, or the learned types do not tell contexts apart for every
//! input, there is no crystal, and the reason says what it takes.

pub mod bounds;
pub mod check;
pub mod circuit;
pub mod program;
pub mod reading;
pub mod rule;
pub mod run;
pub mod simplify;

use crate::engine::reference::Arrays;
use crate::inspect::attractor::{Attractor, Mechanism};
use crate::model::Lite;
use crate::train::TrainConfig;
use bounds::{Attention, Range};
use circuit::{Blunt, Circuit};
use reading::{Equation, Reading};
use rule::{Rule, Undetermined};

/// An exact program that a learner became.
#[derive(Clone, Debug, PartialEq)]
pub struct Crystal {
    /// What it computes.
    pub rule: Rule,
    /// Weights that compute it, on any input of any length.
    pub weights: Arrays,
    /// What the learner's own coefficients can be, by context.
    pub learned: Vec<Range>,
    /// How far apart the gate sees the two kinds of context, as a share of what it sees.
    pub margin: f64,
}

impl Crystal {
    /// Which of the two mechanisms; for sums.
    pub fn attractor(&self, lite: Lite) -> Option<Attractor> {
        (self.rule.reading == Reading::Sums).then(|| Mechanism::of(lite, &self.weights).attractor())
    }

    /// The contexts whose coefficient is not the whole number next to the learner's own.
    pub fn moved(&self) -> Vec<usize> {
        let pairs = self.rule.coefficients.iter().zip(&self.learned).enumerate();
        pairs.filter(|(_, (c, learned))| learned.middle().round() != **c as f64).map(|(k, _)| k).collect()
    }
}

/// Why a learner is not crystallized.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Obstacle {
    /// Its examples leave the rule open.
    #[error(transparent)]
    Undetermined(#[from] Undetermined),
    /// Its types do not tell the contexts apart.
    #[error(transparent)]
    Blunt(#[from] Blunt),
}

/// Turns a learner into an exact program, from its weights and the examples of its seed.
pub fn crystallize(lite: Lite, weights: &Arrays, train: &TrainConfig, seed: u64) -> Result<Crystal, Obstacle> {
    let reading = Reading::of(lite.types);
    let equations = Equation::of_training(reading, train, seed);
    from_equations(lite, weights, &equations)
}

/// The same for any examples.
pub fn from_equations(lite: Lite, weights: &Arrays, equations: &[Equation]) -> Result<Crystal, Obstacle> {
    let rule = Rule::of(Reading::of(lite.types), equations)?;
    let attention = Attention::of(lite, weights);
    let learned = coefficients(&attention, weights, &rule);
    let Circuit { weights, margin } = Circuit::of(lite, &attention, weights, &rule)?;
    Ok(Crystal { rule, weights, learned, margin })
}

/// What a learner's coefficient can be in each context, over all inputs of any length.
pub fn coefficients(attention: &Attention, weights: &Arrays, rule: &Rule) -> Vec<Range> {
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
    (0..rule.coefficients.len()).map(of).collect()
}
