//! The operations of a [`Graph`](super::graph::Graph), and the values that describe them.

use std::sync::Arc;

/// A matrix in a [`Graph`](super::graph::Graph).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub(crate) u32);

impl Node {
    /// Its place in the order of computation, and in what [`evaluate`](super::reference::evaluate) gives.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Every `step`-th row from `start` on, `count` of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rows {
    /// First row.
    pub start: usize,
    /// Distance between rows.
    pub step: usize,
    /// How many.
    pub count: usize,
}

impl Rows {
    /// The rows `start, start + step, …` below `of`.
    pub fn every(step: usize, start: usize, of: usize) -> Self {
        Rows { start, step, count: (of - start).div_ceil(step) }
    }
    /// One past the last row; none if that is beyond all numbers.
    pub fn checked_end(self) -> Option<usize> {
        match self.count {
            0 => Some(0),
            count => (count - 1).checked_mul(self.step)?.checked_add(self.start)?.checked_add(1),
        }
    }
    /// Their indices.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..self.count).map(move |i| self.start + i * self.step)
    }
}

/// For each row, the half-open range of columns that can be other than zero.
/// It is known before any number is, so kernels skip the rest for every learner alike.
pub type Reach = Arc<[(usize, usize)]>;

pub(super) fn full_reach(rows: usize, cols: usize) -> Reach {
    vec![(0, cols); rows].into()
}

/// What is added to attention scores: constants, −∞ where a token must not look.
#[derive(Clone, Debug, PartialEq)]
pub struct Bias {
    /// Number of keys.
    pub cols: usize,
    /// `[rows, cols]`
    pub data: Arc<[f64]>,
    /// The finite part of each row.
    pub reach: Reach,
}

impl Bias {
    /// Nothing added, everything in sight.
    pub fn none(rows: usize, cols: usize) -> Self {
        Bias { cols, data: vec![0.0; rows * cols].into(), reach: full_reach(rows, cols) }
    }

    /// `−slope·|i − j|` for `j ≤ i`, else −∞ (eq. 1, causal as the specification settles it).
    pub fn alibi_causal(tokens: usize, slope: f64) -> Self {
        let cell = |i: usize, j: usize| {
            if j <= i { -slope * (i - j) as f64 } else { f64::NEG_INFINITY }
        };
        Bias {
            cols: tokens,
            data: (0..tokens * tokens).map(|c| cell(c / tokens, c % tokens)).collect(),
            reach: (0..tokens).map(|i| (0, i + 1)).collect(),
        }
    }
    /// The same for a window of `cols` tokens that ends at each row, as in
    /// [`Graph::window_scores`](super::graph::Graph::window_scores).
    pub fn alibi_window(tokens: usize, slope: f64, cols: usize) -> Self {
        Bias {
            cols,
            data: (0..tokens * cols).map(|c| -slope * (cols - 1 - c % cols) as f64).collect(),
            reach: (0..tokens).map(|t| ((cols - 1).saturating_sub(t), cols)).collect(),
        }
    }

    /// Only these rows.
    pub(crate) fn take(&self, rows: Rows) -> Self {
        let data = rows.iter().flat_map(|t| &self.data[t * self.cols..][..self.cols]).copied().collect();
        Bias { cols: self.cols, data, reach: rows.iter().map(|t| self.reach[t]).collect() }
    }

    pub(crate) fn rows(&self) -> usize {
        self.reach.len()
    }
    pub(crate) fn at(&self, row: usize, col: usize) -> f64 {
        self.data[row * self.cols + col]
    }
}

