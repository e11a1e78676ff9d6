//! A model, written once, forward only: a list of operations on small matrices.
//!
//! A node is a matrix `[rows, cols]` for one learner and one example; tokens are
//! rows. The learner axis (lanes) and the batch axis are implied: a node that
//! depends on no input is computed once a step, one that depends on no parameter
//! once a batch, the rest per example. [`simplify`](super::rules::simplify) makes
//! the graph cheaper, the plan derives its gradient.

use super::op::full_reach;
pub use super::op::{Bias, Node, Op, Reach, Rows, Term};

/// What a node depends on, and so how often it must be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Varies {
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
pub struct Entry {
    /// What is computed.
    pub op: Op,
    /// How many tokens.
    pub rows: usize,
    /// How wide.
    pub cols: usize,
    /// How often.
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

    /// All operations, in the order they are computed.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
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

    /// The inputs that a node can depend on, by name: what its value is decided by.
    pub fn inputs_of(&self, n: Node) -> Vec<&str> {
        let mut reached = vec![false; n.index() + 1];
        reached[n.index()] = true;
        let mut names = vec![];
        // Operands come before what they are operands of.
        for i in (0..=n.index()).rev() {
            if reached[i] {
                let op = &self.entries[i].op;
                op.operands().iter().for_each(|o| reached[o.index()] = true);
                if let Op::Input { name } = op {
                    names.push(name.as_str());
                }
            }
        }
        names.sort_unstable();
        names
    }

    /// How many numbers an example's input of this name has, if there is such an input.
    pub fn input_size(&self, name: &str) -> Option<usize> {
        let found = self.entries.iter().find(|e| matches!(&e.op, Op::Input { name: own } if own == name));
        found.map(|e| e.rows * e.cols)
    }

    /// Named nodes, in order.
    pub fn names(&self) -> impl Iterator<Item = (&str, Node)> {
        self.names.iter().map(|(name, n)| (name.as_str(), *n))
    }

