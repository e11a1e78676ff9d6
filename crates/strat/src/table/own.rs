//! A table as a run keeps it: all that its task is made of.

use super::known::{Known, KnownError};
use super::schema::{Lesson, MOST_CLASSES, MOST_VALUES, Schema, Taught};
use super::sheet::MOST_COLUMNS;
use crate::task::{Column, Example, Tabular, Target, Task};
use serde::{Deserialize, Serialize};

/// The most rows of a table that is learned.
pub const MOST_ROWS: usize = 100_000;

/// A table of one's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnTable {
    /// What it is about.
    pub schema: Schema,
    /// What the user knows about it.
    pub known: Known,
    /// Its rows.
    pub rows: Vec<Taught>,
}

/// Why a kept table is none.
#[expect(missing_docs, reason = "the messages say what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OwnError {
    #[error("the table has {found} {what}, but should have from {least} to {most}")]
    Count { what: &'static str, found: usize, least: usize, most: usize },
    #[error("row {row} of the table does not fit its columns")]
    Row { row: usize },
    #[error(transparent)]
    Known(#[from] KnownError),
}

impl OwnTable {
    /// Of a lesson.
    pub fn new(lesson: Lesson, known: Known) -> OwnTable {
        OwnTable { schema: lesson.schema, known, rows: lesson.rows }
    }

    /// Whether it is a table; for those read from a file.
    pub fn check(&self) -> Result<(), OwnError> {
        let Schema { fields, classes, .. } = &self.schema;
        for (what, found, least, most) in [
            ("columns", fields.len(), 1, MOST_COLUMNS),
            ("classes", classes.len(), 2, MOST_CLASSES),
            ("rows", self.rows.len(), 1, MOST_ROWS),
            ("values in a column", fields.iter().map(|f| f.values.len()).max().unwrap_or(0), 1, MOST_VALUES),
        ] {
            if !(least..=most).contains(&found) {
                return Err(OwnError::Count { what, found, least, most });
            }
        }
        let fits = |row: &Taught| {
            let values = row.input.iter().zip(fields).all(|(&v, f)| usize::from(v) < f.values.len());
            row.input.len() == fields.len() && values && usize::from(row.class) < classes.len()
        };
        match self.rows.iter().find(|row| !fits(row)) {
            Some(row) => Err(OwnError::Row { row: row.row }),
            None => Ok(()),
        }
    }

    /// Rows to learn from: its own, and what the symmetries make of them.
    pub fn images(&self) -> Result<Vec<(Vec<u8>, u8)>, KnownError> {
        let lesson = Lesson { schema: self.schema.clone(), rows: self.rows.clone(), notes: vec![] };
        self.known.images(&lesson)
    }

    /// Its task. Answers and values are said in the table's words.
    pub fn task(&self, name: &str) -> Result<Task, OwnError> {
        self.check()?;
        Ok(task_of(name, &self.schema, self.images()?))
    }
}

/// The task of learning these examples of a table.
///
/// # Panics
/// If one is no row of the table.
pub fn task_of(name: &str, schema: &Schema, images: Vec<(Vec<u8>, u8)>) -> Task {
    // Columns with the same values are of one group.
    let mut groups: Vec<&[String]> = vec![];
    let mut columns = vec![];
    for field in &schema.fields {
        let group = groups.iter().position(|g| *g == &field.values[..]).unwrap_or_else(|| {
            groups.push(&field.values);
            groups.len() - 1
        });
        columns.push(Column { name: field.name.clone(), group, values: field.values.len() });
    }
    let values = schema.fields.iter().map(|f| f.values.clone()).collect();
    let table = Tabular::new(columns, schema.classes.len()).in_words(values, schema.classes.clone());
    let example = |(input, class): (Vec<u8>, u8)| Example::new(input, Target::Class(class));
    Task::of_table(name, table, images.into_iter().map(example).collect(), vec![], vec![])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Sheet;
    use crate::table::sheet::Header;
    use std::path::Path;

    fn own() -> OwnTable {
        let text = "size,colour,shape,ok\nsmall,red,red,no\nlarge,blue,blue,yes\nlarge,red,blue,yes\n";
        let sheet = Sheet::parse(Path::new("t.csv"), text.as_bytes(), Header::Present).unwrap();
        OwnTable::new(Lesson::of(&sheet, "ok", &[], &Known::default()).unwrap(), Known::default())
    }

    #[test]
    fn a_kept_table_is_read_again() {
        let own = own();
        let text = serde_json::to_string(&own).unwrap();
        assert_eq!(serde_json::from_str::<OwnTable>(&text).unwrap(), own);
        let task = own.task("t").unwrap();
        assert_eq!(task.bases().len(), 3);
        assert_eq!(task.words(&Target::Class(1)), "yes");
        let probe = task.probe("large, red, red").unwrap();
        assert_eq!(probe.example().input, [0, 1, 1]);
        assert_eq!(task.tokens(probe.example())[1], "size large");
        let error = task.probe("huge,red,red").unwrap_err().to_string();
        assert!(error.contains("\"huge\"") && error.contains("large or small"), "{error}");
    }

    #[test]
    fn a_table_that_cannot_be_is_refused() {
        let broken = |change: &dyn Fn(&mut OwnTable)| {
            let mut own = own();
            change(&mut own);
            own.task("t").unwrap_err().to_string()
        };
        assert_eq!(broken(&|o| o.rows[1].input[0] = 9), "row 3 of the table does not fit its columns");
        assert_eq!(broken(&|o| o.rows.clear()), "the table has 0 rows, but should have from 1 to 100000");
        assert_eq!(
            broken(&|o| o.schema.classes.truncate(1)),
            "the table has 1 classes, but should have from 2 to 16"
        );
    }
}
