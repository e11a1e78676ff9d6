//! A task of Appendix D: ten base examples, what an epoch makes of them, two test sets.

use super::arrays::ArrayTaskError;
use super::example::{Encoded, Example, Split, Target};
use super::pick::Pick;
use super::rule::Rule;
use super::tabular::Tabular;
use super::text::Text;
use crate::config::Setup;
use crate::data::DataError;
use crate::data::content::hex;
use crate::model::{Kinds, Readout, Shape};
use crate::rng::{RandomStream, Stream};
use crate::task::table::TableTaskError;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// Randomness of what belongs to a task rather than to a learner: stand-ins, test sets, the
/// assignments they are tested with. Every pick and every learner meets the same.
pub(super) fn task_draws(task: &str, stream: Stream, step: u32) -> RandomStream {
    // FNV-1a, so that no two tasks draw the same.
    let seed =
        task.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    RandomStream::new(seed, stream, step)
}

/// Why there is no task.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// No task has this name.
    #[error("there is no task {name:?}; the tasks are {known}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A file is there and cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A file of arrays gives no examples.
    #[error(transparent)]
    Arrays(#[from] ArrayTaskError),
    /// A kept table is none.
    #[error(transparent)]
    Own(#[from] TableTaskError),
    /// A file holds something that its task cannot have.
    #[error("{task}: row {row} of its file: {fault}; fetch the file again, or remove it to use a stand-in")]
    Row {
        /// The task.
        task: &'static str,
        /// The row, from 1 on.
        row: usize,
        /// What is wrong there.
        fault: Box<dyn Error + Send + Sync>,
    },
    /// A file has too little of something.
    #[error(
        "{task}: {found} {what}, but {needed} are needed; fetch the file again, or remove it to use a stand-in"
    )]
    TooFew {
        /// The task.
        task: &'static str,
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        needed: usize,
    },
    /// A task whose base examples are chosen with its test sets was given others.
    #[error(
        "{task}: base examples of one's own are for tasks that draw images of them, as sudoku; use another pick"
    )]
    FixedBases {
        /// The task.
        task: String,
    },
    /// No base example was given.
    #[error("{task}: there is no base example")]
    NoBases {
        /// The task.
        task: String,
    },
    /// The task's rule does not give a base example its answer.
    #[error("{task}: base example {number} has not the one answer that the task's rule gives it")]
    Base {
        /// The task.
        task: String,
        /// Its number, from 1 on.
        number: usize,
    },
    /// No choice of base examples gives the sets that the paper describes.
    #[error("{task}: no {pick} gives the paper's data sets; choose another seed or kind of pick")]
    NoPick {
        /// The task.
        task: &'static str,
        /// The choice that was asked for.
        pick: Pick,
    },
}

/// What is wrong with a row.
#[derive(Debug, thiserror::Error)]
pub(super) enum RowFault {
    /// Too many or too few columns.
    #[error("{found} columns, but there should be {wanted}")]
    Columns {
        /// How many there are.
        found: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// A value that the column cannot have.
    #[error("{column} is {value}, but should be from {low} to {high}")]
    Value {
        /// The column's name.
        column: String,
        /// What it holds.
        value: i32,
        /// Its smallest value.
        low: i32,
        /// Its largest value.
        high: i32,
    },
    /// The answer is not the one that the task's rule gives.
    #[error("the answer does not follow from the input by the task's rule")]
    Rule,
    /// The same, where both are known.
    #[error("{what} is {found}, but by the task's rule it is {rule}")]
    Answer {
        /// What the answer is called.
        what: &'static str,
        /// What it is.
        found: String,
        /// What the rule says.
        rule: String,
    },
    /// A puzzle to which there is no one answer.
    #[error("the puzzle has no solution, more than one, or none that a search of 2 million steps finds")]
    NoSolution,
    /// Longer than what a model of this task reads.
    #[cfg(feature = "sat")]
    #[error("{found} tokens, but an example of this task has at most {most}")]
    Long {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
}

/// How a task turns symbols into channels, and the rule behind its answers.
pub(super) trait Domain: Text + fmt::Debug + Send + Sync {
    /// How large an encoded example is.
    fn shape(&self) -> Shape;
    /// Where the answer is read.
    fn readout(&self) -> Readout;
    /// Sets the channels that are not zero; `out` is cleared.
    fn encode(&self, input: &[u8], out: &mut Encoded);
    /// Tokens of an input that are no padding.
    fn length(&self, _input: &[u8]) -> usize {
        self.shape().tokens
    }
    /// The answer by the rule; none if there is no rule or it does not apply.
    fn label(&self, input: &[u8]) -> Option<Target>;
    /// How an answer can be checked without knowing the right one, where it can.
    fn rule(&self) -> Option<&dyn Rule> {
        None
    }
    /// What alone decides the answer at a place, for someone who knows that much of the rule; none if it is more than a
    /// number.
    fn deciding(&self, _input: &[u8], _place: usize) -> Option<Deciding> {
        None
    }
    /// What a simple rule may tell the answer at a place from, by the number of the feature: every
    /// symbol at its position, one-hot, unless the task has a better view.
    fn features(&self, input: &[u8], _place: usize) -> Features {
        one_hot(input)
    }
    /// Clauses of a formula; none where an input is no formula.
    fn clauses(&self, _input: &[u8]) -> Option<usize> {
        None
    }
    /// Every input there is, where these are few and the rule decides all of them.
    fn inputs(&self) -> Option<Vec<Vec<u8>>> {
        None
    }
    /// The tokens that there can be, where these are few.
    fn kinds(&self) -> Option<Kinds> {
        None
    }
    /// What an epoch trains on, where that is not the same in every epoch.
    fn epoch(&self, _bases: &[Example], _draws: RandomStream) -> Option<Vec<Example>> {
        None
    }
}

/// The number that alone decides an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Deciding {
    /// A count, or the number of a case.
    pub number: usize,
    /// Whether the answer is no up to some number and yes from the next one on.
    pub is_threshold: bool,
}

/// Features that are not zero: number and value.
pub(crate) type Features = Vec<(u32, f64)>;

/// Symbols by position: each value of each is a feature.
pub(super) fn one_hot<'a>(symbols: impl IntoIterator<Item = &'a u8>) -> Features {
    symbols.into_iter().zip(0..).map(|(&symbol, at)| (at << 8 | u32::from(symbol), 1.0)).collect()
}

