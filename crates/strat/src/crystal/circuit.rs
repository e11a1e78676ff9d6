//! Gates sharpened to steps, and cut, paste and readout set exactly.

use super::bounds::{Attention, Range, dot};
use super::rule::Rule;
use crate::engine::reference::Arrays;
use crate::model::Lite;

/// What a sharpened gate sees at least, on either side of its threshold: σ is then 0 or 1 to more digits than any
/// number type has.
const SHARP: f64 = 256.0;
/// The smallest gap between the two kinds of context, as a share of what the gate sees, that rounding cannot close.
const CLEAR: f64 = 1e-4;
/// Steps of the search for a direction; it converges long before.
const STEPS: usize = 2000;

/// Why there is no circuit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Blunt {
    /// A gate has two states.
    #[error("the rule has {0} different coefficients, and a gate only makes two")]
    Values(usize),
    /// No threshold is right for all inputs.
    #[error(
        "no threshold on what the gates see tells the contexts apart for every input: the best direction leaves a gap \
         of {gap:.2e} of what it sees, and {CLEAR:.0e} is needed"
    )]
    Gap {
        /// Below zero if they overlap.
        gap: f64,
    },
}

/// Weights that compute a rule exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Circuit {
    /// All of a learner's, its types and routes as they were.
    pub weights: Arrays,
    /// The gap as a share of what the gate sees.
    pub margin: f64,
}

/// A gate's direction with the contexts that it tells apart.
struct Cut {
    direction: Vec<f64>,
    threshold: f64,
    gap: f64,
    /// The gap as a share of what is seen.
    margin: f64,
    /// The coefficient of contexts below and above the threshold.
    sides: [i64; 2],
}

impl Circuit {
    /// For a rule of one or two coefficients, from a learner whose types tell its contexts apart.
    pub fn of(lite: Lite, attention: &Attention, weights: &Arrays, rule: &Rule) -> Result<Circuit, Blunt> {
        let mut values = rule.coefficients.clone();
        values.sort_unstable();
        values.dedup();
        let [a, b] = match values[..] {
            [a] => [a, a],
            [a, b] => [a, b],
            _ => return Err(Blunt::Values(values.len())),
        };
        let width = lite.width;
        let mut exact = weights.clone();
        let mut set = |name: &str, w: Vec<f64>| exact.insert(name.into(), w);
        let (sides, margin) = if a == b {
            set("gate.weight", vec![0.0; 2 * width]);
            set("gate.bias", vec![-SHARP; 2]);
            ([a, a], 1.0)
        } else {
            let cut = clearest(attention, weights, rule, [a, b]);
            if cut.margin.is_nan() || cut.margin < CLEAR {
                return Err(Blunt::Gap { gap: cut.margin });
            }
            // A power of two changes no digit.
            let sharpen = (2.0 * SHARP / cut.gap).log2().ceil().exp2();
            // An open gate takes a value away exactly; a closed one lets through what no digit shows, but not nothing.
            // So what does not count is what is cut.
            let [low, high] = cut.sides;
            let (sharpen, sides) = if low == 0 { (-sharpen, [high, low]) } else { (sharpen, [low, high]) };
            let row: Vec<f64> = cut.direction.iter().map(|w| w * sharpen).collect();
            set("gate.weight", [row.clone(), row].concat());
            set("gate.bias", vec![-cut.threshold * sharpen; 2]);
            (sides, cut.margin)
        };
        // Closed gates leave D0 as it is; open ones cut it away and paste its negative into D5.
        set("value.weight", vec![-1.0, 0.0, -1.0, 0.0]);
        let mut readout = vec![0.0; width + 2];
        (readout[0], readout[width + 1]) = (sides[0] as f64, (-sides[1]) as f64);
        set("readout.weight", readout);
        Ok(Circuit { weights: exact, margin })
    }
}

/// The direction that tells the contexts best apart: that of a learned gate if it is clear, else the one that the types
/// offer.
fn clearest(attention: &Attention, weights: &Arrays, rule: &Rule, values: [i64; 2]) -> Cut {
    let (first, second) = weights["gate.weight"].split_at(weights["gate.weight"].len() / 2);
    let cut = |direction: Vec<f64>| along(attention, direction, rule, values);
    let best = |a: Cut, b: Cut| if b.margin > a.margin { b } else { a };
    let learned = best(cut(first.to_vec()), cut(second.to_vec()));
    if learned.margin >= CLEAR {
        return learned;
    }
    let points = values.map(|value| -> Vec<Vec<f64>> {
        let contexts = (0..rule.coefficients.len()).filter(|&k| rule.coefficients[k] == value);
        contexts.flat_map(|k| attention.points(&attention.place(k))).collect()
    });
    best(learned, cut(between(&points)))
}

/// The shortest way between the hulls of two sets of points, or close to it (Gilbert's algorithm).
fn between([a, b]: &[Vec<Vec<f64>>; 2]) -> Vec<f64> {
    let minus = |x: &[f64], y: &[f64]| -> Vec<f64> { x.iter().zip(y).map(|(x, y)| x - y).collect() };
    let mut way = minus(&a[0], &b[0]);
    for _ in 0..STEPS {
        // The corner of the difference of the hulls that lies furthest back along the way.
        let least = |points: &[Vec<f64>], sign: f64| {
            let height = |p: &&Vec<f64>| sign * dot(p, &way);
            points.iter().min_by(|p, q| height(p).total_cmp(&height(q))).expect("contexts have places").clone()
        };
        let corner = minus(&least(a, 1.0), &least(b, -1.0));
        let back = minus(&way, &corner);
        let step = (dot(&way, &back) / dot(&back, &back).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        way.iter_mut().zip(&back).for_each(|(w, b)| *w -= step * b);
    }
    way
}

fn along(attention: &Attention, direction: Vec<f64>, rule: &Rule, values: [i64; 2]) -> Cut {
    let seen = values.map(|value| {
        let contexts = (0..rule.coefficients.len()).filter(|&k| rule.coefficients[k] == value);
        let ranges = contexts.map(|k| attention.range(&direction, &attention.place(k)));
        ranges.fold(Range::around([]), Range::and)
    });
    let [low, high] = if seen[0].middle() <= seen[1].middle() { [0, 1] } else { [1, 0] };
    let gap = seen[high].low - seen[low].high;
    let size = seen[0].size().max(seen[1].size()).max(f64::MIN_POSITIVE);
    Cut {
        threshold: 0.5 * (seen[high].low + seen[low].high),
        gap,
        margin: gap / size,
        sides: [values[low], values[high]],
        direction,
    }
}
