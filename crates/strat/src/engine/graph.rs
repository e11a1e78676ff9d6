//! A model, written once, forward only: a list of operations on small matrices.
//!
//! A node is a matrix `[rows, cols]` for one learner and one example; tokens are
//! rows. The learner axis (lanes) and the batch axis are implied: a node that
//! depends on no input is computed once a step, one that depends on no parameter
//! once a batch, the rest per example. [`simplify`](super::rules::simplify) makes
//! the graph cheaper, the plan derives its gradient.

use std::sync::Arc;

/// A matrix in a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub(crate) u32);

impl Node {
    /// Its place in the order of computation, and in what [`evaluate`](super::reference::evaluate) gives.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Every `step`-th row from `start` on, `count` of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// One past the last row.
    pub fn end(self) -> usize {
        if self.count == 0 { 0 } else { self.start + (self.count - 1) * self.step + 1 }
    }
    /// Their indices.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..self.count).map(move |i| self.start + i * self.step)
    }
}

/// For each row, the half-open range of columns that can be other than zero.
/// It is known before any number is, so kernels skip the rest for every learner alike.
pub type Reach = Arc<[(usize, usize)]>;

fn full_reach(rows: usize, cols: usize) -> Reach {
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
    pub(crate) fn rows(&self) -> usize {
        self.reach.len()
    }
    pub(crate) fn at(&self, row: usize, col: usize) -> f64 {
        self.data[row * self.cols + col]
    }
}

/// An operation. In the formulas `t` is a row, `c` a column, `h(c)` the head that
/// column `c` belongs to when the columns are split into equal heads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Op {
    /// Learned (or frozen) weights, one set per learner.
    Param { name: String },
    /// The same for every learner and example.
    Constant { data: Arc<[f64]> },
    /// Given with each example; zero outside `rows` of the full matrix is stated by `Place`.
    Input { name: String },
    /// `y[t,k] = 1 if index[t] = k + 1 else 0`; row `t` can only be of the kinds in `reach[t]`.
    OneHot { index: Node, reach: Reach },
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
    /// `y = act(Σ terms + bias)`; made by [`fuse`](super::fuse).
    Affine { terms: Vec<Term>, bias: Option<Node>, sigmoid: bool },
    /// Each row less its mean, divided by `√(variance + 1e-5)`.
    LayerNorm { x: Node },
    /// `Normalize(Mix(one_hot, e), mass)`; made by [`fuse`](super::fuse).
    KindRoutes { one_hot: Node, e: Node, mass: Node, heads: usize, reach: Reach },
    /// `y = tanh x`
    Tanh { x: Node },
    /// `y = eˣ`
    Exp { x: Node },
    /// `y = ln(|x| + 1e-7)`
    LogAbs { x: Node },
    /// `y[t] = a[t] where mask[t] ≠ 0 else b[t]`; what is not chosen may be anything.
    Select { mask: Node, a: Node, b: Node },
    /// `[h, c]` after a step of an LSTM from `state` = `[h, c]`, given the sums that go into
    /// its gates: `c ← σ(f) c + σ(i) tanh(g)`, `h ← σ(o) tanh(c)` with `gates` = `[i, f, g, o]`.
    LstmCell { gates: Node, state: Node },
}

/// A product in [`Op::Affine`]: rows `a` (or only some of them) times a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Term {
    pub a: Node,
    /// Which rows of `a`; all if none.
    pub rows: Option<Rows>,
    pub table: Node,
    /// The table is `[out, in]`, as in `Linear`; else `[in, out]`, as in `Mix`.
    pub by_rows: bool,
}

impl Op {
    /// The nodes it reads.
    pub(crate) fn operands(&self) -> Vec<Node> {
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
            | LogAbs { x } => *x = to(*x),
            Linear { x: a, w: b }
            | Add { a, b }
            | Mul { a, b }
            | Scores { q: a, k: b, .. }
            | Mix { a, x: b, .. }
            | SumRows { x: a, weight: b }
            | Normalize { x: a, mass: b, .. }
            | SquaredError { x: a, target: b }
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
            KindRoutes { one_hot, e, mass, .. } => (*one_hot, *e, *mass) = (to(*one_hot), to(*e), to(*mass)),
            Select { mask, a, b } => (*mask, *a, *b) = (to(*mask), to(*a), to(*b)),
        }
        op
    }
}

