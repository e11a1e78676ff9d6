//! The training loop allocates nothing: memory is planned before the first step.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use strat::engine::{Isa, Lanes, Machine, Source, compile};
use strat::experiment::locking::MODELS;
use strat::model::{Architecture, Blocks, Built, Sizes, block};
use strat::optim::Adam;
use strat::task::signed_sum::Batch;
use strat::train::TrainConfig;

struct Counting;
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_step_allocates_nothing() {
    for model in MODELS {
        let built = model.build(6);
        let config = TrainConfig::locking();
        let mut batch = Batch::<f32>::new(6);
        config.redraw(&mut batch, 1, 0);
        let source = Source {
            graph: &built.graph,
            output: built.output,
            loss: built.loss,
            batch: config.batch(),
            frozen: &[],
            lanes: Lanes::Learners,
        };
        let mut m = compile::<f32>(source, Isa::detect().unwrap());
        for lane in 0..m.lanes() {
            for (name, w) in model.init(lane as u64) {
                m.set_param(lane, &name, &w.iter().map(|&x| x as f32).collect::<Vec<_>>());
            }
            m.set_input(lane, "kind", &batch.kind);
            m.set_input(lane, "value", &batch.value);
            m.set_input(lane, "target", &batch.target);
        }
        assert_quiet(&mut *m, &format!("{model:?}"));
    }
    let sudoku = Sizes { layers: 2, ..block::SUDOKU };
    for (sizes, tokens) in [(block::TABULAR, 11), (block::SAT, 90), (sudoku, 81)] {
        for architecture in Architecture::ALL {
            let Built { graph, output, loss, .. } = Blocks { architecture, sizes }.build(tokens);
            let lanes = Lanes::of_one_learner(&graph, output, loss);
            assert_eq!(lanes == Lanes::Tokens, sizes == sudoku, "{sizes:?}");
            let source = Source { graph: &graph, output, loss, batch: 20, frozen: &[], lanes };
            let mut m = compile::<f32>(source, Isa::detect().unwrap());
            m.set_clip(Some(1.0));
            assert_quiet(&mut *m, &format!("{architecture:?} {sizes:?}"));
        }
    }
}

fn assert_quiet(m: &mut dyn Machine<f32>, what: &str) {
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    assert!(before > 0, "the counter counts");
    m.load();
    for step in 0..50 {
        m.step(Adam::new(0.005).at(step));
    }
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed), before, "{what}");
}
