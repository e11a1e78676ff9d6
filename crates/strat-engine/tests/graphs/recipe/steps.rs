//! What rows on lanes can do.

use super::Gene;
use super::growing::Growing;
use strat_engine::Node;
use strat_engine::graph::Bias;

impl Growing {
    /// Adds one of the operations that rows on lanes can do.
    pub fn step(&mut self, gene: &Gene) -> Node {
        let size = gene.size;
        let x = self.any(gene.choices[0]);
        let [rows, cols] = self.shape(x);
        match gene.op % 6 {
            0 => {
                // As wide as before, mostly, so that sums and products find partners.
                let outs = if size < 8 { cols.min(4) } else { 1 + size as usize % 4 };
                self.map(gene, x, outs)
            }
            1 => {
                let b = self.partner(gene, 1, rows, cols);
                self.g.add(x, b)
            }
            2 => {
                let b = self.partner(gene, 1, rows, cols);
                self.g.mul(x, b)
            }
            3 => self.g.layer_norm(x),
            4 => {
                let (k, v) = (self.partner(gene, 1, rows, cols), self.partner(gene, 2, rows, cols));
                let heads = Self::heads(cols, size);
                let routes = self.g.routes(x, k, heads, [0.6, 1.0][size as usize % 2], Bias::none(rows, rows));
                self.g.mix(routes, v, heads)
            }
            _ => {
                let fits = |s: &Self, n| s.shape(n)[1] <= 4;
                let parts: Vec<Node> = gene.choices.iter().filter_map(|&choice| self.pick(choice, fits)).collect();
                let x = if parts.is_empty() { x } else { self.g.concat(&parts) };
                // A map of columns side by side would be made a sum of maps, which is not done row by row.
                self.g.layer_norm(x)
            }
        }
    }

    /// A matrix of the same shape: one that is there, one of the batch, or a map of one that is there.
    fn partner(&mut self, gene: &Gene, which: usize, rows: usize, cols: usize) -> Node {
        match self.pick(gene.choices[which], |s, n| s.shape(n) == [rows, cols]) {
            Some(n) => n,
            None if gene.size.is_multiple_of(3) => self.input("x", rows, cols),
            None => {
                let x = self.any(gene.choices[0]);
                self.map(gene, x, cols)
            }
        }
    }

    /// A linear map with some of what can be done before and after it.
    fn map(&mut self, gene: &Gene, x: Node, outs: usize) -> Node {
        let [_, cols] = self.shape(x);
        let mut x = x;
        if gene.size % 4 == 1 {
            let (scale, shift) = (self.table(gene, 1, 1, cols), self.table(gene, 2, 1, cols));
            x = self.g.mul(x, scale);
            x = self.g.add(x, shift);
        }
        let w = self.table(gene, 1, outs, cols);
        let mut y = self.g.linear(x, w);
        if gene.size % 2 == 1 {
            let bias = self.table(gene, 2, 1, outs);
            y = self.g.add(y, bias);
        }
        match gene.size % 3 {
            0 => y,
            1 => self.g.sigmoid(y),
            _ => self.g.gelu(y),
        }
    }
}
