//! Numbers only: small graphs, their gradients, and thousands of learners at once.
//!
//! - [`graph`]: a model as operations (`op`) on matrices, written forward only
//! - `rules`: algebra that makes it cheaper
//! - `fuse`: operations joined into one kernel
//! - [`mod@reference`]: the slow, obvious way to compute it
//! - `plan`: where everything lies in memory, and in which order it is computed
//! - `compile`: all of this in order, for an instruction set; gives a [`Machine`]
//! - `program`: a plan at work on one vector of learners (`cut`, `memory`, `pages`, `forward`, `backward`, `optimizer`)
//! - `tokens`: the same for one learner whose rows sit on lanes, on one thread or with others' help (`crew`)
//! - `kernels`: each operation forward and backward, on vectors
//! - `cost`: how much arithmetic that is
//! - `math`, `simd`: functions with fixed results, instruction sets
//!
//! All `unsafe` code of the project is in this crate.

mod backward;
mod compile;
mod cost;
mod crew;
mod cut;
mod error;
mod forward;
mod fuse;
pub mod graph;
mod kernels;
mod kinds;
mod machine;
mod math;
mod memory;
mod op;
mod optimizer;
mod pages;
mod plan;
mod program;
pub mod reference;
mod rules;
mod simd;
mod tokens;

pub use compile::{Elem, compile, compile_as_written, optimized};
pub use cost::step_flops;
pub use crew::Crew;
pub use error::{CompileError, Error, InputError, MOST_BYTES, Result};
pub use graph::{Bias, Graph, Node, Rows};
pub use kernels::adam::AdamStep;
pub use machine::{CompileSpec, Lanes, Machine};
pub use simd::{Isa, Number, UnknownIsa};

/// What tests and benchmarks reach into; no part of what this crate promises.
#[doc(hidden)]
pub mod internals {
    pub use crate::crew::Team;
    pub use crate::kernels::affine::{Term, affine};
    pub use crate::kernels::attention::{Attend, AttendGrad, Dims};
    pub use crate::kernels::columns::ViewMut;
    pub use crate::kernels::contract::{View, contract};
    pub use crate::kernels::elementwise::sigmoid as sigmoid_of_each;
    pub use crate::kernels::kind_routes::{self, kind_routes, kind_routes_grad};
    pub use crate::kernels::large::{ContractLarge, Gather};
    pub use crate::kernels::mix::Run;
    pub use crate::kernels::rows::{Product, Start};
    pub use crate::kernels::sums::{Sums, TALL};
    pub use crate::math::{exp, ln, normal, sigmoid, tanh};
    pub use crate::rules::simplify;
    pub use crate::simd::{Kernel, MOST_LANES, Simd, Visitor};
}
