//! The kernels, and a whole training step. `cargo bench -p strat`; `STRAT_ISA` chooses
//! the instruction set. Compare numbers only within one run: machines are noisy.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use strat::engine::kernels::contract::{View, contract};
use strat::engine::kernels::elementwise::sigmoid;
use strat::engine::simd::{Elem, Kernel, Simd, Visitor};
use strat::engine::{Isa, Source, compile};
use strat::experiment::locking::MODELS;
use strat::model::Arithmetic;
use strat::optim::Adam;
use strat::train::TrainConfig;

fn main() {
    divan::main();
}

fn isa() -> Isa {
    Isa::detect().expect("STRAT_ISA names an instruction set of this machine")
}

/// `rows × outs × ins` multiply-adds, one matrix per lane.
struct Contract<'a, S>([usize; 3], &'a [S], &'a [S], &'a mut [S]);
impl<S: Simd> Kernel for Contract<'_, S> {
    #[inline(always)]
    fn run(self) {
        let Contract([m, n, k], a, b, c) = self;
        contract([m, n, k], View::rows(a, k), View::rows(b, k), c, n, false);
    }
}

struct BenchContract([usize; 3]);
impl<E: Elem> Visitor<E> for BenchContract {
    type Out = Box<dyn FnMut()>;
    fn visit<S: Simd<Elem = E>>(self) -> Self::Out {
        let [m, n, k] = self.0;
        let (a, b, mut c) = (vec![S::of(0.5); m * k], vec![S::of(0.25); n * k], vec![S::zero(); m * n]);
        Box::new(move || S::vectorize(Contract([m, n, k], black_box(&a), black_box(&b), &mut c)))
    }
}

/// Multiply-adds per second of a linear map: tokens × outputs × inputs.
#[divan::bench(args = [[11, 6, 6], [60, 2, 3], [40, 64, 64]])]
fn linear(bencher: Bencher, dims: [usize; 3]) {
    let mut run = f32::dispatch(isa(), BenchContract(dims));
    let lanes = f32::dispatch(isa(), Lanes);
    bencher.counter(ItemsCount::new(dims.iter().product::<usize>() * lanes)).bench_local(&mut *run);
}

struct Lanes;
impl<E: Elem> Visitor<E> for Lanes {
    type Out = usize;
    fn visit<S: Simd<Elem = E>>(self) -> usize {
        S::LANES
    }
}

struct Sigmoid<'a, S>(&'a [S], &'a mut [S]);
impl<S: Simd> Kernel for Sigmoid<'_, S> {
    #[inline(always)]
    fn run(self) {
        sigmoid(self.0, self.1);
    }
}

struct BenchSigmoid(usize);
impl<E: Elem> Visitor<E> for BenchSigmoid {
    type Out = Box<dyn FnMut()>;
    fn visit<S: Simd<Elem = E>>(self) -> Self::Out {
        let (x, mut y) = (vec![S::of(0.5); self.0], vec![S::zero(); self.0]);
        Box::new(move || S::vectorize(Sigmoid(black_box(&x), &mut y)))
    }
}

/// Sigmoids per second.
#[divan::bench(args = [120])]
fn sigmoids(bencher: Bencher, vectors: usize) {
    let mut run = f32::dispatch(isa(), BenchSigmoid(vectors));
    let lanes = f32::dispatch(isa(), Lanes);
    bencher.counter(ItemsCount::new(vectors * lanes)).bench_local(&mut *run);
}

/// Learner-steps per second: forward, backward and Adam on ten sums, one vector of learners.
#[divan::bench(args = [0, 1, 2, 3, 4])]
fn step(bencher: Bencher, row: usize) {
    let model: Arithmetic = MODELS[row];
    let built = model.build(6);
    let config = TrainConfig::locking();
    let source = Source {
        graph: &built.graph,
        output: built.output,
        loss: built.loss,
        batch: config.batch(),
        frozen: &[],
        lanes: strat::engine::Lanes::Learners,
    };
    let mut m = compile::<f32>(source, isa());
    let mut batch = strat::task::signed_sum::Batch::<f32>::new(6);
    config.redraw(&mut batch, 1, 0);
    for lane in 0..m.lanes() {
        for (name, w) in model.init(lane as u64) {
            m.set_param(lane, &name, &w.iter().map(|&x| x as f32).collect::<Vec<_>>());
        }
        m.set_input(lane, "kind", &batch.kind);
        m.set_input(lane, "value", &batch.value);
        m.set_input(lane, "target", &batch.target);
    }
    m.load();
    let adam = Adam::new(0.005).at(0);
    bencher.counter(ItemsCount::new(m.lanes())).bench_local(|| m.step(adam));
}
