//! A window that is large enough loses nothing; one that is too small would.

use strat::engine::{Bias, CompileSpec, Graph, Isa, Lanes, compile};
use strat::internals::window_needed;
use strat::rng::{RandomStream, Stream};

const TOKENS: usize = 150;
const WIDTH: usize = 8;

/// Attention within a window, on given numbers; and by how much scores out of sight could exceed those in sight.
fn attend(window: usize, given: &[Vec<f32>; 3]) -> (Vec<f32>, f64) {
    let mut g = Graph::new();
    let same = g.param("same", WIDTH, WIDTH);
    let [q, k, v] = ["q", "k", "v"].map(|name| {
        let x = g.input(name, TOKENS, WIDTH);
        g.linear(x, same)
    });
    let scores = g.window_scores(q, k, window);
    let routes = g.softmax(scores, 1, Bias::alibi_window(TOKENS, 1.0, window));
    let output = g.window_mix(routes, v);
    let (weight, readout) = (g.constant(TOKENS, 1, &[1.0; TOKENS]), g.constant(1, WIDTH, &[1.0; WIDTH]));
    let sum = g.sum_rows(output, weight);
    let sum = g.linear(sum, readout);
    let zero = g.zeros(1, 1);
    let loss = g.squared_error(sum, zero);
    let source = CompileSpec { graph: &g, output, loss, batch: 1, frozen: &[], lanes: Lanes::Examples };
    let mut m = compile::<f32>(source, Isa::detect().unwrap()).unwrap();
    let identity: Vec<f32> = (0..WIDTH * WIDTH).map(|i| f32::from(u8::from(i % WIDTH == i / WIDTH))).collect();
    m.set_param(0, "same", &identity);
    for (name, data) in ["q", "k", "v"].into_iter().zip(given) {
        m.set_input(0, name, data).unwrap();
    }
    m.load();
    m.forward();
    (m.output(0), m.window_excess())
}

/// Adversarial scores: the nearest tokens as unattractive as the bound allows, the farthest as
/// attractive.
fn given(bound: f32, seed: u64) -> [Vec<f32>; 3] {
    let mut d = RandomStream::new(seed, Stream::Train, 0);
    let q = (0..TOKENS * WIDTH).map(|i| if i % WIDTH == 0 { bound.sqrt() } else { 0.0 }).collect();
    let key = |t: usize| if t < TOKENS / 2 { bound.sqrt() } else { -bound.sqrt() };
    let k = (0..TOKENS * WIDTH).map(|i| if i % WIDTH == 0 { key(i / WIDTH) } else { 0.0 }).collect();
    let v = (0..TOKENS * WIDTH).map(|_| (2.0 * d.uniform() - 1.0) as f32).collect();
    [q, k, v]
}

#[test]
fn tokens_beyond_the_reach_change_nothing() {
    let mut lost = 0;
    for (seed, bound) in [0.5f32, 2.0, 5.0, 10.0, 20.0].into_iter().enumerate() {
        let given = given(bound, seed as u64);
        let (full, _) = attend(TOKENS, &given);
        // The best score in sight of a narrow window is −bound, that of a far token +bound.
        let excess = attend(8, &given).1;
        assert!((excess - 2.0 * f64::from(bound)).abs() < 1e-4, "{excess}, should be {}", 2.0 * bound);
        let worst = |window: usize| {
            let (part, _) = attend(window, &given);
            assert!(part.iter().all(|x| x.is_finite()));
            full.iter().zip(part).fold(0f32, |w, (a, b)| w.max((a - b).abs()))
        };
        let enough = window_needed(excess);
        assert!(enough < TOKENS / 2, "{enough} tokens are no test");
        // Values lie within ±1: two roundings apart at most.
        assert!(worst(enough) <= f32::EPSILON, "{bound}: {:e}", worst(enough));
        lost += usize::from(worst(enough / 2) > f32::EPSILON);
    }
    assert!(lost >= 4, "half the reach should have been too little");
}

#[test]
fn a_score_that_is_no_number_is_no_bound() {
    assert_eq!(window_needed(f64::NAN), usize::MAX);
    assert_eq!(window_needed(f64::INFINITY), usize::MAX);
    assert_eq!(window_needed(0.0), 18);
}