/// What a node depends on, and so how often it must be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Varies {
    /// Constants only: never after the start.
    Never,
    /// Parameters only: once a step.
    ByStep,
    /// Inputs only: once a batch.
    ByBatch,
    /// Both: per example, every step.
    ByExample,
}

impl Varies {
    fn and(self, other: Varies) -> Varies {
        use Varies::*;
        match (self, other) {
            (Never, v) | (v, Never) => v,
            (a, b) if a == b => a,
            _ => ByExample,
        }
    }
}

/// One operation with what is known about its result.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub op: Op,
    pub rows: usize,
    pub cols: usize,
    pub varies: Varies,
}

/// A model as operations in the order they are computed.
///
/// The building methods check shapes and panic on a mismatch: that is a mistake in
/// a model's code, never in a user's input.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub(crate) entries: Vec<Entry>,
    pub(crate) names: Vec<(String, Node)>,
}

impl std::fmt::Display for Graph {
    /// One line per node: number, shape, how often it is computed, operation.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, e) in self.entries.iter().enumerate() {
            let op = format!("{:?}", e.op);
            let name = op.split([' ', '{']).next().unwrap_or_default();
            let operands: Vec<String> = e.op.operands().iter().map(|n| n.0.to_string()).collect();
            let detail = match &e.op {
                Op::Param { name } | Op::Input { name } => name.clone(),
                _ => operands.join(", "),
            };
            writeln!(f, "{i:>4}  [{}, {}]  {:?}  {name}({detail})", e.rows, e.cols, e.varies)?;
        }
        Ok(())
    }
}

impl Graph {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn entry(&self, n: Node) -> &Entry {
        &self.entries[n.index()]
    }

    /// Depends on no parameter.
    fn is_given(&self, n: Node) -> bool {
        matches!(self.entry(n).varies, Varies::Never | Varies::ByBatch)
    }

    /// `[rows, cols]` of a node.
    pub fn shape(&self, n: Node) -> [usize; 2] {
        [self.entry(n).rows, self.entry(n).cols]
    }

    /// Gives a node a name by which [`trace`](super::reference) reports it.
    pub fn name(&mut self, name: impl Into<String>, n: Node) -> Node {
        self.names.push((name.into(), n));
        n
    }

    /// The node of a name.
    pub fn named(&self, name: &str) -> Option<Node> {
        self.names.iter().find(|n| n.0 == name).map(|n| n.1)
    }

    /// Adds an operation, or finds the one that is already there.
    pub(crate) fn push(&mut self, op: Op, rows: usize, cols: usize) -> Node {
        if let Some(i) = self.entries.iter().position(|e| e.op == op && e.rows == rows && e.cols == cols) {
            return Node(i as u32);
        }
        let varies = match &op {
            Op::Param { .. } => Varies::ByStep,
            Op::Input { .. } => Varies::ByBatch,
            _ => op.operands().iter().fold(Varies::Never, |v, &n| v.and(self.entry(n).varies)),
        };
        self.entries.push(Entry { op, rows, cols, varies });
        Node(self.entries.len() as u32 - 1)
    }

    /// Weights `[rows, cols]`, one set per learner, by their PyTorch-style name.
    pub fn param(&mut self, name: &str, rows: usize, cols: usize) -> Node {
        self.push(Op::Param { name: name.into() }, rows, cols)
    }

    /// Numbers that are the same for every learner and example.
    pub fn constant(&mut self, rows: usize, cols: usize, data: &[f64]) -> Node {
        assert_eq!(data.len(), rows * cols, "constant of {rows}×{cols}");
        self.push(Op::Constant { data: data.into() }, rows, cols)
    }

    /// All zero.
    pub fn zeros(&mut self, rows: usize, cols: usize) -> Node {
        self.constant(rows, cols, &vec![0.0; rows * cols])
    }

    /// A matrix given with each example.
    pub fn input(&mut self, name: &str, rows: usize, cols: usize) -> Node {
        self.push(Op::Input { name: name.into() }, rows, cols)
    }

    /// One-hot rows of an input column of token kinds `1..=kinds` (0, padding, gives a
    /// zero row). `reach[t]` is the range of kinds (from 0) that row `t` can be of.
    pub fn one_hot(&mut self, index: Node, kinds: usize, reach: impl Into<Reach>) -> Node {
        let [rows, cols] = self.shape(index);
        let reach = reach.into();
        assert!(cols == 1 && reach.len() == rows && reach.iter().all(|r| r.1 <= kinds));
        self.push(Op::OneHot { index, reach }, rows, kinds)
    }

