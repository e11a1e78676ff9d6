//! Algebra that makes a graph cheaper without changing what it computes.
//!
//! [`simplify`] rebuilds a graph through the constructors below; each looks at its
//! operands, already simple, and applies the rules written beside it. They are
//! general identities; what they buy on STRAT-Lite:
//!
//! - Type starts as one of three vectors, so `Q`, `K`, `V` and every later linear map
//!   are computed once per token *kind* and then gathered (rule `linear`);
//! - attention between tokens of few kinds is attention between kinds, weighted by
//!   how much of each kind a token can see (rule `mix`): nine exponentials
//!   a step instead of 660;
//! - in tables of categories a token is a column with a value, so the first LayerNorm and all maps of what it gives
//!   are computed once per column and value (rules that ask `gathered_by_all`);
//! - in Config A a token is a row of a table and its value, four numbers of the batch times a table, so attention is
//!   computed on those four (rules in `numbers`);
//! - operators carry no value, so no gate is computed for them (rules about `Place`);
//! - the readout sums tokens first and projects once (rule `sum_rows`).

mod kinds;
mod numbers;
mod take;

use super::graph::{Graph, Node, Op, Rows, Varies};
use std::collections::HashMap;

/// The simplified graph and where `roots` went. Parameters are kept even when nothing uses them.
pub fn simplify(graph: &Graph, roots: &[Node]) -> (Graph, Vec<Node>) {
    let mut b = Rebuild { g: Graph::new(), taken: HashMap::new() };
    let mut map: Vec<Node> = Vec::with_capacity(graph.entries.len());
    for e in &graph.entries {
        let to = |n: Node| map[n.index()];
        let n = match &e.op {
            Op::Linear { x, w } => b.linear(to(*x), to(*w)),
            Op::Add { a, b: c } => b.add(to(*a), to(*c)),
            Op::Mul { a, b: c } => b.mul(to(*a), to(*c)),
            Op::Scale { x, by } => b.scale(to(*x), *by),
            Op::Mix { a, x, heads, .. } => b.mix(to(*a), to(*x), *heads),
            Op::Scores { q, k, heads, reach } => b.scores(to(*q), to(*k), *heads, reach.clone()),
            Op::SumRows { x, weight } => b.sum_rows(to(*x), to(*weight)),
            Op::Concat { parts } => b.concat(&parts.iter().map(|&p| to(p)).collect::<Vec<_>>()),
            Op::Columns { x, start, len } => b.columns(to(*x), *start, *len),
            Op::Take { x, rows } => b.take(to(*x), *rows),
            Op::LayerNorm { x } => b.layer_norm(to(*x)),
            // The rest has no rule: the same operation on the new operands.
            op => b.g.push(op.with_operands(to), e.rows, e.cols),
        };
        debug_assert_eq!(b.g.shape(n), [e.rows, e.cols], "{:?}", e.op);
        map.push(n);
    }
    let roots: Vec<Node> = roots.iter().map(|r| map[r.index()]).collect();
    prune(&b.g, &roots)
}

/// Drops what neither the roots need nor is a parameter.
fn prune(g: &Graph, roots: &[Node]) -> (Graph, Vec<Node>) {
    let mut live = vec![false; g.entries.len()];
    for r in roots {
        live[r.index()] = true;
    }
    for i in (0..g.entries.len()).rev() {
        if live[i] {
            for o in g.entries[i].op.operands() {
                live[o.index()] = true;
            }
        }
    }
    let mut out = Graph::new();
    let mut map = vec![Node(u32::MAX); g.entries.len()];
    for (i, e) in g.entries.iter().enumerate() {
        if live[i] || matches!(e.op, Op::Param { .. }) {
            map[i] = out.push(e.op.with_operands(|n| map[n.index()]), e.rows, e.cols);
        }
    }
    (out, roots.iter().map(|r| map[r.index()]).collect())
}

