//! Rows on lanes against the reference: a small model with everything in it that such models do.

use super::*;
use strat_engine::Number;
use strat_engine::internals::{Kernel, MOST_LANES, Simd, Visitor};

const CLASSES: usize = 3;

/// LayerNorm with a scale and a shift of its own.
pub fn norm(g: &mut Graph, name: &str, x: Node) -> Node {
    let [_, cols] = g.shape(x);
    let (scale, shift) = (g.param(&format!("{name}.scale"), 1, cols), g.param(&format!("{name}.shift"), 1, cols));
    let x = g.layer_norm(x);
    let x = g.mul(x, scale);
    g.add(x, shift)
}

/// A linear map with weights of its own.
pub fn linear(g: &mut Graph, name: &str, x: Node, outs: usize, bias: bool) -> Node {
    let [_, ins] = g.shape(x);
    let w = g.param(&format!("{name}.weight"), outs, ins);
    let y = g.linear(x, w);
    if !bias {
        return y;
    }
    let b = g.param(&format!("{name}.bias"), 1, outs);
    g.add(y, b)
}

/// Routes from the batch alone, gates, residual connections; `alike` columns that are the same in every row.
pub fn model(tokens: usize, alike: usize) -> Case {
    let mut graph = Graph::new();
    let g = &mut graph;
    let (a, x) = (g.input("a", tokens, 3), g.input("x", tokens, 3));
    let zeros = g.zeros(tokens, alike);
    let a = if alike == 0 { a } else { g.concat(&[a, zeros]) };
    let t = norm(g, "norm_a", a);
    let (q, k) = (linear(g, "q", t, 4, false), linear(g, "k", t, 4, true));
    let gate = linear(g, "gate", t, 3, true);
    let gate = g.sigmoid(gate);
    let v = norm(g, "norm_x", x);
    let v = linear(g, "v", v, 6, false);
    let routes = g.routes(q, k, 2, 0.5, Bias::none(tokens, tokens));
    let fetched = g.mix(routes, v, 2);
    let fetched = linear(g, "o", fetched, 3, false);
    let update = g.mul(gate, fetched);
    let x = g.add(x, update);
    let h = norm(g, "norm_h", x);
    let h = linear(g, "h", h, 9, true);
    let h = g.gelu(h);
    let h_gate = linear(g, "h_gate", t, 9, true);
    let h_gate = g.sigmoid(h_gate);
    let h = g.mul(h_gate, h);
    let second = linear(g, "second", h, 9, true);
    let second = g.gelu(second);
    let h = g.add(h, second);
    let y = linear(g, "out", h, 3, true);
    let x = g.add(x, y);
    let x = g.add(x, update);
    let both = g.concat(&[x, h]);
    let both = norm(g, "norm_both", both);
    Case::of_rows("rows on lanes", graph, both, CLASSES)
}

/// Fewer tokens than lanes and more, several chunks of examples, columns that are alike and none.
#[test]
fn rows_on_lanes() {
    for (tokens, batch, alike) in [(5, 3, 2), (21, 2, 0), (2, 33, 3)] {
        model(tokens, alike).check_rows(batch);
    }
}

/// What looks at rows in another way stays with examples on lanes.
#[test]
fn other_models_keep_examples_on_lanes() {
    let mut g = Graph::new();
    let x = leaf(&mut g, "x", 3, 2);
    let case = Case::new("a sum over rows", g, x);
    assert_eq!(Lanes::of_one_learner::<f32>(&case.graph, case.output, case.loss), Lanes::Examples);
}

struct Transposed<'a, S>(&'a mut [S; MOST_LANES], &'a mut S);
impl<S: Simd> Kernel for Transposed<'_, S> {
    #[inline(always)]
    fn run(self) {
        *self.1 = S::horizontal_sums(&mut self.0.clone());
        S::transpose(self.0);
    }
}

struct Transpose;
impl<E: Number> Visitor<E> for Transpose {
    type Out = ();
    fn visit<S: Simd<Elem = E>>(self) {
        let n = S::LANES;
        let mut v = [S::zero(); MOST_LANES];
        S::numbers_mut(&mut v).iter_mut().enumerate().for_each(|(i, x)| *x = E::of(i as f64));
        let mut totals = S::zero();
        S::vectorize(Transposed(&mut v, &mut totals));
        for i in 0..n {
            let row: Vec<f64> = S::numbers(&v[i..=i]).iter().map(|x| x.f64()).collect();
            assert_eq!(row, (0..n).map(|j| (j * n + i) as f64).collect::<Vec<_>>());
            let total: usize = (0..n).map(|j| i * n + j).sum();
            assert_eq!(S::numbers(&[totals])[i].f64(), total as f64);
        }
    }
}

#[test]
fn vectors_transposed_and_added_up() {
    for isa in Isa::all_available() {
        f32::dispatch(isa, Transpose);
        f64::dispatch(isa, Transpose);
    }
}
