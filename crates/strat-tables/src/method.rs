//! The classifiers with their settings, by name.

use crate::bayes::Bayes;
use crate::boosting::Boosting;
use crate::classifier::{Classifier, Random};
use crate::forest::Forest;
use crate::frame::Frame;
use crate::logistic::Logistic;
use crate::nearest::Nearest;
use crate::trees::Trees;
use serde::{Deserialize, Serialize};

/// Trees of a forest.
const TREES: u32 = 100;

/// A classifier with its settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// The classes' shares, whatever the row: the right answer where nothing can be learned.
    Shares,
    /// The mean over small trees, by the spread of a leaf's answers.
    Trees(f64),
    /// Logistic regression, by its penalty.
    Logistic(f64),
    /// Naive Bayes, by how much a column's evidence counts.
    Bayes(f64),
    /// Near rows, by how far they reach.
    Nearest(f64),
    /// Extremely randomized trees.
    ExtraTrees,
    /// A random forest.
    Forest,
    /// Gradient boosting.
    Boosting,
}

impl Method {
    /// All that a mixture has, each with its prior weight, chosen on draws 0, 1, 10 and 11 of the tables of `benchsuite/tables`.
    pub const ALL: [(Method, f64); 15] = [
        (Method::Shares, 2.0),
        (Method::Trees(0.1), 12.0),
        (Method::Trees(0.5), 6.0),
        (Method::Trees(2.0), 2.0),
        (Method::Logistic(0.01), 1.0),
        (Method::Logistic(0.1), 1.0),
        (Method::Logistic(1.0), 1.0),
        (Method::Logistic(5.0), 1.0),
        (Method::Bayes(0.5), 1.0),
        (Method::Bayes(1.0), 1.0),
        (Method::Nearest(0.5), 1.0),
        (Method::Nearest(1.0), 1.0),
        (Method::ExtraTrees, 2.0),
        (Method::Forest, 2.0),
        (Method::Boosting, 1.0),
    ];

    /// What kind of classifier it is, in words.
    pub fn title(self) -> &'static str {
        match self {
            Method::Shares => "shares of classes",
            Method::Trees(_) => "small trees",
            Method::Logistic(_) => "logistic regression",
            Method::Bayes(_) => "naive Bayes",
            Method::Nearest(_) => "nearest rows",
            Method::ExtraTrees => "extra trees",
            Method::Forest => "random forest",
            Method::Boosting => "boosting",
        }
    }

    /// Learns from rows.
    pub fn fit(self, frame: &Frame, random: Random<'_>) -> Box<dyn Classifier> {
        match self {
            Method::Shares => Box::new(Shares(frame.shares())),
            Method::Trees(spread) => Box::new(Trees::fit(frame, spread)),
            Method::Logistic(penalty) => Box::new(Logistic::fit(frame, penalty)),
            Method::Bayes(temper) => Box::new(Bayes::fit(frame, temper)),
            Method::Nearest(width) => Box::new(Nearest::fit(frame, width)),
            Method::ExtraTrees => Box::new(Forest::extra(frame, TREES, random)),
            Method::Forest => Box::new(Forest::bootstrap(frame, TREES, random)),
            Method::Boosting => Box::new(Boosting::fit(frame)),
        }
    }
}

struct Shares(Vec<f64>);

impl Classifier for Shares {
    fn probabilities(&self, _: &[f64]) -> Vec<f64> {
        self.0.clone()
    }
}
