//! Examples from other files and from a line that someone types.

use super::answer::{Answer, AnswerError};
use super::dataset::{DataTask, RowFault};
use super::example::{Example, Split, Target};
use super::grocery::ItemError;
use super::signed_sum::SumError;
use crate::data::{self, DataError, clip};
use crate::model::Readout;
use std::borrow::Cow;
use std::fmt;
use std::path::Path;

/// Most bytes of a file: as much as the largest public one may have.
const LARGEST: u64 = 64 << 20;

/// How a task's examples are written, and its answers said.
pub(super) trait Text {
    /// How one input is typed. Ends in ``such as `…` `` with one that can be read.
    fn form(&self) -> Cow<'static, str>;
    /// What a file of examples is like.
    fn file_form(&self) -> Cow<'static, str>;
    /// The examples of such a file.
    fn read(&self, file: &str, bytes: &[u8]) -> Result<Vec<Example>, ReadFault>;
    /// The input that was typed.
    fn probe(&self, text: &str) -> Result<Vec<u8>, ProbeFault>;
    /// Which of the task's own rules an input breaks: learners have never seen its like. `known` is whether the
    /// rules give it an answer.
    fn objection(&self, _input: &[u8], _known: bool) -> Option<String> {
        None
    }
    /// What each token of an input is, in a few letters.
    fn tokens(&self, input: &[u8]) -> Vec<String>;
    /// What a place of an input is called.
    fn place(&self, at: usize) -> String {
        format!("place {}", at + 1)
    }
    /// How a symbol of an input is written.
    fn symbol(&self, symbol: u8) -> String {
        symbol.to_string()
    }
    /// An answer in the task's words, on one line.
    fn words(&self, target: &Target) -> String;
    /// The same as a board of several lines; none where an answer is no board.
    fn board(&self, _target: &Target) -> Option<String> {
        None
    }
}

/// Why a file gives no examples.
#[derive(Debug, thiserror::Error)]
#[error("{task}: {fault}; this task reads {form}")]
pub struct ReadError {
    task: String,
    fault: Box<ReadFault>,
    /// What a file of this task is like.
    form: String,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadFault {
    /// It cannot be read as data of this form.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A row cannot be an example of the task.
    #[error("{file}:{line}: {fault}")]
    Row {
        /// The file, or `archive/entry`.
        file: String,
        /// The line, from 1 on.
        line: usize,
        /// What is wrong there.
        fault: RowFault,
    },
    /// There is nothing in it.
    #[error("{file}: no example")]
    Empty {
        /// The file.
        file: String,
    },
}

/// Why a text is no input of a task.
#[derive(Debug, thiserror::Error)]
#[error("{task}: {fault}; give {form}")]
pub struct ProbeError {
    pub(super) task: String,
    pub(super) fault: Box<ProbeFault>,
    /// How an input is typed.
    pub(super) form: String,
}

impl ProbeError {
    /// For a task of one's own: what is wrong with a text, and how an example is typed ([`TextForm::form`]).
    pub fn new(
        task: impl Into<String>,
        fault: impl Into<Box<dyn std::error::Error + Send + Sync>>,
        form: impl Into<String>,
    ) -> ProbeError {
        ProbeError { task: task.into(), fault: ProbeFault::Own(fault.into()).into(), form: form.into() }
    }
}

/// What is wrong with a text.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProbeFault {
    /// Too much or too little of something.
    #[error("{found} {what}, but there should be {wanted}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        wanted: Cow<'static, str>,
    },
    /// Something has a value that it cannot have.
    #[error("{place} is {value:?}, but should be {wanted}")]
    Value {
        /// What or which.
        place: String,
        /// What it is, shortened.
        value: String,
        /// What it could be.
        wanted: Cow<'static, str>,
    },
    /// A formula is no DIMACS.
    #[cfg(feature = "sat")]
    #[error(transparent)]
    Formula(#[from] DataError),
    /// A formula stands alone.
    #[cfg(feature = "sat")]
    #[error("no assignment after the formula")]
    NoAssignment,
    /// A variable of the formula is neither true nor false.
    #[cfg(feature = "sat")]
    #[error("variable {0} occurs in the formula, but has no value in the assignment")]
    Unassigned(u32),
    /// A variable is both true and false.
    #[cfg(feature = "sat")]
    #[error("variable {0} is both true and false in the assignment")]
    Contradiction(u32),
    /// A text that is no sum.
    #[error(transparent)]
    Sum(SumError),
    /// A text that is no list.
    #[error(transparent)]
    List(ItemError),
    /// Whatever a task of one's own finds wrong.
    #[error(transparent)]
    Own(Box<dyn std::error::Error + Send + Sync>),
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

impl ProbeFault {
    pub(super) fn value(
        place: impl fmt::Display,
        value: impl fmt::Display,
        wanted: impl Into<Cow<'static, str>>,
    ) -> ProbeFault {
        let (place, value) = (place.to_string(), clip(&value.to_string()));
        ProbeFault::Value { place, value, wanted: wanted.into() }
    }
}

/// `N` cells of a board, one character each. White space and commas are passed over.
pub(super) fn cells<const N: usize>(
    text: &str,
    symbol: fn(char) -> Option<u8>,
    wanted: &'static str,
) -> Result<[u8; N], ProbeFault> {
    let mut cells = [0; N];
    let mut found = 0;
    for c in text.chars().filter(|&c| !c.is_whitespace() && c != ',') {
        let bad = || ProbeFault::value(format_args!("character {}", found + 1), c, wanted);
        let value = symbol(c).ok_or_else(bad)?;
        if let Some(cell) = cells.get_mut(found) {
            *cell = value;
        }
        found += 1;
    }
    if found == N {
        Ok(cells)
    } else {
        Err(ProbeFault::Count { what: "characters", found, wanted: N.to_string().into() })
    }
}

/// An input that someone typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    example: Example,
    known: bool,
}

