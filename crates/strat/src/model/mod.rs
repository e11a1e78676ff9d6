//! The architectures of the paper, one file each, forward only.
//!
//! - [`Lite`]: STRAT-Lite (§5.2), Type and Data in separate streams
//! - [`Unityped`]: the unityped models (§2, App. A, B): Config A, its ablations, the Geometric ALU
//! - [`Unit`]: NAC and NALU with an LSTM as controller (App. F)
//! - [`BlockModel`]: the blocks of §7, STRAT and the Transformer; [`BlockConfig`]: their sizes on every task
//! - What they read ([`Shape`], [`Kinds`]) and where their answers are read ([`Readout`])
//!
//! Each is a [`Model`], and so is anyone's own: its graph is built by [`Model::build`], its parameters and their initial
//! values are listed by [`Model::params`]. [`ModelRecord`] is a model as files name it.

pub(crate) mod block;
mod door;
mod dropout;
mod input;
mod layers;
mod lite;
mod nac;
mod options;
mod record;
mod strat;
mod transformer;
mod unityped;

use crate::engine::reference::Arrays;
use crate::engine::{Graph, Node};
use crate::rng::{RandomStream, Stream};
use std::borrow::Cow;

pub use block::{Architecture, AttentionMask, BlockConfig, BlockModel};
pub(crate) use block::{BlockConfigError, window_needed};
pub use door::{Model, Precision, Spec, SpecError};
pub(crate) use dropout::{Dropout, is_dropout};
pub(crate) use input::{ITEMS, Kind};
pub use input::{Kinds, Readout, Shape};
pub use layers::Layers;
pub use lite::{Lite, Types};
pub use nac::Unit;
pub use options::{BlockOptions, Start};
pub(crate) use record::ModelFault;
pub use record::{ModelError, ModelRecord, OwnModel};
pub use unityped::{Unityped, UnitypedModel};

/// How a parameter starts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Init {
    /// Uniform in ±`bound`.
    Uniform(f64),
    /// Normal with this standard deviation.
    Normal(f64),
    /// All the same.
    Constant(f64),
    /// These, row-major.
    Values(&'static [f64]),
}

/// A parameter: PyTorch-style name, shape, start.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// As in a state dict.
    pub name: Cow<'static, str>,
    /// `[out, in]`; biases are `[1, out]`.
    pub shape: [usize; 2],
    /// Its initial distribution.
    pub init: Init,
    /// Whether PyTorch has one axis for it, as for biases and the weights of a LayerNorm.
    pub is_vector: bool,
}

impl Param {
    /// A parameter.
    pub fn new(name: impl Into<Cow<'static, str>>, shape: [usize; 2], init: Init) -> Self {
        Param { name: name.into(), shape, init, is_vector: false }
    }

    /// A parameter of one row, which PyTorch has as a vector.
    pub fn vector(name: impl Into<Cow<'static, str>>, width: usize, init: Init) -> Self {
        Param { is_vector: true, ..Param::new(name, [1, width], init) }
    }

    /// Its shape in a state dict.
    pub fn torch_shape(&self) -> Vec<usize> {
        if self.is_vector { vec![self.shape[1]] } else { self.shape.to_vec() }
    }

    /// Initial values of the learner `seed`; a parameter's stream is its position.
    pub fn initial(params: &[Param], seed: u64) -> Arrays {
        let draw = |(i, p): (usize, &Param)| {
            let mut d = RandomStream::new(seed, Stream::Init, i as u32);
            let mut one = |i: usize| match p.init {
                Init::Uniform(bound) => (2.0 * d.uniform() - 1.0) * bound,
                Init::Normal(deviation) => d.normal() * deviation,
                Init::Constant(x) => x,
                Init::Values(v) => v[i],
            };
            (p.name.to_string(), (0..p.shape[0] * p.shape[1]).map(&mut one).collect())
        };
        params.iter().enumerate().map(draw).collect()
    }
}

/// A model's graph and where to read it.
#[derive(Clone, Debug)]
pub struct Built {
    /// The operations.
    pub graph: Graph,
    /// The answer.
    pub output: Node,
    /// Its loss on one example, `[1, 1]`.
    pub loss: Node,
    /// The parameters in it, in the order of their random streams.
    pub params: Vec<Param>,
    /// Names of parameters that training leaves alone.
    pub frozen: Vec<&'static str>,
}
/// The tokens of a signed sum (or a list) as every arithmetic model reads them.
struct Tokens {
    /// `[T, 3]`: literal, plus, minus (or `[T, ITEMS]`); padding is a zero row.
    one_hot: Node,
    /// `[T, 1]`: the literals' values at even tokens, zero elsewhere (or all items' values).
    value: Node,
    /// `[T, 1]`: 1 for real tokens.
    real: Node,
    /// `[1, 1]`
    target: Node,
    /// How many token slots.
    count: usize,
}

fn tokens(g: &mut Graph, terms: usize) -> Tokens {
    use crate::engine::Rows;
    let count = 2 * terms - 1;
    let kind = g.input("kind", count, 1);
    // Literals stand at even tokens, operators at odd ones.
    let reach: Vec<(usize, usize)> = (0..count).map(|t| if t % 2 == 0 { (0, 1) } else { (1, 3) }).collect();
    let one_hot = g.one_hot(kind, Kind::ALL.len(), reach);
    let value = g.input("value", terms, 1);
    let value = g.place(value, Rows::every(2, 0, count), count);
    let ones = g.constant(1, 3, &[1.0; 3]);
    let real = g.linear(one_hot, ones);
    let target = g.input("target", 1, 1);
    Tokens { one_hot, value, real, target, count }
}

/// The items of a grocery list in the same form: any token can be of any kind, and each has a value.
fn items(g: &mut Graph, count: usize) -> Tokens {
    let kind = g.input("kind", count, 1);
    let one_hot = g.one_hot(kind, ITEMS, vec![(0, ITEMS); count]);
    let value = g.input("value", count, 1);
    let ones = g.constant(1, ITEMS, &[1.0; ITEMS]);
    let real = g.linear(one_hot, ones);
    let target = g.input("target", 1, 1);
    Tokens { one_hot, value, real, target, count }
}

/// Fixed types on D1–D4 (Table 9): literal e₁, plus e₂ + e₄, minus e₃ + e₄.
pub(crate) const ORACLE_TYPES: [f64; 12] = [
    1., 0., 0., 0., //
    0., 1., 0., 1., //
    0., 0., 1., 1.,
];
