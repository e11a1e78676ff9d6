//! Rules about rows that are numbers of the batch times a table, `x = U E`. A token that is a row of a table with its value
//! beside it is such a row: its kind and its value, times the table with one more row. What is linear in `x` is done to the
//! few rows of `E`, and attention needs no queries, keys and values as wide as `x`:
//!
//! `q·(U Eₖ)ᵀ = (q Eₖᵀ)·Uᵀ` and `A (U E) = (A U) E`,
//!
//! in which `U` is narrow and needs no gradient.

use super::Rebuild;
use crate::graph::{Node, Op, Reach, Rows, Varies};

impl Rebuild {
    /// Columns side by side as `U E`: some are rows of tables that one-hots choose, the others are given with the batch (or
    /// zero), and `U` is no wider than they are.
    pub(super) fn joined_numbers(&mut self, parts: &[Node]) -> Option<Node> {
        // What each part is made from, and the table that it is multiplied with; none if it is there as it is.
        let mut sources: Vec<Option<(Node, Option<Node>)>> = vec![];
        for &p in parts {
            sources.push(match self.gathered(p) {
                _ if self.is_zero(p) => None,
                Some((one_hot, table)) => Some((one_hot, Some(table))),
                None if self.is_given(p) => Some((p, None)),
                None => return None,
            });
        }
        let mut numbers: Vec<Node> = vec![];
        for &(source, _) in sources.iter().flatten() {
            if !numbers.contains(&source) {
                numbers.push(source);
            }
        }
        let [width, cols] = [&numbers, parts].map(|all| all.iter().map(|&n| self.cols(n)).sum::<usize>());
        let is_both = [true, false].iter().all(|&is| sources.iter().flatten().any(|s| s.1.is_some() == is));
        if !is_both || width > cols {
            return None;
        }
        let mut table = self.g.zeros(width, cols);
        let mut start = 0;
        for &source in &numbers {
            let count = self.cols(source);
            let mut own = vec![];
            for (&p, made) in parts.iter().zip(&sources) {
                own.push(match made {
                    Some((of, Some(table))) if *of == source => *table,
                    Some((of, None)) if *of == source => self.identity(count),
                    _ => self.g.zeros(count, self.cols(p)),
                });
            }
            let own = self.g.concat(&own);
            let own = self.g.place(own, Rows { start, step: 1, count }, width);
            table = self.add(table, own);
            start += count;
        }
        let numbers = self.g.concat(&numbers);
        Some(self.g.mix(numbers, table, 1))
    }

    fn identity(&mut self, size: usize) -> Node {
        let one = |i: usize| f64::from(u8::from(i / size == i % size));
        self.g.constant(size, size, &(0..size * size).map(one).collect::<Vec<_>>())
    }

    /// Known before any parameter, and not the same for all.
    fn is_given(&self, n: Node) -> bool {
        self.g.entry(n).varies == Varies::ByBatch
    }

    /// `(U, E)` of a node that is `U E`, where `U` is no wider.
    fn numbers_by_table(&self, n: Node) -> Option<(Node, Node)> {
        match self.g.entry(n).op {
            Op::Mix { a, x, heads: 1, .. } if self.is_table(x) && self.rows(x) <= self.cols(x) => {
                let joined = matches!(self.g.entry(a).op, Op::Concat { .. });
                (joined && self.is_given(a)).then_some((a, x))
            }
            _ => None,
        }
    }

    /// `q·(U E)ᵀ = (q Eᵀ)·Uᵀ`
    pub(super) fn scores(&mut self, q: Node, k: Node, heads: usize, reach: Reach) -> Node {
        match self.numbers_by_table(k) {
            Some((numbers, table)) if heads == 1 => {
                let q = self.linear(q, table);
                self.g.scores_within(q, numbers, 1, reach)
            }
            _ => self.g.scores_within(q, k, heads, reach),
        }
    }

    /// `A (U E) = (A U) E`
    pub(super) fn mix_numbers(&mut self, a: Node, x: Node, heads: usize) -> Option<Node> {
        let (numbers, table) = self.numbers_by_table(x).filter(|_| heads == 1)?;
        let mixed = self.g.mix(a, numbers, 1);
        Some(self.g.mix(mixed, table, 1))
    }

    /// `A` and `E` of mixed numbers of the batch `A E`, of which there are more rows than `E` has: what is done to every
    /// column of `A E` alike is done to `E`.
    pub(super) fn mixed_numbers(&self, n: Node) -> Option<(Node, Node)> {
        let Op::Mix { a: mixed, x: table, heads: 1, .. } = self.g.entry(n).op else { return None };
        let Op::Mix { x: numbers, heads: 1, .. } = self.g.entry(mixed).op else { return None };
        let fits = self.is_table(table) && self.is_given(numbers) && self.rows(table) < self.rows(n);
        fits.then_some((mixed, table))
    }
}
