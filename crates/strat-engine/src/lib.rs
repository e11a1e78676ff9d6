//! Numbers only: small graphs, their gradients, and thousands of learners at once.
//!
//! - [`graph`]: a model as operations ([`op`]) on matrices, written forward only
//! - [`rules`]: algebra that makes it cheaper
//! - `fuse`: operations joined into one kernel
//! - [`mod@reference`]: the slow, obvious way to compute it
//! - `plan`: where everything lies in memory, and in which order it is computed
//! - [`program`]: a plan at work on one vector of learners (`cut`, `memory`, `pages`, `forward`, `backward`, `optimizer`)
//! - `tokens`: the same for one learner whose rows sit on lanes
//! - [`kernels`]: each operation forward and backward, on vectors
//! - [`cost`]: how much arithmetic that is
//! - [`math`], [`simd`]: functions with fixed results, instruction sets
//!
//! All `unsafe` code of the project is in this crate.

mod backward;
pub mod cost;
mod cut;
mod error;
mod forward;
mod fuse;
pub mod graph;
pub mod kernels;
mod kinds;
pub mod math;
mod memory;
pub mod op;
mod optimizer;
mod pages;
mod plan;
pub mod program;
pub mod reference;
pub mod rules;
pub mod simd;
mod tokens;

pub use error::{CompileError, InputError, MOST_BYTES};
pub use graph::{Bias, Graph, Node, Rows};
pub use program::{Lanes, Machine, Source, compile, compile_as_written};
pub use simd::{Elem, Isa};

/// The graph as it is run: [simplified](rules::simplify) and fused; and where `roots` went.
pub fn optimized(graph: &Graph, roots: &[Node]) -> (Graph, Vec<Node>) {
    let (graph, roots) = rules::simplify(graph, roots);
    fuse::fuse(&graph, &roots)
}
