//! A small task that must reach its target: a few dozen learners lock as the paper says.

use strat::engine::Isa;
use strat::model::{Lite, Unityped};
use strat_paper::experiment::all;

#[test]
fn strat_learners_lock_and_the_baseline_never_does() {
    let mut plan = (all().find(|e| e.name == "locking").unwrap().plan)();
    // Table 5's first row and its last, each as the paper trains it.
    let models = [Unityped::A.into(), Lite::STANDARD.into()];
    plan.rows = plan.rows.into_iter().take(5).filter(|row| models.contains(&row.row().model)).collect();
    let outcome = plan.run("1..64".parse().unwrap(), Isa::detect().unwrap(), &|_| {});
    let [baseline, strat] = &outcome.rows[..] else { panic!("{} rows", outcome.rows.len()) };
    assert_eq!([&baseline.model, &strat.model], [&models[0], &models[1]]);
    let [baseline, strat] = [baseline, strat].map(|row| row.scores("ood_mae"));
    assert_eq!([baseline.len(), strat.len()], [64, 64]);

    let median = |mut errors: Vec<f64>| {
        errors.sort_by(f64::total_cmp);
        errors[errors.len() / 2]
    };
    let logic = strat.iter().filter(|e| **e < 100.0).count();
    // 29 % of thousands of learners lock: of 64, at least 8 in all but one of 2,000 draws.
    assert!(logic >= 8, "{logic} of 64 locked");
    assert!(baseline.iter().all(|e| *e > 100.0));
    assert!(median(baseline) > 10.0 * median(strat));
}
