//! What a unityped model does with values and operators, in numbers; [diagnosis](super::diagnosis)
//! gives them a name.
//!
//! Everything is measured on sums of the training range. A gate counts by its effect,
//! `|W_out · payload|`, what the answer would change by if it went from closed to open.
//!
//! | measure | is |
//! |---|---|
//! | `error_ratio` | mean error, over that of the best linear map of values and operators |
//! | `linear_r2` | share of the answers' variance that such a map explains |
//! | `openness` | mean gate |
//! | `saturation` | mean of `1 − 4 g (1 − g)`: 0 at half open, 1 where no gradient passes |
//! | `gradient_passed` | norm of the loss's gradient behind the gates' sigmoids over its norm before them; 1 if all stood half open |
//! | `operator_dependence` | mean change of a literal's gates when every + becomes − and every − becomes + |
//! | `value_dependence` | mean change of a literal's gates when D0 grows 40 times, to the OOD range |
//! | `switch_kept` | operator dependence at values 40 times as large, over that in the training range |
//! | `payload_growth` | growth of the payload from 20 to 40 times the values, over 20 times its growth from 1 to 2 times |

use crate::engine::reference::{Arrays, evaluate};
use crate::model::{Built, Model, Unityped};
use crate::rng::{RandomStream, Stream};
use crate::task::signed_sum::{MAX_TERMS, TOKENS};
use crate::task::{SignedSum, Sum};
use nalgebra::{DMatrix, DVector};
use serde::Serialize;
use std::fmt;

/// What was measured of one run; see the module.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measures {
    /// Mean error over that of the best linear map.
    pub error_ratio: f64,
    /// Share of the answers' variance that a linear map explains.
    pub linear_r2: f64,
    /// Mean gate.
    pub openness: f64,
    /// Mean of `1 − 4 g (1 − g)`.
    pub saturation: f64,
    /// Norm of the gradient behind the sigmoids over that before them.
    pub gradient_passed: f64,
    /// Change of the gates with the operators.
    pub operator_dependence: f64,
    /// Change of the gates with D0.
    pub value_dependence: f64,
    /// Share of the operator dependence that is left at OOD values.
    pub switch_kept: f64,
    /// Growth of the payload with the values, relative to proportional growth.
    pub payload_growth: f64,
}

/// Sums on which a run is looked at.
const PROBES: usize = 128;

/// From the training range to the OOD range.
const GROWTH: u32 = 40;

impl Measures {
    /// The range that counts as in distribution: A_curr's is the last stage of its curriculum.
    pub fn id_range(config: Unityped) -> SignedSum {
        match config {
            Unityped::Acurr => SignedSum::CURRICULUM[2],
            _ => SignedSum::ABLATION,
        }
    }

    /// The sums on which a run is looked at, the same for all runs of a configuration.
    pub fn probes(config: Unityped) -> Vec<Sum> {
        Measures::id_range(config).draw_many(PROBES, RandomStream::new(0, Stream::TestId, 1))
    }