impl Probe {
    /// An example, and whether its answer is known to be right; else it stands for nothing.
    pub fn new(example: Example, known: bool) -> Probe {
        Probe { example, known }
    }

    /// What a model is given. Its target is only a placeholder where [`Probe::known`] is none.
    pub fn example(&self) -> &Example {
        &self.example
    }

    /// The example with its right answer; none where the task's rule does not decide it (a Sudoku
    /// without a unique solution, a table without a rule).
    pub fn known(&self) -> Option<&Example> {
        self.known.then_some(&self.example)
    }
}

/// How a training example is named, in words, where a task has none of its own.
pub(crate) const BY_NUMBER: &str = "a training example by number, such as `base:1`";

/// How examples of a task are typed and shown, on the command line and on pages. A task of one's own may
/// [have it](super::Task::text).
pub trait TextForm {
    /// How an example is typed, in words: "a sum, such as `12 + 3 - 5`".
    fn form(&self) -> Cow<'static, str>;
    /// Reads an example that someone typed.
    fn parse(&self, text: &str) -> Result<Probe, ProbeError>;
    /// What each token is called; padding is not.
    fn token_names(&self, example: &Example) -> Vec<String>;
    /// What a model's output says.
    fn answer(&self, example: &Example, output: &[f64]) -> Result<Answer, AnswerError>;
    /// The right answer, in the same words.
    fn right_answer(&self, example: &Example) -> Answer;

    /// Examples to begin with, as they are typed; `id:1` is the first test example.
    fn samples(&self) -> &[&str] {
        &["base:1", "base:2"]
    }
    /// How a training example is named by number, where there are no tests, in words.
    fn by_number(&self) -> &'static str {
        BY_NUMBER
    }
    /// Whether an example may be written on several lines, as a board is.
    fn spans_lines(&self) -> bool {
        false
    }
    /// What speaks against asking a model for such an example, if anything does.
    fn objection(&self, _probe: &Probe) -> Option<String> {
        None
    }
}

