//! Arrays that models read.

use super::error::ArrayFault;
use crate::data::arrays::{Array, NamedArrays, NumberKind, index};

/// An input: the numbers of all examples, and what its rows are.
pub(super) struct Column {
    pub name: String,
    pub rows: Rows,
    pub width: usize,
    pub examples: usize,
    values: Vec<f64>,
}

/// What the rows of an input are.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Rows {
    /// Every token has one.
    Token,
    /// Every second one, from the first on.
    Literal,
    /// There is one for the whole example.
    One,
}

impl Rows {
    /// How many there are in so many tokens.
    pub fn count(self, tokens: usize) -> usize {
        match self {
            Rows::Token => tokens,
            Rows::Literal => tokens.div_ceil(2),
            Rows::One => 1,
        }
    }
}

impl Column {
    /// The numbers of an example of so many tokens.
    pub fn example(&self, number: usize, length: usize) -> &[f64] {
        let each = self.values.len() / self.examples;
        &self.values[number * each..][..self.rows.count(length) * self.width]
    }
}

/// Names that a batch has itself, and what for.
const OF_A_BATCH: [(&str, &str); 1] = [("share", "what a real token weighs in the mean of all")];

/// The inputs, and how many tokens there are.
pub(super) fn columns(arrays: NamedArrays) -> Result<(usize, Vec<Column>), ArrayFault> {
    if let Some((name, what)) = OF_A_BATCH.into_iter().find(|(name, _)| arrays.contains_key(*name)) {
        return Err(ArrayFault::Reserved { name: name.into(), what });
    }
    for (name, Array { shape, .. }) in &arrays {
        if shape.len() < 2 || shape.contains(&0) {
            let expected = "the axes [examples, tokens] or [examples, tokens, width], none of them 0".into();
            return Err(ArrayFault::Shape { name: name.clone(), shape: shape.clone(), expected });
        }
    }
    // One of these says how many tokens there are; of others, the longest.
    let longest = || arrays.iter().max_by_key(|(name, array)| (array.shape[1], std::cmp::Reverse(*name)));
    let known = ["type", "kind"].into_iter().find_map(|name| arrays.get_key_value(name));
    let Some((first, array)) = known.or_else(longest) else { return Err(ArrayFault::NoInput) };
    let (tokens, first) = (array.shape[1], first.clone());
    let mut columns = vec![];
    for (name, array) in arrays {
        let found = array.shape[1];
        let rows = match found {
            _ if found == tokens => Rows::Token,
            _ if name == "value" && found == tokens.div_ceil(2) => Rows::Literal,
            1 if !["type", "data", "kind", "value"].contains(&&*name) => Rows::One,
            _ => return Err(ArrayFault::Tokens { name, found, other: first, expected: tokens }),
        };
        let width = array.shape.get(2).copied().unwrap_or(1);
        if name == "kind" {
            whole(&name, &array, 0, 1e9, "a whole number, 0 for padding")?;
        }
        if width != 1 && ["kind", "value"].contains(&&*name) {
            let (shape, expected) = (array.shape, "the axes [examples, tokens]".into());
            return Err(ArrayFault::Shape { name, shape, expected });
        }
        columns.push(Column { name, rows, width, examples: array.shape[0], values: array.values });
    }
    Ok((tokens, columns))
}

/// Real tokens of each example.
pub(super) fn lengths(length: Option<Array>, tokens: usize, count: usize) -> Result<Vec<usize>, ArrayFault> {
    let Some(array) = length else { return Ok(vec![tokens; count]) };
    per_example("length", &array)?;
    whole("length", &array, 1, tokens as f64, &format!("a whole number from 1 to {tokens}, the tokens there are"))?;
    Ok(array.values.iter().map(|&x| x as usize).collect())
}

/// Whether an array has one number for each example.
pub(super) fn per_example(name: &str, array: &Array) -> Result<(), ArrayFault> {
    if array.shape.len() == 1 {
        return Ok(());
    }
    let (shape, expected) = (array.shape.clone(), "one axis, a number for each example".into());
    Err(ArrayFault::Shape { name: name.into(), shape, expected })
}

/// Whether all numbers are whole and in a range.
pub(super) fn whole(name: &str, array: &Array, least: usize, most: f64, expected: &str) -> Result<(), ArrayFault> {
    let fits = |x: f64| array.kind != NumberKind::Float || x.fract() == 0.0;
    all(name, array, expected, |x| fits(x) && (least as f64..=most).contains(&x))
}

/// Whether all numbers are as they should be.
pub(super) fn all(name: &str, array: &Array, expected: &str, fits: impl Fn(f64) -> bool) -> Result<(), ArrayFault> {
    match array.values.iter().position(|&x| !fits(x)) {
        None => Ok(()),
        Some(at) => {
            let (index, value) = (index(&array.shape, at), array.values[at]);
            Err(ArrayFault::Value { name: name.into(), index, value, expected: expected.into() })
        }
    }
}
