//! One step, forward.

use super::lower::Step;
use super::memory::{Arena, Memory};
use super::parts::{Deal, Work, by_row, parts_of, some};
use crate::kernels::attention::Attend;
use crate::kernels::by_row::{ByRow, CrossEntropy};
use crate::kernels::columns::ViewMut;
use crate::kernels::dense::{Act, Dense, Norm};
use crate::simd::Simd;

/// Does a step, the one with this number, for a chunk.
pub(super) fn compute<S: Simd>(
    mut memory: Arena<'_, S>,
    (number, step): (usize, &Step),
    work: Work<'_, S>,
    loss: &mut S,
) {
    let (at, Work { team, rooms, .. }) = (memory.at, work);
    let rows = at.plan.rows;
    // The loss makes no matrix.
    let own = step.makes().map_or(0..0, |y| at.value(y));
    let ([y, kept], m): (_, Memory<'_, S, 3>) = memory.write([own, at.kept(number)]);
    match step {
        Step::Norm { x, .. } => {
            let (cols, x) = (at.cols(*x), m.value(*x));
            let (mut y, mut kept) = (Deal::new(y, rows), Deal::new(&mut kept[..rows], rows));
            by_row(team, rows, |r| ByRow::Norm(cols, some(x, rows, &r), y.next(&r), kept.next(&r)));
        }
        Step::Dense(d) => {
            let dims = [at.cols(d.y), at.cols(d.x)];
            let one = y.len();
            let (value, slope) = match (d.act, d.times) {
                (Act::Gelu, Some(_)) => kept[..2 * one].split_at_mut(one),
                (Act::Gelu, None) => (&mut [][..], &mut kept[..one]),
                _ => (&mut [][..], &mut [][..]),
            };
            let (x, w, distinct) = (m.value(d.x), m.weights(d.w), at.distinct[d.x.0]);
            let norm = d.norm.map(|[scale, shift]| Norm { scale: m.weights(scale), shift: m.weights(shift) });
            let bias = d.bias.map(|b| m.weights(b));
            let [residual, times] = [d.residual, d.times].map(|other| other.map(|other| m.value(other)));
            let [mut y, mut value, mut slope] = [y, value, slope].map(|all| Deal::new(all, rows));
            let tasks = parts_of(rows, 1, team.parts()).zip(rooms).map(|(r, room)| Dense {
                dims,
                x: some(x, rows, &r),
                distinct,
                w,
                norm,
                bias,
                residual: residual.map(|all| some(all, rows, &r)),
                act: d.act,
                times: times.map(|all| some(all, rows, &r)),
                value: value.next(&r),
                slope: slope.next(&r),
                y: y.next(&r),
                room: &mut room.numbers,
            });
            team.each(tasks, S::vectorize);
        }
        Step::Attend { q, k, v, .. } => {
            let dims = at.lowered.attention(step, at.plan.chunk).expect("an attention");
            let (q, k, v) = (m.value(*q), m.value(*k), m.value(*v));
            let (value_width, by_head) = (dims.value_cols / dims.heads, dims.kept_by_head(S::LANES));
            let mut y = ViewMut::rows(y, dims.value_cols);
            let mut kept = ViewMut::rows(&mut kept[..dims.kept(S::LANES)], dims.heads * by_head);
            let tasks = parts_of(dims.heads, 1, team.parts()).zip(rooms).map(|(heads, room)| Attend {
                dims,
                q,
                k,
                v,
                kept: kept.take_columns(heads.len() * by_head),
                y: y.take_columns(heads.len() * value_width),
                heads,
                room: &mut room.vectors,
            });
            team.each(tasks, S::vectorize);
        }
        Step::Add { a, b, .. } => {
            let (operands, mut y) = ([*a, *b].map(|x| m.value(x)), Deal::new(y, rows));
            by_row(team, rows, |r| ByRow::Add(operands.map(|all| some(all, rows, &r)), y.next(&r)));
        }
        Step::Mul { a, b, .. } => {
            let (operands, mut y) = ([*a, *b].map(|x| m.value(x)), Deal::new(y, rows));
            by_row(team, rows, |r| ByRow::Mul(operands.map(|all| some(all, rows, &r)), y.next(&r)));
        }
        Step::Concat { parts, y: all } => {
            let (all, mut start) = (at.cols(*all), 0);
            for &p in parts {
                let (cols, x, mut y) = (at.cols(p), m.value(p), Deal::new(&mut *y, rows));
                by_row(team, rows, |r| ByRow::Columns((some(x, rows, &r), cols), (y.next(&r), all), start));
                start += cols;
            }
        }
        Step::CrossEntropy { x, target, weight } => {
            let (cols, target, weight) = (at.cols(*x), m.value(*target), m.value(*weight));
            S::vectorize(CrossEntropy { cols, x: m.value(*x), target, weight, kept, sum: loss });
        }
    }
}
