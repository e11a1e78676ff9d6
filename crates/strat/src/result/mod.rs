//! Results as plain data: a learner with its scores, rows of them, and the table that they make.
//!
//! - `learner`: one learner ([`LearnerResult`]); `row`: what the learners of a row are ([`Row`], [`TaskSetup`]), and they themselves
//!   ([`LearnerRow`])
//! - `cell`: a number with its [`Metric`](crate::metric::Metric) and its interval ([`Cell`]); [`Verdict`]: how it compares with
//!   a [`Printed`] one
//! - `summary`: what all of them show ([`Summary`])

mod cell;
mod learner;
mod printed;
mod row;
mod summary;
mod verdict;

pub use cell::{Cell, thousands};
pub use learner::LearnerResult;
pub use printed::{Printed, PrintedMean};
pub use row::{DataRecord, LearnerRow, OwnTask, Row, TaskRecord, TaskSetup};
pub use summary::{Check, Outcome, Summarize, Summary};
pub use verdict::Verdict;
