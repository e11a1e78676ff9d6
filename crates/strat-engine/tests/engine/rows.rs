//! Every step that rows on lanes can do, alone between a map of the input and the head, and with all that a linear map can
//! do on the way.

use super::tokens::{linear, norm};
use super::*;

/// Fewer tokens than lanes and more; several examples, so that a vector may hold rows of two.
const SIZES: [(usize, usize); 3] = [(1, 3), (5, 3), (21, 2)];

fn case(name: &str, build: impl Fn(&mut Graph, Node) -> Node) {
    case_of(name, &SIZES, 3, build);
}

fn case_of(name: &str, sizes: &[(usize, usize)], classes: usize, build: impl Fn(&mut Graph, Node) -> Node) {
    for &(tokens, batch) in sizes {
        let mut g = Graph::new();
        let x = g.input("x", tokens, 3);
        let x = linear(&mut g, "first", x, 6, true);
        let y = build(&mut g, x);
        let case = Case::of_rows(&format!("{name}, {tokens} tokens"), g, y, classes);
        case.check_rows(batch);
        case.check_that_wrong_rows_are_seen(batch);
    }
}

#[test]
fn norms() {
    case("norm", |g, x| g.layer_norm(x));
    for outs in [4, 9, 17] {
        case(&format!("norm of {outs} columns"), |g, x| {
            let x = linear(g, "wide", x, outs, true);
            norm(g, "norm", x)
        });
    }
}

#[test]
fn maps() {
    for (normed, bias) in [(false, false), (false, true), (true, false), (true, true)] {
        let map = |g: &mut Graph, x: Node, outs: usize| {
            let x = if normed { norm(g, "norm", x) } else { x };
            linear(g, "map", x, outs, bias)
        };
        let name = |what: &str| format!("{what}, norm {normed}, bias {bias}");
        case(&name("map"), |g, x| map(g, x, 5));
        case(&name("map and residual"), |g, x| {
            let y = map(g, x, 6);
            g.add(x, y)
        });
        case(&name("sigmoid"), |g, x| {
            let y = map(g, x, 9);
            g.sigmoid(y)
        });
        case(&name("gelu"), |g, x| {
            let y = map(g, x, 9);
            g.gelu(y)
        });
        case(&name("gelu times another"), |g, x| {
            let y = map(g, x, 6);
            let y = g.gelu(y);
            g.mul(x, y)
        });
    }
    // On both sides of a vector, and several of them.
    for outs in [1, 4, 8, 15, 16, 17, 33] {
        case(&format!("map to {outs}"), |g, x| linear(g, "map", x, outs, true));
    }
}

#[test]
fn attention() {
    for (heads, width) in [(1, 4), (2, 4), (3, 9), (2, 16)] {
        // One token sees itself alone, whatever its query and key.
        case_of(&format!("attention of {heads} heads, {width} wide"), &SIZES[1..], 3, |g, x| {
            let tokens = g.shape(x)[0];
            // Small enough that no route is nearly 0 or 1, where nothing would be seen.
            let (q, k) = (linear(g, "q", x, width, true), linear(g, "k", x, width, true));
            let v = linear(g, "v", x, 2 * heads, false);
            let routes = g.routes(q, k, heads, 0.3, Bias::none(tokens, tokens));
            g.mix(routes, v, heads)
        });
    }
}

#[test]
fn sums_products_and_columns() {
    case("add", |g, x| {
        let (a, b) = (g.layer_norm(x), linear(g, "b", x, 6, false));
        let b = g.sigmoid(b);
        g.add(a, b)
    });
    case("mul", |g, x| {
        let (a, b) = (g.layer_norm(x), linear(g, "b", x, 6, false));
        let b = g.sigmoid(b);
        g.mul(a, b)
    });
    case("concat", |g, x| {
        let y = linear(g, "y", x, 3, true);
        let y = g.gelu(y);
        let tokens = g.shape(x)[0];
        let given = g.input("given", tokens, 2);
        g.concat(&[x, y, given, y])
    });
}

#[test]
fn losses() {
    for classes in [2, 9, 17] {
        case_of(&format!("{classes} classes"), &SIZES, classes, |_, x| x);
    }
}
