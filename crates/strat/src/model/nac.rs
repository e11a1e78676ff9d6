//! The Neural Accumulator and the Neural Arithmetic Logic Unit (Trask et al., 2018) with an
//! LSTM as their controller (App. F). At *every* token the controller's state predicts the
//! arithmetic matrices anew, so they can follow the operators.
//!
//! Both are given the kinds of the tokens; neither keeps them apart from the values.

use super::door::{Model, Precision, Spec};
use super::{Built, Init, Param, Tokens, tokens};
use crate::engine::{Graph, Node, Rows};

/// Units of the controller.
const UNITS: usize = 64;
/// What the controller reads of a token: one-hot kind and value / 100.
const READS: usize = 4;
/// Numbers in the memory; the first is the answer.
const MEMORY: usize = 2;
/// What the arithmetic reads: the token's value and the memory.
const CELL: usize = 1 + MEMORY;
/// Numbers in a predicted matrix `[MEMORY, CELL]`.
const MATRIX: usize = MEMORY * CELL;

/// Which arithmetic the controller commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// The Neural Accumulator.
    Nac,
    /// The Neural Arithmetic Logic Unit.
    Nalu,
}

impl Unit {
    /// Names of the heads' weights and biases.
    fn heads(self) -> &'static [[&'static str; 2]] {
        const HEADS: [[&str; 2]; 3] =
            [["w_hat.weight", "w_hat.bias"], ["m_hat.weight", "m_hat.bias"], ["g.weight", "g.bias"]];
        match self {
            Unit::Nac => &HEADS[..2],
            Unit::Nalu => &HEADS,
        }
    }

    fn all_params(self) -> Vec<Param> {
        // PyTorch's default for LSTM and linear layers alike: uniform in ±1/√64.
        let init = Init::Uniform(1.0 / (UNITS as f64).sqrt());
        let uniform = |name: &'static str, outs, ins| Param::new(name, [outs, ins], init);
        let vector = |name: &'static str, width| Param::vector(name, width, init);
        let mut params = vec![
            uniform("controller.weight_ih_l0", 4 * UNITS, READS),
            uniform("controller.weight_hh_l0", 4 * UNITS, UNITS),
            vector("controller.bias_ih_l0", 4 * UNITS),
            vector("controller.bias_hh_l0", 4 * UNITS),
        ];
        for [weight, bias] in self.heads() {
            params.push(uniform(weight, MATRIX, UNITS));
            params.push(vector(bias, MATRIX));
        }
        params
    }

    /// The graph for sums of at most `terms` literals.
    fn graph(self, terms: usize) -> Built {
        let g = &mut Graph::new();
        let tok = tokens(g, terms);
        let small = g.scale(tok.value, 0.01);
        let reads = g.concat(&[tok.one_hot, small]); // [T, 4]
        let controller = Controller::new(g);

        let mut state = g.zeros(1, 2 * UNITS); // [h, c]
        let mut memory = g.zeros(1, MEMORY);
        for t in 0..tok.count {
            let at = Rows { start: t, step: 1, count: 1 };
            let [read, value, real] = [reads, tok.value, tok.real].map(|x| g.take(x, at));

            let next = controller.step(g, read, state);
            let x = g.concat(&[value, memory]); // [1, 3]
            let h = g.columns(next, 0, UNITS);
            let answer = self.arithmetic(g, t, h, x);

            // Padding freezes both. The first token is never padding.
            (state, memory) = match t {
                0 => (next, answer),
                _ => (g.select(real, next, state), g.select(real, answer, memory)),
            };
            g.name(format!("token.{t}.memory"), memory);
        }
        let output = g.columns(memory, 0, 1);
        self.built(g, &tok, output)
    }

    fn built(self, g: &mut Graph, tok: &Tokens, output: Node) -> Built {
        g.name("output", output);
        let loss = g.squared_error(output, tok.target);
        Built { graph: std::mem::take(g), output, loss, params: self.all_params(), frozen: vec![] }
    }

    /// The memory after token `t`, from the controller's `h` and `x` = `[value, memory]`.
    fn arithmetic(self, g: &mut Graph, t: usize, h: Node, x: Node) -> Node {
        let mut head = |[weight, bias]: [&str; 2]| {
            let (w, b) = (g.param(weight, MATRIX, UNITS), g.param(bias, 1, MATRIX));
            let y = g.linear(h, w);
            g.add(y, b) // [1, 6], a matrix [2, 3] row by row
        };
        let heads: Vec<Node> = self.heads().iter().map(|&names| head(names)).collect();

        // W = tanh(Ŵ) ⊙ σ(M̂),  a = W x                                    (NAC)
        let (w, m) = (g.tanh(heads[0]), g.sigmoid(heads[1]));
        let w = g.mul(w, m);
        g.name(format!("token.{t}.matrix"), w);
        let a = apply(g, w, x);
        match self {
            Unit::Nac => a,
            // g = σ(G x),  y = g ⊙ a + (1 − g) ⊙ exp(W ln(|x| + 1e-7))    (NALU)
            Unit::Nalu => {
                let gate = apply(g, heads[2], x);
                let gate = g.sigmoid(gate);
                g.name(format!("token.{t}.gate"), gate);
                let logs = g.log_abs(x);
                let product = apply(g, w, logs);
                let product = g.exp(product);
                let ones = g.constant(1, MEMORY, &[1.0; MEMORY]);
                let rest = g.scale(gate, -1.0);
                let rest = g.add(rest, ones);
                let (a, product) = (g.mul(gate, a), g.mul(rest, product));
                g.add(a, product)
            }
        }
    }
}

