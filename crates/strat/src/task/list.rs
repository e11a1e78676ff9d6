//! The eleven tasks of the paper's §7, by name.

use super::dataset::{DataTask, TaskError};
use super::pick::Pick;
#[cfg(feature = "sat")]
use super::sat;
use super::{life, sudoku, tables, tic_tac_toe};
use crate::config::{Repeats, Setup, TrainConfig};
use crate::data::{DataFolder, same_name};
use crate::model::{Architecture, BlockConfig, BlockModel};
use crate::seeds::Seeds;

/// The seeds of the paper's learners on its data sets.
const SEEDS: Seeds = Seeds::between(41, 50);

/// A task that can be loaded.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name in the paper's tables.
    pub title: &'static str,
    /// Sizes of the paper's two models on it (App. D, Table 11).
    pub sizes: BlockConfig,
    /// How the paper trains both (App. D).
    pub train: TrainConfig,
    /// How often its training shows the same examples.
    pub repeats: Repeats,
    pub(super) load: Load,
}

/// How a task is made.
#[derive(Clone, Copy, Debug)]
pub(super) enum Load {
    /// The paper says which examples are the bases.
    Fixed(fn(&DataFolder) -> Result<DataTask, TaskError>),
    /// They are picked.
    Picked(fn(&DataFolder, Pick) -> Result<DataTask, TaskError>),
}

const ALL: &[Entry] = &[
    sudoku::ENTRY,
    #[cfg(feature = "sat")]
    sat::satbench::ENTRY,
    #[cfg(feature = "sat")]
    sat::satlib::ENTRY,
    tic_tac_toe::ENTRY,
    life::ENTRY,
    tables::parity5::ENTRY,
    tables::m_of_n::ENTRY,
    tables::monk2::ENTRY,
    tables::led24::ENTRY,
    tables::three_of_9::ENTRY,
    tables::spect::ENTRY,
];

impl Entry {
    /// All of them, in the order of the paper's tables; those on formulas need the feature `sat`.
    pub const ALL: &'static [Entry] = ALL;

    /// Finds a task in the list, however its name is spelled ([`same_name`]).
    pub fn named(name: &str) -> Result<&'static Entry, TaskError> {
        ALL.iter().find(|e| same_name(e.name, name)).ok_or_else(|| TaskError::Unknown {
            name: name.into(),
            known: ALL.iter().map(|e| e.name).collect::<Vec<_>>().join(", "),
        })
    }

    /// The pick that is taken if no other is asked for; none where the paper says which
    /// examples are the bases.
    pub fn default_pick(&self) -> Option<Pick> {
        match self.load {
            Load::Fixed(_) => None,
            Load::Picked(_) => Some(Pick::DEFAULT),
        }
    }

    /// Makes the task from the files of a folder, with stand-ins for those that are not there. A
    /// pick is passed over where the paper says which examples are the bases.
    pub fn load(&self, folder: &DataFolder, pick: Option<Pick>) -> Result<DataTask, TaskError> {
        let task = match self.load {
            Load::Fixed(load) => load(folder),
            Load::Picked(load) => load(folder, pick.unwrap_or(Pick::DEFAULT)),
        };
        Ok(DataTask { setup: Some(self.setup()), ..task? })
    }

    /// One of the paper's two models for it.
    pub fn model(&self, architecture: Architecture) -> BlockModel {
        BlockModel { architecture, sizes: self.sizes }
    }

    /// What the paper has for it: both models, trained the same way, seeds 41 to 50.
    pub fn setup(&self) -> Setup {
        let models = Architecture::ALL.map(|architecture| self.model(architecture).into());
        Setup::new(models.into(), self.train, SEEDS).repeating(self.repeats)
    }
}

/// A task of the list, from the default data folder and with its default pick.
///
/// ```
/// let task = strat::task::by_name("tic-tac-toe")?;
/// assert_eq!(task.split(strat::task::Split::Id).len(), 882);
/// # Ok::<(), strat::task::TaskError>(())
/// ```
pub fn by_name(name: &str) -> Result<DataTask, TaskError> {
    Entry::named(name)?.load(&DataFolder::find(None), None)
}
