//! Where every matrix lies: each has memory only while it is needed, so that the gradients of sixteen layers take
//! the room of one.
//!
//! Time runs through the steps and back: step `i` of `n` is done at `i` and differentiated at `2n − 1 − i`.

use super::lower::{Lowered, Mat, Step};
use crate::kernels::attention;
use crate::kernels::dense::Act;
use std::ops::Range;

/// The memory of one program.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Examples worked on at a time.
    pub chunk: usize,
    /// How often.
    pub chunks: usize,
    /// Vectors of rows in a chunk.
    pub rows: usize,
    /// Value of each matrix; of those by batch, that of the first chunk, followed by the others.
    pub value: Vec<Range<usize>>,
    /// Gradient of each matrix that has one.
    pub grad: Vec<Range<usize>>,
    /// What each step keeps for backward; the last one is that of the steps at load time.
    pub kept: Vec<Range<usize>>,
    /// Of each step, for each matrix it reads: is it the first to add to its gradient?
    pub first: Vec<Vec<Mat>>,
    /// Vectors in all.
    pub arena: usize,
}

/// So many vectors, needed from the first to before the last of these times.
struct Buffer {
    len: usize,
    time: Range<usize>,
}

/// The most examples worked on at a time. With more, hardly fewer lanes idle; with fewer, each table's gradient is
/// summed in more and shorter sums, which costs what better use of the caches saves.
const CHUNK: usize = 16;

impl Step {
    /// The matrices it reads.
    pub fn reads(&self) -> Vec<Mat> {
        match self {
            Step::Norm { x, .. } => vec![*x],
            Step::Dense(d) => [Some(d.x), d.residual, d.times].into_iter().flatten().collect(),
            Step::Attend { q, k, v, .. } => vec![*q, *k, *v],
            Step::Add { a, b, .. } | Step::Mul { a, b, .. } => vec![*a, *b],
            Step::Concat { parts, .. } => parts.clone(),
            Step::CrossEntropy { x, target, weight } => vec![*x, *target, *weight],
        }
    }

    /// The matrix it makes; none for the loss.
    pub fn makes(&self) -> Option<Mat> {
        match self {
            Step::Norm { y, .. }
            | Step::Attend { y, .. }
            | Step::Add { y, .. }
            | Step::Mul { y, .. }
            | Step::Concat { y, .. } => Some(*y),
            Step::Dense(d) => Some(d.y),
            Step::CrossEntropy { .. } => None,
        }
    }

    /// The matrices whose values it needs again when it is differentiated.
    fn needs_again(&self) -> Vec<Mat> {
        match self {
            Step::Norm { y, .. } => vec![*y],
            Step::Dense(d) if d.act == Act::Sigmoid => vec![d.x, d.y],
            Step::Dense(d) => [Some(d.x), d.times].into_iter().flatten().collect(),
            Step::Attend { q, k, v, y, .. } => vec![*q, *k, *v, *y],
            Step::Mul { a, b, .. } => vec![*a, *b],
            Step::Add { .. } | Step::Concat { .. } | Step::CrossEntropy { .. } => vec![],
        }
    }
}

