//! What else one would use on a small table: a decision tree, logistic regression, the nearest row.

use crate::task::Example;
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::linear::logistic_regression::{LogisticRegression, LogisticRegressionParameters};
use smartcore::metrics::distance::hamming::Hamming;
use smartcore::neighbors::knn_classifier::{KNNClassifier, KNNClassifierParameters};
use smartcore::tree::decision_tree_classifier::{DecisionTreeClassifier, DecisionTreeClassifierParameters};

/// An ordinary classifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Competitor {
    /// A decision tree.
    Tree,
    /// Logistic regression.
    Logistic,
    /// The answer of the row with the fewest differences.
    Nearest,
}

impl Competitor {
    /// All of them.
    pub const ALL: [Competitor; 3] = [Competitor::Tree, Competitor::Logistic, Competitor::Nearest];

    /// In words.
    pub fn title(self) -> &'static str {
        match self {
            Competitor::Tree => "decision tree",
            Competitor::Logistic => "logistic regression",
            Competitor::Nearest => "nearest row",
        }
    }

    /// Learns from some examples and answers others; none if it cannot learn from them.
    pub fn answers(self, taught: &[(Vec<u8>, u8)], asked: &[Example], values: &[usize]) -> Option<Vec<u8>> {
        let classes: Vec<u32> = taught.iter().map(|t| u32::from(t.1)).collect();
        let hot = |rows: &mut dyn Iterator<Item = &[u8]>| -> Option<DenseMatrix<f64>> {
            let one = |row: &[u8]| -> Vec<f64> {
                let column =
                    |(&v, &n): (&u8, &usize)| (0..n).map(move |k| f64::from(u8::from(k == usize::from(v))));
                row.iter().zip(values).flat_map(column).collect()
            };
            DenseMatrix::from_2d_vec(&rows.map(one).collect::<Vec<_>>()).ok()
        };
        let numbers: Vec<u32> = match self {
            Competitor::Tree | Competitor::Logistic => {
                let x = hot(&mut taught.iter().map(|t| &t.0[..]))?;
                let asked = hot(&mut asked.iter().map(|e| &e.input[..]))?;
                match self {
                    Competitor::Tree => {
                        let parameters = DecisionTreeClassifierParameters { seed: Some(1), ..Default::default() };
                        DecisionTreeClassifier::fit(&x, &classes, parameters).ok()?.predict(&asked).ok()?
                    }
                    _ => {
                        let parameters = LogisticRegressionParameters::default().with_alpha(1.0);
                        LogisticRegression::fit(&x, &classes, parameters).ok()?.predict(&asked).ok()?
                    }
                }
            }
            Competitor::Nearest => {
                let rows = |rows: Vec<Vec<u8>>| DenseMatrix::from_2d_vec(&rows).ok();
                let x = rows(taught.iter().map(|t| t.0.clone()).collect())?;
                let asked = rows(asked.iter().map(|e| e.input.clone()).collect())?;
                let parameters = KNNClassifierParameters::default().with_k(1).with_distance(Hamming::new());
                KNNClassifier::fit(&x, &classes, parameters).ok()?.predict(&asked).ok()?
            }
        };
        Some(numbers.into_iter().map(|n| n as u8).collect())
    }
}
