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

    /// The classes' shares: the mean of equal ones and of those that the rows show, one more of each class counted, by how
    /// likely each makes the rows. So a few rows more of one class, as chance would have it, say little.
    pub(crate) fn shares(&self) -> Vec<f64> {
        let k = self.classes as f64;
        let mut counts = vec![0usize; self.classes];
        self.labels.iter().for_each(|&class| counts[class] += 1);
        let rows = self.labels.len() as f64;
        let log_factorial = |n: usize| libm::lgamma(n as f64 + 1.0);
        let equal = -rows * libm::log(k);
        let shown =
            libm::lgamma(k) + counts.iter().map(|&n| log_factorial(n)).sum::<f64>() - libm::lgamma(rows + k);
        let weight = 1.0 / (1.0 + libm::exp((equal - shown).clamp(-700.0, 700.0)));
        let share = |&n: &usize| weight * (n as f64 + 1.0) / (rows + k) + (1.0 - weight) / k;
        counts.iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(counts: &[usize]) -> Vec<f64> {
        let labels: Vec<usize> = counts.iter().enumerate().flat_map(|(class, &n)| vec![class; n]).collect();
        let rows = vec![vec![]; labels.len()];
        Frame { kinds: vec![], rows, labels, classes: counts.len() }.shares()
    }

    #[test]
    fn shares_follow_the_rows_when_these_are_no_chance() {
        assert_eq!(shares(&[5, 5]), [0.5, 0.5]);
        // A coin shows as much: nearly equal. Eighteen of twenty it does not.
        assert!((0.5..0.54).contains(&shares(&[11, 9])[0]), "{:?}", shares(&[11, 9]));
        assert!((0.84..0.87).contains(&shares(&[18, 2])[0]), "{:?}", shares(&[18, 2]));
        let many = shares(&[60_000, 20_000, 20_000]);
        assert!((many[0] - 0.6).abs() < 1e-3 && (many.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{many:?}");
    }
}
