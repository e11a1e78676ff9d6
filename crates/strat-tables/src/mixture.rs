//! Weights of several classifiers, by what each said of rows that it was not shown.

use crate::classifier::{Random, softmax};
use crate::frame::Frame;
use crate::method::Method;
use rayon::prelude::*;

/// A probability counts as no less than this: one sure mistake does not decide all.
const LEAST: f64 = 1e-3;
/// Rows that the prior weights count for.
const PRIOR: f64 = 1.0;
/// Rounds of the search for the best weights.
const ROUNDS: usize = 60;

/// The part of each row, from 0 to `parts`, so that each part has about as many rows of every class. `order` is a random
/// order of the rows.
pub fn folds(labels: &[usize], parts: usize, order: &[usize]) -> Vec<usize> {
    let mut order = order.to_vec();
    order.sort_by_key(|&row| labels[row]);
    let mut part = vec![0; labels.len()];
    order.iter().enumerate().for_each(|(at, &row)| part[row] = at % parts);
    part
}

/// What a method says of every row, having learned from the rows of all other parts.
pub fn held_out(frame: &Frame, parts: &[usize], method: Method, random: Random<'_>) -> Vec<Vec<f64>> {
    let count = parts.iter().max().map_or(0, |most| most + 1);
    let of_part = |part: usize| {
        let (own, others): (Vec<usize>, Vec<usize>) = (0..parts.len()).partition(|&row| parts[row] == part);
        let learned = method.fit(&frame.select(&others), random);
        own.into_iter().map(|row| (row, learned.probabilities(&frame.rows[row]))).collect::<Vec<_>>()
    };
    let mut all: Vec<(usize, Vec<f64>)> = (0..count).into_par_iter().flat_map_iter(of_part).collect();
    all.sort_by_key(|(row, _)| *row);
    all.into_iter().map(|(_, p)| p).collect()
}

fn at_least(p: f64, classes: usize) -> f64 {
    p.max(LEAST) / (1.0 + LEAST * classes as f64)
}

/// The mean surprise of rows' classes, in nats; a probability counts as at least 0.001.
pub fn log_loss(labels: &[usize], said: &[Vec<f64>]) -> f64 {
    let one = |(&class, p): (&usize, &Vec<f64>)| -libm::log(at_least(p[class], p.len()));
    labels.iter().zip(said).map(one).sum::<f64>() / labels.len().max(1) as f64
}

/// Weights of classifiers, by what each said of the rows, held out, and their prior weights: half by the weights whose mixture
/// explains the rows best, half by how well each explains them alone. The first lets several share a table; the second
/// follows one that is right sooner.
pub fn weigh(labels: &[usize], said: &[Vec<Vec<f64>>], priors: &[f64]) -> Vec<f64> {
    let all: f64 = priors.iter().sum();
    let priors: Vec<f64> = priors.iter().map(|p| p / all).collect();
    let likelihoods: Vec<Vec<f64>> = said
        .iter()
        .map(|said| labels.iter().zip(said).map(|(&class, p)| at_least(p[class], p.len())).collect())
        .collect();
    let together = together(&likelihoods, &priors);
    let mut alone: Vec<f64> = likelihoods
        .iter()
        .zip(&priors)
        .map(|(own, prior)| own.iter().map(|p| libm::log(*p)).sum::<f64>() + libm::log(*prior))
        .collect();
    softmax(&mut alone);
    together.iter().zip(&alone).map(|(a, b)| (a + b) / 2.0).collect()
}

/// Expectation maximization, the priors as one row more.
fn together(likelihoods: &[Vec<f64>], priors: &[f64]) -> Vec<f64> {
    let rows = likelihoods.first().map_or(0, Vec::len);
    let mut weights = priors.to_vec();
    for _ in 0..ROUNDS {
        let mut next: Vec<f64> = priors.iter().map(|p| PRIOR * p).collect();
        for row in 0..rows {
            let all: f64 = weights.iter().zip(likelihoods).map(|(w, own)| w * own[row]).sum();
            next.iter_mut().zip(&weights).zip(likelihoods).for_each(|((n, w), own)| *n += w * own[row] / all);
        }
        let all: f64 = next.iter().sum();
        weights = next.into_iter().map(|n| n / all).collect();
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_its_share_of_every_class() {
        let labels: Vec<usize> = (0..30).map(|i| usize::from(i % 3 == 0)).collect();
        let parts = folds(&labels, 5, &(0..30).rev().collect::<Vec<_>>());
        for part in 0..5 {
            let own: Vec<usize> = (0..30).filter(|&i| parts[i] == part).collect();
            assert_eq!((own.len(), own.iter().filter(|&&i| labels[i] == 1).count()), (6, 2));
        }
    }

    #[test]
    fn who_is_right_gets_the_weight_and_without_rows_nobody_does() {
        let labels = [0, 1, 0, 1, 0, 1, 0, 1];
        let says = |right: f64| {
            labels.iter().map(move |&l| if l == 0 { vec![right, 1. - right] } else { vec![1. - right, right] })
        };
        let said: Vec<Vec<Vec<f64>>> = [0.9, 0.5, 0.2].map(|right| says(right).collect()).into();
        let weights = weigh(&labels, &said, &[1.0, 1.0, 1.0]);
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(weights[0] > 0.9 && weights[2] < 0.06, "{weights:?}");
        assert_eq!(weigh(&[], &[vec![], vec![]], &[3.0, 1.0]), [0.75, 0.25]);
    }

    #[test]
    fn surprise_is_that_of_the_formula() {
        let loss = log_loss(&[0, 1], &[vec![0.8, 0.2], vec![1.0, 0.0]]);
        let by_hand = -((0.8f64 / 1.002).ln() + (0.001f64 / 1.002).ln()) / 2.0;
        assert!((loss - by_hand).abs() < 1e-12);
    }
}
