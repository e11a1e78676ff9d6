//! The slow, obvious implementation: one learner, one example, plain loops, `f64`.
//!
//! Every kernel is tested against it, gradients through finite differences of it.
//! Because it computes the graph as written, node by node, it is also how a model
//! is looked at: every named node is there to read.

use super::graph::{Graph, Node, Op};
use std::collections::BTreeMap;

/// Named matrices, row by row: the parameters of one learner, or the inputs of one example.
pub type Arrays = BTreeMap<String, Vec<f64>>;

/// Values that nodes are given instead of being computed.
pub type Overrides = BTreeMap<Node, Vec<f64>>;

/// The value of every node, in order.
pub fn evaluate(graph: &Graph, params: &Arrays, inputs: &Arrays) -> Vec<Vec<f64>> {
    evaluate_with(graph, params, inputs, &Overrides::new())
}

/// The same with some nodes' values replaced: what follows from them is computed from those.
pub fn evaluate_with(graph: &Graph, params: &Arrays, inputs: &Arrays, overrides: &Overrides) -> Vec<Vec<f64>> {
    let mut values: Vec<Vec<f64>> = Vec::with_capacity(graph.entries.len());
    for (i, e) in graph.entries.iter().enumerate() {
        let v = match overrides.get(&Node(i as u32)) {
            Some(v) => v.clone(),
            None => compute(graph, &e.op, [e.rows, e.cols], &values, params, inputs),
        };
        assert_eq!(v.len(), e.rows * e.cols, "{:?}", e.op);
        values.push(v);
    }
    values
}

fn named(kind: &str, arrays: &Arrays, name: &str, len: usize) -> Vec<f64> {
    let v = arrays.get(name).unwrap_or_else(|| panic!("{kind} {name:?} is not given"));
    assert_eq!(v.len(), len, "{kind} {name:?}");
    v.clone()
}

