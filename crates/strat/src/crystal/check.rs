//! A second opinion on a crystallized learner, from what is in its files alone.
//!
//! Nothing of how it was made is used, and neither are the bounds that it was made with: the model is computed slowly,
//! in `f64`, on the examples that it was trained on and on every order of contexts up to a length. Coefficients
//! are read off its answers, and must be the same whole numbers everywhere. What lies further back than that length can move a gate's
//! input only by a share that falls with the distance; the gates must be further from their threshold than that.

use super::Rule;
use super::reading::{Equation, Reading};
use crate::engine::reference::{Arrays, evaluate};
use crate::engine::{Graph, Node};
use crate::model::{Built, ITEMS, Lite, Model};
use crate::task::grocery::{self, Item};
use crate::task::signed_sum::Sum;
use crate::task::{Batch, SumTask};

/// Terms of the sums that are tried in every order of operators.
const TERMS: usize = 8;
/// Items of the lists that are tried in every order.
const LISTED: usize = 2;
/// Training examples that are tried; ten sums are all of them, streams go on.
const EXAMPLES: usize = 640;

/// What a closed gate may let through: in double precision σ falls to 10⁻¹¹¹, but not to 0.
const CLOSED: f64 = 1e-100;

/// Why a learner is no exact program.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// It is wrong on an example that it was trained on.
    #[error("it gives {given} on training example {number}, whose answer is {right}")]
    Training {
        /// Which, from 1 on.
        number: usize,
        /// What it gives.
        given: f64,
        /// What it should give.
        right: i64,
    },
    /// A coefficient is not whole, or not the same everywhere.
    #[error("a value with context {context} counts {found} after {before} others, but {wanted} elsewhere")]
    Coefficient {
        /// Its context.
        context: String,
        /// What it counts.
        found: f64,
        /// Tokens before it that carry values.
        before: usize,
        /// What it counts elsewhere.
        wanted: f64,
    },
    /// Something else than values adds to the answer.
    #[error("without any values it gives {0}")]
    Offset(f64),
    /// A gate could change its mind on longer inputs than those tried.
    #[error("a gate sees {seen:.3e}, and what lies further back can change that by {share:.3e}")]
    Soft {
        /// Its input, where it is smallest.
        seen: f64,
        /// The most that can be added to it.
        share: f64,
    },
}

/// An input as it is tried: what stands in its slots, and their contexts.
struct Question {
    contexts: Vec<usize>,
    terms: usize,
}

impl Question {
    /// With these values in the slots.
    fn inputs(&self, reading: Reading, values: &[u32]) -> Arrays {
        match reading {
            Reading::Sums => {
                let minus = self.contexts.iter().map(|&c| c == 2).collect();
                Sum { values: values.to_vec(), minus }.encode(self.terms)
            }
            Reading::Lists => {
                let items = self.contexts.iter().zip(values).map(|(&c, &value)| Item { id: c + 1, value });
                Batch::of_one(&SumTask::GROCERY, &grocery::example(&items.collect::<Vec<_>>())).arrays()
            }
        }
    }

    /// Every one up to the length.
    fn all(reading: Reading) -> Vec<Question> {
        let orders = |choices: std::ops::Range<usize>, length: usize| {
            (0..length).fold(vec![vec![]], |all: Vec<Vec<usize>>, _| {
                all.iter().flat_map(|o| choices.clone().map(move |c| [&o[..], &[c]].concat())).collect()
            })
        };
        let contexts: Vec<Vec<usize>> = match reading {
            Reading::Sums => {
                let after_first = (0..TERMS).flat_map(|n| orders(1..3, n));
                after_first.map(|rest| [&[0], &rest[..]].concat()).collect()
            }
            Reading::Lists => (1..=LISTED).flat_map(|n| orders(0..ITEMS, n)).collect(),
        };
        contexts.into_iter().map(|contexts| Question { terms: contexts.len(), contexts }).collect()
    }
}

/// A model and its weights, computed slowly.
struct Slow<'a> {
    lite: Lite,
    weights: &'a Arrays,
    built: Vec<Option<(Graph, Node, Node)>>,
}

impl Slow<'_> {
    /// The answer, and the smallest input of a gate at a token that carries a value.
    fn answer(&mut self, terms: usize, inputs: &Arrays) -> (f64, f64) {
        if self.built.len() <= terms {
            self.built.resize(terms + 1, None);
        }
        let tokens = if Reading::of(self.lite.types) == Reading::Sums { 2 * terms - 1 } else { terms };
        let (graph, output, types) = self.built[terms].get_or_insert_with(|| {
            let Built { graph, output, .. } = self.lite.build(tokens);
            let types = graph.named("type").expect("STRAT-Lite names its types");
            (graph, output, types)
        });
        let values = evaluate(graph, self.weights, inputs);
        let (width, step) = (self.lite.width, if Reading::of(self.lite.types) == Reading::Sums { 2 } else { 1 });
        let seen = values[types.index()].chunks_exact(width).step_by(step).flat_map(|x| {
            let rows = self.weights["gate.weight"].chunks_exact(width).zip(&self.weights["gate.bias"]);
            rows.map(move |(w, b)| w.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + b)
        });
        (values[output.index()][0], seen.map(f64::abs).fold(f64::INFINITY, f64::min))
    }
}