/// A task: base examples, training examples, test sets, encoding, rule.
#[derive(Clone, Debug)]
pub struct DataTask {
    pub(super) name: Cow<'static, str>,
    pub(super) title: Cow<'static, str>,
    pub(super) domain: Arc<dyn Domain>,
    pub(super) pick: Option<Pick>,
    pub(super) sets: Sets,
    pub(super) stand_in: Option<&'static str>,
    /// Of the paper's tasks.
    pub(super) setup: Option<Setup>,
}

/// The examples of a task.
#[derive(Clone, Debug, Default)]
pub(super) struct Sets {
    pub bases: Vec<Example>,
    /// Empty where every epoch makes its own.
    pub training: Vec<Example>,
    pub id: Vec<Example>,
    pub ood: Vec<Example>,
}

impl DataTask {
    /// A task of one's own: a table of categories, trained on as it is, or on some of it at a time
    /// ([`Tabular::drawing`]).
    ///
    /// # Panics
    ///
    /// If an example is not a row of the table with a class of it.
    #[doc(hidden)]
    pub fn of_table(
        name: impl Into<String>,
        table: Tabular,
        training: Vec<Example>,
        id: Vec<Example>,
        ood: Vec<Example>,
    ) -> DataTask {
        let name: Cow<'static, str> = Cow::Owned(name.into());
        for example in training.iter().chain(&id).chain(&ood) {
            assert!(table.has(example), "{name}: {example:?} does not fit the columns and classes of its table");
        }
        let bases = training.clone();
        let training = if table.draws(training.len()).is_some() { vec![] } else { training };
        let sets = Sets { bases, training, id, ood };
        DataTask {
            title: name.clone(),
            name,
            domain: Arc::new(table),
            pick: None,
            sets,
            stand_in: None,
            setup: None,
        }
    }

    /// The same task, taught by other base examples, as [`DataTask::read`] gives them. This is for a task that draws images of
    /// its bases anew in every epoch, which is Sudoku; others choose theirs together with their test sets
    /// ([`Entry::load`](super::Entry::load)).
    pub fn with_bases(mut self, bases: Vec<Example>) -> Result<DataTask, TaskError> {
        let task = self.name.to_string();
        if self.is_fixed() {
            return Err(TaskError::FixedBases { task });
        }
        if bases.is_empty() {
            return Err(TaskError::NoBases { task });
        }
        for (at, base) in bases.iter().enumerate() {
            if self.label_by_rule(&base.input).as_ref() != Some(&base.target) {
                return Err(TaskError::Base { task, number: at + 1 });
            }
        }
        self.sets.bases = bases;
        Ok(self)
    }

    /// Its name on the command line.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its name in the paper's tables.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// How large an encoded example is.
    pub fn shape(&self) -> Shape {
        self.domain.shape()
    }

    /// Where the answer is read.
    pub fn readout(&self) -> Readout {
        self.domain.readout()
    }

    /// How the base examples were chosen; none where the paper says which they are.
    pub fn pick(&self) -> Option<Pick> {
        self.pick
    }

