//! `C[m,n] += Σₖ A[m,k] B[n,k]` with any strides: the one kernel behind linear maps,
//! their gradients, scores and routes.
//!
//! A tile of at most 4 × 4 sums stays in registers while `k` runs, so each load
//! serves up to four multiplications. Every sum runs over `k` in order, whatever the
//! tiling.

use crate::engine::simd::Simd;

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
    #[inline(always)]
    fn covers(&self, outer: usize, inner: usize) -> bool {
        outer == 0 || inner == 0 || (outer - 1) * self.outer + (inner - 1) * self.inner < self.data.len()
    }
}

/// `C[m,n] = Σₖ A[m,k] B[n,k]`, added to what is there if `accumulate`.
/// `C` has rows `c_outer` apart and adjacent columns.
#[inline(always)]
pub fn contract<S: Simd>(
    [m, n, k]: [usize; 3],
    a: View<'_, S>,
    b: View<'_, S>,
    c: &mut [S],
    c_outer: usize,
    accumulate: bool,
) {
    assert!(a.covers(m, k) && b.covers(n, k), "contract: operand too short");
    assert!(m == 0 || n == 0 || (m - 1) * c_outer + n <= c.len(), "contract: result too short");
    let mut i = 0;
    while i < m {
        let rows = (m - i).min(4);
        let mut j = 0;
        while j < n {
            let cols = (n - j).min(4);
            let (ad, bd) = (&a.data[(i * a.outer).min(a.data.len())..], &b.data[(j * b.outer).min(b.data.len())..]);
            let (a, b) = (View { data: ad, ..a }, View { data: bd, ..b });
            let c = &mut c[i * c_outer + j..];
            match (rows, cols) {
                (4, 4) => tile::<S, 4, 4>(k, a, b, c, c_outer, accumulate),
                (4, 3) => tile::<S, 4, 3>(k, a, b, c, c_outer, accumulate),
                (4, 2) => tile::<S, 4, 2>(k, a, b, c, c_outer, accumulate),
                (4, _) => tile::<S, 4, 1>(k, a, b, c, c_outer, accumulate),
                (3, 4) => tile::<S, 3, 4>(k, a, b, c, c_outer, accumulate),
                (3, 3) => tile::<S, 3, 3>(k, a, b, c, c_outer, accumulate),
                (3, 2) => tile::<S, 3, 2>(k, a, b, c, c_outer, accumulate),
                (3, _) => tile::<S, 3, 1>(k, a, b, c, c_outer, accumulate),
                (2, 4) => tile::<S, 2, 4>(k, a, b, c, c_outer, accumulate),
                (2, 3) => tile::<S, 2, 3>(k, a, b, c, c_outer, accumulate),
                (2, 2) => tile::<S, 2, 2>(k, a, b, c, c_outer, accumulate),
                (2, _) => tile::<S, 2, 1>(k, a, b, c, c_outer, accumulate),
                (_, 4) => tile::<S, 1, 4>(k, a, b, c, c_outer, accumulate),
                (_, 3) => tile::<S, 1, 3>(k, a, b, c, c_outer, accumulate),
                (_, 2) => tile::<S, 1, 2>(k, a, b, c, c_outer, accumulate),
                (_, _) => tile::<S, 1, 1>(k, a, b, c, c_outer, accumulate),
            }
            j += cols;
        }
        i += rows;
    }
}

#[inline(always)]
fn tile<S: Simd, const M: usize, const N: usize>(
    k: usize,
    a: View<'_, S>,
    b: View<'_, S>,
    c: &mut [S],
    c_outer: usize,
    accumulate: bool,
) {
    let mut sum = [[S::zero(); N]; M];
    for p in 0..k {
        // SAFETY: `contract` checked that both operands cover every (row, k) it tiles.
        let bv: [S; N] = std::array::from_fn(|j| unsafe { *b.data.get_unchecked(j * b.outer + p * b.inner) });
        for i in 0..M {
            let av = unsafe { *a.data.get_unchecked(i * a.outer + p * a.inner) };
            for j in 0..N {
                sum[i][j] = av.fma(bv[j], sum[i][j]);
            }
        }
    }
    for i in 0..M {
        for j in 0..N {
            // SAFETY: `contract` checked the extent of the result.
            let c = unsafe { c.get_unchecked_mut(i * c_outer + j) };
            *c = if accumulate { c.add(sum[i][j]) } else { sum[i][j] };
        }
    }
}