/// `W x` for a predicted matrix, given as one row `w`: `x` is repeated for each row of `W`,
/// multiplied, and summed.
fn apply(g: &mut Graph, w: Node, x: Node) -> Node {
    let cell = |yes: bool| f64::from(u8::from(yes));
    let repeat: Vec<f64> = (0..MATRIX * CELL).map(|i| cell(i / CELL % CELL == i % CELL)).collect();
    let sum: Vec<f64> = (0..MEMORY * MATRIX).map(|i| cell(i % MATRIX / CELL == i / MATRIX)).collect();
    let (repeat, sum) = (g.constant(MATRIX, CELL, &repeat), g.constant(MEMORY, MATRIX, &sum));
    let x = g.linear(x, repeat);
    let products = g.mul(w, x);
    g.linear(products, sum)
}

/// A single-layer LSTM, as PyTorch's: gates in the order i, f, g, o and two biases.
struct Controller {
    of_input: Node,
    of_state: Node,
    bias: Node,
}

impl Controller {
    fn new(g: &mut Graph) -> Self {
        let of_input = g.param("controller.weight_ih_l0", 4 * UNITS, READS);
        let of_state = g.param("controller.weight_hh_l0", 4 * UNITS, UNITS);
        let [b_ih, b_hh] =
            ["controller.bias_ih_l0", "controller.bias_hh_l0"].map(|name| g.param(name, 1, 4 * UNITS));
        Controller { of_input, of_state, bias: g.add(b_ih, b_hh) }
    }

    /// `[h, c]` after reading a token: `i, f, g, o = W_ih x + b_ih + W_hh h + b_hh`,
    /// `c ← σ(f) ⊙ c + σ(i) ⊙ tanh(g)`, `h ← σ(o) ⊙ tanh(c)`.
    fn step(&self, g: &mut Graph, read: Node, state: Node) -> Node {
        let h = g.columns(state, 0, UNITS);
        let (of_input, of_state) = (g.linear(read, self.of_input), g.linear(h, self.of_state));
        let gates = g.add(of_input, of_state);
        let gates = g.add(gates, self.bias); // [1, 256]
        g.lstm_cell(gates, state)
    }
}

/// On sums of literals and operators in turn.
impl Model for Unit {
    fn spec(&self) -> Spec {
        Spec::named(match self {
            Unit::Nac => "nac",
            Unit::Nalu => "nalu",
        })
    }

    fn build(&self, tokens: usize) -> Built {
        self.graph(tokens.div_ceil(2))
    }

    fn params(&self) -> Vec<Param> {
        self.all_params()
    }

