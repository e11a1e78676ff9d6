//! A learner at work, token by token and layer by layer: a page for browsers, made of traces.
//!
//! - [`snapshot`]: a learner's training again, to look at it on the way
//! - [`page_data`]: all that a page shows, as data
//! - [`mod@page`]: the page

pub mod page;
pub mod page_data;
pub mod snapshot;

pub use page::{LARGEST_PAGE, Live, PageError, live_page, page};
pub use page_data::{Learner, PageData, PageDataError};
pub use snapshot::{SnapshotError, snapshots};
