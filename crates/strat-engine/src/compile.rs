//! From a graph to a machine: rewritten, planned, and built for an instruction set.

use super::error::CompileError;
use super::fuse::fuse;
use super::graph::{Graph, Node};
use super::kinds::{Kinds, kinds_of};
use super::machine::{CompileSpec, Lanes, Machine};
use super::program::Program;
use super::rules::simplify;
use super::simd::{Isa, Number, Simd, Visitor};
use super::tokens::{TokenProgram, fits};

/// Whether there are machines for `f64` and for rows on lanes. They are half of all kernels, and a page in a browser needs none.
const EVERY: bool = cfg!(feature = "every-machine");

/// A number type that models are computed in: `f32` or `f64`. Sealed.
pub trait Elem: Number {
    /// Whether [`Lanes::Tokens`] is for it. It is for `f32` alone: models that answer at every token are trained in it,
    /// and twice as many kernels would have to be compiled.
    const ROWS_ON_LANES: bool;

    /// Builds a machine for a graph as it stands. Not generic, so that the kernels are compiled once, with this crate,
    /// and not into every user of it.
    #[doc(hidden)]
    fn machine(spec: CompileSpec<'_>, kinds: Vec<Kinds>, isa: Isa) -> Result<Box<dyn Machine<Self>>, CompileError>;
}

impl Elem for f32 {
    const ROWS_ON_LANES: bool = EVERY;
    fn machine(spec: CompileSpec<'_>, kinds: Vec<Kinds>, isa: Isa) -> Result<Box<dyn Machine<f32>>, CompileError> {
        match spec.lanes {
            Lanes::Learners | Lanes::Examples => f32::dispatch(isa, ByLane(spec, kinds)),
            Lanes::Tokens if !EVERY => Err(CompileError::NotBuilt),
            Lanes::Tokens => f32::dispatch(isa, ByToken(spec)),
        }
    }
}

impl Elem for f64 {
    const ROWS_ON_LANES: bool = false;
    fn machine(spec: CompileSpec<'_>, kinds: Vec<Kinds>, isa: Isa) -> Result<Box<dyn Machine<f64>>, CompileError> {
        match spec.lanes {
            _ if !EVERY => Err(CompileError::NotBuilt),
            Lanes::Learners | Lanes::Examples => f64::dispatch(isa, ByLane(spec, kinds)),
            Lanes::Tokens => Err(CompileError::RowsOfF64),
        }
    }
}

/// A program for learners or examples on lanes.
struct ByLane<'a>(CompileSpec<'a>, Vec<Kinds>);

impl<E: Number> Visitor<E> for ByLane<'_> {
    type Out = Result<Box<dyn Machine<E>>, CompileError>;
    fn visit<S: Simd<Elem = E>>(self) -> Self::Out {
        Ok(Box::new(Program::<S>::new(self.0, self.1)?))
    }
}

/// A program for rows on lanes.
struct ByToken<'a>(CompileSpec<'a>);

impl<E: Number> Visitor<E> for ByToken<'_> {
    type Out = Result<Box<dyn Machine<E>>, CompileError>;
    fn visit<S: Simd<Elem = E>>(self) -> Self::Out {
        Ok(Box::new(TokenProgram::<S>::new(self.0)?))
    }
}

/// Plans a graph and builds a machine for it on one instruction set.
pub fn compile<E: Elem>(spec: CompileSpec<'_>, isa: Isa) -> Result<Box<dyn Machine<E>>, CompileError> {
    spec.check(isa)?;
    let roots = [spec.output, spec.loss];
    let (graph, roots) = match spec.lanes {
        Lanes::Learners | Lanes::Examples => optimized(spec.graph, &roots),
        // Its steps are joined from more than one node in another way.
        Lanes::Tokens => simplify(spec.graph, &roots),
    };
    let kinds = kinds_of(spec.graph);
    E::machine(CompileSpec { graph: &graph, output: roots[0], loss: roots[1], ..spec }, kinds, isa)
}

/// [`compile`], without rules and fusion: so that tests reach every kernel, and to see what those gain.
pub fn compile_as_written<E: Elem>(spec: CompileSpec<'_>, isa: Isa) -> Result<Box<dyn Machine<E>>, CompileError> {
    spec.check(isa)?;
    E::machine(spec, kinds_of(spec.graph), isa)
}

/// The graph as it is run: [simplified](crate::rules::simplify) and fused; and where `roots` went.
pub fn optimized(graph: &Graph, roots: &[Node]) -> (Graph, Vec<Node>) {
    let (graph, roots) = simplify(graph, roots);
    fuse(&graph, &roots)
}

impl Lanes {
    /// What the lanes should hold for a single learner: rows, if it answers at every token, since then hardly a
    /// lane is idle; else examples, so that rows which the answer does not need are not computed.
    pub fn of_one_learner<E: Elem>(graph: &Graph, output: Node, loss: Node) -> Lanes {
        let by_row = || {
            let (graph, roots) = simplify(graph, &[output, loss]);
            fits(&graph, roots[0], roots[1])
        };
        if E::ROWS_ON_LANES && by_row() { Lanes::Tokens } else { Lanes::Examples }
    }
}
