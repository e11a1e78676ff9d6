//! How a STRAT-Lite learner subtracts (§5.3, App. C): the cut, the paste, the trigger, and
//! the coefficient each literal ends up with.

use crate::engine::reference::{Arrays, evaluate};
use crate::model::{Arithmetic, Lite};
use crate::task::Sum;
use serde::Serialize;
use std::fmt;

/// Which of the two algebraically equal mechanisms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Attractor {
    /// Adds by doing nothing, subtracts by cut and paste.
    Standard,
    /// Subtracts by doing nothing, adds by cut and paste.
    Mirror,
    /// It does not add after + and subtract after −.
    Neither,
}

impl fmt::Display for Attractor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Attractor::Standard => "Standard",
            Attractor::Mirror => "Mirror",
            Attractor::Neither => "neither",
        })
    }
}

/// A literal's last operator.
pub const CONTEXTS: [&str; 3] = ["nothing", "+", "−"];

/// The mechanism of one learner.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mechanism {
    /// Readout weights of D0 and D5.
    pub readout: [f64; 2],
    /// `W_val[D0, D0]`: what an open gate adds to D0.
    pub cut: f64,
    /// `W_val[D5, D0]`: what an open gate adds to D5.
    pub paste: f64,
    /// Gates D0 and D5 of a literal bound to nothing, to + and to −.
    pub gates: [[f64; 2]; 3],
    /// What the answer gains per unit of such a literal.
    pub coefficients: [f64; 3],
}

impl Mechanism {
    /// Reads it off a learner's weights and the gates of `1`, `1 + 1` and `1 - 1`; values
    /// cannot matter, since Data reaches no gate.
    pub fn of(model: Lite, weights: &Arrays) -> Mechanism {
        let built = Arithmetic::Lite(model).build(2);
        let gate = built.graph.named("block.0.gate").expect("STRAT-Lite names its gate");
        let gates_of = |minus: Option<bool>| -> [f64; 2] {
            let signs: Vec<bool> = std::iter::once(false).chain(minus).collect();
            let sum = Sum { values: vec![1; signs.len()], minus: signs };
            let values = evaluate(&built.graph, weights, &sum.encode(2));
            let token = 2 * (sum.values.len() - 1); // the last literal
            let row = &values[gate.index()][2 * token..];
            [row[0], row[1]]
        };
        let gates = [gates_of(None), gates_of(Some(false)), gates_of(Some(true))];
        let out = &weights["readout.weight"];
        let readout = [out[0], out[out.len() - 1]];
        let (cut, paste) = (weights["value.weight"][0], weights["value.weight"][2]);
        let coefficients = gates.map(|g| readout[0] * (1.0 + g[0] * cut) + readout[1] * g[1] * paste);
        Mechanism { readout, cut, paste, gates, coefficients }
    }

    /// The operator that makes the gates act: the one whose coefficient is further from what
    /// closed gates give, the readout of D0.
    pub fn trigger(&self) -> &'static str {
        let [_, plus, minus] = self.coefficients.map(|c| (c - self.readout[0]).abs());
        if minus > plus { "−" } else { "+" }
    }

    /// Standard's default is to add and − triggers its gates; Mirror's is to subtract and +
    /// triggers them. Neither, if the coefficients do not even have the signs of the operators.
    pub fn attractor(&self) -> Attractor {
        let [_, plus, minus] = self.coefficients;
        match (self.readout[0] > 0.0, self.trigger()) {
            _ if plus <= 0.0 || minus >= 0.0 => Attractor::Neither,
            (true, "−") => Attractor::Standard,
            (false, "+") => Attractor::Mirror,
            _ => Attractor::Neither,
        }
    }
}

impl fmt::Display for Mechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let role = match self.attractor() {
            Attractor::Standard => "adds by doing nothing, subtracts by cut and paste",
            Attractor::Mirror => "subtracts by doing nothing, adds by cut and paste",
            Attractor::Neither => "it does not add after + and subtract after −",
        };
        writeln!(f, "{} attractor: {role}", self.attractor())?;
        writeln!(f, "  readout      y = {:+.4} D0 {:+.4} D5", self.readout[0], self.readout[1])?;
        writeln!(f, "  cut          D0 ← D0 {:+.4} x", self.cut)?;
        writeln!(f, "  paste        D5 ← {:+.4} x", self.paste)?;
        writeln!(f, "  trigger      {}", self.trigger())?;
        writeln!(f, "  bound to     {:>9} {:>9} {:>9}", CONTEXTS[0], CONTEXTS[1], CONTEXTS[2])?;
        for (d, name) in ["gate D0", "gate D5"].iter().enumerate() {
            let [a, b, c] = self.gates.map(|g| g[d]);
            writeln!(f, "  {name}      {a:>9.4} {b:>9.4} {c:>9.4}")?;
        }
        let [a, b, c] = self.coefficients;
        writeln!(f, "  coefficient  {a:>+9.4} {b:>+9.4} {c:>+9.4}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Types;

    const MODEL: Lite = Lite { width: 4, heads: 1, types: Types::Fixed };

    fn weights(readout: f64, trigger: f64) -> Arrays {
        // Tokens fetch their neighbours' types unchanged; the gate reads D3 (minus) or D2 (plus).
        let gate = |w: f64| if w > 0.0 { [-8.0, -8.0, 80.0, 0.0] } else { [-8.0, 80.0, -8.0, 0.0] };
        let mut identity = vec![0.0; 16];
        (0..4).for_each(|i| identity[5 * i] = 1.0);
        let list: [(&str, Vec<f64>); 7] = [
            ("query.weight", vec![0.0; 16]),
            ("key.weight", vec![0.0; 16]),
            ("type_value.weight", identity),
            ("gate.weight", [gate(trigger), gate(trigger)].concat()),
            ("gate.bias", vec![4.0, 4.0]),
            ("value.weight", vec![-1.0, 0.0, -1.0, 0.0]),
            ("readout.weight", vec![readout, 0.0, 0.0, 0.0, 0.0, readout]),
        ];
        list.map(|(n, w)| (n.to_string(), w)).into()
    }

    #[test]
    fn the_two_attractors_are_told_apart() {
        let standard = Mechanism::of(MODEL, &weights(1.0, 1.0));
        assert_eq!(standard.attractor(), Attractor::Standard);
        for (got, want) in standard.coefficients.iter().zip([1.0, 1.0, -1.0]) {
            assert!((got - want).abs() < 0.1, "{standard}");
        }
        let mirror = Mechanism::of(MODEL, &weights(-1.0, -1.0));
        assert_eq!(mirror.attractor(), Attractor::Mirror);
        assert!((mirror.coefficients[1] - 1.0).abs() < 0.1 && (mirror.coefficients[2] + 1.0).abs() < 0.1);
        assert_eq!(Mechanism::of(MODEL, &weights(1.0, -1.0)).attractor(), Attractor::Neither);
    }
}
