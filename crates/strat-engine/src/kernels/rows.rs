//! `C[m,n] = Σₖ A[m,k] B[n,k]` where `A` and `C` hold rows on lanes and `B` single numbers: the one product behind
//! linear maps, scores and routes when a vector holds rows of one learner.
//!
//! A tile of at most 3 × 8 sums stays in registers while `k` runs: eleven loads serve 24 multiply-adds. Three
//! vectors of rows stay in the first-level cache while all columns are done. Every sum runs over `k` in order,
//! whatever the tiling.

use super::columns::ViewMut;
use super::contract::{View, covers};
use crate::simd::{Kernel, Simd};

/// Vectors of rows in a tile.
pub const TILE_ROWS: usize = 3;

/// Columns in a tile: as many as the registers hold.
const fn tile_columns<S>() -> usize {
    if size_of::<S>() >= 64 { 8 } else { 4 }
}

/// What a sum starts from.
#[derive(Clone, Copy)]
pub enum Start<'a, S: Simd> {
    /// Nothing.
    Zero,
    /// What is there.
    Sum,
    /// A number for each column.
    Bias(&'a [S::Elem]),
    /// Rows laid out like the result, and a number for each column.
    Rows(&'a [S], Option<&'a [S::Elem]>),
}

/// The product.
pub struct Product<'a, S: Simd> {
    /// `m` (vectors of rows), `n`, `k`
    pub dims: [usize; 3],
    /// Rows.
    pub a: View<'a, S>,
    /// Numbers.
    pub b: View<'a, S::Elem>,
    /// The result.
    pub c: ViewMut<'a, S>,
    /// What it is added to.
    pub start: Start<'a, S>,
    /// What is needed next: asked for bit by bit, so that it is near when this is done. Activations of all layers
    /// fit no cache, and a product touches new lines too rarely for the core to see a pattern.
    pub next: &'a [S],
}

impl<S: Simd> Kernel for Product<'_, S> {
    #[inline(always)]
    fn run(mut self) {
        let [m, n, k] = self.dims;
        if m == 0 || n == 0 {
            return;
        }
        let (outer, inner) = self.c.steps();
        let (a, b) = (self.a.checked(m, k, "product"), self.b.checked(n, k, "product"));
        assert!(self.c.shape() == [m, n], "product: the result is not {m} × {n}");
        let c = self.c.start();
        let (rows, bias) = match self.start {
            Start::Zero => (None, None),
            Start::Sum => (Some(c.cast_const()), None),
            Start::Bias(bias) => (None, Some(bias)),
            Start::Rows(rows, bias) => {
                assert!(covers([m, n], (outer, inner), rows.len()), "product: start too short");
                (Some(rows.as_ptr()), bias)
            }
        };
        assert!(bias.is_none_or(|b| b.len() >= n), "product: bias too short");
        let tiles = m.div_ceil(TILE_ROWS) * n.div_ceil(tile_columns::<S>());
        let mut next = self.next.chunks(self.next.len().div_ceil(tiles).max(1));
        let mut i = 0;
        while i < m {
            let height = (m - i).min(TILE_ROWS);
            let mut j = 0;
            while j < n {
                let left = (n - j).div_ceil(tile_columns::<S>());
                let width = (n - j).div_ceil(left);
                for line in next.next().unwrap_or_default() {
                    S::prefetch(line);
                }
                // SAFETY: the asserts cover every element that the tiles touch.
                let tile = unsafe {
                    let at = i * outer + j * inner;
                    Tile::<S> {
                        k,
                        a: a.data.as_ptr().add(i * a.outer),
                        a_steps: (a.outer, a.inner),
                        b: b.data.as_ptr().add(j * b.outer),
                        b_steps: (b.outer, b.inner),
                        c: c.add(at),
                        c_steps: (outer, inner),
                        rows: rows.map(|r| r.add(at)),
                        bias: bias.map(|b| b.as_ptr().add(j)),
                    }
                };
                match height {
                    3 => tile.columns::<3>(width),
                    2 => tile.columns::<2>(width),
                    _ => tile.columns::<1>(width),
                }
                j += width;
            }
            i += height;
        }
    }
}

struct Tile<S: Simd> {
    k: usize,
    a: *const S,
    a_steps: (usize, usize),
    b: *const S::Elem,
    b_steps: (usize, usize),
    c: *mut S,
    c_steps: (usize, usize),
    rows: Option<*const S>,
    bias: Option<*const S::Elem>,
}

impl<S: Simd> Tile<S> {
    #[inline(always)]
    fn columns<const M: usize>(self, columns: usize) {
        let wide = tile_columns::<S>() == 8;
        match columns {
            8 if wide => self.run::<M, 8>(),
            7 if wide => self.run::<M, 7>(),
            6 if wide => self.run::<M, 6>(),
            5 if wide => self.run::<M, 5>(),
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
        let at = |i: usize, j: usize| i * self.c_steps.0 + j * self.c_steps.1;
        // SAFETY: `Product` made this tile inside what it checked.
        unsafe {
            if let Some(rows) = self.rows {
                for i in 0..M {
                    for j in 0..N {
                        sum[i][j] = *rows.add(at(i, j));
                    }
                }
            }
            if let Some(bias) = self.bias {
                for j in 0..N {
                    let b = S::splat(*bias.add(j));
                    for i in 0..M {
                        sum[i][j] = sum[i][j].add(b);
                    }
                }
            }
            for _ in 0..self.k {
                let mut av = [S::zero(); M];
                for i in 0..M {
                    av[i] = *a.add(i * self.a_steps.0);
                }
                for j in 0..N {
                    let bv = S::splat(*b.add(j * self.b_steps.0));
                    for i in 0..M {
                        sum[i][j] = av[i].fma(bv, sum[i][j]);
                    }
                }
                a = a.wrapping_add(self.a_steps.1);
                b = b.wrapping_add(self.b_steps.1);
            }
            for i in 0..M {
                for j in 0..N {
                    *self.c.add(at(i, j)) = sum[i][j];
                }
            }
        }
    }
}
