//! A learner that diverges over several steps, side by side with others: it changes nothing of theirs, and becomes what it becomes
//! alone.

use super::*;
use strat_engine::graph::Rows;
use strat_engine::{AdamStep, Elem, Machine};

const STEPS: usize = 12;
const TOKENS: usize = 3;

/// An LSTM whose state stays as it is on padding, so that examples after the last one that any learner has are not computed.
fn recurrent() -> Case {
    let mut g = Graph::new();
    let (x, mask) = (g.input("x", TOKENS, 2), g.input("mask", TOKENS, 1));
    let (of_input, of_state) = (g.param("of_input", 8, 2), g.param("of_state", 8, 2));
    let mut state = g.param("start", 1, 4);
    for t in 0..TOKENS {
        let at = Rows { start: t, step: 1, count: 1 };
        let (read, mask) = (g.take(x, at), g.take(mask, at));
        let h = g.columns(state, 0, 2);
        let (read, h) = (g.linear(read, of_input), g.linear(h, of_state));
        let gates = g.add(read, h);
        let next = g.lstm_cell(gates, state);
        state = g.select(mask, next, state);
    }
    Case::new("recurrent", g, state)
}

/// Attention over the rows of an example, with a bend.
fn attending() -> Case {
    let mut g = Graph::new();
    let x = g.input("x", TOKENS, 2);
    let [q, k, v] = ["q", "k", "v"].map(|name| {
        let w = g.param(name, 2, 2);
        g.linear(x, w)
    });
    let scores = g.scores(q, k, 1);
    let routes = g.softmax(scores, 1, Bias::none(TOKENS, TOKENS));
    let mixed = g.mix(routes, v, 1);
    let y = g.gelu(mixed);
    Case::new("attending", g, y)
}

/// Every third learner's weights grow by this factor at each step, until they overflow.
fn settings<E: Elem>(learner: usize) -> (AdamStep, Option<f64>) {
    let growth = if E::of(1e300).f64().is_finite() { 1e40 } else { 1e5 };
    let decay_factor = if learner.is_multiple_of(3) { growth } else { 0.99 };
    let adam =
        AdamStep { beta1: 0.9, beta2: 0.999, learning_rate: 0.01, correction: 1.0, epsilon: 1e-8, decay_factor };
    (adam, (!learner.is_multiple_of(2)).then_some(1.0))
}

/// Each lane's learner as bits: the loss of every step, then the weights.
fn trained<E: Elem>(case: &Case, isa: Isa, learners: impl Fn(usize) -> usize) -> Vec<Vec<u64>> {
    let mut m: Box<dyn Machine<E>> = compile(case.source(), isa).unwrap();
    let lanes = 0..m.lanes();
    for lane in lanes.clone() {
        let learner = learners(lane);
        let (params, mut examples) = case.draw(learner as u64, BATCH);
        for (i, x) in examples.iter_mut().enumerate() {
            // Longest first, as they are taught.
            let length = (learner + BATCH - i).min(TOKENS + 1) % (TOKENS + 1);
            x.insert("mask".into(), (0..TOKENS).map(|t| f64::from(u8::from(t < length))).collect());
        }
        case.set(&mut *m, lane, &params, &examples);
    }
    m.load();
    let (adam, clips): (Vec<_>, Vec<_>) = lanes.clone().map(|lane| settings::<E>(learners(lane))).unzip();
    m.set_clip(&clips);
    let mut all = vec![vec![]; lanes.len()];
    for _ in 0..STEPS {
        m.step(&adam);
        all.iter_mut().enumerate().for_each(|(lane, bits)| bits.push(m.loss(lane).f64().to_bits()));
    }
    for (name, _) in case.leaves(true) {
        let bits = |lane| m.param(lane, &name).into_iter().map(|x: E| x.f64().to_bits()).collect::<Vec<_>>();
        all.iter_mut().enumerate().for_each(|(lane, all)| all.extend(bits(lane)));
    }
    all
}

fn check<E: Elem>(case: &Case, isa: Isa) {
    let name = &case.name;
    let is_finite = |bits: &[u64]| bits.iter().all(|&x| f64::from_bits(x).is_finite());
    let lanes = isa.lanes::<E>();
    let alone: Vec<_> = (0..lanes).map(|learner| trained::<E>(case, isa, |_| learner).remove(0)).collect();
    for (learner, bits) in alone.iter().enumerate() {
        let diverges = learner.is_multiple_of(3);
        // The control: every third one does diverge, and not at once.
        assert!(is_finite(&bits[..2]) && is_finite(bits) != diverges, "{name}, {isa}, learner {learner}");
    }
    // Side by side, and then with other neighbours.
    for turn in 0..2 {
        let learners = |lane: usize| (lane + turn * lane / 2) % lanes;
        for (lane, bits) in trained::<E>(case, isa, learners).iter().enumerate() {
            let learner = learners(lane);
            assert!(
                bits == &alone[learner],
                "{name}, {isa}, turn {turn}: learner {learner} differs from itself alone"
            );
        }
    }
}

#[test]
fn one_that_diverges_changes_no_neighbour_and_is_what_it_is_alone() {
    for case in [recurrent(), attending()] {
        for isa in Isa::all_available() {
            check::<f32>(&case, isa);
            check::<f64>(&case, isa);
        }
    }
}
