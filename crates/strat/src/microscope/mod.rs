//! A learner at work, token by token and layer by layer: a page for browsers, made of traces.
//!
//! - [`subject`]: what learners of a run read, and what they say to an example
//! - [`snapshot`]: a learner's training again, to look at it on the way
//! - [`slide`]: all that a page shows, as data
//! - [`mod@page`]: the page

pub mod page;
pub mod slide;
pub mod snapshot;
pub mod subject;

pub use page::{LARGEST_PAGE, Live, PageError, live_page, page};
pub use slide::{Learner, Slide, SlideError};
pub use snapshot::{SnapshotError, snapshots};
pub use subject::{Specimen, Subject, SubjectError};