/// An operation. In the formulas `t` is a row, `c` a column, `h(c)` the head that
/// column `c` belongs to when the columns are split into equal heads.
#[expect(missing_docs, reason = "each operation's equation names its operands")]
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Learned (or frozen) weights, one set per learner.
    Param { name: String },
    /// The same for every learner and example.
    Constant { data: Arc<[f64]> },
    /// Given with each example; zero outside `rows` of the full matrix is stated by `Place`.
    Input { name: String },
    /// `y[t,k] = 1 if index[t] = k + 1 else 0`; row `t` can only be of the kinds in `reach[t]`, and if `total` it is of
    /// one of them.
    OneHot { index: Node, reach: Reach, total: bool },
    /// `y[t,o] = Σᵢ x[t,i] w[o,i]`
    Linear { x: Node, w: Node },
    /// `y = a + b`; `b` may be a single row, added to each.
    Add { a: Node, b: Node },
    /// `y = a ⊙ b`; `b` may be a single row of weights.
    Mul { a: Node, b: Node },
    /// `y = by · x`
    Scale { x: Node, by: f64 },
    /// `y = σ(x)`
    Sigmoid { x: Node },
    /// `y[t, h·K + k] = Σ_{c in h} q[t,c] k[k,c]` for `K` rows of `k`, within `reach`.
    Scores { q: Node, k: Node, heads: usize, reach: Reach },
    /// Softmax over each head's keys of `x + bias`.
    Softmax { x: Node, heads: usize, bias: Bias },
    /// `y[t,c] = Σₖ a[t, h(c)·K + k] x[k,c]`: rows of `x` mixed by routes `a`, within `reach`.
    Mix { a: Node, x: Node, heads: usize, reach: Reach },
    /// `y = Σₜ weight[t] x[t]`, one row.
    SumRows { x: Node, weight: Node },
    /// Columns side by side.
    Concat { parts: Vec<Node> },
    /// `len` columns from `start`.
    Columns { x: Node, start: usize, len: usize },
    /// Only these rows.
    Take { x: Node, rows: Rows },
    /// These rows of an otherwise zero matrix of `of` rows.
    Place { x: Node, rows: Rows, of: usize },
    /// `y = exp(x − m)` with `m` near the maximum of each head's columns; only ever
    /// used where a common factor of the row cancels.
    ExpRows { x: Node, heads: usize },
    /// `y[t, h·K + k] ∝ x[t, h·K + k] · mass[t,k]`, each head summing to one (or all zero).
    Normalize { x: Node, mass: Node, heads: usize },
    /// `y[t,k] = Σⱼ exp(bias[t,j]) one_hot[j,k]`: how much of kind `k` a token can see.
    Mass { one_hot: Node, bias: Bias },
    /// `[K, C] → [heads·K, C]`, row `h·K + k` keeping only head `h`'s columns of row `k`.
    SplitHeads { x: Node, heads: usize },
    /// `y = (x − target)²`, one number.
    SquaredError { x: Node, target: Node },
    /// `y = act(Σ terms + bias)`; made when a graph is fused.
    Affine { terms: Vec<Term>, bias: Option<Node>, sigmoid: bool },
    /// Each row less its mean, divided by `√(variance + 1e-5)`.
    LayerNorm { x: Node },
    /// `Normalize(Mix(one_hot, e), mass)`; made when a graph is fused.
    KindRoutes { one_hot: Node, e: Node, mass: Node, heads: usize, reach: Reach },
    /// `y = tanh x`
    Tanh { x: Node },
    /// `y = eˣ`
    Exp { x: Node },
    /// `y = ln(|x| + 1e-7)`
    LogAbs { x: Node },
    /// `y[t] = a[t] where mask[t] ≠ 0 else b[t]`; what is not chosen may be anything.
    Select { mask: Node, a: Node, b: Node },
    /// `y[t,u] = q[t]·k[t + u + 1 − window]`, one column for each token of a window that ends at
    /// `t`; anything where there is no such token.
    WindowScores { q: Node, k: Node },
    /// `y[t] = Σᵤ a[t,u] x[t + u + 1 − window]`
    WindowMix { a: Node, x: Node },
    /// `WindowMix(Softmax(Scale(WindowScores(q, k))), v)`; made when a graph is fused.
    WindowAttend { q: Node, k: Node, v: Node, scale: f64, bias: Bias },
    /// `Add(Mul(LayerNorm(x), scale), shift)`; made when a graph is fused.
    ScaledNorm { x: Node, scale: Node, shift: Node },
    /// `y = W₂ GELU(W₁ x + b₁) + b₂`; made when a graph is fused.
    Ffn { x: Node, w: [Node; 2], bias: [Option<Node>; 2] },
    /// `y = x Φ(x)`, with the exact normal distribution function Φ.
    Gelu { x: Node },
    /// `y[t, h·K + k] = x[t, h·K + k] + table[h, offset[t,k]]`: learned biases by relative place.
    AddOffsets { x: Node, table: Node, offset: Arc<[u32]> },
    /// `y = Σₜ weight[t] · (ln Σ_c exp x[t,c] − Σ_c target[t,c] x[t,c])`, one number; rows of
    /// `target` sum to one.
    CrossEntropy { x: Node, target: Node, weight: Node },
    /// `y = Σₜ weight[t] · (ln(1 + exp x[t]) − target[t] x[t])`, one number.
    BinaryCrossEntropy { x: Node, target: Node, weight: Node },
    /// `[h, c]` after a step of an LSTM from `state` = `[h, c]`, given the sums that go into
    /// its gates: `c ← σ(f) c + σ(i) tanh(g)`, `h ← σ(o) tanh(c)` with `gates` = `[i, f, g, o]`.
    LstmCell { gates: Node, state: Node },
}

