//! Graphs drawn at random, and how they grow small: a recipe is a list of operations whose operands are chosen by
//! number among what is there. Any part of a recipe is a recipe, so that one which fails can be cut down to the few
//! operations that matter.

use proptest::prelude::*;
use strat_engine::graph::{Bias, Op, Reach, Rows, Term, Varies};
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
const OPERATIONS: u8 = 36;

/// A graph that grows.
struct Growing {
    g: Graph,
    /// What may be an operand.
    nodes: Vec<Node>,
    weights: Vec<Node>,
    leaves: usize,
}

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

impl Growing {
    fn shape(&self, n: Node) -> [usize; 2] {
        self.g.shape(n)
    }

    fn varies(&self, n: Node) -> Varies {
        self.g.entries()[n.index()].varies
    }

    fn is_table(&self, n: Node) -> bool {
        matches!(self.varies(n), Varies::Never | Varies::ByStep)
    }

    fn is_given(&self, n: Node) -> bool {
        matches!(self.varies(n), Varies::Never | Varies::ByBatch)
    }

    fn name(&mut self, kind: &str) -> String {
        self.leaves += 1;
        format!("{kind}.{}", self.leaves)
    }

    fn param(&mut self, rows: usize, cols: usize) -> Node {
        let name = self.name("w");
        let new = self.g.param(&name, rows, cols);
        self.weights.push(new);
        new
    }

    /// An input; its kind says which numbers it is given.
    fn input(&mut self, kind: &str, rows: usize, cols: usize) -> Node {
        let name = self.name(kind);
        self.g.input(&name, rows, cols)
    }

