//! Naive Bayes: each column by itself.

use crate::classifier::{Classifier, softmax};
use crate::frame::Frame;

/// A number that is hardly possible counts as no less likely than e to this power.
const LEAST: f64 = -20.0;
/// Rows by which a class's mean and variance lean on those of all rows.
const LEAN: [f64; 2] = [0.5, 2.0];

/// How likely a column's values are, class by class.
#[derive(Clone, Debug)]
enum Likelihood {
    /// Of each value, the logarithm, as if each had been seen once more.
    Values(Vec<f64>, Vec<Vec<f64>>),
    /// Mean and variance of numbers.
    Normal(Vec<[f64; 2]>),
}

/// Naive Bayes on columns of words and numbers.
#[derive(Clone, Debug)]
pub struct Bayes {
    shares: Vec<f64>,
    columns: Vec<(usize, Likelihood)>,
    temper: f64,
}

impl Bayes {
    /// Learns from rows. Columns are seldom independent: `temper` below 1 counts each as less evidence.
    pub fn fit(frame: &Frame, temper: f64) -> Bayes {
        let column = |column: usize| {
            let distinct = frame.distinct(column);
            let likelihood = match distinct.len() {
                0 | 1 => return None,
                _ if frame.has_few(column, &distinct) => values(frame, column, distinct),
                _ => normal(frame, column),
            };
            Some((column, likelihood))
        };
        let columns = (0..frame.kinds.len()).filter_map(column).collect();
        Bayes { shares: frame.shares(), columns, temper }
    }
}

fn values(frame: &Frame, column: usize, distinct: Vec<f64>) -> Likelihood {
    let mut counts = vec![vec![1.0; distinct.len()]; frame.classes];
    for (row, &class) in frame.rows.iter().zip(&frame.labels) {
        if let Some(at) = distinct.iter().position(|v| *v == row[column]) {
            counts[class][at] += 1.0;
        }
    }
    for counts in &mut counts {
        let all: f64 = counts.iter().sum();
        counts.iter_mut().for_each(|count| *count = libm::log(*count / all));
    }
    Likelihood::Values(distinct, counts)
}

fn normal(frame: &Frame, column: usize) -> Likelihood {
    let (mean, deviation) = frame.spread(column);
    let variance = (deviation * deviation).max(f64::MIN_POSITIVE);
    let of_class = |class: usize| {
        let rows = frame.rows.iter().zip(&frame.labels).filter(|(_, label)| **label == class);
        let own: Vec<f64> = rows.map(|(row, _)| row[column]).filter(|x| !x.is_nan()).collect();
        let n = own.len() as f64;
        let centre = (own.iter().sum::<f64>() + LEAN[0] * mean) / (n + LEAN[0]);
        let squares: f64 = own.iter().map(|x| (x - centre) * (x - centre)).sum();
        [centre, (squares + LEAN[1] * variance) / (n + LEAN[1])]
    };
    Likelihood::Normal((0..frame.classes).map(of_class).collect())
}

impl Classifier for Bayes {
    fn probabilities(&self, row: &[f64]) -> Vec<f64> {
        let mut scores = vec![0.0; self.shares.len()];
        for (column, likelihood) in &self.columns {
            let x = row[*column];
            if x.is_nan() {
                continue;
            }
            match likelihood {
                Likelihood::Values(distinct, logs) => {
                    // A value that no row had says nothing.
                    if let Some(at) = distinct.iter().position(|v| *v == x) {
                        scores.iter_mut().zip(logs).for_each(|(score, logs)| *score += logs[at]);
                    }
                }
                Likelihood::Normal(classes) => {
                    for (score, [mean, variance]) in scores.iter_mut().zip(classes) {
                        *score +=
                            (-0.5 * (x - mean) * (x - mean) / variance).max(LEAST) - 0.5 * libm::log(*variance);
                    }
                }
            }
        }
        scores
            .iter_mut()
            .zip(&self.shares)
            .for_each(|(score, share)| *score = *score * self.temper + libm::log(*share));
        softmax(&mut scores);
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Kind;

    /// By hand: classes 3 : 3 with one more of each, "a" in class 0 (2 + 1) of 5, in class 1 (1 + 1) of 5.
    #[test]
    fn counts_are_those_made_by_hand() {
        let kinds = vec![Kind::Words(vec!["a".into(), "b".into()])];
        let rows = [0., 0., 1., 0., 1., 1.].iter().map(|x| vec![*x]).collect();
        let frame = Frame { kinds, rows, labels: vec![0, 0, 0, 1, 1, 1], classes: 2 };
        assert!((Bayes::fit(&frame, 1.0).probabilities(&[0.0])[0] - 0.6).abs() < 1e-12);
        assert!((Bayes::fit(&frame, 0.0).probabilities(&[0.0])[0] - 0.5).abs() < 1e-12);
        assert!((Bayes::fit(&frame, 1.0).probabilities(&[f64::NAN])[0] - 0.5).abs() < 1e-12);
    }
}
