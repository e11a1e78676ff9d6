//! A setting on its way: it begins with what the task offers, and takes one key after the other.

use super::ConfigFileError;
use super::facts::{TaskFacts, WINDOW};
use super::fit::{Blame, blame, title, widen};
use super::item::{Item, Node};
use super::keys::Key;
use crate::config::{Anneal, Schedule, Setup, TrainConfig};
use crate::model::{
    Architecture, AttentionMask, BlockConfigError, BlockModel, Lite, ModelRecord, Types, Unit, Unityped,
};
use serde::Deserialize;
use serde::de::value::{Error as WordError, StrDeserializer};

/// A setting that is not yet whole.
#[derive(Clone)]
pub(super) struct Draft<'a> {
    facts: &'a TaskFacts,
    offered: Option<&'a Setup>,
    pub model: ModelRecord,
    /// But for its schedule.
    train: TrainConfig,
    schedule: Ramp,
    warmup: usize,
    /// What makes it different from others, as in `, learning_rate 0.001`.
    pub varied: String,
}

/// What the sizes and options of blocks need.
const BLOCKS: &str = "model.kind = \"strat\" or \"transformer\"";

/// A schedule without its warmup.
#[derive(Clone, Copy, PartialEq)]
enum Ramp {
    Constant,
    Linear,
    Cosine,
}

/// One of a few words, as records have them.
fn word<'de, T: Deserialize<'de>>(item: &'de Item) -> Option<T> {
    T::deserialize(StrDeserializer::<WordError>::new(item.text()?)).ok()
}

