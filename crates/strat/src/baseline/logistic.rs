//! Logistic regression: softmax over a linear map, with a ridge.
//!
//! Features are scaled to unit variance and the ridge is ½‖W‖², as is customary; the bias is free. The loss has
//! one minimum. It is found without a step size: the Hessian never exceeds ½ XᵀX + I (Böhning, 1992), so a Newton
//! step with that matrix, factored once, can only descend; momentum that starts anew whenever it leads uphill
//! saves nine steps of ten. Memory is quadratic in the number of features.

use super::rule::first_largest;
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeMap;

/// Features that are not zero, the answer, and how often this was seen.
pub(super) struct Row {
    pub features: Vec<(u32, f64)>,
    pub value: u8,
    pub count: f64,
}

/// Most steps; Sudoku, the slowest, needs 170.
const STEPS: usize = 1000;
/// A step below this is none.
const STILL: f64 = 1e-5;
/// A feature that varies less than this share of its size is constant but for rounding.
const CONSTANT: f64 = 1e-9;

/// A fitted model.
pub(super) struct Logistic {
    /// The column of a feature in the linear map, and one over its deviation. Others were constant.
    columns: BTreeMap<u32, (usize, f64)>,
    /// `[values, features + 1]`, the bias last.
    weights: DMatrix<f64>,
}

impl Logistic {
    /// The best linear map for these rows.
    pub(super) fn fit(rows: &[Row], values: usize) -> Logistic {
        let columns = columns(rows);
        let width = columns.len() + 1;
        let mut fitted = Logistic { columns, weights: DMatrix::zeros(values, width) };
        let inputs: Vec<Vec<(usize, f64)>> = rows.iter().map(|row| fitted.scaled(&row.features)).collect();
        let mut bound = DMatrix::zeros(width, width);
        for (row, input) in rows.iter().zip(&inputs) {
            for &(i, x) in input {
                input.iter().for_each(|&(j, y)| bound[(i, j)] += 0.5 * row.count * x * y);
            }
        }
        (0..width - 1).for_each(|i| bound[(i, i)] += 1.0);
        let Some(factor) = bound.cholesky() else { return fitted };
        let (mut ahead, mut momentum) = (fitted.weights.clone(), 1.0f64);
        for _ in 0..STEPS {
            let gradient = gradient(rows, &inputs, &ahead);
            let step = factor.solve(&gradient.transpose()).transpose();
            let next = &ahead - &step;
            let moved = &next - &fitted.weights;
            fitted.weights = next;
            if step.amax() < STILL {
                break;
            }
            // Nesterov's sequence, begun anew where the way led uphill.
            let before = if gradient.dot(&moved) > 0.0 { 1.0 } else { momentum };
            momentum = (1.0 + (1.0 + 4.0 * before * before).sqrt()) / 2.0;
            ahead = &fitted.weights + moved * ((before - 1.0) / momentum);
        }
        fitted
    }

    /// The most likely answer.
    pub(super) fn answer(&self, features: &[(u32, f64)]) -> u8 {
        first_largest(logits(&self.weights, &self.scaled(features)).as_slice())
    }

    /// Columns and their values, the bias among them.
    fn scaled(&self, features: &[(u32, f64)]) -> Vec<(usize, f64)> {
        let known =
            features.iter().filter_map(|(f, x)| self.columns.get(f).map(|(column, scale)| (*column, x * scale)));
        known.chain([(self.columns.len(), 1.0)]).collect()
    }
}

/// A column and a scale for every feature that is not constant.
fn columns(rows: &[Row]) -> BTreeMap<u32, (usize, f64)> {
    let total: f64 = rows.iter().map(|row| row.count).sum();
    let sums = |term: &dyn Fn(u32, f64) -> f64| {
        let mut sums = BTreeMap::<u32, f64>::new();
        for row in rows {
            row.features.iter().for_each(|&(f, x)| *sums.entry(f).or_default() += row.count * term(f, x));
        }
        sums
    };
    let means: BTreeMap<u32, f64> = sums(&|_, x| x).into_iter().map(|(f, sum)| (f, sum / total)).collect();
    let present = sums(&|_, _| 1.0);
    let squares = sums(&|f, x| (x - means[&f]) * (x - means[&f]));
    let deviation = |(f, present): (u32, f64)| {
        let mean = means[&f];
        // Where a feature is not listed it is zero.
        let variance = (squares[&f] + (total - present) * mean * mean) / total;
        (f, mean.abs(), variance.sqrt())
    };
    let varying = present.into_iter().map(deviation).filter(|(_, mean, deviation)| *deviation > CONSTANT * mean);
    varying.enumerate().map(|(column, (f, _, deviation))| (f, (column, 1.0 / deviation))).collect()
}

