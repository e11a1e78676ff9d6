//! All settings that a configuration means.

use super::draft::Draft;
use super::facts::TaskFacts;
use super::item::Item;
use super::keys::Key;
use super::{ConfigFile, ConfigFileError, Place};
use crate::config::{Setup, TrainConfig};
use crate::model::ModelRecord;
use crate::seeds::Seeds;
use std::collections::BTreeMap;

/// Most settings of one configuration.
pub const MOST_SETTINGS: usize = 1000;

/// What a configuration means for a task.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResolvedConfig {
    /// A row of learners each. The last key varies fastest; settings of one model and as many steps are neighbours.
    pub settings: Vec<Setting>,
    /// The seeds of every row.
    pub seeds: Seeds,
}

/// A row of learners: a model and how it is trained, all of it checked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Setting {
    /// The model, and what makes it different from other rows: `STRAT, learning_rate 0.001`.
    pub name: String,
    /// What is trained.
    pub model: ModelRecord,
    /// How.
    pub train: TrainConfig,
}

impl Setting {
    /// A row of learners of this name.
    pub fn new(name: impl Into<String>, model: ModelRecord, train: TrainConfig) -> Setting {
        Setting { name: name.into(), model, train }
    }
}

/// Keys that were given, and what those that had no effect would have needed.
type Needs = BTreeMap<Key, Option<&'static str>>;

impl ConfigFile {
    /// Every setting for a task. What is not given comes from what the task offers; without an offer, from defaults:
    /// blocks as wide as the examples, or STRAT-Lite for kinds and values, with [`TrainConfig::default`] and seeds
    /// `41..=50`.
    pub fn resolve(&self, task: &TaskFacts, offered: Option<&Setup>) -> Result<ResolvedConfig, ConfigFileError> {
        for key in [Key::Readout, Key::Classes] {
            if let Some(item) = self.entries.get(&key).filter(|_| !task.is_file) {
                let (at, key, task) = (item.at.clone(), key.path(), task.name.clone());
                return Err(ConfigFileError::KnownTask { at, key, task });
            }
        }
        self.readout()?;
        let by_default = offered.map(|setup| setup.seeds).or_else(|| Seeds::new(41, 50));
        let seeds = self.seeds()?.or(by_default).unwrap_or_else(|| Seeds::to(1));
        let Some(draft) = Draft::new(task, offered) else {
            let has = format!("{} has {}, answered as {:?}", task.name, task.names(), task.readout);
            let reason =
                format!("no model of this program reads that: {has}; give type and data, a row for every token");
            return Err(ConfigFileError::Misfit { at: self.place(), key: Key::Kind.path(), reason });
        };
        let mut settings = vec![];
        let mut needs = Needs::new();
        self.expand(draft, Key::ALL, &mut needs, &mut settings)?;
        for (key, needs) in needs {
            if let (Some(needs), Some(item)) = (needs, self.entries.get(&key)) {
                return Err(ConfigFileError::NoEffect { at: item.at.clone(), key: key.path(), needs });
            }
        }
        Ok(ResolvedConfig { settings, seeds })
    }

    /// The settings that follow from a draft and the keys that are left.
    fn expand(
        &self,
        draft: Draft<'_>,
        keys: &[Key],
        needs: &mut Needs,
        settings: &mut Vec<Setting>,
    ) -> Result<(), ConfigFileError> {
        let Some((&key, rest)) = keys.split_first() else {
            if settings.len() == MOST_SETTINGS {
                return Err(ConfigFileError::TooManySettings { at: self.place(), most: MOST_SETTINGS });
            }
            let (name, model, train) = draft.finish().map_err(|(keys, reason)| self.misfit(keys, reason))?;
            settings.push(Setting { name, model, train });
            return Ok(());
        };
        let of_the_run = matches!(key, Key::Seeds | Key::Readout | Key::Classes);
        let Some(item) = self.entries.get(&key).filter(|_| !of_the_run) else {
            return self.expand(draft, rest, needs, settings);
        };
        if let Err(missing) = draft.takes(key) {
            // In another setting it may have an effect.
            needs.entry(key).or_insert(Some(missing));
            return self.expand(draft, rest, needs, settings);
        }
        needs.insert(key, None);
        let choices: &[Item] = item.choices(key);
        for choice in choices {
            let mut next = draft.clone();
            next.apply(key, choice)?;
            // The title has these.
            if choices.len() > 1 && !matches!(key, Key::Kind | Key::Config) {
                next.varied += &format!(", {} {}", key.name(), choice.in_a_name());
            }
            self.expand(next, rest, needs, settings)?;
        }
        Ok(())
    }

    /// The first of some keys that was given is to blame.
    fn misfit(&self, keys: &'static [Key], reason: String) -> ConfigFileError {
        let given = keys.iter().find_map(|key| Some((key, self.entries.get(key)?)));
        let (key, at) = given.map_or((keys[0], self.place()), |(key, item)| (*key, item.at.clone()));
        ConfigFileError::Misfit { at, key: key.path(), reason }
    }

    fn place(&self) -> Place {
        Place::File(self.name.clone())
    }
}
