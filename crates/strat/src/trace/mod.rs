//! What a learner computes on its way to an answer: every named array of the forward pass, and what
//! becomes of the answer when one of them is replaced (activation patching).
//!
//! | name | shape | is |
//! |---|---|---|
//! | `block.B.type`, `block.B.data` | `[tokens, width]` | the two streams as block `B` reads them; `type`, `data` as the last leaves them |
//! | `block.B.stream`, `stream` | `[tokens, width]` | the one stream of a unityped model or a Transformer |
//! | `block.B.routes` | `[heads, tokens, tokens]` | attention: how much of the third is fetched by the second |
//! | `block.B.type_fetched`, `.data_fetched`, `.fetched` | `[tokens, width]` | what the routes bring to Type, to Data, to the one stream |
//! | `block.B.write_gate`, `.glu_gate`, `.gate` | `[tokens, width]` | gates, from 0 to 1; `.gate` where there is but one |
//! | `block.B.payload` | `[tokens, width]` | what that one gate lets pass or not |
//! | `block.B.written`, `.computed` | `[tokens, width]` | what came through the gate, and what the GLU or FFN adds |
//! | `token.T.matrix`, `.gate`, `.memory` | `[1, …]` | NAC and NALU at token `T` |
//! | `contributions` | `[tokens, 1]` | what each token adds to a sum's answer |
//! | `output` | `[rows, logits]` | the answer |
//!
//! Everything is computed by the slow [reference](crate::engine::reference) in `f64`, as the model
//! is written down, so the answer can differ from a machine's `f32` in the last digits.
//!
//! ```
//! use strat::model::{Lite, Model, Types};
//! use strat::task::{SumTask, TextForm};
//! use strat::trace::Trace;
//!
//! let (model, task) = (Lite { types: Types::Fixed, ..Lite::STANDARD }, SumTask::LOCKING);
//! let weights = model.init(42); // or those of a learner
//! let trace = |text| Trace::of_example(&model, &weights, &task, task.parse(text).expect("a sum").example());
//! let (clean, other) = (trace("12 + 3 - 5")?, trace("12 + 3 + 5")?);
//!
//! // With the other sum's gates, this one is computed as if its minus were a plus; Type stays.
//! let gates = other.array("block.0.gate")?;
//! let patched = clean.with("block.0.gate", &gates.values)?;
//! assert_eq!(patched.array("data")?, other.array("data")?);
//! assert_eq!(patched.array("type")?, clean.array("type")?);
//! # Ok::<(), strat::Error>(())
//! ```

mod error;
mod example_source;
mod layout;

pub use error::TraceError;
pub use example_source::{ExampleSource, ExampleSourceError, Said, TracedExample};

use crate::engine::graph::{Entry, Op};
use crate::engine::reference::{Arrays, Overrides, evaluate_with};
use crate::engine::{Graph, Node};
use crate::model::{Model, Param};
use crate::task::{Batch, Example, Task};
use layout::Layout;
use std::sync::Arc;

/// Numbers with a shape, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// `[rows, columns]`, or `[heads, queries, keys]` of routes.
    pub shape: Vec<usize>,
    /// As many as the shape says.
    pub values: Vec<f64>,
}

/// One learner's forward pass on one example.
#[derive(Clone, Debug)]
pub struct Trace {
    graph: Arc<Graph>,
    weights: Arc<Arrays>,
    inputs: Arc<Arrays>,
    overrides: Overrides,
    /// Of every node.
    values: Vec<Vec<f64>>,
}

impl Trace {
    /// Of a learner on an example of a task. Padding is left out.
    pub fn of_example(
        model: &dyn Model,
        weights: &Arrays,
        task: &dyn Task,
        example: &Example,
    ) -> Result<Trace, TraceError> {
        let tokens = task.length(example);
        if tokens == 0 {
            return Err(TraceError::Empty);
        }
        if !model.reads(tokens) || !fits(model, task) {
            return Err(TraceError::Misfit(task.name().into()));
        }
        // No bound on scores is known here, so every token sees as far as it could.
        let widest = model.window().and_then(|_| model.with_window(tokens));
        let built = widest.as_deref().unwrap_or(model).build(tokens);
        let inputs = Batch::of_one(task, example).arrays();
        for entry in built.graph.entries() {
            let Op::Input { name } = &entry.op else { continue };
            if inputs.get(name).map(Vec::len) != Some(entry.rows * entry.cols) {
                return Err(TraceError::Misfit(task.name().into()));
            }
        }
        check(&built.params, weights)?;
        Ok(Trace::of(built.graph, weights.clone(), inputs))
    }

    /// Of any graph with all its parameters and inputs.
    ///
    /// # Panics
    /// If one is missing or of another size.
    pub fn of(graph: Graph, weights: Arrays, inputs: Arrays) -> Trace {
        let overrides = Overrides::new();
        let values = evaluate_with(&graph, &weights, &inputs, &overrides);
        Trace { graph: graph.into(), weights: weights.into(), inputs: inputs.into(), overrides, values }
    }

    /// The names of its arrays, in the order in which they are computed.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<(Node, &str)> = self.graph.names().map(|(name, n)| (n, name)).collect();
        names.sort_by_key(|(node, _)| *node);
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// The array of a name.
    pub fn array(&self, name: &str) -> Result<Array, TraceError> {
        let node = self.node(name)?;
        Ok(Layout::of(&self.graph, node).read(&self.values[node.index()]))
    }

    /// The forward pass with one array replaced: what follows from it is computed again, the rest
    /// stays. What was replaced before stays replaced. A stream that no block changes has several
    /// names and is one array.
    pub fn with(&self, name: &str, values: &[f64]) -> Result<Trace, TraceError> {
        self.with_all([(name, values)])
    }

    /// The same with several arrays.
    pub fn with_all<'a>(
        &self,
        replaced: impl IntoIterator<Item = (&'a str, &'a [f64])>,
    ) -> Result<Trace, TraceError> {
        let mut overrides = self.overrides.clone();
        for (name, values) in replaced {
            let node = self.node(name)?;
            overrides.insert(node, Layout::of(&self.graph, node).write(name, values)?);
        }
        let values = evaluate_with(&self.graph, &self.weights, &self.inputs, &overrides);
        Ok(Trace { overrides, values, ..self.clone() })
    }

    fn node(&self, name: &str) -> Result<Node, TraceError> {
        let unknown = || TraceError::Unknown { name: name.into(), known: self.names().join(", ") };
        self.graph.named(name).ok_or_else(unknown)
    }
}

/// Whether a model reads a task's inputs as they are at its own number of tokens: sums and lists of one token look the same.
fn fits(model: &dyn Model, task: &dyn Task) -> bool {
    let tokens = task.tokens();
    let inputs = task.inputs(tokens);
    let is_given = |entry: &Entry| match &entry.op {
        Op::Input { name } => {
            let given = inputs.iter().find(|input| input.name == *name);
            given.is_none_or(|input| input.rows * input.width == entry.rows * entry.cols)
        }
        _ => true,
    };
    model.reads(tokens) && model.build(tokens).graph.entries().iter().all(is_given)
}

/// Whether all weights are there, and as many as they should be.
fn check(params: &[Param], weights: &Arrays) -> Result<(), TraceError> {
    for p in params {
        let (wanted, found) = (p.shape[0] * p.shape[1], weights.get(&*p.name).map_or(0, Vec::len));
        if found != wanted {
            return Err(TraceError::Weights { name: p.name.to_string(), found, wanted });
        }
    }
    Ok(())
}
