//! What was learned from a table of one's own, as a page: the rule, a form with its answer, what matters, what to ask next,
//! and who answers.
//!
//! [`data`]: all that a page shows, as data, which `strat fit --out` keeps in the run's folder; [`mod@page`]: the page.

pub mod data;
pub mod page;

pub use data::{FitData, FitDataError, KEPT, kept};
pub use page::page;
