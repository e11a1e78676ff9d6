//! `C[m,n] += Σₖ A[m,k] B[n,k]` with any strides: the one kernel behind linear maps,
//! their gradients, scores and routes.
//!
//! A tile of at most 4 × 4 sums stays in registers while `k` runs, so each load
//! serves up to four multiplications. Every sum runs over `k` in order, whatever the
//! tiling.

use crate::simd::{Kernel, Simd};

/// A matrix inside a slice: element `(i, k)` is at `i·outer + k·inner`.
#[derive(Clone, Copy)]
pub struct View<'a, S> {
    /// Where it lies.
    pub data: &'a [S],
    /// Distance between rows.
    pub outer: usize,
    /// Distance between columns.
    pub inner: usize,
}

impl<'a, S> View<'a, S> {
    /// A row-major matrix of `cols` columns.
    #[inline(always)]
    pub fn rows(data: &'a [S], cols: usize) -> Self {
        View { data, outer: cols, inner: 1 }
    }
    /// The same matrix, transposed.
    #[inline(always)]
    pub fn t(self) -> Self {
        View { data: self.data, outer: self.inner, inner: self.outer }
    }
    /// The same view, if it has as many rows and columns as are asked for; one without any has no strides.
    #[inline(always)]
    pub(super) fn checked(self, rows: usize, cols: usize, what: &str) -> Self {
        if rows == 0 || cols == 0 {
            return View { data: self.data, outer: 0, inner: 0 };
        }
        assert!(covers([rows, cols], (self.outer, self.inner), self.data.len()), "{what}: operand too short");
        self
    }
}

/// Whether a slice of `len` elements has `rows × cols` of them so far apart. There is at least one.
#[inline(always)]
pub(super) fn covers([rows, cols]: [usize; 2], (outer, inner): (usize, usize), len: usize) -> bool {
    let last = (rows - 1).checked_mul(outer).zip((cols - 1).checked_mul(inner));
    last.and_then(|(row, col)| row.checked_add(col)).is_some_and(|last| last < len)
}

/// `C[m,n] = Σₖ A[m,k] B[n,k]`, added to what is there if `accumulate`.
/// `C` has rows `c_outer` apart and adjacent columns.
#[inline(always)]
pub fn contract<S: Simd>(
    dims: [usize; 3],
    a: View<'_, S>,
    b: View<'_, S>,
    c: &mut [S],
    c_outer: usize,
    accumulate: bool,
) {
    if dims[0] > 0 && dims[1] > 0 {
        S::vectorize(Contract { dims, a, b, c, c_outer, accumulate });
    }
}

/// [`contract`], compiled once for all who call it.
struct Contract<'a, S> {
    dims: [usize; 3],
    a: View<'a, S>,
    b: View<'a, S>,
    c: &'a mut [S],
    c_outer: usize,
    accumulate: bool,
}

impl<S: Simd> Kernel for Contract<'_, S> {
    #[inline(always)]
    fn run(self) {
        let Contract { dims: [m, n, k], a, b, c, c_outer, accumulate } = self;
        let (a, b) = (a.checked(m, k, "contract"), b.checked(n, k, "contract"));
        assert!(covers([m, n], (c_outer, 1), c.len()), "contract: result too short");
        let mut i = 0;
        while i < m {
            let rows = (m - i).min(4);
            let mut j = 0;
            while j < n {
                let cols = (n - j).min(4);
                // SAFETY: the three asserts cover every element that the tiles touch.
                let t = unsafe {
                    Tile {
                        k,
                        a: a.data.as_ptr().add(i * a.outer),
                        b: b.data.as_ptr().add(j * b.outer),
                        c: c.as_mut_ptr().add(i * c_outer + j),
                        a_steps: (a.outer, a.inner),
                        b_steps: (b.outer, b.inner),
                        c_outer,
                        accumulate,
                    }
                };
                match rows {
                    4 => t.columns::<4>(cols),
                    3 => t.columns::<3>(cols),
                    2 => t.columns::<2>(cols),
                    _ => t.columns::<1>(cols),
                }
                j += cols;
            }
            i += rows;
        }
    }
}

struct Tile<S> {
    k: usize,
    a: *const S,
    b: *const S,
    c: *mut S,
    a_steps: (usize, usize),
    b_steps: (usize, usize),
    c_outer: usize,
    accumulate: bool,
}

impl<S: Simd> Tile<S> {
    #[inline(always)]
    fn columns<const M: usize>(self, cols: usize) {
        match cols {
            4 => self.run::<M, 4>(),
            3 => self.run::<M, 3>(),
            2 => self.run::<M, 2>(),
            _ => self.run::<M, 1>(),
        }
    }

    #[inline(always)]
    fn run<const M: usize, const N: usize>(self) {
        let mut sum = [[S::zero(); N]; M];
        let (mut a, mut b) = (self.a, self.b);
        // SAFETY: `Contract` made this tile inside what it checked.
        unsafe {
            for _ in 0..self.k {
                let mut bv = [S::zero(); N];
                for j in 0..N {
                    bv[j] = *b.add(j * self.b_steps.0);
                }
                for i in 0..M {
                    let av = *a.add(i * self.a_steps.0);
                    for j in 0..N {
                        sum[i][j] = av.fma(bv[j], sum[i][j]);
                    }
                }
                a = a.wrapping_add(self.a_steps.1);
                b = b.wrapping_add(self.b_steps.1);
            }
            for i in 0..M {
                for j in 0..N {
                    let c = &mut *self.c.add(i * self.c_outer + j);
                    *c = if self.accumulate { c.add(sum[i][j]) } else { sum[i][j] };
                }
            }
        }
    }
}