    /// Measures a run on these sums.
    pub fn of(config: Unityped, weights: &Arrays, sums: &[Sum]) -> Measures {
        let run = Run { built: config.build(TOKENS), weights };
        let mut literal = Means::default();
        // Squared norms of the gradient before and behind the sigmoids, steepest slope 1.
        let (mut before, mut behind) = (0.0, 0.0);
        let (mut grown_little, mut grown_much) = (0.0, 0.0);
        let mut answers = vec![];
        for sum in sums {
            let here = run.look(sum);
            let [twice, half_way, grown] = [2, GROWTH / 2, GROWTH].map(|k| run.look(&scaled(sum, k)));
            let [flipped, grown_flipped] = [1, GROWTH].map(|k| run.look(&flipped(&scaled(sum, k))));
            let error = here.answer - sum.answer() as f64;
            for (i, (&g, &payload)) in here.gates.iter().zip(&here.payload).enumerate() {
                let slope = 4.0 * g * (1.0 - g);
                let gradient = error * payload;
                before += gradient.powi(2);
                behind += (gradient * slope).powi(2);
                if !here.is_literal(i) {
                    continue;
                }
                let effect = payload.abs();
                literal.effect += effect;
                literal.openness += effect * g;
                literal.saturation += effect * (1.0 - slope);
                literal.by_operator += effect * (g - flipped.gates[i]).abs();
                literal.by_value += effect * (g - grown.gates[i]).abs();
                literal.by_operator_grown += effect * (grown.gates[i] - grown_flipped.gates[i]).abs();
                grown_little += (twice.payload[i] - payload).abs();
                grown_much += (grown.payload[i] - half_way.payload[i]).abs();
            }
            answers.push(here.answer);
        }
        let targets: Vec<f64> = sums.iter().map(|s| s.answer() as f64).collect();
        let mean_error = |a: &[f64]| a.iter().zip(&targets).map(|(a, t)| (a - t).abs()).sum::<f64>();
        Measures {
            error_ratio: ratio(mean_error(&answers), mean_error(&linear_fit(sums, &targets))),
            linear_r2: explained(&answers, &linear_fit(sums, &answers)),
            openness: ratio(literal.openness, literal.effect),
            saturation: ratio(literal.saturation, literal.effect),
            gradient_passed: ratio(behind, before).sqrt(),
            operator_dependence: ratio(literal.by_operator, literal.effect),
            value_dependence: ratio(literal.by_value, literal.effect),
            switch_kept: ratio(literal.by_operator_grown, literal.by_operator),
            payload_growth: ratio(grown_much, f64::from(GROWTH / 2) * grown_little),
        }
    }

    /// The same from a record's scores, by name.
    pub fn from_scores(score: impl Fn(&str) -> f64) -> Measures {
        Measures {
            error_ratio: score("error_ratio"),
            linear_r2: score("linear_r2"),
            openness: score("openness"),
            saturation: score("saturation"),
            gradient_passed: score("gradient_passed"),
            operator_dependence: score("operator_dependence"),
            value_dependence: score("value_dependence"),
            switch_kept: score("switch_kept"),
            payload_growth: score("payload_growth"),
        }
    }

    /// By name, for records.
    pub fn scores(&self) -> [(&'static str, f64); 9] {
        [
            ("error_ratio", self.error_ratio),
            ("linear_r2", self.linear_r2),
            ("openness", self.openness),
            ("saturation", self.saturation),
            ("gradient_passed", self.gradient_passed),
            ("operator_dependence", self.operator_dependence),
            ("value_dependence", self.value_dependence),
            ("switch_kept", self.switch_kept),
            ("payload_growth", self.payload_growth),
        ]
    }
}

impl fmt::Display for Measures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let meanings = [
            "error over that of the best linear map",
            "of its answers a linear map explains",
            "mean gate",
            "0 half open, 1 shut or wide open",
            "of the gradient gets through the gates",
            "change of the gates with + and −",
            "change of the gates with 40 × the values",
            "of the switching is left at 40 × the values",
            "payload's growth, 1 if proportional",
        ];
        for ((name, x), meaning) in self.scores().iter().zip(meanings) {
            let x = if *x == 0.0 || x.abs() >= 1e-3 { format!("{x:.4}") } else { format!("{x:.1e}") };
            writeln!(f, "  {name:<20} {x:>12}  {meaning}")?;
        }
        Ok(())
    }
}

/// Sums over gates of literals, weighted by effect.
#[derive(Default)]
struct Means {
    effect: f64,
    openness: f64,
    saturation: f64,
    by_operator: f64,
    by_value: f64,
    by_operator_grown: f64,
}

/// 0 of nothing.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn scaled(sum: &Sum, by: u32) -> Sum {
    Sum { values: sum.values.iter().map(|v| v * by).collect(), ..sum.clone() }
}

fn flipped(sum: &Sum) -> Sum {
    Sum { minus: sum.minus.iter().enumerate().map(|(i, m)| i > 0 && !m).collect(), ..sum.clone() }
}

/// A trained model, ready to be looked at.
struct Run<'a> {
    built: Built,
    weights: &'a Arrays,
}

