//! Joins operations that one kernel can do without writing the parts to memory.
//!
//! Unlike the [rules](super::rules) these are not algebra: the same products and sums,
//! kept in registers. Only nodes with a single reader are absorbed.

use super::graph::{Graph, Node, Op, Rows, Term, Varies};
use super::kernels::affine::MAX_TERMS;
use super::kernels::elementwise::FEW_COLUMNS;
use super::kernels::ffn::MOST_HIDDEN;
use super::kernels::kind_routes::MAX_KINDS;

/// The fused graph and where `roots` went.
pub fn fuse(graph: &Graph, roots: &[Node]) -> (Graph, Vec<Node>) {
    let mut uses = vec![0; graph.entries.len()];
    for e in &graph.entries {
        e.op.operands().iter().for_each(|o| uses[o.index()] += 1);
    }
    roots.iter().for_each(|r| uses[r.index()] += 1);
    let mut f = Fuse { graph, uses, out: Graph::new(), done: vec![None; graph.entries.len()] };
    for (i, e) in graph.entries.iter().enumerate() {
        if matches!(e.op, Op::Param { .. }) {
            f.emit(Node(i as u32));
        }
    }
    let roots = roots.iter().map(|&r| f.emit(r)).collect();
    (f.out, roots)
}

/// From how many numbers of an example on, what is between two maps is computed twice instead of kept: with those of the
/// other layers, they fit no cache.
const MANY_HIDDEN: usize = 4096;

struct Fuse<'a> {
    graph: &'a Graph,
    uses: Vec<usize>,
    out: Graph,
    done: Vec<Option<Node>>,
}

/// What an operation adds up to.
#[derive(Default)]
struct Parts {
    terms: Vec<Term>,
    bias: Option<Node>,
}