impl TextForm for DataTask {
    fn form(&self) -> Cow<'static, str> {
        self.domain.form()
    }

    /// ```
    /// use strat::task::TextForm;
    ///
    /// let task = strat::task::by_name("tic-tac-toe")?;
    /// let probe = task.parse("xxx oo. ...")?;
    /// let right = probe.known().map(|example| task.right_answer(example).to_string());
    /// assert_eq!(right.as_deref(), Some("x wins"));
    /// # Ok::<(), strat::Error>(())
    /// ```
    fn parse(&self, text: &str) -> Result<Probe, ProbeError> {
        let unread = |fault: ProbeFault| ProbeError {
            task: self.name().into(),
            fault: fault.into(),
            form: self.form().into(),
        };
        let input = self.domain.probe(text).map_err(unread)?;
        let right = self.label_by_rule(&input);
        let known = right.is_some();
        let target = right.unwrap_or_else(|| self.placeholder());
        Ok(Probe { example: Example::new(input, target), known })
    }

    fn token_names(&self, example: &Example) -> Vec<String> {
        self.domain.tokens(&example.input)
    }

    /// It is right where [`DataTask::is_correct`] says so.
    fn answer(&self, example: &Example, output: &[f64]) -> Result<Answer, AnswerError> {
        let logits: Vec<f32> = output.iter().map(|&x| x as f32).collect();
        self.answer_of(example, &logits)
    }

    fn right_answer(&self, example: &Example) -> Answer {
        self.spoken(example.target.clone())
    }

    fn samples(&self) -> &[&str] {
        // The sets' own formulas have hundreds of tokens; a table of one's own has no test sets.
        match self.readout() {
            Readout::Binary => &["1 -2 0 2 3 0 / 1 2 -3", "1 -2 0 2 3 0 / -1 2 -3"],
            _ if self.split(Split::Id).is_empty() => &["base:1", "base:2"],
            _ => &["id:1", "ood:1"],
        }
    }

    /// What has no tests is a table of one's own.
    fn by_number(&self) -> &'static str {
        "a row of the table, counted from the first, such as `base:1`"
    }

    fn spans_lines(&self) -> bool {
        true
    }

    /// Why an input cannot be one of the task's, though it can be written as one: a game that could not have been
    /// played, a puzzle without a single solution. Learners answer it all the same.
    ///
    /// ```
    /// use strat::task::TextForm;
    ///
    /// let task = strat::task::by_name("tic-tac-toe")?;
    /// let objection = task.objection(&task.parse("xxx oob bbo")?);
    /// assert_eq!(objection.as_deref(), Some("x has a line, but o has as many marks: it moved after the game was won"));
    /// # Ok::<(), strat::Error>(())
    /// ```
    fn objection(&self, probe: &Probe) -> Option<String> {
        self.domain.objection(&probe.example.input, probe.known)
    }
}

impl DataTask {
    /// What a file for [`DataTask::read`] is like: words for a help message.
    pub fn file_form(&self) -> Cow<'static, str> {
        self.domain.file_form()
    }

    /// Examples from the bytes of any file of the task's public form, packed or not; `name` is what
    /// errors call it. Answers are those of the task: where the paper replaces a file's label
    /// by its own rule, so does this; elsewhere the file must agree with the rule. Formulas get the
    /// assignments that the test sets are made with: the solver's, or a drawn one where there is none.
    pub fn read(&self, name: &str, bytes: &[u8]) -> Result<Vec<Example>, ReadError> {
        match self.domain.read(name, bytes) {
            Ok(examples) if examples.is_empty() => Err(self.unread(ReadFault::Empty { file: name.into() })),
            Ok(examples) => Ok(examples),
            Err(fault) => Err(self.unread(fault)),
        }
    }

    /// [`DataTask::read`] of a file that is no larger than 64 MiB.
    pub fn read_file(&self, path: &Path) -> Result<Vec<Example>, ReadError> {
        let bytes = data::read_file(path, LARGEST).map_err(|e| self.unread(e.into()))?;
        self.read(&path.display().to_string(), &bytes)
    }

    fn unread(&self, fault: ReadFault) -> ReadError {
        ReadError { task: self.name().into(), fault: fault.into(), form: self.file_form().into() }
    }

    /// What the places of an input of this length are called.
    pub fn places(&self, count: usize) -> Vec<String> {
        (0..count).map(|at| self.domain.place(at)).collect()
    }

    /// How a symbol of an input is written.
    pub fn symbol(&self, symbol: u8) -> String {
        self.domain.symbol(symbol)
    }

    /// An answer in the task's words.
    pub fn words(&self, target: &Target) -> String {
        self.domain.words(target)
    }

    /// An answer that is only there to be encoded.
    fn placeholder(&self) -> Target {
        match self.readout() {
            Readout::Class(_) => Target::Class(0),
            Readout::Binary => Target::Verdict(false),
            Readout::Number => Target::Number(0.0),
            Readout::TokenClass(_) | Readout::TokenBinary => {
                let cells = self.shape().tokens;
                Target::Cells { values: vec![0; cells], scored: vec![true; cells] }
            }
        }
    }
}
