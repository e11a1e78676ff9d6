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
    /// The steps that the loss depends on, last first: those that have a gradient to pass on.
    pub back: Vec<usize>,
    /// Of each of [`Step::reads`] of each step: where what is passed on to it goes, if it has a gradient.
    pub passed: Vec<Vec<Option<Passed>>>,
    /// Of each step: which of [`DenseStep::tables`](super::lower::DenseStep::tables) no step has been differentiated with before it.
    pub begins: Vec<[bool; 4]>,
    /// Vectors in all.
    pub arena: usize,
}

/// Where a step puts what it passes on to one operand. No two operands of a step share a place, even if they are the
/// same matrix: a kernel writes to all of them at once.
#[derive(Clone, Debug)]
pub(super) struct Passed {
    pub to: Range<usize>,
    /// It is added to what other steps have put there.
    pub adds: bool,
    /// The step reads this matrix as an earlier operand too, and that one has the matrix's gradient: this is to be added
    /// to it afterwards.
    pub joins: Option<Range<usize>>,
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
        let at_back = |i: usize| 2 * n - 1 - i;
        let back = reached(l);
        let learned = |m: &Mat| !l.mats[m.0].by_batch;

        let mut value: Vec<Buffer> = l.mats.iter().map(|m| Buffer { len: rows * m.cols, time: NEVER }).collect();
        let mut grad: Vec<Buffer> = l.mats.iter().map(|_| Buffer { len: 0, time: NEVER }).collect();
        let mut kept = vec![];
        for (i, step) in l.steps.iter().enumerate() {
            for m in step.reads().into_iter().chain(step.makes()) {
                value[m.0].touch(i);
            }
            kept.push(Buffer { len: l.kept(step, chunk, rows, lanes), time: i..i + 1 });
        }
        for &i in &back {
            let step = &l.steps[i];
            kept[i].touch(at_back(i));
            for m in step.needs_again() {
                value[m.0].touch(at_back(i));
            }
            for m in step.reads().into_iter().chain(step.makes()).filter(learned) {
                grad[m.0].len = rows * l.mats[m.0].cols;
                grad[m.0].touch(at_back(i));
            }
        }
        // The answer is read after the last step.
        value[l.output].touch(n);
        let at_load = l.load.iter().map(|step| l.kept(step, chunk, rows, lanes)).max().unwrap_or(0);
        kept.push(Buffer { len: at_load, time: 0..2 * n });
        for (m, known) in l.mats.iter().enumerate().filter(|m| m.1.by_batch) {
            // What is too much is refused when it is asked for.
            value[m] = Buffer { len: (rows * known.cols).saturating_mul(chunks), time: 0..2 * n };
        }

        // An operand that a step reads again gets room of its own for what is passed on to it.
        let mut spare: Vec<(usize, usize)> = vec![];
        for &i in &back {
            let reads = l.steps[i].reads();
            spare.extend(
                (0..reads.len()).filter(|&k| learned(&reads[k]) && reads[..k].contains(&reads[k])).map(|k| (i, k)),
            );
        }
        let room = spare.iter().map(|&(i, k)| Buffer {
            len: rows * l.mats[l.steps[i].reads()[k].0].cols,
            time: at_back(i)..at_back(i) + 1,
        });

        let counts = [l.mats.len(), l.mats.len(), n + 1, spare.len()];
        let buffers: Vec<Buffer> = value.into_iter().chain(grad).chain(kept).chain(room).collect();
        let (mut places, arena) = place(&buffers);
        let mut next = |i: usize| -> Vec<Range<usize>> { places.drain(..counts[i]).collect() };
        let (mut value, grad, kept, room) = (next(0), next(1), next(2), next(3));
        for (m, known) in l.mats.iter().enumerate() {
            value[m].end = value[m].start.saturating_add(rows * known.cols);
        }

        let mut passed: Vec<Vec<Option<Passed>>> = l.steps.iter().map(|s| vec![None; s.reads().len()]).collect();
        let mut seen = vec![false; l.mats.len()];
        for &i in &back {
            for (k, m) in l.steps[i].reads().into_iter().enumerate().filter(|(_, m)| learned(m)) {
                let own = grad[m.0].clone();
                passed[i][k] = Some(match spare.iter().position(|&at| at == (i, k)) {
                    Some(at) => Passed { to: room[at].clone(), adds: false, joins: Some(own) },
                    None => Passed { to: own, adds: std::mem::replace(&mut seen[m.0], true), joins: None },
                });
            }
        }
        let begins = beginnings(l, &back);
        Plan { chunk, chunks, rows, value, grad, kept, back, passed, begins, arena }
    }
}

/// See [`Plan::begins`].
fn beginnings(l: &Lowered, back: &[usize]) -> Vec<[bool; 4]> {
    let mut seen = vec![false; l.tables.len()];
    let mut begins = vec![[false; 4]; l.steps.len()];
    for &i in back {
        let Step::Dense(d) = &l.steps[i] else { continue };
        begins[i] = d.tables().map(|w| w.is_some_and(|w| !std::mem::replace(&mut seen[w.0], true)));
    }
    begins
}

/// The steps that the loss, which is the last, depends on through what is learned; last first.
fn reached(l: &Lowered) -> Vec<usize> {
    let mut has_gradient = vec![false; l.mats.len()];
    let mut back = vec![];
    for (i, step) in l.steps.iter().enumerate().rev() {
        if step.makes().is_none_or(|y| has_gradient[y.0]) {
            step.reads().iter().for_each(|m| has_gradient[m.0] = true);
            back.push(i);
        }
    }
    back
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
            if at <= r.start && len <= r.start - at {
                break;
            }
            at = at.max(r.end);
        }
        places[i] = at..at.saturating_add(len);
        done.push(i);
    }
    let end = places.iter().map(|r| r.end).max().unwrap_or(0);
    (places, end)
}
