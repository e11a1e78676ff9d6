//! Arrays as callers see them, and as the engine keeps them.

use super::{Array, TraceError};
use crate::engine::graph::Op;
use crate::engine::{Graph, Node};

/// How the engine keeps a node.
pub(super) enum Layout {
    /// `[rows, columns]`, as it is shown.
    Matrix([usize; 2]),
    /// Routes by head, `[queries, heads · keys]`, shown as `[heads, queries, keys]`.
    Heads { heads: usize, queries: usize, keys: usize },
    /// Routes of one head, `[tokens, window]`, in which the last column is the token itself, the
    /// one before it its neighbour, and so on; shown as `[1, queries, keys]`.
    Window { tokens: usize, window: usize },
}

impl Layout {
    pub fn of(graph: &Graph, node: Node) -> Layout {
        let [rows, cols] = graph.shape(node);
        match &graph.entries()[node.index()].op {
            Op::Softmax { x, .. } if is_windowed(graph, *x) => Layout::Window { tokens: rows, window: cols },
            Op::Softmax { heads, .. } => Layout::Heads { heads: *heads, queries: rows, keys: cols / heads },
            _ => Layout::Matrix([rows, cols]),
        }
    }

    fn shape(&self) -> Vec<usize> {
        match *self {
            Layout::Matrix(shape) => shape.to_vec(),
            Layout::Heads { heads, queries, keys } => vec![heads, queries, keys],
            Layout::Window { tokens, .. } => vec![1, tokens, tokens],
        }
    }

    /// How many numbers the engine keeps.
    fn kept(&self) -> usize {
        match *self {
            Layout::Window { tokens, window } => tokens * window,
            _ => self.shape().iter().product(),
        }
    }

    /// Where the engine keeps each number of the array; none where it cannot be but zero.
    fn places(&self) -> Vec<Option<usize>> {
        let count = self.shape().iter().product();
        let place = |i: usize| match *self {
            Layout::Matrix(_) => Some(i),
            Layout::Heads { heads, queries, keys } => {
                let (head, query, key) = (i / keys / queries, i / keys % queries, i % keys);
                Some((query * heads + head) * keys + key)
            }
            Layout::Window { tokens, window } => {
                let (query, key) = (i / tokens, i % tokens);
                let back = query.checked_sub(key).filter(|back| *back < window)?;
                Some(query * window + window - 1 - back)
            }
        };
        (0..count).map(place).collect()
    }

    /// As shown.
    pub fn read(&self, kept: &[f64]) -> Array {
        let values = self.places().into_iter().map(|p| p.map_or(0.0, |p| kept[p])).collect();
        Array { shape: self.shape(), values }
    }

    /// As kept.
    pub fn write(&self, name: &str, shown: &[f64]) -> Result<Vec<f64>, TraceError> {
        let places = self.places();
        if shown.len() != places.len() {
            let (name, shape, found) = (name.into(), self.shape(), shown.len());
            return Err(TraceError::Size { name, shape, found });
        }
        let mut kept = vec![0.0; self.kept()];
        for (i, (place, &x)) in places.into_iter().zip(shown).enumerate() {
            match place {
                Some(place) => kept[place] = x,
                None if x == 0.0 => {}
                None => return Err(TraceError::Unseen { name: name.into(), at: i, value: x }),
            }
        }
        Ok(kept)
    }
}

/// Do scores belong to a window that ends at each token?
fn is_windowed(graph: &Graph, scores: Node) -> bool {
    match &graph.entries()[scores.index()].op {
        Op::Scale { x, .. } => is_windowed(graph, *x),
        Op::WindowScores { .. } => true,
        _ => false,
    }
}