/// Of the ridge and the loss, at some weights.
fn gradient(rows: &[Row], inputs: &[Vec<(usize, f64)>], weights: &DMatrix<f64>) -> DMatrix<f64> {
    let mut gradient = weights.clone();
    gradient.column_mut(weights.ncols() - 1).fill(0.0);
    for (row, input) in rows.iter().zip(inputs) {
        let mut error = softmax(logits(weights, input));
        error[usize::from(row.value)] -= 1.0;
        for &(i, x) in input {
            gradient.column_mut(i).axpy(row.count * x, &error, 1.0);
        }
    }
    gradient
}

fn logits(weights: &DMatrix<f64>, input: &[(usize, f64)]) -> DVector<f64> {
    let mut logits = DVector::zeros(weights.nrows());
    input.iter().for_each(|&(i, x)| logits.axpy(x, &weights.column(i), 1.0));
    logits
}

fn softmax(mut logits: DVector<f64>) -> DVector<f64> {
    let most = logits.max();
    logits.apply(|l| *l = libm::exp(*l - most));
    let sum = logits.sum();
    logits / sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(features: &[(u32, f64)], value: u8, count: f64) -> Row {
        Row { features: features.to_vec(), value, count }
    }

    /// Of a feature that is ±1 and right three times of four, symmetry leaves one unknown: the two rows of weights
    /// are ±w, and the ridge balances the error where 8 (σ(2w) − 3/4) + w = 0.
    #[test]
    fn one_feature_has_the_weight_that_balances_error_and_ridge() {
        let rows = [(1.0, 1, 3.0), (1.0, 0, 1.0), (-1.0, 0, 3.0), (-1.0, 1, 1.0)];
        let fitted = Logistic::fit(&rows.map(|(x, value, count)| row(&[(7, x)], value, count)), 2);
        let w = fitted.weights[(1, 0)];
        assert!(w > 0.1 && (fitted.weights[(0, 0)] + w).abs() < 1e-4, "{}", fitted.weights);
        assert!((8.0 * (1.0 / (1.0 + (-2.0 * w).exp()) - 0.75) + w).abs() < 1e-3, "{w}");
        assert!(fitted.weights.column(1).amax() < 1e-4, "no bias: both answers are as frequent");
        assert_eq!((fitted.answer(&[(7, 1.0)]), fitted.answer(&[(7, -1.0)])), (1, 0));
    }

    #[test]
    fn counts_stand_for_repeated_rows() {
        let rows = |copies: usize| -> Vec<Row> {
            let one = [(0.0, 0, 2), (1.0, 1, 1), (2.0, 2, 3), (3.0, 2, 1)];
            let times = |(x, value, n): (f64, u8, usize)| {
                let (copies, count) = if copies == 1 { (1, n as f64) } else { (n, 1.0) };
                (0..copies).map(move |_| row(&[(0, x), (1, x * x)], value, count))
            };
            one.into_iter().flat_map(times).collect()
        };
        let [counted, repeated] = [1, 0].map(|copies| Logistic::fit(&rows(copies), 3));
        assert!((counted.weights - repeated.weights).amax() < 1e-9);
    }

    /// The derivative of the loss, taken by differences of the loss itself, is zero at the minimum.
    #[test]
    fn no_direction_leads_down_from_the_fit() {
        let rows: Vec<Row> = (0..40u32)
            .map(|n| {
                let noise = f64::from(n * 37 % 11);
                row(&[(0, noise), (1, f64::from(n)), (2, 1e3 + f64::from(n * n % 7))], (n * n % 5 % 3) as u8, 1.0)
            })
            .collect();
        let mut fitted = Logistic::fit(&rows, 3);
        let loss = |fitted: &Logistic| -> f64 {
            let one = |row: &Row| {
                let logits = logits(&fitted.weights, &fitted.scaled(&row.features));
                logits.iter().map(|l| l.exp()).sum::<f64>().ln() - logits[usize::from(row.value)]
            };
            let ridge = fitted.weights.columns(0, 3).norm_squared() / 2.0;
            rows.iter().map(one).sum::<f64>() + ridge
        };
        for at in 0..fitted.weights.len() {
            let mut beside = |by: f64| {
                fitted.weights[at] += by;
                let loss = loss(&fitted);
                fitted.weights[at] -= by;
                loss
            };
            let slope = (beside(1e-4) - beside(-1e-4)) / 2e-4;
            // The third feature's mean is 500 deviations, and its slope grows with that.
            assert!(slope.abs() < 1e-2 * if at / 3 == 2 { 500.0 } else { 1.0 }, "weight {at}: {slope}");
        }
    }

    #[test]
    fn what_never_changed_in_training_does_not_matter() {
        let rows = [row(&[(0, 0.1), (1, 1.0)], 1, 3.0), row(&[(0, 0.1)], 0, 2.0)];
        let fitted = Logistic::fit(&rows, 2);
        assert_eq!(fitted.columns.keys().copied().collect::<Vec<_>>(), [1]);
        assert_eq!((fitted.answer(&[(0, 99.0)]), fitted.answer(&[(1, 1.0), (2, -5.0)])), (0, 1));
    }
}
