//! All that a page shows, as data: learners, examples, and what each learner computes of each example at
//! each moment of its training.

use super::snapshot::{SnapshotError, Snapshots, snapshots};
use crate::report::html::encode::base64;
use serde::Serialize;
use std::collections::BTreeMap;
use strat::inspect::Finding;
use strat::metric::Metric;
use strat::model::{Lite, ModelRecord, Readout, Types};
use strat::record::Manifest;
use strat::result::{LearnerResult, Row};
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
    pub lite: Option<InPage>,
    /// What the columns of arrays are called, where they have names.
    pub columns: BTreeMap<String, Vec<String>>,
    /// By example, then by moment.
    pub frames: Vec<Vec<Frame>>,
}

/// A STRAT-Lite that reads sums: so few weights that the page needs no server.
#[derive(Clone, Debug, Serialize)]
pub struct InPage {
    /// Dimensions of Type.
    pub width: usize,
    /// Attention heads.
    pub heads: usize,
    /// Parameters by name, by moment.
    pub weights: Vec<Vec<(String, Packed)>>,
}

/// One forward pass.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Frame {
    /// What the learner says.
    pub said: Said,
    /// Arrays by name, in the order in which they are computed.
    pub arrays: Vec<(String, Packed)>,
}

/// An array in few letters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Packed {
    /// As [`Array::shape`](strat::trace::Array::shape).
    pub shape: Vec<usize>,
    /// The numbers, rounded to `f32`, as little-endian bytes in base 64.
    pub f32: String,
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

impl Packed {
    fn of(shape: Vec<usize>, values: &[f64]) -> Packed {
        let bytes: Vec<u8> = values.iter().flat_map(|&x| (x as f32).to_le_bytes()).collect();
        Packed { shape, f32: base64(&bytes) }
    }
}

impl InPage {
    fn of(row: &Row, moments: &Snapshots) -> Option<InPage> {
        let ModelRecord::Lite(Lite { width, heads, types: Types::Fixed | Types::Latent }) = row.model else {
            return None;
        };
        let packed = |(name, values): (&String, &Vec<f64>)| (name.clone(), Packed::of(vec![values.len()], values));
        let weights = moments.iter().map(|(_, weights)| weights.iter().map(packed).collect()).collect();
        Some(InPage { width, heads, weights })
    }
}

/// What the classes of an answer are called: what is said if nothing speaks for another.
fn classes(source: &ExampleSource, example: &TracedExample) -> Option<Vec<String>> {
    let Readout::Class(count) = source.task.readout() else { return None };
    let form = source.task.text()?;
    let sure = |class: usize| (0..count).map(|c| if c == class { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    (0..count).map(|class| Some(form.answer(example.example(), &sure(class)).ok()?.words)).collect()
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
            lite: InPage::of(row, &weights),
            columns,
            frames,
        })
    }
}