/// A table split by heads is mapped if it has no more rows than these.
const FEW_ROWS: usize = 16;

struct Rebuild {
    g: Graph,
    /// What [`Rebuild::take`] has made.
    taken: HashMap<(Node, Rows), Node>,
}

impl Rebuild {
    fn op(&self, n: Node) -> Op {
        self.g.entry(n).op.clone()
    }
    fn rows(&self, n: Node) -> usize {
        self.g.shape(n)[0]
    }
    fn cols(&self, n: Node) -> usize {
        self.g.shape(n)[1]
    }
    fn is_zero(&self, n: Node) -> bool {
        matches!(&self.g.entry(n).op, Op::Constant { data } if data.iter().all(|&x| x == 0.0))
    }
    /// Computed at most once a step, not per example.
    fn is_table(&self, n: Node) -> bool {
        matches!(self.g.entry(n).varies, Varies::Never | Varies::ByStep)
    }

    /// Would a linear map to `outs` columns rather be applied to the rows that `x` mixes?
    /// Per row: `K·C` to mix, `C·O` to map and `2C` to write and read what is between them,
    /// against `K·O` to mix mapped rows (`K` counted once per head).
    fn absorbs_linear(&self, x: Node, outs: usize) -> bool {
        match self.g.entry(x).op {
            Op::Mix { a, x: table, heads, .. } if self.is_table(table) => {
                let (k, c) = (self.rows(table), self.cols(table));
                // Mapping a table that is split by heads costs as many times as much as it has.
                let cheap = heads == 1 || heads * k <= FEW_ROWS;
                cheap && self.cols(a) * outs <= k * c + c * outs + 2 * c
            }
            Op::Add { a, b } => self.absorbs_linear(a, outs) && self.absorbs_linear(b, outs),
            _ => false,
        }
    }

    fn linear(&mut self, x: Node, w: Node) -> Node {
        let outs = self.rows(w);
        match self.op(x) {
            // W 0 = 0
            _ if self.is_zero(x) => self.g.zeros(self.rows(x), outs),
            // zero rows stay zero
            Op::Place { x, rows, of } => {
                let y = self.linear(x, w);
                self.g.place(y, rows, of)
            }
            // W [a; b] = W_a a + W_b b, and the zero parts are gone
            Op::Concat { parts } => {
                let mut start = 0;
                let mut sum = self.g.zeros(self.rows(x), outs);
                for p in parts {
                    let len = self.cols(p);
                    if !self.is_zero(p) {
                        let wp = self.columns(w, start, len);
                        let y = self.linear(p, wp);
                        sum = self.add(sum, y);
                    }
                    start += len;
                }
                sum
            }
            // W (A X) = A (W X) when X is a table
            Op::Mix { a, x: table, heads, .. } if self.absorbs_linear(x, outs) => {
                let table = if heads == 1 {
                    table
                } else {
                    let [k, c] = self.g.shape(table);
                    self.g.push(Op::SplitHeads { x: table, heads }, heads * k, c)
                };
                let mapped = self.linear(table, w);
                self.mix(a, mapped, 1)
            }
            // W (a + b) = W a + W b when both are such
            Op::Add { a, b } if self.absorbs_linear(x, outs) => {
                let (a, b) = (self.linear(a, w), self.linear(b, w));
                self.add(a, b)
            }
            _ => self.g.linear(x, w),
        }
    }

    fn layer_norm(&mut self, x: Node) -> Node {
        match self.gathered_by_all(x) {
            Some((one_hot, table)) => {
                let y = self.g.layer_norm(table);
                self.g.gather(one_hot, y)
            }
            None => self.g.layer_norm(x),
        }
    }

