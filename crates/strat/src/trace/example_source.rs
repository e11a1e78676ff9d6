//! What the learners of a run read: sums, lists, or the examples of a task.

use crate::data::DataFolder;
use crate::engine::reference::Arrays;
use crate::model::{Arithmetic, BlockModel, Lite, Model, ModelRecord, Readout, Types};
use crate::result::Row;
use crate::task::grocery::{self, Item, ItemError};
use crate::task::signed_sum::SumError;
use crate::task::{AnswerError, DataTask, Example, ProbeError, Split, Sum, Target, Task, TaskError, largest};
use crate::trace::{Trace, TraceError};
use serde::Serialize;
use std::sync::Arc;

/// Why an example cannot be looked at.
#[derive(Debug, thiserror::Error)]
pub enum ExampleSourceError {
    /// Its task cannot be loaded.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The text is no example of the task.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The text is no sum.
    #[error(transparent)]
    Sum(#[from] SumError),
    /// The text is no list.
    #[error(transparent)]
    List(#[from] ItemError),
    /// The learner cannot read it.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The learner's answer is none.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// A row of the manifest that names no task.
    #[error("row {0:?} has a model of §7 but no task; the manifest is not as it was written. Train anew")]
    Untaught(String),
    /// A row of somebody's own.
    #[error("row {0:?} has a model or a task that is not of the paper; look at it from the program that has them")]
    Own(String),
    /// A row of the manifest whose model is of another task.
    #[error(
        "row {row:?}: its model does not fit the task {task:?}; the manifest is not as it was written. Train anew"
    )]
    Misfit {
        /// The row.
        row: String,
        /// Its task.
        task: String,
    },
    /// The example is shorter.
    #[error("there is no token {token}; the example has {count}, numbered from 0")]
    NoToken {
        /// Which was asked for.
        token: usize,
        /// How many there are.
        count: usize,
    },
    /// A set has fewer examples.
    #[error("there is no example {set}:{number}; {set} has {count}, numbered from 1")]
    NoExample {
        /// `base`, `id` or `ood`.
        set: &'static str,
        /// Which was asked for.
        number: String,
        /// How many there are.
        count: usize,
    },
}

/// What learners read.
#[derive(Clone, Debug)]
pub enum ExampleSource {
    /// Signed sums.
    Sums(Arithmetic),
    /// Grocery lists.
    Lists(Arithmetic),
    /// Examples of a task.
    Task(BlockModel, Box<DataTask>),
    /// Examples of a task of one's own, read by any model.
    Own(Arc<dyn Model>, Arc<dyn Task>),
}

/// An example to look at.
#[derive(Clone, Debug, Serialize)]
pub struct TracedExample {
    /// As it was asked for.
    pub text: String,
    /// What each token is.
    pub tokens: Vec<String>,
    /// The right answer, if it is known.
    pub right: Option<String>,
    #[serde(skip)]
    given: Given,
}

#[derive(Clone, Debug)]
enum Given {
    Sum(Sum),
    List(Vec<Item>),
    Example { example: Example, known: bool },
}

/// What a learner says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Said {
    /// In words or digits.
    pub words: String,
    /// The probability it gives to that, if it gives any.
    pub confidence: Option<f64>,
    /// Whether it is right; of a number, whether it rounds to the right one.
    pub right: Option<bool>,
}

impl ExampleSource {
    /// Of a row of a run.
    pub fn of(row: &Row, folder: &DataFolder) -> Result<ExampleSource, ExampleSourceError> {
        match row.model {
            _ if row.own.is_some() => Err(ExampleSourceError::Own(row.name.clone())),
            ModelRecord::Arithmetic(model @ Arithmetic::Lite(Lite { types: Types::Items, .. })) => {
                Ok(ExampleSource::Lists(model))
            }
            ModelRecord::Arithmetic(model) => Ok(ExampleSource::Sums(model)),
            ModelRecord::Own(_) => Err(ExampleSourceError::Own(row.name.clone())),
            ModelRecord::Blocks(model) => {
                let course = row.course.as_ref().ok_or_else(|| ExampleSourceError::Untaught(row.name.clone()))?;
                let task = course.load(folder)?;
                if !model.fits(task.shape(), task.readout()) {
                    return Err(ExampleSourceError::Misfit { row: row.name.clone(), task: course.task.clone() });
                }
                Ok(ExampleSource::Task(model, task.into()))
            }
        }
    }

