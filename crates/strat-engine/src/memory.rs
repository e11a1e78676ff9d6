//! The arena of a program, cut into matrices as the plan says.

use super::cut::{Rest, cut, cut_one};
use super::graph::{Node, Term};
use super::kernels::affine;
use super::kernels::contract::View;
use super::plan::{Plan, Slot};
use std::ops::Range;

/// The examples a kernel works on: `count` from `first` of the batch.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub first: usize,
    pub count: usize,
}

impl Part {
    /// For nodes that are the same for all examples.
    pub const NONE: Part = Part { first: 0, count: 1 };
}

/// Where a program's matrices for one part of the batch lie.
#[derive(Clone, Copy)]
pub(crate) struct Layout<'a> {
    pub plan: &'a Plan,
    pub part: Part,
}

impl Layout<'_> {
    /// All examples of the part, one after the other.
    #[inline(always)]
    fn all(self, slot: Slot) -> Range<usize> {
        let start = slot.offset + self.part.first * slot.batch_step;
        start..start + if slot.step == 0 { slot.len } else { self.part.count * slot.len }
    }

    /// Example `i` of the part.
    #[inline(always)]
    fn one(self, slot: Slot, i: usize) -> Range<usize> {
        let start = slot.offset + self.part.first * slot.batch_step + i * slot.step;
        start..start + slot.len
    }

    /// Where example `i` of a node's value lies.
    #[inline(always)]
    pub fn example(self, n: Node, i: usize) -> Range<usize> {
        self.one(self.plan.value[n.index()], i)
    }

    /// How many separate examples a node has in this part.
    #[inline(always)]
    pub fn examples(self, n: Node) -> usize {
        if self.plan.value[n.index()].step == 0 { 1 } else { self.part.count }
    }

    /// How many kernel calls `a + b` or `a ⊙ b` takes: one for all examples, unless each has a row of its own for all
    /// rows of the other operand.
    #[inline(always)]
    pub fn broadcast_calls(self, n: Node, b: Node) -> usize {
        let one_row = self.plan.graph.shape(b)[0] < self.plan.graph.entry(n).rows;
        if one_row && self.examples(b) > 1 { self.examples(n) } else { 1 }
    }

    /// How many kernel calls these terms of an `Affine` node take, and the rows of each:
    /// one for all examples where their rows are contiguous, else one per example.
    #[inline(always)]
    pub fn affine_calls(self, n: Node, terms: &[Term]) -> (usize, usize) {
        let (rows, examples) = (self.plan.graph.entry(n).rows, self.examples(n));
        let mut apart = false;
        for t in terms {
            apart |= t.rows.is_some() || self.examples(t.a) != examples;
        }
        if apart { (examples, rows) } else { (1, examples * rows) }
    }

    /// Where the rows of a term's first call start in its operand, and how far those of the next call are.
    #[inline(always)]
    pub fn affine_rows(self, t: &Term, calls: usize) -> (usize, usize) {
        let first = t.rows.map_or(0, |r| r.start) * self.plan.graph.shape(t.a)[1];
        (first, if calls == 1 { 0 } else { self.plan.value[t.a.index()].step })
    }
}

/// A program's matrices, of which one at a time can be written.
pub(crate) struct Arena<'a, S> {
    pub at: Layout<'a>,
    arena: &'a mut [S],
}

impl<'a, S> Arena<'a, S> {
    pub fn new(plan: &'a Plan, arena: &'a mut [S], part: Part) -> Self {
        assert_eq!(arena.len(), plan.arena);
        Arena { at: Layout { plan, part }, arena }
    }

    /// A node's value and what its kernel keeps for backward, both to be written; and all else.
    #[inline(always)]
    pub fn own(self, n: Node) -> (&'a mut [S], &'a mut [S], Memory<'a, S>) {
        let at = self.at;
        let (value, kept) = (at.all(at.plan.value[n.index()]), at.all(at.plan.aux[n.index()]));
        // What is kept lies behind the value.
        let (own, rest) = cut_one(self.arena, value.start..kept.end);
        let (y, kept) = own.split_at_mut(kept.start - value.start);
        (&mut y[..value.len()], kept, Memory { at, rest })
    }

    /// A node's gradient, to be written, if it has one; and all else.
    #[inline(always)]
    pub fn grad(&mut self, n: Node) -> Option<(&mut [S], Memory<'_, S>)> {
        let (grad, rest) = cut_one(self.arena, self.at.all(self.at.plan.grad[n.index()]?));
        Some((grad, Memory { at: self.at, rest }))
    }