    /// A matrix from nothing: learned and different by example, or only one of these, or neither.
    fn leaf(&mut self, rows: usize, cols: usize, kind: u8) -> Node {
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

    fn mapped_input(&mut self, rows: usize, cols: usize) -> Node {
        let (x, w) = (self.input("x", rows, 2), self.param(cols, 2));
        self.g.linear(x, w)
    }

    /// One of the matrices that fit, counted from the last made, or none after them all.
    fn pick(&self, choice: u8, fits: impl Fn(&Self, Node) -> bool) -> Option<Node> {
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

    fn any(&self, choice: u8) -> Node {
        let all = self.nodes.len();
        self.nodes[all - 1 - choice as usize % all]
    }

    /// Of this shape.
    fn operand(&mut self, gene: &Gene, which: usize, rows: usize, cols: usize) -> Node {
        match self.pick(gene.choices[which], |s, n| s.shape(n) == [rows, cols]) {
            Some(n) => n,
            None => self.leaf(rows, cols, gene.size / 2),
        }
    }

    /// Of this shape, and the same for all examples.
    fn table(&mut self, gene: &Gene, which: usize, rows: usize, cols: usize) -> Node {
        // Weights that others have too.
        let shared: Vec<Node> = self.weights.iter().copied().filter(|&n| self.shape(n) == [rows, cols]).collect();
        match self.pick(gene.choices[which], |s, n| s.shape(n) == [rows, cols] && s.is_table(n)) {
            Some(n) => n,
            None if gene.size % 3 == 1 && !shared.is_empty() => shared[gene.choices[which] as usize % shared.len()],
            None => self.param(rows, cols),
        }
    }

    /// Of this shape, and not learned.
    fn given(&mut self, gene: &Gene, which: usize, kind: &str, rows: usize, cols: usize) -> Node {
        match self.pick(gene.choices[which], |s, n| s.shape(n) == [rows, cols] && s.is_given(n)) {
            Some(n) if kind == "x" => n,
            _ => self.input(kind, rows, cols),
        }
    }

    /// Tokens of kinds, and what they can be.
    fn kinds(&mut self, rows: usize, size: u8) -> (Node, Reach) {
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

    fn bias(&self, rows: usize, keys: usize, size: u8) -> Bias {
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
    fn heads(cols: usize, size: u8) -> usize {
        if cols.is_multiple_of(2) && size % 2 == 1 { 2 } else { 1 }
    }

    /// Adds one of all operations.
    fn operation(&mut self, gene: &Gene) -> Node {
        let size = gene.size;
        let x = self.any(gene.choices[0]);
        let [rows, cols] = self.shape(x);
        let heads = Self::heads(cols, size);
        let few = 1 + size as usize % 4;
        match gene.op {
            0 => {
                let w = self.table(gene, 1, few, cols);
                self.g.linear(x, w)
            }
            1 => {
                let b = self.operand(gene, 1, rows, cols);
                self.g.add(x, b)
            }
            2 => {
                let b = self.operand(gene, 1, 1, cols);
                self.g.add(x, b)
            }
            3 => {
                let b = self.operand(gene, 1, rows, cols);
                self.g.mul(x, b)
            }
            4 => {
                let b = self.table(gene, 1, 1, cols);
                self.g.mul(x, b)
            }
            5 => self.g.scale(x, [0.5, -1.3, 1.0, 0.0][size as usize % 4]),
            6 => self.g.sigmoid(x),
            7 => self.g.tanh(x),
            8 => {
                let x = self.g.tanh(x);
                self.g.exp(x)
            }
            9 => {
                // Away from zero, where it bends beyond what finite differences can follow.
                let (x, far) = (self.g.tanh(x), self.g.constant(1, cols, &vec![1.7; cols]));
                let x = self.g.add(x, far);
                self.g.log_abs(x)
            }
            10 => self.g.gelu(x),
            11 => self.g.layer_norm(x),
            12 => {
                let keys = 1 + size as usize % 3;
                let k = self.operand(gene, 1, keys, cols);
                self.g.scores(x, k, heads)
            }
            13 => {
                let keys = if size.is_multiple_of(3) { 1 + size as usize % 4 } else { rows };
                let (k, v) = (self.operand(gene, 1, keys, cols), self.operand(gene, 2, keys, cols));
                let bias = self.bias(rows, keys, size / 3);
                let routes = self.g.routes(x, k, heads, [0.6, 1.0][size as usize % 2], bias);
                self.g.mix(routes, v, heads)
            }
            14 => {
                let bias = self.bias(rows, cols / heads, size / 2);
                self.g.softmax(x, heads, bias)
            }
            15 => {
                let v = self.operand(gene, 1, cols / heads, 2 * heads);
                self.g.mix(x, v, heads)
            }
            16 => {
                let k = self.operand(gene, 1, rows, cols);
                let s = self.g.window_scores(x, k, 1 + size as usize % rows);
                // Some cells stand for no token and may be anything: only a softmax knows which.
                self.windowed(s)
            }
            17 => {
                let window = 1 + size as usize % rows;
                let (k, v) = (self.operand(gene, 1, rows, cols), self.operand(gene, 2, rows, cols));
                let s = self.g.window_scores(x, k, window);
                let s = if size > 5 { self.g.scale(s, 0.5) } else { s };
                let a = self.windowed(s);
                self.g.window_mix(a, v)
            }
            18 if cols <= rows => {
                let v = self.operand(gene, 1, rows, few);
                self.g.window_mix(x, v)
            }
            18 | 19 => {
                let weight = self.given(gene, 1, "x", rows, 1);
                self.g.sum_rows(x, weight)
            }
            20 => {
                let mut parts = vec![x];
                for which in 1..3 {
                    if let Some(p) = self.pick(gene.choices[which], |s, n| s.shape(n)[0] == rows) {
                        parts.push(p);
                    }
                }
                self.g.concat(&parts)
            }
            21 => {
                let start = size as usize % cols;
                self.g.columns(x, start, 1 + gene.choices[1] as usize % (cols - start))
            }
            22 => self.g.take(x, Rows::every(1 + size as usize % 2, gene.choices[1] as usize % rows, rows)),
            23 => {
                let step = 1 + size as usize % 2;
                let start = gene.choices[1] as usize % 2;
                let last = start + (rows - 1) * step;
                self.g.place(x, Rows { start, step, count: rows }, last + 1 + size as usize % 3 / 2)
            }
            24 => {
                let (one_hot, _) = self.kinds(rows, size);
                let of = if size > 5 { self.operand(gene, 1, 3, few) } else { self.table(gene, 1, 3, few) };
                self.g.gather(one_hot, of)
            }
            25 => {
                let mass = self.given(gene, 1, "mass", rows, cols / heads);
                let mass = self.g.mul(mass, mass);
                let e = self.g.push(Op::ExpRows { x, heads }, rows, cols);
                self.g.push(Op::Normalize { x: e, mass, heads }, rows, cols)
            }
            26 => {
                let (one_hot, _) = self.kinds(rows, size);
                let bias = self.bias(rows, rows, size / 2);
                self.g.push(Op::Mass { one_hot, bias }, rows, 3)
            }
            27 => self.g.push(Op::SplitHeads { x, heads }, heads * rows, cols),
            28 => self.affine(gene, x, few),
            29 => {
                let (one_hot, reach) = self.kinds(rows, size);
                let bias = self.bias(rows, rows, size / 4);
                let mass = self.g.push(Op::Mass { one_hot, bias }, rows, 3);
                let heads = 1 + size as usize / 2 % 2;
                let s = self.table(gene, 1, 3, 3 * heads);
                let e = self.g.push(Op::ExpRows { x: s, heads }, 3, 3 * heads);
                self.g.push(Op::KindRoutes { one_hot, e, mass, heads, reach }, rows, 3 * heads)
            }
            30 => {
                let mask = self.given(gene, 1, "mask", rows, 1);
                let b = self.operand(gene, 2, rows, cols);
                self.g.select(mask, x, b)
            }
            31 => {
                let width = 1 + size as usize % 2;
                let w = self.table(gene, 1, 4 * width, cols);
                let (gates, state) = (self.g.linear(x, w), self.operand(gene, 2, rows, 2 * width));
                self.g.lstm_cell(gates, state)
            }
            32 => {
                let table = self.operand(gene, 1, heads, 2);
                let offset: Vec<u32> =
                    (0..rows * (cols / heads)).map(|i| (i as u32 + u32::from(size)) % 2).collect();
                self.g.add_offsets(x, table, &offset)
            }
            33 => {
                let (target, weight) = (self.input("class", rows, cols), self.given(gene, 1, "x", rows, 1));
                self.g.cross_entropy(x, target, weight)
            }
            34 => {
                let w = self.table(gene, 1, 1, cols);
                let logit = self.g.linear(x, w);
                let (target, weight) = (self.given(gene, 2, "mask", rows, 1), self.given(gene, 1, "x", rows, 1));
                self.g.binary_cross_entropy(logit, target, weight)
            }
            _ => self.attention_of_kinds(gene, rows),
        }
    }

    /// A softmax over windowed scores.
    fn windowed(&mut self, scores: Node) -> Node {
        let [rows, window] = self.shape(scores);
        self.g.softmax(scores, 1, Bias::alibi_window(rows, 0.5, window))
    }

    fn affine(&mut self, gene: &Gene, x: Node, outs: usize) -> Node {
        let [rows, cols] = self.shape(x);
        // Tables are the same for all examples, and what they are multiplied with is not.
        if self.is_table(x) {
            let w = self.table(gene, 1, outs, cols);
            return self.g.linear(x, w);
        }
        let mut terms = vec![];
        let take = gene.size % 3 == 2;
        let chosen = Rows::every(2, 0, rows);
        let count = if take { chosen.count } else { rows };
        for which in 0..1 + gene.size as usize % 2 {
            let by_rows = (gene.size as usize + which).is_multiple_of(2);
            let shape = if by_rows { [outs, cols] } else { [cols, outs] };
            let table = self.table(gene, 1 + which, shape[0], shape[1]);
            terms.push(Term { a: x, rows: take.then_some(chosen), table, by_rows });
        }
        let bias = if gene.size > 3 { Some(self.table(gene, 2, 1, outs)) } else { None };
        self.g.push(Op::Affine { terms, bias, sigmoid: gene.size > 7 }, count, outs)
    }

    /// Queries, keys and values that are rows of tables, chosen by the same kinds.
    fn attention_of_kinds(&mut self, gene: &Gene, rows: usize) -> Node {
        let (one_hot, _) = self.kinds(rows, gene.size);
        let [q, k, v] = [0, 1, 2].map(|which| self.table(gene, which, 3, 2));
        let [q, k, v] = [q, k, v].map(|table| self.g.gather(one_hot, table));
        let heads = 1 + gene.size as usize / 2 % 2;
        let routes = self.g.routes(q, k, heads, 0.8, self.bias(rows, rows, gene.size / 4));
        self.g.mix(routes, v, heads)
    }

    /// Adds one of the operations that rows on lanes can do.
    fn step(&mut self, gene: &Gene) -> Node {
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
