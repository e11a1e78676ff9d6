//! Why a unityped model fails (§4.2, App. B): a name for each run, computed from what its
//! gates do, never looked up.
//!
//! Everything is measured on literals of in-distribution sums. A gate counts by its effect,
//! `e = |W_out · payload|`, what the answer would change by if it went from closed to open.
//!
//! | measure | is |
//! |---|---|
//! | `openness` | mean gate |
//! | `slope` | mean of `4 g (1 − g)`: 1 at half open, 0 where no gradient passes |
//! | `operator_dependence` | mean change of the gate when every + becomes − and every − becomes + |
//! | `value_dependence` | mean change of the gate when all values grow to the OOD range (× 40) |
//! | `scale_response` | answers to sums 40 times as large, divided by 40 times the answers |
//! | `linear_r2` | share of the answers' variance that a linear map of the literals explains, operators unseen |
//!
//! The first that applies: **Geometric Logic**, OOD error below 100. **Feature Collapse**,
//! scale response below ½: magnitude is lost on the way. **Magnitude Leak**, value dependence
//! above ¼ though the ID error is below 10: a fit whose gates are set by magnitude.
//! **Gradient Wall**, slope below ¼ and operator dependence below ¼: saturated gates that no
//! operator moves. **Open Gate Trap**, openness above ½ and operator dependence below ¼.
//! **Linear Trap**, all else: values are fitted without a switch.

use crate::engine::reference::{Arrays, evaluate};
use crate::model::{Arithmetic, Config};
use crate::task::Sum;
use crate::task::signed_sum::MAX_TERMS;
use nalgebra::{DMatrix, DVector};
use std::fmt;

/// How a run failed, or that it did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Diagnosis {
    /// The rule was found.
    GeometricLogic,
    /// Values are fitted, nothing switches.
    LinearTrap,
    /// Saturated gates that nothing moves.
    GradientWall,
    /// Gates pass everything.
    OpenGateTrap,
    /// Gates are set by the values.
    MagnitudeLeak,
    /// Normalization loses the values.
    FeatureCollapse,
}

impl Diagnosis {
    /// All of them, in the order of the report.
    pub const ALL: [Diagnosis; 6] = [
        Diagnosis::LinearTrap,
        Diagnosis::GradientWall,
        Diagnosis::OpenGateTrap,
        Diagnosis::MagnitudeLeak,
        Diagnosis::FeatureCollapse,
        Diagnosis::GeometricLogic,
    ];
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Diagnosis::GeometricLogic => "Geometric Logic",
            Diagnosis::LinearTrap => "Linear Trap",
            Diagnosis::GradientWall => "Gradient Wall",
            Diagnosis::OpenGateTrap => "Open Gate Trap",
            Diagnosis::MagnitudeLeak => "Magnitude Leak",
            Diagnosis::FeatureCollapse => "Feature Collapse",
        })
    }
}

/// What was measured of one run; see the module.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// Mean gate.
    pub openness: f64,
    /// Mean of `4 g (1 − g)`.
    pub slope: f64,
    /// Change of the gate with the operators.
    pub operator_dependence: f64,
    /// Change of the gate with the values' size.
    pub value_dependence: f64,
    /// Answers to larger sums, relative to proportional ones.
    pub scale_response: f64,
    /// Variance explained without operators.
    pub linear_r2: f64,
}

/// From the training range to the OOD range.
const GROWTH: u32 = 40;

impl Measures {
    /// Measures a run on these sums.
    pub fn of(config: Config, weights: &Arrays, sums: &[Sum]) -> Measures {
        let model = Run::new(config, weights);
        let mut total = Measures::default();
        let (mut effects, mut small, mut large) = (0.0, 0.0, 0.0);
        let mut answers = vec![];
        for sum in sums {
            let flipped =
                Sum { minus: sum.minus.iter().enumerate().map(|(i, m)| i > 0 && !m).collect(), ..sum.clone() };
            let grown = Sum { values: sum.values.iter().map(|v| v * GROWTH).collect(), ..sum.clone() };
            let (here, other, big) = (model.look(sum), model.look(&flipped), model.look(&grown));
            for (i, &(effect, g)) in here.gates.iter().enumerate() {
                effects += effect;
                total.openness += effect * g;
                total.slope += effect * 4.0 * g * (1.0 - g);
                total.operator_dependence += effect * (g - other.gates[i].1).abs();
                total.value_dependence += effect * (g - big.gates[i].1).abs();
            }
            answers.push(here.answer);
            small += here.answer.abs();
            large += big.answer.abs();
        }
        let mean = |x: f64| if effects > 0.0 { x / effects } else { 0.0 };
        Measures {
            openness: mean(total.openness),
            slope: mean(total.slope),
            operator_dependence: mean(total.operator_dependence),
            value_dependence: mean(total.value_dependence),
            scale_response: large / (f64::from(GROWTH) * small).max(f64::MIN_POSITIVE),
            linear_r2: linear_r2(sums, &answers),
        }
    }

