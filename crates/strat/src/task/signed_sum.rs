//! The signed sum (§4): `12 + 3 - 5`. Literals and operators alternate.

mod set;
mod text;

pub use set::{SetError, TeachingSet};
pub use text::SumError;
pub(in crate::task) use text::terms;

use super::{Example, Target};
use crate::model::Kind;
use crate::rng::RandomStream;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Most literals in a generated sum.
pub(crate) const MAX_TERMS: usize = 6;
/// Fewest literals in a generated sum.
pub(crate) const MIN_TERMS: usize = 3;
/// Token slots: [`MAX_TERMS`] literals and the operators between them. Padding trails.
pub(crate) const TOKENS: usize = 2 * MAX_TERMS - 1;

/// One sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The literals.
    pub values: Vec<u32>,
    /// For each literal, is it subtracted? Never the first.
    pub minus: Vec<bool>,
}

impl Sum {
    /// What it comes to.
    pub fn answer(&self) -> i64 {
        let sign = |m: &bool| if *m { -1 } else { 1 };
        self.values.iter().zip(&self.minus).map(|(&v, m)| sign(m) * i64::from(v)).sum()
    }

    /// As an example: kinds of token, and the literals' values.
    pub fn example(&self) -> Example {
        let operator = |&minus: &bool| if minus { Kind::Minus } else { Kind::Plus };
        let mut input = vec![];
        for (i, minus) in self.minus.iter().enumerate() {
            if i > 0 {
                input.push(operator(minus) as u8);
            }
            input.push(Kind::Literal as u8);
        }
        let values = self.values.iter().map(|&v| f64::from(v)).collect();
        Example { values, ..Example::new(input, Target::Number(self.answer() as f64)) }
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (v, m)) in self.values.iter().zip(&self.minus).enumerate() {
            match (i, m) {
                (0, _) => write!(f, "{v}")?,
                (_, true) => write!(f, " - {v}")?,
                (_, false) => write!(f, " + {v}")?,
            }
        }
        Ok(())
    }
}

/// Where sums come from: literals uniform in a closed range, 3 to 6 of them, + or −
/// with probability one half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedSum {
    /// Smallest literal.
    pub low: u32,
    /// Largest literal.
    pub high: u32,
}

impl SignedSum {
    /// Fewest literals in a generated sum.
    pub const MIN_TERMS: usize = MIN_TERMS;
    /// Most literals in a generated sum.
    pub const MAX_TERMS: usize = MAX_TERMS;
    /// Token slots: that many literals and the operators between them. Padding trails.
    pub const TOKENS: usize = TOKENS;
    /// A_curr's three stages (App. B).
    pub const CURRICULUM: [SignedSum; 3] =
        [SignedSum { low: 0, high: 100 }, SignedSum { low: 0, high: 1000 }, SignedSum { low: 0, high: 5000 }];
    /// Training range of §4 and §5.
    pub const ABLATION: SignedSum = SignedSum { low: 1, high: 100 };
    /// Training range of §6.
    pub const LOCKING: SignedSum = SignedSum { low: 0, high: 100 };
    /// Out of distribution, everywhere.
    pub const OOD: SignedSum = SignedSum { low: 2000, high: 5000 };

    /// Literals and signs of one sum, and how many; always eight words of `draws`.
    pub(super) fn draw_terms(&self, draws: &mut RandomStream) -> ([u32; MAX_TERMS], [bool; MAX_TERMS], usize) {
        let terms = MIN_TERMS + draws.below((MAX_TERMS - MIN_TERMS + 1) as u32) as usize;
        let signs = draws.word();
        let values = std::array::from_fn(|_| self.low + draws.below(self.high - self.low + 1));
        (values, std::array::from_fn(|i| i > 0 && signs >> i & 1 == 1), terms)
    }

    /// One sum.
    pub fn draw(&self, draws: &mut RandomStream) -> Sum {
        let (values, minus, terms) = self.draw_terms(draws);
        Sum { values: values[..terms].to_vec(), minus: minus[..terms].to_vec() }
    }

    /// A sum of exactly `terms` literals.
    pub fn draw_long(&self, terms: usize, draws: &mut RandomStream) -> Sum {
        let values = (0..terms).map(|_| self.low + draws.below(self.high - self.low + 1)).collect();
        Sum { values, minus: (0..terms).map(|i| i > 0 && draws.below(2) == 1).collect() }
    }

    /// `count` sums.
    pub fn draw_many(&self, count: usize, mut draws: RandomStream) -> Vec<Sum> {
        (0..count).map(|_| self.draw(&mut draws)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    #[test]
    fn encoding_and_answer_agree_with_the_text() {
        let sum = Sum { values: vec![12, 3, 5], minus: vec![false, false, true] };
        assert_eq!((sum.to_string().as_str(), sum.answer()), ("12 + 3 - 5", 10));
        let a = sum.encode(MAX_TERMS);
        assert_eq!(a["kind"], [1., 2., 1., 3., 1., 0., 0., 0., 0., 0., 0.]);
        assert_eq!(a["value"], [12., 3., 5., 0., 0., 0.]);
        assert_eq!(a["target"], [10.]);
    }

    /// §4.1: the target's mean absolute deviation is about 90.1 on the training range.
    #[test]
    fn target_deviation_is_the_papers() {
        let sums = SignedSum::ABLATION.draw_many(200_000, RandomStream::new(5, Stream::Train, 0));
        let y: Vec<f64> = sums.iter().map(|s| s.answer() as f64).collect();
        let mean = y.iter().sum::<f64>() / y.len() as f64;
        let mad = y.iter().map(|y| (y - mean).abs()).sum::<f64>() / y.len() as f64;
        assert!((mad - 90.1).abs() < 0.6, "{mad}");
    }

    #[test]
    fn draws_stay_in_range_and_use_every_length() {
        let sums = SignedSum::OOD.draw_many(2_000, RandomStream::new(9, Stream::TestOod, 0));
        for n in MIN_TERMS..=MAX_TERMS {
            assert!(sums.iter().filter(|s| s.values.len() == n).count() > 400);
        }
        assert!(sums.iter().all(|s| s.values.iter().all(|v| (2000..=5000).contains(v)) && !s.minus[0]));
        let minus: usize = sums.iter().flat_map(|s| &s.minus[1..]).filter(|m| **m).count();
        let all: usize = sums.iter().map(|s| s.minus.len() - 1).sum();
        assert!((minus as f64 / all as f64 - 0.5).abs() < 0.02);
    }
}
