//! The kernels, and a whole training step. `cargo bench -p strat`; `STRAT_ISA` chooses
//! the instruction set. Compare numbers only within one run: machines are noisy.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use strat::engine::internals::{
    Attend, AttendGrad, Dims, Kernel, Product, Simd, Start, Sums, TALL, View, ViewMut, Visitor, contract,
    sigmoid_of_each,
};
use strat::engine::{CompileSpec, Isa, Number, compile};
use strat::model::{Lite, Model, Unityped};
use strat::task::{Batch, SumTask, Task};

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
impl<E: Number> Visitor<E> for BenchContract {
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
impl<E: Number> Visitor<E> for Lanes {
    type Out = usize;
    fn visit<S: Simd<Elem = E>>(self) -> usize {
        S::LANES
    }
}

struct BenchProduct([usize; 3]);
impl<E: Number> Visitor<E> for BenchProduct {
    type Out = Box<dyn FnMut()>;
    fn visit<S: Simd<Elem = E>>(self) -> Self::Out {
        let [m, n, k] = self.0;
        let (a, b, mut c) = (vec![S::of(0.5); m * k], vec![E::of(0.25); n * k], vec![S::zero(); m * n]);
        Box::new(move || {
            let (a, b) = (View::rows(black_box(&a[..]), k), View::rows(black_box(&b[..]), k));
            S::vectorize(Product {
                dims: [m, n, k],
                a,
                b,
                c: ViewMut::rows(&mut c, n),
                start: Start::Zero,
                next: &[],
            });
        })
    }
}

/// Multiply-adds per second of a linear map of rows on lanes: vectors of rows × outputs × inputs.
#[divan::bench(args = [[51, 84, 84], [51, 128, 84], [51, 64, 64], [51, 128, 18], [51, 18, 128]])]
fn product(bencher: Bencher, dims: [usize; 3]) {
    let mut run = f32::dispatch(isa(), BenchProduct(dims));
    let lanes = f32::dispatch(isa(), Lanes);
    bencher.counter(ItemsCount::new(dims.iter().product::<usize>() * lanes)).bench_local(&mut *run);
}

struct BenchSums([usize; 3]);
impl<E: Number> Visitor<E> for BenchSums {
    type Out = Box<dyn FnMut()>;
    fn visit<S: Simd<Elem = E>>(self) -> Self::Out {
        let [m, outs, ins] = self.0;
        let (dy, x) = (vec![S::of(0.5); m * outs], vec![S::of(0.25); m * ins]);
        let (mut panel, mut dw) = (vec![S::zero(); m * TALL], vec![E::default(); outs * ins]);
        Box::new(move || {
            let (dy, x) = (black_box(&dy[..]), black_box(&x[..]));
            S::vectorize(Sums {
                dims: [m, outs, ins],
                dy,
                dy_outer: outs,
                x,
                x_outer: ins,
                panel: &mut panel,
                dw: &mut dw,
                db: None,
            });
        })
    }
}

/// The same of its table's gradient.
#[divan::bench(args = [[51, 84, 84], [51, 128, 84], [51, 64, 64], [51, 128, 18], [51, 18, 128]])]
fn sums(bencher: Bencher, dims: [usize; 3]) {
    let mut run = f32::dispatch(isa(), BenchSums(dims));
    let lanes = f32::dispatch(isa(), Lanes);
    bencher.counter(ItemsCount::new(dims.iter().product::<usize>() * lanes)).bench_local(&mut *run);
}

/// Attention of ten examples of 81 tokens and four heads, forward and backward.
struct BenchAttention(usize);
impl<E: Number> Visitor<E> for BenchAttention {
    type Out = Box<dyn FnMut(bool)>;
    fn visit<S: Simd<Elem = E>>(self) -> Self::Out {
        let cols = self.0;
        let dims = Dims { examples: 10, tokens: 81, cols, value_cols: cols, heads: 4, scale: 0.2 };
        let rows = 810usize.div_ceil(S::LANES);
        let [q, k, v, dy] = [0.1, 0.2, 0.3, 0.4].map(|x| vec![S::of(x); rows * cols]);
        let [mut y, mut dq, mut dk, mut dv] = [(); 4].map(|()| vec![S::zero(); rows * cols]);
        let (mut kept, mut room) = (vec![S::zero(); dims.kept(S::LANES)], vec![S::zero(); dims.room(S::LANES)]);
        Box::new(move |backward| {
            let (q, k, v, room, heads) = (&q[..], &k[..], &v[..], &mut room[..], 0..dims.heads);
            if backward {
                let [dq, dk, dv] =
                    [&mut dq, &mut dk, &mut dv].map(|to| Some((ViewMut::rows(&mut to[..], cols), true)));
                S::vectorize(AttendGrad { dims, heads, q, k, v, kept: &kept, y: &y, dy: &dy, dq, dk, dv, room });
            } else {
                let by_example = dims.heads * dims.kept_by_head(S::LANES);
                let (kept, y) = (ViewMut::rows(&mut kept, by_example), ViewMut::rows(&mut y, cols));
                S::vectorize(Attend { dims, heads, q, k, v, kept, y, room })
            }
        })
    }
}

/// Multiply-adds per second of attention forward, by width of all heads.
#[divan::bench(args = [64, 84])]
fn attend(bencher: Bencher, cols: usize) {
    let mut run = f32::dispatch(isa(), BenchAttention(cols));
    bencher.counter(ItemsCount::new(2 * 10 * 81 * 81 * cols)).bench_local(|| run(false));
}

/// And backward.
#[divan::bench(args = [64, 84])]
fn attend_grad(bencher: Bencher, cols: usize) {
    let mut run = f32::dispatch(isa(), BenchAttention(cols));
    run(false);
    bencher.counter(ItemsCount::new(4 * 10 * 81 * 81 * cols)).bench_local(|| run(true));
}

struct Sigmoid<'a, S>(&'a [S], &'a mut [S]);
impl<S: Simd> Kernel for Sigmoid<'_, S> {
    #[inline(always)]
    fn run(self) {
        sigmoid_of_each(self.0, self.1);
    }
}

struct BenchSigmoid(usize);
impl<E: Number> Visitor<E> for BenchSigmoid {
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
    // The rows of Table 5.
    let model: &dyn Model = if row == 0 { &Unityped::A } else { &Lite::ALL[row - 1] };
    let task = SumTask::LOCKING;
    let built = model.build(task.tokens());
    let mut batch = Batch::new(&task, task.tokens());
    task.fill(1, 0, &mut batch);
    let source = CompileSpec {
        graph: &built.graph,
        output: built.output,
        loss: built.loss,
        batch: batch.len(),
        frozen: &[],
        lanes: strat::engine::Lanes::Learners,
    };
    let mut m = compile::<f32>(source, isa()).unwrap();
    for lane in 0..m.lanes() {
        for (name, w) in model.init(lane as u64) {
            m.set_param(lane, &name, &w.iter().map(|&x| x as f32).collect::<Vec<_>>());
        }
        batch.set(&mut *m, lane, &mut vec![]).unwrap();
    }
    m.load();
    let adam = task.paper().expect("sums have a setup").train.adam.at(0);
    bencher.counter(ItemsCount::new(m.lanes())).bench_local(|| m.step(&[adam]));
}
