//! Whether there is something to learn: how many times as likely as chance the rows' classes are.
//!
//! What rows left out say is no answer. If one of thousands of simple rules happens to fit twenty rows, it also fits all that
//! are left out, and the mixture seems to know everything. Evidence is no such product of second looks: the classes' joint
//! probability, by methods that have seen nothing, over all methods and in turn. If classes are drawn by chance, a joint
//! probability is more than K times that of chance with a probability of at most one in K.

use crate::classifier::Random;
use crate::frame::Frame;
use crate::method::Method;
use crate::trees::Trees;
use rayon::prelude::*;

/// A probability counts as no less than this.
const LEAST: f64 = 1e-3;
/// Orders in which rows are shown.
const ORDERS: u32 = 4;
/// The first rows are shown only; those up to each of the others are asked about, having been shown those before them.
const SHOWN: [f64; 4] = [0.5, 0.67, 0.83, 1.0];

/// By how many nats the classes are likelier than chance makes them: the mean of what the small trees say of all rows and
/// of what all methods say of the second half, some rows at a time. Less than 0 if they are less likely.
pub fn evidence(frame: &Frame, random: Random<'_>) -> f64 {
    let n = frame.rows.len();
    if n < 2 {
        return 0.0;
    }
    let of_one = libm::log(frame.classes as f64);
    let trees = Method::ALL.iter().filter_map(|(method, prior)| match method {
        Method::Trees(spread) => Some((*prior, *spread)),
        _ => None,
    });
    let all: f64 = trees.clone().map(|(prior, _)| prior).sum();
    let by_trees: Vec<f64> = trees
        .map(|(prior, spread)| libm::log(prior / all) + Trees::evidence(frame, spread) + n as f64 * of_one)
        .collect();
    let ahead: Vec<f64> = (0..ORDERS).into_par_iter().map(|order| ahead(frame, order, random)).collect();
    let in_turn = log_sum(&ahead) - libm::log(f64::from(ORDERS));
    log_sum(&[log_sum(&by_trees), in_turn]) - libm::log(2.0)
}

/// The same by all methods, of the second half of the rows in one order.
fn ahead(frame: &Frame, order: u32, random: Random<'_>) -> f64 {
    let n = frame.rows.len();
    let mut words = random(1000 + order);
    let mut rows: Vec<usize> = (0..n).collect();
    (1..n).rev().for_each(|i| rows.swap(i, ((u64::from(words()) * (i as u64 + 1)) >> 32) as usize));
    let cuts = SHOWN.map(|share| (n as f64 * share) as usize);
    let mut by_method = vec![0.0; Method::ALL.len()];
    for cut in cuts.windows(2).filter(|cut| cut[0] < cut[1]) {
        let shown = frame.select(&rows[..cut[0]]);
        for (sum, (method, _)) in by_method.iter_mut().zip(Method::ALL) {
            let learned = method.fit(&shown, random);
            for &i in &rows[cut[0]..cut[1]] {
                let p = learned.probabilities(&frame.rows[i])[frame.labels[i]];
                *sum += libm::log(p.max(LEAST) * frame.classes as f64);
            }
        }
    }
    let all: f64 = Method::ALL.iter().map(|(_, prior)| prior).sum();
    let weighted: Vec<f64> =
        by_method.iter().zip(Method::ALL).map(|(sum, (_, prior))| sum + libm::log(prior / all)).collect();
    log_sum(&weighted)
}

fn log_sum(terms: &[f64]) -> f64 {
    let most = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    most + libm::log(terms.iter().map(|t| libm::exp(t - most)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Kind;
    use crate::testing::random;

    fn frame(seed: u32, class: impl Fn(&[f64], u32) -> usize) -> Frame {
        let mut words = random(seed);
        let rows: Vec<Vec<f64>> = (0..20).map(|_| (0..6).map(|_| f64::from(words() >> 13 & 1)).collect()).collect();
        let labels = rows.iter().map(|row| class(row, words() >> 13)).collect();
        Frame { kinds: vec![Kind::Numbers; 6], rows, labels, classes: 2 }
    }

    #[test]
    fn a_rule_has_evidence_and_random_labels_have_none() {
        let rule = evidence(&frame(1, |row, _| usize::from(row[2] == 1.0)), &random);
        assert!(rule > 5.0, "{rule}");
        let by_chance: Vec<f64> =
            (2..22).map(|seed| evidence(&frame(seed, |_, coin| (coin & 1) as usize), &random)).collect();
        let mean = by_chance.iter().map(|x| libm::exp(*x)).sum::<f64>() / 20.0;
        assert!(mean < 2.0, "{mean}: {by_chance:?}");
    }
}
