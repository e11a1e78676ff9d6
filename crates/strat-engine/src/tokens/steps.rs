//! One step, forward and backward.

use super::lower::{Mat, Step};
use super::memory::Memory;
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
    pub memory: Memory<'a, S>,
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
        let Compute { memory: m, step, number, room, loss } = self;
        let kept = m.kept(number);
        match step {
            Step::Norm { x, y } => {
                layer_norm::layer_norm(m.cols(*x), m.value(*x), m.value_mut(*y), &mut kept[..m.plan.rows]);
            }
            Step::Dense(d) => S::vectorize(Dense {
                dims: [m.cols(d.y), m.cols(d.x)],
                x: m.value(d.x),
                distinct: m.distinct[d.x.0],
                w: m.weights(d.w),
                norm: d.norm.map(|[scale, shift]| Norm { scale: m.weights(scale), shift: m.weights(shift) }),
                bias: d.bias.map(|b| m.weights(b)),
                residual: d.residual.map(|r| m.value(r)),
                act: d.act,
                times: d.times.map(|t| m.value(t)),
                kept,
                y: m.value_mut(d.y),
                room: &mut room.numbers,
            }),
            Step::Attend { q, k, v, y, .. } => S::vectorize(Attend {
                dims: m.lowered.attention(step, m.plan.chunk).expect("an attention"),
                q: m.value(*q),
                k: m.value(*k),
                v: m.value(*v),
                kept,
                y: m.value_mut(*y),
                room: &mut room.vectors,
            }),
            Step::Add { a, b, y } => elementwise::add(m.value(*a), m.value(*b), m.value_mut(*y)),
            Step::Mul { a, b, y } => elementwise::mul(m.value(*a), m.value(*b), m.value_mut(*y)),
            Step::Concat { parts, y } => {
                let mut start = 0;
                for &p in parts {
                    let cols = m.cols(p);
                    rearrange::columns((m.value(p), cols, 0), (m.value_mut(*y), m.cols(*y), start), cols, false);
                    start += cols;
                }
            }
            Step::CrossEntropy { x, target, weight } => {
                let (x, cols) = (m.value(*x), m.cols(*x));
                let total = loss::cross_entropy(cols, x, m.value(*target), m.value(*weight), kept);
                *loss = loss.add(total);
            }
        }
    }
}

/// Adds what a step contributes to the gradients of what it read.
pub(super) struct Differentiate<'a, S: Simd> {
    pub memory: Memory<'a, S>,
    pub number: usize,
    pub room: &'a mut Room<S>,
    /// What an example's loss weighs.
    pub share: S,
}

impl<'a, S: Simd> Differentiate<'a, S> {
    /// A gradient to add to: zero if this step is the first that does.
    #[inline(always)]
    fn sum(&self, m: Mat) -> Option<&'a mut [S]> {
        let grad = self.memory.grad(m)?;
        if self.is_first(m) {
            grad.fill(S::zero());
        }
        Some(grad)
    }

    #[inline(always)]
    fn is_first(&self, m: Mat) -> bool {
        self.memory.plan.first[self.number].contains(&m)
    }
}

impl<S: Simd> Kernel for Differentiate<'_, S> {
    #[inline(always)]
    fn run(self) {
        let m = &self.memory;
        let step = &m.lowered.steps[self.number];
        let kept = m.kept(self.number);
        let own = |y: Mat| m.grad(y).expect("what a step makes has a gradient");
        match step {
            Step::Norm { x, y } => {
                if let Some(dx) = self.sum(*x) {
                    layer_norm::layer_norm_grad(m.cols(*x), m.value(*y), kept, own(*y), dx);
                }
            }
            Step::Dense(d) => {
                let dy = own(d.y);
                S::vectorize(DenseGrad {
                    dims: [m.cols(d.y), m.cols(d.x)],
                    x: m.value(d.x),
                    distinct: m.distinct[d.x.0],
                    w: m.weights(d.w),
                    norm: d.norm.map(|[scale, shift]| Norm { scale: m.weights(scale), shift: m.weights(shift) }),
                    act: d.act,
                    // Only σ keeps it.
                    y: if d.act == Act::Sigmoid { m.value(d.y) } else { &[] },
                    times: d.times.map(|t| m.value(t)),
                    kept,
                    dy,
                    dtimes: d.times.and_then(|t| Some((m.grad(t)?, !self.is_first(t)))),
                    dx: m.grad(d.x).map(|dx| (dx, !self.is_first(d.x))),
                    dw: m.gradient(d.w),
                    dnorm: d
                        .norm
                        .map(|[scale, shift]| NormGrad { scale: m.gradient(scale), shift: m.gradient(shift) }),
                    db: d.bias.map(|b| m.gradient(b)),
                    room: &mut self.room.numbers,
                    panel: &mut self.room.vectors,
                });
                if let Some(r) = d.residual {
                    pass_on(own(d.y), m.grad(r), self.is_first(r));
                }
            }
            Step::Attend { q, k, v, y, .. } => {
                let queries = "queries, keys and values are learned";
                let (dq, dk, dv) =
                    (self.sum(*q).expect(queries), self.sum(*k).expect(queries), self.sum(*v).expect(queries));
                S::vectorize(AttendGrad {
                    dims: m.lowered.attention(step, m.plan.chunk).expect("an attention"),
                    q: m.value(*q),
                    k: m.value(*k),
                    v: m.value(*v),
                    kept,
                    y: m.value(*y),
                    dy: own(*y),
                    dq,
                    dk,
                    dv,
                    room: &mut self.room.vectors,
                });
            }
            Step::Add { a, b, y } => {
                for x in [*a, *b] {
                    pass_on(own(*y), m.grad(x), self.is_first(x));
                }
            }
            Step::Mul { a, b, y } => {
                for (x, other) in [(*a, *b), (*b, *a)] {
                    match m.grad(x) {
                        Some(dx) if self.is_first(x) => elementwise::mul(own(*y), m.value(other), dx),
                        Some(dx) => elementwise::mul_grad(own(*y), m.value(other), dx),
                        None => {}
                    }
                }
            }
            Step::Concat { parts, y } => {
                let mut start = 0;
                for &p in parts {
                    let cols = m.cols(p);
                    if let Some(dx) = self.sum(p) {
                        rearrange::columns((own(*y), m.cols(*y), start), (dx, cols, 0), cols, true);
                    }
                    start += cols;
                }
            }
            Step::CrossEntropy { x, target, weight } => {
                if let Some(dx) = self.sum(*x) {
                    let (target, weight) = (m.value(*target), m.value(*weight));
                    loss::cross_entropy_grad(m.cols(*x), target, weight, kept, self.share, dx);
                }
            }
        }
    }
}

/// `dx += dy`, or `dx = dy` if nothing is there yet.
#[inline(always)]
fn pass_on<S: Simd>(dy: &[S], dx: Option<&mut [S]>, first: bool) {
    match dx {
        Some(dx) if first => dx.copy_from_slice(dy),
        Some(dx) => elementwise::add_grad(dy, dx),
        None => {}
    }
}
