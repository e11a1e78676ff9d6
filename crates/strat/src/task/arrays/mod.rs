//! Examples from a file, or from memory: arrays with the examples on their first axis.
//!
//! | array | shape | |
//! |---|---|---|
//! | `target` | `[examples]`, or `[examples, tokens]` | the right answers |
//! | `split` | `[examples]` | 0 train, 1 in distribution, 2 out of it; without it all train |
//! | `length` | `[examples]` | tokens that are no padding |
//! | `weight` | `[examples]` | how much each counts in a test score |
//! | `scored` | `[examples, tokens]` | 1 where an answer is asked for; without it, at every token |
//! | any other | `[examples, tokens, width]` | an input of this name; with two axes its width is 1 |
//!
//! An input has a row for every token, or one for the whole example. `value` may have one for every second token
//! instead: sums are literals and operators in turn, and only literals have values.

mod error;
mod inputs;
mod targets;

use error::ArrayFault;
pub use error::ArrayTaskError;

use super::door::{Changes, Input, Inputs, Task};
use super::{Example, Split};
use crate::config::ReadoutChoice;
use crate::data::DataFolder;
use crate::data::arrays::{self, Array, NamedArrays};
use crate::data::content::hex;
use crate::model::{Readout, Spec};
use inputs::{Column, Rows};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use targets::Answers;

/// A task whose examples are in a file, or in memory.
pub struct ArrayTask {
    name: String,
    fingerprint: String,
    readout: Readout,
    /// Whether right answers are known.
    is_answered: bool,
    tokens: usize,
    inputs: Vec<Column>,
    /// Real tokens of each example.
    lengths: Vec<usize>,
    /// Training examples, and those of both tests.
    sets: [Vec<Example>; 3],
}

/// What a model that was trained on arrays must be given: what a run's files say of the task, beside its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrayForm {
    /// The file's name.
    pub file: String,
    /// Checksum of all arrays ([`ArrayTask::fingerprint`]).
    pub data: String,
    /// Where the answer is read.
    pub readout: Readout,
    /// The inputs with their widths.
    pub inputs: BTreeMap<String, usize>,
}

/// The kind of a [`Spec`] that has an [`ArrayForm`].
const KIND: &str = "arrays";

impl ArrayTask {
    /// The examples of a file: safetensors, npz or JSON lines. What is asked, the target tells, unless it is chosen.
    pub fn read(path: &Path, choice: ReadoutChoice) -> Result<ArrayTask, ArrayTaskError> {
        ArrayTask::named(&path.display().to_string(), file_name(path), arrays::read(path)?, choice)
    }

    /// The examples in arrays, called so in messages and records.
    pub fn new(name: &str, arrays: NamedArrays, choice: ReadoutChoice) -> Result<ArrayTask, ArrayTaskError> {
        ArrayTask::named(name, name.into(), arrays, choice)
    }

    fn named(
        shown: &str,
        name: String,
        arrays: NamedArrays,
        choice: ReadoutChoice,
    ) -> Result<ArrayTask, ArrayTaskError> {
        let fault = |fault: ArrayFault| ArrayTaskError::Fault { name: shown.into(), fault: fault.into() };
        let task = ArrayTask::of(name, arrays, Asked::Choice(choice)).map_err(fault)?;
        if task.sets[0].is_empty() {
            return Err(fault(ArrayFault::NoTraining));
        }
        Ok(task)
    }

    /// Examples of a file for a model that was trained on others; a target is not needed, and all of them are
    /// [asked](ArrayTask::asked).
    pub fn read_for(path: &Path, form: &ArrayForm) -> Result<ArrayTask, ArrayTaskError> {
        ArrayTask::ask(&path.display().to_string(), file_name(path), arrays::read(path)?, form)
    }