    /// The rows of `table` that `one_hot` names.
    pub fn gather(&mut self, one_hot: Node, table: Node) -> Node {
        self.mix(one_hot, table, 1)
    }

    /// `y[t,o] = Σᵢ x[t,i] w[o,i]`
    pub fn linear(&mut self, x: Node, w: Node) -> Node {
        let ([rows, ins], [outs, w_ins]) = (self.shape(x), self.shape(w));
        assert_eq!(ins, w_ins, "linear: x has {ins} columns, w has {w_ins}");
        assert!(matches!(self.entry(w).varies, Varies::Never | Varies::ByStep), "linear: w must be weights");
        self.push(Op::Linear { x, w }, rows, outs)
    }

    /// `a + b`; `b` may be one row, added to each row of `a`.
    pub fn add(&mut self, a: Node, b: Node) -> Node {
        let ([rows, cols], [b_rows, b_cols]) = (self.shape(a), self.shape(b));
        assert!(cols == b_cols && (rows == b_rows || b_rows == 1), "add: {rows}×{cols} + {b_rows}×{b_cols}");
        self.push(Op::Add { a, b }, rows, cols)
    }

    /// `a ⊙ b`; `b` may be one row of weights, for each row of `a`.
    pub fn mul(&mut self, a: Node, b: Node) -> Node {
        let ([rows, cols], [b_rows, b_cols]) = (self.shape(a), self.shape(b));
        let one_row = b_rows == 1 && matches!(self.entry(b).varies, Varies::Never | Varies::ByStep);
        assert!(cols == b_cols && (rows == b_rows || one_row), "mul: {rows}×{cols} ⊙ {b_rows}×{b_cols}");
        self.push(Op::Mul { a, b }, rows, cols)
    }

    /// `by · x`
    pub fn scale(&mut self, x: Node, by: f64) -> Node {
        let [rows, cols] = self.shape(x);
        self.push(Op::Scale { x, by }, rows, cols)
    }

    /// `σ(x)`
    pub fn sigmoid(&mut self, x: Node) -> Node {
        let [rows, cols] = self.shape(x);
        self.push(Op::Sigmoid { x }, rows, cols)
    }

    /// Each row less its mean, divided by its standard deviation (LayerNorm without scale
    /// and shift).
    pub fn layer_norm(&mut self, x: Node) -> Node {
        let [rows, cols] = self.shape(x);
        self.push(Op::LayerNorm { x }, rows, cols)
    }

    /// Query–key products by head, `[queries, heads·keys]`.
    pub fn scores(&mut self, q: Node, k: Node, heads: usize) -> Node {
        let reach = full_reach(self.shape(q)[0], self.shape(k)[0]);
        self.scores_within(q, k, heads, reach)
    }

    pub(crate) fn scores_within(&mut self, q: Node, k: Node, heads: usize, reach: Reach) -> Node {
        let ([rows, cols], [keys, k_cols]) = (self.shape(q), self.shape(k));
        assert!(cols == k_cols && cols % heads == 0, "scores: {cols} and {k_cols} columns, {heads} heads");
        self.push(Op::Scores { q, k, heads, reach }, rows, heads * keys)
    }

    /// Softmax over each head's keys of `x + bias`.
    pub fn softmax(&mut self, x: Node, heads: usize, bias: Bias) -> Node {
        let [rows, cols] = self.shape(x);
        assert!(cols == heads * bias.cols && rows == bias.rows(), "softmax: bias does not fit {rows}×{cols}");
        self.push(Op::Softmax { x, heads, bias }, rows, cols)
    }

    /// `softmax(q·k / √width + bias)` by head: the routes of eq. 1 and 4.
    pub fn routes(&mut self, q: Node, k: Node, heads: usize, scale: f64, bias: Bias) -> Node {
        let s = self.scores_within(q, k, heads, bias.reach.clone());
        let s = if scale == 1.0 { s } else { self.scale(s, scale) };
        self.softmax(s, heads, bias)
    }

