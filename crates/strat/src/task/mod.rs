//! What is learned: generators, encodings, ground truth. Knows of models only what they read.
//!
//! [`Task`] is what a task of one's own implements. The paper's are sums and lists that are drawn without end
//! ([`SumTask`]), and the eleven data sets of its §7 ([`ALL`], [`by_name`]), each a [`DataTask`]. That also reads examples
//! from other files ([`DataTask::read`]) and from what someone types ([`DataTask::probe`]), and says a model's
//! [`Answer`] in words. An [`ArrayTask`] is a file of examples.

mod answer;
mod arrays;
mod batch;
mod dataset;
mod door;
mod example;
mod facts;
pub mod grocery;
mod life;
mod list;
mod of_data;
mod pick;
#[cfg(feature = "sat")]
mod sat;
pub mod signed_sum;
mod sudoku;
mod sums;
mod symmetry;
pub mod table;
mod tables;
mod tabular;
mod text;
mod tic_tac_toe;

pub use answer::{Answer, AnswerError};
pub use arrays::{ArrayFault, ArrayForm, ArrayTask, ArrayTaskError};
pub use batch::Batch;
pub use dataset::{DataTask, RowFault, TaskError};
pub use door::{Changes, Input, Inputs, Task};
pub use example::{Encoded, Example, Split, Target};
pub(crate) use example::{class, largest};
pub use grocery::Grocery;
pub use list::{ALL, Entry, by_name, entry};
pub use pick::{BASES, Pick, PickKind};
pub use signed_sum::{SignedSum, Sum};
pub use sums::{Examples, SumTask, Sums};
pub use symmetry::Symmetry;
pub(crate) use tabular::combinations;
pub use tabular::{Column, Tabular};
pub(crate) use text::BY_NUMBER;
pub use text::{Probe, ProbeError, ProbeFault, ReadError, ReadFault, TextForm};
