//! All operations.

use super::Gene;
use super::growing::Growing;
use strat_engine::Node;
use strat_engine::graph::{Bias, Op, Rows, Term};

impl Growing {
    /// Adds one of all operations.
    pub fn operation(&mut self, gene: &Gene) -> Node {
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
            // It is for what differs by example, and all gradients are written at once.
            11 if size > 6 && !self.is_table(x) => {
                let [scale, shift] = [(); 2].map(|()| self.param(1, cols));
                self.g.push(Op::ScaledNorm { x, scale, shift }, rows, cols)
            }
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
            35 => {
                // It is for what differs by example, and has tables of its own: all gradients are written at once.
                if self.is_table(x) {
                    return self.g.gelu(x);
                }
                let hidden = 1 + size as usize % 3;
                let w = [self.param(hidden, cols), self.param(few, hidden)];
                let bias = [(size > 3, hidden), (size > 7, few)];
                let bias = bias.map(|(has, width)| has.then(|| self.param(1, width)));
                self.g.push(Op::Ffn { x, w, bias }, rows, few)
            }
            36 => self.attention_of_kinds(gene, rows),
            _ => self.attention_of_numbers(gene, rows),
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
        let mixed = self.g.mix(routes, v, heads);
        // Of the first token alone, which can be of one kind only, routes are not one fused operation.
        if gene.size.is_multiple_of(6) { self.g.take(mixed, Rows { start: 0, step: 1, count: 1 }) } else { mixed }
    }
    /// Attention between rows of a table with numbers of the batch beside them, which it is added to.
    fn attention_of_numbers(&mut self, gene: &Gene, rows: usize) -> Node {
        let Gene { size, .. } = *gene;
        let (one_hot, _) = self.kinds(rows, size);
        let few = 2 + size as usize % 3;
        let table = self.table(gene, 0, 3, few);
        let flags = self.g.gather(one_hot, table);
        let every = Rows::every(1 + size as usize % 2, 0, rows);
        let values = self.input("x", every.count, 1);
        let values = if size > 3 { self.g.place(values, every, rows) } else { self.input("x", rows, 1) };
        let zero = self.g.zeros(rows, 1);
        let x = if size < 6 { self.g.concat(&[values, flags, zero]) } else { self.g.concat(&[flags, values]) };
        let cols = self.shape(x)[1];
        let [q, k, v] = [0, 1, 2].map(|which| {
            let w = self.table(gene, which, cols, cols);
            self.g.linear(x, w)
        });
        let routes = self.g.routes(q, k, 1, [0.8, 1.0][size as usize % 2], self.bias(rows, rows, size / 4));
        let fetched = self.g.mix(routes, v, 1);
        let fetched = match size % 4 {
            0 => self.g.scale(fetched, 0.5),
            1 => {
                let gain = self.table(gene, 1, 1, cols);
                self.g.mul(fetched, gain)
            }
            _ => fetched,
        };
        let x = self.g.add(x, fetched);
        let w = self.table(gene, 2, few, cols);
        self.g.linear(x, w)
    }
}
