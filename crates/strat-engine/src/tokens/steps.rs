//! One step, forward and backward.

use super::lower::{Mat, Step};
use super::memory::{Arena, Memory};
use super::plan::Passed;
use crate::kernels::attention::{Attend, AttendGrad};
use crate::kernels::dense::{Act, Dense, DenseGrad, Norm, NormGrad};
use crate::kernels::{elementwise, layer_norm, loss, rearrange};
use crate::simd::{Kernel, Simd};

/// Room for kernels.
pub(super) struct Room<S: Simd> {
    /// Vectors for attention and for sums.
    pub vectors: Vec<S>,
    /// Numbers for tables.
    pub numbers: Vec<S::Elem>,
}

/// Does a step for a chunk.
pub(super) struct Compute<'a, S: Simd> {
    pub memory: Arena<'a, S>,
    pub step: &'a Step,
    /// Which step, for what it keeps.
    pub number: usize,
    pub room: &'a mut Room<S>,
    /// Where the loss is added to.
    pub loss: &'a mut S,
}

impl<S: Simd> Kernel for Compute<'_, S> {
    #[inline(always)]
    fn run(self) {
        let Compute { mut memory, step, number, room, loss } = self;
        let at = memory.at;
        // The loss makes no matrix.
        let own = step.makes().map_or(0..0, |y| at.value(y));
        let ([y, kept], m): (_, Memory<'_, S, 3>) = memory.write([own, at.kept(number)]);
        match step {
            Step::Norm { x, .. } => {
                layer_norm::layer_norm(at.cols(*x), m.value(*x), y, &mut kept[..at.plan.rows]);
            }
            Step::Dense(d) => S::vectorize(Dense {
                dims: [at.cols(d.y), at.cols(d.x)],
                x: m.value(d.x),
                distinct: at.distinct[d.x.0],
                w: m.weights(d.w),
                norm: d.norm.map(|[scale, shift]| Norm { scale: m.weights(scale), shift: m.weights(shift) }),
                bias: d.bias.map(|b| m.weights(b)),
                residual: d.residual.map(|r| m.value(r)),
                act: d.act,
                times: d.times.map(|t| m.value(t)),
                kept,
                y,
                room: &mut room.numbers,
            }),
            Step::Attend { q, k, v, .. } => S::vectorize(Attend {
                dims: at.lowered.attention(step, at.plan.chunk).expect("an attention"),
                q: m.value(*q),
                k: m.value(*k),
                v: m.value(*v),
                kept,
                y,
                room: &mut room.vectors,
            }),
            Step::Add { a, b, .. } => elementwise::add(m.value(*a), m.value(*b), y),
            Step::Mul { a, b, .. } => elementwise::mul(m.value(*a), m.value(*b), y),
            Step::Concat { parts, y: all } => {
                let mut start = 0;
                for &p in parts {
                    let cols = at.cols(p);
                    rearrange::columns((m.value(p), cols, 0), (&mut *y, at.cols(*all), start), cols, false);
                    start += cols;
                }
            }
            Step::CrossEntropy { x, target, weight } => {
                let (x, cols) = (m.value(*x), at.cols(*x));
                let total = loss::cross_entropy(cols, x, m.value(*target), m.value(*weight), kept);
                *loss = loss.add(total);
            }
        }
    }
}

/// Adds what a step contributes to the gradients of what it read.
pub(super) struct Differentiate<'a, S: Simd> {
    pub memory: Arena<'a, S>,
    pub number: usize,
    pub room: &'a mut Room<S>,
    /// What an example's loss weighs.
    pub share: S,
}

/// A gradient to be written, and whether to add to what is there.
type Into<'a, S> = Option<(&'a mut [S], bool)>;

impl<S: Simd> Differentiate<'_, S> {
    /// Where what is passed on to operand `k` of [`Step::reads`] goes, if it has a gradient; and all else.
    #[inline(always)]
    fn passed(&mut self, k: usize) -> Option<(&mut [S], bool, Memory<'_, S, 2>)> {
        let passed = self.memory.at.passed(self.number, k)?;
        let ([dx], m) = self.memory.write([passed.to.clone()]);
        Some((dx, passed.adds, m))
    }

    /// The same, to be added to.
    #[inline(always)]
    fn sum(&mut self, k: usize) -> Option<(&mut [S], Memory<'_, S, 2>)> {
        let (dx, adds, m) = self.passed(k)?;
        if !adds {
            dx.fill(S::zero());
        }
        Some((dx, m))
    }

    /// `dx += dy`, or `dx = dy` if nothing is there yet.
    #[inline(always)]
    fn pass_on(&mut self, y: Mat, k: usize) {
        match self.passed(k) {
            Some((dx, false, m)) => dx.copy_from_slice(m.grad(y)),
            Some((dx, true, m)) => elementwise::add_grad(m.grad(y), dx),
            None => {}
        }
    }
}

