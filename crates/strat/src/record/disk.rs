//! `manifest.json` as it stands on disk. The types of the library can change without it.
//!
//! A row has `train` if its learners are trained on sums or lists, `course` if on a data set or a table, `own` if on a task
//! that is not of the paper, and none of them where nothing is learned.

use super::Manifest;
use crate::baseline::Shortcut;
use crate::config::{Adam, Anneal, Schedule, TrainConfig};
use crate::metric::{Better, Metric, Unit};
use crate::model::{ModelRecord, Spec};
use crate::result::{DataRecord, OwnTask, Row, TaskRecord, TaskSetup};
use crate::seeds::{Seeds, Shard};
use crate::task::table::TableTask;
use crate::task::{Examples, Pick};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DiskManifest {
    format: u32,
    experiment: String,
    version: String,
    commit: String,
    isa: String,
    weights: bool,
    seeds: Seeds,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shard: Option<Shard>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    preset: Option<String>,
    #[serde(serialize_with = "write_rows", deserialize_with = "read_rows")]
    rows: Vec<Row>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DiskRow {
    name: String,
    model: ModelRecord,
    train: Option<Box<SumTraining>>,
    course: Option<Course>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    own: Option<Box<Own>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SumTraining {
    steps: usize,
    adam: Adam,
    examples: Examples,
    clip: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    anneal: Option<Anneal>,
    #[serde(default, skip_serializing_if = "Schedule::is_constant")]
    schedule: Schedule,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Course {
    task: String,
    pick: Option<Pick>,
    stand_in: Option<String>,
    data: String,
    tests: [usize; 2],
    shortcuts: Vec<(Shortcut, [f64; 2])>,
    lessons: Lessons,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    table: Option<Box<TableTask>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lessons {
    epochs: usize,
    adam: Adam,
    clip: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    anneal: Option<Anneal>,
    #[serde(default, skip_serializing_if = "Schedule::is_constant")]
    schedule: Schedule,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Own {
    task: Spec,
    data: String,
    train: TrainConfig,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    metric: Option<OwnMetric>,
}

/// A metric with all that is said of it; elsewhere the name is enough.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnMetric {
    name: String,
    heading: String,
    unit: Unit,
    better: Better,
}

impl From<Metric> for OwnMetric {
    fn from(Metric { name, heading, unit, better }: Metric) -> OwnMetric {
        OwnMetric { name: name.into_owned(), heading: heading.into_owned(), unit, better }
    }
}

impl From<OwnMetric> for Metric {
    fn from(OwnMetric { name, heading, unit, better }: OwnMetric) -> Metric {
        Metric { name: name.into(), heading: heading.into(), unit, better }
    }
}

/// A row that says more than one thing that its learners learn.
#[derive(Debug, thiserror::Error)]
#[error("row {0:?} has more than one of `train`, `course` and `own`")]
struct Ambiguous(String);

impl From<Manifest> for DiskManifest {
    fn from(manifest: Manifest) -> DiskManifest {
        let Manifest { format, experiment, version, commit, isa, weights, seeds, shard, preset, rows } = manifest;
        DiskManifest { format, experiment, version, commit, isa, weights, seeds, shard, preset, rows }
    }
}

impl From<DiskManifest> for Manifest {
    fn from(disk: DiskManifest) -> Manifest {
        let DiskManifest { format, experiment, version, commit, isa, weights, seeds, shard, preset, rows } = disk;
        Manifest { format, experiment, version, commit, isa, weights, seeds, shard, preset, rows }
    }
}

fn write_rows<S: Serializer>(rows: &[Row], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(rows.iter().cloned().map(DiskRow::from))
}

/// One after the other, so that there is never more than one of them as it stands on disk, with room for all that it may be.
fn read_rows<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Row>, D::Error> {
    struct Rows;
    impl<'de> Visitor<'de> for Rows {
        type Value = Vec<Row>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of rows")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<Row>, A::Error> {
            let mut rows = vec![];
            while let Some(row) = seq.next_element::<DiskRow>()? {
                rows.push(Row::try_from(row).map_err(A::Error::custom)?);
            }
            Ok(rows)
        }
    }
    from.deserialize_seq(Rows)
}

impl From<Row> for DiskRow {
    fn from(Row { name, model, setup }: Row) -> DiskRow {
        let mut row = DiskRow { name, model, train: None, course: None, own: None };
        let Some(TaskSetup { task, train }) = setup else { return row };
        let TrainConfig { steps, adam, schedule, clip, anneal } = train;
        match task {
            TaskRecord::Sums(examples) => {
                row.train =
                    Some(Box::new(SumTraining { steps, adam, examples: *examples, clip, anneal, schedule }));
            }
            TaskRecord::Data(data) => {
                let DataRecord { task, pick, stand_in, data, tests, shortcuts, table } = *data;
                let lessons = Lessons { epochs: steps, adam, clip, anneal, schedule };
                row.course = Some(Course { task, pick, stand_in, data, tests, shortcuts, lessons, table });
            }
            TaskRecord::Own(own) => {
                let OwnTask { task, data, metric } = *own;
                row.own = Some(Box::new(Own { task, data, train, metric: metric.map(OwnMetric::from) }));
            }
        }
        row
    }
}

impl TryFrom<DiskRow> for Row {
    type Error = Ambiguous;

    fn try_from(DiskRow { name, model, train, course, own }: DiskRow) -> Result<Row, Ambiguous> {
        let setup = match (train, course, own) {
            (None, None, None) => None,
            (Some(train), None, None) => {
                let SumTraining { steps, adam, examples, clip, anneal, schedule } = *train;
                let train = TrainConfig { steps, adam, schedule, clip, anneal };
                Some(TaskSetup { task: TaskRecord::Sums(examples.into()), train })
            }
            (None, Some(course), None) => {
                let Course { task, pick, stand_in, data, tests, shortcuts, lessons, table } = course;
                let Lessons { epochs, adam, clip, anneal, schedule } = lessons;
                let data = DataRecord { task, pick, stand_in, data, tests, shortcuts, table };
                let train = TrainConfig { steps: epochs, adam, schedule, clip, anneal };
                Some(TaskSetup { task: TaskRecord::Data(data.into()), train })
            }
            (None, None, Some(own)) => {
                let Own { task, data, train, metric } = *own;
                let own = OwnTask { task, data, metric: metric.map(Metric::from) };
                Some(TaskSetup { task: TaskRecord::Own(own.into()), train })
            }
            _ => return Err(Ambiguous(name)),
        };
        Ok(Row { name, model, setup })
    }
}
