//! `Y = act(Σ terms + bias)`: sums of products that share their result, kept in registers
//! until the bias and the activation are applied.

use super::contract::{View, contract};
use super::elementwise;
use super::large::{ContractLarge, LARGE};
use crate::simd::{Kernel, Simd};

/// Most terms one operation can have.
pub const MAX_TERMS: usize = 4;

/// One product `A[m,k] B[n,k]`, summed over `len` values of `k`.
#[derive(Clone, Copy)]
pub struct Term<'a, S> {
    /// Rows.
    pub a: View<'a, S>,
    /// Table.
    pub b: View<'a, S>,
    /// How many `k`.
    pub len: usize,
}

impl<S> Term<'_, S> {
    /// No product at all.
    pub(crate) const NONE: Self =
        Term { a: View { data: &[], outer: 0, inner: 1 }, b: View { data: &[], outer: 0, inner: 1 }, len: 0 };

    /// The same with rows from `at` on.
    #[inline(always)]
    pub(crate) fn from(mut self, at: usize) -> Self {
        self.a.data = &self.a.data[at..];
        self
    }
}

/// `y[m,n] = act(bias[n] + Σ_terms Σₖ A[m,k] B[n,k])`, `y` row-major.
#[inline(always)]
pub fn affine<S: Simd>(m: usize, n: usize, terms: &[Term<'_, S>], bias: Option<&[S]>, sigmoid: bool, y: &mut [S]) {
    S::vectorize(Affine { m, n, terms, bias, sigmoid, y });
}

/// [`affine`], compiled once for all who call it.
struct Affine<'a, S> {
    m: usize,
    n: usize,
    terms: &'a [Term<'a, S>],
    bias: Option<&'a [S]>,
    sigmoid: bool,
    y: &'a mut [S],
}

impl<S: Simd> Kernel for Affine<'_, S> {
    #[inline(always)]
    fn run(self) {
        let Affine { m, n, terms, bias, sigmoid, y } = self;
        assert!(Some(y.len()) == m.checked_mul(n) && bias.is_none_or(|b| b.len() == n), "affine: not {m} × {n}");
        let mut large = false;
        for t in terms {
            t.a.checked(m, t.len, "affine");
            t.b.checked(n, t.len, "affine");
            large |= n.saturating_mul(t.len) >= LARGE;
        }
        if large {
            return affine_large(m, n, terms, bias, sigmoid, y);
        }
        let mut i = 0;
        while i < m {
            let rows = (m - i).min(4);
            let mut j = 0;
            while j < n {
                let cols = (n - j).min(4);
                let at = (i, j, n);
                match rows {
                    4 => columns::<S, 4>(cols, at, terms, bias, y),
                    3 => columns::<S, 3>(cols, at, terms, bias, y),
                    2 => columns::<S, 2>(cols, at, terms, bias, y),
                    _ => columns::<S, 1>(cols, at, terms, bias, y),
                }
                j += cols;
            }
            // Not in the tiles, which would have a copy of it for each of their sums.
            if sigmoid {
                elementwise::sigmoid_in_place(&mut y[i * n..(i + rows) * n]);
            }
            i += rows;
        }
    }
}

/// The same sums in the same order, with a table too large for the first-level cache.
#[inline(always)]
fn affine_large<S: Simd>(
    m: usize,
    n: usize,
    terms: &[Term<'_, S>],
    bias: Option<&[S]>,
    sigmoid: bool,
    y: &mut [S],
) {
    for row in y.chunks_exact_mut(n) {
        match bias {
            Some(bias) => row.copy_from_slice(bias),
            None => row.fill(S::zero()),
        }
    }
    for t in terms {
        S::vectorize(ContractLarge { dims: [m, n, t.len], a: t.a, b: t.b, c: y, c_outer: n });
    }
    if sigmoid {
        elementwise::sigmoid_in_place(y);
    }
}

#[inline(always)]
fn columns<S: Simd, const M: usize>(
    cols: usize,
    at: (usize, usize, usize),
    terms: &[Term<'_, S>],
    bias: Option<&[S]>,
    y: &mut [S],
) {
    match cols {
        4 => tile::<S, M, 4>(at, terms, bias, y),
        3 => tile::<S, M, 3>(at, terms, bias, y),
        2 => tile::<S, M, 2>(at, terms, bias, y),
        _ => tile::<S, M, 1>(at, terms, bias, y),
    }
}

#[inline(always)]
fn tile<S: Simd, const M: usize, const N: usize>(
    (i0, j0, n): (usize, usize, usize),
    terms: &[Term<'_, S>],
    bias: Option<&[S]>,
    y: &mut [S],
) {
    let mut sum = [[S::zero(); N]; M];
    if let Some(bias) = bias {
        for j in 0..N {
            let b = bias[j0 + j];
            for i in 0..M {
                sum[i][j] = b;
            }
        }
    }
    for t in terms.iter().filter(|t| t.len > 0) {
        // SAFETY: `Affine` checked that every term covers all rows, columns and `k`.
        unsafe {
            let mut a = t.a.data.as_ptr().add(i0 * t.a.outer);
            let mut b = t.b.data.as_ptr().add(j0 * t.b.outer);
            for _ in 0..t.len {
                let mut bv = [S::zero(); N];
                for j in 0..N {
                    bv[j] = *b.add(j * t.b.outer);
                }
                for i in 0..M {
                    let av = *a.add(i * t.a.outer);
                    for j in 0..N {
                        sum[i][j] = av.fma(bv[j], sum[i][j]);
                    }
                }
                a = a.wrapping_add(t.a.inner);
                b = b.wrapping_add(t.b.inner);
            }
        }
    }
    for i in 0..M {
        for j in 0..N {
            y[(i0 + i) * n + j0 + j] = sum[i][j];
        }
    }
}

/// The gradient before the activation, in place of `dy`.
#[inline(always)]
pub fn through_sigmoid<S: Simd>(y: &[S], dy: &mut [S]) {
    for (dy, y) in dy.iter_mut().zip(y) {
        *dy = y.nfma(*y, *y).mul(*dy);
    }
}

/// `dbias[n] += Σₘ dz[m,n]`
#[inline(always)]
pub fn grad_bias<S: Simd>(dz: &[S], dbias: &mut [S]) {
    elementwise::add_grad(dz, dbias);
}

/// `dA[m,k] += Σₙ dz[m,n] B[n,k]`; rows of `dA` are `da_outer` apart.
#[inline(always)]
pub fn grad_rows<S: Simd>(m: usize, n: usize, dz: &[S], b: View<'_, S>, len: usize, da: &mut [S], da_outer: usize) {
    let (dims, dz, b) = ([m, len, n], View::rows(dz, n), b.t());
    if n.saturating_mul(len) >= LARGE {
        S::vectorize(ContractLarge { dims, a: dz, b, c: da, c_outer: da_outer });
    } else {
        contract(dims, dz, b, da, da_outer, true);
    }
}

/// `dB[n,k] += Σₘ dz[m,n] A[m,k]`, where `dB` is laid out `[n, k]` or, if not `by_rows`, `[k, n]`.
#[inline(always)]
pub fn grad_table<S: Simd>([m, n, len]: [usize; 3], dz: &[S], a: View<'_, S>, by_rows: bool, db: &mut [S]) {
    let dz = View::rows(dz, n).t();
    if by_rows {
        contract([n, len, m], dz, a.t(), db, len, true);
    } else {
        contract([len, n, m], a.t(), dz, db, n, true);
    }
}