/// One sum: gates and `W_out · payload` of every token and dimension, and the answer.
struct Look {
    gates: Vec<f64>,
    payload: Vec<f64>,
    width: usize,
    answer: f64,
}

impl Look {
    fn is_literal(&self, i: usize) -> bool {
        (i / self.width).is_multiple_of(2)
    }
}

impl Run<'_> {
    fn look(&self, sum: &Sum) -> Look {
        let values = evaluate(&self.built.graph, self.weights, &sum.encode(MAX_TERMS));
        let named = |name: &str| &values[self.built.graph.named(name).expect("the model names it").index()];
        let readout = &self.weights["readout.weight"];
        let width = readout.len();
        let real = (2 * sum.values.len() - 1) * width;
        let payload = named("block.0.payload")[..real].iter().zip(readout.iter().cycle()).map(|(p, w)| w * p);
        Look {
            gates: named("block.0.gate")[..real].to_vec(),
            payload: payload.collect(),
            width,
            answer: named("output")[0],
        }
    }
}

/// What the least-squares linear map of values and operators (+1, −1; 0 where there is none)
/// makes of `y`.
fn linear_fit(sums: &[Sum], y: &[f64]) -> Vec<f64> {
    let cell = |r: usize, c: usize| match (c, c.saturating_sub(1) % MAX_TERMS) {
        (0, _) => 1.0,
        (c, i) if c <= MAX_TERMS => sums[r].values.get(i).map_or(0.0, |&v| f64::from(v)),
        (_, i) => sums[r].minus.get(i).map_or(0.0, |&m| if m { -1.0 } else { 1.0 }),
    };
    let x = DMatrix::from_fn(sums.len(), 1 + 2 * MAX_TERMS, cell);
    let fit = x.clone().svd(true, true).solve(&DVector::from_column_slice(y), 1e-9);
    // Only a run that diverged has no fit.
    fit.map_or_else(|_| vec![f64::NAN; y.len()], |fit| (x * fit).iter().copied().collect())
}

/// R² of the fit.
fn explained(y: &[f64], fit: &[f64]) -> f64 {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let spread: f64 = y.iter().map(|y| (y - mean).powi(2)).sum();
    let residual: f64 = y.iter().zip(fit).map(|(y, f)| (y - f).powi(2)).sum();
    1.0 - ratio(residual, spread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Isa;
    use crate::engine::Machine;
    use crate::task::{Batch, Example, SumTask};
    use crate::train::machine;

    /// What `gradient_passed` is made of, summed, is the engine's gradient on the gates' biases.
    #[test]
    fn the_gradient_on_the_gates_is_the_engines() {
        let (model, sums) = (Unityped::A, Measures::probes(Unityped::A));
        let weights = model.init(5);
        let run = Run { built: model.build(TOKENS), weights: &weights };
        let mut ours = [0.0; 6];
        for sum in &sums {
            let look = run.look(sum);
            let error = look.answer - sum.answer() as f64;
            for (i, (g, payload)) in look.gates.iter().zip(&look.payload).enumerate() {
                ours[i % 6] += 2.0 * error * payload * g * (1.0 - g) / sums.len() as f64;
            }
        }
        let (tokens, size) = (2 * MAX_TERMS - 1, (sums.len(), true));
        let mut m: Box<dyn Machine<f64>> = machine(&model, None, tokens, size, Isa::detect().unwrap()).unwrap();
        let examples: Vec<Example> = sums.iter().map(|sum| sum.example()).collect();
        let batch = Batch::of(&SumTask::LOCKING, tokens, &examples);
        for lane in 0..m.lanes() {
            weights.iter().for_each(|(name, w)| m.set_param(lane, name, w));
            batch.set(&mut *m, lane, &mut vec![]).unwrap();
        }
        m.load();
        m.gradients();
        for (ours, engine) in ours.iter().zip(m.gradient(0, "gate.bias")) {
            assert!((ours - engine).abs() <= 1e-9 * engine.abs().max(1.0), "{ours} {engine}");
        }
    }
}
