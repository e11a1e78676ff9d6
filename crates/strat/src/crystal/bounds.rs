//! What the gates of STRAT-Lite can see, over all inputs of any length.
//!
//! A token's Type after attention is its own plus a mean of what the tokens before it offer, weighted by
//! `exp(score − distance)`. Along a direction `ω` that mean is a ratio of two sums over the tokens. For a ratio `λ` to be
//! the largest, every token must be the one for which `weight · (offer − λ)` is largest; as weights fall with the
//! distance by a factor that is the same for all, this is the same choice everywhere, and going on for ever or not at
//! all. So the extremes are those of a few sequences that repeat one token, summed as geometric series. For several
//! heads the extremes are added, which is wider than needed but still true.

use super::reading::Reading;
use crate::engine::reference::Arrays;
use crate::model::{Lite, ORACLE_TYPES, Types};

/// Allowance for rounding in a model that runs in single precision, relative to the sizes involved.
const ROUNDING: f64 = 1e-5;

/// A closed range of numbers.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Range {
    /// The smallest that it can be.
    pub low: f64,
    /// The largest that it can be.
    pub high: f64,
}

impl Range {
    /// One number.
    pub(crate) fn at(x: f64) -> Range {
        Range { low: x, high: x }
    }

    /// The smallest range with all of these.
    pub(crate) fn around(numbers: impl IntoIterator<Item = f64>) -> Range {
        let none = Range { low: f64::INFINITY, high: f64::NEG_INFINITY };
        numbers.into_iter().fold(none, |r, x| Range { low: r.low.min(x), high: r.high.max(x) })
    }

