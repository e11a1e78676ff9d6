//! A value of a configuration with its place, as plain data.

use super::error::{ConfigFileError, Place};
use crate::escape::one_line;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The longest value that a message repeats, in characters.
const SHOWN: usize = 60;

/// A value, where it stands, and how it was written.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub at: Place,
    pub shown: String,
    pub node: Node,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Item>),
    Table(Vec<(String, Item)>),
    /// A date, or an integer that is too large.
    Other,
}

/// A text of TOML, and what to call it.
pub(super) struct Source<'a> {
    pub text: &'a str,
    /// Where its first line is; all lines of a `--set` are one place.
    pub start: Place,
}

impl Source<'_> {
    fn place(&self, offset: usize) -> Place {
        let before = self.text.as_bytes().iter().take(offset);
        match &self.start {
            Place::Line(file, first) => Place::Line(file.clone(), first + before.filter(|&&b| b == b'\n').count()),
            other => other.clone(),
        }
    }

    /// All keys of the text with their values, in the order of names.
    pub fn parse(&self) -> Result<Vec<(String, Item)>, ConfigFileError> {
        let table = DeTable::parse(self.text).map_err(|e| {
            let span = e.span().unwrap_or_default();
            let reason = one_line(e.message()).into_owned();
            let at = self.place(span.start);
            let key = self.text.get(span).unwrap_or("");
            if reason == "duplicate key" {
                // The parser does not say where the first one is.
                return ConfigFileError::Syntax { at, reason: format!("the key {} is there twice", shown(key)) };
            }
            ConfigFileError::Syntax { at, reason }
        })?;
        Ok(self.table(table.get_ref()))
    }

    fn table(&self, table: &DeTable<'_>) -> Vec<(String, Item)> {
        let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
            let key: &Spanned<std::borrow::Cow<'_, str>> = key;
            let item = self.item(value);
            // A table under a heading stands where its heading is.
            let at = self.place(key.span().start);
            (key.get_ref().to_string(), Item { at, ..item })
        };
        table.iter().map(entry).collect()
    }

    fn item(&self, value: &Spanned<DeValue<'_>>) -> Item {
        let node = match value.get_ref() {
            DeValue::Boolean(yes) => Node::Bool(*yes),
            DeValue::Integer(n) => i64::from_str_radix(n.as_str(), n.radix()).map_or(Node::Other, Node::Int),
            DeValue::Float(x) => x.as_str().parse().map_or(Node::Other, Node::Float),
            DeValue::String(text) => Node::Text(text.to_string()),
            DeValue::Array(list) => Node::List(list.iter().map(|item| self.item(item)).collect()),
            DeValue::Table(table) => Node::Table(self.table(table)),
            DeValue::Datetime(_) => Node::Other,
        };
        let span = value.span();
        let written = self.text.get(span.clone()).unwrap_or("");
        Item { at: self.place(span.start), shown: shown(written), node }
    }
}

/// A part of a text, on one line and not too long.
fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    one_line(&short).into_owned()
}

impl Item {
    /// A word without quotes.
    pub fn word(at: Place, text: &str) -> Item {
        Item { at, shown: format!("{:?}", shown(text)), node: Node::Text(text.into()) }
    }

    pub fn whole(&self) -> Option<usize> {
        match self.node {
            Node::Int(n) => usize::try_from(n).ok(),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self.node {
            Node::Int(n) => Some(n as f64),
            Node::Float(x) => Some(x),
            _ => None,
        }
    }

    pub fn bool(&self) -> Option<bool> {
        match self.node {
            Node::Bool(yes) => Some(yes),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match &self.node {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn list(&self) -> Option<&[Item]> {
        match &self.node {
            Node::List(list) => Some(list),
            _ => None,
        }
    }

    /// Whether both mean the same; `1e-3` and `0.001` do.
    pub fn is_same(&self, other: &Item) -> bool {
        match (&self.node, &other.node) {
            (Node::Bool(a), Node::Bool(b)) => a == b,
            (Node::Text(a), Node::Text(b)) => a == b,
            (Node::List(a), Node::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(b)),
            (Node::Table(a), Node::Table(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && a.1.is_same(&b.1))
            }
            _ => self.number().is_some() && self.number() == other.number(),
        }
    }

    /// As a row's name has it: numbers in one way, texts without quotes.
    pub fn in_a_name(&self) -> String {
        match &self.node {
            Node::Float(x) => format!("{x:?}"),
            Node::Text(text) => shown(text),
            Node::Table(parts) => {
                let part = |(key, item): &(String, Item)| format!("{key} = {}", item.in_a_name());
                format!("{{{}}}", parts.iter().map(part).collect::<Vec<_>>().join(", "))
            }
            Node::List(list) => {
                format!("[{}]", list.iter().map(Item::in_a_name).collect::<Vec<_>>().join(", "))
            }
            Node::Bool(_) | Node::Int(_) | Node::Other => self.shown.clone(),
        }
    }
}

/// The name of a file as messages have it.
pub(super) fn file_name(name: &str) -> Arc<str> {
    one_line(name).into()
}
