//! The arena of a program, cut into matrices as the plan says.
//!
//! What gives out slices is not inlined, other than all vector code: it touches no vector, and a copy at every use would be
//! a third of what the kernels are compiled to.

use super::cut::{Rest, cut_one};
use super::graph::{Node, Term, Varies};
use super::kernels::affine;
use super::kernels::contract::View;
use super::plan::{Plan, Slot};

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
    /// Offset and length of a slot, and the distance between its examples (0: all the same).
    #[inline(always)]
    fn place(self, n: Node, slot: Slot) -> (usize, usize, usize) {
        match self.plan.graph.entry(n).varies {
            Varies::Never | Varies::ByStep => (slot.offset, slot.len, 0),
            Varies::ByBatch => (slot.offset + self.part.first * slot.len, self.part.count * slot.len, slot.len),
            Varies::ByExample => (slot.offset, self.part.count * slot.len, slot.len),
        }
    }

    /// Where example `i` of a node's value lies.
    #[inline(always)]
    pub fn example(self, n: Node, i: usize) -> std::ops::Range<usize> {
        let slot = self.plan.value[n.index()];
        let (start, _, step) = self.place(n, slot);
        start + i * step..start + i * step + slot.len
    }

    /// How many separate examples a node has in this part.
    #[inline(always)]
    pub fn examples(self, n: Node) -> usize {
        match self.plan.graph.entry(n).varies {
            Varies::Never | Varies::ByStep => 1,
            Varies::ByBatch | Varies::ByExample => self.part.count,
        }
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

    /// Where the rows of a term's call `i` of `calls` start in its operand.
    #[inline(always)]
    pub fn affine_rows(self, t: &Term, i: usize, calls: usize) -> usize {
        let len = if calls == 1 || self.examples(t.a) == 1 { 0 } else { self.plan.value[t.a.index()].len };
        i * len + t.rows.map_or(0, |r| r.start) * self.plan.graph.shape(t.a)[1]
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
    #[inline(never)]
    pub fn own(self, n: Node) -> (&'a mut [S], &'a mut [S], Memory<'a, S>) {
        let at = self.at;
        let (value, len, _) = at.place(n, at.plan.value[n.index()]);
        let (kept, kept_len, _) = at.place(n, at.plan.aux[n.index()]);
        // What is kept lies behind the value.
        let (own, rest) = cut_one(self.arena, value..kept + kept_len);
        let (y, kept) = own.split_at_mut(kept - value);
        (&mut y[..len], kept, Memory { at, rest })
    }

    /// A node's gradient, to be written, if it has one; and all else.
    #[inline(never)]
    pub fn grad(&mut self, n: Node) -> Option<(&mut [S], Memory<'_, S>)> {
        let (start, len, _) = self.at.place(n, self.at.plan.grad[n.index()]?);
        let (grad, rest) = cut_one(self.arena, start..start + len);
        Some((grad, Memory { at: self.at, rest }))
    }

    /// Example `i` of a node's gradient, to be written, if it has one; and all else.
    #[inline(never)]
    pub fn grad_example(&mut self, n: Node, i: usize) -> Option<(&mut [S], Memory<'_, S>)> {
        let slot = self.at.plan.grad[n.index()]?;
        let (start, _, step) = self.at.place(n, slot);
        let start = start + i * step;
        let (grad, rest) = cut_one(self.arena, start..start + slot.len);
        Some((grad, Memory { at: self.at, rest }))
    }
}

/// A program's matrices, to be read while one of them is written.
pub(crate) struct Memory<'a, S> {
    pub at: Layout<'a>,
    rest: Rest<'a, S, 2>,
}

impl<'a, S> Memory<'a, S> {
    #[inline(always)]
    fn all(&self, n: Node, slot: Slot) -> &'a [S] {
        let (start, len, _) = self.at.place(n, slot);
        self.rest.get(start..start + len)
    }

    #[inline(always)]
    fn one(&self, n: Node, slot: Slot, i: usize) -> &'a [S] {
        let (start, _, step) = self.at.place(n, slot);
        self.rest.get(start + i * step..start + i * step + slot.len)
    }

    /// A node's value, all examples of the part one after the other.
    #[inline(never)]
    pub fn value(&self, n: Node) -> &'a [S] {
        self.all(n, self.at.plan.value[n.index()])
    }

    /// Example `i` of a node's value.
    #[inline(never)]
    pub fn example(&self, n: Node, i: usize) -> &'a [S] {
        self.rest.get(self.at.example(n, i))
    }

    /// What the forward kernel kept for the backward one.
    #[inline(never)]
    pub fn kept(&self, n: Node) -> &'a [S] {
        self.all(n, self.at.plan.aux[n.index()])
    }

    /// Example `i` of it.
    #[inline(never)]
    pub fn kept_example(&self, n: Node, i: usize) -> &'a [S] {
        self.one(n, self.at.plan.aux[n.index()], i)
    }

    /// The gradient of a node that has one.
    #[inline(never)]
    pub fn grad(&self, n: Node) -> &'a [S] {
        self.all(n, self.at.plan.grad[n.index()].expect("a gradient"))
    }

    /// Example `i` of it.
    #[inline(never)]
    pub fn grad_example(&self, n: Node, i: usize) -> &'a [S] {
        self.one(n, self.at.plan.grad[n.index()].expect("a gradient"), i)
    }

    /// A term's operands in call `i` of `calls`.
    #[inline(never)]
    pub fn affine_term(&self, t: &Term, i: usize, calls: usize) -> affine::Term<'a, S> {
        let cols = self.at.plan.graph.shape(t.a)[1];
        let data = &self.value(t.a)[self.at.affine_rows(t, i, calls)..];
        let table = self.value(t.table);
        affine::Term {
            a: View { data, outer: cols * t.rows.map_or(1, |r| r.step), inner: 1 },
            b: if t.by_rows { View::rows(table, cols) } else { View::rows(table, table.len() / cols).t() },
            len: cols,
        }
    }
}
