//! Where every matrix lies and in which order it is computed: settled before the
//! first step, so that the loop allocates nothing.

use super::graph::{Entry, Graph, Node, Op, Varies};
use super::kernels::mix::{Run, runs};
use super::kernels::window::Keys;
use super::kernels::{band, large};

/// How many vectors of one example's activations and gradients to work on at a time:
/// enough rows to amortize a kernel call, few enough to stay in the first-level cache.
const CHUNK_VECTORS: usize = 2048;

/// A node's place in the arena.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slot {
    /// First vector.
    pub offset: usize,
    /// Vectors for one example.
    pub len: usize,
    /// From one example to the next; 0 if all have the same.
    pub step: usize,
    /// The same, if all examples of the batch lie there, not those of a chunk alone; else 0.
    pub batch_step: usize,
}

/// The memory and order of one graph.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub graph: Graph,
    /// Examples in a batch.
    pub batch: usize,
    /// Examples worked on at a time.
    pub chunk: usize,
    /// Value of each node.
    pub value: Vec<Slot>,
    /// Gradient of each node that has one.
    pub grad: Vec<Option<Slot>>,
    /// What a kernel keeps from forward for backward.
    pub aux: Vec<Slot>,
    /// For nodes with a reach: its rows, grouped.
    pub runs: Vec<Vec<Run>>,
    /// Length of the arena in vectors.
    pub arena: usize,
    /// Zeroed before each chunk: gradients of per-example nodes.
    pub chunk_grads: std::ops::Range<usize>,
    /// Zeroed before each step: gradients of per-step nodes.
    pub step_grads: std::ops::Range<usize>,
    /// Nodes by how often they are computed, in order.
    pub once: Vec<Node>,
    pub by_batch: Vec<Node>,
    pub by_step: Vec<Node>,
    pub by_example: Vec<Node>,
    /// Parameters, in graph order; they and, before all others, their gradients are adjacent
    /// in the arena.
    pub params: Vec<(String, Node)>,
    /// Trained parameters as runs of vectors `(first, first gradient, length)`.
    pub trained: Vec<(usize, usize, usize)>,
    pub inputs: Vec<(String, Node)>,
    /// Large tables that several operations multiply by, each with those operations and their
    /// other factors: their gradients are summed together, at the end of a chunk.
    pub gathered: Vec<(Node, Vec<(Node, Node)>)>,
    /// Of each node, the mask of the batch that decides whether it matters for an example at all; see [`masks`].
    pub mask: Vec<Option<Node>>,
}

