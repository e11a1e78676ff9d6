//! The training loop allocates nothing: memory is planned before the first step.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use strat::engine::{CompileSpec, Isa, Lanes, Machine, compile};
use strat::model::{Architecture, BlockConfig, BlockModel, Built, Lite, Model, Unityped};
use strat::task::{Batch, SumTask, Task};
use strat::train::Adam;

struct Counting;

thread_local! {
    /// Of this thread alone: others, such as the one that waits for the tests, allocate when they like.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: everything is passed on to the system's allocator; counting neither allocates nor has a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        // SAFETY: the caller keeps the contract of this function, which is the same.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of this function, which is the same.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_step_allocates_nothing() {
    let task = SumTask::LOCKING;
    let lite = Lite::ALL.map(|lite| Arc::new(lite) as Arc<dyn Model>);
    for model in lite.into_iter().chain([Arc::new(Unityped::A) as _]) {
        let built = model.build(task.tokens());
        let mut batch = Batch::new(&task, task.tokens());
        task.fill(1, 0, &mut batch);
        let source = CompileSpec {
            graph: &built.graph,
            output: built.output,
            loss: built.loss,
            batch: batch.len(),
            frozen: &[],
            lanes: Lanes::Learners,
        };
        let mut m = compile::<f32>(source, Isa::detect().unwrap()).unwrap();
        for lane in 0..m.lanes() {
            for (name, w) in model.init(lane as u64) {
                m.set_param(lane, &name, &w.iter().map(|&x| x as f32).collect::<Vec<_>>());
            }
            batch.set(&mut *m, lane, &mut vec![]).unwrap();
        }
        assert_quiet(&mut *m, &format!("{model:?}"));
    }
    let sudoku = BlockConfig { layers: 2, ..BlockConfig::SUDOKU };
    for (sizes, tokens) in [(BlockConfig::TABULAR, 11), (BlockConfig::SAT, 90), (sudoku, 81)] {
        for architecture in Architecture::ALL {
            let Built { graph, output, loss, .. } = BlockModel { architecture, sizes }.build(tokens);
            let lanes = Lanes::of_one_learner::<f32>(&graph, output, loss);
            assert_eq!(lanes == Lanes::Tokens, sizes == sudoku, "{sizes:?}");
            let source = CompileSpec { graph: &graph, output, loss, batch: 20, frozen: &[], lanes };
            let mut m = compile::<f32>(source, Isa::detect().unwrap()).unwrap();
            m.set_clip(&[Some(1.0)]);
            assert_quiet(&mut *m, &format!("{architecture:?} {sizes:?}"));
        }
    }
}

/// How often this thread allocates meanwhile.
fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

fn assert_quiet(m: &mut dyn Machine<f32>, what: &str) {
    let steps = |m: &mut dyn Machine<f32>| {
        m.load();
        for step in 0..50 {
            m.step(&[Adam::new(0.005).at(step)]);
        }
    };
    assert_eq!(allocations(|| steps(m)), 0, "{what}");
    // Reading a parameter does: one that is read between steps is counted.
    let reading = |m: &mut dyn Machine<f32>| {
        m.step(&[Adam::new(0.005).at(50)]);
        m.output(0)
    };
    assert!(allocations(|| drop(reading(m))) > 0, "{what}: the counter counts");
}

/// What other threads allocate is not counted, and what this one does is.
#[test]
fn allocations_are_counted_by_thread() {
    let other = std::thread::spawn(|| {
        (0..1000).map(|i| allocations(|| drop(std::hint::black_box(vec![i; 100])))).sum::<usize>()
    });
    let own = allocations(|| {
        for _ in 0..1000 {
            std::hint::black_box(());
        }
    });
    assert_eq!((own, other.join().unwrap()), (0, 1000));
}
