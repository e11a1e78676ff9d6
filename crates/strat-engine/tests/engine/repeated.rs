//! Steps that read one matrix more than once, with rows on lanes: what is passed on to each of the operands must all
//! arrive at its gradient.

use super::tokens::{linear, norm};
use super::*;

/// More tokens than a vector of `f64` has lanes, fewer than one of `f32` on the widest.
const TOKENS: usize = 5;
const COLS: usize = 4;

/// Something learned that differs by example, so that it has a gradient.
fn learned(g: &mut Graph, name: &str) -> Node {
    let x = g.input(&format!("{name}.in"), TOKENS, 3);
    linear(g, name, x, COLS, true)
}

/// The shape on its own; with `x` read by others before and after, so that something is in its gradient already; and
/// twice over, so that what it makes is read again. In one chunk of examples and in several.
fn case(name: &str, shape: impl Fn(&mut Graph, &str, Node) -> Node) {
    let mut g = Graph::new();
    let x = learned(&mut g, "x");
    let y = shape(&mut g, "a", x);
    Case::of_rows(name, g, y, 3).check_rows(BATCH);

    let mut g = Graph::new();
    let x = learned(&mut g, "x");
    let before = linear(&mut g, "before", x, 2, false);
    let y = shape(&mut g, "a", x);
    let after = linear(&mut g, "after", x, 2, false);
    let all = g.concat(&[before, y, after]);
    Case::of_rows(&format!("{name}, with other readers"), g, all, 3).check_rows(18);

    let mut g = Graph::new();
    let x = learned(&mut g, "x");
    let y = shape(&mut g, "a", x);
    let y = linear(&mut g, "between", y, COLS, false);
    let y = shape(&mut g, "b", y);
    Case::of_rows(&format!("{name}, twice"), g, y, 3).check_rows(BATCH);
}

fn attend(g: &mut Graph, q: Node, k: Node, v: Node) -> Node {
    let routes = g.routes(q, k, 2, 0.7, Bias::none(TOKENS, TOKENS));
    g.mix(routes, v, 2)
}

#[test]
fn a_residual_of_a_map() {
    case("x + Wx", |g, name, x| {
        let y = linear(g, name, x, COLS, true);
        g.add(x, y)
    });
}

#[test]
fn a_residual_of_a_normed_map() {
    case("n + Wn", |g, name, x| {
        let n = g.layer_norm(x);
        let y = linear(g, name, n, COLS, false);
        g.add(n, y)
    });
}

#[test]
fn a_residual_of_a_map_with_scale_and_shift() {
    case("n + W(γ ⊙ n + β)", |g, name, x| {
        let n = g.layer_norm(x);
        let scaled = norm(g, name, x);
        let y = linear(g, name, scaled, COLS, true);
        g.add(y, n)
    });
}

#[test]
fn a_gate_of_its_own_map() {
    case("x ⊙ gelu(Wx)", |g, name, x| {
        let y = linear(g, name, x, COLS, true);
        let y = g.gelu(y);
        g.mul(x, y)
    });
}

#[test]
fn a_sum_with_itself() {
    case("x + x", |g, _, x| g.add(x, x));
}

#[test]
fn a_product_with_itself() {
    case("x ⊙ x", |g, _, x| g.mul(x, x));
}

#[test]
fn attention_of_one_matrix() {
    case("attend(x, x, x)", |g, _, x| attend(g, x, x, x));
}

#[test]
fn attention_whose_queries_are_keys() {
    case("attend(x, x, v)", |g, name, x| {
        let v = linear(g, name, x, 6, false);
        attend(g, x, x, v)
    });
}

#[test]
fn attention_whose_keys_are_values() {
    case("attend(q, x, x)", |g, name, x| {
        let q = linear(g, name, x, COLS, false);
        attend(g, q, x, x)
    });
}

#[test]
fn attention_whose_queries_are_values() {
    case("attend(x, k, x)", |g, name, x| {
        let k = linear(g, name, x, COLS, false);
        attend(g, x, k, x)
    });
}

#[test]
fn columns_of_one_matrix_twice() {
    case("concat(x, x)", |g, _, x| {
        let both = g.concat(&[x, x]);
        g.layer_norm(both)
    });
}

#[test]
fn columns_of_one_matrix_around_another() {
    case("concat(x, n, x, x)", |g, _, x| {
        let n = g.layer_norm(x);
        let all = g.concat(&[x, n, x, x]);
        g.layer_norm(all)
    });
}

#[test]
fn attention_of_what_is_given() {
    for which in 0..3 {
        case("attention with an operand of the batch", |g, name, x| {
            let given = g.input(&format!("{name}.given"), TOKENS, COLS);
            let mut operands = [x; 3];
            operands[which] = given;
            let [q, k, v] = operands;
            attend(g, q, k, v)
        });
    }
}

/// The answer is made from what the loss reads, and the loss does not depend on it.
#[test]
fn an_answer_that_the_loss_does_not_read() {
    let mut g = Graph::new();
    let x = learned(&mut g, "x");
    let y = linear(&mut g, "y", x, COLS, true);
    let mut case = Case::of_rows("an answer beside the loss", g, y, 3);
    let seen = linear(&mut case.graph, "seen", y, 2, true);
    case.output = case.graph.sigmoid(seen);
    case.check_rows(BATCH);
    case.output = case.graph.input("given", TOKENS, 2);
    case.check_rows(18);
}

/// Routes that share out one among all heads are not those of an attention by head.
#[test]
fn routes_normed_over_all_heads() {
    let mut g = Graph::new();
    let [q, k, v] = ["q", "k", "v"].map(|name| learned(&mut g, name));
    let scores = g.scores(q, k, 2);
    let routes = g.softmax(scores, 1, Bias::none(TOKENS, 2 * TOKENS));
    let y = g.mix(routes, v, 2);
    let case = Case::of_rows("routes over all heads", g, y, 3);
    assert_eq!(Lanes::of_one_learner::<f32>(&case.graph, case.output, case.loss), Lanes::Examples);
    case.check_all();
}

/// One row of weights as scale, shift and bias: each gradient would be written in three places at once.
#[test]
fn weights_that_a_map_has_twice() {
    for which in 0..3 {
        let mut g = Graph::new();
        let x = learned(&mut g, "x");
        let [a, b] = ["a", "b"].map(|name| g.param(name, 1, COLS));
        let [scale, shift, bias] = [[a, a, b], [a, b, a], [b, a, a]][which];
        let y = g.mul(x, scale);
        let y = g.add(y, shift);
        let w = g.param("w", COLS, COLS);
        let y = g.linear(y, w);
        let y = g.add(y, bias);
        let case = Case::of_rows("weights twice", g, y, 3);
        assert_eq!(Lanes::of_one_learner::<f32>(&case.graph, case.output, case.loss), Lanes::Examples);
        case.check_all();
    }
}
