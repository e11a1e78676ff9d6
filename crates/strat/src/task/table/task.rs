//! A table as a run keeps it: all that its task is made of.

use super::frame::Weighted;
use super::schema::{Field, LONGEST, LabelledRow, LabelledTable, MOST_CLASSES, MOST_VALUES, Schema, kept_length};
use super::sheet::{MOST_CELLS, MOST_COLUMNS, MOST_ROWS};
use super::symmetries::{Image, Symmetries, SymmetriesError};
use crate::data::clip;
use crate::rng::{RandomStream, Stream};
use crate::task::tabular::{Column, Tabular};
use crate::task::{DataTask, Example, Target};
use serde::{Deserialize, Serialize};
use strat_tables::Calibration;

/// The most rows of an epoch: some at a time, drawn anew, teach as much as all of them.
const BATCH: usize = 32;
/// The same where symmetries make up to thousands of them.
const EPOCH: usize = 160;
/// Rows that a population is taught at the most.
pub const MOST_TAUGHT: usize = 512;

/// A table of one's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableTask {
    /// What it is about.
    pub schema: Schema,
    /// What the user knows about it.
    pub known: Symmetries,
    /// The rows, each with its class.
    pub rows: Vec<LabelledRow>,
    /// Who answers, by weights that rows left out have decided; empty if that is a vote alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixture: Vec<Weighted>,
    /// By how much the mixture's probabilities are made less sure ([`Calibration`]); 1 leaves them.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub temperature: f64,
    /// The probability that the classes follow from nothing ([`Calibration`]).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub chance: f64,
}

fn one() -> f64 {
    1.0
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

fn is_one(x: &f64) -> bool {
    *x == 1.0
}

/// Why a kept table is none.
#[expect(missing_docs, reason = "the messages say what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableTaskError {
    #[error("the table has {found} {what}, but should have from {least} to {most}")]
    Count { what: &'static str, found: usize, least: usize, most: usize },
    #[error("row {row} of the table does not fit its columns")]
    Row { row: usize },
    #[error("the table has a text that is longer than {LONGEST} bytes, {text:?}")]
    Long { text: String },
    #[error("column {name:?} of the table has a scale that does not fit its values")]
    Scale { name: String },
    #[error(
        "the table's mixture has a part that is none, weights that do not add up to 1, a temperature outside 0.1 to 10, or a chance outside 0 to 1"
    )]
    Mixture,
    #[error(transparent)]
    Symmetries(#[from] SymmetriesError),
}

impl TableTask {
    /// The task that a labelled table and its known symmetries make.
    pub fn new(labelled: LabelledTable, known: Symmetries) -> TableTask {
        TableTask {
            schema: labelled.schema,
            known,
            rows: labelled.rows,
            mixture: vec![],
            temperature: 1.0,
            chance: 0.0,
        }
    }

    /// Whether it is a table; for those read from a file.
    pub fn check(&self) -> Result<(), TableTaskError> {
        let Schema { fields, classes, .. } = &self.schema;
        for (what, found, least, most) in [
            ("columns", fields.len(), 1, MOST_COLUMNS),
            ("classes", classes.len(), 2, MOST_CLASSES),
            ("rows", self.rows.len(), 1, MOST_ROWS),
            ("cells", self.rows.len().saturating_mul(fields.len()), 1, MOST_CELLS),
            ("values in a column", fields.iter().map(|f| f.values.len()).max().unwrap_or(0), 1, MOST_VALUES),
        ] {
            if !(least..=most).contains(&found) {
                return Err(TableTaskError::Count { what, found, least, most });
            }
        }
        let texts = fields.iter().flat_map(|f| f.values.iter().chain([&f.name])).chain(classes);
        if let Some(text) = texts.chain([&self.schema.target]).find(|text| kept_length(text) > LONGEST) {
            return Err(TableTaskError::Long { text: clip(text) });
        }
        let unsound = |f: &&Field| f.scale.as_ref().is_some_and(|scale| !scale.is_sound(f.values.len()));
        if let Some(field) = fields.iter().find(unsound) {
            return Err(TableTaskError::Scale { name: clip(&field.name) });
        }
        let all: f64 = self.mixture.iter().map(|w| w.weight).sum();
        let is_part = |w: &Weighted| w.weight >= 0.0 && w.part.is_known();
        let is_mixture = (all - 1.0).abs() < 1e-6 && self.mixture.iter().all(is_part);
        let is_calibrated = (0.1..=10.0).contains(&self.temperature) && (0.0..=1.0).contains(&self.chance);
        if !(self.mixture.is_empty() || is_mixture) || !is_calibrated {
            return Err(TableTaskError::Mixture);
        }
        let scales = fields.iter().filter(|f| f.has_numbers()).count();
        let fits = |row: &LabelledRow| {
            let values = row.input.iter().zip(fields).all(|(&v, f)| usize::from(v) < f.values.len());
            let numbers = row.numbers.len() == scales && row.numbers.iter().flatten().all(|x| x.is_finite());
            row.input.len() == fields.len() && values && numbers && usize::from(row.class) < classes.len()
        };
        match self.rows.iter().find(|row| !fits(row)) {
            Some(row) => Err(TableTaskError::Row { row: row.row }),
            None => Ok(()),
        }
    }

