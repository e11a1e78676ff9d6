//! Why a unityped model fails (§4.2, App. B): a name for each run, computed from what it
//! does, never looked up.
//!
//! From what [`Measures`] gives, the first rule that applies names the run. They follow
//! Appendix B, which divides failures into those that fit their training range and those
//! that do not:
//!
//! 1. **Geometric Logic**: OOD error below 100.
//! 2. **Feature Collapse**: `payload_growth < ½`. The payload no longer carries magnitude; only
//!    normalization can do this, since the payload is else an affine map of what attention leaves.
//! 3. **Magnitude Leak**: `error_ratio < ½` and `switch_kept < ½`. In the training range the run
//!    does what no linear map can, by gates that operators switch; at OOD values they switch
//!    them less than half as much, because D0 decides.
//! 4. **Gradient Wall**: `gradient_passed < 1 %`. Gates are so saturated that learning cannot reach them.
//! 5. **Open Gate Trap**: `openness > ¾`, nearer to open than to half open, and
//!    `operator_dependence < ¼`. Gates let most things pass and operators hardly move them.
//! 6. **Linear Trap**: all else. Gradients reach the gates, yet the run is content with about
//!    what a linear map of the values gives.

use super::measures::Measures;
use serde::Serialize;
use std::fmt;

/// How a run failed, or that it did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Diagnosis {
    /// The rule was found.
    GeometricLogic,
    /// Values are fitted, nothing switches.
    LinearTrap,
    /// Saturated gates that learning cannot reach.
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

    /// The rules of the module, in order.
    pub fn of(m: &Measures, ood_mae: f64) -> Diagnosis {
        if ood_mae < 100.0 {
            Diagnosis::GeometricLogic
        } else if m.payload_growth < 0.5 {
            Diagnosis::FeatureCollapse
        } else if m.error_ratio < 0.5 && m.switch_kept < 0.5 {
            Diagnosis::MagnitudeLeak
        } else if m.gradient_passed < 0.01 {
            Diagnosis::GradientWall
        } else if m.openness > 0.75 && m.operator_dependence < 0.25 {
            Diagnosis::OpenGateTrap
        } else {
            Diagnosis::LinearTrap
        }
    }

    /// In a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Diagnosis::GeometricLogic => "it found the rule",
            Diagnosis::LinearTrap => "gradients reach its gates, but it fits values without a switch",
            Diagnosis::GradientWall => "its gates are saturated, and learning cannot reach them",
            Diagnosis::OpenGateTrap => "its gates let most things pass, whatever the operator",
            Diagnosis::MagnitudeLeak => "its gates obey operators, until values grow",
            Diagnosis::FeatureCollapse => "what it computes with no longer carries magnitude",
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::reference::Arrays;
    use crate::model::{Model, Unityped};
    use crate::rng::{RandomStream, Stream};
    use crate::task::{SignedSum, Sum};

    fn sums() -> Vec<Sum> {
        SignedSum::ABLATION.draw_many(60, RandomStream::new(2, Stream::TestId, 0))
    }

    fn alu() -> Arrays {
        Unityped::Ref.init(0)
    }

    #[test]
    fn the_alu_switches_by_operator_and_not_by_value() {
        let m = Measures::of(Unityped::Ref, &alu(), &sums());
        assert!(m.operator_dependence > 0.7, "{m:?}");
        assert!(m.value_dependence < 1e-9 && m.saturation > 1.0 - 1e-9, "{m:?}");
        assert!((m.switch_kept - 1.0).abs() < 1e-9 && (m.payload_growth - 1.0).abs() < 1e-9, "{m:?}");
        assert!(m.error_ratio < 1e-9 && m.linear_r2 < 0.95, "{m:?}");
        assert_eq!(Diagnosis::of(&m, 0.0), Diagnosis::GeometricLogic);
    }

    /// The ALU with its gate on D5 set by hand: weight from D0, weight from D3 (a fetched
    /// minus), bias.
    fn with_gate(from_value: f64, from_minus: f64, bias: f64) -> (Diagnosis, Measures) {
        let mut w = alu();
        let gate = w.get_mut("gate.weight").unwrap();
        gate.fill(0.0);
        (gate[5 * 6], gate[5 * 6 + 3]) = (from_value, from_minus);
        w.get_mut("gate.bias").unwrap()[5] = bias;
        let m = Measures::of(Unityped::Ref, &w, &sums());
        (Diagnosis::of(&m, 6000.0), m)
    }

    #[test]
    fn failures_made_by_hand_get_their_names() {
        // Stuck shut: y = Σ v, which is linear.
        let (shut, m) = with_gate(0.0, 0.0, -9.0);
        assert_eq!(shut, Diagnosis::GradientWall, "{m:?}");
        assert!(m.linear_r2 > 0.999 && m.error_ratio > 1.0, "{m:?}");
        // Soft and deaf to operators: mostly open, or half open.
        assert_eq!(with_gate(0.0, 0.0, 2.0).0, Diagnosis::OpenGateTrap);
        assert_eq!(with_gate(0.0, 0.0, 0.0).0, Diagnosis::LinearTrap);
        // Switched by the operator while values are small; 40 times as large they outvote it.
        let (leak, m) = with_gate(-0.02, 12.0, -5.0);
        assert_eq!(leak, Diagnosis::MagnitudeLeak, "{m:?}");
        assert!(m.operator_dependence > 0.7 && m.switch_kept < 0.1, "{m:?}");
    }

    #[test]
    fn only_normalization_loses_magnitude() {
        for config in [Unityped::A, Unityped::Aln] {
            let m = Measures::of(config, &config.init(3), &Measures::probes(config));
            assert_eq!(Diagnosis::of(&m, 6000.0) == Diagnosis::FeatureCollapse, config == Unityped::Aln, "{m:?}");
        }
    }
}
