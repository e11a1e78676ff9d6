//! Principal components of a handful of points.

use nalgebra::{DMatrix, SVD};

/// Rounds after which the singular values are given up: a few for each of a handful of points are enough.
const MOST_ROUNDS: usize = 10_000;

/// The directions in which points differ most.
#[derive(Clone, Debug, PartialEq)]
pub struct Pca {
    /// Share of the variance along each direction, largest first.
    pub explained: Vec<f64>,
    /// Each point on the first two directions, measured from the origin of the space and not
    /// from the points' mean, so that `v` and `−v` lie opposite each other.
    pub points: Vec<[f64; 2]>,
}

impl Pca {
    /// Of at least two points of at least two coordinates each. The signs of the directions,
    /// which are free, are such that the last point is not to the right of the mean and the
    /// first not below it. Of points that are not all finite, as in a learner that has diverged, all numbers are NaN.
    ///
    /// # Panics
    /// If there are fewer, or the points are not all of the same length.
    pub fn of(points: &[Vec<f64>]) -> Pca {
        let (n, dims) = (points.len(), points[0].len());
        assert!(n > 1 && dims > 1, "two directions of {n} points of {dims} coordinates");
        let x = DMatrix::from_row_iterator(n, dims, points.iter().flatten().copied());
        let mean = x.row_mean();
        let centred = DMatrix::from_fn(n, dims, |i, j| x[(i, j)] - mean[j]);
        let none = || Pca { explained: vec![f64::NAN; n.min(dims)], points: vec![[f64::NAN; 2]; n] };
        // Of numbers that are none the search for them has no end.
        if centred.iter().any(|x| !x.is_finite()) {
            return none();
        }
        let Some(svd) = SVD::try_new(centred.clone(), false, true, f64::EPSILON * 5.0, MOST_ROUNDS) else {
            return none();
        };
        let directions = svd.v_t.expect("asked for");
        let total: f64 = svd.singular_values.iter().map(|s| s * s).sum();
        if !total.is_finite() {
            return none();
        }
        // Points that are all alike differ in no direction.
        let share = |s: &f64| if total > 0.0 { s * s / total } else { 0.0 };
        let along = |d: usize| {
            let wrong = |x: f64| if d == 0 { x > 0.0 } else { x < 0.0 };
            let landmark = if d == 0 { n - 1 } else { 0 };
            let direction = directions.row(d);
            let sign = if wrong(centred.row(landmark).dot(&direction)) { -1.0 } else { 1.0 };
            (0..n).map(|i| sign * x.row(i).dot(&direction)).collect::<Vec<f64>>()
        };
        let (first, second) = (along(0), along(1));
        Pca {
            explained: svd.singular_values.iter().map(share).collect(),
            points: first.into_iter().zip(second).map(|(a, b)| [a, b]).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    }

    /// Four points at ±3 along one diagonal of a plane in space and ±1 along the other,
    /// away from the origin.
    #[test]
    fn a_known_cross() {
        let h = 0.5f64.sqrt();
        let (u, v, centre) = ([h, h, 0.0], [h, -h, 0.0], [2.0, 0.0, 7.0]);
        let at = |a: f64, b: f64| (0..3).map(|i| centre[i] + a * u[i] + b * v[i]).collect::<Vec<f64>>();
        let pca = Pca::of(&[at(0.0, 1.0), at(0.0, -1.0), at(3.0, 0.0), at(-3.0, 0.0)]);
        // Variances 18 : 2 : 0.
        [0.9, 0.1, 0.0].into_iter().zip(&pca.explained).for_each(|(want, got)| close(want, *got));
        // The centre is at 2h on either diagonal; the last point is to its left, the first above.
        let want = [[0.0, 1.0], [0.0, -1.0], [3.0, 0.0], [-3.0, 0.0]].map(|[a, b]| [2.0 * h + a, 2.0 * h + b]);
        for (want, got) in want.iter().zip(&pca.points) {
            close(want[0], got[0]);
            close(want[1], got[1]);
        }
    }

    #[test]
    fn of_points_that_are_none_nothing_is_known() {
        for bad in [f64::NAN, f64::INFINITY, f64::MAX] {
            let pca = Pca::of(&[vec![bad, 1.0, 0.0], vec![-bad, 2.0, 0.5]]);
            assert!(pca.explained.len() == 2 && pca.points.len() == 2);
            assert!(pca.explained.iter().chain(pca.points.iter().flatten()).all(|x| x.is_nan()), "{pca:?}");
        }
    }

    #[test]
    fn equal_points_differ_in_no_direction() {
        let pca = Pca::of(&[vec![1.0, 2.0], vec![1.0, 2.0]]);
        assert_eq!(pca.explained, [0.0, 0.0]);
    }
}