impl Rule {
    /// Checks, from the files alone, that a learner of this model, training and seed is an exact program; gives its rule.
    pub fn check(lite: Lite, weights: &Arrays, task: &SumTask, seed: u64) -> Result<Rule, Flaw> {
        let coefficients = coefficients(lite, weights, task, seed)?;
        Ok(Rule { reading: Reading::of(lite.types), coefficients })
    }
}

/// The coefficients of an exact program.
fn coefficients(lite: Lite, weights: &Arrays, task: &SumTask, seed: u64) -> Result<Vec<i64>, Flaw> {
    let reading = Reading::of(lite.types);
    let mut slow = Slow { lite, weights, built: vec![] };
    let mut coefficients: Vec<Option<f64>> = vec![None; reading.contexts()];
    let mut least = f64::INFINITY;
    for question in Question::all(reading) {
        let nothing = vec![0; question.terms];
        let (offset, seen) = slow.answer(question.terms, &question.inputs(reading, &nothing));
        least = least.min(seen);
        if offset != 0.0 {
            return Err(Flaw::Offset(offset));
        }
        for (before, &context) in question.contexts.iter().enumerate() {
            let mut values = nothing.clone();
            values[before] = 1;
            let found = slow.answer(question.terms, &question.inputs(reading, &values)).0;
            let wanted = *coefficients[context].get_or_insert(found.round());
            if (found - wanted).abs() > CLOSED {
                return Err(Flaw::Coefficient { context: reading.name(context), found, before, wanted });
            }
        }
    }
    let share = further_back(lite, weights, if reading == Reading::Sums { 2 * TERMS - 1 } else { LISTED });
    if least.is_nan() || least <= share {
        return Err(Flaw::Soft { seen: least, share });
    }
    let coefficients: Vec<i64> = coefficients.into_iter().map(|c| c.unwrap_or(0.0) as i64).collect();
    for (i, equation) in Equation::of_training(reading, task, seed).iter().take(EXAMPLES).enumerate() {
        let given: i64 = equation.totals.iter().zip(&coefficients).map(|(t, c)| t * c).sum();
        if given != equation.answer {
            return Err(Flaw::Training { number: i + 1, given: given as f64, right: equation.answer });
        }
    }
    Ok(coefficients)
}

/// The most that tokens from a distance on can change what a gate sees: the share of attention that they can have beside
/// the token itself, times how much offers differ along the gate, head by head.
fn further_back(lite: Lite, weights: &Arrays, distance: usize) -> f64 {
    let width = lite.width;
    let types: Vec<Vec<f64>> = match weights.get("embed") {
        Some(embed) => embed.chunks_exact(width).map(<[f64]>::to_vec).collect(),
        None => crate::model::ORACLE_TYPES.chunks_exact(width).map(<[f64]>::to_vec).collect(),
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let of_all = |name: &str| -> Vec<Vec<f64>> {
        types.iter().map(|x| weights[name].chunks_exact(width).map(|w| dot(w, x)).collect()).collect()
    };
    let (queries, keys, offers) = (of_all("query.weight"), of_all("key.weight"), of_all("type_value.weight"));
    let spread = |numbers: Vec<f64>| {
        let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most - numbers.iter().copied().fold(f64::INFINITY, f64::min)
    };
    let per_head = width / lite.heads;
    let gates: Vec<&[f64]> = weights["gate.weight"].chunks_exact(width).collect();
    let mut largest = 0.0f64;
    // Numbers have one kind in sums; items are all of a kind of their own.
    let asking = if Reading::of(lite.types) == Reading::Sums { 1 } else { types.len() };
    for (kind, query) in queries.iter().enumerate().take(asking) {
        for gate in &gates {
            let mut change = 0.0;
            for head in 0..lite.heads {
                let at = head * per_head..(head + 1) * per_head;
                let score = |key: &Vec<f64>| dot(&query[at.clone()], &key[at.clone()]) / (per_head as f64).sqrt();
                let best = keys.iter().map(score).fold(f64::NEG_INFINITY, f64::max) - score(&keys[kind]);
                let share = ((best - distance as f64).exp() / (1.0 - (-1.0f64).exp())).min(1.0);
                change += share * spread(offers.iter().map(|o| dot(&gate[at.clone()], &o[at.clone()])).collect());
            }
            largest = largest.max(change);
        }
    }
    largest
}
