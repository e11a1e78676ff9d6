//! A matrix to be written, or some columns of it: what several threads can write to at the same time.

use super::contract::covers;
use std::marker::PhantomData;
use std::ops::Range;

/// A matrix inside a slice: element `(i, k)` is at `i·outer + k·inner`. It may be all that is borrowed of the slice, so that
/// others have other columns.
pub struct ViewMut<'a, S> {
    data: *mut S,
    shape: [usize; 2],
    steps: (usize, usize),
    slice: PhantomData<&'a mut [S]>,
}

// SAFETY: it is a slice of which it alone has these elements.
unsafe impl<S: Send> Send for ViewMut<'_, S> {}

impl<'a, S> ViewMut<'a, S> {
    /// Rows and columns so far apart.
    #[inline(always)]
    pub fn new(data: &'a mut [S], shape: [usize; 2], steps: (usize, usize)) -> Self {
        let [rows, cols] = shape;
        assert!(rows == 0 || cols == 0 || covers(shape, steps, data.len()), "view: result too short");
        ViewMut { data: data.as_mut_ptr(), shape, steps, slice: PhantomData }
    }

    /// A row-major matrix of `cols` columns.
    #[inline(always)]
    pub fn rows(data: &'a mut [S], cols: usize) -> Self {
        let rows = data.len() / cols;
        ViewMut::new(data, [rows, cols], (cols, 1))
    }

    /// Rows and columns.
    #[inline(always)]
    pub fn shape(&self) -> [usize; 2] {
        self.shape
    }

    /// Distances between rows and between columns.
    #[inline(always)]
    pub fn steps(&self) -> (usize, usize) {
        self.steps
    }

    /// Where its first element is.
    #[inline(always)]
    pub(super) fn start(&mut self) -> *mut S {
        self.data
    }

    /// Takes the first columns out.
    #[inline(always)]
    pub fn take_columns(&mut self, count: usize) -> Self {
        let [rows, cols] = self.shape;
        // Rows must not run into each other, and then no two elements are one.
        assert!(count <= cols && self.steps.1 == 1 && (rows < 2 || cols <= self.steps.0), "view: not columns");
        let taken = ViewMut { shape: [rows, count], ..*self };
        (self.data, self.shape) = (self.data.wrapping_add(count), [rows, cols - count]);
        taken
    }

    /// Some rows, and some columns of them.
    #[inline(always)]
    pub fn part(&mut self, rows: Range<usize>, cols: Range<usize>) -> ViewMut<'_, S> {
        let inside = |part: &Range<usize>, all: usize| part.start <= part.end && part.end <= all;
        assert!(inside(&rows, self.shape[0]) && inside(&cols, self.shape[1]), "view: part too large");
        let at = rows.start * self.steps.0 + cols.start * self.steps.1;
        ViewMut { data: self.data.wrapping_add(at), shape: [rows.len(), cols.len()], ..*self }
    }

    /// A row of adjacent columns.
    #[inline(always)]
    pub fn row(&mut self, i: usize) -> &mut [S] {
        assert!(i < self.shape[0] && self.steps.1 == 1, "view: no such row");
        // SAFETY: `new` checked that the slice has this row, which is this view's alone.
        unsafe { std::slice::from_raw_parts_mut(self.data.add(i * self.steps.0), self.shape[1]) }
    }
}