    /// The rules of the module, in order.
    pub fn diagnose(&self, id_mae: f64, ood_mae: f64) -> Diagnosis {
        match () {
            () if ood_mae < 100.0 => Diagnosis::GeometricLogic,
            () if self.scale_response < 0.5 => Diagnosis::FeatureCollapse,
            () if self.value_dependence > 0.25 && id_mae < 10.0 => Diagnosis::MagnitudeLeak,
            () if self.slope < 0.25 && self.operator_dependence < 0.25 => Diagnosis::GradientWall,
            () if self.openness > 0.5 && self.operator_dependence < 0.25 => Diagnosis::OpenGateTrap,
            () => Diagnosis::LinearTrap,
        }
    }
}

/// A trained model, ready to be looked at.
struct Run<'a> {
    built: crate::model::Built,
    weights: &'a Arrays,
}

/// One sum: effect and gate of every literal and dimension, and the answer.
struct Look {
    gates: Vec<(f64, f64)>,
    answer: f64,
}

impl Run<'_> {
    fn new(config: Config, weights: &Arrays) -> Run<'_> {
        Run { built: Arithmetic::Unityped(config).build(MAX_TERMS), weights }
    }

    fn look(&self, sum: &Sum) -> Look {
        let values = evaluate(&self.built.graph, self.weights, &sum.encode(MAX_TERMS));
        let named = |name: &str| &values[self.built.graph.named(name).expect("the model names it").index()];
        let (gate, payload, readout) = (named("gate"), named("payload"), &self.weights["readout.weight"]);
        let width = readout.len();
        let mut gates = vec![];
        for literal in 0..sum.values.len() {
            for (d, w) in readout.iter().enumerate() {
                let at = 2 * literal * width + d;
                gates.push(((w * payload[at]).abs(), gate[at]));
            }
        }
        Look { gates, answer: named("output")[0] }
    }
}

/// R² of the least-squares map from the literals (absent ones 0) and their number.
fn linear_r2(sums: &[Sum], answers: &[f64]) -> f64 {
    let cell = |r: usize, c: usize| match c {
        0 => 1.0,
        1 => sums[r].values.len() as f64,
        _ => sums[r].values.get(c - 2).map_or(0.0, |&v| f64::from(v)),
    };
    let x = DMatrix::from_fn(sums.len(), MAX_TERMS + 2, cell);
    let y = DVector::from_column_slice(answers);
    let Ok(fit) = x.clone().svd(true, true).solve(&y, 1e-9) else { return 0.0 };
    let residual = (&y - x * fit).norm_squared();
    let spread = y.add_scalar(-y.mean()).norm_squared();
    if spread > 0.0 { 1.0 - residual / spread } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Draws, Stream};
    use crate::task::SignedSum;

    fn sums() -> Vec<Sum> {
        SignedSum::ABLATION.draw_many(60, Draws::new(2, Stream::TestId, 0))
    }

    #[test]
    fn the_alu_switches_by_operator_and_not_by_value() {
        let m = Measures::of(Config::Ref, &Arithmetic::Unityped(Config::Ref).init(0), &sums());
        assert!(m.operator_dependence > 0.7, "{m:?}");
        assert!(m.value_dependence < 1e-9 && m.slope < 1e-9, "{m:?}");
        assert!((m.scale_response - 1.0).abs() < 1e-9, "{m:?}");
        assert_eq!(m.diagnose(0.0, 0.0), Diagnosis::GeometricLogic);
    }

    /// Hand-made failures get their names: the ALU with its gate stuck shut, half open, and
    /// set by the value.
    #[test]
    fn stuck_open_and_value_driven_gates_are_told_apart() {
        let alu = Arithmetic::Unityped(Config::Ref).init(0);
        let diagnose = |bias: f64, from_value: f64, id_mae: f64| {
            let mut w = alu.clone();
            let gate = w.get_mut("gate.weight").unwrap();
            gate.fill(0.0);
            gate[5 * 6] = from_value;
            w.get_mut("gate.bias").unwrap()[5] = bias;
            let m = Measures::of(Config::Ref, &w, &sums());
            (m.diagnose(id_mae, 6000.0), m)
        };
        let (shut, m) = diagnose(-9.0, 0.0, 50.0);
        assert_eq!(shut, Diagnosis::GradientWall, "{m:?}");
        assert!(m.linear_r2 > 0.999, "{m:?}");
        assert_eq!(diagnose(1.0, 0.0, 50.0).0, Diagnosis::OpenGateTrap);
        assert_eq!(diagnose(-5.0, 0.05, 5.0).0, Diagnosis::MagnitudeLeak);
    }
}
