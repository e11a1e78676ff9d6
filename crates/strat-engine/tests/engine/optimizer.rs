//! Learners side by side with settings of their own.

use super::*;
use strat_engine::{AdamStep, Elem, Machine};

/// No two alike, and one without a bound of its gradient.
fn settings(lane: usize) -> (AdamStep, Option<f64>) {
    let x = lane as f64;
    let adam = AdamStep {
        beta1: 0.9 - 0.02 * x,
        beta2: 0.999 - 0.01 * x,
        learning_rate: 0.01 * (x + 1.0),
        correction: 1.0 + 0.1 * x,
        epsilon: 1e-8 * (x + 1.0),
        decay_factor: 1.0 - 0.001 * x,
    };
    (adam, if lane == 1 { None } else { Some(0.1 + 0.05 * x) })
}

/// All weights of all learners after a few steps.
fn trained<E: Elem>(case: &Case, isa: Isa, adam: &[AdamStep], clip: &[Option<f64>]) -> Vec<Vec<E>> {
    let mut m: Box<dyn Machine<E>> = compile(case.source(), isa).unwrap();
    for lane in 0..m.lanes() {
        let (params, examples) = case.draw(lane as u64, BATCH);
        case.set(&mut *m, lane, &params, &examples);
    }
    m.load();
    m.set_clip(clip);
    for _ in 0..5 {
        m.step(adam);
    }
    let weights = |lane| case.leaves(true).iter().flat_map(|(name, _)| m.param(lane, name)).collect();
    (0..m.lanes()).map(weights).collect()
}

fn check<E: Elem>(isa: Isa) {
    let mut g = Graph::new();
    let x = leaf(&mut g, "x", 3, 2);
    let w = g.param("w", 4, 2);
    let y = g.linear(x, w);
    let y = g.tanh(y);
    let case = Case::new("learners with settings of their own", g, y);
    let (adam, clip): (Vec<_>, Vec<_>) = (0..isa.lanes::<E>()).map(settings).unzip();
    let together = trained::<E>(&case, isa, &adam, &clip);
    for (lane, own) in together.iter().enumerate() {
        let alone = trained::<E>(&case, isa, &adam[lane..=lane], &clip[lane..=lane]);
        // To the bit, which a comparison of numbers would not see in zeros.
        assert_eq!(format!("{own:?}"), format!("{:?}", alone[lane]), "{isa}, learner {lane}");
        assert!(lane == 0 || own != &alone[0], "{isa}: settings make no difference");
    }
}

#[test]
fn each_learner_is_trained_as_if_all_had_its_settings() {
    for isa in Isa::all_available() {
        check::<f32>(isa);
        check::<f64>(isa);
    }
}

#[test]
#[should_panic(expected = "settings should be of 1 learner or of 4, but are of 2")]
fn settings_of_some_learners() {
    let mut g = Graph::new();
    let x = leaf(&mut g, "x", 1, 1);
    let mut m = compile::<f32>(Case::new("", g, x).source(), Isa::Portable).unwrap();
    m.set_clip(&[None, Some(1.0)]);
}
