//! Rows of a table as numbers.

/// What a column holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of these words; a cell is the word's position.
    Words(Vec<String>),
    /// Numbers, which have an order.
    Numbers,
}

/// Rows to learn from. A cell without a value, or with a word that no row had, is NaN.
#[derive(Clone, Debug)]
pub struct Frame {
    /// What the columns hold.
    pub kinds: Vec<Kind>,
    /// A number for each column of each row.
    pub rows: Vec<Vec<f64>>,
    /// The class of each row.
    pub labels: Vec<usize>,
    /// How many classes there are.
    pub classes: usize,
}

/// Whole numbers with no more different values than these are also asked about one by one.
const FEW: usize = 10;

impl Frame {
    /// Some of its rows.
    pub fn select(&self, rows: &[usize]) -> Frame {
        Frame {
            kinds: self.kinds.clone(),
            rows: rows.iter().map(|&i| self.rows[i].clone()).collect(),
            labels: rows.iter().map(|&i| self.labels[i]).collect(),
            classes: self.classes,
        }
    }

    /// The values of a column that are there, in the order of rows.
    pub(crate) fn present(&self, column: usize) -> impl Iterator<Item = f64> + '_ {
        self.rows.iter().map(move |row| row[column]).filter(|x| !x.is_nan())
    }

    /// Whether some row has no value in a column.
    pub(crate) fn has_gaps(&self, column: usize) -> bool {
        self.rows.iter().any(|row| row[column].is_nan())
    }

    /// The different values of a column, in order.
    pub fn distinct(&self, column: usize) -> Vec<f64> {
        let mut values: Vec<f64> = self.present(column).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    }

    /// Whether a column is asked about value by value: words, and whole numbers with few values, which may be codes.
    pub(crate) fn has_few(&self, column: usize, distinct: &[f64]) -> bool {
        match self.kinds[column] {
            Kind::Words(_) => true,
            Kind::Numbers => distinct.len() <= FEW && distinct.iter().all(|x| x.fract() == 0.0),
        }
    }

    /// Mean and standard deviation of a column's numbers; 0 and 0 of none.
    pub(crate) fn spread(&self, column: usize) -> (f64, f64) {
        let n = self.present(column).count().max(1) as f64;
        let mean = self.present(column).sum::<f64>() / n;
        let variance = self.present(column).map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        (mean, variance.sqrt())
    }

    /// The classes' shares, as if there were one row more of each.
    pub(crate) fn shares(&self) -> Vec<f64> {
        let mut counts = vec![1.0; self.classes];
        self.labels.iter().for_each(|&class| counts[class] += 1.0);
        let all: f64 = counts.iter().sum();
        counts.into_iter().map(|count| count / all).collect()
    }
}