    /// The file that a model was trained on, in the data folder or in the current one; it must be the same.
    pub fn find(form: &ArrayForm, folder: &DataFolder) -> Result<ArrayTask, ArrayTaskError> {
        // A record must not name files elsewhere.
        let name = Path::new(&form.file).file_name().unwrap_or_default();
        let places = [folder.root().join(name), name.into()];
        let Some(path) = places.iter().find(|path| path.is_file()) else {
            return Err(ArrayTaskError::NotThere { file: form.file.clone(), folder: folder.root().into() });
        };
        let task = ArrayTask::read_for(path, form)?;
        if task.fingerprint != form.data {
            let (here, there) = (task.fingerprint, form.data.clone());
            return Err(ArrayTaskError::Changed { path: path.clone(), here, there });
        }
        Ok(task)
    }

    /// The same of arrays in memory.
    pub fn new_for(name: &str, arrays: NamedArrays, form: &ArrayForm) -> Result<ArrayTask, ArrayTaskError> {
        ArrayTask::ask(name, name.into(), arrays, form)
    }

    fn ask(shown: &str, name: String, arrays: NamedArrays, form: &ArrayForm) -> Result<ArrayTask, ArrayTaskError> {
        ArrayTask::of(name, arrays, Asked::Form(form))
            .map_err(|fault| ArrayTaskError::Fault { name: shown.into(), fault: fault.into() })
    }

    fn of(name: String, mut arrays: NamedArrays, asked: Asked<'_>) -> Result<ArrayTask, ArrayFault> {
        arrays::check(&arrays)?;
        let fingerprint = fingerprint(&arrays);
        let names = || crate::escape::list(&arrays.keys().collect::<Vec<_>>());
        if let Asked::Form(form) = asked
            && let Some(name) = form.inputs.keys().find(|name| !arrays.contains_key(*name))
        {
            return Err(ArrayFault::NoSuchInput { name: name.clone(), found: names() });
        }
        if matches!(asked, Asked::Choice(_)) && !arrays.contains_key("target") {
            return Err(ArrayFault::NoTarget { found: names() });
        }
        let [target, split, length, weight, scored] =
            ["target", "split", "length", "weight", "scored"].map(|name| arrays.remove(name));
        if let Asked::Form(form) = asked {
            // What the model does not read, such as a number to know examples by, does no harm.
            arrays.retain(|name, _| form.inputs.contains_key(name));
        }
        let (tokens, inputs) = inputs::columns(arrays)?;
        if let Asked::Form(form) = asked {
            for Column { name, width: found, .. } in &inputs {
                let expected = form.inputs[name];
                if *found != expected {
                    return Err(ArrayFault::Width { name: name.clone(), found: *found, expected });
                }
            }
        }
        let count = inputs[0].examples;
        let lengths = inputs::lengths(length, tokens, count)?;
        let readout = match asked {
            Asked::Form(form) => form.readout,
            Asked::Choice(choice) => targets::readout(target.as_ref(), choice)?,
        };
        let answers =
            Answers { readout, target: target.as_ref(), scored: scored.as_ref(), tokens, lengths: &lengths };
        let sets = answers.examples(count, split.as_ref(), weight.as_ref())?;
        let is_answered = target.is_some();
        Ok(ArrayTask { name, fingerprint, readout, is_answered, tokens, inputs, lengths, sets })
    }

    /// Checksum of the names, shapes, kinds and numbers of all arrays, so that a changed file is noticed.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// What a model that is trained on it must be given.
    pub fn form(&self) -> ArrayForm {
        ArrayForm {
            file: self.name.clone(),
            data: self.fingerprint.clone(),
            readout: self.readout,
            inputs: self.inputs.iter().map(|input| (input.name.clone(), input.width)).collect(),
        }
    }

    /// The form of the task that a run's files name, if it was arrays.
    pub fn form_of(spec: &Spec) -> Option<ArrayForm> {
        spec.settings_of(KIND)
    }

    /// Widths of `type` and `data`, if it has both.
    pub fn channels(&self) -> Option<(usize, usize)> {
        let width = |name| self.inputs.iter().find(|input| input.name == name).map(|input| input.width);
        width("type").zip(width("data"))
    }

