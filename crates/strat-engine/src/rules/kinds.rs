//! Rules about rows of a table that a one-hot chooses: what is done to each row alike is done to the table.

use super::Rebuild;
use crate::graph::{Bias, Node, Op, Rows};

impl Rebuild {
    /// The one-hot and the table of a node whose rows are all rows of a table: what is done to each
    /// row alike can be done to the table.
    pub(super) fn gathered_by_all(&self, n: Node) -> Option<(Node, Node)> {
        let (one_hot, table) = self.gathered(n)?;
        matches!(self.g.entry(one_hot).op, Op::OneHot { total: true, .. }).then_some((one_hot, table))
    }

    /// Attention whose queries, keys and values are rows of tables chosen by the same
    /// one-hot `O`: with `S` the scores between kinds,
    ///
    /// `Σⱼ exp(S[kᵢ,kⱼ] + Bᵢⱼ) V[kⱼ] = Σₖ exp(S[kᵢ,k]) (Σⱼ exp(Bᵢⱼ) O[j,k]) V[k]`,
    ///
    /// and the inner sum, the mass, depends on the batch alone.
    pub(super) fn attention_between_kinds(&mut self, a: Node, v: Node, heads: usize) -> Option<Node> {
        let Op::Softmax { x: scores, bias, heads: of_softmax } = self.op(a) else { return None };
        let (scores, by) = match self.op(scores) {
            Op::Scale { x, by } => (x, by),
            _ => (scores, 1.0),
        };
        let Op::Scores { q, k, heads: of_scores, .. } = self.op(scores) else { return None };
        if of_softmax != heads || of_scores != heads {
            return None;
        }
        let (one_hot, q) = self.gathered(q)?;
        let (same_k, k) = self.gathered(k)?;
        let (same_v, v) = self.gathered(v)?;
        if same_k != one_hot || same_v != one_hot {
            return None;
        }
        let mut s = self.g.scores(q, k, heads);
        if by != 1.0 {
            s = self.g.scale(s, by);
        }
        let [kinds, cols] = self.g.shape(s);
        let e = self.g.push(Op::ExpRows { x: s, heads }, kinds, cols);
        let e = self.g.gather(one_hot, e);
        let mass = self.mass(one_hot, bias);
        let p = self.g.push(Op::Normalize { x: e, mass, heads }, self.rows(a), cols);
        Some(self.g.mix(p, v, heads))
    }

    pub(super) fn gathered(&self, n: Node) -> Option<(Node, Node)> {
        match self.g.entry(n).op {
            Op::Mix { a, x, heads: 1, .. }
                if matches!(self.g.entry(a).op, Op::OneHot { .. }) && self.is_table(x) =>
            {
                Some((a, x))
            }
            _ => None,
        }
    }

    /// The kind that a single row is of, if it can be of no other.
    pub(super) fn only_kind(&self, one_hot: Node, rows: Rows) -> Option<usize> {
        let Op::OneHot { reach, .. } = &self.g.entry(one_hot).op else { return None };
        let (low, high) = reach[rows.start];
        (rows.count == 1 && high == low + 1).then_some(low)
    }

    pub(super) fn mass(&mut self, one_hot: Node, bias: Bias) -> Node {
        let (rows, kinds) = (bias.rows(), self.cols(one_hot));
        self.g.push(Op::Mass { one_hot, bias }, rows, kinds)
    }

    pub(super) fn joined_tables(&mut self, parts: &[Node]) -> Option<(Node, Node)> {
        let (one_hot, first) = parts.iter().find_map(|&p| self.gathered_by_all(p))?;
        let kinds = self.rows(first);
        let mut tables = vec![];
        for &p in parts {
            tables.push(match self.gathered_by_all(p) {
                Some((same, table)) if same == one_hot => table,
                _ if self.is_zero(p) => self.g.zeros(kinds, self.cols(p)),
                _ => return None,
            });
        }
        let table = self.g.concat(&tables);
        Some((one_hot, table))
    }
}