impl Fuse<'_> {
    /// The new node for an old one, making its operands first.
    fn emit(&mut self, n: Node) -> Node {
        if let Some(done) = self.done[n.index()] {
            return done;
        }
        let e = self.graph.entry(n);
        let op = self.fused(n).unwrap_or_else(|| e.op.clone());
        let operands: Vec<(Node, Node)> = op.operands().into_iter().map(|o| (o, self.emit(o))).collect();
        let to = |o: Node| operands.iter().find(|p| p.0 == o).expect("every operand was made").1;
        let new = self.out.push(op.with_operands(to), e.rows, e.cols);
        self.done[n.index()] = Some(new);
        new
    }

    fn fused(&self, n: Node) -> Option<Op> {
        let e = self.graph.entry(n);
        if e.varies != Varies::ByExample {
            return None;
        }
        match e.op {
            Op::Sigmoid { x } if self.uses[x.index()] == 1 => {
                let p = self.parts(x)?;
                Some(Op::Affine { terms: p.terms, bias: p.bias, sigmoid: true })
            }
            Op::Linear { .. } => self.ffn(n, None),
            Op::Add { a, b } if self.is_bias(b) && self.ffn(a, Some(b)).is_some() => self.ffn(a, Some(b)),
            Op::Add { a, b } if self.is_bias(b) && self.scaled_norm(a, b).is_some() => self.scaled_norm(a, b),
            Op::Add { .. } => {
                let p = self.parts(n)?;
                Some(Op::Affine { terms: p.terms, bias: p.bias, sigmoid: false })
            }
            Op::Normalize { x, mass, heads } if self.uses[x.index()] == 1 => match self.graph.entry(x).op {
                Op::Mix { a, x: e, heads: 1, .. } if self.graph.shape(a)[1] <= MAX_KINDS => {
                    match &self.graph.entry(a).op {
                        Op::OneHot { reach, .. } => {
                            Some(Op::KindRoutes { one_hot: a, e, mass, heads, reach: reach.clone() })
                        }
                        _ => None,
                    }
                }
                _ => None,
            },
            Op::WindowMix { a, x: v } => self.window_attend(a, v),
            _ => None,
        }
    }

    /// Attention within a window, if nothing else reads its routes.
    fn window_attend(&self, routes: Node, v: Node) -> Option<Op> {
        let Op::Softmax { x, bias, .. } = &self.graph.entry(routes).op else { return None };
        let (q, k, scale) = self.graph.windowed(*x)?;
        let (mut alone, mut scores) = (self.uses[routes.index()] == 1, *x);
        loop {
            alone &= self.uses[scores.index()] == 1;
            let Op::Scale { x, .. } = self.graph.entry(scores).op else { break };
            scores = x;
        }
        // The kernel writes to the three gradients at once.
        let apart = q != k && k != v && v != q;
        let within = bias.reach.iter().enumerate().all(|(t, &(low, high))| low < high && t + low + 1 >= bias.cols);
        (alone && apart && within).then(|| Op::WindowAttend { q, k, v, scale, bias: bias.clone() })
    }

    fn is_bias(&self, n: Node) -> bool {
        self.is_table(n) && self.graph.shape(n)[0] == 1
    }

    /// A LayerNorm with its scale and shift, if it has more columns than those whose gradients are summed in another order.
    fn scaled_norm(&self, scaled: Node, shift: Node) -> Option<Op> {
        let &Op::Mul { a: normed, b: scale } = &self.graph.entry(scaled).op else { return None };
        let &Op::LayerNorm { x } = &self.graph.entry(normed).op else { return None };
        let read_once = self.uses[scaled.index()] == 1 && self.uses[normed.index()] == 1;
        let by_example = self.graph.entry(normed).varies == Varies::ByExample;
        let fits = self.is_bias(scale) && scale != shift && self.graph.shape(x)[1] > FEW_COLUMNS;
        (read_once && by_example && fits).then_some(Op::ScaledNorm { x, scale, shift })
    }

    /// Two maps with a GELU between them, of which nothing else is read and which fills more than the cache.
    fn ffn(&self, outer: Node, after: Option<Node>) -> Option<Op> {
        let alone = |n: Node| self.uses[n.index()] == 1;
        let op = |n: Node| &self.graph.entry(n).op;
        let &Op::Linear { x: value, w: second } = op(outer) else { return None };
        let &Op::Gelu { x: sum } = op(value) else { return None };
        let (inner, bias) = match *op(sum) {
            Op::Add { a, b } if self.is_bias(b) => (a, Some(b)),
            _ => (sum, None),
        };
        let &Op::Linear { x, w: first } = op(inner) else { return None };
        let [rows, hidden] = self.graph.shape(value);
        let fits = hidden <= MOST_HIDDEN && rows * hidden >= MANY_HIDDEN;
        let read_once = alone(value) && alone(sum) && alone(inner) && (after.is_none() || alone(outer));
        // The kernel writes to all gradients at once.
        let apart = !self.is_table(x) && first != second && (bias.is_none() || bias != after);
        (fits && read_once && apart).then_some(Op::Ffn { x, w: [first, second], bias: [bias, after] })
    }

    fn is_table(&self, n: Node) -> bool {
        matches!(self.graph.entry(n).varies, Varies::Never | Varies::ByStep)
    }

    /// `n` as a sum of products and a bias, if it is one that fits one kernel.
    fn parts(&self, n: Node) -> Option<Parts> {
        let term = |a, table, by_rows| {
            // A single row of the batch is taken once; as a term it would keep examples apart.
            let taken_once = |rows: Rows| rows.count == 1 && self.graph.entry(a).varies == Varies::ByBatch;
            let (a, rows) = match self.graph.entry(a).op {
                Op::Take { x, rows } if self.uses[a.index()] == 1 && !self.is_table(x) && !taken_once(rows) => {
                    (x, Some(rows))
                }
                _ => (a, None),
            };
            Some(Parts { terms: vec![Term { a, rows, table, by_rows }], bias: None })
        };
        match self.graph.entry(n).op {
            Op::Linear { x, w } if !self.is_table(x) => term(x, w, true),
            Op::Mix { a, x, heads: 1, .. } if self.is_table(x) && !self.is_table(a) => term(a, x, false),
            Op::Add { a, b } => {
                let alone = |x: Node| self.uses[x.index()] == 1;
                let mut p = if alone(a) { self.parts(a)? } else { return None };
                if self.is_table(b) && self.graph.shape(b)[0] == 1 && p.bias.is_none() {
                    p.bias = Some(b);
                    return Some(p);
                }
                // A row of each example for all its rows is no term.
                let same_rows = self.graph.shape(a)[0] == self.graph.shape(b)[0];
                let q = if alone(b) && same_rows { self.parts(b)? } else { return None };
                p.terms.extend(q.terms);
                match (p.bias, q.bias) {
                    (Some(_), Some(_)) => return None,
                    (None, bias) => p.bias = bias,
                    _ => {}
                }
                (p.terms.len() <= MAX_TERMS).then_some(p)
            }
            _ => None,
        }
    }
}