    fn add(&mut self, a: Node, b: Node) -> Node {
        if let (true, Some((one_hot, table))) = (self.is_one_row(a, b), self.gathered_by_all(a)) {
            let sum = self.add(table, b);
            return self.g.gather(one_hot, sum);
        }
        match (self.op(a), self.op(b)) {
            _ if self.is_zero(b) => a,
            _ if self.is_zero(a) && self.rows(a) == self.rows(b) => b,
            (Op::Place { x, rows, of }, Op::Place { x: y, rows: same, of: also }) if rows == same && of == also => {
                let sum = self.add(x, y);
                self.g.place(sum, rows, of)
            }
            // W x of a placed batch column beside a full matrix: place the column, which is
            // done once a batch, not the product
            (Op::Place { .. }, _) if self.unplaced(a).is_some() => {
                let a = self.unplaced(a).expect("just seen");
                self.g.add(a, b)
            }
            (_, Op::Place { .. }) if self.unplaced(b).is_some() => {
                let b = self.unplaced(b).expect("just seen");
                self.g.add(a, b)
            }
            _ => self.g.add(a, b),
        }
    }

    /// `Place(W x)` as `W Place(x)`, if `x` is of the batch alone.
    fn unplaced(&mut self, n: Node) -> Option<Node> {
        let Op::Place { x: product, rows, of } = self.op(n) else { return None };
        match self.op(product) {
            Op::Linear { x, w } if self.g.entry(x).varies == Varies::ByBatch => {
                let x = self.g.place(x, rows, of);
                Some(self.g.linear(x, w))
            }
            _ => None,
        }
    }

    /// Is `b` one row of weights for every row of `a`?
    fn is_one_row(&self, a: Node, b: Node) -> bool {
        self.rows(b) == 1 && self.rows(a) > 1 && self.is_table(b)
    }

    fn mul(&mut self, a: Node, b: Node) -> Node {
        if let (true, Some((one_hot, table))) = (self.is_one_row(a, b), self.gathered_by_all(a)) {
            let product = self.mul(table, b);
            return self.g.gather(one_hot, product);
        }
        if let (true, Some((mixed, table))) = (self.is_one_row(a, b), self.mixed_numbers(a)) {
            let product = self.mul(table, b);
            return self.g.mix(mixed, product, 1);
        }
        match (self.op(a), self.op(b)) {
            _ if self.is_zero(a) => a,
            // a row for every row of `a`
            (Op::Place { x, rows, of }, _) if self.rows(b) < self.rows(a) => {
                let y = self.mul(x, b);
                self.g.place(y, rows, of)
            }
            _ if self.rows(b) < self.rows(a) => self.g.mul(a, b),
            _ if self.is_zero(b) => b,
            // where one factor is zero the other need not be computed
            (_, Op::Place { x, rows, of }) => {
                let a = self.take(a, rows);
                let y = self.mul(a, x);
                self.g.place(y, rows, of)
            }
            (Op::Place { .. }, _) => self.mul(b, a),
            _ => self.g.mul(a, b),
        }
    }

    fn scale(&mut self, x: Node, by: f64) -> Node {
        if let Some((mixed, table)) = self.mixed_numbers(x) {
            let table = self.scale(table, by);
            return self.g.mix(mixed, table, 1);
        }
        match self.op(x) {
            _ if self.is_zero(x) => x,
            Op::Place { x, rows, of } => {
                let y = self.scale(x, by);
                self.g.place(y, rows, of)
            }
            _ => self.g.scale(x, by),
        }
    }

    fn mix(&mut self, a: Node, x: Node, heads: usize) -> Node {
        let known = self.attention_between_kinds(a, x, heads).or_else(|| self.mix_numbers(a, x, heads));
        known.unwrap_or_else(|| self.g.mix(a, x, heads))
    }

