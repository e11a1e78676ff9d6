//! Points and their distances.

/// Distance from the origin.
pub fn norm(a: &[f64]) -> f64 {
    a.iter().map(|a| a * a).sum::<f64>().sqrt()
}

/// Distance of two points.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// The mean of some points.
pub fn centroid(points: &[Vec<f64>]) -> Vec<f64> {
    (0..points[0].len()).map(|d| points.iter().map(|p| p[d]).sum::<f64>() / points.len() as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_distances_and_means() {
        assert_eq!((norm(&[3.0, 4.0]), distance(&[1.0, 1.0], &[4.0, 5.0])), (5.0, 5.0));
        assert_eq!(centroid(&[vec![0.0, 2.0], vec![4.0, 4.0]]), [2.0, 3.0]);
    }
}
