//! No input leaves the interval that a trained learner's error is said to stay in, and the worst come near its ends.

use std::sync::Arc;
use strat::baseline::linear_solve;
use strat::certify::error_bound;
use strat::crystal::{Equation, Reading};
use strat::engine::Isa;
use strat::model::Lite;
use strat::rng::{RandomStream, Stream};
use strat::task::{Example, SignedSum, Sum, SumTask, Task};
use strat::train::{Population, Predictor};

const LARGEST: u32 = 5000;
const TERMS: usize = 6;

/// Every order of operators, with every choice of values that are nothing or as large as can be.
fn extreme() -> Vec<Sum> {
    let mut sums = vec![];
    for signs in 0..1u32 << (TERMS - 1) {
        for large in 0..1u32 << TERMS {
            let values = (0..TERMS).map(|i| (large >> i & 1) * LARGEST).collect();
            let minus = (0..TERMS).map(|i| i > 0 && signs >> (i - 1) & 1 == 1).collect();
            sums.push(Sum { values, minus });
        }
    }
    sums
}

#[test]
fn errors_stay_inside_and_come_near() {
    let isa = Isa::detect().unwrap();
    let mut sums = extreme();
    sums.extend(SignedSum::OOD.draw_many(1000, RandomStream::new(1, Stream::TestOod, 0)));
    let examples: Vec<Example> = sums.iter().map(Sum::example).collect();
    for (lite, least) in [(Lite::FLAT_TWO_HEADS, 0.5), (Lite::STANDARD, 0.7)] {
        let (task, model) = (SumTask::LOCKING, Arc::new(lite));
        let population = Population::new(Arc::new(task), model.clone(), task.paper().unwrap().train, isa).unwrap();
        let learners = population.train(&(1..=16).collect::<Vec<_>>(), &|_| {}).unwrap();
        let mut shares = vec![];
        for learner in &learners {
            let rule =
                linear_solve(Reading::Sums, &Equation::of_training(Reading::Sums, &task, learner.seed)).unwrap();
            let range = error_bound(lite, &learner.weights, &rule, TERMS, f64::from(LARGEST));
            let answers = Predictor::new(&task, model.clone(), &learner.weights, isa).outputs(&examples).unwrap();
            let errors = sums.iter().zip(answers).map(|(s, y)| y[0] - s.answer() as f64);
            let (low, high) = errors.fold((0f64, 0f64), |(low, high), e| (low.min(e), high.max(e)));
            assert!(range.low <= low && high <= range.high, "{low} to {high} is not within {range:?}");
            shares.push((low / range.low).max(high / range.high));
        }
        shares.sort_by(f64::total_cmp);
        assert!(shares[8] > least, "half of the learners come as near as {shares:.2?}");
    }
}
