//! The arena of a program, cut into matrices as the plan says.

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

/// A program's matrices for one part of the batch.
///
/// SAFETY of every access: slots of different matrices never overlap (the plan reserves
/// each range once), a kernel asks for one writable slice at a time and only of its own
/// node or of a gradient, and never holds it together with a readable slice of the same
/// matrix.
pub(crate) struct Memory<'a, S> {
    pub plan: &'a Plan,
    pub part: Part,
    arena: *mut S,
}

impl<'a, S> Memory<'a, S> {
    pub fn new(plan: &'a Plan, arena: &'a mut [S], part: Part) -> Self {
        assert_eq!(arena.len(), plan.arena);
        Memory { plan, part, arena: arena.as_mut_ptr() }
    }

    /// Offset and length of a slot, and the distance between its examples (0: all the same).
    #[inline(always)]
    fn place(&self, n: Node, slot: Slot) -> (usize, usize, usize) {
        match self.plan.graph.entry(n).varies {
            Varies::Never | Varies::ByStep => (slot.offset, slot.len, 0),
            Varies::ByBatch => (slot.offset + self.part.first * slot.len, self.part.count * slot.len, slot.len),
            Varies::ByExample => (slot.offset, self.part.count * slot.len, slot.len),
        }
    }

    #[inline(always)]
    fn get(&self, at: usize, len: usize) -> &'a [S] {
        debug_assert!(at + len <= self.plan.arena);
        unsafe { std::slice::from_raw_parts(self.arena.add(at), len) }
    }

    #[inline(always)]
    fn get_mut(&self, at: usize, len: usize) -> &'a mut [S] {
        debug_assert!(at + len <= self.plan.arena);
        unsafe { std::slice::from_raw_parts_mut(self.arena.add(at), len) }
    }

    /// How many separate examples a node has in this part.
    #[inline(always)]
    pub fn examples(&self, n: Node) -> usize {
        match self.plan.graph.entry(n).varies {
            Varies::Never | Varies::ByStep => 1,
            Varies::ByBatch | Varies::ByExample => self.part.count,
        }
    }

    /// A node's value, all examples of the part one after the other.
    #[inline(always)]
    pub fn value(&self, n: Node) -> &'a [S] {
        let (at, len, _) = self.place(n, self.plan.value[n.index()]);
        self.get(at, len)
    }

    /// The same, to be written.
    #[inline(always)]
    pub fn value_mut(&self, n: Node) -> &'a mut [S] {
        let (at, len, _) = self.place(n, self.plan.value[n.index()]);
        self.get_mut(at, len)
    }

    /// Example `i` of a node's value.
    #[inline(always)]
    pub fn example(&self, n: Node, i: usize) -> &'a [S] {
        let slot = self.plan.value[n.index()];
        let (at, _, step) = self.place(n, slot);
        self.get(at + i * step, slot.len)
    }

    /// The same, to be written.
    #[inline(always)]
    pub fn example_mut(&self, n: Node, i: usize) -> &'a mut [S] {
        let slot = self.plan.value[n.index()];
        let (at, _, step) = self.place(n, slot);
        self.get_mut(at + i * step, slot.len)
    }

    /// A run of trained weights, to be written, and of their gradients.
    #[inline(always)]
    pub fn trained(&self, (value, grad, len): (usize, usize, usize)) -> (&'a mut [S], &'a [S]) {
        (self.get_mut(value, len), self.get(grad, len))
    }

    /// What the forward kernel keeps for the backward one.
    #[inline(always)]
    pub fn aux(&self, n: Node) -> &'a mut [S] {
        let (at, len, _) = self.place(n, self.plan.aux[n.index()]);
        self.get_mut(at, len)
    }

    /// A node's gradient, if it has one.
    #[inline(always)]
    pub fn grad(&self, n: Node) -> Option<&'a mut [S]> {
        let (at, len, _) = self.place(n, self.plan.grad[n.index()]?);
        Some(self.get_mut(at, len))
    }

    /// Example `i` of a node's gradient.
    #[inline(always)]
    pub fn grad_example(&self, n: Node, i: usize) -> Option<&'a mut [S]> {
        let slot = self.plan.grad[n.index()]?;
        let (at, _, step) = self.place(n, slot);
        Some(self.get_mut(at + i * step, slot.len))
    }

    /// How many kernel calls these terms of an `Affine` node take, and the rows of each:
    /// one for all examples where their rows are contiguous, else one per example.
    #[inline(always)]
    pub fn affine_calls(&self, n: Node, terms: &[Term]) -> (usize, usize) {
        let (rows, examples) = (self.plan.graph.entry(n).rows, self.examples(n));
        let mut apart = false;
        for t in terms {
            apart |= t.rows.is_some() || self.examples(t.a) != examples;
        }
        if apart { (examples, rows) } else { (1, examples * rows) }
    }

    /// Where the rows of a term's call `i` of `calls` start in its operand.
    #[inline(always)]
    pub fn affine_rows(&self, t: &Term, i: usize, calls: usize) -> usize {
        let len = if calls == 1 || self.examples(t.a) == 1 { 0 } else { self.plan.value[t.a.index()].len };
        i * len + t.rows.map_or(0, |r| r.start) * self.plan.graph.shape(t.a)[1]
    }

    /// A term's operands in call `i` of `calls`.
    #[inline(always)]
    pub fn affine_term(&self, t: &Term, i: usize, calls: usize) -> affine::Term<'a, S> {
        let cols = self.plan.graph.shape(t.a)[1];
        let data = &self.value(t.a)[self.affine_rows(t, i, calls)..];
        let table = self.value(t.table);
        affine::Term {
            a: View { data, outer: cols * t.rows.map_or(1, |r| r.step), inner: 1 },
            b: if t.by_rows { View::rows(table, cols) } else { View::rows(table, table.len() / cols).t() },
            len: cols,
        }
    }
}