    /// Example `i` of a node's gradient, to be written, if it has one; and all else.
    #[inline(always)]
    pub fn grad_example(&mut self, n: Node, i: usize) -> Option<(&mut [S], Memory<'_, S>)> {
        let (grad, rest) = cut_one(self.arena, self.at.one(self.at.plan.grad[n.index()]?, i));
        Some((grad, Memory { at: self.at, rest }))
    }

    /// Example `i` of some nodes' gradients, to be written, of those that have one; and all else. `PIECES` is one more.
    #[inline(always)]
    pub fn grads_example<const N: usize, const PIECES: usize>(
        &mut self,
        nodes: [Node; N],
        i: usize,
    ) -> ([Option<&mut [S]>; N], Memory<'_, S, PIECES>) {
        let at = self.at;
        self.cut_grads(nodes.map(|n| at.plan.grad[n.index()]), |slot| at.one(slot, i))
    }

    /// The same for all examples of the part, one after the other.
    #[inline(always)]
    pub fn grads<const N: usize, const PIECES: usize>(
        &mut self,
        nodes: [Option<Node>; N],
    ) -> ([Option<&mut [S]>; N], Memory<'_, S, PIECES>) {
        let at = self.at;
        self.cut_grads(nodes.map(|n| at.plan.grad[n?.index()]), |slot| at.all(slot))
    }

    #[inline(always)]
    fn cut_grads<const N: usize, const PIECES: usize>(
        &mut self,
        slots: [Option<Slot>; N],
        range: impl Fn(Slot) -> Range<usize>,
    ) -> ([Option<&mut [S]>; N], Memory<'_, S, PIECES>) {
        let at = self.at;
        let (own, rest) = cut(self.arena, slots.map(|slot| slot.map_or(0..0, &range)));
        let mut has = slots.iter().map(Option::is_some);
        (own.map(|own| has.next().unwrap_or_default().then_some(own)), Memory { at, rest })
    }
}

/// A program's matrices, to be read while some of them are written.
pub(crate) struct Memory<'a, S, const PIECES: usize = 2> {
    pub at: Layout<'a>,
    rest: Rest<'a, S, PIECES>,
}

impl<'a, S, const PIECES: usize> Memory<'a, S, PIECES> {
    /// A node's value, all examples of the part one after the other.
    #[inline(always)]
    pub fn value(&self, n: Node) -> &'a [S] {
        self.rest.get(self.at.all(self.at.plan.value[n.index()]))
    }

    /// Example `i` of a node's value.
    #[inline(always)]
    pub fn example(&self, n: Node, i: usize) -> &'a [S] {
        self.rest.get(self.at.example(n, i))
    }

    /// What the forward kernel kept for the backward one.
    #[inline(always)]
    pub fn kept(&self, n: Node) -> &'a [S] {
        self.rest.get(self.at.all(self.at.plan.aux[n.index()]))
    }

    /// Example `i` of it.
    #[inline(always)]
    pub fn kept_example(&self, n: Node, i: usize) -> &'a [S] {
        self.rest.get(self.at.one(self.at.plan.aux[n.index()], i))
    }

    /// The gradient of a node that has one.
    #[inline(always)]
    pub fn grad(&self, n: Node) -> &'a [S] {
        self.rest.get(self.at.all(self.at.plan.grad[n.index()].expect("a gradient")))
    }

    /// Example `i` of it.
    #[inline(always)]
    pub fn grad_example(&self, n: Node, i: usize) -> &'a [S] {
        self.rest.get(self.at.one(self.at.plan.grad[n.index()].expect("a gradient"), i))
    }

    /// A term's operands in the first of so many calls, and how far those of the next call are.
    #[inline(always)]
    pub fn affine_term(&self, t: &Term, calls: usize) -> (affine::Term<'a, S>, usize) {
        let cols = self.at.plan.graph.shape(t.a)[1];
        let (first, step) = self.at.affine_rows(t, calls);
        let table = self.value(t.table);
        let term = affine::Term {
            a: View { data: &self.value(t.a)[first..], outer: cols * t.rows.map_or(1, |r| r.step), inner: 1 },
            b: if t.by_rows { View::rows(table, cols) } else { View::rows(table, table.len() / cols).t() },
            len: cols,
        };
        (term, step)
    }
}
