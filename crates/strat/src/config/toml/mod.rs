//! Settings from a TOML file and from `--set`: which models, how they are trained, and every combination of lists.
//!
//! - `error`: [`ConfigFileError`], with the [`Place`] of what is wrong
//! - `item`: values with their places; `keys`: the keys that there are
//! - `facts`: what a task says of itself ([`TaskFacts`]); `draft`: a setting on its way from the task's offer to its end; `fit`: whether it can be trained
//! - `resolve`: all settings of a file ([`ResolvedConfig`]); `write`: the way back ([`Setup::to_toml`](super::Setup::to_toml))

mod draft;
mod error;
mod facts;
mod fit;
mod item;
mod keys;
mod resolve;
mod write;

pub use error::{ConfigFileError, Place};
pub use facts::{InputFacts, TaskFacts};
pub use resolve::{MOST_SETTINGS, ResolvedConfig, Setting};

use crate::escape::one_line;
use crate::seeds::Seeds;
use item::{Item, Node, Source, file_name};
use keys::{Key, SECTIONS};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// The longest file that is read, in bytes.
const LONGEST: u64 = 1 << 20;
/// Most values of one list.
const LONGEST_LIST: usize = 1000;
/// What seeds look like.
const SEEDS: &str = "as in \"41..=50\"";

/// A configuration: what a file and the command line say of models and training. Keys are known, lists are sound; what
/// the values mean, [`ConfigFile::resolve`] finds out.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    name: Arc<str>,
    entries: BTreeMap<Key, Item>,
    sets: usize,
}

/// What is asked of the examples of a file, as far as a configuration says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadoutChoice {
    /// Where the answer is read; by default the target's numbers tell.
    pub kind: Option<ReadoutKind>,
    /// How many classes there are; by default one more than the largest.
    pub classes: Option<usize>,
}

/// A [`Readout`](crate::model::Readout) without its number of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadoutKind {
    /// One of several classes.
    Class,
    /// Yes or no.
    Binary,
    /// One of several classes at every token.
    TokenClass,
    /// Yes or no at every token.
    TokenBinary,
    /// A number.
    Number,
}

impl ReadoutKind {
    /// All of them.
    pub const ALL: [ReadoutKind; 5] = [
        ReadoutKind::Class,
        ReadoutKind::Binary,
        ReadoutKind::TokenClass,
        ReadoutKind::TokenBinary,
        ReadoutKind::Number,
    ];

    /// As in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            ReadoutKind::Class => "class",
            ReadoutKind::Binary => "binary",
            ReadoutKind::TokenClass => "token-class",
            ReadoutKind::TokenBinary => "token-binary",
            ReadoutKind::Number => "number",
        }
    }
}

