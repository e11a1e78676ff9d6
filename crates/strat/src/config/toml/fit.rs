//! Whether the values of a setting go together, and with the examples; and what it is called then.

use super::facts::TaskFacts;
use super::keys::Key;
use crate::model::{
    Architecture, AttentionMask, BlockConfigError, BlockModel, ModelError, ModelFault, ModelRecord, Readout, Unit,
    Unityped,
};

/// What is wrong with a whole setting: the keys that could be to blame, the best to change first, and why.
pub(super) type Blame = (&'static [Key], String);

/// Which keys make a model impossible, and why.
pub(super) fn blame(e: ModelError) -> Blame {
    let ModelError(ModelFault::BlockConfig(e)) = e else {
        return (&[Key::Width, Key::Heads, Key::Types, Key::Kind], e.to_string());
    };
    match e {
        BlockConfigError::Heads { field: "route", value, heads } => {
            (&[Key::Route, Key::Heads], format!("heads should divide route, but they are {heads} and {value}"))
        }
        BlockConfigError::Heads { value, heads, .. } => (
            &[Key::Heads, Key::Mask],
            format!(
                "heads should divide the width of Type, which the examples make {value}, but there are {heads}"
            ),
        ),
        BlockConfigError::Causal(heads) => {
            (&[Key::Heads, Key::Mask], format!("a causal mask has one head, but there are {heads}"))
        }
        BlockConfigError::Resting => (
            &[Key::UpdatesType, Key::Route],
            "where Data does not travel (route = false), updates_type should be true".into(),
        ),
        other => (&[Key::Kind], format!("the examples are too large: {other}")),
    }
}

/// STRAT's answer is read from Data behind a LayerNorm: of one number that leaves 0, of two only which is larger.
pub(super) fn not_too_narrow(model: &ModelRecord) -> Result<(), Blame> {
    let ModelRecord::Blocks(BlockModel { architecture: Architecture::Strat, sizes }) = model else { return Ok(()) };
    if sizes.route.is_none() || sizes.data > 2 {
        return Ok(());
    }
    let lost = ["is 0, whatever it was", "tells only which one is larger"][sizes.data - 1];
    let why =
        format!("STRAT reads its answer from Data behind a LayerNorm, where data of width {} {lost}", sizes.data);
    Err((
        &[Key::Route, Key::Kind],
        format!("{why}; give data at least 3 columns (zeros will do), or set route = false"),
    ))
}

/// What a row of such a model is called.
pub(super) fn title(model: &ModelRecord) -> String {
    match model {
        ModelRecord::Blocks(m) => m.architecture.title().into(),
        ModelRecord::Lite(_) => "STRAT-Lite".into(),
        ModelRecord::Unityped(config) => format!("Config {}", config_name(*config)),
        ModelRecord::Unit(Unit::Nac) => "NAC".into(),
        ModelRecord::Unit(Unit::Nalu) => "NALU".into(),
        ModelRecord::Own(own) => own.spec.kind.clone(),
    }
}

/// As on disk.
pub(super) fn config_name(config: Unityped) -> String {
    serde_json::to_value(config).ok().and_then(|name| name.as_str().map(String::from)).unwrap_or_default()
}

impl TaskFacts {
    /// Whether tokens can see each other so.
    pub(super) fn sees(&self, mask: AttentionMask) -> Result<(), Blame> {
        let tokens = self.tokens;
        match mask {
            AttentionMask::Torus(side) if side * side != tokens => {
                let reason =
                    format!("a torus of side {side} has {} tokens, but the examples have {tokens}", side * side);
                Err((&[Key::Side, Key::Mask], reason))
            }
            AttentionMask::Causal(_) if matches!(self.readout, Readout::Class(_)) => {
                let why = "a class is read at the first token, which sees only itself under a causal mask";
                Err((&[Key::Mask], format!("{why}; use full")))
            }
            AttentionMask::Full | AttentionMask::Torus(_) if self.is_padded => {
                let why = "examples differ in length, and only a causal mask keeps tokens from seeing the padding";
                Err((&[Key::Mask], format!("{why}; use causal, or make all examples equally long")))
            }
            _ => Ok(()),
        }
    }
}