impl Plan {
    /// Plans `graph` for batches of `batch` examples, of which `roots` are asked; `frozen` parameters get no gradient.
    pub fn new(graph: Graph, roots: [Node; 2], batch: usize, frozen: &[&str]) -> Plan {
        let n = graph.entries.len();
        let nodes = || (0..n as u32).map(Node);
        let of = |v: Varies| nodes().filter(|&i| graph.entry(i).varies == v).collect::<Vec<_>>();

        let mut needs = vec![false; n];
        for i in nodes() {
            needs[i.index()] = match &graph.entry(i).op {
                Op::Param { name } => !frozen.contains(&name.as_str()),
                op => op.operands().iter().any(|o| needs[o.index()]),
            };
        }
        let named = |pick: fn(&Op) -> Option<&String>| -> Vec<(String, Node)> {
            nodes().filter_map(|i| pick(&graph.entry(i).op).map(|s| (s.clone(), i))).collect()
        };
        let params = named(|op| if let Op::Param { name } = op { Some(name) } else { None });
        let inputs = named(|op| if let Op::Input { name } = op { Some(name) } else { None });

        let len = |i: Node| graph.entry(i).rows * graph.entry(i).cols;
        let aux_len = |i: Node| match graph.entry(i).op {
            Op::Normalize { heads, .. } | Op::KindRoutes { heads, .. } => graph.entry(i).rows * heads,
            Op::LayerNorm { .. } => graph.entry(i).rows,
            Op::ScaledNorm { .. } => 2 * graph.entry(i).rows,
            Op::LstmCell { .. } => 5 * len(i) / 2,
            Op::Gelu { .. } => len(i),
            Op::Softmax { x, .. } => {
                graph.windowed(x).map_or(0, |(_, k, _)| 1 + Keys::<()>::room(graph.shape(k)[1]))
            }
            Op::WindowAttend { q, ref bias, .. } => {
                let Entry { rows, cols, .. } = *graph.entry(i);
                band::Dims { rows, window: bias.cols, cols: graph.shape(q)[1], values: cols }.kept()
            }
            Op::CrossEntropy { x, .. } => len(x),
            _ => 0,
        };
        let per_example: usize = of(Varies::ByExample).iter().map(|&i| 2 * len(i) + aux_len(i)).sum();
        // A large table must serve several rows whenever it is read: those of so many examples.
        let is_large = |i: &Node| graph.entry(*i).varies == Varies::ByStep && len(*i) >= large::LARGE;
        let needed = |i: Node| {
            let reads_large = graph.entry(i).op.operands().iter().any(is_large);
            if reads_large { large::ROWS.div_ceil(graph.entry(i).rows) } else { 1 }
        };
        let least = of(Varies::ByExample).into_iter().map(needed).max().unwrap_or(1);
        let chunk = even_chunk(batch, (CHUNK_VECTORS / per_example.max(1)).max(least));

        let mut top = 0;
        let mut reserve = |len: usize, varies: Varies| {
            let (times, step, batch_step) = match varies {
                Varies::Never | Varies::ByStep => (1, 0, 0),
                Varies::ByBatch => (batch, len, len),
                Varies::ByExample => (chunk, len, 0),
            };
            let slot = Slot { offset: top, len, step, batch_step };
            // What is too much is refused when it is asked for.
            top = usize::saturating_add(top, len.saturating_mul(times));
            slot
        };
        let mut value = vec![Slot::default(); n];
        let mut grad = vec![None; n];
        let mut aux = vec![Slot::default(); n];
        for (_, i) in &params {
            value[i.index()] = reserve(len(*i), Varies::ByStep);
        }
        let step_start = reserve(0, Varies::Never).offset;
        // Those of the parameters first: the optimizer walks them in one go.
        let is_param = |i: &Node| matches!(graph.entry(*i).op, Op::Param { .. });
        let (of_params, of_others): (Vec<Node>, Vec<Node>) = of(Varies::ByStep).into_iter().partition(is_param);
        for i in of_params.into_iter().chain(of_others.iter().copied()).filter(|i| needs[i.index()]) {
            grad[i.index()] = Some(reserve(len(i), Varies::ByStep));
        }
        let step_end = reserve(0, Varies::Never).offset;
        for i in nodes() {
            let e = graph.entry(i);
            if !matches!(e.op, Op::Param { .. }) {
                value[i.index()] = reserve(len(i), e.varies);
            }
            aux[i.index()] = reserve(aux_len(i), e.varies);
        }
        let chunk_start = reserve(0, Varies::Never).offset;
        for i in of(Varies::ByExample).into_iter().filter(|i| needs[i.index()]) {
            grad[i.index()] = Some(reserve(len(i), Varies::ByExample));
        }
        let runs = graph.entries.iter().map(|e| match &e.op {
            Op::Mix { reach, .. } | Op::Scores { reach, .. } | Op::KindRoutes { reach, .. } => runs(reach),
            _ => vec![],
        });
        Plan {
            gathered: gathered(&graph, &grad),
            mask: masks(&graph, roots),
            runs: runs.collect(),
            trained: trained_runs(&params, &value, &grad),
            batch,
            chunk,
            value,
            aux,
            arena: top,
            chunk_grads: chunk_start..top,
            step_grads: step_start..step_end,
            once: of(Varies::Never),
            by_batch: of(Varies::ByBatch),
            by_step: of_others,
            by_example: of(Varies::ByExample),
            grad,
            params,
            inputs,
            graph,
        }
    }
}