    /// How an example is typed.
    pub fn form(&self) -> String {
        match self {
            ExampleSource::Sums(_) => "a sum, such as `12 + 3 - 5`".into(),
            ExampleSource::Lists(_) => "items and values, such as `3:45 12:7`".into(),
            ExampleSource::Own(..) => {
                "a training or test example by number, such as `base:1`, `id:1` or `ood:1`".into()
            }
            ExampleSource::Task(_, task) if task.split(Split::Id).is_empty() => {
                format!("{}; or a row of the table, counted from the first, such as `base:1`", task.form())
            }
            ExampleSource::Task(_, task) => {
                format!("{}; or a base or test example by number, such as `base:1`, `id:1` or `ood:1`", task.form())
            }
        }
    }

    /// Examples to begin with.
    pub fn examples(&self) -> &'static [&'static str] {
        match self {
            ExampleSource::Sums(_) => &["12 + 3 - 5", "40 - 7 + 25 - 18", "4800 - 2100 + 3300"],
            ExampleSource::Lists(_) => &["3:45 12:7 5:20", "1:10 2:20 8:30 15:40"],
            // The sets' own formulas have hundreds of tokens.
            ExampleSource::Task(_, task) if task.readout() == Readout::Binary => {
                &["1 -2 0 2 3 0 / 1 2 -3", "1 -2 0 2 3 0 / -1 2 -3"]
            }
            // A table of one's own has no test sets.
            ExampleSource::Task(_, task) if task.split(Split::Id).is_empty() => &["base:1", "base:2"],
            ExampleSource::Task(..) => &["id:1", "ood:1"],
            ExampleSource::Own(..) => &["base:1", "base:2"],
        }
    }

    /// Reads an example.
    pub fn read(&self, text: &str) -> Result<TracedExample, ExampleSourceError> {
        let text = text.trim();
        let shown = |text: String, tokens, right, given| Ok(TracedExample { text, tokens, right, given });
        match self {
            ExampleSource::Sums(_) => {
                let sum: Sum = text.parse()?;
                let (text, right) = (sum.to_string(), Some(sum.answer().to_string()));
                let tokens = text.split(' ').map(|t| t.replace('-', "−")).collect();
                shown(text, tokens, right, Given::Sum(sum))
            }
            ExampleSource::Lists(_) => {
                let list = grocery::parse(text)?;
                let tokens = text.split_whitespace().map(String::from).collect();
                shown(text.into(), tokens, Some(grocery::answer(&list).to_string()), Given::List(list))
            }
            ExampleSource::Own(_, task) => {
                let sets = [task.train(1, 0), task.test(Split::Id, 1), task.test(Split::Ood, 1)];
                let sets = ["base", "id", "ood"].into_iter().zip(sets.iter().map(|set| &**set));
                let unread = || ExampleSourceError::NoExample { set: "base", number: clip(text), count: 0 };
                let example = numbered(sets, text)?.ok_or_else(unread)?.clone();
                let tokens = (0..task.length(&example)).map(|t| format!("t{t}")).collect();
                let right = Some(words(&example.target));
                shown(text.into(), tokens, right, Given::Example { example, known: true })
            }
            ExampleSource::Task(_, task) => {
                let (example, known) = match numbered(sets_of(task), text)? {
                    Some(example) => (example.clone(), true),
                    None => {
                        let probe = task.probe(text)?;
                        (probe.example().clone(), probe.known().is_some())
                    }
                };
                let right = known.then(|| task.right_answer(&example).words);
                shown(text.into(), task.tokens(&example), right, Given::Example { example, known })
            }
        }
    }

    /// What a learner computes of an example of this source.
    pub fn trace(&self, weights: &Arrays, example: &TracedExample) -> Result<Trace, ExampleSourceError> {
        Ok(match (self, &example.given) {
            (ExampleSource::Task(model, task), Given::Example { example, .. }) => {
                Trace::of_example(model, weights, &**task, example)?
            }
            (ExampleSource::Sums(model) | ExampleSource::Lists(model), Given::Sum(sum)) => {
                Trace::of_sum(model, weights, sum)?
            }
            (ExampleSource::Sums(model) | ExampleSource::Lists(model), Given::List(list)) => {
                Trace::of_list(model, weights, list)?
            }
            (ExampleSource::Own(model, task), Given::Example { example, .. }) => {
                Trace::of_example(&**model, weights, &**task, example)?
            }
            (ExampleSource::Task(..) | ExampleSource::Own(..), _) | (_, Given::Example { .. }) => {
                return Err(TraceError::Misfit(example.text.clone()).into());
            }
        })
    }

    /// What a trace of an example comes to.
    pub fn said(&self, example: &TracedExample, trace: &Trace) -> Result<Said, ExampleSourceError> {
        let output = trace.array("output")?.values;
        let number = |target: i64| {
            let y = output[0];
            Said { words: format!("{y:.4}"), confidence: None, right: Some((y - target as f64).abs() < 0.5) }
        };
        Ok(match (self, &example.given) {
            (_, Given::Sum(sum)) => number(sum.answer()),
            (_, Given::List(list)) => number(grocery::answer(list)),
            (ExampleSource::Task(_, task), Given::Example { example, known }) => {
                let logits: Vec<f32> = output.iter().map(|&x| x as f32).collect();
                let answer = task.answer(example, &logits)?;
                let right = known.then(|| task.is_correct(example, &logits));
                Said { words: answer.words, confidence: answer.confidence, right }
            }
            (ExampleSource::Own(_, task), Given::Example { example, .. }) => {
                let right = example.target.is_answered_by(task.readout(), &output);
                Said { words: said(task.readout(), &output), confidence: None, right: Some(right) }
            }
            (_, Given::Example { .. }) => return Err(TraceError::Misfit(example.text.clone()).into()),
        })
    }

    /// What the columns of an array are called, where they have names.
    pub fn columns(&self, array: &str) -> Option<Vec<String>> {
        let part = array.rsplit('.').next()?;
        let types = |width: usize| (1..=width).map(|d| format!("D{d}")).collect();
        match (self, part) {
            (ExampleSource::Own(model, _), _) => model.columns(array),
            (
                ExampleSource::Sums(Arithmetic::Lite(m)) | ExampleSource::Lists(Arithmetic::Lite(m)),
                "type" | "type_fetched",
            ) => Some(types(m.width)),
            (
                ExampleSource::Sums(Arithmetic::Lite(_)) | ExampleSource::Lists(Arithmetic::Lite(_)),
                "data" | "gate" | "payload" | "written",
            ) => Some(vec!["D0".into(), "D5".into()]),
            (
                ExampleSource::Sums(Arithmetic::Unityped(_)),
                "stream" | "fetched" | "gate" | "payload" | "written",
            ) => Some((0..6).map(|d| format!("D{d}")).collect()),
            _ => None,
        }
    }
}

