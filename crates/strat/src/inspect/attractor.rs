//! How a STRAT-Lite learner adds and subtracts (§5.3, App. C): what its gates do after each operator, and the
//! coefficient that each literal ends up with.
//!
//! A literal's value `x` starts in D0. The answer gains `r₀ D0 + r₅ D5` per literal, where an open gate of D0 adds
//! `cut · x` to D0 and an open gate of D5 adds `paste · x` to D5. So the coefficient is
//! `r₀ (1 + g₀ cut) + r₅ g₅ paste`, and what tells one operator from the other can only be which gates are open.

use crate::engine::reference::{Arrays, evaluate};
use crate::model::{Lite, Model};
use crate::task::Sum;
use serde::Serialize;
use std::fmt;

/// A gate above this is open.
const OPEN: f64 = 0.5;

/// What the gates do with a literal after an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Both gates are closed: the value stays in D0 as it is.
    Rests,
    /// Only the gate of D0 is open: the value is changed where it is.
    Rescales,
    /// Only the gate of D5 is open: a copy is written to D5, and D0 stays as it is.
    Pastes,
    /// Both are open: D0 is changed and D5 is written.
    CutsAndPastes,
}

impl Action {
    /// Of the gates of D0 and D5.
    pub fn of(gates: [f64; 2]) -> Action {
        match gates.map(|g| g > OPEN) {
            [false, false] => Action::Rests,
            [true, false] => Action::Rescales,
            [false, true] => Action::Pastes,
            [true, true] => Action::CutsAndPastes,
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Action::Rests => "rests",
            Action::Rescales => "rescales",
            Action::Pastes => "pastes",
            Action::CutsAndPastes => "cuts and pastes",
        })
    }
}

/// The kind of a learner: what its gates do after each operator. The paper describes two of the sixteen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Attractor {
    /// After +.
    pub plus: Action,
    /// After −.
    pub minus: Action,
}

impl Attractor {
    /// The paper's attractor A: adds by doing nothing, subtracts by cut and paste.
    pub const STANDARD: Attractor = Attractor { plus: Action::Rests, minus: Action::CutsAndPastes };
    /// The paper's attractor B: subtracts by doing nothing, adds by cut and paste.
    pub const MIRROR: Attractor = Attractor { plus: Action::CutsAndPastes, minus: Action::Rests };

    /// The paper's name for it, if it has one.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Attractor::STANDARD => Some("Standard"),
            Attractor::MIRROR => Some("Mirror"),
            _ => None,
        }
    }

    /// Whether the gates act on both operators, so that neither is the default.
    pub fn acts_on_both(self) -> bool {
        self.plus != Action::Rests && self.minus != Action::Rests
    }
}

impl fmt::Display for Attractor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.pad(name),
            None => f.pad(&format!("+ {}, − {}", self.plus, self.minus)),
        }
    }
}

/// A literal's last operator.
pub const CONTEXTS: [&str; 3] = ["nothing", "+", "−"];

/// The mechanism of one learner.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
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
        let built = model.build(3);
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

    /// Which kind, by what the gates do after each operator.
    pub fn attractor(&self) -> Attractor {
        let [_, plus, minus] = self.gates.map(Action::of);
        Attractor { plus, minus }
    }

    /// Whether it adds after + and subtracts after −, however well.
    pub fn tells_apart(&self) -> bool {
        let [_, plus, minus] = self.coefficients;
        plus > 0.0 && minus < 0.0
    }

    /// The kind in words, for a list; learners that do not even add and subtract have none.
    pub fn name(&self) -> String {
        if self.tells_apart() { self.attractor().to_string() } else { "no sign rule".into() }
    }
}

