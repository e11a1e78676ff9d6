//! Layers with weights of their own: a graph under construction that notes each parameter
//! as it is first used, so that a model is written once.

use super::{Built, Init, Param, Readout, Start};
use crate::engine::{Graph, Node, Rows};
use std::ops::{Deref, DerefMut};

/// A graph and the parameters in it, in the order of their use.
///
/// Everything that a [`Graph`] can do is there too: `l.sigmoid(x)`, `l.input("type", tokens, 4)`.
///
/// # Panics
/// As a [`Graph`] does, where shapes do not fit: that is a mistake in the model, and the message has the shapes.
#[derive(Debug, Default)]
pub struct Layers {
    /// The operations.
    pub g: Graph,
    params: Vec<Param>,
    /// Whether what [`dropped`](Layers::dropped) is told to drop is dropped.
    drops: bool,
}

/// What the inputs that say which numbers are dropped are called, before the name of their place.
pub(crate) const DROPOUT: &str = "dropout.";

impl Deref for Layers {
    type Target = Graph;

    fn deref(&self) -> &Graph {
        &self.g
    }
}

impl DerefMut for Layers {
    fn deref_mut(&mut self) -> &mut Graph {
        &mut self.g
    }
}

impl Layers {
    /// None yet.
    pub fn new() -> Layers {
        Layers::default()
    }

    /// None yet; what is [`dropped`](Layers::dropped) is dropped.
    pub(super) fn dropping() -> Layers {
        Layers { drops: true, ..Layers::default() }
    }

    /// A parameter of one's own.
    ///
    /// # Panics
    /// If there is one of this name.
    pub fn param(&mut self, name: impl Into<String>, shape: [usize; 2], init: Init) -> Node {
        self.add(Param::new(name.into(), shape, init))
    }

    fn add(&mut self, param: Param) -> Node {
        assert!(self.params.iter().all(|p| p.name != param.name), "there are two parameters {:?}", param.name);
        let node = self.g.param(&param.name, param.shape[0], param.shape[1]);
        self.params.push(param);
        node
    }

    /// `W x`, and `+ b` if there is a bias: uniform in ±1/√fan_in, as PyTorch starts them.
    pub fn linear(&mut self, name: &str, x: Node, outs: usize, bias: bool) -> Node {
        self.linear_from(Start::PyTorch, name, x, outs, bias)
    }

    /// [`linear`](Layers::linear) with another start of `W`; that of `b` is PyTorch's.
    pub fn linear_from(&mut self, start: Start, name: &str, x: Node, outs: usize, bias: bool) -> Node {
        let ins = self.g.shape(x)[1];
        let w = self.param(format!("{name}.weight"), [outs, ins], start.init(outs, ins));
        let y = self.g.linear(x, w);
        if !bias {
            return y;
        }
        let b = self.add(Param::vector(format!("{name}.bias"), outs, Start::PyTorch.init(outs, ins)));
        self.g.add(y, b)
    }

    /// In training `x` times an input `dropout.NAME`: zeros, and for what is kept `1 / (1 − dropout)`.
    pub(super) fn dropped(&mut self, name: &str, x: Node) -> Node {
        if !self.drops {
            return x;
        }
        let [rows, width] = self.g.shape(x);
        let kept = self.g.input(&format!("{DROPOUT}{name}"), rows, width);
        self.g.mul(x, kept)
    }

    /// LayerNorm with scale and shift.
    pub fn norm(&mut self, name: &str, x: Node) -> Node {
        let width = self.g.shape(x)[1];
        let normed = self.g.layer_norm(x);
        let [scale, shift] = self.norm_params(name, width);
        self.scale_and_shift(normed, scale, shift)
    }

    /// A LayerNorm's scale and shift, to be used more than once.
    pub fn norm_params(&mut self, name: &str, width: usize) -> [Node; 2] {
        [("weight", 1.0), ("bias", 0.0)]
            .map(|(part, start)| self.add(Param::vector(format!("{name}.{part}"), width, Init::Constant(start))))
    }

    /// LayerNorm with a given scale and shift.
    pub fn norm_with(&mut self, [scale, shift]: [Node; 2], x: Node) -> Node {
        let normed = self.g.layer_norm(x);
        self.scale_and_shift(normed, scale, shift)
    }

    fn scale_and_shift(&mut self, x: Node, scale: Node, shift: Node) -> Node {
        let y = self.g.mul(x, scale);
        self.g.add(y, shift)
    }

    /// The model whose tokens end as the rows of `x`: reads the answer there with a linear layer `head`, and takes the
    /// loss that belongs to it.
    ///
    /// | readout | read at | loss |
    /// |---|---|---|
    /// | `Class` | the first token | cross-entropy |
    /// | `Verdict`, `Number` | the mean of all real tokens | binary cross-entropy, squared error |
    /// | `Values`, `Bits` | every token | cross-entropy, binary cross-entropy |
    pub fn answer(self, readout: Readout, x: Node) -> Built {
        self.answer_from(Start::PyTorch, readout, x)
    }

    /// [`answer`](Layers::answer) with another start of the head's matrix.
    pub(super) fn answer_from(mut self, start: Start, readout: Readout, x: Node) -> Built {
        let tokens = self.g.shape(x)[0];
        let first = Rows { start: 0, step: 1, count: 1 };
        let x = match readout {
            Readout::Class(_) => self.g.take(x, first),
            Readout::Binary | Readout::Number => {
                let share = self.g.input("share", tokens, 1);
                self.g.sum_rows(x, share)
            }
            Readout::TokenClass(_) | Readout::TokenBinary => x,
        };
        let output = self.linear_from(start, "head", x, readout.logits(1), true);
        self.finish(readout, output)
    }

    /// The model with this output, `[1, …]` or a row for every token, and the loss that belongs to the readout.
    pub fn finish(mut self, readout: Readout, output: Node) -> Built {
        let g = &mut self.g;
        g.name("output", output);
        let [rows, width] = g.shape(output);
        let target = g.input("target", rows, width);
        let weight = match readout {
            Readout::Class(_) | Readout::Binary | Readout::Number => g.constant(1, 1, &[1.0]),
            Readout::TokenClass(_) | Readout::TokenBinary => g.input("weight", rows, 1),
        };
        let loss = match readout {
            Readout::Class(_) | Readout::TokenClass(_) => g.cross_entropy(output, target, weight),
            Readout::TokenBinary | Readout::Binary => g.binary_cross_entropy(output, target, weight),
            Readout::Number => g.squared_error(output, target),
        };
        Built { graph: self.g, output, loss, params: self.params, frozen: vec![] }
    }
}