/// The sets of a task whose examples have numbers.
fn sets_of(task: &DataTask) -> [(&'static str, &[Example]); 3] {
    [("base", task.bases()), ("id", task.split(Split::Id)), ("ood", task.split(Split::Ood))]
}

/// The example that `id:3` stands for; none if the text is of another form.
fn numbered<'a>(
    sets: impl IntoIterator<Item = (&'static str, &'a [Example])>,
    text: &str,
) -> Result<Option<&'a Example>, ExampleSourceError> {
    let Some((name, number)) = text.split_once(':') else { return Ok(None) };
    let Some((set, examples)) = sets.into_iter().find(|s| s.0 == name) else { return Ok(None) };
    let found = number.parse::<usize>().ok().and_then(|n| examples.get(n.checked_sub(1)?));
    let none = || ExampleSourceError::NoExample { set, number: clip(number), count: examples.len() };
    found.map(Some).ok_or_else(none)
}

fn clip(text: &str) -> String {
    text.chars().take(20).collect()
}

/// A right answer of a task whose own words are not known.
fn words(target: &Target) -> String {
    match target {
        Target::Number(x) => x.to_string(),
        Target::Class(class) => format!("class {class}"),
        Target::Verdict(yes) => (if *yes { "yes" } else { "no" }).into(),
        Target::Cells { values, .. } => values.iter().map(u8::to_string).collect::<Vec<_>>().join(" "),
    }
}

/// What an output says, in the same words.
fn said(readout: Readout, output: &[f64]) -> String {
    let best = |logits: &[f64]| largest(logits).map_or("NaN".into(), |class| class.to_string());
    match readout {
        Readout::Number => format!("{:.4}", output[0]),
        Readout::Class(_) => format!("class {}", best(output)),
        Readout::Binary => (if output[0] > 0.0 { "yes" } else { "no" }).into(),
        Readout::TokenClass(n) => output.chunks_exact(n).map(best).collect::<Vec<_>>().join(" "),
        Readout::TokenBinary => output.iter().map(|x| u8::from(*x > 0.0).to_string()).collect::<Vec<_>>().join(" "),
    }
}
