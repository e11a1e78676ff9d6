//! Settings from TOML: what is read, what is refused and in which words, and the way back.

mod read;
mod refused;
mod written;

use proptest::prelude::*;
use strat::config::{
    ConfigFile, ConfigFileError, InputFacts, ReadoutChoice, ReadoutKind, ResolvedConfig, Setup, TaskFacts,
};
use strat::internals::MOST_SETTINGS;
use strat::model::{
    Architecture, AttentionMask, BlockConfig, BlockModel, BlockOptions, Init, Lite, ModelRecord, Readout, Start,
    Types, Unit, Unityped,
};
use strat::seeds::Seeds;
use strat::task::Entry;
use strat::train::{Adam, Anneal, Schedule, TrainConfig};

fn facts(inputs: &[(&str, usize, usize)], tokens: usize, readout: Readout) -> TaskFacts {
    let input = |&(name, rows, width): &(&str, usize, usize)| InputFacts { name: name.into(), rows, width };
    let inputs = inputs.iter().map(input).collect();
    TaskFacts { name: "votes.jsonl".into(), inputs, tokens, is_padded: false, readout, is_file: true }
}

/// Nine tokens of 8 + 3 channels, in one of two classes.
fn table() -> TaskFacts {
    facts(&[("data", 9, 3), ("type", 9, 8)], 9, Readout::Class(2))
}

fn sums() -> TaskFacts {
    facts(&[("kind", 5, 1), ("value", 3, 1)], 5, Readout::Number)
}

/// The settings for a table of one's own; texts after the first are those of `--set`.
fn resolve(task: &TaskFacts, texts: &[&str]) -> Result<ResolvedConfig, ConfigFileError> {
    let mut config = ConfigFile::parse("c.toml", texts[0])?;
    texts[1..].iter().try_for_each(|text| config.set(text))?;
    config.resolve(task, None)
}

fn block_of(model: &ModelRecord) -> &BlockModel {
    match model {
        ModelRecord::Blocks(model) => model,
        other => panic!("{other:?}"),
    }
}