    /// Whether there was a `target`.
    pub fn is_answered(&self) -> bool {
        self.is_answered
    }

    /// All examples in the order of the file.
    pub fn asked(&self) -> Vec<Example> {
        let mut all: Vec<Example> = self.sets.iter().flatten().cloned().collect();
        all.sort_by_key(|example| self.number(example));
        all
    }

    /// The place of an example in the file, from 0 on.
    pub fn number(&self, example: &Example) -> usize {
        example.values[0] as usize
    }

    /// An example in words: its number.
    pub fn text(&self, example: &Example) -> String {
        format!("example {}", self.number(example))
    }

    /// Whether examples of fewer tokens are shorter. Where a class is read or every token answers, all have
    /// as many, and padding is zeros; kinds of sums have a number for padding.
    fn is_cut(&self) -> bool {
        let of_sums = self.inputs.iter().any(|input| input.rows == Rows::Literal);
        matches!(self.readout, Readout::Binary | Readout::Number) && !of_sums
    }

    fn longest<'a>(&self, examples: impl Iterator<Item = &'a Example>) -> usize {
        examples.map(|example| self.length(example)).max().unwrap_or(self.tokens)
    }
}

/// What decides how answers are read.
#[derive(Clone, Copy)]
enum Asked<'a> {
    /// Examples to learn from.
    Choice(ReadoutChoice),
    /// Examples for a model that was trained.
    Form(&'a ArrayForm),
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn fingerprint(arrays: &NamedArrays) -> String {
    let mut sha = Sha256::new();
    for (name, Array { shape, kind, values }) in arrays {
        sha.update(format!("{name:?} {kind:?} {shape:?}\n"));
        values.iter().for_each(|x| sha.update(x.to_le_bytes()));
    }
    format!("sha256:{}", hex(&sha.finalize()))
}

/// Without its numbers.
impl fmt::Debug for ArrayTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let examples = self.sets.each_ref().map(Vec::len);
        f.debug_struct("ArrayTask").field("form", &self.form()).field("examples", &examples).finish()
    }
}

impl Task for ArrayTask {
    fn name(&self) -> &str {
        &self.name
    }

    fn inputs(&self, tokens: usize) -> Vec<Input> {
        let input = |c: &Column| Input::new(c.name.clone(), c.rows.count(tokens), c.width);
        self.inputs.iter().map(input).collect()
    }

    fn tokens(&self) -> usize {
        self.longest(self.sets[0].iter())
    }

    fn most_tokens(&self) -> usize {
        self.longest(self.sets.iter().flatten())
    }

    fn length(&self, example: &Example) -> usize {
        if self.is_cut() { self.lengths[self.number(example)] } else { self.tokens }
    }

    fn readout(&self) -> Readout {
        self.readout
    }

    fn train(&self, _seed: u64, _step: u32) -> Cow<'_, [Example]> {
        Cow::Borrowed(&self.sets[0])
    }

    fn test(&self, split: Split, _seed: u64) -> Cow<'_, [Example]> {
        match split {
            Split::Id => Cow::Borrowed(&self.sets[1]),
            Split::Ood => Cow::Borrowed(&self.sets[2]),
        }
    }

    fn changes(&self) -> Changes {
        Changes::Never
    }

    /// Padding stays zero, whatever the file has there.
    fn encode(&self, example: &Example, inputs: &mut Inputs<'_>) {
        let number = self.number(example);
        for column in &self.inputs {
            let from = column.example(number, self.lengths[number]);
            let to = inputs.array(&column.name);
            let both = from.len().min(to.len());
            to[..both].copy_from_slice(&from[..both]);
        }
    }

    fn spec(&self) -> Spec {
        Spec::new(KIND, self.form())
    }

    fn fingerprint(&self) -> Option<String> {
        Some(self.fingerprint.clone())
    }
}
