//! The rule about some rows of a matrix: only those are computed, back to where they are made.

use super::Rebuild;
use crate::graph::{Node, Op, Rows};

impl Rebuild {
    /// Goes down to where the rows are made, through everything that works row by row. Each node once:
    /// the paths through residual connections double with every layer.
    pub(super) fn take(&mut self, x: Node, rows: Rows) -> Node {
        if let Some(&known) = self.taken.get(&(x, rows)) {
            return known;
        }
        let taken = self.take_of(x, rows);
        self.taken.insert((x, rows), taken);
        taken
    }

    fn take_of(&mut self, x: Node, rows: Rows) -> Node {
        if let Some((one_hot, table)) = self.gathered_by_all(x)
            && let Some(kind) = self.only_kind(one_hot, rows)
        {
            return self.take(table, Rows { start: kind, step: 1, count: 1 });
        }
        match self.op(x) {
            _ if self.is_zero(x) => self.g.zeros(rows.count, self.cols(x)),
            // Elsewhere all rows together are one fused operation.
            Op::Normalize { x, mass, heads } if self.gathered_by_all(x).is_some() => {
                let (x, mass) = (self.take(x, rows), self.take(mass, rows));
                let [count, cols] = self.g.shape(x);
                self.g.push(Op::Normalize { x, mass, heads }, count, cols)
            }
            Op::Mass { one_hot, bias } => self.mass(one_hot, bias.take(rows)),
            Op::ExpRows { x, heads } => {
                let x = self.take(x, rows);
                let [count, cols] = self.g.shape(x);
                self.g.push(Op::ExpRows { x, heads }, count, cols)
            }
            Op::Place { x, rows: same, .. } if same == rows => x,
            Op::Add { a, b } => {
                let broadcast = self.rows(b) == 1;
                let a = self.take(a, rows);
                let b = if broadcast { b } else { self.take(b, rows) };
                self.add(a, b)
            }
            Op::Mul { a, b } => {
                let broadcast = self.rows(b) == 1;
                let a = self.take(a, rows);
                let b = if broadcast { b } else { self.take(b, rows) };
                self.mul(a, b)
            }
            Op::Sigmoid { x } => {
                let x = self.take(x, rows);
                self.g.sigmoid(x)
            }
            Op::Scale { x, by } => {
                let x = self.take(x, rows);
                self.scale(x, by)
            }
            Op::Linear { x, w } => {
                let x = self.take(x, rows);
                self.linear(x, w)
            }
            Op::Mix { a, x, heads, .. } => {
                let a = self.take(a, rows);
                self.mix(a, x, heads)
            }
            Op::LayerNorm { x } => {
                let x = self.take(x, rows);
                self.layer_norm(x)
            }
            Op::Gelu { x } => {
                let x = self.take(x, rows);
                self.g.gelu(x)
            }
            Op::Softmax { x, heads, bias } => {
                let x = self.take(x, rows);
                self.g.softmax(x, heads, bias.take(rows))
            }
            Op::Scores { q, k, heads, reach } => {
                let q = self.take(q, rows);
                self.g.scores_within(q, k, heads, rows.iter().map(|t| reach[t]).collect())
            }
            _ => self.g.take(x, rows),
        }
    }
}