impl Plan {
    pub fn new(l: &Lowered, batch: usize, lanes: usize) -> Plan {
        let chunks = batch.div_ceil(CHUNK).max(1);
        let chunk = batch.div_ceil(chunks);
        let rows = (chunk * l.tokens).div_ceil(lanes);
        let n = l.steps.len();
        let back = |i: usize| 2 * n - 1 - i;

        let mut value: Vec<Buffer> = l.mats.iter().map(|m| Buffer { len: rows * m.cols, time: NEVER }).collect();
        let mut grad: Vec<Buffer> = l.mats.iter().map(|_| Buffer { len: 0, time: NEVER }).collect();
        let mut kept = vec![];
        for (i, step) in l.steps.iter().enumerate() {
            for m in step.reads().into_iter().chain(step.makes()) {
                value[m.0].touch(i);
            }
            for m in step.needs_again() {
                value[m.0].touch(back(i));
            }
            for m in step.reads().into_iter().chain(step.makes()).filter(|m| !l.mats[m.0].by_batch) {
                grad[m.0].len = rows * l.mats[m.0].cols;
                grad[m.0].touch(back(i));
            }
            kept.push(Buffer { len: l.kept(step, chunk, rows, lanes), time: i..back(i) + 1 });
        }
        // The answer is read after the last step.
        value[l.output].touch(n);
        let at_load = l.load.iter().map(|step| l.kept(step, chunk, rows, lanes)).max().unwrap_or(0);
        kept.push(Buffer { len: at_load, time: 0..2 * n });
        for (m, known) in l.mats.iter().enumerate().filter(|m| m.1.by_batch) {
            value[m] = Buffer { len: rows * known.cols * chunks, time: 0..2 * n };
        }

        let mut seen = vec![false; l.mats.len()];
        let mut first: Vec<Vec<Mat>> = l
            .steps
            .iter()
            .rev()
            .map(|s| {
                let mut new = s.reads();
                new.retain(|m| !l.mats[m.0].by_batch && !std::mem::replace(&mut seen[m.0], true));
                new
            })
            .collect();
        first.reverse();

        let (sizes, counts) = ([value, grad, kept], [l.mats.len(), l.mats.len(), n + 1]);
        let (mut places, arena) = place(&sizes.into_iter().flatten().collect::<Vec<_>>());
        let mut next = |i: usize| -> Vec<Range<usize>> { places.drain(..counts[i]).collect() };
        let (mut value, grad, kept) = (next(0), next(1), next(2));
        for (m, known) in l.mats.iter().enumerate() {
            value[m].end = value[m].start + rows * known.cols;
        }
        Plan { chunk, chunks, rows, value, grad, kept, first, arena }
    }
}

impl Lowered {
    /// Vectors that a step keeps from forward for backward.
    fn kept(&self, step: &Step, chunk: usize, rows: usize, lanes: usize) -> usize {
        match step {
            Step::Norm { .. } => rows,
            Step::Dense(d) if d.act == Act::Gelu => {
                rows * self.mats[d.y.0].cols * (1 + usize::from(d.times.is_some()))
            }
            Step::Attend { .. } => self.attention(step, chunk).map_or(0, |d| d.kept(lanes)),
            Step::CrossEntropy { x, .. } => rows * self.mats[x.0].cols,
            _ => 0,
        }
    }

    /// Sizes of an attention step.
    pub fn attention(&self, step: &Step, examples: usize) -> Option<attention::Dims> {
        let Step::Attend { q, v, heads, scale, .. } = *step else { return None };
        let (cols, value_cols) = (self.mats[q.0].cols, self.mats[v.0].cols);
        Some(attention::Dims { examples, tokens: self.tokens, cols, value_cols, heads, scale })
    }
}

/// Of a buffer that nothing has touched yet.
#[allow(clippy::reversed_empty_ranges)]
const NEVER: Range<usize> = usize::MAX..0;

impl Buffer {
    fn touch(&mut self, time: usize) {
        self.time = self.time.start.min(time)..self.time.end.max(time + 1);
    }
}

/// A place for each buffer, apart from all that are needed at the same time; and the length of it all.
fn place(buffers: &[Buffer]) -> (Vec<Range<usize>>, usize) {
    let mut places = vec![0..0; buffers.len()];
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(buffers[i].len));
    let mut done: Vec<usize> = vec![];
    for i in order {
        let (len, time) = (buffers[i].len, &buffers[i].time);
        let meets = |j: &&usize| {
            let other = &buffers[**j].time;
            time.start < other.end && other.start < time.end
        };
        let mut taken: Vec<Range<usize>> = done.iter().filter(meets).map(|&j| places[j].clone()).collect();
        taken.sort_by_key(|r| r.start);
        let mut at = 0;
        for r in taken {
            if at + len <= r.start {
                break;
            }
            at = at.max(r.end);
        }
        places[i] = at..at + len;
        done.push(i);
    }
    let end = places.iter().map(|r| r.end).max().unwrap_or(0);
    (places, end)
}
