//! What models read, and where their answers are read: all that a task and a model must agree on.

use serde::{Deserialize, Serialize};

/// How large an encoded example is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Tokens; the most there are where examples differ in length.
    pub tokens: usize,
    /// Channels of Type.
    pub types: usize,
    /// Channels of Data.
    pub data: usize,
}

/// Where a model's answer is read, and how wide it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Readout {
    /// The first token names one of so many classes.
    Class(usize),
    /// One logit for the whole sequence: positive means yes.
    #[serde(rename = "verdict")]
    Binary,
    /// Every token names one of so many values.
    #[serde(rename = "values")]
    TokenClass(usize),
    /// One logit for every token: positive means yes.
    #[serde(rename = "bits")]
    TokenBinary,
    /// A number for the whole sequence; its loss is the squared error.
    Number,
}

impl Readout {
    /// How many values an answer can have, at the first token or at every one; none are counted of numbers.
    pub fn values(self) -> usize {
        match self {
            Readout::Class(values) | Readout::TokenClass(values) => values,
            Readout::Binary | Readout::TokenBinary => 2,
            Readout::Number => 0,
        }
    }

    /// Logits a model gives for an example of `tokens` tokens.
    pub fn logits(self, tokens: usize) -> usize {
        match self {
            Readout::Class(classes) => classes,
            Readout::Binary | Readout::Number => 1,
            Readout::TokenClass(values) => tokens * values,
            Readout::TokenBinary => tokens,
        }
    }
}

/// The tokens that there can be, where a token is decided by its place and its symbol alone: token `t` is of kind
/// `of[t].0` plus the input's symbol `t − 1`; the first token has no symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct Kinds {
    /// The kinds that each token can be of, first and one past the last.
    pub of: Vec<(usize, usize)>,
    /// `[kinds, types]`
    pub types: Vec<f64>,
    /// `[kinds, data]`
    pub data: Vec<f64>,
}

impl Kinds {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.of.last().map_or(0, |last| last.1)
    }

    /// The kind of every token of an input.
    pub fn numbers<'a>(&'a self, input: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
        let symbols = std::iter::once(&0).chain(input);
        self.of.iter().zip(symbols).map(|(of, &symbol)| of.0 + usize::from(symbol))
    }

    /// Type and Data of tokens of these kinds, numbered from 1 on.
    pub fn inputs(&self, kinds: &[f64]) -> [(&'static str, Vec<f64>); 2] {
        [("type", &self.types), ("data", &self.data)].map(|(name, rows)| {
            let width = rows.len() / self.count();
            let row = |&kind: &f64| &rows[(kind as usize - 1) * width..][..width];
            (name, kinds.iter().flat_map(row).copied().collect())
        })
    }
}

/// Kinds of token in a sum, as the models' inputs number them (0 is padding).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A number.
    Literal = 1,
    /// `+`
    Plus = 2,
    /// `−`
    Minus = 3,
}

impl Kind {
    /// All of them, in order.
    pub const ALL: [Kind; 3] = [Kind::Literal, Kind::Plus, Kind::Minus];
}

/// Different items of a grocery list; their ids are `1..=ITEMS` (0 is padding).
pub const ITEMS: usize = 15;
