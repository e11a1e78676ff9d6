//! What is learned: generators, encodings, ground truth. Knows of models only what they read.
//!
//! [`Task`] is what a task of one's own implements. The paper's are sums and lists that are drawn without end
//! ([`SumTask`]), and the eleven data sets of its §7 ([`Entry::ALL`], [`by_name`]), each a [`DataTask`]. That also reads examples
//! from other files ([`DataTask::read`]) and from what someone types ([`TextForm::parse`]), and says a model's
//! [`Answer`] in words. An [`ArrayTask`] is a file of examples.

mod answer;
mod arrays;
mod batch;
mod dataset;
mod door;
pub(crate) mod example;
mod facts;
pub(crate) mod grocery;
mod life;
mod list;
mod of_data;
mod pick;
mod rule;
#[cfg(feature = "sat")]
mod sat;
pub(crate) mod signed_sum;
mod sudoku;
mod sums;
pub(crate) mod symmetry;
pub mod table;
mod tables;
pub(crate) mod tabular;
mod text;
mod tic_tac_toe;

pub use answer::{Answer, AnswerError};
pub use arrays::{ArrayForm, ArrayTask, ArrayTaskError};
pub use batch::Batch;
pub use dataset::{DataTask, TaskError};
pub use door::{Changes, Input, Inputs, Task};
pub use example::{Example, Split, Target};
pub(crate) use example::{class, largest};
pub use grocery::{Category, Grocery, Item};
pub use list::{Entry, by_name};
pub use pick::Pick;
pub use rule::Rule;
pub use signed_sum::{SetError, SignedSum, Sum, SumError, TeachingSet};
pub use sums::{Examples, SumTask, Sums};
pub(crate) use tabular::combinations;
pub(crate) use text::BY_NUMBER;
pub use text::{Probe, ProbeError, ReadError, TextForm};
