//! Many learners: rows of them, for as many seeds as wanted, in memory or in a run folder that can be left at any moment.
//!
//! - `plan`: what is to be learned ([`Plan`], [`RowPlan`])
//! - `run`: the runner of a plan
//! - `learn`: learners of one task, side by side
//! - `pace`: when to save

mod learn;
mod pace;
mod plan;
mod run;

pub use learn::Scores;
pub use plan::{Plan, Progress, RowPlan};
pub use run::{Interrupted, RunOptions};
