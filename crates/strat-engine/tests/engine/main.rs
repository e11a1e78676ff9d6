//! Every operation against the slow reference: values directly, gradients by finite
//! differences in `f64`, as written and optimized, on every instruction set.

#[path = "../common/mod.rs"]
mod common;
mod crew;
mod diverging;
mod inputs;
mod joined;
mod large;
mod masks;
mod math;
mod operations;
mod optimizer;
mod repeated;
mod rewriting;
mod rows;
mod strides;
mod threads;
mod tokens;

use common::*;
use strat_engine::internals::simplify;
use strat_engine::{Bias, CompileSpec, Graph, Isa, Lanes, Node, compile, compile_as_written, optimized};