impl fmt::Display for Mechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Attractor { plus, minus } = self.attractor();
        match self.attractor().name() {
            Some(name) if self.tells_apart() => writeln!(f, "{name} attractor: + {plus}, − {minus}")?,
            _ => writeln!(f, "After + it {plus}, after − it {minus}")?,
        }
        if !self.tells_apart() {
            writeln!(f, "  it does not add after + and subtract after −")?;
        }
        writeln!(f, "  readout      y = {:+.4} D0 {:+.4} D5", self.readout[0], self.readout[1])?;
        writeln!(f, "  cut          D0 ← D0 {:+.4} x", self.cut)?;
        writeln!(f, "  paste        D5 ← {:+.4} x", self.paste)?;
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

    /// Hand-made weights: each gate sees +4 after an operator that opens it and −4 elsewhere.
    fn weights(open: [[bool; 2]; 2], readout: [f64; 2], cut: f64, paste: f64) -> Arrays {
        // Tokens fetch their neighbours' types unchanged. After attention a literal bound to nothing has D2 = D3 = 0, one
        // bound to + has D2 = s > 0 and one bound to − has D3 = s, with s = e⁻¹ / (1 + e⁻¹ + e⁻²).
        let s = 1.0 / (std::f64::consts::E + 1.0 + 1.0 / std::f64::consts::E);
        let gate = |of: usize| {
            let [plus, minus] = open.map(|o| if o[of] { 8.0 / s } else { 0.0 });
            [0.0, plus, minus, 0.0]
        };
        let mut identity = vec![0.0; 16];
        (0..4).for_each(|i| identity[5 * i] = 1.0);
        let list: [(&str, Vec<f64>); 7] = [
            ("query.weight", vec![0.0; 16]),
            ("key.weight", vec![0.0; 16]),
            ("type_value.weight", identity),
            ("gate.weight", [gate(0), gate(1)].concat()),
            ("gate.bias", vec![-4.0, -4.0]),
            ("value.weight", vec![cut, 0.0, paste, 0.0]),
            ("readout.weight", vec![readout[0], 0.0, 0.0, 0.0, 0.0, readout[1]]),
        ];
        list.map(|(n, w)| (n.to_string(), w)).into()
    }

    /// Every kind that can add and subtract, with weights made so that it does, is called by its own name.
    #[test]
    fn kinds_are_told_apart() {
        use Action::*;
        let gates = |a: Action| match a {
            Rests => [false, false],
            Rescales => [true, false],
            Pastes => [false, true],
            CutsAndPastes => [true, true],
        };
        // (+, −), readout of D0, what an open gate of D0 and of D5 add to the coefficient.
        let kinds = [
            (Rests, CutsAndPastes, 1.0, -1.0, -1.0),
            (CutsAndPastes, Rests, -1.0, 1.0, 1.0),
            (Rests, Rescales, 1.0, -2.0, 0.5),
            (Rescales, Rests, -1.0, 2.0, 0.5),
            (Rests, Pastes, 1.0, 0.5, -2.0),
            (Pastes, Rests, -1.0, 0.5, 2.0),
            (Pastes, Rescales, 0.5, -1.5, 0.5),
            (Rescales, Pastes, 0.5, 0.5, -1.5),
            (CutsAndPastes, Rescales, 0.5, -1.5, 2.0),
            (Rescales, CutsAndPastes, 0.5, 0.5, -2.0),
            (CutsAndPastes, Pastes, 0.5, 2.0, -1.5),
            (Pastes, CutsAndPastes, 0.5, -2.0, 0.5),
        ];
        let mut seen = std::collections::BTreeSet::new();
        for (plus, minus, a, b, c) in kinds {
            let w = weights([gates(plus), gates(minus)], [a, 1.0], b / a, c);
            let mechanism = Mechanism::of(MODEL, &w);
            assert_eq!(mechanism.attractor(), Attractor { plus, minus }, "{mechanism}");
            assert!(mechanism.tells_apart(), "{mechanism}");
            let [_, add, subtract] = mechanism.coefficients;
            assert!((add - 1.0).abs() < 0.1 && (subtract + 1.0).abs() < 0.1, "{mechanism}");
            seen.insert(mechanism.name());
        }
        assert_eq!(seen.len(), kinds.len(), "names differ: {seen:?}");
        assert!(seen.contains("Standard") && seen.contains("Mirror"));
    }

    /// What the readout's sign says does not matter: gates that act on both operators are no Standard attractor.
    #[test]
    fn the_sign_of_the_readout_does_not_decide() {
        let both = Mechanism::of(MODEL, &weights([[false, true], [true, false]], [0.75, -0.3], -2.3, -0.75));
        assert!(both.tells_apart() && both.attractor().acts_on_both(), "{both}");
        assert_eq!(both.attractor().name(), None);
        let wrong = Mechanism::of(MODEL, &weights([[false, false], [false, false]], [1.0, 1.0], -1.0, -1.0));
        assert!(!wrong.tells_apart());
        assert_eq!(wrong.name(), "no sign rule");
    }
}
