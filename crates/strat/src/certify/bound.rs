//! How far off a trained STRAT-Lite can be, on any input up to a size: an interval that no input leaves.
//!
//! A learner's answer is a sum over its tokens: each value times the coefficient of its context, and what Type adds by itself.
//! Both depend on Type alone, so their extremes over all inputs are known (`crystal/bounds.rs`), and the
//! error is largest where every slot is at its worst.

use crate::crystal::{Attention, Range, Reading, Rule, coefficients};
use crate::engine::reference::Arrays;
use crate::model::Lite;

/// Allowance for rounding in single precision, relative to all that is added up.
const ROUNDING: f64 = 1e-5;

/// What a learner's answer less the rule's can be on inputs of at most so many terms, none larger than `largest`.
pub fn error_bound(lite: Lite, weights: &Arrays, rule: &Rule, terms: usize, largest: f64) -> Range {
    let attention = Attention::of(lite, weights);
    let learned = coefficients(&attention, weights);
    let out = &weights["readout.weight"];
    let by_type = &out[1..out.len() - 1];
    let value = Range { low: 0.0, high: largest };
    // What one token with a value of this context adds to the error, and the size of what it adds to the answer.
    let slot = |k: usize| {
        let own = attention.range(by_type, &attention.place(k));
        let off = learned[k].plus(Range::at(-rule.coefficients[k] as f64)).product(value);
        (off.plus(own), learned[k].size() * largest + own.size())
    };
    let hull = |slots: Vec<(Range, f64)>| {
        slots.into_iter().reduce(|a, b| (a.0.and(b.0), a.1.max(b.1))).expect("there are contexts")
    };
    let (first, later) = match rule.reading {
        Reading::Sums => {
            let with_operator = |k: usize| {
                let own = attention.range(by_type, &attention.operator(k));
                let (off, size) = slot(k);
                (off.plus(own), size + own.size())
            };
            (slot(0), hull(vec![with_operator(1), with_operator(2)]))
        }
        Reading::Lists => {
            let any = hull((0..rule.coefficients.len()).map(slot).collect());
            (any, any)
        }
    };
    let of = |terms: usize| {
        let more = (terms - 1) as f64;
        let size = first.1 + more * later.1;
        first.0.plus(later.0.times(more)).wider(ROUNDING * size)
    };
    (1..=terms.max(1)).map(of).reduce(Range::and).expect("there is at least one length")
}
