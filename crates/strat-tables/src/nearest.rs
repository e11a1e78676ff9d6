//! Rows answer by how near they are.

use crate::classifier::Classifier;
use crate::frame::{Frame, Kind};

/// Rows that answer; of more rows, evenly spaced ones.
const MOST: usize = 2000;
/// Rows whose neighbours tell how far a near row is.
const MEASURED: usize = 200;
/// Which of the near rows tells it.
const NEIGHBOUR: usize = 2;
/// Rows that the classes' shares count for.
const SHARES: f64 = 0.3;
/// Two numbers differ by at most this many times two deviations.
const FURTHEST: f64 = 2.0;

/// Rows and how their answers fade with distance.
#[derive(Clone, Debug)]
pub struct Nearest {
    frame: Frame,
    shares: Vec<f64>,
    /// Of numbers, twice the deviation; of words, 1.
    scales: Vec<f64>,
    width: f64,
}

impl Nearest {
    /// Remembers rows. Their answers fade over `width` times the distance at which neighbours usually are.
    pub fn fit(frame: &Frame, width: f64) -> Nearest {
        let step = frame.rows.len().div_ceil(MOST).max(1);
        let some: Vec<usize> = (0..frame.rows.len()).step_by(step).collect();
        let scale = |column: usize| match frame.kinds[column] {
            Kind::Words(_) => 1.0,
            Kind::Numbers => 2.0 * frame.spread(column).1,
        };
        let scales = (0..frame.kinds.len()).map(scale).collect();
        let mut new = Nearest { frame: frame.select(&some), shares: frame.shares(), scales, width: 1.0 };
        let rows = &new.frame.rows;
        let near = |i: usize| {
            let others = (0..rows.len()).filter(|&j| j != i);
            let mut far: Vec<f64> = others.map(|j| new.distance(&rows[i], &rows[j])).collect();
            far.sort_by(f64::total_cmp);
            far.get(NEIGHBOUR).or(far.last()).copied().unwrap_or(1.0)
        };
        let mut usual: Vec<f64> = (0..rows.len()).step_by(rows.len().div_ceil(MEASURED).max(1)).map(near).collect();
        usual.sort_by(f64::total_cmp);
        new.width = usual.get(usual.len() / 2).copied().unwrap_or(1.0).max(1e-6) * width;
        new
    }

    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let one = |column: usize| match (a[column].is_nan(), b[column].is_nan(), &self.frame.kinds[column]) {
            (true, true, _) => 0.0,
            (true, false, _) | (false, true, _) => 1.0,
            (_, _, Kind::Words(_)) => f64::from(u8::from(a[column] != b[column])),
            (_, _, Kind::Numbers) if self.scales[column] > 0.0 => {
                let x = ((a[column] - b[column]).abs() / self.scales[column]).min(FURTHEST);
                x * x
            }
            _ => 0.0,
        };
        (0..a.len()).map(one).sum::<f64>().sqrt()
    }
}

impl Classifier for Nearest {
    fn probabilities(&self, row: &[f64]) -> Vec<f64> {
        let far: Vec<f64> = self.frame.rows.iter().map(|other| self.distance(row, other)).collect();
        let nearest = far.iter().copied().fold(f64::INFINITY, f64::min);
        let mut votes: Vec<f64> = self.shares.iter().map(|share| SHARES * share).collect();
        for (far, &class) in far.iter().zip(&self.frame.labels) {
            votes[class] += libm::exp(-(far * far - nearest * nearest) / (self.width * self.width));
        }
        let all: f64 = votes.iter().sum();
        votes.into_iter().map(|vote| vote / all).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_near_row_decides() {
        let kinds = vec![Kind::Numbers, Kind::Words(vec!["a".into(), "b".into()])];
        let rows = vec![vec![0., 0.], vec![1., 0.], vec![9., 1.], vec![10., 1.]];
        let frame = Frame { kinds, rows, labels: vec![0, 0, 1, 1], classes: 2 };
        let nearest = Nearest::fit(&frame, 0.5);
        assert!(nearest.probabilities(&[0.5, 0.0])[0] > 0.8);
        assert!(nearest.probabilities(&[9.5, f64::NAN])[1] > 0.8);
        let p = nearest.probabilities(&[f64::NAN, f64::NAN]);
        assert!((p[0] - 0.5).abs() < 1e-9, "as far from all: {p:?}");
    }
}
