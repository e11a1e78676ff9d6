//! The memory of a program with rows on lanes, cut into matrices and tables as the plan says.
//!
//! What gives out slices is not inlined, other than vector code: it touches no vector, and kernels here are long.

use super::lower::{Lowered, Mat, Weights};
use super::plan::{Passed, Plan};
use crate::cut::{Rest, cut};
use crate::simd::Simd;
use std::ops::Range;

/// Where a program's matrices and tables for one chunk of the batch lie.
#[derive(Clone, Copy)]
pub(super) struct Layout<'a> {
    pub lowered: &'a Lowered,
    pub plan: &'a Plan,
    pub chunk: usize,
    /// Of each matrix, its columns up to and with the first that all later ones are like.
    pub distinct: &'a [usize],
}

impl<'a> Layout<'a> {
    #[inline(always)]
    pub fn cols(self, m: Mat) -> usize {
        self.lowered.mats[m.0].cols
    }

    /// A matrix.
    #[inline(always)]
    pub fn value(self, m: Mat) -> Range<usize> {
        let at = &self.plan.value[m.0];
        let by = if self.lowered.mats[m.0].by_batch { self.chunk * (at.end - at.start) } else { 0 };
        at.start + by..at.end + by
    }

    /// What step `i` keeps for backward.
    #[inline(always)]
    pub fn kept(self, i: usize) -> Range<usize> {
        self.plan.kept[i].clone()
    }

    /// The gradient of a matrix that has one.
    #[inline(always)]
    pub fn grad(self, m: Mat) -> Range<usize> {
        self.plan.grad[m.0].clone()
    }

    /// Where what step `i` passes on to its operand `k` goes, if it has a gradient.
    #[inline(always)]
    pub fn passed(self, i: usize, k: usize) -> Option<&'a Passed> {
        self.plan.passed[i].get(k)?.as_ref()
    }

    /// A parameter; nothing for none.
    #[inline(always)]
    pub fn table(self, w: Option<Weights>) -> Range<usize> {
        w.map_or(0..0, |w| {
            let t = &self.lowered.tables[w.0];
            t.offset..t.offset + t.len
        })
    }
}

/// A program's memory, of which some matrices at a time can be written.
pub(super) struct Arena<'a, S: Simd> {
    pub at: Layout<'a>,
    arena: &'a mut [S],
    weights: &'a [S::Elem],
    gradients: &'a mut [S::Elem],
}

impl<'a, S: Simd> Arena<'a, S> {
    pub fn new(at: Layout<'a>, arena: &'a mut [S], weights: &'a [S], gradients: &'a mut [S]) -> Self {
        assert_eq!(arena.len(), at.plan.arena);
        Arena { at, arena, weights: S::numbers(weights), gradients: S::numbers_mut(gradients) }
    }

    /// Some ranges, to be written; the rest, to be read. `PIECES` is one more than there are ranges.
    pub fn write<const N: usize, const PIECES: usize>(
        &mut self,
        ranges: [Range<usize>; N],
    ) -> ([&mut [S]; N], Memory<'_, S, PIECES>) {
        let (own, rest) = cut(self.arena, ranges);
        (own, Memory { at: self.at, weights: self.weights, rest })
    }

    /// The same with the gradients of some parameters, to be written too.
    #[allow(clippy::type_complexity)]
    pub fn write_with<const N: usize, const PIECES: usize, const TABLES: usize, const GAPS: usize>(
        &mut self,
        ranges: [Range<usize>; N],
        tables: [Option<Weights>; TABLES],
    ) -> ([&mut [S]; N], [&mut [S::Elem]; TABLES], Memory<'_, S, PIECES>) {
        let (own, rest) = cut(self.arena, ranges);
        let (gradients, _) = cut::<_, TABLES, GAPS>(self.gradients, tables.map(|w| self.at.table(w)));
        (own, gradients, Memory { at: self.at, weights: self.weights, rest })
    }
}

/// What is only read.
pub(super) struct Memory<'a, S: Simd, const PIECES: usize> {
    pub at: Layout<'a>,
    weights: &'a [S::Elem],
    rest: Rest<'a, S, PIECES>,
}

impl<'a, S: Simd, const PIECES: usize> Memory<'a, S, PIECES> {
    /// A matrix.
    #[inline(never)]
    pub fn value(&self, m: Mat) -> &'a [S] {
        self.rest.get(self.at.value(m))
    }

    /// The gradient of a matrix that has one.
    #[inline(never)]
    pub fn grad(&self, m: Mat) -> &'a [S] {
        self.rest.get(self.at.grad(m))
    }

    /// What step `i` kept.
    #[inline(never)]
    pub fn kept(&self, i: usize) -> &'a [S] {
        self.rest.get(self.at.kept(i))
    }

    /// What lies there.
    #[inline(never)]
    pub fn range(&self, at: Range<usize>) -> &'a [S] {
        self.rest.get(at)
    }

    /// A parameter.
    #[inline(never)]
    pub fn weights(&self, w: Weights) -> &'a [S::Elem] {
        &self.weights[self.at.table(Some(w))]
    }
}
