//! The rules change how a graph is computed, never what.

use super::*;
use strat_engine::graph::{Op, Rows};

#[test]
fn equal_operations_are_shared_and_unused_ones_dropped() {
    let mut g = Graph::new();
    let x = leaf(&mut g, "x", 2, 2);
    let (a, b) = (g.sigmoid(x), g.sigmoid(x));
    assert_eq!(a, b);
    let _unused = g.scale(x, 3.0);
    let before = g.entries().len();
    let (after, _) = simplify(&g, &[a]);
    assert_eq!(after.entries().len(), before - 1);
}

#[test]
fn products_with_zero_vanish() {
    let mut g = Graph::new();
    let x = leaf(&mut g, "x", 3, 2);
    let zero = g.zeros(3, 1);
    let w = g.param("w", 2, 3);
    let both = g.concat(&[x, zero]);
    let y = g.linear(both, w);
    let case = Case::new("zero columns", g, y);
    case.check_all();
    let (g, _) = simplify(&case.graph, &[case.output]);
    assert!(!names(&g).iter().any(|n| n == "Concat"), "{g}");
}

/// Without a memory of what was taken, each of these layers would double the time.
#[test]
fn a_readout_of_one_row_costs_one_row_in_every_layer() {
    let mut g = Graph::new();
    let (z, w) = (g.input("z", 3, 2), g.param("w", 2, 2));
    let mut x = g.linear(z, w);
    for _ in 0..60 {
        let y = g.gelu(x);
        x = g.add(x, y);
    }
    let first = g.take(x, Rows { start: 0, step: 1, count: 1 });
    let (g, _) = simplify(&g, &[first]);
    let rows: Vec<usize> = g.entries().iter().filter(|e| matches!(e.op, Op::Gelu { .. })).map(|e| e.rows).collect();
    assert_eq!(rows, [1; 60]);
}
