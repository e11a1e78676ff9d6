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

/// STRAT's answer is read from Data behind a LayerNorm: of one number that leaves 0, of two only which is larger. So it
/// has at least three columns, the last of zeros.
pub(super) fn widen(model: &mut BlockModel) {
    const LEAST: usize = 3;
    let BlockModel { architecture, sizes } = model;
    let is_normed = *architecture == Architecture::Strat && sizes.route.is_some();
    sizes.zeros = if is_normed { LEAST.saturating_sub(sizes.data) } else { 0 };
    sizes.data += sizes.zeros;
}

/// What a row of such a model is called.
pub(super) fn title(model: &ModelRecord) -> String {
    match model {
        ModelRecord::Blocks(m) => m.architecture.title().into(),
        ModelRecord::Lite(_) => "STRAT-Lite".into(),
        ModelRecord::Unityped(m) => format!("Config {}", config_name(m.config)),
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
