//! A table of one's own: from a file to examples.
//!
//! 1. [`sheet`]: a file as rows of text; delimiter, header and compression are found out. `records` reads it.
//! 2. [`schema`]: columns with their values, the target with its classes, what was left out and why ([`notes`]).
//! 3. [`known`]: symmetries that the user knows, checked against the rows.
//! 4. [`stream`]: rows of other tables with the same columns, however many.
//! 5. [`own`]: all that its task is made of, as a run keeps it.

pub mod known;
pub mod notes;
pub mod own;
mod records;
pub mod schema;
pub mod sheet;
pub mod stream;

pub use known::{Known, KnownError};
pub use notes::Note;
pub use own::{OwnError, OwnTable};
pub use schema::{Field, Lesson, Schema, SchemaError, Taught};
pub use sheet::{Sheet, SheetError};
