//! All that a page shows, as data: learners, examples, and what each learner computes of each example at
//! each moment of its training.

use super::snapshot::{SnapshotError, Snapshots, snapshots};
use crate::circuit::{InPage, Packed};
use serde::Serialize;
use std::collections::BTreeMap;
use strat::inspect::Finding;
use strat::metric::Metric;
use strat::model::Readout;
use strat::record::Manifest;
use strat::result::{LearnerResult, Row};
use strat::task::table::{Field, TableTask};
use strat::trace::{ExampleSource, ExampleSourceError, Said, Trace, TracedExample};

/// What a page shows.
#[derive(Clone, Debug, Serialize)]
pub struct PageData {
    /// The examples, the same for all learners.
    pub examples: Vec<TracedExample>,
    /// The learners.
    pub learners: Vec<Learner>,
}

/// A learner at work.
#[derive(Clone, Debug, Serialize)]
pub struct Learner {
    /// The row of its run.
    pub row: String,
    /// Its seed.
    pub seed: u64,
    /// What was found in it, in a word or two.
    pub found: String,
    /// `step` or `epoch`: what its training is counted in.
    pub unit: &'static str,
    /// The moments of its training; none if only the end is shown.
    pub moments: Vec<usize>,
    /// What its answers are called, if it answers with a class.
    pub classes: Option<Vec<String>>,
    /// Its weights, if the page can compute with them itself.
    pub in_page: Option<InPage>,
    /// What the columns of arrays are called, where they have names.
    pub columns: BTreeMap<String, Vec<String>>,
    /// Of a table of one's own: what each token is in full, by example.
    pub names: Option<Vec<Vec<String>>>,
    /// By example, then by moment.
    pub frames: Vec<Vec<Frame>>,
}

/// One forward pass.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Frame {
    /// What the learner says.
    pub said: Said,
    /// Arrays by name, in the order in which they are computed.
    pub arrays: Vec<(String, Packed)>,
}

/// Why a page has nothing to show.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PageDataError {
    /// An example cannot be looked at.
    #[error(transparent)]
    ExampleSource(#[from] ExampleSourceError),
    /// Training cannot be seen again.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

/// What the classes of an answer are called: what is said if nothing speaks for another.
fn classes(source: &ExampleSource, example: &TracedExample) -> Option<Vec<String>> {
    let Readout::Class(count) = source.task.readout() else { return None };
    let form = source.task.text()?;
    let sure = |class: usize| (0..count).map(|c| if c == class { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    (0..count).map(|class| Some(form.answer(example.example(), &sure(class)).ok()?.words)).collect()
}

/// A table's tokens with the names of columns and values in full; those of an example have room for a few letters.
fn names(table: &TableTask, example: &TracedExample) -> Vec<String> {
    let value = |(field, symbol): (&Field, &u8)| {
        let value = field.values.get(usize::from(*symbol))?;
        Some(format!("{} {value}", field.name))
    };
    let input = &example.example().input;
    let all = table.schema.fields.iter().zip(input).map(value);
    let all: Option<Vec<String>> = std::iter::once(example.tokens.first().cloned()).chain(all).collect();
    all.filter(|all| all.len() == example.tokens.len()).unwrap_or_else(|| example.tokens.clone())
}

impl Frame {
    /// Of a trace.
    pub fn of(source: &ExampleSource, example: &TracedExample, trace: &Trace) -> Result<Frame, ExampleSourceError> {
        let mut arrays = vec![];
        for name in trace.names() {
            let array = trace.array(name)?;
            arrays.push((name.to_string(), Packed::of(array.shape, &array.values)));
        }
        Ok(Frame { said: source.said(example, trace)?, arrays })
    }
}

impl Learner {
    /// A learner of a run on these examples; with `moments`, also at as many moments of its training, which is
    /// done again.
    pub fn of(
        manifest: &Manifest,
        row: &Row,
        source: &ExampleSource,
        learner: &LearnerResult,
        examples: &[TracedExample],
        moments: Option<usize>,
    ) -> Result<Learner, PageDataError> {
        let weights: Snapshots = match moments {
            Some(count) => snapshots(manifest, row, source, learner, count)?,
            None => vec![(0, learner.weights.clone())],
        };
        let mut frames = vec![];
        let mut columns = BTreeMap::new();
        for example in examples {
            let frame = |(_, weights): &(usize, _)| {
                let trace = source.trace(weights, example)?;
                Frame::of(source, example, &trace)
            };
            let shown: Vec<Frame> = weights.iter().map(frame).collect::<Result<_, _>>()?;
            let names = shown.iter().flat_map(|f| &f.arrays).map(|(name, _)| name);
            columns.extend(names.filter_map(|name| Some((name.clone(), source.columns(name)?))));
            frames.push(shown);
        }
        Ok(Learner {
            row: row.name.clone(),
            seed: learner.seed,
            found: Finding::of(&row.model, &learner.weights, learner.score(Metric::OOD_MAE)).name(),
            unit: if row.data().is_some() { "epoch" } else { "step" },
            moments: if moments.is_some() { weights.iter().map(|w| w.0).collect() } else { vec![] },
            classes: examples.first().and_then(|example| classes(source, example)),
            in_page: InPage::of(&row.model, weights.iter().map(|(_, weights)| weights)),
            columns,
            names: row.table().map(|table| examples.iter().map(|example| names(table, example)).collect()),
            frames,
        })
    }
}
