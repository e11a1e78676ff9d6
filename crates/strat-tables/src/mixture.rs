//! Weights of several classifiers, by what each said of rows that it was not shown, and their mixture.

use crate::calibration::{Calibration, at_least};
use crate::classifier::{Classifier, Random, softmax};
use crate::frame::Frame;
use crate::method::Method;
use rayon::prelude::*;

/// Rows that the prior weights count for; chosen on draw 0 of the tables `fresh` and draw 13 of the made tables.
const PRIOR: f64 = 3.0;
/// How much of a weight follows how well a classifier explains the rows alone; chosen on draws 10 and 11.
const ALONE: f64 = 0.25;
/// Rounds of the search for the best weights.
const ROUNDS: usize = 60;
/// A classifier that would get less weight than this gets none: it changes hardly anything, and asking it takes time.
const NEGLIGIBLE: f64 = 0.01;

/// Several classifiers, each with its weight.
pub struct Mixture {
    parts: Vec<(f64, Box<dyn Classifier>)>,
    classes: usize,
}

/// What methods said of rows that they were not shown.
#[derive(Clone, Debug)]
pub struct HeldOut {
    /// Of each method, for each row, the probability of each class.
    pub said: Vec<Vec<Vec<f64>>>,
    /// Prior weights of the methods.
    pub priors: Vec<f64>,
    /// The part of each row.
    pub parts: Vec<usize>,
}

impl HeldOut {
    /// Asks all [methods](Method::ALL) about every row of the first `turns` parts, having shown them the other parts.
    /// Nothing is said of other rows.
    pub fn of(frame: &Frame, parts: Vec<usize>, turns: usize, random: Random<'_>) -> HeldOut {
        let said = Method::ALL.iter().map(|(method, _)| held_out(frame, &parts, turns, *method, random)).collect();
        HeldOut { said, priors: Method::ALL.iter().map(|(_, prior)| *prior).collect(), parts }
    }

    /// Keeps what was said of some rows.
    pub fn keep(&mut self, rows: &[usize]) {
        for said in &mut self.said {
            *said = rows.iter().map(|&row| said[row].clone()).collect();
        }
        self.parts = rows.iter().map(|&row| self.parts[row]).collect();
    }

    /// The weights that follow for the methods.
    pub fn weights(&self, labels: &[usize]) -> Vec<f64> {
        weigh(labels, &self.said, &self.priors)
    }

    /// What the mixture says of every row, with weights that were chosen without the row's part: how good the mixture
    /// is, its choice of weights included.
    pub fn mixture(&self, labels: &[usize]) -> Vec<Vec<f64>> {
        let count = self.parts.iter().max().map_or(0, |most| most + 1);
        let weights: Vec<Vec<f64>> = (0..count).map(|part| self.weights_without(labels, part)).collect();
        let mixed = |row: usize| {
            let said: Vec<&[f64]> = self.said.iter().map(|said| &said[row][..]).collect();
            mix(&weights[self.parts[row]], &said)
        };
        (0..labels.len()).map(mixed).collect()
    }

    /// How probabilities of the mixture are made right, by what it said of rows that it was not shown and by the
    /// [evidence](crate::evidence) of the rows.
    pub fn calibration(&self, labels: &[usize], evidence: f64) -> Calibration {
        Calibration::of(labels, &self.mixture(labels), evidence)
    }

    fn weights_without(&self, labels: &[usize], part: usize) -> Vec<f64> {
        let rows: Vec<usize> = (0..labels.len()).filter(|&row| self.parts[row] != part).collect();
        let labels: Vec<usize> = rows.iter().map(|&row| labels[row]).collect();
        let said: Vec<Vec<Vec<f64>>> =
            self.said.iter().map(|said| rows.iter().map(|&row| said[row].clone()).collect()).collect();
        weigh(&labels, &said, &self.priors)
    }
}

fn mix(weights: &[f64], said: &[&[f64]]) -> Vec<f64> {
    let mut out = vec![0.0; said.first().map_or(0, |p| p.len())];
    for (weight, said) in weights.iter().zip(said) {
        out.iter_mut().zip(*said).for_each(|(o, p)| *o += weight * p);
    }
    out
}

impl Mixture {
    /// Teaches all [methods](Method::ALL) that have a weight with all rows.
    pub fn fit(frame: &Frame, weights: &[f64], random: Random<'_>) -> Mixture {
        let methods = weights.iter().zip(Method::ALL).map(|(weight, (method, _))| (*weight, method));
        let with: Vec<(f64, Method)> = methods.filter(|(weight, _)| *weight > 0.0).collect();
        let all: f64 = with.iter().map(|(weight, _)| weight).sum();
        let part = |(weight, method): &(f64, Method)| (weight / all, method.fit(frame, random));
        Mixture { parts: with.par_iter().map(part).collect(), classes: frame.classes }
    }

    /// Its classifiers with their weights, which add up to 1.
    pub fn parts(&self) -> impl Iterator<Item = (f64, &dyn Classifier)> {
        self.parts.iter().map(|(weight, part)| (*weight, &**part))
    }
}

impl Classifier for Mixture {
    fn probabilities(&self, row: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.classes];
        for (weight, classifier) in &self.parts {
            out.iter_mut().zip(classifier.probabilities(row)).for_each(|(o, p)| *o += weight * p);
        }
        out
    }

    fn doubt_of_parts(&self, row: &[f64]) -> f64 {
        self.parts.iter().map(|(weight, part)| weight * part.doubt_of_parts(row)).sum()
    }
}

