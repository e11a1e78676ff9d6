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
const FURTHEST: f32 = 2.0;

/// A power of e below this changes no sum of others that has a power of 0 in it.
const NOTHING: f32 = -20.0;

/// The cells of a column, row by row.
#[derive(Clone, Debug)]
enum Column {
    Words(Vec<f32>),
    /// In units of twice the deviation.
    Numbers(Vec<f32>),
    /// Numbers that are all the same.
    Same(Vec<f32>),
}

/// Rows and how their answers fade with distance.
#[derive(Clone, Debug)]
pub struct Nearest {
    /// One column after the other: all rows are compared with one at a time, several in a vector.
    columns: Vec<Column>,
    /// Of numbers, twice the deviation; of words, 1.
    scales: Vec<f64>,
    labels: Vec<usize>,
    shares: Vec<f64>,
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
        let scales: Vec<f64> = (0..frame.kinds.len()).map(scale).collect();
        let column = |column: usize| {
            let cells = |scale: f64| some.iter().map(|&i| (frame.rows[i][column] / scale) as f32).collect();
            match frame.kinds[column] {
                Kind::Words(_) => Column::Words(cells(1.0)),
                Kind::Numbers if scales[column] > 0.0 => Column::Numbers(cells(scales[column])),
                Kind::Numbers => Column::Same(cells(1.0)),
            }
        };
        let mut new = Nearest {
            columns: (0..frame.kinds.len()).map(column).collect(),
            labels: some.iter().map(|&i| frame.labels[i]).collect(),
            shares: frame.shares(),
            scales,
            width: 1.0,
        };
        let near = |i: usize| {
            let mut far = new.squares(&frame.rows[some[i]]);
            far.remove(i);
            far.sort_by(f32::total_cmp);
            far.get(NEIGHBOUR).or(far.last()).map_or(1.0, |x| f64::from(*x).sqrt())
        };
        let measured = some.len().div_ceil(MEASURED).max(1);
        let mut usual: Vec<f64> = (0..some.len()).step_by(measured).map(near).collect();
        usual.sort_by(f64::total_cmp);
        new.width = usual.get(usual.len() / 2).copied().unwrap_or(1.0).max(1e-6) * width;
        new
    }

    /// The squared distance of a row to each that is remembered.
    fn squares(&self, row: &[f64]) -> Vec<f32> {
        let mut sums = vec![0.0f32; self.labels.len()];
        for ((column, scale), x) in self.columns.iter().zip(&self.scales).zip(row) {
            match column {
                Column::Words(cells) | Column::Numbers(cells) | Column::Same(cells) if x.is_nan() => {
                    add(&mut sums, cells, there);
                }
                Column::Words(cells) => {
                    let x = *x as f32;
                    add(&mut sums, cells, |cell| if cell == x { 0.0 } else { 1.0 });
                }
                Column::Numbers(cells) => {
                    let x = (x / scale) as f32;
                    add(&mut sums, cells, |cell| {
                        let far = (cell - x).abs();
                        let far = if far < FURTHEST { far } else { FURTHEST };
                        if cell.is_nan() { 1.0 } else { far * far }
                    });
                }
                Column::Same(cells) => add(&mut sums, cells, |cell| 1.0 - there(cell)),
            }
        }
        sums
    }
}

/// Whether a cell has a value, as a number: so much further it is from one that has none.
fn there(cell: f32) -> f32 {
    if cell.is_nan() { 0.0 } else { 1.0 }
}

fn add(sums: &mut [f32], cells: &[f32], of: impl Fn(f32) -> f32) {
    sums.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += of(*cell));
}

impl Classifier for Nearest {
    fn probabilities(&self, row: &[f64]) -> Vec<f64> {
        let squares = self.squares(row);
        let nearest = squares.iter().copied().fold(f32::INFINITY, f32::min);
        let mut votes: Vec<f64> = self.shares.iter().map(|share| SHARES * share).collect();
        let width = 1.0 / (self.width * self.width) as f32;
        for (square, &class) in squares.iter().zip(&self.labels) {
            let power = (nearest - square) * width;
            if power > NOTHING {
                votes[class] += libm::exp(f64::from(power));
            }
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

    /// Distances by the formula, one cell at a time.
    #[test]
    fn distances_are_those_of_the_formula() {
        let kinds = vec![Kind::Numbers, Kind::Words(vec!["a".into(), "b".into()]), Kind::Numbers, Kind::Numbers];
        let cell = |i: usize, of: usize| if i.is_multiple_of(of) { f64::NAN } else { (i * 7 % 11) as f64 };
        let rows: Vec<Vec<f64>> =
            (0..50).map(|i| vec![cell(i, 6), [0., 1., f64::NAN][i % 3], cell(i, 99), 4.0]).collect();
        let frame = Frame { kinds, labels: (0..50).map(|i| i % 2).collect(), rows, classes: 2 };
        let nearest = Nearest::fit(&frame, 1.0);
        let one = |c: usize, a: f64, b: f64| {
            let scale = 2.0 * frame.spread(c).1;
            match (a.is_nan(), b.is_nan()) {
                (true, true) => 0.0,
                (true, false) | (false, true) => 1.0,
                _ if c == 1 => f64::from(u8::from(a != b)),
                _ if scale > 0.0 => ((a - b).abs() / scale).min(2.0).powi(2),
                _ => 0.0,
            }
        };
        for asked in frame.rows.iter().chain([&vec![1e9, f64::NAN, -3.0, f64::NAN]]) {
            for (other, square) in frame.rows.iter().zip(nearest.squares(asked)) {
                let slow: f64 = (0..4).map(|c| one(c, asked[c], other[c])).sum();
                assert!((slow - f64::from(square)).abs() < 1e-4, "{asked:?} {other:?}: {square} instead of {slow}");
            }
        }
    }
}
