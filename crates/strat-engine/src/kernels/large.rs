//! Contractions with tables that are larger than the first-level cache, such as a
//! controller's `[256, 64]` weights: every vector of the table is loaded once and used for
//! all rows, which are copied side by side first so that they stay in the cache.
//!
//! Every sum runs over `k` in order and starts from what is there, whatever the blocking.

use super::contract::{View, covers};
use crate::simd::{Kernel, Simd};

/// From how many vectors on a table counts as large.
pub const LARGE: usize = 2048;
/// Rows that one pass over a large table serves.
pub const ROWS: usize = 12;
/// Values of `k` worked on at a time: `ROWS · DEPTH` vectors fit the first-level cache.
const DEPTH: usize = 32;
/// Rows of a gradient's sum worked on at a time.
const SUMMED: usize = 64;

/// Rows of a register tile with four columns: as many as leave room for the operands.
const fn tile_rows<S>(wide: usize) -> usize {
    if size_of::<S>() >= 64 { wide } else { 4 }
}

/// Rows of a register tile with two columns, which reads every vector of the table once, not once for every five rows.
const fn tall_rows<S>() -> usize {
    if size_of::<S>() >= 64 { ROWS } else { 6 }
}

/// `C[m,n] += Σₖ A[m,k] B[n,k]`; `C` has rows `c_outer` apart and adjacent columns.
pub struct ContractLarge<'a, S> {
    /// `m`, `n`, `k`
    pub dims: [usize; 3],
    /// The rows.
    pub a: View<'a, S>,
    /// The table.
    pub b: View<'a, S>,
    /// The result.
    pub c: &'a mut [S],
    /// Distance between its rows.
    pub c_outer: usize,
}

impl<S: Simd> Kernel for ContractLarge<'_, S> {
    #[inline(always)]
    fn run(self) {
        let ContractLarge { dims, a, b, c, c_outer } = self;
        contract_large(dims, a, b, c, c_outer);
    }
}

#[inline(always)]
fn contract_large<S: Simd>([m, n, k]: [usize; 3], a: View<'_, S>, b: View<'_, S>, c: &mut [S], c_outer: usize) {
    if m == 0 || n == 0 {
        return;
    }
    let (a, b) = (a.checked(m, k, "contract"), b.checked(n, k, "contract"));
    assert!(covers([m, n], (c_outer, 1), c.len()), "contract: result too short");
    let mut packed = [S::zero(); ROWS * DEPTH];
    for first in (0..m).step_by(ROWS) {
        let rows = ROWS.min(m - first);
        for from in (0..k).step_by(DEPTH) {
            let depth = DEPTH.min(k - from);
            // packed[k, row]
            for i in 0..rows {
                let row = &a.data[(first + i) * a.outer + from * a.inner..];
                for d in 0..depth {
                    packed[d * rows + i] = row[d * a.inner];
                }
            }
            // Few rows with four columns each, or many with two: enough sums that none waits for the one before.
            let (most, width) = if rows <= tile_rows::<S>(5) { (rows, 4) } else { (tall_rows::<S>(), 2) };
            // In equal parts.
            let most = rows.div_ceil(rows.div_ceil(most));
            let mut j = 0;
            while j < n {
                let cols = (n - j).min(width);
                let mut i = 0;
                while i < rows {
                    let height = (rows - i).min(most);
                    // SAFETY: the asserts cover every element that the tiles touch.
                    let tile = unsafe {
                        Tile {
                            k: depth,
                            a: packed.as_ptr().add(i),
                            a_inner: rows,
                            b: b.data.as_ptr().add(j * b.outer + from * b.inner),
                            b_steps: (b.outer, b.inner),
                            c: c.as_mut_ptr().add((first + i) * c_outer + j),
                            c_outer,
                            fetch: i == 0,
                        }
                    };
                    tile.rows(height, cols);
                    i += height;
                }
                j += cols;
            }
        }
    }
}

/// Rows of one operation's gradient and input: a part of the sum in [`Gather`].
#[derive(Clone, Copy)]
struct Piece<S> {
    dz: *const S,
    x: *const S,
    rows: usize,
}

/// `dW[o,i] += Σ dz[t,o] x[t,i]` over the rows `t` of many operations that share `W`, a few
/// dozen rows at a time.
pub struct Gather<'a, S> {
    dw: &'a mut [S],
    outs: usize,
    ins: usize,
    pieces: [Piece<S>; SUMMED],
    count: usize,
    rows: usize,
}

impl<'a, S: Simd> Gather<'a, S> {
    /// Into the gradient of a table `[outs, ins]`.
    #[inline(always)]
    pub fn new(dw: &'a mut [S], outs: usize, ins: usize) -> Self {
        assert_eq!(Some(dw.len()), outs.checked_mul(ins), "gather: the table is not {outs} × {ins}");
        let none = Piece { dz: std::ptr::null(), x: std::ptr::null(), rows: 0 };
        Gather { dw, outs, ins, pieces: [none; SUMMED], count: 0, rows: 0 }
    }

    /// Adds the rows of one operation.
    #[inline(always)]
    pub fn push(&mut self, dz: &'a [S], x: &'a [S]) {
        let rows = dz.len() / self.outs;
        let fits = dz.len() == rows * self.outs && Some(x.len()) == rows.checked_mul(self.ins);
        assert!(fits, "gather: rows differ");
        let mut at = 0;
        while at < rows {
            let some = (rows - at).min(SUMMED - self.rows);
            let (dz, x) = (dz[at * self.outs..].as_ptr(), x[at * self.ins..].as_ptr());
            self.pieces[self.count] = Piece { dz, x, rows: some };
            self.count += 1;
            self.rows += some;
            at += some;
            if self.rows == SUMMED {
                self.flush();
            }
        }
    }

