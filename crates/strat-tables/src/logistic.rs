//! Multinomial logistic regression with a penalty on large weights.

use crate::classifier::{Classifier, softmax};
use crate::frame::{Frame, Kind};
use crate::minimize::minimize;

/// A bias is held a little too, so that there is one minimum.
const BIAS_PENALTY: f64 = 0.05;
/// Rounds of the descent.
const ROUNDS: usize = 200;
/// Numbers further from their mean than so many deviations count as this far.
const FURTHEST: f64 = 4.0;

/// A part of what a linear model reads of a row.
#[derive(Clone, Debug)]
enum Part {
    /// A number for each value: whether the column has it.
    Hot(usize, Vec<f64>),
    /// A number by its mean and deviation; 0 where it is missing.
    Scaled(usize, f64, f64),
    /// Whether a number is missing.
    Missing(usize),
}

fn parts(frame: &Frame) -> Vec<Part> {
    let mut parts = vec![];
    for column in 0..frame.kinds.len() {
        let distinct = frame.distinct(column);
        let gaps = frame.has_gaps(column);
        let is_number = frame.kinds[column] == Kind::Numbers;
        if distinct.len() < 2 && !gaps {
            continue;
        }
        if frame.has_few(column, &distinct) && (distinct.len() > 2 || !is_number) {
            parts.push(Part::Hot(column, distinct.clone()));
        }
        if is_number && distinct.len() > 1 {
            let (mean, deviation) = frame.spread(column);
            parts.push(Part::Scaled(column, mean, deviation.max(f64::MIN_POSITIVE)));
        }
        if is_number && gaps {
            parts.push(Part::Missing(column));
        }
    }
    parts
}

fn encode(parts: &[Part], row: &[f64]) -> Vec<f64> {
    let mut out = vec![];
    let bit = |holds: bool| f64::from(u8::from(holds));
    for part in parts {
        match part {
            Part::Hot(column, values) => out.extend(values.iter().map(|v| bit(row[*column] == *v))),
            Part::Scaled(column, mean, deviation) => {
                let x = (row[*column] - mean) / deviation;
                out.push(if x.is_nan() { 0.0 } else { x.clamp(-FURTHEST, FURTHEST) });
            }
            Part::Missing(column) => out.push(bit(row[*column].is_nan())),
        }
    }
    out
}

/// A linear score for each class.
#[derive(Clone, Debug)]
pub struct Logistic {
    parts: Vec<Part>,
    /// For each class the weights of what is read, and a bias.
    weights: Vec<Vec<f64>>,
}

impl Logistic {
    /// Learns from rows; the larger the penalty, the smaller the weights.
    pub fn fit(frame: &Frame, penalty: f64) -> Logistic {
        let parts = parts(frame);
        let rows: Vec<Vec<f64>> = frame.rows.iter().map(|row| encode(&parts, row)).collect();
        let width = rows.first().map_or(0, Vec::len) + 1;
        let value = |weights: &[f64], gradient: &mut [f64]| {
            let mut loss = 0.0;
            for (i, (w, g)) in weights.iter().zip(gradient.iter_mut()).enumerate() {
                let penalty = if i % width == width - 1 { BIAS_PENALTY } else { penalty };
                loss += 0.5 * penalty * w * w;
                *g = penalty * w;
            }
            for (row, &class) in rows.iter().zip(&frame.labels) {
                let mut p: Vec<f64> = weights.chunks(width).map(|weights| score(weights, row)).collect();
                softmax(&mut p);
                loss -= libm::log(p[class].max(f64::MIN_POSITIVE));
                p[class] -= 1.0;
                for (g, p) in gradient.chunks_mut(width).zip(p) {
                    g.iter_mut().zip(row).for_each(|(g, x)| *g += p * x);
                    g[width - 1] += p;
                }
            }
            loss
        };
        let weights = minimize(vec![0.0; frame.classes * width], ROUNDS, value);
        Logistic { parts, weights: weights.chunks(width).map(<[f64]>::to_vec).collect() }
    }
}

fn score(weights: &[f64], row: &[f64]) -> f64 {
    weights[row.len()] + row.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>()
}

impl Classifier for Logistic {
    fn probabilities(&self, row: &[f64]) -> Vec<f64> {
        let row = encode(&self.parts, row);
        let mut p: Vec<f64> = self.weights.iter().map(|weights| score(weights, &row)).collect();
        softmax(&mut p);
        p
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With two classes and one number x, symmetric around 0, the minimum has weights ±w and biases 0, and w solves
    /// Σ x σ(−2 w x) = penalty · w.
    #[test]
    fn the_minimum_is_that_of_the_equation() {
        let rows: Vec<Vec<f64>> = [-1.5, -0.5, 0.5, 1.5].iter().map(|x| vec![*x]).collect();
        let frame = Frame { kinds: vec![Kind::Numbers], rows, labels: vec![0, 0, 1, 1], classes: 2 };
        let model = Logistic::fit(&frame, 0.7);
        let w = model.weights[1][0];
        let deviation = 1.25f64.sqrt();
        let pull = |x: f64| x / deviation * 2.0 / (1.0 + libm::exp(2.0 * w * x / deviation));
        assert!((pull(0.5) + pull(1.5) - 0.7 * w).abs() < 1e-4, "{w}");
        assert!((model.weights[0][0] + w).abs() < 1e-4 && model.weights[1][1].abs() < 1e-4);
        let p = model.probabilities(&[f64::NAN]);
        assert!((p[0] - 0.5).abs() < 1e-4, "a number that is missing says nothing");
    }
}
