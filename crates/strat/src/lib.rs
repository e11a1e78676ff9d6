//! STRAT (Stratified Registers and Types): a neural architecture that keeps *Data*
//! (values) and *Type* (control) in separate streams, so that attention and gates are
//! decided by Type alone and logic can be learned from ten examples.
//!
//! The modules, in the order in which data flows and a newcomer should read:
//!
//! 1. [`engine`], a crate of its own: small graphs with derived gradients, thousands of learners
//!    at once. Knows numbers only; all `unsafe` code is there.
//! 2. [`model`]: the paper's architectures, one file each, forward only; [`model::Model`] is the door for others.
//! 3. [`data`]: public data sets, their homes, checksums and parsers; [`task`]: what is learned:
//!    generators, encodings, ground truth; [`task::Task`] is the door for others.
//! 4. [`train`]: (task, model, configuration, seed) → learner, and how good it is; [`seeds`]: which seeds; [`export`]: a
//!    learner for PyTorch.
//! 5. [`inspect`]: what learners have learned, read from their weights; [`crystal`]: trained learners turned into exact
//!    programs; [`certify`]: learners asked for every input there is. [`baseline`]: how far shortcuts get on a task.
//! 6. [`result`]: what came out, as plain data, with intervals ([`stats`]) and what it measures ([`metric`]); [`record`]: runs on disk, resumed and merged;
//!    [`sweep`]: rows of learners, trained in memory or in such a run; [`trace`]: what a learner computes on the way to an
//!    answer, and activation patching; [`fit`]: a table of one's own.
//! 7. [`rng`]: the one door to randomness. [`Error`]: whatever can go wrong, for `?`.
//!
//! The paper's tables, experiments, figures and reports are in the crate `strat-paper`.
//!
//! Features: `archives` reads compressed files, `fetch` downloads the public
//! data sets, `sat` has the tasks on formulas and the solver that certifies them.
//!
//! ```
//! use std::sync::Arc;
//! use strat::engine::Isa;
//! use strat::model::Lite;
//! use strat::task::{Split, SumTask, Task};
//! use strat::train::Population;
//!
//! let task = SumTask::LOCKING;
//! let train = task.paper().expect("the paper trains on it").train;
//! let population = Population::new(Arc::new(task), Arc::new(Lite::STANDARD), train, Isa::detect()?)?;
//! let learners = population.train(&[1, 2, 3, 4], &|_| {})?; // ten sums each, 2,000 steps
//! let errors = population.test(&learners, Split::Ood)?;
//! println!("mean error on sums of thousands: {errors:.0?}");
//! # Ok::<(), strat::Error>(())
//! ```

pub mod baseline;
pub mod certify;
pub mod config;
pub mod crystal;
pub mod data;
mod error;
#[doc(hidden)] // for the other crates of this repository, like `internals`
pub mod escape;
pub mod export;
pub mod fit;
pub mod inspect;
pub mod metric;
pub mod model;
pub mod record;
pub mod result;
pub mod rng;
pub mod seeds;
pub mod stats;
pub mod sweep;
pub mod task;
pub mod trace;
pub mod train;

pub use error::{Error, Result};
pub use strat_engine as engine;

/// What tests and fuzzing reach into; no part of what this crate promises.
#[doc(hidden)]
pub mod internals {
    pub use crate::config::toml::MOST_SETTINGS;
    pub use crate::data::arrays::parse as parse_arrays;
    pub use crate::data::pmlb::Table;
    pub use crate::data::tic_tac_toe::Mark;
    pub use crate::model::block::window_needed;
    pub use crate::record::checkpoint::{Owner, decode as read_checkpoint, encode as checkpoint_bytes};
    pub use crate::record::error::WeightsError;
    pub use crate::record::limits::{LONGEST_MANIFEST, MOST_ROWS};
    pub use crate::record::log::{Line, Log, LogError, Misfit};
    pub use crate::record::seal::{RunId, seal};
    pub use crate::record::weights::WeightsFile;
    pub use crate::task::example::Encoded;
    pub use crate::task::table::schema::MOST_VALUES;
    pub use crate::task::table::sheet::{MOST_CELLS, MOST_COLUMNS, MOST_ROWS as MOST_TABLE_ROWS};
    pub use crate::task::tabular::{Column, Tabular};
    pub use crate::train::losses::POINTS;

    // The parsers of the public data sets, each under the name of its form.
    pub mod dimacs {
        pub use crate::data::dimacs::{parse, parse_archive};
    }
    pub mod life {
        pub use crate::data::life::parse;
    }
    pub mod pmlb {
        pub use crate::data::pmlb::parse;
    }
    pub mod satbench {
        pub use crate::data::satbench::parse;
    }
    pub mod spect {
        pub use crate::data::spect::{parse, parse_zip};
    }
    pub mod sudoku {
        pub use crate::data::sudoku::parse;
    }
    pub mod tic_tac_toe {
        pub use crate::data::tic_tac_toe::parse;
    }
}

/// The README's example is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
