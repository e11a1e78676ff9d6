//! A table of one's own: from a file to examples.
//!
//! 1. [`Sheet`]: a file as rows of text; delimiter, header and compression are found out. `records` reads it.
//! 2. [`Schema`]: columns with their values, the target with its classes, what was left out and why ([`Note`]).
//!    Numbers, dates and identifiers are told from words there.
//! 3. [`Symmetries`]: symmetries that the user knows, checked against the rows.
//! 4. [`Stream`]: rows of other tables with the same columns, however many.
//! 5. [`TableTask`]: all that its task is made of, as a run keeps it.

mod cells;
mod columns;
pub(crate) mod frame;
pub(crate) mod notes;
mod records;
pub(crate) mod schema;
pub(crate) mod sheet;
pub(crate) mod stream;
pub(crate) mod symmetries;
mod task;

pub(crate) use columns::{Form, Scale};
pub use frame::{Part, Weighted};
pub use notes::Note;
pub use schema::{Field, LabelledRow, LabelledTable, Schema, SchemaError, TableRow, Told};
pub(crate) use schema::{MISSING, OTHER, UNKNOWN};
pub use sheet::{Header, Sheet, SheetError, SheetFault, open};
pub use stream::{Stream, Streamed, Unknown};
pub use symmetries::{Symmetries, SymmetriesError};
pub use task::{TableTask, TableTaskError};
