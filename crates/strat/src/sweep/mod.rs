//! Many learners: rows of them, for as many seeds as wanted, in memory or in a run folder that can be left at any moment.
//!
//! - `plan`: what is to be learned ([`Plan`], [`RowPlan`])
//! - `run`: the runner of a plan
//! - [`task`]: learners of one task, side by side

mod plan;
mod run;
pub mod task;

pub use plan::{Learn, Plan, Progress, RowPlan, own_summary};
pub use run::{Interrupted, RunOptions, TrainContext};