    /// The smallest range with both.
    pub(crate) fn and(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Sums of a number of each.
    pub(crate) fn plus(self, other: Range) -> Range {
        Range { low: self.low + other.low, high: self.high + other.high }
    }

    /// Times a number.
    pub(crate) fn times(self, by: f64) -> Range {
        Range::around([self.low * by, self.high * by])
    }

    /// Products of a number of each.
    pub(crate) fn product(self, other: Range) -> Range {
        let (a, b) = (self, other);
        Range::around([a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high])
    }

    /// By so much wider on both sides.
    pub(crate) fn wider(self, by: f64) -> Range {
        Range { low: self.low - by, high: self.high + by }
    }

    /// The middle.
    pub(crate) fn middle(self) -> f64 {
        0.5 * (self.low + self.high)
    }

    /// The largest distance of any of its numbers from `x`.
    pub(crate) fn distance(self, x: f64) -> f64 {
        (self.low - x).abs().max((self.high - x).abs())
    }

    /// The largest distance from zero.
    pub(crate) fn size(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }
}

/// A place that a token can have: itself and the tokens right before it, from near to far, and what may come before
/// those, again and again.
#[derive(Clone, Debug)]
pub struct Place {
    fixed: Vec<usize>,
    /// Each a way to go on for ever.
    repeated: Vec<Vec<usize>>,
}

/// The attention of a STRAT-Lite learner between kinds of token.
#[derive(Clone, Debug)]
pub struct Attention {
    lite: Lite,
    reading: Reading,
    /// `[kind][dimension]`
    types: Vec<Vec<f64>>,
    /// `[head][kind][kind]`, scaled.
    scores: Vec<Vec<Vec<f64>>>,
    /// `[kind][dimension]`: what a token offers.
    offers: Vec<Vec<f64>>,
}

/// `W x`
fn linear(w: &[f64], x: &[f64]) -> Vec<f64> {
    w.chunks_exact(x.len()).map(|row| dot(row, x)).collect()
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Attention {
    /// Of a learner's weights.
    pub(crate) fn of(lite: Lite, weights: &Arrays) -> Attention {
        let types: Vec<Vec<f64>> = match lite.types {
            Types::Fixed => ORACLE_TYPES.chunks_exact(4).map(<[f64]>::to_vec).collect(),
            Types::Latent | Types::Items => {
                weights["embed"].chunks_exact(lite.width).map(<[f64]>::to_vec).collect()
            }
        };
        let of_all = |name: &str| -> Vec<Vec<f64>> { types.iter().map(|x| linear(&weights[name], x)).collect() };
        let (queries, keys) = (of_all("query.weight"), of_all("key.weight"));
        let per_head = lite.width / lite.heads;
        let score = |head: usize, q: &[f64], k: &[f64]| {
            let columns = head * per_head..(head + 1) * per_head;
            dot(&q[columns.clone()], &k[columns]) / (per_head as f64).sqrt()
        };
        let of_head = |head| queries.iter().map(|q| keys.iter().map(|k| score(head, q, k)).collect()).collect();
        Attention {
            scores: (0..lite.heads).map(of_head).collect(),
            offers: of_all("type_value.weight"),
            reading: Reading::of(lite.types),
            types,
            lite,
        }
    }

    /// How many contexts a value can have.
    pub(crate) fn contexts(&self) -> usize {
        self.reading.contexts()
    }

    /// Where a token that carries a value of this context can be.
    pub fn place(&self, context: usize) -> Place {
        let operators = || [1, 2].map(|o| vec![o, 0]).to_vec();
        match (self.reading, context) {
            (Reading::Sums, 0) => Place { fixed: vec![0], repeated: vec![] },
            (Reading::Sums, operator) => Place { fixed: vec![0, operator, 0], repeated: operators() },
            (Reading::Lists, item) => {
                Place { fixed: vec![item], repeated: (0..self.types.len()).map(|i| vec![i]).collect() }
            }
        }
    }

    /// Where an operator (1 for plus, 2 for minus) can be.
    pub fn operator(&self, operator: usize) -> Place {
        Place { fixed: vec![operator, 0], repeated: [1, 2].map(|o| vec![o, 0]).to_vec() }
    }

    /// How much of each kind a head fetches, in the sequences in which this is extreme.
    fn shares(&self, head: usize, place: &Place) -> Vec<Vec<f64>> {
        let scores = &self.scores[head][place.fixed[0]];
        let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Weights by kind of tokens from a distance on.
        let add = |weights: &mut Vec<f64>, kinds: &[usize], from: usize, times: f64| {
            for (i, &kind) in kinds.iter().enumerate() {
                weights[kind] += times * (scores[kind] - highest - (from + i) as f64).exp();
            }
        };
        let mut fixed = vec![0.0; self.types.len()];
        add(&mut fixed, &place.fixed, 0, 1.0);
        let for_ever = |unit: &Vec<usize>| {
            let mut weights = fixed.clone();
            add(&mut weights, unit, place.fixed.len(), 1.0 / (1.0 - (-(unit.len() as f64)).exp()));
            weights
        };
        let all = place.repeated.iter().map(for_ever).chain([fixed.clone()]);
        let share = |weights: Vec<f64>| {
            let sum: f64 = weights.iter().sum();
            weights.iter().map(|w| w / sum).collect()
        };
        all.map(share).collect()
    }

    /// All that `direction · x_T` can be for a token at such a place, after attention.
    pub fn range(&self, direction: &[f64], place: &Place) -> Range {
        let own = dot(direction, &self.types[place.fixed[0]]);
        let per_head = self.lite.width / self.lite.heads;
        let mut range = Range::at(own);
        let mut size = own.abs();
        for head in 0..self.lite.heads {
            let columns = head * per_head..(head + 1) * per_head;
            let offer = |o: &Vec<f64>| dot(&direction[columns.clone()], &o[columns.clone()]);
            let offers: Vec<f64> = self.offers.iter().map(offer).collect();
            let fetched = Range::around(self.shares(head, place).iter().map(|share| dot(share, &offers)));
            size += fetched.size();
            range = range.plus(fetched);
        }
        range.wider(ROUNDING * size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::reference::evaluate;
    use crate::model::Model;
    use crate::rng::{RandomStream, Stream};
    use crate::task::{Batch, Grocery, SignedSum, SumTask, grocery};

    /// Gate inputs of random sequences stay inside, and come close to both ends.
    #[test]
    fn bounds_hold_and_are_tight_for_one_head() {
        let lite = Lite { width: 4, heads: 1, types: Types::Latent };
        let model = lite;
        for seed in 0..20 {
            let mut weights = model.init(seed);
            // Types as different as trained ones.
            weights.get_mut("embed").unwrap().iter_mut().for_each(|x| *x *= 60.0);
            let attention = Attention::of(lite, &weights);
            let ranges: Vec<Range> =
                (0..3).map(|k| attention.range(&weights["gate.weight"][..4], &attention.place(k))).collect();
            let terms = 12;
            let built = model.build(2 * terms - 1);
            let types = built.graph.named("type").unwrap();
            let mut seen = vec![Range::around([]); 3];
            let mut draws = RandomStream::new(seed, Stream::TestId, 0);
            let mut sums: Vec<_> = (0..200).map(|_| SignedSum::LOCKING.draw_long(terms, &mut draws)).collect();
            for pattern in 0..4 {
                sums[pattern].minus =
                    (0..terms).map(|i| i > 0 && [false, true, i == 11, i < 11][pattern]).collect();
            }
            for sum in &sums {
                let values = evaluate(&built.graph, &weights, &sum.encode(terms));
                for i in 0..terms {
                    let context = if i == 0 { 0 } else { 1 + usize::from(sum.minus[i]) };
                    let x = dot(&weights["gate.weight"][..4], &values[types.index()][8 * i..8 * i + 4]);
                    assert!(ranges[context].low <= x && x <= ranges[context].high, "{x} in {:?}", ranges[context]);
                    seen[context] = seen[context].and(Range::at(x));
                }
            }
            for (range, seen) in ranges.iter().zip(seen) {
                assert!((range.low - seen.low).abs() < 1e-3 && (range.high - seen.high).abs() < 1e-3);
            }
        }
    }

    #[test]
    fn bounds_hold_for_lists_and_several_heads() {
        for (heads, types) in [(2, Types::Latent), (1, Types::Items), (2, Types::Items)] {
            let lite = Lite { width: 4, heads, types };
            let model = lite;
            let mut weights = model.init(3);
            weights.get_mut("embed").unwrap().iter_mut().for_each(|x| *x *= 60.0);
            let attention = Attention::of(lite, &weights);
            let mut draws = RandomStream::new(1, Stream::TestId, 0);
            for _ in 0..200 {
                let list = Grocery::TRAINING.draw(&mut draws);
                let sum = SignedSum::LOCKING.draw_long(6, &mut draws);
                let (inputs, terms, step) = match types {
                    Types::Items => {
                        (Batch::of_one(&SumTask::GROCERY, &grocery::example(&list)).arrays(), list.len(), 1)
                    }
                    _ => (sum.encode(6), 6, 2),
                };
                let built = model.build(step * (terms - 1) + 1);
                let types_at = built.graph.named("type").unwrap();
                let values = evaluate(&built.graph, &weights, &inputs);
                for i in 0..terms {
                    let context = match types {
                        Types::Items => list[i].id - 1,
                        _ if i == 0 => 0,
                        _ => 1 + usize::from(sum.minus[i]),
                    };
                    let range = attention.range(&weights["gate.weight"][..4], &attention.place(context));
                    let x = dot(&weights["gate.weight"][..4], &values[types_at.index()][4 * step * i..][..4]);
                    assert!(range.low <= x && x <= range.high, "{x} in {range:?}");
                }
            }
        }
    }
}