impl ConfigFile {
    /// One that says nothing, called so in messages.
    pub fn empty(name: &str) -> ConfigFile {
        ConfigFile { name: file_name(name), entries: BTreeMap::new(), sets: 0 }
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<ConfigFile, ConfigFileError> {
        let fail = |source| ConfigFileError::Io { path: path.into(), source };
        let mut bytes = vec![];
        File::open(path).map_err(fail)?.take(LONGEST + 1).read_to_end(&mut bytes).map_err(fail)?;
        if bytes.len() as u64 > LONGEST {
            return Err(ConfigFileError::TooLong { path: path.into(), most: LONGEST });
        }
        let text = String::from_utf8(bytes).map_err(|e| fail(std::io::Error::other(e)))?;
        ConfigFile::parse(&path.display().to_string(), &text)
    }

    /// Reads a text, called so in messages.
    pub fn parse(name: &str, text: &str) -> Result<ConfigFile, ConfigFileError> {
        let mut config = ConfigFile::empty(name);
        let source = Source { text, start: Place::Line(config.name.clone(), 1) };
        for (key, item) in source.parse()? {
            config.add(shown_key(&key), item)?;
        }
        Ok(config)
    }

    /// Sets a key as `--set` does: `train.learning_rate=0.003`. The value is TOML, or a word without quotes.
    pub fn set(&mut self, text: &str) -> Result<(), ConfigFileError> {
        self.sets += 1;
        let at = Place::Set(self.sets);
        let fail = || ConfigFileError::Set { at: at.clone(), text: text.into() };
        let (key, value) = text.split_once('=').ok_or_else(fail)?;
        let (key, value) = (key.trim(), value.trim());
        // A line break would begin another key.
        if key.is_empty() || value.is_empty() || value.contains(char::is_control) {
            return Err(fail());
        }
        let source = Source { text: &format!("{} = {value}", "value"), start: at.clone() };
        let item = match source.parse() {
            Ok(mut one) => one.pop().ok_or_else(fail)?.1,
            Err(e) if value.starts_with(['[', '{', '"', '\'']) => return Err(e),
            Err(_) => Item::word(at.clone(), value),
        };
        match key.strip_prefix("train.anneal.") {
            Some(part) => self.set_part(Key::Anneal, part, item),
            None => self.add(one_line(key).into_owned(), item),
        }
    }

    /// Sets one part of a value that is a table.
    fn set_part(&mut self, key: Key, part: &str, item: Item) -> Result<(), ConfigFileError> {
        let at = item.at.clone();
        let mut parts = match self.entries.remove(&key).map(|entry| entry.node) {
            Some(Node::Table(parts)) => parts,
            Some(Node::List(_)) => {
                let expected = "set as a whole, because the file has a list of them";
                return Err(item.wrong(format!("{}.{}", key.path(), one_line(part)), expected));
            }
            _ => vec![],
        };
        if let Some(place) = parts.iter().position(|p| p.0 == part) {
            let (_, old) = parts.remove(place);
            if let first @ Place::Set(_) = old.at {
                let key = format!("{}.{}", key.path(), one_line(part));
                return Err(ConfigFileError::Duplicate { at, key, first });
            }
        }
        let shown = item.shown.clone();
        parts.push((part.into(), item));
        self.entries.insert(key, Item { at, shown, node: Node::Table(parts) });
        Ok(())
    }

    /// Adds what a file or a `--set` says; the second goes before the first.
    fn add(&mut self, path: String, item: Item) -> Result<(), ConfigFileError> {
        let key = Key::of(&path);
        if let (Node::Table(parts), None) = (&item.node, key)
            && !parts.is_empty()
        {
            let Node::Table(parts) = item.node else { unreachable!("just seen") };
            return parts
                .into_iter()
                .try_for_each(|(part, item)| self.add(format!("{path}.{}", shown_key(&part)), item));
        }
        if SECTIONS.contains(&&*path) {
            let empty = matches!(item.node, Node::Table(_));
            let expected = format!("a table: a line [{path}] with its keys below");
            return if empty { Ok(()) } else { Err(item.wrong(path, expected)) };
        }
        let Some(key) = key else {
            let at = item.at;
            return Err(match Key::is_decided(&path) {
                true => ConfigFileError::Decided { at, key: path },
                false => ConfigFileError::Unknown { at, hint: Key::hint(&path), key: path },
            });
        };
        check_list(key, &item)?;
        if let Some(Item { at: first @ Place::Set(_), .. }) = self.entries.get(&key) {
            let (at, first) = (item.at, first.clone());
            return Err(ConfigFileError::Duplicate { at, key: path, first });
        }
        self.entries.insert(key, item);
        Ok(())
    }

    /// What is asked of the examples of a file.
    pub fn readout(&self) -> Result<ReadoutChoice, ConfigFileError> {
        let mut choice = ReadoutChoice::default();
        if let Some(item) = self.entries.get(&Key::Readout) {
            let known = ReadoutKind::ALL.into_iter().find(|kind| item.text() == Some(kind.name()));
            choice.kind = Some(known.ok_or_else(|| item.wrong(Key::Readout.path(), Key::Readout.about()))?);
        }
        if let Some(item) = self.entries.get(&Key::Classes) {
            let classes = item.whole().filter(|n| (2..=256).contains(n));
            choice.classes =
                Some(classes.ok_or_else(|| item.wrong(Key::Classes.path(), "a whole number from 2 to 256"))?);
            if !matches!(choice.kind, None | Some(ReadoutKind::Class | ReadoutKind::TokenClass)) {
                let needs = "task.readout = \"class\" or \"token-class\"";
                let (at, key) = (item.at.clone(), Key::Classes.path());
                return Err(ConfigFileError::NoEffect { at, key, needs });
            }
        }
        Ok(choice)
    }

    /// The seeds that it names.
    pub fn seeds(&self) -> Result<Option<Seeds>, ConfigFileError> {
        let Some(item) = self.entries.get(&Key::Seeds) else { return Ok(None) };
        let text = item.text().ok_or_else(|| item.wrong(Key::Seeds.path(), format!("a text {SEEDS}")))?;
        text.parse().map(Some).map_err(|e: crate::seeds::SeedsError| {
            let (at, key) = (item.at.clone(), Key::Seeds.path());
            ConfigFileError::Misfit { at, key, reason: format!("{} {e}", item.shown) }
        })
    }
}

/// A key of a file as part of a path; one with a dot in it is none of ours.
fn shown_key(key: &str) -> String {
    let key = one_line(key);
    if key.contains('.') { format!("{key:?}") } else { key.into_owned() }
}

/// What holds for lists, whatever is in them.
fn check_list(key: Key, item: &Item) -> Result<(), ConfigFileError> {
    let Node::List(list) = &item.node else { return Ok(()) };
    let at = item.at.clone();
    let one = match key {
        Key::Seeds => Some(SEEDS),
        Key::Readout => Some("as in \"class\""),
        Key::Classes => Some("as in 5"),
        _ => None,
    };
    if let Some(expected) = one {
        return Err(ConfigFileError::NoSweep { at, key: key.path().into(), expected });
    }
    let (found, most) = (list.len(), LONGEST_LIST);
    if found == 0 {
        return Err(ConfigFileError::EmptyList { at, key: key.path() });
    }
    if found > most {
        return Err(ConfigFileError::LongList { at, key: key.path(), found, most });
    }
    let choices = item.choices(key);
    let twice = (1..choices.len()).find(|&i| choices[..i].iter().any(|before| before.is_same(&choices[i])));
    match twice {
        Some(i) => Err(ConfigFileError::Repeated { at, key: key.path(), value: choices[i].shown.clone() }),
        None => Ok(()),
    }
}

impl Item {
    /// The values to be tried. Hidden widths are a list themselves, so that a sweep of them is a list of lists.
    fn choices(&self, key: Key) -> &[Item] {
        match &self.node {
            Node::List(list) if key != Key::Hidden || list.iter().all(|item| item.list().is_some()) => list,
            _ => std::slice::from_ref(self),
        }
    }

    fn wrong(&self, key: impl Into<String>, expected: impl Into<String>) -> ConfigFileError {
        let (at, value) = (self.at.clone(), self.shown.clone());
        ConfigFileError::Value { at, key: key.into(), value, expected: expected.into() }
    }
}
