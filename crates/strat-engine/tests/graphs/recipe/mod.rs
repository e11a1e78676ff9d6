//! Graphs drawn at random, and how they grow small: a recipe is a list of operations whose operands are chosen by
//! number among what is there. Any part of a recipe is a recipe, so that one which fails can be cut down to the few
//! operations that matter.

mod growing;
mod operations;
mod steps;

use growing::Growing;
use proptest::prelude::*;
use strat_engine::{Graph, Node};

/// One operation to be added. Choices count from what was made last, so that zeros read one matrix several times.
#[derive(Clone, Debug)]
pub struct Gene {
    pub op: u8,
    pub choices: [u8; 3],
    pub size: u8,
}

/// A graph to be.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// All operations, or those that rows on lanes can do.
    pub of_rows: bool,
    pub rows: usize,
    pub cols: usize,
    pub batch: usize,
    pub genes: Vec<Gene>,
    pub seed: u64,
}

/// Recipes of a kind.
pub fn recipes(of_rows: bool) -> impl Strategy<Value = Recipe> {
    let gene = (0..OPERATIONS, [0..5u8, 0..5u8, 0..5u8], 0..12u8);
    let gene = gene.prop_map(|(op, choices, size)| Gene { op, choices, size });
    // Mostly small; now and then more examples than are worked on at a time.
    let batch = prop_oneof![12 => 1..4usize, 1 => 17..20usize];
    let parts = (1..=5usize, 1..=4usize, batch, prop::collection::vec(gene, 1..8), 0..1000u64);
    parts.prop_map(move |(rows, cols, batch, genes, seed)| Recipe { of_rows, rows, cols, batch, genes, seed })
}

/// How many operations there are to choose from.
const OPERATIONS: u8 = 38;

impl Recipe {
    /// The graph, and the matrices that nothing in it reads.
    pub fn grow(&self) -> (Graph, Vec<Node>) {
        let mut grown = Growing { g: Graph::new(), nodes: vec![], weights: vec![], leaves: 0 };
        let first = if self.of_rows {
            grown.mapped_input(self.rows, self.cols)
        } else {
            grown.leaf(self.rows, self.cols, 0)
        };
        grown.nodes.push(first);
        for gene in &self.genes {
            let new = if self.of_rows { grown.step(gene) } else { grown.operation(gene) };
            grown.nodes.push(new);
        }
        let mut read = vec![false; grown.g.entries().len()];
        for e in grown.g.entries() {
            e.op.operands().iter().for_each(|o| read[o.index()] = true);
        }
        let mut ends: Vec<Node> = grown.nodes.into_iter().filter(|n| !read[n.index()]).collect();
        ends.sort_unstable();
        ends.dedup();
        (grown.g, ends)
    }
}
