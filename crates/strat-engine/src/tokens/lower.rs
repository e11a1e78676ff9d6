//! A graph whose every answer is per token, as steps on rows of the whole batch.

use crate::graph::{Graph, Node, Op, Varies};
use crate::kernels::dense::Act;

/// A matrix with a row for each token of each example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mat(pub usize);

/// A parameter's place among all weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table {
    pub name: String,
    pub offset: usize,
    pub len: usize,
}

/// Which of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weights(pub usize);

/// One operation. `y` is made by no other.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// LayerNorm without scale and shift.
    Norm { x: Mat, y: Mat },
    /// `y = times ⊙ act(W (γ ⊙ x + β) + bias + residual)`
    Dense(DenseStep),
    /// `y = concat_h(softmax(scale q_h·k_h) v_h)`
    Attend { q: Mat, k: Mat, v: Mat, y: Mat, heads: usize, scale: f64 },
    /// `y = a + b`
    Add { a: Mat, b: Mat, y: Mat },
    /// `y = a ⊙ b`
    Mul { a: Mat, b: Mat, y: Mat },
    /// Columns side by side.
    Concat { parts: Vec<Mat>, y: Mat },
    /// The loss.
    CrossEntropy { x: Mat, target: Mat, weight: Mat },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DenseStep {
    pub x: Mat,
    pub w: Weights,
    pub norm: Option<[Weights; 2]>,
    pub bias: Option<Weights>,
    pub residual: Option<Mat>,
    pub act: Act,
    /// Only with GELU.
    pub times: Option<Mat>,
    pub y: Mat,
}

impl DenseStep {
    /// Table, a norm's scale and shift, bias.
    pub fn tables(&self) -> [Option<Weights>; 4] {
        [Some(self.w), self.norm.map(|n| n[0]), self.norm.map(|n| n[1]), self.bias]
    }
}

/// What is known about a matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub cols: usize,
    /// Depends on inputs alone: made when a batch is loaded, and needs no gradient.
    pub by_batch: bool,
}

/// A graph as steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Lowered {
    pub tokens: usize,
    pub mats: Vec<Known>,
    pub tables: Vec<Table>,
    pub inputs: Vec<(String, Mat)>,
    /// Matrices that are the same for every example, `[tokens, cols]`.
    pub constants: Vec<(Mat, Vec<f64>)>,
    /// Done once a batch.
    pub load: Vec<Step>,
    /// Done every time; the loss comes last.
    pub steps: Vec<Step>,
    pub output: usize,
}

/// The graph as steps, if it is of that kind.
pub(super) fn lower(graph: &Graph, output: Node, loss: Node) -> Option<Lowered> {
    let mut uses = vec![0; graph.entries.len()];
    for e in &graph.entries {
        e.op.operands().iter().for_each(|o| uses[o.index()] += 1);
    }
    uses[output.index()] += 1;
    let tokens = graph.shape(output)[0];
    let lowered = Lowered { tokens, ..Lowered::default() };
    let mut l = Lower { graph, uses, lowered, mats: vec![None; graph.entries.len()] };
    for (i, e) in graph.entries.iter().enumerate() {
        if let Op::Param { name } = &e.op {
            let offset = l.lowered.tables.last().map_or(0, |t| t.offset + t.len);
            l.lowered.tables.push(Table { name: name.clone(), offset, len: e.rows * e.cols });
            l.mats[i] = Some(l.lowered.tables.len() - 1);
        }
    }
    l.lowered.output = l.mat(output)?.0;
    let Op::CrossEntropy { x, target, weight } = graph.entry(loss).op else { return None };
    let (x, target, weight) = (l.mat(x)?, l.mat(target)?, l.mat(weight)?);
    l.lowered.steps.push(Step::CrossEntropy { x, target, weight });
    Some(l.lowered)
}

struct Lower<'a> {
    graph: &'a Graph,
    uses: Vec<usize>,
    lowered: Lowered,
    /// The matrix (or table) that each node became.
    mats: Vec<Option<usize>>,
}

/// A linear map that is still growing.
struct Map {
    x: Node,
    w: Node,
    norm: Option<[Node; 2]>,
    bias: Option<Node>,
    residual: Option<Node>,
    act: Act,
    times: Option<Node>,
}

impl Map {
    /// The kernel adds to each gradient on its own.
    fn has_weights_twice(&self) -> bool {
        let weights: Vec<Node> =
            [self.w].into_iter().chain(self.norm.into_iter().flatten()).chain(self.bias).collect();
        (0..weights.len()).any(|i| weights[..i].contains(&weights[i]))
    }
}

