//! Threads that help a machine change none of its bits.

use super::tokens::model;
use super::*;
use strat_engine::graph::Op;
use strat_engine::{AdamStep, Crew, Machine};

const ADAM: AdamStep =
    AdamStep { beta1: 0.9, beta2: 0.999, learning_rate: 0.01, correction: 1.0, epsilon: 1e-8, decay_factor: 0.99 };

/// All that can be read of it.
fn bits(case: &Case, m: &dyn Machine<f32>) -> Vec<u32> {
    let params = case.graph.entries().iter().filter_map(|e| match &e.op {
        Op::Param { name } => Some(name),
        _ => None,
    });
    let of_params = params.flat_map(|name| {
        let moments = m.moments(0, name).expect("it is trained").into_iter().flatten();
        m.param(0, name).into_iter().chain(m.gradient(0, name)).chain(moments)
    });
    of_params.chain(m.output(0)).chain([m.loss(0)]).map(f32::to_bits).collect()
}

#[test]
fn threads_that_help_change_no_bit() {
    // Several tiles of rows, and a last one that is not full; two chunks of examples.
    let case = model(21, 2);
    let lanes = Lanes::Tokens;
    let (params, examples) = case.draw(5, 17);
    for isa in Isa::all_available() {
        let machine = || {
            let source = CompileSpec { batch: examples.len(), lanes, ..case.source() };
            let mut m = compile::<f32>(source, isa).unwrap();
            case.set(&mut *m, 0, &params, &examples);
            m.set_clip(&[Some(0.5)]);
            m
        };
        for helpers in [1, 2] {
            let (mut alone, mut helped) = (machine(), machine());
            let crew = Crew::new();
            helped.join_crew(&crew);
            std::thread::scope(|threads| {
                crew.work(|| {
                    for _ in 0..helpers {
                        threads.spawn(|| crew.work(|| ()));
                    }
                    alone.load();
                    helped.load();
                    let mut steps = 0;
                    // So long that they have helped.
                    while steps < 3 || helped.helped() < 50 * helpers {
                        alone.step(&[ADAM]);
                        helped.step(&[ADAM]);
                        steps += 1;
                        assert!(
                            bits(&case, &*alone) == bits(&case, &*helped),
                            "{isa}, {helpers} helpers, {steps} steps"
                        );
                    }
                });
            });
            assert_eq!(alone.helped(), 0);
        }
    }
}

/// More machines than helpers, which come and go; those who work for nobody end too.
#[test]
fn helpers_go_from_machine_to_machine() {
    let case = model(7, 0);
    let (params, examples) = case.draw(6, 3);
    let crew = Crew::new();
    let steps = |count: usize, with: Option<&std::sync::Arc<Crew>>| {
        let source = CompileSpec { batch: examples.len(), lanes: Lanes::Tokens, ..case.source() };
        let mut m = compile::<f32>(source, Isa::Portable).unwrap();
        case.set(&mut *m, 0, &params, &examples);
        with.into_iter().for_each(|crew| m.join_crew(crew));
        m.load();
        (0..count).for_each(|_| m.step(&[ADAM]));
        bits(&case, &*m)
    };
    let counts = [0, 1, 30, 200];
    let alone = counts.map(|count| steps(count, None));
    let together = std::thread::scope(|threads| {
        let (crew, steps) = (&crew, &steps);
        let learners = counts.map(|count| threads.spawn(move || crew.work(|| steps(count, Some(crew)))));
        learners.map(|learner| learner.join().unwrap())
    });
    assert!(alone == together);
}
