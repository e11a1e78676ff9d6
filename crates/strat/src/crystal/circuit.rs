//! A learner's own circuit made exact: its gates sharpened to steps, its coefficients rounded.
//!
//! Types, routes and the direction that each gate looks in stay as they were learned. A gate becomes a step at a threshold
//! between contexts; of the choices that can hold the rule, the one that changes the gates least is taken, so that a
//! learner whose gates are nearly open and nearly closed keeps what it does after each operator. Then cut, paste and
//! readout are moved to the nearest numbers that give every coefficient of the rule without rounding.

use super::Obstacle;
use super::bounds::{Attention, Range};
use super::rule::Rule;
use crate::engine::reference::Arrays;
use crate::model::Lite;

/// What a sharpened gate sees at least, on either side of its threshold: σ is then 0 or 1 to more digits than any
/// number type has.
const SHARP: f64 = 256.0;
/// The smallest gap between the two kinds of context, as a share of what the gate sees, that rounding cannot close.
const CLEAR: f64 = 1e-4;
/// Free coefficients are rounded to this many parts of one, so that sums of them have few digits.
const PARTS: f64 = 64.0;

/// Weights that compute a rule exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Circuit {
    /// All of a learner's, its types and routes as they were.
    pub weights: Arrays,
    /// How far apart its gates see the contexts that they tell apart, as a share of what they see.
    pub margin: f64,
}

/// A gate as a step: which contexts open it.
#[derive(Clone, Debug)]
struct Step {
    open: Vec<bool>,
    /// Of what it sees; none if it is always open or always closed.
    threshold: Option<(f64, f64)>,
    /// The gap as a share of what is seen.
    margin: f64,
    /// How much the gate changes, added up over contexts.
    change: f64,
}

impl Step {
    /// Every way to make a step of a gate that sees these inputs, by context.
    fn all(seen: &[Range]) -> Vec<Step> {
        let mut order: Vec<usize> = (0..seen.len()).collect();
        order.sort_by(|&a, &b| seen[a].middle().total_cmp(&seen[b].middle()));
        let size = seen.iter().map(|r| r.size()).fold(f64::MIN_POSITIVE, f64::max);
        let at = |closed: usize| {
            let (below, above) = order.split_at(closed);
            let below = below.iter().fold(Range::around([]), |r, &k| r.and(seen[k]));
            let above_range = above.iter().fold(Range::around([]), |r, &k| r.and(seen[k]));
            let gap = above_range.low - below.high;
            let one_side = closed == 0 || closed == seen.len();
            let open: Vec<bool> = (0..seen.len()).map(|k| above.contains(&k)).collect();
            let soft = |k: usize| 1.0 / (1.0 + (-seen[k].middle()).exp());
            let change = (0..seen.len()).map(|k| (f64::from(u8::from(open[k])) - soft(k)).abs()).sum();
            Step {
                open,
                threshold: (!one_side).then_some((0.5 * (above_range.low + below.high), gap)),
                margin: if one_side { 1.0 } else { gap / size },
                change,
            }
        };
        (0..=seen.len()).map(at).filter(|s| s.margin >= CLEAR).collect()
    }

    /// A gate's weights and bias that make it this step.
    fn weights(&self, learned: &[f64], bias: f64) -> (Vec<f64>, f64) {
        match self.threshold {
            None => (vec![0.0; learned.len()], if self.open[0] { SHARP } else { -SHARP }),
            Some((threshold, gap)) => {
                // A power of two changes no digit.
                let sharpen = (2.0 * SHARP / gap).log2().ceil().exp2();
                (learned.iter().map(|w| w * sharpen).collect(), (bias - threshold) * sharpen)
            }
        }
    }
}

/// What makes up a coefficient: `rest`, plus `cut` if the gate of D0 is open, plus `paste` if that of D5 is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Parts {
    rest: f64,
    cut: f64,
    paste: f64,
}

impl Parts {
    /// The parts next to a learner's own that give every context its coefficient exactly, if there are any.
    fn exact(own: Parts, steps: [&Step; 2], coefficients: &[i64]) -> Option<Parts> {
        // Rows [paste, cut, rest | coefficient], reduced; the rest comes last, so that it stays the learner's own if it can.
        let mut rows: Vec<[f64; 4]> = vec![];
        for (k, &c) in coefficients.iter().enumerate() {
            let [cut, paste] = steps.map(|s| f64::from(u8::from(s.open[k])));
            let mut row = [paste, cut, 1.0, c as f64];
            for r in &rows {
                let factor = row[lead(r)?];
                row.iter_mut().zip(r).for_each(|(x, r)| *x -= factor * r);
            }
            let Some(at) = lead(&row) else {
                // Nothing new, or a contradiction.
                if row[3] == 0.0 { continue } else { return None }
            };
            let by = row[at];
            row.iter_mut().for_each(|x| *x /= by);
            for r in &mut rows {
                let factor = r[at];
                r.iter_mut().zip(&row).for_each(|(x, n)| *x -= factor * n);
            }
            rows.push(row);
        }
        let round = |x: f64| (x * PARTS).round() / PARTS;
        let mut parts = [round(own.paste), round(own.cut), power_of_two(own.rest)];
        for r in &rows {
            let at = lead(r)?;
            let free: f64 = (at + 1..3).map(|j| r[j] * parts[j]).sum();
            parts[at] = r[3] - free;
        }
        let [paste, cut, rest] = parts;
        // Cut is a factor of what rests, so that must divide it without a remainder.
        let divides = if rest == 0.0 { cut == 0.0 } else { power_of_two(rest) == rest };
        divides.then_some(Parts { rest, cut, paste })
    }
}

