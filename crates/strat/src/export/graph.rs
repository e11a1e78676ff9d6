//! A graph as JSON: what `strat_torch.py` reads.

use super::ExportError;
use crate::engine::graph::{Bias, Op, Rows};
use crate::engine::{Graph, Node};
use serde_json::{Map, Value, json};

/// The nodes that the output and the named arrays need, renumbered; the names; the output.
pub(super) fn to_json(graph: &Graph, output: Node) -> Result<Map<String, Value>, ExportError> {
    // A name may stand for what only the loss needs, which is left out.
    let wanted = needed(graph, &[output]);
    let named = graph.names().filter(|(_, node)| graph.inputs_of(*node).iter().all(|i| reads(graph, &wanted, i)));
    let named: Vec<(&str, Node)> = named.collect();
    let roots: Vec<Node> = named.iter().map(|(_, node)| *node).chain([output]).collect();
    let needed = needed(graph, &roots);
    let mut number = vec![0; needed.len()];
    let mut nodes = vec![];
    for (i, entry) in graph.entries().iter().enumerate().filter(|(i, _)| needed[*i]) {
        number[i] = nodes.len();
        let args: Vec<usize> = entry.op.operands().iter().map(|n| number[n.index()]).collect();
        nodes.push(node(&entry.op, [entry.rows, entry.cols], args)?);
    }
    let names: Map<String, Value> =
        named.iter().map(|(name, n)| (name.to_string(), number[n.index()].into())).collect();
    let all = json!({ "nodes": nodes, "names": names, "output": number[output.index()] });
    let Value::Object(all) = all else { unreachable!("an object was written") };
    Ok(all)
}

/// Which nodes these depend on.
fn needed(graph: &Graph, roots: &[Node]) -> Vec<bool> {
    let mut needed = vec![false; graph.entries().len()];
    roots.iter().for_each(|root| needed[root.index()] = true);
    // Operands come before what they are operands of.
    for i in (0..needed.len()).rev() {
        if needed[i] {
            graph.entries()[i].op.operands().iter().for_each(|n| needed[n.index()] = true);
        }
    }
    needed
}

/// Whether an input is among these nodes.
fn reads(graph: &Graph, nodes: &[bool], input: &str) -> bool {
    let is_it = |op: &Op| matches!(op, Op::Input { name } if name == input);
    graph.entries().iter().zip(nodes).any(|(entry, needed)| *needed && is_it(&entry.op))
}

fn node(op: &Op, shape: [usize; 2], args: Vec<usize>) -> Result<Value, ExportError> {
    let rows = |data: &[f64], cols: usize| -> Vec<Vec<f64>> { data.chunks(cols).map(<[f64]>::to_vec).collect() };
    let which = |r: &Rows| (r.start, r.step, r.count);
    Ok(match op {
        Op::Param { name } => json!({ "op": "param", "name": name, "shape": shape }),
        Op::Input { name } => json!({ "op": "input", "name": name, "shape": shape }),
        Op::Constant { data } => json!({ "op": "constant", "data": rows(data, shape[1]) }),
        Op::OneHot { .. } => json!({ "op": "one_hot", "args": args, "kinds": shape[1] }),
        Op::Linear { .. } => json!({ "op": "linear", "args": args }),
        Op::Add { .. } => json!({ "op": "add", "args": args }),
        Op::Mul { .. } => json!({ "op": "mul", "args": args }),
        Op::Scale { by, .. } => json!({ "op": "scale", "args": args, "by": by }),
        Op::Sigmoid { .. } => json!({ "op": "sigmoid", "args": args }),
        Op::Tanh { .. } => json!({ "op": "tanh", "args": args }),
        Op::Exp { .. } => json!({ "op": "exp", "args": args }),
        Op::LogAbs { .. } => json!({ "op": "log_abs", "args": args }),
        Op::Gelu { .. } => json!({ "op": "gelu", "args": args }),
        Op::LayerNorm { .. } => json!({ "op": "layer_norm", "args": args }),
        Op::Scores { heads, .. } => json!({ "op": "scores", "args": args, "heads": heads }),
        Op::Softmax { heads, bias, .. } => match bias_rows(bias) {
            None => json!({ "op": "softmax", "args": args, "heads": heads }),
            Some(bias) => json!({ "op": "softmax", "args": args, "heads": heads, "bias": bias }),
        },
        Op::Mix { heads, .. } => json!({ "op": "mix", "args": args, "heads": heads }),
        Op::WindowScores { .. } => json!({ "op": "window_scores", "args": args, "window": shape[1] }),
        Op::WindowMix { .. } => json!({ "op": "window_mix", "args": args }),
        Op::AddOffsets { offset, .. } => {
            let offset: Vec<&[u32]> = offset.chunks(offset.len() / shape[0]).collect();
            json!({ "op": "add_offsets", "args": args, "offset": offset })
        }
        Op::SumRows { .. } => json!({ "op": "sum_rows", "args": args }),
        Op::Concat { .. } => json!({ "op": "concat", "args": args }),
        Op::Columns { start, len, .. } => json!({ "op": "columns", "args": args, "start": start, "len": len }),
        Op::Take { rows, .. } => {
            let (start, step, count) = which(rows);
            json!({ "op": "take", "args": args, "start": start, "step": step, "count": count })
        }
        Op::Place { rows, of, .. } => {
            let (start, step, count) = which(rows);
            json!({ "op": "place", "args": args, "start": start, "step": step, "count": count, "of": of })
        }
        Op::Select { .. } => json!({ "op": "select", "args": args }),
        Op::LstmCell { .. } => json!({ "op": "lstm_cell", "args": args }),
        // Losses, and what the engine makes of these when it compiles a graph.
        other => {
            let text = format!("{other:?}");
            return Err(ExportError::Operation(text.split([' ', '{']).next().unwrap_or_default().into()));
        }
    })
}

/// What is added to scores, null where a token must not look; none if that is nothing.
fn bias_rows(bias: &Bias) -> Option<Vec<Vec<Option<f64>>>> {
    let cell = |row: usize, col: usize| {
        let (first, end) = bias.reach[row];
        (first..end).contains(&col).then(|| bias.data[row * bias.cols + col])
    };
    let rows: Vec<Vec<_>> = (0..bias.reach.len()).map(|r| (0..bias.cols).map(|c| cell(r, c)).collect()).collect();
    rows.iter().flatten().any(|x| *x != Some(0.0)).then_some(rows)
}
