//! A table of one's own: from a file to examples.
//!
//! 1. [`sheet`]: a file as rows of text; delimiter, header and compression are found out. `records` reads it.
//! 2. [`schema`]: columns with their values, the target with its classes, what was left out and why ([`notes`]).
//! 3. [`symmetries`]: symmetries that the user knows, checked against the rows.
//! 4. [`stream`]: rows of other tables with the same columns, however many.
//! 5. [`TableTask`]: all that its task is made of, as a run keeps it.

pub mod notes;
mod records;
pub mod schema;
pub mod sheet;
pub mod stream;
pub mod symmetries;
mod task;

pub use notes::Note;
pub use schema::{Field, LabelledRow, LabelledTable, Schema, SchemaError};
pub use sheet::{Sheet, SheetError};
pub use symmetries::{Symmetries, SymmetriesError};
pub use task::{TableTask, TableTaskError};