    fn is_small(&self, _examples: usize, _kinds: bool) -> bool {
        true
    }

    /// Padding freezes state and memory.
    fn padding(&self) -> Option<&str> {
        Some("kind")
    }

    /// Their products of powers need more digits than `f32` has.
    fn precision(&self) -> Precision {
        Precision::F64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::reference::evaluate;
    use crate::task::Sum;

    #[test]
    fn parameters_are_as_many_as_the_papers() {
        let count = |unit: Unit| unit.params().iter().map(|p| p.shape[0] * p.shape[1]).sum::<usize>();
        assert_eq!((count(Unit::Nac), count(Unit::Nalu)), (18_700, 19_090));
    }

    /// Predicted at every token: weights under which the matrix depends on the token just
    /// read make a NAC that adds, exactly, only what follows a plus. Matrices computed once,
    /// from any one state, treat all literals alike and cannot.
    #[test]
    fn matrices_are_predicted_anew_at_every_token() {
        // Unit 0 stores, in its cell, whether the last operator was a minus; unit 1 says
        // whether this token is a literal.
        let model = Unit::Nac;
        let mut w: crate::engine::reference::Arrays =
            model.params().iter().map(|p| (p.name.to_string(), vec![0.0; p.shape[0] * p.shape[1]])).collect();
        let big = 40.0;
        let [input, forget, cell, output] = [0, 1, 2, 3].map(|gate| gate * UNITS);
        {
            let ih = w.get_mut("controller.weight_ih_l0").unwrap();
            let [literal, plus, minus] = [0, 1, 2];
            // Unit 0: an operator overwrites the cell with ±1, a literal leaves it.
            ih[(input) * READS + literal] = -big;
            ih[(input) * READS + plus] = big;
            ih[(input) * READS + minus] = big;
            ih[(forget) * READS + literal] = big;
            ih[(forget) * READS + plus] = -big;
            ih[(forget) * READS + minus] = -big;
            ih[(cell) * READS + plus] = -big;
            ih[(cell) * READS + minus] = big;
            ih[(output) * READS + literal] = big;
            ih[(output) * READS + plus] = -big;
            ih[(output) * READS + minus] = -big;
        }
        // W[0, value] = −tanh(big · h₀) at a literal after an operator: +1 after plus, −1
        // after minus. W[0, memory₀] = 1 always.
        w.get_mut("w_hat.weight").unwrap()[0] = -big;
        w.get_mut("w_hat.bias").unwrap()[1] = big;
        for i in 0..2 {
            w.get_mut("m_hat.bias").unwrap()[i] = big;
        }
        let built = model.build(7);
        let answer = |values: &[u32], minus: &[bool]| {
            let sum = Sum { values: values.to_vec(), minus: minus.to_vec() };
            evaluate(&built.graph, &w, &sum.encode(4))[built.output.index()][0]
        };
        // The first literal follows no operator and is not counted by these weights.
        assert!((answer(&[0, 3, 50, 7], &[false, false, true, false]) + 40.0).abs() < 1e-9);
        assert!((answer(&[0, 3, 50, 7], &[false, true, false, true]) - 40.0).abs() < 1e-9);
        // Padding freezes the answer.
        assert!((answer(&[0, 3, 50], &[false, true, false]) - 47.0).abs() < 1e-9);
    }

    /// Every token has heads of its own, which read the state after that token.
    #[test]
    fn heads_read_the_state_after_their_own_token() {
        use crate::engine::graph::Op;
        for unit in [Unit::Nac, Unit::Nalu] {
            let graph = unit.graph(6).graph;
            let head =
                graph.entries().iter().position(|e| matches!(&e.op, Op::Param { name } if name == "w_hat.weight"));
            let readers: Vec<Node> = graph
                .entries()
                .iter()
                .filter_map(|e| match e.op {
                    Op::Linear { x, w } if Some(w.index()) == head => Some(x),
                    _ => None,
                })
                .collect();
            assert_eq!(readers.len(), 11, "{unit:?}: one prediction a token");
            for pair in readers.windows(2) {
                assert!(pair[0] < pair[1], "{unit:?}: of another state");
            }
        }
    }
}
