//! A small task that must reach its target: a few dozen learners lock as the paper says.

use strat::engine::Isa;
use strat_paper::experiment::locking::{MODELS, STANDARD, train};

#[test]
fn strat_learners_lock_and_the_baseline_never_does() {
    let isa = Isa::detect().unwrap();
    let seeds: Vec<u64> = (1..=64).collect();
    let median = |mut errors: Vec<f64>| {
        errors.sort_by(f64::total_cmp);
        errors[errors.len() / 2]
    };
    let errors = |model| {
        train(model, &seeds, isa, &|_| {}).unwrap().into_iter().map(|l| l.metrics["ood_mae"]).collect::<Vec<_>>()
    };
    let strat = errors(&STANDARD);
    let logic = strat.iter().filter(|e| **e < 100.0).count();
    // 29 % of thousands of learners lock: of 64, at least 8 in all but one of 2,000 draws.
    assert!(logic >= 8, "{logic} of 64 locked");
    let baseline = errors(&MODELS[0]);
    assert!(baseline.iter().all(|e| *e > 100.0));
    assert!(median(baseline) > 10.0 * median(strat));
}
