//! Layers with weights of their own: a graph under construction that notes each parameter
//! as it is first used, so that a model is written once.

use super::{Init, Param};
use crate::engine::{Graph, Node};

/// A graph and the parameters in it, in the order of their use.
#[derive(Default)]
pub(super) struct Layers {
    pub g: Graph,
    pub params: Vec<Param>,
}

impl Layers {
    /// A parameter.
    pub fn param(&mut self, name: String, shape: [usize; 2], init: Init) -> Node {
        let node = self.g.param(&name, shape[0], shape[1]);
        self.params.push(Param::new(name, shape, init));
        node
    }

    /// `W x`, and `+ b` if there is a bias: uniform in ±1/√fan_in, as PyTorch starts them.
    pub fn linear(&mut self, name: &str, x: Node, outs: usize, bias: bool) -> Node {
        let ins = self.g.shape(x)[1];
        let init = Init::Uniform(1.0 / (ins as f64).sqrt());
        let w = self.param(format!("{name}.weight"), [outs, ins], init);
        let y = self.g.linear(x, w);
        if !bias {
            return y;
        }
        let b = self.param(format!("{name}.bias"), [1, outs], init);
        self.g.add(y, b)
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
            .map(|(part, start)| self.param(format!("{name}.{part}"), [1, width], Init::Constant(start)))
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
}
