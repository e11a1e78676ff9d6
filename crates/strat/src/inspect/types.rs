//! Learned types as geometry: one vector per kind of token.

use crate::engine::reference::Arrays;

/// The learned types of STRAT-Lite, kind by kind.
///
/// # Panics
/// If the model's types were fixed.
pub fn learned_types(weights: &Arrays, width: usize) -> Vec<Vec<f64>> {
    weights["embed"].chunks_exact(width).map(<[f64]>::to_vec).collect()
}

/// Distance from the origin.
fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Cosine of the angle between two vectors.
pub fn cosine(a: &[f64], b: &[f64]) -> f64 {
    dot(a, b) / (norm(a) * norm(b))
}

/// What attending to the type `a` does to the gate, as a multiple of what attending to `b` does;
/// negative if they push it to opposite sides. A type adds `W_gate V x_T` to the two gates'
/// arguments (eq. 4 and 5); the gate asked is the one that tells the two types further apart.
pub fn gate_ratio(weights: &Arrays, a: &[f64], b: &[f64]) -> f64 {
    let width = a.len();
    let fetched = |x: &[f64]| -> Vec<f64> {
        weights["type_value.weight"].chunks_exact(width).map(|row| dot(row, x)).collect()
    };
    let (a, b) = (fetched(a), fetched(b));
    let gates = weights["gate.weight"].chunks_exact(width).map(|row| (dot(row, &a), dot(row, &b)));
    let (a, b) = gates.max_by(|p, q| (p.0 - p.1).abs().total_cmp(&(q.0 - q.1).abs())).expect("there are two gates");
    a / b
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_angles() {
        assert_eq!(cosine(&[3.0, 4.0], &[-6.0, -8.0]), -1.0);
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 5.0]), 0.0);
    }

    #[test]
    fn the_gate_that_differs_more_is_asked() {
        let weights = |gate: &[f64]| -> Arrays {
            let value = vec![0.0, 1.0, 1.0, 0.0]; // swaps the two coordinates
            [("type_value.weight", value), ("gate.weight", gate.to_vec())].map(|(k, v)| (k.to_string(), v)).into()
        };
        let (a, b) = ([2.0, 1.0], [1.0, -3.0]);
        // Gate 0 sees the second coordinate, 1 and −3; gate 1 the first, 2 and 1.
        assert_eq!(gate_ratio(&weights(&[1.0, 0.0, 0.0, 1.0]), &a, &b), -1.0 / 3.0);
        assert_eq!(gate_ratio(&weights(&[0.125, 0.0, 0.0, 1.0]), &a, &b), 2.0);
    }
}
