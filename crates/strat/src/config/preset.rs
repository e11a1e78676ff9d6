//! Presets: named choices of what the paper leaves open, as data.

use super::{Repeats, Setup, TrainConfig};
use crate::model::{BlockModel, BlockOptions, ModelRecord, Start, UnitypedModel};

/// A named choice of what the paper leaves open. What it does not name stays as the task offers it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// On the command line, in manifests and in tables.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    models: Models,
    /// Whether what it changes depends on how often training shows the same examples.
    by_repeats: bool,
    weight_decay: Option<f64>,
    epsilon: Option<f64>,
    clip: Option<f64>,
}

/// Which models a preset is for, and what it makes of them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Models {
    /// All, as they are.
    All,
    /// The blocks of §7, with these options.
    Blocks(BlockOptions),
    /// The unityped models of §4, with this start.
    Unityped(Start),
}

impl Preset {
    /// What the specification says: what is trained where no preset is named.
    pub const SPECIFIED: Preset = Preset {
        name: "as-specified",
        about: "What the specification says: PyTorch's start, scaled scores, weight decay 0.01",
        models: Models::All,
        by_repeats: false,
        weight_decay: None,
        epsilon: None,
        clip: None,
    };

    /// Attention that is sharp and random at first, and routes that read Type as eq. 4 is printed.
    const SHARP_START: Preset = Preset {
        name: "sharp-start",
        about: "Queries and keys from Xavier's start, unscaled scores, routes that read Type without LayerNorm (eq. 4)",
        models: Models::Blocks(BlockOptions { norm_routes: false, ..BlockOptions::SHARP_START }),
        ..Preset::SPECIFIED
    };

    /// Our own, by how often training shows the same examples: often, weight decay thirty times as large; always, beside it an
    /// epsilon above most gradients, so that small ones make small steps; seldom, nothing. Chosen on picks and seeds that no
    /// table uses (docs/recipe.md).
    const RECIPE: Preset = Preset {
        name: "recipe",
        about: "Ours: weight decay 0.3 where training repeats its examples, epsilon 0.003 where it has no others (docs/recipe.md)",
        by_repeats: true,
        epsilon: Some(3e-3),
        ..Preset::DECAY
    };

    /// What the recipe was before: weight decay alone, whatever the task.
    const DECAY: Preset = Preset {
        name: "decay",
        about: "As specified, but weight decay 0.3",
        models: Models::Blocks(BlockOptions::SPECIFIED),
        weight_decay: Some(0.3),
        ..Preset::SPECIFIED
    };

    /// For the ablations.
    const CLIPPED: Preset = Preset {
        name: "clipped",
        about: "For the ablations: PyTorch's start, gradients of at most 1",
        models: Models::Unityped(Start::PyTorch),
        clip: Some(1.0),
        ..Preset::SPECIFIED
    };

    /// All, the specified one first.
    pub const ALL: &'static [Preset] =
        &[Preset::SPECIFIED, Preset::SHARP_START, Preset::RECIPE, Preset::DECAY, Preset::CLIPPED];