impl Lower<'_> {
    fn op(&self, n: Node) -> &Op {
        &self.graph.entry(n).op
    }

    fn is_param(&self, n: Node) -> bool {
        matches!(self.op(n), Op::Param { .. })
    }

    fn is_param_row(&self, n: Node) -> bool {
        self.is_param(n) && self.graph.shape(n)[0] == 1
    }

    fn weights(&self, n: Node) -> Weights {
        Weights(self.mats[n.index()].expect("every parameter has a table"))
    }

    fn mat(&mut self, n: Node) -> Option<Mat> {
        if self.is_param(n) {
            return None;
        }
        if let Some(known) = self.mats[n.index()] {
            return Some(Mat(known));
        }
        let step = self.step(n)?;
        let e = self.graph.entry(n);
        if e.rows != self.lowered.tokens || e.varies == Varies::ByStep {
            return None;
        }
        let y = Mat(self.lowered.mats.len());
        let by_batch = e.varies != Varies::ByExample;
        self.lowered.mats.push(Known { cols: e.cols, by_batch });
        self.mats[n.index()] = Some(y.0);
        if let Some(step) = step(y) {
            if by_batch { self.lowered.load.push(step) } else { self.lowered.steps.push(step) }
        }
        match &self.graph.entry(n).op {
            Op::Input { name } => self.lowered.inputs.push((name.clone(), y)),
            Op::Constant { data } => self.lowered.constants.push((y, data.to_vec())),
            _ => {}
        }
        Some(y)
    }

    /// The step that makes a node, given the matrix it becomes; inputs and constants need none.
    #[allow(clippy::type_complexity)]
    fn step(&mut self, n: Node) -> Option<Box<dyn FnOnce(Mat) -> Option<Step>>> {
        if let Some(map) = self.map(n) {
            if map.has_weights_twice() {
                return None;
            }
            let x = self.mat(map.x)?;
            let mut other = |n: Option<Node>| match n {
                Some(n) => self.mat(n).map(Some),
                None => Some(None),
            };
            let (residual, times) = (other(map.residual)?, other(map.times)?);
            let norm = map.norm.map(|norm| norm.map(|p| self.weights(p)));
            let (w, bias, act) = (self.weights(map.w), map.bias.map(|b| self.weights(b)), map.act);
            return Some(Box::new(move |y| {
                Some(Step::Dense(DenseStep { x, w, norm, bias, residual, act, times, y }))
            }));
        }
        Some(match self.op(n).clone() {
            Op::Input { .. } | Op::Constant { .. } => Box::new(|_| None),
            Op::LayerNorm { x } => {
                let x = self.mat(x)?;
                Box::new(move |y| Some(Step::Norm { x, y }))
            }
            Op::Add { a, b } => {
                let (a, b) = (self.mat(a)?, self.mat(b)?);
                Box::new(move |y| Some(Step::Add { a, b, y }))
            }
            Op::Mul { a, b } => {
                let (a, b) = (self.mat(a)?, self.mat(b)?);
                Box::new(move |y| Some(Step::Mul { a, b, y }))
            }
            Op::Concat { parts } => {
                let parts: Option<Vec<Mat>> = parts.into_iter().map(|p| self.mat(p)).collect();
                let parts = parts?;
                Box::new(move |y| Some(Step::Concat { parts, y }))
            }
            Op::Mix { a, x, heads, .. } => {
                let (q, k, scale) = self.routes(a, heads)?;
                let (q, k, v) = (self.mat(q)?, self.mat(k)?, self.mat(x)?);
                Box::new(move |y| Some(Step::Attend { q, k, v, y, heads, scale }))
            }
            _ => return None,
        })
    }

    /// Queries, keys and scale of routes between all tokens, by so many heads.
    fn routes(&self, n: Node, heads: usize) -> Option<(Node, Node, f64)> {
        let Op::Softmax { x, bias, heads: of_softmax } = self.op(n) else { return None };
        let ((Op::Scale { x: scores, by }, _) | (_, (scores, by))) = (self.op(*x), (x, &1.0));
        let Op::Scores { q, k, heads: of_scores, .. } = self.op(*scores) else { return None };
        let all = bias.data.iter().all(|&b| b == 0.0) && bias.reach.iter().all(|&r| r == (0, bias.cols));
        (all && *of_softmax == heads && *of_scores == heads).then_some((*q, *k, *by))
    }

    /// The linear map that ends in a node, as much of it as one step can do.
    fn map(&self, n: Node) -> Option<Map> {
        let alone = |x: Node| self.uses[x.index()] == 1;
        match *self.op(n) {
            Op::Linear { x, w } if self.is_param(w) && !self.is_param(x) => {
                let (x, norm) = match self.normed(x) {
                    Some((x, norm)) => (x, Some(norm)),
                    None => (x, None),
                };
                Some(Map { x, w, norm, bias: None, residual: None, act: Act::None, times: None })
            }
            Op::Add { a, b } if self.is_param_row(b) && alone(a) => {
                let map = self.map(a)?;
                (map.bias.is_none() && map.residual.is_none() && map.act == Act::None)
                    .then_some(Map { bias: Some(b), ..map })
            }
            Op::Add { a, b } => [(a, b), (b, a)].into_iter().find_map(|(residual, x)| {
                let map = self.map(x).filter(|map| alone(x) && map.residual.is_none() && map.act == Act::None)?;
                Some(Map { residual: Some(residual), ..map })
            }),
            Op::Mul { a, b } => [(a, b), (b, a)].into_iter().find_map(|(times, x)| {
                let map = self.map(x).filter(|map| alone(x) && map.act == Act::Gelu && map.times.is_none())?;
                Some(Map { times: Some(times), ..map })
            }),
            Op::Sigmoid { x } => self.activated(x, Act::Sigmoid),
            Op::Gelu { x } => self.activated(x, Act::Gelu),
            _ => None,
        }
    }

    fn activated(&self, x: Node, act: Act) -> Option<Map> {
        let map = self.map(x).filter(|map| map.residual.is_none() && map.act == Act::None)?;
        (self.uses[x.index()] == 1).then_some(Map { act, ..map })
    }

    /// `x` and `[γ, β]` of `γ ⊙ x + β`.
    fn normed(&self, n: Node) -> Option<(Node, [Node; 2])> {
        let Op::Add { a, b: shift } = *self.op(n) else { return None };
        let Op::Mul { a: x, b: scale } = *self.op(a) else { return None };
        (self.is_param_row(scale) && self.is_param_row(shift)).then_some((x, [scale, shift]))
    }
}
