//! What a task says of itself, as far as models depend on it.

use crate::model::{Architecture, AttentionMask, BlockConfig, BlockModel, Lite, ModelRecord, Readout, Types};

/// What models for a task depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskFacts {
    /// Its name, for messages.
    pub name: String,
    /// What models read of an example of [`tokens`](TaskFacts::tokens) tokens.
    pub inputs: Vec<InputFacts>,
    /// Tokens of the longest example.
    pub tokens: usize,
    /// Whether some examples have fewer, so that padding must not be seen.
    pub is_padded: bool,
    /// Where the answer is read.
    pub readout: Readout,
    /// Whether it is a file of examples, for which a configuration may say what is asked.
    pub is_file: bool,
}

/// An input of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFacts {
    /// Its name.
    pub name: String,
    /// Its rows; for most inputs, tokens.
    pub rows: usize,
    /// Numbers in a row.
    pub width: usize,
}

/// The window of a causal mask unless another is given, as the paper's tasks on formulas have it here.
pub(super) const WINDOW: usize = 64;

impl TaskFacts {
    fn input(&self, name: &str) -> Option<&InputFacts> {
        self.inputs.iter().find(|input| input.name == name)
    }

    /// Widths of Type and Data, if its tokens have both.
    pub(super) fn channels(&self) -> Option<[usize; 2]> {
        let width = |name| self.input(name).filter(|input| input.rows == self.tokens).map(|input| input.width);
        Some([width("type")?, width("data")?])
    }

    /// Whether kinds and values are those of sums or of lists, and answered by a number.
    pub(super) fn arithmetic(&self) -> Option<Types> {
        let one = |name| self.input(name).filter(|input| input.width == 1).map(|input| input.rows);
        let (kinds, values) = (one("kind")?, one("value")?);
        if self.readout != Readout::Number || kinds != self.tokens {
            None
        } else if values == kinds && kinds != 1 {
            Some(Types::Items)
        } else {
            // Literals stand at every second token, the first and the last among them.
            (kinds + 1 == 2 * values).then_some(Types::Latent)
        }
    }

    /// The model to begin with, where nobody offers one.
    pub(super) fn first_model(&self) -> Option<ModelRecord> {
        let lite = |types| Lite { types, ..Lite::STANDARD }.into();
        let strat = || BlockModel { architecture: Architecture::Strat, sizes: self.sizes() }.into();
        self.channels().map(|_| strat()).or_else(|| self.arithmetic().map(lite))
    }

    /// Blocks as the paper has them for tables, as wide as the examples. Heads must divide the width of Type: four, or
    /// as many of them as do.
    pub(super) fn sizes(&self) -> BlockConfig {
        let [types, data] = self.channels().unwrap_or([1, 1]);
        let heads = if types % 4 == 0 { 4 } else { 2 - types % 2 };
        let sizes =
            BlockConfig { types, data, heads, route: Some(types), readout: self.readout, ..BlockConfig::TABULAR };
        if self.is_padded {
            // What comes later is not seen, and padding comes last.
            return BlockConfig { mask: AttentionMask::Causal(WINDOW), heads: 1, ..sizes };
        }
        sizes
    }

    /// The names of its inputs, for messages.
    pub(super) fn names(&self) -> String {
        let names: Vec<&str> = self.inputs.iter().map(|input| &*input.name).collect();
        crate::escape::list(&names)
    }
}
