//! A slice cut into parts that are written and the rest, which is only read: none can overlap another.

use std::ops::Range;

/// What is only read, in so many pieces with the place where each starts.
pub(crate) struct Rest<'a, T, const PIECES: usize>([(usize, &'a [T]); PIECES]);

// Not derived: that would ask the same of `T`.
impl<T, const PIECES: usize> Clone for Rest<'_, T, PIECES> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const PIECES: usize> Copy for Rest<'_, T, PIECES> {}

impl<'a, T, const PIECES: usize> Rest<'a, T, PIECES> {
    /// A range of the whole slice. Panics if some of it is written.
    #[inline(always)]
    pub fn get(&self, at: Range<usize>) -> &'a [T] {
        for (start, piece) in self.0 {
            if at.start >= start && at.end <= start + piece.len() {
                return &piece[at.start - start..at.end - start];
            }
        }
        is_written(at)
    }
}

/// Of a range that is in no piece.
#[cold]
#[inline(never)]
fn is_written<'a, T>(at: Range<usize>) -> &'a [T] {
    assert!(at.is_empty(), "{at:?} of the memory is read while some of it is written");
    &[]
}

/// Cuts one range out.
#[inline(always)]
pub(crate) fn cut_one<T>(of: &mut [T], at: Range<usize>) -> (&mut [T], Rest<'_, T, 2>) {
    let (before, from) = of.split_at_mut(at.start);
    let (own, after) = from.split_at_mut(at.end - at.start);
    (own, Rest([(0, before), (at.end, after)]))
}

/// Cuts out some ranges; `PIECES` is one more. Panics if two overlap.
pub(crate) fn cut<'a, T, const N: usize, const PIECES: usize>(
    of: &'a mut [T],
    at: [Range<usize>; N],
) -> ([&'a mut [T]; N], Rest<'a, T, PIECES>) {
    const { assert!(PIECES == N + 1) };
    let mut order: [usize; N] = std::array::from_fn(|i| i);
    // By where they start. There are at most five, and the library's sort would be compiled anew for every vector and `N`.
    for i in 1..N {
        let mut j = i;
        while j > 0 && at[order[j]].start < at[order[j - 1]].start {
            order.swap(j, j - 1);
            j -= 1;
        }
    }
    let mut own: [&'a mut [T]; N] = [(); N].map(|()| &mut [][..]);
    let mut rest = [(0, &[][..]); PIECES];
    let (mut left, mut start) = (of, 0);
    for (&i, piece) in order.iter().zip(&mut rest) {
        let Range { start: first, end } = at[i];
        if first < end {
            assert!(start <= first, "{:?} of the memory would be written twice", first..start.min(end));
            let (before, from) = left.split_at_mut(first - start);
            let (part, after) = from.split_at_mut(end - first);
            *piece = (start, before);
            (own[i], left, start) = (part, after, end);
        }
    }
    rest[N] = (start, left);
    (own, Rest(rest))
}