impl<'a> Draft<'a> {
    /// The first model that is offered, or one for such examples; and its training.
    pub fn new(facts: &'a TaskFacts, offered: Option<&'a Setup>) -> Option<Draft<'a>> {
        let model = offered.and_then(|setup| setup.models.first().cloned()).or_else(|| facts.first_model())?;
        let train = offered.map_or_else(TrainConfig::default, |setup| setup.train);
        let (schedule, warmup) = match train.schedule {
            Schedule::Constant => (Ramp::Constant, 0),
            Schedule::Linear { warmup } => (Ramp::Linear, warmup),
            Schedule::Cosine { warmup } => (Ramp::Cosine, warmup),
        };
        let train = TrainConfig { schedule: Schedule::Constant, ..train };
        Some(Draft { facts, offered, model, train, schedule, warmup, varied: String::new() })
    }

    /// Whether a key has an effect on it; otherwise what it needs.
    pub fn takes(&self, key: Key) -> Result<(), &'static str> {
        let mask = match &self.model {
            ModelRecord::Blocks(m) => Some(m.sizes.mask),
            _ => None,
        };
        let (is_strat, moves) = match &self.model {
            ModelRecord::Blocks(m) => (m.architecture == Architecture::Strat, m.sizes.route.is_some()),
            _ => (false, false),
        };
        let is_lite = matches!(self.model, ModelRecord::Lite(_));
        let (takes, needs) = match key {
            Key::Layers | Key::Mask | Key::Hidden | Key::Route | Key::UpdatesType | Key::Biases => {
                (mask.is_some(), BLOCKS)
            }
            Key::StartRoutes | Key::StartValues | Key::StartHidden | Key::StartHead => (mask.is_some(), BLOCKS),
            Key::ScaleScores | Key::Dropout => (mask.is_some(), BLOCKS),
            Key::StartGates => (is_strat, "model.kind = \"strat\""),
            Key::NormRoutes => {
                (is_strat && moves, "model.kind = \"strat\" with a route; without one there is no LayerNorm")
            }
            Key::Window => (matches!(mask, Some(AttentionMask::Causal(_))), "model.mask = \"causal\""),
            Key::Side | Key::StartOffsets => {
                (matches!(mask, Some(AttentionMask::Torus(_))), "model.mask = \"torus\"")
            }
            Key::Heads => (mask.is_some() || is_lite, "model.kind = \"strat\", \"transformer\" or \"lite\""),
            Key::Width => (is_lite, "model.kind = \"lite\""),
            Key::Types => (is_lite, "model.kind = \"lite\"; other models have Type as wide as the examples"),
            Key::Config | Key::Start => {
                (matches!(self.model, ModelRecord::Unityped(_)), "model.kind = \"unityped\"")
            }
            Key::Warmup => (self.schedule != Ramp::Constant, "train.schedule = \"linear\" or \"cosine\""),
            _ => (true, ""),
        };
        if takes { Ok(()) } else { Err(needs) }
    }

    /// Sets one key.
    pub fn apply(&mut self, key: Key, item: &Item) -> Result<(), ConfigFileError> {
        let is_train = key >= Key::Steps;
        let done = match (key, &mut self.model) {
            (Key::Kind, _) => return self.set_kind(item),
            (Key::Anneal, _) => return self.set_anneal(item),
            (_, ModelRecord::Blocks(model)) if !is_train => set_size(model, self.facts, key, item),
            (Key::Config, ModelRecord::Unityped(model)) => set(&mut model.config, word(item)),
            (Key::Start, ModelRecord::Unityped(model)) => set(&mut model.start, word(item)),
            (Key::Width, ModelRecord::Lite(lite)) => set(&mut lite.width, item.whole()),
            (Key::Heads, ModelRecord::Lite(lite)) => set(&mut lite.heads, item.whole()),
            (Key::Types, ModelRecord::Lite(lite)) => set(&mut lite.types, word(item)),
            _ => self.set_training(key, item),
        };
        done.ok_or_else(|| item.wrong(key.path(), expected(key)))?;
        // A value out of range is told at once; what does not go together, in the end.
        match (&self.model, self.train.check()) {
            (_, Err(e)) if is_train => Err(item.wrong(key.path(), e.allowed)),
            (ModelRecord::Blocks(model), _) if !is_train => match model.check() {
                Err(BlockConfigError::Range { most, .. }) => {
                    Err(item.wrong(key.path(), format!("a whole number from 1 to {most}")))
                }
                Err(BlockConfigError::Share { most, .. }) => {
                    Err(item.wrong(key.path(), format!("a number from 0 to {most}")))
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn set_training(&mut self, key: Key, item: &Item) -> Option<()> {
        let TrainConfig { steps, adam, clip, .. } = &mut self.train;
        match key {
            Key::Steps => set(steps, item.whole()),
            Key::LearningRate => set(&mut adam.learning_rate, item.number()),
            Key::WeightDecay => set(&mut adam.weight_decay, item.number()),
            Key::Beta1 => set(&mut adam.beta1, item.number()),
            Key::Beta2 => set(&mut adam.beta2, item.number()),
            Key::Epsilon => set(&mut adam.epsilon, item.number()),
            Key::Clip => set(clip, item.unless_false(item.number())),
            Key::Warmup => set(&mut self.warmup, item.whole()),
            Key::Schedule => {
                let ramps = [("constant", Ramp::Constant), ("linear", Ramp::Linear), ("cosine", Ramp::Cosine)];
                let known = ramps.into_iter().find(|ramp| item.text() == Some(ramp.0));
                set(&mut self.schedule, known.map(|ramp| ramp.1))
            }
            _ => None,
        }
    }

    fn set_kind(&mut self, item: &Item) -> Result<(), ConfigFileError> {
        let offered = || self.offered.into_iter().flat_map(|setup| &setup.models);
        let types = self.facts.arithmetic();
        let lite = Lite { types: types.unwrap_or(Types::Latent), ..Lite::STANDARD };
        let kind = item.text().unwrap_or("");
        let (model, fits, reads): (ModelRecord, _, _) = match kind {
            "strat" | "transformer" => {
                let architecture = if kind == "strat" { Architecture::Strat } else { Architecture::Transformer };
                let same = offered().filter_map(|model| match model {
                    ModelRecord::Blocks(m) => Some(*m),
                    _ => None,
                });
                // Both have the same sizes, unless the task offers others.
                let sizes = same.clone().find(|m| m.architecture == architecture).or_else(|| same.clone().next());
                let sizes = sizes.map_or_else(|| self.facts.sizes(), |model| model.sizes);
                let fits = self.facts.channels().is_some();
                (BlockModel { architecture, sizes }.into(), fits, "type and data, a row for every token")
            }
            "lite" => {
                let known = offered().find(|m| matches!(m, ModelRecord::Lite(_))).cloned();
                let fits = types.is_some();
                (known.unwrap_or(lite.into()), fits, "kind and value, for an answer that is a number")
            }
            "unityped" | "nac" | "nalu" => {
                let known = offered().find(|m| matches!(m, ModelRecord::Unityped(_))).cloned();
                let model = match kind {
                    "unityped" => known.unwrap_or(Unityped::A.into()),
                    "nac" => Unit::Nac.into(),
                    _ => Unit::Nalu.into(),
                };
                let fits = types == Some(Types::Latent);
                (model, fits, "kind, and value of every second token, for an answer that is a number")
            }
            _ => return Err(item.wrong(Key::Kind.path(), Key::Kind.about())),
        };
        if !fits {
            let reason = format!("{} reads {reads}; {} has {}", item.shown, self.facts.name, self.facts.names());
            return Err(ConfigFileError::Misfit { at: item.at.clone(), key: Key::Kind.path(), reason });
        }
        self.model = model;
        Ok(())
    }

    fn set_anneal(&mut self, item: &Item) -> Result<(), ConfigFileError> {
        let Node::Table(parts) = &item.node else {
            self.train.anneal = None;
            let wrong = || item.wrong(Key::Anneal.path(), "{ from, sharpness, rate } or false");
            return (item.bool() == Some(false)).then_some(()).ok_or_else(wrong);
        };
        // Ours, which is on the paper's sums.
        let mut anneal = self.train.anneal.unwrap_or(Anneal { from: 0.6, sharpness: 4.0, rate: 0.01 });
        for (part, item) in parts {
            let path = format!("{}.{}", Key::Anneal.path(), crate::escape::one_line(part));
            let to = match &**part {
                "from" => &mut anneal.from,
                "sharpness" => &mut anneal.sharpness,
                "rate" => &mut anneal.rate,
                _ => {
                    let hint = "there are from, sharpness and rate".into();
                    return Err(ConfigFileError::Unknown { at: item.at.clone(), key: path, hint });
                }
            };
            set(to, item.number()).ok_or_else(|| item.wrong(&path, "a number"))?;
            self.train.anneal = Some(anneal);
            self.train.check().map_err(|e| item.wrong(&path, e.allowed))?;
        }
        self.train.anneal = Some(anneal);
        Ok(())
    }

    /// The whole setting, if it is one.
    pub fn finish(&self) -> Result<(String, ModelRecord, TrainConfig), Blame> {
        let mut model = self.model.clone();
        if let ModelRecord::Blocks(blocks) = &mut model {
            if let Some([types, data]) = self.facts.channels() {
                (blocks.sizes.types, blocks.sizes.data) = (types, data);
                widen(blocks);
            }
            let sizes = &mut blocks.sizes;
            sizes.readout = self.facts.readout;
            // Zeros fill it up to a multiple of the heads.
            sizes.stream = (sizes.types + sizes.data).next_multiple_of(sizes.heads);
            self.facts.sees(sizes.mask)?;
        }
        model.check().map_err(blame)?;
        let warmup = self.warmup;
        let schedule = match self.schedule {
            Ramp::Constant => Schedule::Constant,
            Ramp::Linear => Schedule::Linear { warmup },
            Ramp::Cosine => Schedule::Cosine { warmup },
        };
        let train = TrainConfig { schedule, ..self.train };
        train.check().map_err(|e| (&[Key::Warmup, Key::Steps][..], format!("{e}, which is steps")))?;
        Ok((format!("{}{}", title(&model), self.varied), model, train))
    }
}

fn set<T>(to: &mut T, value: Option<T>) -> Option<()> {
    *to = value?;
    Some(())
}

/// Sets a size of a block.
fn set_size(model: &mut BlockModel, facts: &TaskFacts, key: Key, item: &Item) -> Option<()> {
    let sizes = &mut model.sizes;
    match key {
        Key::Layers => set(&mut sizes.layers, item.whole()),
        Key::Heads => set(&mut sizes.heads, item.whole()),
        Key::Hidden => set(&mut sizes.hidden, item.widths()),
        Key::Route => set(&mut sizes.route, item.unless_false(item.whole())),
        Key::UpdatesType => set(&mut sizes.updates_type, item.bool()),
        Key::StartRoutes => set(&mut sizes.options.start_routes, word(item)),
        Key::StartValues => set(&mut sizes.options.start_values, word(item)),
        Key::StartGates => set(&mut sizes.options.start_gates, word(item)),
        Key::StartHidden => set(&mut sizes.options.start_hidden, word(item)),
        Key::StartHead => set(&mut sizes.options.start_head, word(item)),
        Key::StartOffsets => set(&mut sizes.options.start_offsets, item.number()),
        Key::Dropout => set(&mut sizes.options.dropout, item.number()),
        Key::ScaleScores => set(&mut sizes.options.scale_scores, item.bool()),
        Key::NormRoutes => set(&mut sizes.options.norm_routes, item.bool()),
        Key::Biases => match model.architecture {
            Architecture::Strat => set(&mut sizes.strat_biases, item.bool()),
            Architecture::Transformer => set(&mut sizes.transformer_biases, item.bool()),
        },
        Key::Window => set(&mut sizes.mask, item.whole().map(AttentionMask::Causal)),
        Key::Side => set(&mut sizes.mask, item.whole().map(AttentionMask::Torus)),
        Key::Mask => {
            sizes.mask = match (item.text()?, sizes.mask) {
                ("full", _) => AttentionMask::Full,
                ("causal", causal @ AttentionMask::Causal(_)) => causal,
                ("causal", _) => {
                    sizes.heads = 1;
                    AttentionMask::Causal(WINDOW)
                }
                ("torus", torus @ AttentionMask::Torus(_)) => torus,
                // Of another number of tokens there is no torus, which is told in the end.
                ("torus", _) => AttentionMask::Torus(facts.tokens.isqrt().clamp(1, 16)),
                _ => return None,
            };
            Some(())
        }
        _ => None,
    }
}

impl Item {
    /// One or two widths.
    fn widths(&self) -> Option<[usize; 2]> {
        match self.list()? {
            [one] => Some([one.whole()?, 0]),
            [one, two] => Some([one.whole()?, two.whole()?]),
            _ => None,
        }
    }

    /// A value, or none of it by `false`.
    fn unless_false<T>(&self, value: Option<T>) -> Option<Option<T>> {
        if self.bool() == Some(false) { Some(None) } else { value.map(Some) }
    }
}

/// What a value of the wrong type should be.
fn expected(key: Key) -> &'static str {
    match key {
        Key::Hidden => "a list of one or two widths, as in [68, 68], or a list of such lists",
        Key::Route => "a whole number of at least 1, or false",
        Key::UpdatesType | Key::Biases | Key::ScaleScores | Key::NormRoutes => "true or false",
        Key::StartRoutes | Key::StartValues | Key::StartGates | Key::StartHidden | Key::StartHead | Key::Start => {
            "pytorch, xavier, kaiming or zero"
        }
        Key::StartOffsets | Key::Dropout => "a number",
        Key::Mask => "full, causal or torus",
        Key::Types => "fixed, latent or items",
        Key::Config => "A, A_s, A_ln, A_curr, B_fl, B_fa, B_ortho, C_g, C_sb, B_c, C_b, C_bi or Ref",
        Key::Schedule => "constant, linear or cosine",
        Key::Clip => "a number or false",
        Key::Steps | Key::Warmup => "a whole number of at least 0",
        Key::LearningRate | Key::WeightDecay | Key::Beta1 | Key::Beta2 | Key::Epsilon => "a number",
        _ => "a whole number of at least 1",
    }
}
