//! Classifiers for small tables: ten to a few thousand rows, words and numbers, some cells without a value.
//!
//! - [`Frame`]: rows as numbers, with what each column holds
//! - [`Question`]: what can be asked about a row and answered by yes or no; [`Trees`]: the Bayesian mean over small decision
//!   trees of such questions
//! - [`Logistic`], [`Bayes`], [`Nearest`], [`Forest`], [`Boosting`]: the usual classifiers
//! - [`Method`]: all of these with their settings; [`Classifier`]: one that has learned
//! - [`HeldOut`]: what all methods say of rows that they were not shown, and the weights that follow; [`Mixture`]: the methods
//!   by these weights; [`Calibration`]: its probabilities made right, by [`evidence()`] that there is something to learn
//!
//! Other crates have these classifiers too. They are written anew because each must give a probability for every class, take
//! words, numbers and missing values alike, and give the same bits for the same rows on every machine; and because the mean
//! over trees is in none of them.

mod bayes;
mod boosting;
mod calibration;
mod classifier;
mod evidence;
mod forest;
mod frame;
mod logistic;
mod method;
mod minimize;
mod mixture;
mod nearest;
mod question;
mod rules;
#[cfg(test)]
mod testing;
mod trees;

pub use bayes::Bayes;
pub use boosting::Boosting;
pub use calibration::{Calibration, log_loss};
pub use classifier::{Classifier, Random, entropy};
pub use evidence::evidence;
pub use forest::Forest;
pub use frame::{Frame, Kind};
pub use logistic::Logistic;
pub use method::Method;
pub use mixture::{HeldOut, Mixture, folds, held_out, weigh};
pub use nearest::Nearest;
pub use question::{Question, Shared};
pub use rules::{Asked, Believed, Rule, believed};
pub use trees::{Node, Trees};