/// Where several operands' parts go at once.
#[inline(always)]
fn into<'a, S>(passed: Option<&Passed>, to: &'a mut [S]) -> Into<'a, S> {
    passed.map(|passed| (to, passed.adds))
}

impl<S: Simd> Kernel for Differentiate<'_, S> {
    #[inline(always)]
    fn run(mut self) {
        let (at, number) = (self.memory.at, self.number);
        let step = &at.lowered.steps[number];
        let range = |passed: Option<&Passed>| passed.map_or(0..0, |passed| passed.to.clone());
        match step {
            Step::Norm { x, y } => {
                if let Some((dx, m)) = self.sum(0) {
                    layer_norm::layer_norm_grad(at.cols(*x), m.value(*y), m.kept(number), m.grad(*y), dx);
                }
            }
            Step::Dense(d) => {
                // A map has a residual or something that it is multiplied with, never both.
                let (of_x, of_times) = (at.passed(number, 0), at.passed(number, 1).filter(|_| d.times.is_some()));
                let ranges = [at.grad(d.y), range(of_x), range(of_times)];
                let tables = [Some(d.w), d.norm.map(|n| n[0]), d.norm.map(|n| n[1]), d.bias];
                let ([dy, dx, dtimes], [dw, scale, shift, db], m) =
                    self.memory.write_with::<3, 4, 4, 5>(ranges, tables);
                S::vectorize(DenseGrad {
                    dims: [at.cols(d.y), at.cols(d.x)],
                    x: m.value(d.x),
                    distinct: at.distinct[d.x.0],
                    w: m.weights(d.w),
                    norm: d.norm.map(|[scale, shift]| Norm { scale: m.weights(scale), shift: m.weights(shift) }),
                    act: d.act,
                    // Only σ keeps it.
                    y: if d.act == Act::Sigmoid { m.value(d.y) } else { &[] },
                    times: d.times.map(|t| m.value(t)),
                    kept: m.kept(number),
                    dy,
                    dtimes: into(of_times, dtimes),
                    dx: into(of_x, dx),
                    dw,
                    dnorm: d.norm.map(|_| NormGrad { scale, shift }),
                    db: d.bias.map(|_| db),
                    room: &mut self.room.numbers,
                    panel: &mut self.room.vectors,
                });
                if d.residual.is_some() {
                    self.pass_on(d.y, 1);
                }
            }
            Step::Attend { q, k, v, y, .. } => {
                let passed = [0, 1, 2].map(|k| at.passed(number, k));
                let (to, m): (_, Memory<'_, S, 4>) = self.memory.write(passed.map(range));
                let mut sums = [None, None, None];
                for ((sum, to), passed) in sums.iter_mut().zip(to).zip(passed) {
                    *sum = into(passed, to).map(|(to, _)| to);
                    if let (Some(to), Some(Passed { adds: false, .. })) = (sum, passed) {
                        to.fill(S::zero());
                    }
                }
                let [dq, dk, dv] = sums;
                S::vectorize(AttendGrad {
                    dims: at.lowered.attention(step, at.plan.chunk).expect("an attention"),
                    q: m.value(*q),
                    k: m.value(*k),
                    v: m.value(*v),
                    kept: m.kept(number),
                    y: m.value(*y),
                    dy: m.grad(*y),
                    dq,
                    dk,
                    dv,
                    room: &mut self.room.vectors,
                });
            }
            Step::Add { y, .. } => {
                for k in 0..2 {
                    self.pass_on(*y, k);
                }
            }
            Step::Mul { a, b, y } => {
                for (k, other) in [b, a].into_iter().enumerate() {
                    match self.passed(k) {
                        Some((dx, false, m)) => elementwise::mul(m.grad(*y), m.value(*other), dx),
                        Some((dx, true, m)) => elementwise::mul_grad(m.grad(*y), m.value(*other), dx),
                        None => {}
                    }
                }
            }
            Step::Concat { parts, y } => {
                let mut start = 0;
                for (k, &p) in parts.iter().enumerate() {
                    let cols = at.cols(p);
                    if let Some((dx, m)) = self.sum(k) {
                        rearrange::columns((m.grad(*y), at.cols(*y), start), (dx, cols, 0), cols, true);
                    }
                    start += cols;
                }
            }
            Step::CrossEntropy { x, target, weight } => {
                let share = self.share;
                if let Some((dx, m)) = self.sum(0) {
                    let (target, weight) = (m.value(*target), m.value(*weight));
                    loss::cross_entropy_grad(at.cols(*x), target, weight, m.kept(number), share, dx);
                }
            }
        }
        for passed in at.plan.passed[number].iter().flatten() {
            if let Some(grad) = &passed.joins {
                let ([grad], m): (_, Memory<'_, S, 2>) = self.memory.write([grad.clone()]);
                elementwise::add_grad(m.range(passed.to.clone()), grad);
            }
        }
    }
}