/// The part of each row, from 0 to `parts`, so that each part has about as many rows of every class. `order` is a random
/// order of the rows.
pub fn folds(labels: &[usize], parts: usize, order: &[usize]) -> Vec<usize> {
    let mut order = order.to_vec();
    order.sort_by_key(|&row| labels[row]);
    let mut part = vec![0; labels.len()];
    order.iter().enumerate().for_each(|(at, &row)| part[row] = at % parts);
    part
}

/// What a method says of every row of the first `turns` parts, having learned from the rows of all other parts.
pub fn held_out(frame: &Frame, parts: &[usize], turns: usize, method: Method, random: Random<'_>) -> Vec<Vec<f64>> {
    let of_part = |part: usize| {
        let (own, others): (Vec<usize>, Vec<usize>) = (0..parts.len()).partition(|&row| parts[row] == part);
        let learned = method.fit(&frame.select(&others), random);
        own.into_iter().map(|row| (row, learned.probabilities(&frame.rows[row]))).collect::<Vec<_>>()
    };
    let all: Vec<(usize, Vec<f64>)> = (0..turns).into_par_iter().flat_map_iter(of_part).collect();
    let mut said = vec![vec![]; parts.len()];
    all.into_iter().for_each(|(row, p)| said[row] = p);
    said
}

/// Weights of classifiers, by what each said of the rows, held out, and their prior weights: most by the weights whose mixture
/// explains the rows best, a quarter by how well each explains them alone. The first lets several share a table; the second
/// follows one that is right sooner. Weights of less than a hundredth are none.
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
    let mut weights: Vec<f64> = together.iter().zip(&alone).map(|(a, b)| (1.0 - ALONE) * a + ALONE * b).collect();
    weights.iter_mut().filter(|weight| **weight < NEGLIGIBLE).for_each(|weight| *weight = 0.0);
    let all: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= all);
    weights
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
    use crate::frame::Kind;
    use crate::testing::random;

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
        let labels: Vec<usize> = (0..32).map(|i| i % 2).collect();
        let says = |right: f64| {
            labels.iter().map(move |&l| if l == 0 { vec![right, 1. - right] } else { vec![1. - right, right] })
        };
        let said: Vec<Vec<Vec<f64>>> = [0.9, 0.5, 0.2].map(|right| says(right).collect()).into();
        let weights = weigh(&labels, &said, &[1.0, 1.0, 1.0]);
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(weights[0] > 0.9 && weights[2] < 0.06, "{weights:?}");
        assert_eq!(weigh(&[], &[vec![], vec![]], &[3.0, 1.0]), [0.75, 0.25]);
    }

    /// Rows of six bits in an order that looks random.
    fn bits(n: usize, rule: impl Fn(usize, &[f64]) -> usize) -> Frame {
        let rows: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..6).map(|c| (((i * 7919 + 13) * 2_654_435_761) >> (c + 9) & 1) as f64).collect())
            .collect();
        let labels = rows.iter().enumerate().map(|(i, row)| rule(i, row)).collect();
        Frame { kinds: vec![Kind::Numbers; 6], rows, labels, classes: 2 }
    }

    fn tested(frame: &Frame) -> (HeldOut, f64, f64) {
        let order: Vec<usize> = (0..frame.labels.len()).collect();
        let tested = HeldOut::of(frame, folds(&frame.labels, 5, &order), 5, &random);
        let said = tested.mixture(&frame.labels);
        let right = said.iter().zip(&frame.labels).filter(|(p, l)| p[**l] > 0.5).count();
        let sure: f64 = said.iter().map(|p| p[0].max(p[1])).sum::<f64>() / said.len() as f64;
        (tested, right as f64 / said.len() as f64, sure)
    }

    #[test]
    fn a_rule_is_learned_and_held_out_rows_say_so() {
        let rule = |_: usize, row: &[f64]| usize::from((row[0] == 1.0) != (row[3] == 1.0));
        let frame = bits(40, rule);
        let (tested, right, _) = tested(&frame);
        assert!(right > 0.95, "{right}");
        let weights = tested.weights(&frame.labels);
        // Two columns that decide only together are nothing to a linear model.
        let of = |title: &str| {
            Method::ALL.iter().zip(&weights).filter(|(m, _)| m.0.title() == title).map(|(_, w)| w).sum::<f64>()
        };
        assert!(of("small trees") > 0.5 && of("logistic regression") < 0.1, "{weights:?}");
        let mixture = Mixture::fit(&frame, &weights, &random);
        let other = bits(400, rule);
        let right =
            other.rows.iter().zip(&other.labels).filter(|(row, l)| mixture.probabilities(row)[**l] > 0.5).count();
        assert!(right > 390, "{right}");
    }

    /// The control: where classes follow from nothing, the mixture is right as often as it claims, about half of the time.
    #[test]
    fn on_random_labels_it_claims_no_more_than_it_has() {
        let mut words = random(77);
        let labels: Vec<usize> = (0..60).map(|_| (words() >> 13 & 1) as usize).collect();
        let frame = bits(60, |i, _| labels[i]);
        let (_, right, sure) = tested(&frame);
        assert!(right < 0.68 && sure < 0.68, "right {right}, sure {sure}");
    }
}