    /// Rows of `x` mixed by routes `a`.
    pub fn mix(&mut self, a: Node, x: Node, heads: usize) -> Node {
        let reach = match &self.entry(a).op {
            Op::OneHot { reach, .. } => reach.clone(),
            Op::Softmax { bias, .. } => bias.reach.clone(),
            Op::Take { x, rows } => match &self.entry(*x).op {
                Op::OneHot { reach, .. } => rows.iter().map(|t| reach[t]).collect(),
                _ => full_reach(self.shape(a)[0], self.shape(a)[1] / heads),
            },
            _ => full_reach(self.shape(a)[0], self.shape(a)[1] / heads),
        };
        let ([rows, a_cols], [keys, cols]) = (self.shape(a), self.shape(x));
        assert!(a_cols == heads * keys && cols % heads == 0, "mix: {a_cols} routes, {heads} heads, {keys} keys");
        self.push(Op::Mix { a, x, heads, reach }, rows, cols)
    }

    /// `Σₜ weight[t] x[t]`
    pub fn sum_rows(&mut self, x: Node, weight: Node) -> Node {
        let [rows, cols] = self.shape(x);
        assert_eq!(self.shape(weight), [rows, 1], "sum_rows: weight");
        assert!(self.is_given(weight), "sum_rows: the weight must not be learned, it gets no gradient");
        self.push(Op::SumRows { x, weight }, 1, cols)
    }

    /// Columns side by side.
    pub fn concat(&mut self, parts: &[Node]) -> Node {
        let rows = self.shape(parts[0])[0];
        assert!(parts.iter().all(|&p| self.shape(p)[0] == rows), "concat: rows differ");
        let cols = parts.iter().map(|&p| self.shape(p)[1]).sum();
        self.push(Op::Concat { parts: parts.to_vec() }, rows, cols)
    }

    /// `len` columns of `x` from `start`.
    pub fn columns(&mut self, x: Node, start: usize, len: usize) -> Node {
        let [rows, cols] = self.shape(x);
        assert!(start + len <= cols, "columns {start}+{len} of {cols}");
        self.push(Op::Columns { x, start, len }, rows, len)
    }

    /// Only these rows of `x`.
    pub fn take(&mut self, x: Node, rows: Rows) -> Node {
        let [of, cols] = self.shape(x);
        assert!(rows.iter().all(|t| t < of), "take: {rows:?} of {of}");
        self.push(Op::Take { x, rows }, rows.count, cols)
    }

    /// `x` as these rows of an otherwise zero matrix of `of` rows.
    pub fn place(&mut self, x: Node, rows: Rows, of: usize) -> Node {
        let [count, cols] = self.shape(x);
        assert!(count == rows.count && rows.iter().all(|t| t < of), "place: {rows:?} of {of}");
        self.push(Op::Place { x, rows, of }, of, cols)
    }

    /// `(x − target)²` of two single numbers.
    pub fn squared_error(&mut self, x: Node, target: Node) -> Node {
        assert!(self.shape(x) == [1, 1] && self.shape(target) == [1, 1], "squared_error");
        assert!(self.is_given(target), "squared_error: the target must not be learned, it gets no gradient");
        self.push(Op::SquaredError { x, target }, 1, 1)
    }

    /// `tanh x`
    pub fn tanh(&mut self, x: Node) -> Node {
        let [rows, cols] = self.shape(x);
        self.push(Op::Tanh { x }, rows, cols)
    }

    /// `eˣ`
    pub fn exp(&mut self, x: Node) -> Node {
        let [rows, cols] = self.shape(x);
        self.push(Op::Exp { x }, rows, cols)
    }

    /// `ln(|x| + 1e-7)`
    pub fn log_abs(&mut self, x: Node) -> Node {
        let [rows, cols] = self.shape(x);
        self.push(Op::LogAbs { x }, rows, cols)
    }

    /// Rows of `a` where the column `mask` is not zero, else of `b`.
    pub fn select(&mut self, mask: Node, a: Node, b: Node) -> Node {
        let [rows, cols] = self.shape(a);
        assert!(self.shape(b) == [rows, cols] && self.shape(mask) == [rows, 1], "select");
        assert!(self.is_given(mask), "select: the mask must not be learned, it gets no gradient");
        self.push(Op::Select { mask, a, b }, rows, cols)
    }

    /// `[h, c]` after a step of an LSTM, from the sums `[i, f, g, o]` that go into its gates.
    pub fn lstm_cell(&mut self, gates: Node, state: Node) -> Node {
        let ([rows, cols], [same, width]) = (self.shape(gates), self.shape(state));
        assert!(rows == same && cols == 2 * width && width % 2 == 0, "lstm_cell: {cols} gates, state of {width}");
        self.push(Op::LstmCell { gates, state }, rows, width)
    }
}