/// A product in [`Op::Affine`]: rows `a` (or only some of them) times a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// The rows.
    pub a: Node,
    /// Which rows of `a`; all if none.
    pub rows: Option<Rows>,
    /// What they are multiplied with.
    pub table: Node,
    /// The table is `[out, in]`, as in `Linear`; else `[in, out]`, as in `Mix`.
    pub by_rows: bool,
}

impl Op {
    /// The nodes it reads.
    pub fn operands(&self) -> Vec<Node> {
        let seen = std::cell::RefCell::new(vec![]);
        self.with_operands(|n| {
            seen.borrow_mut().push(n);
            n
        });
        seen.into_inner()
    }

    /// The same operation on other nodes.
    pub(crate) fn with_operands(&self, to: impl Fn(Node) -> Node) -> Op {
        use Op::*;
        let mut op = self.clone();
        match &mut op {
            Param { .. } | Constant { .. } | Input { .. } => {}
            OneHot { index: x, .. }
            | Scale { x, .. }
            | Sigmoid { x }
            | Columns { x, .. }
            | Take { x, .. }
            | Place { x, .. }
            | ExpRows { x, .. }
            | Softmax { x, .. }
            | Mass { one_hot: x, .. }
            | LayerNorm { x }
            | SplitHeads { x, .. }
            | Tanh { x }
            | Exp { x }
            | Gelu { x }
            | LogAbs { x } => *x = to(*x),
            Linear { x: a, w: b }
            | Add { a, b }
            | Mul { a, b }
            | Scores { q: a, k: b, .. }
            | Mix { a, x: b, .. }
            | SumRows { x: a, weight: b }
            | Normalize { x: a, mass: b, .. }
            | SquaredError { x: a, target: b }
            | AddOffsets { x: a, table: b, .. }
            | WindowScores { q: a, k: b }
            | WindowMix { a, x: b }
            | LstmCell { gates: a, state: b } => (*a, *b) = (to(*a), to(*b)),
            Concat { parts } => parts.iter_mut().for_each(|p| *p = to(*p)),
            Affine { terms, bias, .. } => {
                for t in terms {
                    (t.a, t.table) = (to(t.a), to(t.table));
                }
                if let Some(b) = bias {
                    *b = to(*b);
                }
            }
            Ffn { x, w, bias } => {
                (*x, *w, *bias) = (to(*x), w.map(&to), bias.map(|b| b.map(&to)));
            }
            KindRoutes { one_hot, e, mass, .. } => (*one_hot, *e, *mass) = (to(*one_hot), to(*e), to(*mass)),
            CrossEntropy { x: a, target: b, weight: c }
            | BinaryCrossEntropy { x: a, target: b, weight: c }
            | Select { mask: a, a: b, b: c }
            | ScaledNorm { x: a, scale: b, shift: c }
            | WindowAttend { q: a, k: b, v: c, .. } => (*a, *b, *c) = (to(*a), to(*b), to(*c)),
        }
        op
    }
}
