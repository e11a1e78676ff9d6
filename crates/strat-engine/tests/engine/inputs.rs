//! What a machine is made from and given is checked before anything is computed.

use super::*;
use strat_engine::{CompileError, InputError};

/// Tokens of kinds, of which the first can only be of the first.
fn model(total: bool) -> Case {
    let mut g = Graph::new();
    let index = g.input("kind", 3, 1);
    let reach = [(0, 1), (1, 3), (0, 3)];
    let one_hot = if total { g.total_one_hot(index, 3, reach) } else { g.one_hot(index, 3, reach) };
    let table = g.param("table", 3, 2);
    let x = g.gather(one_hot, table);
    Case::new("kinds", g, x)
}

/// With learners and with examples on lanes.
fn machines(case: &Case) -> impl Iterator<Item = Box<dyn strat_engine::Machine<f32>>> {
    [Lanes::Learners, Lanes::Examples].into_iter().flat_map(move |lanes| {
        let source = CompileSpec { lanes, batch: 2, ..case.source() };
        [compile::<f32>(source, Isa::Portable).unwrap(), compile_as_written(source, Isa::Portable).unwrap()]
    })
}

#[test]
fn a_kind_that_a_row_cannot_be_of() {
    for total in [false, true] {
        for mut m in machines(&model(total)) {
            let mut with = |at: usize, kind: f32| {
                let mut kinds = [1.0, 2.0, 1.0, 1.0, 3.0, 2.0];
                kinds[at] = kind;
                m.set_input(0, "kind", &kinds)
            };
            assert_eq!(with(0, 1.0), Ok(()));
            assert_eq!(with(4, 2.0), Ok(()));
            // Beyond all, out of reach, not whole, negative, no number; in both examples.
            for (at, kind) in [(2, 4.0), (0, 2.0), (4, 1.0), (1, 2.5), (5, -1.0), (2, f32::NAN), (3, f32::INFINITY)]
            {
                let Err(InputError::Kind { name, example, row, padding, .. }) = with(at, kind) else {
                    panic!("{kind} as {at}")
                };
                assert_eq!((name.as_str(), example, row, padding), ("kind", at / 3, at % 3, !total));
            }
            assert_eq!(with(2, 0.0).is_ok(), !total, "padding");
        }
    }
    let mut m = machines(&model(true)).next().unwrap();
    let error = m.set_input(0, "kind", &[1.0, 2.0, 1.0, 1.0, 7.0, 2.0]).unwrap_err();
    let text = "input \"kind\": example 1, row 1: the kind should be a whole number from 2 to 3, but is 7";
    assert_eq!(error.to_string(), text);
}

#[test]
fn names_lengths_and_learners() {
    for mut m in machines(&model(false)) {
        let none = InputError::Name { name: "kinds".into() };
        assert_eq!(m.set_input(0, "kinds", &[1.0; 6]), Err(none));
        let short = InputError::Length { name: "target".into(), expected: 2, found: 1 };
        assert_eq!(m.set_input(0, "target", &[1.0]), Err(short));
        let lanes = m.lanes();
        let beyond = InputError::Lane { name: "target".into(), lane: lanes, lanes };
        assert_eq!(m.set_input(lanes, "target", &[1.0; 2]), Err(beyond));
    }
    let case = tokens_model();
    let mut m = compile::<f32>(CompileSpec { lanes: Lanes::Tokens, ..case.source() }, Isa::Portable).unwrap();
    assert!(matches!(m.set_input(0, "nothing", &[]), Err(InputError::Name { .. })));
    assert!(matches!(m.set_input(0, "x", &[0.0; 5]), Err(InputError::Length { expected: 18, found: 5, .. })));
    assert!(matches!(m.set_input(1, "x", &[0.0; 18]), Err(InputError::Lane { lane: 1, lanes: 1, .. })));
}

fn tokens_model() -> Case {
    let mut g = Graph::new();
    let x = g.input("x", 3, 2);
    Case::of_rows("rows", g, x, 2)
}

/// All three uses of the lanes, all too much or too little.
#[test]
fn batches_of_nothing_and_of_more_than_fits() {
    let (by_kind, by_row) = (model(true), tokens_model());
    for isa in Isa::all_available() {
        for (case, lanes) in [(&by_kind, Lanes::Learners), (&by_kind, Lanes::Examples), (&by_row, Lanes::Tokens)] {
            let made =
                |batch| compile::<f32>(CompileSpec { lanes, batch, ..case.source() }, isa).map(|m| m.bytes());
            assert_eq!(made(0), Err(CompileError::EmptyBatch));
            for batch in [1_000_000_000, 1 << 40, usize::MAX / 3, usize::MAX] {
                assert_eq!(made(batch), Err(CompileError::TooLarge { batch }), "{isa} {lanes:?}");
            }
            assert!(made(1000).unwrap() > 1000);
        }
    }
}

#[test]
fn graphs_that_cannot_be_run_so() {
    let (by_kind, by_row) = (model(true), tokens_model());
    let made = |source| compile::<f32>(source, Isa::Portable).map(|m| m.lanes());
    assert_eq!(made(CompileSpec { lanes: Lanes::Tokens, ..by_kind.source() }), Err(CompileError::NotByRow));
    let frozen = CompileSpec { lanes: Lanes::Tokens, frozen: &["head.bias"], ..by_row.source() };
    assert_eq!(made(frozen), Err(CompileError::Frozen { name: "head.bias".into() }));
    let double = compile::<f64>(CompileSpec { lanes: Lanes::Tokens, ..by_row.source() }, Isa::Portable);
    assert_eq!(double.map(|m| m.lanes()), Err(CompileError::RowsOfF64));
    assert_eq!(Lanes::of_one_learner::<f64>(&by_row.graph, by_row.output, by_row.loss), Lanes::Examples);
    let rows = CompileSpec { loss: by_row.output, ..by_row.source() };
    assert_eq!(made(rows), Err(CompileError::Loss { rows: 3, cols: 2 }));
    for isa in [Isa::Avx512, Isa::Avx2, Isa::Neon].into_iter().filter(|isa| !isa.available()) {
        assert_eq!(compile::<f32>(by_row.source(), isa).map(|m| m.lanes()), Err(CompileError::Isa(isa)));
    }
}

/// A loss of the weights alone, or of the batch alone, is one too.
#[test]
fn losses_that_do_not_vary_by_example() {
    let mut g = Graph::new();
    let (w, zero) = (g.param("w", 1, 1), g.zeros(1, 1));
    let penalty = g.squared_error(w, zero);
    let x = g.input("x", 1, 1);
    let given = g.squared_error(x, zero);
    for isa in Isa::all_available() {
        for lanes in [Lanes::Learners, Lanes::Examples] {
            let source = CompileSpec { graph: &g, output: x, loss: penalty, batch: 9, frozen: &[], lanes };
            for (loss, value, slope) in [(penalty, 9.0, 6.0), (given, 4.0, 0.0)] {
                let mut m = compile::<f64>(CompileSpec { loss, ..source }, isa).unwrap();
                m.set_param(0, "w", &[3.0]);
                m.set_input(0, "x", &[2.0; 9]).unwrap();
                m.load();
                m.gradients();
                m.gradients();
                let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
                assert!(near(m.loss(0), value) && near(m.gradient(0, "w")[0], slope), "{isa} {lanes:?}");
                assert_eq!(m.output(0), [2.0; 9]);
            }
        }
    }
}
