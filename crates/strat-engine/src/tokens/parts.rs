//! A step cut into parts, one for each thread that works on it. Who does which part changes no number: a part's own rows,
//! columns or weights are all that it writes.

use crate::crew::Team;
use crate::kernels::by_row::ByRow;
use crate::simd::Simd;
use std::ops::Range;

/// Room for kernels, for each thread.
#[derive(Clone)]
pub(super) struct Room<S: Simd> {
    /// Vectors for attention and for sums.
    pub vectors: Vec<S>,
    /// Numbers for tables.
    pub numbers: Vec<S::Elem>,
}

/// What a step is done with.
pub(super) struct Work<'a, S: Simd> {
    pub team: &'a mut Team,
    /// At least as many as parts.
    pub rooms: &'a mut [Room<S>],
    /// What all threads say of a table's gradient.
    pub tables: &'a mut [S::Elem],
}

/// `0..count` in as many parts, if there are enough blocks of `block`; the first ones are the smaller ones, since their thread
/// hands out the others.
pub(super) fn parts_of(count: usize, block: usize, parts: usize) -> impl Iterator<Item = Range<usize>> {
    let blocks = count.div_ceil(block);
    let start = move |i: usize| (blocks * i / parts * block).min(count);
    (0..parts).map(move |i| start(i)..start(i + 1)).filter(|part| !part.is_empty())
}

/// Some of so many equally long rows.
pub(super) fn some<'a, T>(of: &'a [T], rows: usize, part: &Range<usize>) -> &'a [T] {
    let cols = of.len() / rows;
    &of[part.start * cols..part.end * cols]
}

/// So many equally long rows to be written, dealt out from the first on.
pub(super) struct Deal<'a, T> {
    left: &'a mut [T],
    cols: usize,
}

impl<'a, T> Deal<'a, T> {
    pub fn new(all: &'a mut [T], rows: usize) -> Self {
        Deal { cols: all.len() / rows, left: all }
    }

    /// The next rows, which are those of `part` if all before it have been dealt out.
    pub fn next(&mut self, part: &Range<usize>) -> &'a mut [T] {
        let (next, left) = std::mem::take(&mut self.left).split_at_mut(part.len() * self.cols);
        self.left = left;
        next
    }
}

/// Does what needs no other row.
pub(super) fn by_row<'a, S: Simd>(team: &mut Team, rows: usize, task: impl FnMut(Range<usize>) -> ByRow<'a, S>) {
    let tasks = parts_of(rows, 1, team.parts()).map(task);
    team.each(tasks, S::vectorize);
}
