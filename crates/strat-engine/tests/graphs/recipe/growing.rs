//! A graph that grows: what is there, and operands chosen among it or made.

use super::Gene;
use strat_engine::graph::{Bias, Reach, Varies};
use strat_engine::{Graph, Node};

/// A graph that grows.
pub(super) struct Growing {
    pub g: Graph,
    /// What may be an operand.
    pub nodes: Vec<Node>,
    pub weights: Vec<Node>,
    pub leaves: usize,
}

impl Growing {
    pub fn shape(&self, n: Node) -> [usize; 2] {
        self.g.shape(n)
    }

    pub fn varies(&self, n: Node) -> Varies {
        self.g.entries()[n.index()].varies
    }

    pub fn is_table(&self, n: Node) -> bool {
        matches!(self.varies(n), Varies::Never | Varies::ByStep)
    }

    pub fn is_given(&self, n: Node) -> bool {
        matches!(self.varies(n), Varies::Never | Varies::ByBatch)
    }

    pub fn name(&mut self, kind: &str) -> String {
        self.leaves += 1;
        format!("{kind}.{}", self.leaves)
    }

    pub fn param(&mut self, rows: usize, cols: usize) -> Node {
        let name = self.name("w");
        let new = self.g.param(&name, rows, cols);
        self.weights.push(new);
        new
    }

    /// An input; its kind says which numbers it is given.
    pub fn input(&mut self, kind: &str, rows: usize, cols: usize) -> Node {
        let name = self.name(kind);
        self.g.input(&name, rows, cols)
    }

    /// A matrix from nothing: learned and different by example, or only one of these, or neither.
    pub fn leaf(&mut self, rows: usize, cols: usize, kind: u8) -> Node {
        match kind % 7 {
            0 | 1 => {
                let (x, w) = (self.input("x", rows, cols), self.param(rows, cols));
                self.g.add(x, w)
            }
            2 => self.mapped_input(rows, cols),
            3 => self.param(rows, cols),
            4 => self.input("x", rows, cols),
            5 => {
                let data: Vec<f64> = (0..rows * cols).map(|i| (1.1 * (i + 1) as f64).sin()).collect();
                self.g.constant(rows, cols, &data)
            }
            _ => self.g.zeros(rows, cols),
        }
    }

    pub fn mapped_input(&mut self, rows: usize, cols: usize) -> Node {
        let (x, w) = (self.input("x", rows, 2), self.param(cols, 2));
        self.g.linear(x, w)
    }

    /// One of the matrices that fit, counted from the last made, or none after them all.
    pub fn pick(&self, choice: u8, fits: impl Fn(&Self, Node) -> bool) -> Option<Node> {
        let mut there: Vec<Node> = self.nodes.iter().rev().copied().filter(|&n| fits(self, n)).collect();
        let mut seen = vec![];
        there.retain(|n| {
            !seen.contains(n) && {
                seen.push(*n);
                true
            }
        });
        there.get(choice as usize % (there.len() + 1)).copied()
    }

    pub fn any(&self, choice: u8) -> Node {
        let all = self.nodes.len();
        self.nodes[all - 1 - choice as usize % all]
    }

    /// Of this shape.
    pub fn operand(&mut self, gene: &Gene, which: usize, rows: usize, cols: usize) -> Node {
        match self.pick(gene.choices[which], |s, n| s.shape(n) == [rows, cols]) {
            Some(n) => n,
            None => self.leaf(rows, cols, gene.size / 2),
        }
    }

    /// Of this shape, and the same for all examples.
    pub fn table(&mut self, gene: &Gene, which: usize, rows: usize, cols: usize) -> Node {
        // Weights that others have too.
        let shared: Vec<Node> = self.weights.iter().copied().filter(|&n| self.shape(n) == [rows, cols]).collect();
        match self.pick(gene.choices[which], |s, n| s.shape(n) == [rows, cols] && s.is_table(n)) {
            Some(n) => n,
            None if gene.size % 3 == 1 && !shared.is_empty() => shared[gene.choices[which] as usize % shared.len()],
            None => self.param(rows, cols),
        }
    }

    /// Of this shape, and not learned.
    pub fn given(&mut self, gene: &Gene, which: usize, kind: &str, rows: usize, cols: usize) -> Node {
        match self.pick(gene.choices[which], |s, n| s.shape(n) == [rows, cols] && s.is_given(n)) {
            Some(n) if kind == "x" => n,
            _ => self.input(kind, rows, cols),
        }
    }

    /// Tokens of kinds, and what they can be.
    pub fn kinds(&mut self, rows: usize, size: u8) -> (Node, Reach) {
        let name = if size.is_multiple_of(2) { "kind" } else { "pad" };
        let name = format!("{name}.of.{rows}");
        let index = self.g.input(&name, rows, 1);
        let reach: Reach = (0..rows).map(|t| if t % 2 == 0 { (0, 1) } else { (1, 3) }).collect();
        let one_hot = match size % 2 {
            0 => self.g.total_one_hot(index, 3, reach.clone()),
            _ => self.g.one_hot(index, 3, reach.clone()),
        };
        (one_hot, reach)
    }

    pub fn bias(&self, rows: usize, keys: usize, size: u8) -> Bias {
        match size % 3 {
            0 => Bias::none(rows, keys),
            1 if rows == keys => Bias::alibi_causal(rows, 0.7),
            _ => {
                let reach: Reach = (0..rows).map(|t| (t % keys, (t % keys + 2).min(keys))).collect();
                let cell = |i: usize| {
                    let (t, k) = (i / keys, i % keys);
                    if (reach[t].0..reach[t].1).contains(&k) { 0.3 * k as f64 } else { f64::NEG_INFINITY }
                };
                Bias { cols: keys, data: (0..rows * keys).map(cell).collect(), reach: reach.clone() }
            }
        }
    }

    /// As many heads as are asked for, if the columns can be split so.
    pub fn heads(cols: usize, size: u8) -> usize {
        if cols.is_multiple_of(2) && size % 2 == 1 { 2 } else { 1 }
    }
}