fn compute(
    graph: &Graph,
    op: &Op,
    [rows, cols]: [usize; 2],
    values: &[Vec<f64>],
    params: &Arrays,
    inputs: &Arrays,
) -> Vec<f64> {
    let val = |n: Node| &values[n.index()];
    let width = |n: Node| graph.shape(n)[1];
    // Element of a node, and a matrix filled cell by cell.
    let at = |n: Node, r: usize, c: usize| val(n)[r * width(n) + c];
    let fill =
        |f: &dyn Fn(usize, usize) -> f64| -> Vec<f64> { (0..rows * cols).map(|i| f(i / cols, i % cols)).collect() };
    match op {
        Op::Param { name } => named("parameter", params, name, rows * cols),
        Op::Input { name } => named("input", inputs, name, rows * cols),
        Op::Constant { data } => data.to_vec(),
        Op::OneHot { index, .. } => fill(&|t, k| f64::from(at(*index, t, 0) == (k + 1) as f64)),
        Op::Linear { x, w } => fill(&|t, o| (0..width(*x)).map(|i| at(*x, t, i) * at(*w, o, i)).sum()),
        Op::Add { a, b } => {
            let one_row = graph.shape(*b)[0] == 1;
            fill(&|t, c| at(*a, t, c) + at(*b, if one_row { 0 } else { t }, c))
        }
        Op::Mul { a, b } => {
            let one_row = graph.shape(*b)[0] == 1;
            fill(&|t, c| at(*a, t, c) * at(*b, if one_row { 0 } else { t }, c))
        }
        Op::LayerNorm { x } => {
            let normed = |row: &[f64]| -> Vec<f64> {
                let mean = row.iter().sum::<f64>() / cols as f64;
                let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / cols as f64;
                let deviation = libm::sqrt(variance + super::kernels::LAYER_NORM_EPSILON);
                row.iter().map(|v| (v - mean) / deviation).collect()
            };
            val(*x).chunks_exact(cols).flat_map(normed).collect()
        }
        Op::ScaledNorm { x, scale, shift } => {
            let normed = compute(graph, &Op::LayerNorm { x: *x }, [rows, cols], values, params, inputs);
            fill(&|t, c| normed[t * cols + c] * at(*scale, 0, c) + at(*shift, 0, c))
        }
        Op::Scale { x, by } => fill(&|t, c| by * at(*x, t, c)),
        Op::Sigmoid { x } => fill(&|t, c| 1.0 / (1.0 + libm::exp(-at(*x, t, c)))),
        Op::Scores { q, k, heads, reach } => {
            let (keys, per_head) = (cols / heads, width(*q) / heads);
            fill(&|t, hk| {
                let (h, j) = (hk / keys, hk % keys);
                if j < reach[t].0 || j >= reach[t].1 {
                    return 0.0;
                }
                (h * per_head..(h + 1) * per_head).map(|c| at(*q, t, c) * at(*k, j, c)).sum()
            })
        }
        Op::Softmax { x, heads, bias } => {
            let keys = cols / heads;
            let logit = |t: usize, hk: usize| match hk % keys {
                k if k < bias.reach[t].0 || k >= bias.reach[t].1 => f64::NEG_INFINITY,
                k => at(*x, t, hk) + bias.at(t, k),
            };
            let of_head = |th: usize| -> Vec<f64> {
                let logits: Vec<f64> = (0..keys).map(|k| logit(th / heads, th % heads * keys + k)).collect();
                let max = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let weights = logits.iter().map(|l| libm::exp(l - max));
                let sum: f64 = weights.clone().sum();
                weights.map(|w| w / sum).collect()
            };
            (0..rows * heads).flat_map(of_head).collect()
        }
        Op::Mix { a, x, heads, .. } => {
            let (keys, per_head) = (width(*a) / heads, cols / heads);
            fill(&|t, c| (0..keys).map(|k| at(*a, t, c / per_head * keys + k) * at(*x, k, c)).sum())
        }
        Op::WindowScores { q, k } => fill(&|t, u| match (t + u + 1).checked_sub(cols) {
            Some(j) => (0..width(*q)).map(|c| at(*q, t, c) * at(*k, j, c)).sum(),
            None => 0.0,
        }),
        Op::WindowMix { a, x } => {
            let window = width(*a);
            let first = |t: usize| (t + 1).saturating_sub(window);
            fill(&|t, c| (first(t)..=t).map(|j| at(*a, t, j + window - 1 - t) * at(*x, j, c)).sum())
        }
        Op::WindowAttend { q, k, v, scale, bias } => {
            let row = |t: usize| -> Vec<f64> {
                let (low, high) = bias.reach[t];
                let key = |u: usize| t + u + 1 - bias.cols;
                let score = |u: usize| (0..width(*q)).map(|c| at(*q, t, c) * at(*k, key(u), c)).sum::<f64>();
                let logits: Vec<f64> = (low..high).map(|u| scale * score(u) + bias.at(t, u)).collect();
                let max = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let weights: Vec<f64> = logits.iter().map(|l| libm::exp(l - max)).collect();
                let sum: f64 = weights.iter().sum();
                let mixed = |c: usize| weights.iter().zip(low..).map(|(w, u)| w / sum * at(*v, key(u), c)).sum();
                (0..cols).map(mixed).collect()
            };
            (0..rows).flat_map(row).collect()
        }
        Op::Ffn { x, w, bias } => {
            let add = |which: usize, c: usize| bias[which].map_or(0.0, |b| at(b, 0, c));
            let inner = |t: usize, h: usize| {
                let z = add(0, h) + (0..width(*x)).map(|i| at(*x, t, i) * at(w[0], h, i)).sum::<f64>();
                0.5 * z * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
            };
            fill(&|t, c| add(1, c) + (0..width(w[1])).map(|h| inner(t, h) * at(w[1], c, h)).sum::<f64>())
        }
        Op::SumRows { x, weight } => {
            fill(&|_, c| (0..graph.shape(*x)[0]).map(|t| at(*weight, t, 0) * at(*x, t, c)).sum())
        }
        Op::Concat { parts } => {
            let mut out = vec![];
            for t in 0..rows {
                for &p in parts {
                    out.extend_from_slice(&val(p)[t * width(p)..(t + 1) * width(p)]);
                }
            }
            out
        }
        Op::Columns { x, start, .. } => fill(&|t, c| at(*x, t, start + c)),
        Op::Take { x, rows: which } => {
            let which: Vec<usize> = which.iter().collect();
            fill(&|t, c| at(*x, which[t], c))
        }
        Op::Place { x, rows: which, .. } => {
            let mut out = vec![0.0; rows * cols];
            for (i, t) in which.iter().enumerate() {
                for c in 0..cols {
                    out[t * cols + c] = at(*x, i, c);
                }
            }
            out
        }
        Op::ExpRows { x, heads } => {
            let keys = cols / heads;
            fill(&|t, hk| {
                let head = (hk / keys) * keys..(hk / keys + 1) * keys;
                let max = head.map(|c| at(*x, t, c)).fold(f64::NEG_INFINITY, f64::max);
                libm::exp(at(*x, t, hk) - max + super::kernels::EXP_ROWS_OFFSET)
            })
        }
        Op::Normalize { x, mass, heads } => {
            let keys = cols / heads;
            let weight = |t: usize, hk: usize| at(*x, t, hk) * at(*mass, t, hk % keys);
            fill(&|t, hk| {
                let head = (hk / keys) * keys..(hk / keys + 1) * keys;
                let sum: f64 = head.map(|c| weight(t, c)).sum();
                weight(t, hk) / sum.max(f64::MIN_POSITIVE)
            })
        }
        Op::Mass { one_hot, bias } => {
            fill(&|t, k| (0..bias.cols).map(|j| libm::exp(bias.at(t, j)) * at(*one_hot, j, k)).sum())
        }
        Op::SplitHeads { x, heads } => {
            let (keys, per_head) = (rows / heads, cols / heads);
            fill(&|hk, c| if c / per_head == hk / keys { at(*x, hk % keys, c) } else { 0.0 })
        }
        Op::Affine { terms, bias, sigmoid } => fill(&|t, c| {
            let mut y = bias.map_or(0.0, |b| at(b, 0, c));
            for term in terms {
                let row = term.rows.map_or(t, |r| r.start + t * r.step);
                for k in 0..width(term.a) {
                    let b = if term.by_rows { at(term.table, c, k) } else { at(term.table, k, c) };
                    y += at(term.a, row, k) * b;
                }
            }
            if *sigmoid { 1.0 / (1.0 + libm::exp(-y)) } else { y }
        }),
        Op::KindRoutes { one_hot, e, mass, heads, .. } => {
            let keys = cols / heads;
            let weight = |t: usize, hk: usize| {
                let gathered: f64 = (0..width(*one_hot)).map(|j| at(*one_hot, t, j) * at(*e, j, hk)).sum();
                gathered * at(*mass, t, hk % keys)
            };
            fill(&|t, hk| {
                let head = (hk / keys) * keys..(hk / keys + 1) * keys;
                let sum: f64 = head.map(|c| weight(t, c)).sum();
                weight(t, hk) / sum.max(f64::MIN_POSITIVE)
            })
        }
        Op::Tanh { x } => fill(&|t, c| libm::tanh(at(*x, t, c))),
        Op::Exp { x } => fill(&|t, c| libm::exp(at(*x, t, c))),
        Op::LogAbs { x } => fill(&|t, c| libm::log(at(*x, t, c).abs() + super::kernels::elementwise::LOG_OFFSET)),
        Op::Gelu { x } => fill(&|t, c| {
            let x = at(*x, t, c);
            0.5 * x * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
        }),
        Op::AddOffsets { x, table, offset } => {
            let keys = cols / graph.shape(*table)[0];
            fill(&|t, hk| at(*x, t, hk) + at(*table, hk / keys, offset[t * keys + hk % keys] as usize))
        }
        Op::CrossEntropy { x, target, weight } => {
            let one = |t: usize| {
                let row = &val(*x)[t * width(*x)..(t + 1) * width(*x)];
                let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = row.iter().map(|x| libm::exp(x - max)).sum();
                let chosen: f64 = row.iter().enumerate().map(|(c, x)| x * at(*target, t, c)).sum();
                at(*weight, t, 0) * (max + libm::log(sum) - chosen)
            };
            vec![(0..graph.shape(*x)[0]).map(one).sum()]
        }
        Op::BinaryCrossEntropy { x, target, weight } => {
            let one = |t: usize| {
                let x = at(*x, t, 0);
                at(*weight, t, 0) * (x.max(0.0) + libm::log1p(libm::exp(-x.abs())) - at(*target, t, 0) * x)
            };
            vec![(0..graph.shape(*x)[0]).map(one).sum()]
        }
        Op::Select { mask, a, b } => fill(&|t, c| at(if at(*mask, t, 0) != 0.0 { *a } else { *b }, t, c)),
        Op::LstmCell { gates, state } => {
            let n = cols / 2;
            let sigmoid = |x: f64| 1.0 / (1.0 + libm::exp(-x));
            let gate = |t: usize, which: usize, c: usize| at(*gates, t, which * n + c);
            let cell = |t: usize, c: usize| {
                sigmoid(gate(t, 1, c)) * at(*state, t, n + c) + sigmoid(gate(t, 0, c)) * libm::tanh(gate(t, 2, c))
            };
            let hidden = |t: usize, c: usize| sigmoid(gate(t, 3, c)) * libm::tanh(cell(t, c));
            fill(&|t, hc| if hc < n { hidden(t, hc) } else { cell(t, hc - n) })
        }
        Op::SquaredError { x, target } => {
            let e = at(*x, 0, 0) - at(*target, 0, 0);
            vec![e * e]
        }
    }
}
