//! Right answers, and which examples are trained on.

use super::error::ArrayFault;
use super::inputs::{all, per_example, whole};
use crate::config::{ReadoutChoice, ReadoutKind};
use crate::data::arrays::{Array, NumberKind};
use crate::model::Readout;
use crate::task::{Example, Target};

/// A class is kept in a byte.
const MOST_CLASSES: usize = 256;

fn found(kind: NumberKind) -> &'static str {
    match kind {
        NumberKind::Bool => "bools",
        NumberKind::Int => "integers",
        NumberKind::Float => "floats",
    }
}

/// Where answers are read: as chosen, or as the target's numbers tell.
pub(super) fn readout(target: Option<&Array>, choice: ReadoutChoice) -> Result<Readout, ArrayFault> {
    let Some(target) = target else { return Err(ArrayFault::NoTarget { found: String::new() }) };
    let (shape, found) = (&target.shape, found(target.kind));
    let by_default = match (shape.len(), target.kind) {
        (1, NumberKind::Bool) => Some(ReadoutKind::Binary),
        (1, NumberKind::Int) => Some(ReadoutKind::Class),
        (1, NumberKind::Float) => Some(ReadoutKind::Number),
        (2, NumberKind::Bool) => Some(ReadoutKind::TokenBinary),
        (2, NumberKind::Int) => Some(ReadoutKind::TokenClass),
        _ => None,
    };
    let kind = choice.kind.or(by_default);
    let kind = kind.ok_or_else(|| ArrayFault::Target { found, shape: shape.clone() })?;
    let (axes, expected) = match kind {
        ReadoutKind::Class | ReadoutKind::Binary | ReadoutKind::Number => (1, "one number for each example"),
        ReadoutKind::TokenClass | ReadoutKind::TokenBinary => (2, "one number for every token"),
    };
    if shape.len() != axes {
        return Err(ArrayFault::Readout { readout: kind.name(), expected, found, shape: shape.clone() });
    }
    // What is no class is told later, with its place.
    let largest = target.values.iter().copied().fold(0.0, f64::max).min(255.0) as usize;
    let classes = choice.classes.unwrap_or((largest + 1).max(2));
    Ok(match kind {
        ReadoutKind::Class => Readout::Class(classes),
        ReadoutKind::TokenClass => Readout::TokenClass(classes),
        _ if choice.classes.is_some() => return Err(ArrayFault::Classes { classes, readout: kind.name() }),
        ReadoutKind::Binary => Readout::Binary,
        ReadoutKind::TokenBinary => Readout::TokenBinary,
        ReadoutKind::Number => Readout::Number,
    })
}

/// What is known of the answers.
pub(super) struct Answers<'a> {
    pub readout: Readout,
    pub target: Option<&'a Array>,
    pub scored: Option<&'a Array>,
    pub tokens: usize,
    pub lengths: &'a [usize],
}

impl Answers<'_> {
    /// Training examples, and those of both tests, each with its number as its only value.
    pub fn examples(
        &self,
        count: usize,
        split: Option<&Array>,
        weight: Option<&Array>,
    ) -> Result<[Vec<Example>; 3], ArrayFault> {
        self.check()?;
        if let Some(split) = split {
            per_example("split", split)?;
            whole("split", split, 0, 2.0, "0 (train), 1 (id) or 2 (ood)")?;
        }
        if let Some(weight) = weight {
            per_example("weight", weight)?;
            all("weight", weight, "at least 0", |x| x >= 0.0)?;
        }
        let mut sets = [const { vec![] }; 3];
        for i in 0..count {
            let example = Example {
                input: vec![],
                values: vec![i as f64],
                target: self.target(i)?,
                weight: weight.map_or(1.0, |weight| weight.values[i]),
            };
            sets[split.map_or(0, |split| split.values[i] as usize)].push(example);
        }
        let is_weightless = |set: &&Vec<Example>| !set.is_empty() && set.iter().all(|e| e.weight == 0.0);
        match sets[1..].iter().position(|set| is_weightless(&set)) {
            Some(test) => Err(ArrayFault::NoWeight { split: test + 1 }),
            None => Ok(sets),
        }
    }

    /// Whether every number is an answer.
    fn check(&self) -> Result<(), ArrayFault> {
        let by_token = matches!(self.readout, Readout::TokenClass(_) | Readout::TokenBinary);
        let arrays = [("target", self.target), ("scored", self.scored.filter(|_| by_token))];
        for (name, array) in arrays.into_iter().filter_map(|(name, array)| array.map(|array| (name, array))) {
            let shape = &array.shape;
            let fits = if by_token { shape.len() == 2 && shape[1] == self.tokens } else { shape.len() == 1 };
            if !fits {
                let tokens = self.tokens;
                let expected = if by_token {
                    format!("the axes [examples, tokens], {tokens} tokens as the inputs have")
                } else {
                    "one axis, a number for each example".into()
                };
                return Err(ArrayFault::Shape { name: name.into(), shape: shape.clone(), expected });
            }
        }
        if let Some(scored) = self.scored {
            all("scored", scored, "0 or 1", |x| x == 0.0 || x == 1.0)?;
            if !by_token {
                return Err(ArrayFault::OneAnswer);
            }
        }
        let Some(target) = self.target else { return Ok(()) };
        match self.readout {
            Readout::Class(n) | Readout::TokenClass(n) => {
                let most = n.min(MOST_CLASSES) - 1;
                whole("target", target, 0, most as f64, &format!("a class, a whole number from 0 to {most}"))
            }
            Readout::Binary | Readout::TokenBinary => all("target", target, "0 or 1", |x| x == 0.0 || x == 1.0),
            Readout::Number => Ok(()),
        }
    }

    fn target(&self, i: usize) -> Result<Target, ArrayFault> {
        let one = self.target.map_or(0.0, |target| target.example(i)[0]);
        Ok(match self.readout {
            Readout::Class(_) => Target::Class(one as u8),
            Readout::Binary => Target::Verdict(one == 1.0),
            Readout::Number => Target::Number(one),
            Readout::TokenClass(_) | Readout::TokenBinary => {
                let real = self.lengths[i];
                let of = |array: &Array, t: usize| array.example(i)[t];
                let is_scored = |t: usize| t < real && self.scored.is_none_or(|scored| of(scored, t) == 1.0);
                let scored: Vec<bool> = (0..self.tokens).map(is_scored).collect();
                if !scored.contains(&true) {
                    return Err(ArrayFault::NothingAsked { example: i });
                }
                let value = |t: usize| self.target.map_or(0, |target| of(target, t) as u8);
                Target::Cells { values: (0..self.tokens).map(value).collect(), scored }
            }
        })
    }
}