    /// Rows to learn from: its own, and what the symmetries make of them.
    pub(crate) fn images(&self) -> Result<Vec<Image>, SymmetriesError> {
        let labelled = LabelledTable { schema: self.schema.clone(), rows: self.rows.clone(), notes: vec![] };
        self.known.images(&labelled)
    }

    /// Its task, with no more than 512 rows; of more, some are drawn. Answers and values are said in the table's words.
    pub fn task(&self, name: &str) -> Result<DataTask, TableTaskError> {
        self.check()?;
        let images = if self.rows.len() > MOST_TAUGHT { self.sample().images()? } else { self.images()? };
        Ok(self.task_of(name, images))
    }

    /// How probabilities of its mixture are made right.
    pub(crate) fn calibration(&self) -> Calibration {
        Calibration { temperature: self.temperature, chance: self.chance }
    }

    /// Whether its task has all rows.
    pub fn is_taught_whole(&self) -> bool {
        self.rows.len() <= MOST_TAUGHT
    }

    /// As many rows as a population is taught.
    fn sample(&self) -> TableTask {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        RandomStream::new(0, Stream::Pick, 1).shuffle(&mut order);
        order.truncate(MOST_TAUGHT);
        order.sort_unstable();
        TableTask { rows: order.into_iter().map(|i| self.rows[i].clone()).collect(), ..self.clone() }
    }

