//! The paper on STRAT, reproduced with the library [`strat`].
//!
//! The modules, in the order in which data flows:
//!
//! 1. [`paper`]: its tables as data.
//! 2. [`mod@table`]: results as text, beside the paper's.
//! 3. [`experiment`]: its experiments as plans, what their learners show, and the folders that keep them.
//! 4. [`chart`]: figures; [`circuit`]: what pages need to draw how a learner computes a sum; [`report`]: results beside the paper's, as text and pages.
//! 5. [`microscope`]: a learner at work, as a page; [`fitted`]: what was learned from a table of one's own, as a page;
//!    [`playground`]: a page that teaches learners of its own. [`mod@bench`]: how fast. [`Error`]: whatever can go wrong, for `?`.

pub mod bench;
pub mod chart;
pub mod circuit;
mod error;
pub mod experiment;
pub mod fitted;
pub mod microscope;
pub mod paper;
pub mod playground;
pub mod report;
mod sheet;
pub mod table;

pub use error::{Error, Result};
