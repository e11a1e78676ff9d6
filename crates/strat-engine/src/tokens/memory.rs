//! The memory of a program with rows on lanes, cut into matrices and tables as the plan says.

use super::lower::{Lowered, Mat, Weights};
use super::plan::Plan;
use crate::simd::Simd;
use std::marker::PhantomData;
use std::ops::Range;

/// Ranges of a slice, several at a time.
///
/// SAFETY of every access: the plan gives matrices that are needed at the same time ranges apart, a parameter's range
/// is its own, and a step asks for each range that it writes once, while it holds no other reference to it.
struct Ranges<'a, T> {
    start: *mut T,
    len: usize,
    of: PhantomData<&'a mut [T]>,
}

impl<'a, T> Ranges<'a, T> {
    fn new(of: &'a mut [T]) -> Self {
        Ranges { start: of.as_mut_ptr(), len: of.len(), of: PhantomData }
    }

    #[inline(always)]
    fn get(&self, at: Range<usize>) -> &'a [T] {
        assert!(at.start <= at.end && at.end <= self.len);
        unsafe { std::slice::from_raw_parts(self.start.add(at.start), at.end - at.start) }
    }

    #[inline(always)]
    fn get_mut(&self, at: Range<usize>) -> &'a mut [T] {
        assert!(at.start <= at.end && at.end <= self.len);
        unsafe { std::slice::from_raw_parts_mut(self.start.add(at.start), at.end - at.start) }
    }
}

/// A program's matrices and tables for one chunk of the batch.
pub(super) struct Memory<'a, S: Simd> {
    pub lowered: &'a Lowered,
    pub plan: &'a Plan,
    pub chunk: usize,
    /// Of each matrix, its columns up to and with the first that all later ones are like.
    pub distinct: &'a [usize],
    arena: Ranges<'a, S>,
    weights: &'a [S::Elem],
    gradients: Ranges<'a, S::Elem>,
}

impl<'a, S: Simd> Memory<'a, S> {
    pub fn new(
        (lowered, plan, distinct, chunk): (&'a Lowered, &'a Plan, &'a [usize], usize),
        arena: &'a mut [S],
        weights: &'a [S],
        gradients: &'a mut [S],
    ) -> Self {
        assert_eq!(arena.len(), plan.arena);
        let (weights, gradients) = (S::numbers(weights), Ranges::new(S::numbers_mut(gradients)));
        Memory { lowered, plan, distinct, chunk, arena: Ranges::new(arena), weights, gradients }
    }

    #[inline(always)]
    pub fn cols(&self, m: Mat) -> usize {
        self.lowered.mats[m.0].cols
    }

    #[inline(always)]
    fn place(&self, m: Mat) -> Range<usize> {
        let at = &self.plan.value[m.0];
        let by = if self.lowered.mats[m.0].by_batch { self.chunk * (at.end - at.start) } else { 0 };
        at.start + by..at.end + by
    }

    /// A matrix.
    #[inline(always)]
    pub fn value(&self, m: Mat) -> &'a [S] {
        self.arena.get(self.place(m))
    }

    /// The same, to be written.
    #[inline(always)]
    pub fn value_mut(&self, m: Mat) -> &'a mut [S] {
        self.arena.get_mut(self.place(m))
    }

    /// A matrix's gradient, if it has one.
    #[inline(always)]
    pub fn grad(&self, m: Mat) -> Option<&'a mut [S]> {
        (!self.lowered.mats[m.0].by_batch).then(|| self.arena.get_mut(self.plan.grad[m.0].clone()))
    }

    /// What step `i` keeps for backward.
    #[inline(always)]
    pub fn kept(&self, i: usize) -> &'a mut [S] {
        self.arena.get_mut(self.plan.kept[i].clone())
    }

    #[inline(always)]
    fn table(&self, w: Weights) -> Range<usize> {
        let t = &self.lowered.tables[w.0];
        t.offset..t.offset + t.len
    }

    /// A parameter.
    #[inline(always)]
    pub fn weights(&self, w: Weights) -> &'a [S::Elem] {
        &self.weights[self.table(w)]
    }

    /// Its gradient.
    #[inline(always)]
    pub fn gradient(&self, w: Weights) -> &'a mut [S::Elem] {
        self.gradients.get_mut(self.table(w))
    }
}
