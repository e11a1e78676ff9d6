//! Examples that a mask leaves out are not computed, where they come after all others.

use super::*;

/// A step that is frozen where the mask is zero.
fn frozen() -> Case {
    let mut g = Graph::new();
    let (x, mask, w) = (g.input("x", 1, 2), g.input("mask", 1, 1), g.param("w", 2, 2));
    let start = g.param("start", 1, 2);
    let before = g.add(x, start);
    let y = g.linear(before, w);
    let y = g.tanh(y);
    let y = g.select(mask, y, before);
    Case::new("frozen", g, y)
}

/// What is computed of an infinite number has no gradient, not even none: zero times infinity is no number. So it shows
/// whether it was computed; and a learner has its bits whoever is beside it.
#[test]
fn what_comes_after_the_last_chosen_example_is_not_computed() {
    let case = frozen();
    for isa in Isa::all_available() {
        let gradients = |masks: [[f64; 3]; 2], steep: [f64; 2]| {
            let source = CompileSpec { batch: 3, ..case.source() };
            let mut m = compile::<f64>(source, isa).unwrap();
            for lane in 0..m.lanes() {
                m.set_param(lane, "w", &[0.5, -0.3, 0.2, steep[lane % 2]]);
                m.set_param(lane, "start", &[0.0; 2]);
                m.set_input(lane, "x", &[0.1, 0.2, 0.3, -0.4, 0.5, 0.6]).unwrap();
                m.set_input(lane, "mask", &masks[lane % 2]).unwrap();
                m.set_input(lane, "target", &[0.0; 3]).unwrap();
            }
            m.load();
            m.gradients();
            [0, 1].map(|lane| {
                let of = |name: &str| m.gradient(lane, name);
                let all = of("start").into_iter().chain(of("w")).chain(m.output(lane)).chain([m.loss(lane)]);
                all.map(f64::to_bits).collect::<Vec<_>>()
            })
        };
        let is_finite = |bits: &[u64]| bits.iter().all(|&x| f64::from_bits(x).is_finite());
        let masks = [[0.0; 3], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]];
        let alone = masks.map(|mask| gradients([mask; 2], [f64::INFINITY; 2])[0].clone());
        // The control: where one is chosen, what is infinite shows.
        assert_eq!(alone.each_ref().map(|bits| is_finite(bits)), [true, false, false], "{isa}");
        for (i, j) in [(0, 1), (1, 0), (0, 2), (2, 1), (1, 2)] {
            let [first, second] = gradients([masks[i], masks[j]], [f64::INFINITY; 2]);
            assert!(first == alone[i] && second == alone[j], "{isa}: {i} beside {j}");
            // One that is finite stays as it is, too.
            let finite = gradients([masks[j]; 2], [0.7; 2])[1].clone();
            assert!(is_finite(&finite), "{isa}");
            let [first, second] = gradients([masks[i], masks[j]], [f64::INFINITY, 0.7]);
            assert!(first == alone[i] && second == finite, "{isa}: {i} beside a finite {j}");
        }
    }
}

/// The same numbers as with all examples, whatever the masks of the learners beside; learners change theirs.
#[test]
fn masked_examples_change_nothing() {
    let case = frozen();
    for isa in Isa::all_available() {
        let mut m = compile::<f64>(CompileSpec { batch: 5, ..case.source() }, isa).unwrap();
        for masks in [[1.0, 1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0, 0.0], [0.0; 5], [1.0, 1.0, 0.0, 0.0, 0.0]] {
            let drawn: Vec<_> = (0..m.lanes()).map(|lane| case.draw(lane as u64, 5)).collect();
            for (lane, (params, examples)) in drawn.iter().enumerate() {
                let masked = examples.iter().zip(masks).map(|(x, mask)| {
                    let mut x = x.clone();
                    x.insert("mask".into(), vec![if lane == 1 { 0.0 } else { mask }]);
                    x
                });
                let masked: Vec<_> = masked.collect();
                case.set(&mut *m, lane, params, &masked);
                m.load();
            }
            m.gradients();
            for (lane, (params, examples)) in drawn.iter().enumerate() {
                let mut alone = compile_as_written::<f64>(CompileSpec { batch: 1, ..case.source() }, isa).unwrap();
                let mut sum = vec![0.0; 4];
                for (x, mask) in examples.iter().zip(masks) {
                    let mut x = x.clone();
                    x.insert("mask".into(), vec![if lane == 1 { 0.0 } else { mask }]);
                    for every in 0..alone.lanes() {
                        case.set(&mut *alone, every, params, std::slice::from_ref(&x));
                    }
                    alone.load();
                    alone.gradients();
                    sum.iter_mut().zip(alone.gradient(0, "w")).for_each(|(sum, g)| *sum += g / 5.0);
                }
                for (got, want) in m.gradient(lane, "w").iter().zip(&sum) {
                    assert!((got - want).abs() < 1e-12, "{isa}, lane {lane}, {masks:?}: {got}, should be {want}");
                }
            }
        }
    }
}