    /// Adds an operation, or finds the one that is already there.
    pub fn push(&mut self, op: Op, rows: usize, cols: usize) -> Node {
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
    ///
    /// Attention between rows that are all chosen by one of these is made attention between kinds, and padding is of
    /// none: nothing looks at it. As written it would be looked at as a row of zeros.
    pub fn one_hot(&mut self, index: Node, kinds: usize, reach: impl Into<Reach>) -> Node {
        self.one_hot_of(index, kinds, reach.into(), false)
    }

    /// The same where every row is of some kind: there is no padding.
    pub fn total_one_hot(&mut self, index: Node, kinds: usize, reach: impl Into<Reach>) -> Node {
        self.one_hot_of(index, kinds, reach.into(), true)
    }

    fn one_hot_of(&mut self, index: Node, kinds: usize, reach: Reach, total: bool) -> Node {
        let [rows, cols] = self.shape(index);
        assert!(cols == 1 && reach.len() == rows && reach.iter().all(|r| r.0 < r.1 && r.1 <= kinds));
        self.push(Op::OneHot { index, reach, total }, rows, kinds)
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

    /// Of the operand of a softmax: queries, keys and scale of the windowed scores that it is, if it is.
    pub(crate) fn windowed(&self, x: Node) -> Option<(Node, Node, f64)> {
        match self.entry(x).op {
            Op::Scale { x, by } => self.windowed(x).map(|(q, k, before)| (q, k, before * by)),
            Op::WindowScores { q, k } => Some((q, k, 1.0)),
            _ => None,
        }
    }

    /// Rows of `x` mixed by routes `a`.
    pub fn mix(&mut self, a: Node, x: Node, heads: usize) -> Node {
        let ([rows, a_cols], [keys, cols]) = (self.shape(a), self.shape(x));
        assert!(a_cols == heads * keys && cols % heads == 0, "mix: {a_cols} routes, {heads} heads, {keys} keys");
        // What routes reach is known by key, for each head alike.
        let reach = match &self.entry(a).op {
            Op::OneHot { reach, .. } if heads == 1 => reach.clone(),
            Op::Softmax { bias, .. } if bias.cols == keys => bias.reach.clone(),
            Op::Take { x, rows } => match &self.entry(*x).op {
                Op::OneHot { reach, .. } if heads == 1 => rows.iter().map(|t| reach[t]).collect(),
                _ => full_reach(rows.count, keys),
            },
            Op::Concat { .. } if heads == 1 => self.other_than_zero(a),
            _ => full_reach(rows, keys),
        };
        self.push(Op::Mix { a, x, heads, reach }, rows, cols)
    }

    /// For each row, the columns that can be other than zero, as far as the operations tell.
    fn other_than_zero(&self, n: Node) -> Reach {
        let Entry { op, rows, cols, .. } = self.entry(n);
        match op {
            Op::OneHot { reach, .. } => reach.clone(),
            Op::Place { rows: placed, .. } => {
                let mut reach = vec![(0, 0); *rows];
                placed.iter().for_each(|t| reach[t] = (0, *cols));
                reach.into()
            }
            Op::Concat { parts } => {
                let mut reach = vec![(0, 0); *rows];
                let mut start = 0;
                for &p in parts {
                    for (all, &(low, high)) in reach.iter_mut().zip(self.other_than_zero(p).iter()) {
                        *all = match (*all, (start + low, start + high)) {
                            (all, _) if low == high => all,
                            ((first, last), part) if first == last => part,
                            ((first, _), (_, last)) => (first, last),
                        };
                    }
                    start += self.shape(p)[1];
                }
                reach.into()
            }
            _ => full_reach(*rows, *cols),
        }
    }

    /// Query–key products of each token with itself and those before it, `window` in all.
    pub fn window_scores(&mut self, q: Node, k: Node, window: usize) -> Node {
        let [rows, _] = self.shape(q);
        assert!(self.shape(q) == self.shape(k) && 0 < window && window <= rows, "window_scores");
        self.push(Op::WindowScores { q, k }, rows, window)
    }

    /// Rows of `x` mixed by routes within a window.
    pub fn window_mix(&mut self, a: Node, x: Node) -> Node {
        let [rows, cols] = self.shape(x);
        assert_eq!(self.shape(a)[0], rows, "window_mix");
        self.push(Op::WindowMix { a, x }, rows, cols)
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

    /// `x Φ(x)`: the exact GELU.
    pub fn gelu(&mut self, x: Node) -> Node {
        let [rows, cols] = self.shape(x);
        self.push(Op::Gelu { x }, rows, cols)
    }

    /// Scores plus a learned number by head and relative place: `table` is `[heads, places]`,
    /// `offset[t, k]` the place of key `k` as seen from query `t`.
    pub fn add_offsets(&mut self, x: Node, table: Node, offset: &[u32]) -> Node {
        let ([rows, cols], [heads, places]) = (self.shape(x), self.shape(table));
        assert!(offset.len() * heads == rows * cols, "add_offsets: {} places for {rows}×{cols}", offset.len());
        assert!(offset.iter().all(|&o| (o as usize) < places), "add_offsets: a place beyond {places}");
        self.push(Op::AddOffsets { x, table, offset: offset.into() }, rows, cols)
    }

    /// Cross-entropy of the rows of `x` against rows of `target` that sum to one, weighted by row.
    pub fn cross_entropy(&mut self, x: Node, target: Node, weight: Node) -> Node {
        let [rows, _] = self.shape(x);
        assert!(self.shape(target) == self.shape(x) && self.shape(weight) == [rows, 1], "cross_entropy");
        assert!(self.is_given(target) && self.is_given(weight), "cross_entropy: targets must not be learned");
        self.push(Op::CrossEntropy { x, target, weight }, 1, 1)
    }

    /// Binary cross-entropy of the logits `x`, one a row, weighted by row.
    pub fn binary_cross_entropy(&mut self, x: Node, target: Node, weight: Node) -> Node {
        let [rows, cols] = self.shape(x);
        let fits = |n| self.shape(n) == [rows, 1];
        assert!(cols == 1 && fits(target) && fits(weight), "binary_cross_entropy");
        assert!(
            self.is_given(target) && self.is_given(weight),
            "binary_cross_entropy: targets must not be learned"
        );
        self.push(Op::BinaryCrossEntropy { x, target, weight }, 1, 1)
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