/// At most `most` examples a chunk, in as equal chunks as the batch allows.
fn even_chunk(batch: usize, most: usize) -> usize {
    let chunks = batch.div_ceil(most.clamp(1, batch.max(1))).max(1);
    batch.div_ceil(chunks).max(1)
}

/// What is read only where a mask of the batch chooses it, and by what is read only there: with each such node its mask. Of
/// examples whose mask is zero, such as padding that leaves a state as it is, neither its value nor its gradient is needed.
fn masks(graph: &Graph, roots: [Node; 2]) -> Vec<Option<Node>> {
    /// Who reads a node, as far as is known.
    #[derive(Clone, Copy, PartialEq)]
    enum Readers {
        None,
        Behind(Node),
        Any,
    }
    let mut readers = vec![Readers::None; graph.entries.len()];
    roots.iter().for_each(|r| readers[r.index()] = Readers::Any);
    for (i, e) in graph.entries.iter().enumerate().rev() {
        // Of a window, something is kept of all examples.
        if readers[i] == Readers::None || matches!(e.op, Op::Softmax { .. } | Op::WindowAttend { .. }) {
            readers[i] = Readers::Any;
        }
        for (which, operand) in e.op.operands().into_iter().enumerate() {
            let here = match e.op {
                Op::Select { mask, .. } if which == 1 && graph.entry(mask).varies == Varies::ByBatch => {
                    Readers::Behind(mask)
                }
                _ => readers[i],
            };
            let all = &mut readers[operand.index()];
            *all = if *all == Readers::None || *all == here { here } else { Readers::Any };
        }
    }
    let mask = |(readers, e): (&Readers, &Entry)| match readers {
        Readers::Behind(mask) if e.varies == Varies::ByExample => Some(*mask),
        _ => None,
    };
    readers.iter().zip(&graph.entries).map(mask).collect()
}

/// Neighbouring trained parameters joined, so that the optimizer runs once over each run.
fn trained_runs(params: &[(String, Node)], value: &[Slot], grad: &[Option<Slot>]) -> Vec<(usize, usize, usize)> {
    let mut runs: Vec<(usize, usize, usize)> = vec![];
    for (_, p) in params {
        let Some(g) = grad[p.index()] else { continue };
        let v = value[p.index()];
        match runs.last_mut() {
            Some(r) if r.0 + r.2 == v.offset && r.1 + r.2 == g.offset => r.2 += v.len,
            _ => runs.push((v.offset, g.offset, v.len)),
        }
    }
    runs
}

/// From how many vectors on a table's gradient is worth summing for all its readers at once.
const GATHERED: usize = 512;

fn gathered(graph: &Graph, grad: &[Option<Slot>]) -> Vec<(Node, Vec<(Node, Node)>)> {
    let mut tables: Vec<(Node, Vec<(Node, Node)>)> = vec![];
    let mut add = |y: u32, x: Node, table: Node| {
        let t = graph.entry(table);
        let per_example = matches!(graph.entry(x).varies, Varies::ByBatch | Varies::ByExample);
        if !per_example || grad[table.index()].is_none() || t.rows * t.cols < GATHERED {
            return;
        }
        match tables.iter_mut().find(|known| known.0 == table) {
            Some(known) => known.1.push((Node(y), x)),
            None => tables.push((table, vec![(Node(y), x)])),
        }
    };
    for (y, e) in graph.entries.iter().enumerate().filter(|(_, e)| e.varies == Varies::ByExample) {
        match &e.op {
            Op::Linear { x, w } => add(y as u32, *x, *w),
            Op::Affine { terms, .. } => {
                for t in terms.iter().filter(|t| t.by_rows && t.rows.is_none()) {
                    add(y as u32, t.a, t.table);
                }
            }
            _ => {}
        }
    }
    tables.retain(|t| t.1.len() > 1);
    tables
}

impl Plan {
    /// Is this product's part of the table's gradient summed with others, at the end?
    pub fn is_gathered(&self, y: Node, table: Node) -> bool {
        self.gathered.iter().any(|g| g.0 == table && g.1.iter().any(|p| p.0 == y))
    }
}