    /// The task of learning these examples of it.
    ///
    /// # Panics
    /// If one is no row of the table.
    pub(crate) fn task_of(&self, name: &str, images: Vec<Image>) -> DataTask {
        let schema = &self.schema;
        // Columns with the same values, of which the same is known, are of one group.
        let mut groups = vec![];
        let mut columns = vec![];
        for field in &schema.fields {
            let kind = (&field.values, self.known.symmetries_of(&field.name));
            let group = groups.iter().position(|g| *g == kind).unwrap_or_else(|| {
                groups.push(kind);
                groups.len() - 1
            });
            columns.push(Column { name: field.name.clone(), group, values: field.values.len() });
        }
        let values = schema.fields.iter().map(|f| f.values.clone()).collect();
        let table = Tabular::new(columns, schema.classes.len())
            .in_words(values, schema.classes.clone())
            .drawing(if self.known.is_empty() { BATCH } else { EPOCH });
        let example = |image: Image| Example::new(image.input, Target::Class(image.class));
        DataTask::of_table(name, table, images.into_iter().map(example).collect(), vec![], vec![])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::TextForm;
    use crate::task::example::Encoded;
    use crate::task::table::Sheet;
    use crate::task::table::Told;
    use crate::task::table::sheet::Header;
    use std::path::Path;

    fn own() -> TableTask {
        let text = "size,colour,shape,ok\nsmall,red,red,no\nlarge,blue,blue,yes\nlarge,red,blue,yes\n";
        let sheet = Sheet::parse(Path::new("t.csv"), text.as_bytes(), Header::Present).unwrap();
        TableTask::new(
            LabelledTable::of(&sheet, "ok", &Told::default(), &Symmetries::default()).unwrap(),
            Symmetries::default(),
        )
    }

    #[test]
    fn a_kept_table_is_read_again() {
        let own = own();
        let text = serde_json::to_string(&own).unwrap();
        assert_eq!(serde_json::from_str::<TableTask>(&text).unwrap(), own);
        let task = own.task("t").unwrap();
        assert_eq!(task.bases().len(), 3);
        assert_eq!(task.words(&Target::Class(1)), "yes");
        let probe = task.parse("large, red, red").unwrap();
        assert_eq!(probe.example().input, [0, 1, 1]);
        assert_eq!(task.token_names(probe.example())[1], "size large");
        let error = task.parse("huge,red,red").unwrap_err().to_string();
        assert!(error.contains("\"huge\"") && error.contains("large or small"), "{error}");
    }

    #[test]
    fn columns_of_which_the_same_is_known_are_a_group() {
        let sheet =
            Sheet::parse(Path::new("t"), b"a,b,c,d,y\n0,0,0,1,p\n1,1,1,1,n\n1,1,0,0,n\n", Header::Present).unwrap();
        let groups = |known: Symmetries| {
            let own = TableTask::new(LabelledTable::of(&sheet, "y", &Told::default(), &known).unwrap(), known);
            let task = own.task("t").unwrap();
            let mut out = Encoded::default();
            task.encode(&task.bases()[0], &mut out);
            let tokens: Vec<Vec<f32>> = out.types.chunks(task.shape().types).map(<[f32]>::to_vec).collect();
            tokens[1..].iter().map(|t| t[1..3].to_vec()).collect::<Vec<_>>()
        };
        let ring = |names: [&str; 2]| vec![names.map(String::from).to_vec()];
        let (one, other) = (vec![1.0, 0.0], vec![0.0, 1.0]);
        assert_eq!(
            groups(Symmetries { cyclic: ring(["a", "c"]), ..Symmetries::default() }),
            [one.clone(), other.clone(), one.clone(), other.clone()]
        );
        let both =
            Symmetries { cyclic: ring(["a", "b"]), flip_together: ring(["c", "d"]), ..Symmetries::default() };
        assert_eq!(groups(both), [one.clone(), one.clone(), other.clone(), other]);
        // A single group needs no channel: these name the first two columns.
        assert_eq!(groups(Symmetries::default())[..2], [one.clone(), vec![0.0, 1.0]]);
    }

    /// Two rows of nine columns that may change places are 36 and 126.
    #[test]
    fn of_many_images_an_epoch_takes_some() {
        let text = b"a,b,c,d,e,f,g,h,i,y\n1,1,0,0,0,0,0,0,0,n\n1,1,1,1,0,0,0,0,0,p\n";
        let sheet = Sheet::parse(Path::new("t"), text, Header::Present).unwrap();
        let task = |known: Symmetries| {
            let labelled = LabelledTable::of(&sheet, "y", &Told::default(), &known).unwrap();
            TableTask::new(labelled, known).task("t").unwrap()
        };
        let all = Symmetries { interchangeable: vec![sheet.names[..9].to_vec()], ..Symmetries::default() };
        let many = task(all);
        assert_eq!((many.bases().len(), many.is_fixed()), (36 + 126, false));
        let epochs = [many.epoch(1, 0), many.epoch(1, 1), many.epoch(2, 0)];
        assert!(epochs.iter().all(|e| e.len() == EPOCH && e.iter().all(|x| many.bases().contains(x))));
        assert!(epochs[0] != epochs[1] && epochs[0] != epochs[2] && epochs[0] == many.epoch(1, 0));
        let few = task(Symmetries { cyclic: vec![sheet.names[..9].to_vec()], ..Symmetries::default() });
        assert_eq!((few.epoch(1, 0).len(), few.is_fixed()), (18, true));
    }

    #[test]
    fn a_table_that_cannot_be_is_refused() {
        let broken = |change: &dyn Fn(&mut TableTask)| {
            let mut own = own();
            change(&mut own);
            own.task("t").unwrap_err().to_string()
        };
        assert_eq!(broken(&|o| o.rows[1].input[0] = 9), "row 3 of the table does not fit its columns");
        assert_eq!(broken(&|o| o.rows.clear()), "the table has 0 rows, but should have from 1 to 100000");
        assert_eq!(
            broken(&|o| o.schema.classes.truncate(1)),
            "the table has 1 classes, but should have from 2 to 100"
        );
    }
}
