//! A setup as a TOML to begin with: every key of its model, each with a word on what it is.

use super::fit::config_name;
use super::keys::{Key, SECTIONS};
use crate::config::{Schedule, Setup, TrainConfig};
use crate::model::{Architecture, AttentionMask, BlockModel, Lite, ModelRecord, Types, Unit};
use std::fmt::Write;

/// Where comments begin.
const COMMENTS: usize = 30;

impl Setup {
    /// A TOML with every key of the first model and of training, which [`ConfigFile::resolve`](super::ConfigFile::resolve)
    /// reads back as the same setting. `title` is its first line.
    pub fn to_toml(&self, title: &str) -> String {
        let mut values =
            vec![(Key::Seeds, format!("\"{}..={}\"", self.seeds.iter().start(), self.seeds.iter().end()))];
        match self.models.first() {
            Some(ModelRecord::Blocks(model)) => values.extend(of_blocks(model)),
            Some(ModelRecord::Lite(lite)) => values.extend(of_lite(lite)),
            Some(ModelRecord::Unityped(model)) => {
                let config = (Key::Config, quoted(&config_name(model.config)));
                values.extend([(Key::Kind, quoted("unityped")), (Key::Start, quoted(model.start.name())), config]);
            }
            Some(ModelRecord::Unit(Unit::Nac)) => values.push((Key::Kind, quoted("nac"))),
            Some(ModelRecord::Unit(Unit::Nalu)) => values.push((Key::Kind, quoted("nalu"))),
            // One's own has no keys here, and none need be written: the first that is offered is taken.
            Some(ModelRecord::Own(_)) | None => {}
        }
        values.extend(of_training(&self.train));
        let mut out = format!("# {}\n", crate::escape::one_line(title));
        out += "# A list instead of a value, as in learning_rate = [1e-3, 3e-3], trains a row of learners for each.\n\n";
        let mut section = "";
        for (key, value) in values {
            let in_section = key.path().split_once('.').map_or("", |(section, _)| section);
            if in_section != section {
                section = in_section;
                debug_assert!(SECTIONS.contains(&section));
                write!(out, "\n[{section}]\n").expect("a string takes all");
            }
            let line = format!("{} = {value}", key.name());
            writeln!(out, "{line:COMMENTS$}# {}", key.about()).expect("a string takes all");
        }
        out
    }
}

fn quoted(word: &str) -> String {
    format!("\"{word}\"")
}

fn or_false<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map_or("false".into(), text)
}

fn of_blocks(BlockModel { architecture, sizes }: &BlockModel) -> Vec<(Key, String)> {
    let options = sizes.options;
    let (mask, of_mask) = match sizes.mask {
        AttentionMask::Full => ("full", None),
        AttentionMask::Causal(window) => ("causal", Some((Key::Window, window.to_string()))),
        AttentionMask::Torus(side) => ("torus", Some((Key::Side, side.to_string()))),
    };
    let biases = match architecture {
        Architecture::Strat => sizes.strat_biases,
        Architecture::Transformer => sizes.transformer_biases,
    };
    let hidden: Vec<String> = sizes.hidden.iter().filter(|&&width| width > 0).map(usize::to_string).collect();
    let mut values = vec![
        (Key::Kind, quoted(architecture.name())),
        (Key::Layers, sizes.layers.to_string()),
        (Key::Mask, quoted(mask)),
    ];
    values.extend(of_mask);
    values.extend([
        (Key::Heads, sizes.heads.to_string()),
        (Key::Hidden, format!("[{}]", hidden.join(", "))),
        (Key::Route, or_false(sizes.route, |width| width.to_string())),
        (Key::UpdatesType, sizes.updates_type.to_string()),
        (Key::Biases, biases.to_string()),
        (Key::StartRoutes, quoted(options.start_routes.name())),
        (Key::StartValues, quoted(options.start_values.name())),
    ]);
    let is_strat = *architecture == Architecture::Strat;
    values.extend(is_strat.then(|| (Key::StartGates, quoted(options.start_gates.name()))));
    values.extend([
        (Key::StartHidden, quoted(options.start_hidden.name())),
        (Key::StartHead, quoted(options.start_head.name())),
    ]);
    let is_torus = matches!(sizes.mask, AttentionMask::Torus(_));
    values.extend(is_torus.then(|| (Key::StartOffsets, format!("{:?}", options.start_offsets))));
    values.extend([(Key::ScaleScores, options.scale_scores.to_string())]);
    values.extend((is_strat && sizes.route.is_some()).then(|| (Key::NormRoutes, options.norm_routes.to_string())));
    values.push((Key::Dropout, format!("{:?}", options.dropout)));
    values
}

fn of_lite(lite: &Lite) -> Vec<(Key, String)> {
    let types = match lite.types {
        Types::Fixed => "fixed",
        Types::Latent => "latent",
        Types::Items => "items",
    };
    vec![
        (Key::Kind, quoted("lite")),
        (Key::Heads, lite.heads.to_string()),
        (Key::Width, lite.width.to_string()),
        (Key::Types, quoted(types)),
    ]
}

fn of_training(train: &TrainConfig) -> Vec<(Key, String)> {
    let number = |x: f64| format!("{x:?}");
    let (schedule, warmup) = match train.schedule {
        Schedule::Constant => ("constant", None),
        Schedule::Linear { warmup } => ("linear", Some(warmup)),
        Schedule::Cosine { warmup } => ("cosine", Some(warmup)),
    };
    let mut values = vec![
        (Key::Steps, train.steps.to_string()),
        (Key::LearningRate, number(train.adam.learning_rate)),
        (Key::WeightDecay, number(train.adam.weight_decay)),
        (Key::Beta1, number(train.adam.beta1)),
        (Key::Beta2, number(train.adam.beta2)),
        (Key::Epsilon, number(train.adam.epsilon)),
        (Key::Schedule, quoted(schedule)),
    ];
    values.extend(warmup.map(|steps| (Key::Warmup, steps.to_string())));
    let anneal = or_false(train.anneal, |a| {
        format!("{{ from = {:?}, sharpness = {:?}, rate = {:?} }}", a.from, a.sharpness, a.rate)
    });
    values.extend([(Key::Clip, or_false(train.clip, number)), (Key::Anneal, anneal)]);
    values
}
