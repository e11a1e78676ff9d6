//! What the learners of a run read: a model and its task, and examples of it by text or number.

use crate::data::DataFolder;
use crate::engine::reference::Arrays;
use crate::model::Model;
use crate::result::Row;
use crate::task::{Answer, AnswerError, BY_NUMBER, Example, ProbeError, Split, Task, TaskError};
use crate::trace::{Trace, TraceError};
use crate::train::{Population, TrainError};
use serde::Serialize;
use std::sync::Arc;

/// Why an example cannot be looked at.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExampleSourceError {
    /// Its task cannot be loaded.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The text is no example of the task.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The learner cannot read it.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The learner's answer is none.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// A row of the manifest that names no task.
    #[error("row {0:?} names no task; the manifest is not as it was written. Train anew")]
    Untaught(String),
    /// A row of somebody's own.
    #[error("row {0:?} has a model or a task that is not of the paper; look at it from the program that has them")]
    Own(String),
    /// A row of the manifest whose model is of another task.
    #[error(
        "row {row:?}: its model does not fit the task {task:?}: {source}; the manifest is not as it was written. Train anew"
    )]
    Misfit {
        /// The row.
        row: String,
        /// Its task.
        task: String,
        /// What does not fit.
        source: Box<TrainError>,
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

/// What learners read: a model and its task.
#[derive(Clone, Debug)]
pub struct ExampleSource {
    /// The model.
    pub model: Arc<dyn Model>,
    /// The task.
    pub task: Arc<dyn Task>,
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
    example: Example,
}

impl TracedExample {
    /// As the task has it, to be asked about.
    pub fn example(&self) -> &Example {
        &self.example
    }
}

/// What a learner says.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Said {
    /// In words or digits.
    pub words: String,
    /// The probability it gives to that, if it gives any.
    pub confidence: Option<f64>,
    /// Whether it is right; of a number, whether it rounds to the right one.
    pub right: Option<bool>,
}

impl ExampleSource {
    /// Of a model and a task, of the paper or of one's own.
    pub fn new(model: Arc<dyn Model>, task: Arc<dyn Task>) -> ExampleSource {
        ExampleSource { model, task }
    }

    /// Of a row of a run.
    pub fn of(row: &Row, folder: &DataFolder) -> Result<ExampleSource, ExampleSourceError> {
        let own = || ExampleSourceError::Own(row.name.clone());
        let model = row.model.model().ok_or_else(own)?;
        let task = match &row.setup {
            Some(setup) => setup.open(folder)?.ok_or_else(own)?,
            // Hand-set weights read sums.
            None => Arc::new(crate::task::SumTask::ABLATION),
        };
        let misfit = |e: TrainError| ExampleSourceError::Misfit {
            row: row.name.clone(),
            task: task.name().into(),
            source: Box::new(e),
        };
        Population::check(&*task, &*model).map_err(misfit)?;
        Ok(ExampleSource { model, task })
    }

    /// Checksum of every example, where the task has one.
    pub fn fingerprint(&self) -> Option<String> {
        self.task.fingerprint()
    }

    /// How an example is typed.
    pub fn form(&self) -> String {
        let numbers = if self.has_tests() {
            "a base or test example by number, such as `base:1`, `id:1` or `ood:1`"
        } else {
            self.task.text().map_or(BY_NUMBER, |text| text.by_number())
        };
        match self.task.text() {
            Some(text) => format!("{}; or {numbers}", text.form()),
            None => numbers.into(),
        }
    }

    fn has_tests(&self) -> bool {
        !self.task.test(Split::Id, SEED).is_empty()
    }

    /// Examples to begin with.
    pub fn examples(&self) -> Vec<String> {
        let samples = self.task.text().map_or(&["base:1", "base:2"][..], |text| text.samples());
        samples.iter().map(|text| text.to_string()).collect()
    }

    /// Reads an example.
    pub fn read(&self, text: &str) -> Result<TracedExample, ExampleSourceError> {
        let text = text.trim();
        let (example, is_known) = match (self.numbered(text)?, self.task.text()) {
            (Some(example), _) => (example, true),
            (None, Some(form)) => {
                let probe = form.parse(text)?;
                (probe.example().clone(), probe.known().is_some())
            }
            (None, None) => {
                return Err(ExampleSourceError::NoExample { set: "base", number: clip(text), count: 0 });
            }
        };
        let right = is_known.then(|| match self.task.text() {
            Some(form) => form.right_answer(&example).words,
            None => example.target.words(),
        });
        let tokens = match self.task.text() {
            Some(form) => form.token_names(&example),
            None => (0..self.task.length(&example)).map(|t| format!("t{t}")).collect(),
        };
        Ok(TracedExample { text: text.into(), tokens, right, example })
    }

    /// The example that `id:3` stands for; none if the text is of another form.
    fn numbered(&self, text: &str) -> Result<Option<Example>, ExampleSourceError> {
        let Some((name, number)) = text.split_once(':') else { return Ok(None) };
        let (set, examples) = match name {
            "base" => ("base", self.task.bases()),
            "id" => ("id", self.task.test(Split::Id, SEED)),
            "ood" => ("ood", self.task.test(Split::Ood, SEED)),
            _ => return Ok(None),
        };
        let found = number.parse::<usize>().ok().and_then(|n| examples.get(n.checked_sub(1)?));
        let none = || ExampleSourceError::NoExample { set, number: clip(number), count: examples.len() };
        Ok(Some(found.ok_or_else(none)?.clone()))
    }

    /// What a learner computes of an example of this source.
    pub fn trace(&self, weights: &Arrays, example: &TracedExample) -> Result<Trace, ExampleSourceError> {
        Ok(Trace::of_example(&*self.model, weights, &*self.task, &example.example)?)
    }

    /// What a trace of an example comes to.
    pub fn said(&self, example: &TracedExample, trace: &Trace) -> Result<Said, ExampleSourceError> {
        let (output, readout) = (trace.array("output")?.values, self.task.readout());
        let right = example.right.is_some().then(|| example.example.target.is_answered_by(readout, &output));
        Ok(match self.task.text() {
            Some(form) => {
                let answer = form.answer(&example.example, &output)?;
                Said { words: answer.words, confidence: answer.confidence, right }
            }
            None => {
                let answer = Answer::plain(readout, &output);
                let (words, confidence) = answer.map_or(("NaN".into(), None), |a| (a.words, a.confidence));
                Said { words, confidence, right }
            }
        })
    }

    /// What the columns of an array are called, where they have names.
    pub fn columns(&self, array: &str) -> Option<Vec<String>> {
        self.model.columns(array)
    }
}

/// Of the examples that have numbers, where every learner has its own.
const SEED: u64 = 1;

fn clip(text: &str) -> String {
    text.chars().take(20).collect()
}