    /// By name.
    pub fn named(name: &str) -> Option<&'static Preset> {
        Preset::ALL.iter().find(|preset| preset.name == name)
    }

    /// Whether it changes nothing.
    pub fn is_specified(&self) -> bool {
        *self == Preset::SPECIFIED
    }

    /// A model as this preset has it; none if the preset is for other models.
    pub fn model(&self, model: &ModelRecord) -> Option<ModelRecord> {
        match (self.models, model) {
            (Models::All, model) => Some(model.clone()),
            (Models::Blocks(options), ModelRecord::Blocks(m)) => {
                let mut sizes = m.sizes;
                sizes.options = options;
                Some(BlockModel { sizes, ..*m }.into())
            }
            (Models::Unityped(start), ModelRecord::Unityped(m)) => Some(UnitypedModel { start, ..*m }.into()),
            _ => None,
        }
    }

    /// A training as this preset has it.
    pub fn train(&self, train: TrainConfig) -> TrainConfig {
        let mut changed = train;
        changed.adam.weight_decay = self.weight_decay.unwrap_or(train.adam.weight_decay);
        changed.adam.epsilon = self.epsilon.unwrap_or(train.adam.epsilon);
        changed.clip = self.clip.or(train.clip);
        changed
    }

    /// What a task offers, as this preset has it; none if the task offers no model that the preset is for.
    pub fn apply(&self, offered: &Setup) -> Option<Setup> {
        let models: Vec<ModelRecord> = offered.models.iter().filter_map(|model| self.model(model)).collect();
        let mut train = self.train(offered.train);
        match offered.repeats {
            Repeats::Often if self.by_repeats => train.adam.epsilon = offered.train.adam.epsilon,
            Repeats::Seldom if self.by_repeats => train = offered.train,
            _ => {}
        }
        (!models.is_empty()).then(|| Setup::new(models, train, offered.seeds).repeating(offered.repeats))
    }

    /// The preset that makes this model and training of what a task offers.
    pub fn of(offered: &Setup, model: &ModelRecord, train: &TrainConfig) -> Option<&'static Preset> {
        let made = |preset: &Preset| preset.apply(offered);
        Preset::ALL.iter().find(|p| made(p).is_some_and(|made| made.train == *train && made.models.contains(model)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Architecture, BlockConfig, Unityped};
    use crate::seeds::Seeds;

    fn offered() -> Setup {
        let blocks = Architecture::ALL.map(|a| BlockModel { architecture: a, sizes: BlockConfig::LIFE }.into());
        let models = blocks.into_iter().chain([Unityped::A.into()]).collect();
        Setup::new(models, TrainConfig { clip: None, ..TrainConfig::DEFAULT }, Seeds::to(3))
    }

    #[test]
    fn a_preset_is_known_again_by_what_it_made() {
        let offered = offered();
        for preset in Preset::ALL {
            assert_eq!(Preset::named(preset.name), Some(preset));
            let made = preset.apply(&offered).unwrap();
            assert_eq!((preset.is_specified(), made == offered), (preset.is_specified(), preset.is_specified()));
            for model in &made.models {
                assert_eq!(Preset::of(&offered, model, &made.train), Some(preset), "{model:?}");
            }
        }
        let own = TrainConfig { steps: 7, ..offered.train };
        assert_eq!(Preset::of(&offered, &offered.models[0], &own), None);
        assert_eq!(Preset::named("sharp"), None);
    }

    /// What is always new is trained as specified; only decay for all is known again there.
    #[test]
    fn the_recipe_depends_on_how_often_examples_come_back() {
        let [recipe, decay] = ["recipe", "decay"].map(|name| Preset::named(name).unwrap());
        let under = |preset: &Preset, repeats| {
            let setup = offered().repeating(repeats);
            let made = preset.apply(&setup).unwrap();
            assert_eq!(made.repeats, repeats);
            let known = Preset::of(&setup, &setup.models[0], &made.train).unwrap();
            (made.train.adam.weight_decay, made.train.adam.epsilon, known.name)
        };
        assert_eq!(under(recipe, Repeats::Always), (0.3, 3e-3, "recipe"));
        assert_eq!(under(recipe, Repeats::Often), (0.3, 1e-8, "recipe"));
        assert_eq!(under(recipe, Repeats::Seldom), (0.01, 1e-8, "as-specified"));
        assert_eq!(under(decay, Repeats::Always), (0.3, 1e-8, "decay"));
        assert_eq!(under(decay, Repeats::Seldom), (0.3, 1e-8, "decay"));
    }

    #[test]
    fn a_preset_for_other_models_is_for_none_of_these() {
        let clipped = Preset::named("clipped").unwrap();
        let blocks = Setup { models: offered().models[..2].to_vec(), ..offered() };
        assert_eq!(clipped.apply(&blocks), None);
        let made = clipped.apply(&offered()).unwrap();
        assert_eq!((made.models.len(), made.train.clip), (1, Some(1.0)));
    }

    #[test]
    fn names_are_apart() {
        for (i, preset) in Preset::ALL.iter().enumerate() {
            assert!(Preset::ALL[..i].iter().all(|other| other.name != preset.name), "{}", preset.name);
        }
    }
}