    /// Carries out what is left.
    #[inline(always)]
    pub fn finish(mut self) {
        self.flush();
    }

    #[inline(always)]
    fn flush(&mut self) {
        let mut packed = [S::zero(); 6 * SUMMED];
        let mut o = 0;
        while o < self.outs {
            let height = (self.outs - o).min(tile_rows::<S>(6));
            // packed[row, out]
            let mut at = 0;
            for p in &self.pieces[..self.count] {
                for r in 0..p.rows {
                    for i in 0..height {
                        // SAFETY: `push` checked that a piece has `rows` rows of `outs`.
                        packed[at] = unsafe { *p.dz.add(r * self.outs + o + i) };
                        at += 1;
                    }
                }
            }
            let mut j = 0;
            while j < self.ins {
                let cols = (self.ins - j).min(4);
                let c = &mut self.dw[o * self.ins + j..];
                let (pieces, ins) = (&self.pieces[..self.count], self.ins);
                match height {
                    6 => sum_columns::<S, 6>(cols, pieces, &packed, j, c, ins),
                    5 => sum_columns::<S, 5>(cols, pieces, &packed, j, c, ins),
                    4 => sum_columns::<S, 4>(cols, pieces, &packed, j, c, ins),
                    3 => sum_columns::<S, 3>(cols, pieces, &packed, j, c, ins),
                    2 => sum_columns::<S, 2>(cols, pieces, &packed, j, c, ins),
                    _ => sum_columns::<S, 1>(cols, pieces, &packed, j, c, ins),
                }
                j += cols;
            }
            o += height;
        }
        (self.count, self.rows) = (0, 0);
    }
}

#[inline(always)]
fn sum_columns<S: Simd, const M: usize>(
    cols: usize,
    pieces: &[Piece<S>],
    packed: &[S],
    j: usize,
    c: &mut [S],
    ins: usize,
) {
    match cols {
        4 => sum_tile::<S, M, 4>(pieces, packed, j, c, ins),
        3 => sum_tile::<S, M, 3>(pieces, packed, j, c, ins),
        2 => sum_tile::<S, M, 2>(pieces, packed, j, c, ins),
        _ => sum_tile::<S, M, 1>(pieces, packed, j, c, ins),
    }
}

#[inline(always)]
fn sum_tile<S: Simd, const M: usize, const N: usize>(
    pieces: &[Piece<S>],
    packed: &[S],
    j: usize,
    c: &mut [S],
    ins: usize,
) {
    let mut sum = [[S::zero(); N]; M];
    for i in 0..M {
        for n in 0..N {
            sum[i][n] = c[i * ins + n];
        }
    }
    let mut a = packed.as_ptr();
    for p in pieces {
        // SAFETY: `push` checked that a piece has `rows` rows of `ins`, and `packed` holds
        // `M` numbers for every row of every piece.
        unsafe {
            let mut x = p.x.add(j);
            for _ in 0..p.rows {
                let mut bv = [S::zero(); N];
                for n in 0..N {
                    bv[n] = *x.add(n);
                }
                for i in 0..M {
                    let av = *a.add(i);
                    for n in 0..N {
                        sum[i][n] = av.fma(bv[n], sum[i][n]);
                    }
                }
                a = a.add(M);
                x = x.wrapping_add(ins);
            }
        }
    }
    for i in 0..M {
        for n in 0..N {
            c[i * ins + n] = sum[i][n];
        }
    }
}

struct Tile<S> {
    k: usize,
    a: *const S,
    a_inner: usize,
    b: *const S,
    b_steps: (usize, usize),
    c: *mut S,
    c_outer: usize,
    /// Ask for the table's next columns while these are worked on.
    fetch: bool,
}

impl<S: Simd> Tile<S> {
    #[inline(always)]
    fn rows(self, rows: usize, cols: usize) {
        if size_of::<S>() >= 64 && rows > 6 {
            return match rows {
                12 => self.two_columns::<12>(cols),
                11 => self.two_columns::<11>(cols),
                10 => self.two_columns::<10>(cols),
                9 => self.two_columns::<9>(cols),
                8 => self.two_columns::<8>(cols),
                _ => self.two_columns::<7>(cols),
            };
        }
        match rows {
            6 => self.two_columns::<6>(cols),
            5 => self.columns::<5>(cols),
            4 => self.columns::<4>(cols),
            3 => self.columns::<3>(cols),
            2 => self.columns::<2>(cols),
            _ => self.columns::<1>(cols),
        }
    }

    #[inline(always)]
    fn two_columns<const M: usize>(self, cols: usize) {
        match cols {
            2 => self.run::<M, 2>(),
            _ => self.run::<M, 1>(),
        }
    }

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
        // SAFETY: `contract_large` made this tile inside what it checked.
        unsafe {
            for i in 0..M {
                for j in 0..N {
                    sum[i][j] = *self.c.add(i * self.c_outer + j);
                }
            }
            for _ in 0..self.k {
                let mut bv = [S::zero(); N];
                for j in 0..N {
                    bv[j] = *b.add(j * self.b_steps.0);
                }
                if self.fetch {
                    for j in N..2 * N {
                        S::prefetch(b.wrapping_add(j * self.b_steps.0));
                    }
                }
                for i in 0..M {
                    let av = *a.add(i);
                    for j in 0..N {
                        sum[i][j] = av.fma(bv[j], sum[i][j]);
                    }
                }
                a = a.wrapping_add(self.a_inner);
                b = b.wrapping_add(self.b_steps.1);
            }
            for i in 0..M {
                for j in 0..N {
                    *self.c.add(i * self.c_outer + j) = sum[i][j];
                }
            }
        }
    }
}