/// The first unknown of a row.
fn lead(row: &[f64; 4]) -> Option<usize> {
    row[..3].iter().position(|&x| x != 0.0)
}

/// The power of two next to a number, with its sign; multiplying by it is exact.
fn power_of_two(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() { 1.0 } else { x.signum() * x.abs().log2().round().clamp(-8.0, 8.0).exp2() }
}

impl Circuit {
    /// For the rule that a learner's own coefficients are next to.
    pub fn of(lite: Lite, attention: &Attention, weights: &Arrays, rule: &Rule) -> Result<Circuit, Obstacle> {
        let width = lite.width;
        let gates = [0, 1].map(|row| (&weights["gate.weight"][row * width..][..width], weights["gate.bias"][row]));
        let contexts = rule.coefficients.len();
        let steps = gates.map(|(direction, bias)| {
            let seen = |k| attention.range(direction, &attention.place(k)).plus(Range::at(bias));
            Step::all(&(0..contexts).map(seen).collect::<Vec<_>>())
        });
        let out = &weights["readout.weight"];
        let (rest, read) = (out[0], out[width + 1]);
        let (cut, paste) = (weights["value.weight"][0], weights["value.weight"][2]);
        let own = Parts { rest, cut: rest * cut, paste: read * paste };

        let mut best: Option<(f64, [&Step; 2], Parts)> = None;
        for first in &steps[0] {
            for second in &steps[1] {
                let change = first.change + second.change;
                if best.as_ref().is_some_and(|b| b.0 <= change) {
                    continue;
                }
                if let Some(parts) = Parts::exact(own, [first, second], &rule.coefficients) {
                    best = Some((change, [first, second], parts));
                }
            }
        }
        let (_, steps, parts) = best.ok_or(Obstacle::Blunt)?;

        let mut exact = weights.clone();
        let mut set = |name: &str, w: Vec<f64>| exact.insert(name.into(), w);
        let [first, second] = [0, 1].map(|i| steps[i].weights(gates[i].0, gates[i].1));
        set("gate.weight", [first.0, second.0].concat());
        set("gate.bias", vec![first.1, second.1]);
        let read = power_of_two(read);
        let cut = if parts.rest == 0.0 { 0.0 } else { parts.cut / parts.rest };
        set("value.weight", vec![cut, 0.0, parts.paste / read, 0.0]);
        let mut readout = vec![0.0; width + 2];
        (readout[0], readout[width + 1]) = (parts.rest, read);
        set("readout.weight", readout);
        Ok(Circuit { weights: exact, margin: steps[0].margin.min(steps[1].margin) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(open: [bool; 3]) -> Step {
        Step { open: open.to_vec(), threshold: None, margin: 1.0, change: 0.0 }
    }

    /// Parts stay near the learner's own and give the coefficients without rounding.
    #[test]
    fn parts_are_exact_and_near() {
        let own = Parts { rest: 0.53, cut: -1.46, paste: 0.44 };
        // + pastes, − rescales, as most learners do: what rests is free.
        let steps = [step([false, false, true]), step([true, true, false])];
        let parts = Parts::exact(own, [&steps[0], &steps[1]], &[1, 1, -1]).unwrap();
        assert_eq!(parts, Parts { rest: 0.5, cut: -1.5, paste: 0.5 });
        // + rests: so what rests is what + counts.
        let steps = [step([false, false, true]), step([false, false, true])];
        let parts = Parts::exact(own, [&steps[0], &steps[1]], &[1, 1, -1]).unwrap();
        assert_eq!((parts.rest, parts.cut + parts.paste), (1.0, -2.0));
        // Gates that treat + and − alike cannot hold the rule.
        let blind = [step([false, true, true]), step([true, false, false])];
        assert_eq!(Parts::exact(own, [&blind[0], &blind[1]], &[1, 1, -1]), None);
    }

    #[test]
    fn a_step_lies_where_contexts_are_apart() {
        let range = |low, high| Range { low, high };
        let steps = Step::all(&[range(-9.0, -8.0), range(-8.5, -7.0), range(6.0, 7.0)]);
        // Always open, always closed, and between the second and the third; the first two overlap.
        assert_eq!(
            steps.iter().map(|s| s.open.clone()).collect::<Vec<_>>(),
            [vec![true; 3], vec![false, false, true], vec![false; 3]]
        );
        let least = steps.iter().min_by(|a, b| a.change.total_cmp(&b.change)).unwrap();
        assert_eq!((&least.open[..], least.threshold), (&[false, false, true][..], Some((-0.5, 13.0))));
    }
}