    /// What is not the paper's data, in words for a report; none if all of it is.
    pub fn stand_in(&self) -> Option<&'static str> {
        self.stand_in
    }

    /// The ten examples that everything learned comes from.
    pub fn bases(&self) -> &[Example] {
        &self.sets.bases
    }

    /// Whether every epoch trains on the same examples, so that they need encoding only once.
    pub fn is_fixed(&self) -> bool {
        !self.sets.training.is_empty()
    }

    /// What a learner trains on in an epoch: a function of (seed, epoch) alone, so that
    /// different models with one seed see the same.
    pub fn epoch(&self, seed: u64, epoch: u32) -> Cow<'_, [Example]> {
        match self.domain.epoch(&self.sets.bases, RandomStream::new(seed, Stream::Augment, epoch)) {
            Some(examples) => Cow::Owned(examples),
            None => Cow::Borrowed(&self.sets.training),
        }
    }

    /// A test set.
    pub fn split(&self, split: Split) -> &[Example] {
        match split {
            Split::Id => &self.sets.id,
            Split::Ood => &self.sets.ood,
        }
    }

    /// Checksum of every example of the task with its answer, bases and test sets: what a run
    /// must find unchanged when it goes on.
    pub fn fingerprint(&self) -> String {
        let mut sha = Sha256::new();
        for (name, set) in [("bases", &self.sets.bases), ("training", &self.sets.training)]
            .into_iter()
            .chain([("id", &self.sets.id), ("ood", &self.sets.ood)])
        {
            sha.update(format!("{name} {}\n", set.len()));
            for Example { input, target, weight, .. } in set {
                // As it is in the manifests of kept runs.
                let text = format!("Example {{ input: {input:?}, target: {target:?}, weight: {weight:?} }}\n");
                sha.update(text);
            }
        }
        format!("sha256:{}", hex(&sha.finalize()))
    }

    /// The share of a test set whose answers follow from the base examples for someone who knows which number decides
    /// them, but not which numbers mean what; the others can only be guessed. None if no number decides.
    pub fn decided(&self, split: Split) -> Option<f64> {
        // By number, what a base example answers.
        let mut known = [BTreeSet::new(), BTreeSet::new()];
        for example in &self.sets.bases {
            for (place, answer) in example.target.scored() {
                let number = self.domain.deciding(&example.input, place)?.number;
                known[usize::from(answer > 0)].insert(number);
            }
        }
        let [no, yes] = &known;
        let follows = |input: &[u8], place| {
            let Deciding { number, is_threshold } = self.domain.deciding(input, place)?;
            let beyond =
                no.last().is_some_and(|&most| number <= most) || yes.first().is_some_and(|&least| number >= least);
            Some(no.contains(&number) || yes.contains(&number) || is_threshold && beyond)
        };
        let examples = self.split(split);
        let each = |example: &Example| {
            let mut places = example.target.scored();
            places.try_fold(true, |all, (place, _)| Some(follows(&example.input, place)? && all))
        };
        let each: Option<Vec<bool>> = examples.iter().map(each).collect();
        each.map(|each| Example::mean_score(examples, |i, _| f64::from(u8::from(each[i]))))
    }

    /// The tokens that there can be, where a token is decided by its place and its symbol alone.
    pub fn kinds(&self) -> Option<Kinds> {
        self.domain.kinds()
    }

    /// Replaces what is in `out` by an example of this task as a model reads it.
    #[doc(hidden)]
    pub fn encode(&self, example: &Example, out: &mut Encoded) {
        out.clear(self.shape());
        out.real = self.length(example);
        self.domain.encode(&example.input, out);
    }

    /// Tokens of an example that are no padding.
    pub fn length(&self, example: &Example) -> usize {
        self.domain.length(&example.input)
    }

    /// Whether logits of a model, as [`Readout::logits`] counts them, answer an example. A board
    /// is right only if all its cells are; given cells count as copied.
    pub fn is_correct(&self, example: &Example, logits: &[f32]) -> bool {
        example.target.is_answered_by(self.readout(), logits)
    }

    /// What a simple rule may tell the answer at a place of the target from.
    pub(crate) fn features(&self, input: &[u8], place: usize) -> Features {
        self.domain.features(input, place)
    }

    /// Clauses of a formula; none where an input is no formula.
    pub(crate) fn clauses(&self, input: &[u8]) -> Option<usize> {
        self.domain.clauses(input)
    }

    /// Every input there is with its answer by the rule, each once; none where there are too many, or no rule.
    pub fn inputs(&self) -> Option<Vec<Example>> {
        Some(labelled(&*self.domain, self.domain.inputs()?))
    }

    /// The answer to an input by the task's rule alone; none if the rule does not decide it
    /// (a Sudoku without a unique solution, a table without a rule).
    pub fn label_by_rule(&self, input: &[u8]) -> Option<Target> {
        self.domain.label(input)
    }
}

/// Inputs with the answers that the rule gives.
pub(super) fn labelled(domain: &dyn Domain, inputs: impl IntoIterator<Item = Vec<u8>>) -> Vec<Example> {
    let label = |input: Vec<u8>| {
        let target = domain.label(&input).expect("the rule applies to all inputs of this task");
        Example::new(input, target)
    };
    inputs.into_iter().map(label).collect()
}
