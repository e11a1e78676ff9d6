//! One step, backward.

use super::lower::{DenseStep, Mat, Step};
use super::memory::{Arena, Memory};
use super::parts::{Deal, Work, by_row, parts_of, some};
use super::plan::Passed;
use crate::kernels::attention::AttendGrad;
use crate::kernels::by_row::ByRow;
use crate::kernels::columns::ViewMut;
use crate::kernels::dense::{Act, DenseGrad, Norm, NormGrad, TableGrad};
use crate::kernels::sums::TALL;
use crate::simd::Simd;
use std::ops::Range;

/// A step on its way back.
pub(super) struct Differentiate<'a, S: Simd> {
    pub memory: Arena<'a, S>,
    pub number: usize,
    pub work: Work<'a, S>,
    /// What an example's loss weighs.
    pub share: S,
}

/// Where what is passed on goes; nowhere if it goes to nothing that is learned.
fn range(passed: Option<&Passed>) -> Range<usize> {
    passed.map_or(0..0, |passed| passed.to.clone())
}

impl<S: Simd> Differentiate<'_, S> {
    /// Adds what the step contributes to the gradients of what it read.
    pub fn run(mut self) {
        let (at, number) = (self.memory.at, self.number);
        let (step, rows) = (&at.lowered.steps[number], at.plan.rows);
        match step {
            Step::Norm { x, y } => self.pass(0, |m, r, dx, there| {
                let of_y = [m.value(*y), m.kept(number), m.grad(*y)].map(|all| some(all, rows, r));
                ByRow::NormGrad(at.cols(*x), of_y, dx, there)
            }),
            Step::Dense(d) => {
                self.dense(d);
                if d.residual.is_some() {
                    self.pass_on(d.y, 1);
                }
            }
            Step::Attend { q, k, v, y, .. } => self.attend(step, [*q, *k, *v], *y),
            Step::Add { y, .. } => {
                for k in 0..2 {
                    self.pass_on(*y, k);
                }
            }
            Step::Mul { a, b, y } => {
                for (k, other) in [b, a].into_iter().enumerate() {
                    self.pass(k, |m, r, dx, there| {
                        ByRow::MulGrad([m.grad(*y), m.value(*other)].map(|all| some(all, rows, r)), dx, there)
                    });
                }
            }
            Step::Concat { parts, y } => {
                let mut start = 0;
                for (k, &p) in parts.iter().enumerate() {
                    let (all, cols) = (at.cols(*y), at.cols(p));
                    self.pass(k, |m, r, dx, there| {
                        ByRow::ColumnsGrad((some(m.grad(*y), rows, r), all), (dx, cols), start, there)
                    });
                    start += cols;
                }
            }
            Step::CrossEntropy { x, target, weight } => {
                let share = self.share;
                self.pass(0, |m, r, dx, there| {
                    let of_x = [m.value(*target), m.value(*weight), m.kept(number)].map(|all| some(all, rows, r));
                    ByRow::CrossEntropyGrad(at.cols(*x), of_x, share, dx, there)
                });
            }
        }
        for passed in at.plan.passed[number].iter().flatten() {
            if let Some(grad) = &passed.joins {
                let ([grad], m): (_, Memory<'_, S, 2>) = self.memory.write([grad.clone()]);
                let (own, mut grad) = (m.range(passed.to.clone()), Deal::new(grad, rows));
                by_row(self.work.team, rows, |r| ByRow::PassOn(some(own, rows, &r), grad.next(&r), true));
            }
        }
    }

    /// Passes something on to operand `k` of [`Step::reads`], if that has a gradient, row by row.
    fn pass(
        &mut self,
        k: usize,
        task: impl for<'m> Fn(&Memory<'m, S, 2>, &Range<usize>, &'m mut [S], bool) -> ByRow<'m, S>,
    ) {
        let at = self.memory.at;
        let Some(passed) = at.passed(self.number, k) else { return };
        let ([dx], m) = self.memory.write([passed.to.clone()]);
        let mut dx = Deal::new(dx, at.plan.rows);
        by_row(self.work.team, at.plan.rows, |r| task(&m, &r, dx.next(&r), passed.adds));
    }

    /// `dx += dy`, or `dx = dy` if nothing is there yet.
    fn pass_on(&mut self, y: Mat, k: usize) {
        let rows = self.memory.at.plan.rows;
        self.pass(k, |m, r, dx, there| ByRow::PassOn(some(m.grad(y), rows, r), dx, there));
    }

    fn dense(&mut self, d: &DenseStep) {
        let (at, number) = (self.memory.at, self.number);
        let Work { team, rooms, tables: room } = &mut self.work;
        let (rows, dims) = (at.plan.rows, [at.cols(d.y), at.cols(d.x)]);
        let [outs, ins] = dims;
        // A map has a residual or something that it is multiplied with, never both.
        let (of_x, of_times) = (at.passed(number, 0), at.passed(number, 1).filter(|_| d.times.is_some()));
        let ranges = [at.grad(d.y), range(of_x), range(of_times)];
        let ([dy, dx, dtimes], [dw, scale, shift, db], m) =
            self.memory.write_with::<3, 4, 4, 5>(ranges, d.tables());
        // Of the step that is the first to have a table, in the first chunk, its gradient is nothing yet.
        let begins = at.plan.begins[number].map(|begins| begins && at.chunk == 0);
        for (gradient, begins) in [&mut *scale, &mut *shift, &mut *db].into_iter().zip(&begins[1..]) {
            if *begins {
                gradient.fill(S::Elem::default());
            }
        }
        let (x, w) = (m.value(d.x), m.weights(d.w));
        let norm = d.norm.map(|[scale, shift]| Norm { scale: m.weights(scale), shift: m.weights(shift) });
        // Only σ keeps it.
        let y = if d.act == Act::Sigmoid { m.value(d.y) } else { &[] };
        let times = d.times.map(|t| m.value(t));
        let (value, slope) = m.kept(number).split_at(times.map_or(0, <[S]>::len));
        {
            let [mut dy, mut dx, mut dtimes] = [&mut *dy, dx, dtimes].map(|all| Deal::new(all, rows));
            let tasks = parts_of(rows, 1, team.parts()).zip(rooms.iter_mut()).map(|(r, room)| DenseGrad {
                dims,
                x,
                w,
                scale: norm.map(|norm| norm.scale),
                act: d.act,
                y: some(y, rows, &r),
                times: times.map(|all| some(all, rows, &r)),
                value: some(value, rows, &r),
                slope: some(slope, rows, &r),
                dy: dy.next(&r),
                dtimes: of_times.map(|passed| (dtimes.next(&r), passed.adds)),
                dx: of_x.map(|passed| (dx.next(&r), passed.adds)),
                room: &mut room.numbers,
            });
            team.each(tasks, S::vectorize);
        }
        let depth = norm.map_or(0, |_| at.distinct[d.x.0]);
        let (of_table, sums) = room.split_at_mut(outs * depth);
        let sums = &mut sums[..if norm.is_some() { outs } else { 0 }];
        {
            let [mut dw, mut db] = [dw, db].map(|all| Deal::new(all, outs));
            let [mut of_table, mut sums] = [&mut *of_table, &mut *sums].map(|all| Deal::new(all, outs));
            let dy = &*dy;
            let tasks = parts_of(outs, TALL, team.parts()).zip(rooms.iter_mut()).map(|(part, room)| TableGrad {
                dims,
                first: part.start,
                dy,
                x,
                norm,
                dw: dw.next(&part),
                begins: begins[0],
                db: d.bias.map(|_| db.next(&part)),
                d: of_table.next(&part),
                sums: sums.next(&part),
                panel: &mut room.vectors,
            });
            team.each(tasks, S::vectorize);
        }
        if norm.is_some() {
            S::vectorize(NormGrad { w, d: of_table, sums, scale: &mut scale[..ins], shift: &mut shift[..ins] });
        }
    }

    fn attend(&mut self, step: &Step, reads: [Mat; 3], y: Mat) {
        let (at, number) = (self.memory.at, self.number);
        let Work { team, rooms, .. } = &mut self.work;
        let dims = at.lowered.attention(step, at.plan.chunk).expect("an attention");
        let passed = [0, 1, 2].map(|k| at.passed(number, k));
        let (to, m): (_, Memory<'_, S, 4>) = self.memory.write(passed.map(range));
        let mut to = to
            .into_iter()
            .zip(passed)
            .zip(reads)
            .map(|((to, passed), of)| passed.map(|passed| (ViewMut::rows(to, at.cols(of)), passed.adds)));
        let mut to: [_; 3] = std::array::from_fn(|_| to.next().flatten());
        let [q, k, v] = reads.map(|of| m.value(of));
        let (kept, y, dy) = (m.kept(number), m.value(y), m.grad(y));
        let tasks = parts_of(dims.heads, 1, team.parts()).zip(rooms.iter_mut()).map(|(heads, room)| {
            let mut columns = |k: usize, cols: usize| {
                let (to, there) = to[k].as_mut()?;
                Some((to.take_columns(heads.len() * cols / dims.heads), *there))
            };
            let (dq, dk, dv) = (columns(0, dims.cols), columns(1, dims.cols), columns(2, dims.value_cols));
            AttendGrad { dims, heads, q, k, v, kept, y, dy, dq, dk, dv, room: &mut room.vectors }
        });
        team.each(tasks, S::vectorize);
    }
}