    fn sum_rows(&mut self, x: Node, weight: Node) -> Node {
        let single = self.rows(x) == 1;
        match self.op(x) {
            _ if self.is_zero(x) => self.g.zeros(1, self.cols(x)),
            Op::Place { x, rows, .. } => {
                let weight = self.take(weight, rows);
                self.sum_rows(x, weight)
            }
            // Σₜ wₜ g[t] ⊙ (xₜ v) = v ⊙ Σₜ (wₜ xₜ) g[t] for a single column x of the batch
            Op::Mul { a: g, b } if self.scaled_row(b).is_some() => {
                let (x, w) = self.scaled_row(b).expect("just seen");
                let weight = self.g.mul(weight, x);
                let s = self.sum_rows(g, weight);
                let one = self.g.constant(1, 1, &[1.0]);
                let row = self.linear(one, w);
                self.mul(s, row)
            }
            // Σ W x = W Σ x, and the same for the other linear operations
            Op::Linear { x, w } if !single => {
                let s = self.sum_rows(x, weight);
                self.linear(s, w)
            }
            Op::Add { a, b } if self.rows(a) == self.rows(b) => {
                let (a, b) = (self.sum_rows(a, weight), self.sum_rows(b, weight));
                self.add(a, b)
            }
            Op::Concat { parts } => {
                let parts: Vec<Node> = parts.iter().map(|&p| self.sum_rows(p, weight)).collect();
                self.concat(&parts)
            }
            Op::Columns { x, start, len } => {
                let s = self.sum_rows(x, weight);
                self.columns(s, start, len)
            }
            Op::Mix { a, x: table, heads, .. } if self.is_table(table) && !single => {
                let s = self.sum_rows(a, weight);
                self.mix(s, table, heads)
            }
            _ => self.g.sum_rows(x, weight),
        }
    }

    /// `n[t] = xₜ v` with `xₜ` a number of the batch and `v` weights: `(x, v)`.
    fn scaled_row(&self, n: Node) -> Option<(Node, Node)> {
        match self.g.entry(n).op {
            Op::Linear { x, w } if self.cols(x) == 1 && self.g.entry(x).varies == Varies::ByBatch => Some((x, w)),
            _ => None,
        }
    }

    fn concat(&mut self, parts: &[Node]) -> Node {
        // Parts that are rows of tables by the same one-hot are rows of the joined table.
        if let Some((one_hot, table)) = self.joined_tables(parts) {
            return self.g.gather(one_hot, table);
        }
        if let Some(joined) = self.joined_numbers(parts) {
            return joined;
        }
        // Parts that are zero outside the same rows (or everywhere) are joined there.
        let placed = parts.iter().find_map(|&p| match self.g.entry(p).op {
            Op::Place { rows, of, .. } => Some((rows, of)),
            _ => None,
        });
        if let Some((rows, of)) = placed {
            let inner: Option<Vec<Node>> = parts
                .iter()
                .map(|&p| match self.op(p) {
                    Op::Place { x, rows: same, .. } if same == rows => Some(x),
                    _ if self.is_zero(p) => Some(self.g.zeros(rows.count, self.cols(p))),
                    _ => None,
                })
                .collect();
            if let Some(inner) = inner {
                let joined = self.g.concat(&inner);
                return self.g.place(joined, rows, of);
            }
        }
        self.g.concat(parts)
    }

    fn columns(&mut self, x: Node, start: usize, len: usize) -> Node {
        match self.op(x) {
            _ if len == self.cols(x) => x,
            _ if self.is_zero(x) => self.g.zeros(self.rows(x), len),
            Op::Columns { x, start: outer, .. } => self.columns(x, outer + start, len),
            Op::Place { x, rows, of } => {
                let y = self.columns(x, start, len);
                self.g.place(y, rows, of)
            }
            Op::Add { a, b } => {
                let (a, b) = (self.columns(a, start, len), self.columns(b, start, len));
                self.add(a, b)
            }
            Op::Concat { parts } => {
                let mut at = 0;
                for p in parts {
                    let cols = self.cols(p);
                    if at <= start && start + len <= at + cols {
                        return self.columns(p, start - at, len);
                    }
                    at += cols;
                }
                self.g.columns(x, start, len)
            }
            _ => self.g.columns(x, start, len),
        }
    }
}
