//! What is learned: a task of the paper, sums, a file, or arrays.

use crate::arrays::given;
use crate::failure::{guarded, of, value};
use crate::work;
use numpy::PyReadonlyArrayDyn;
use pyo3::exceptions::PyFileNotFoundError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use strat::config::{ConfigFile, ReadoutChoice, ResolvedConfig, Setup, TaskFacts};
use strat::data::{DataFolder, same_name};
use strat::sweep::Plan;
use strat::task::{self, ArrayTask, DataTask, Entry, Split, SumTask};
use strat_paper::experiment::tasks;

/// Which kind of task.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A data set of the paper.
    Data(Arc<DataTask>),
    /// Sums or lists.
    Sums(Arc<SumTask>),
    /// Arrays, of a file or from memory.
    Arrays(Arc<ArrayTask>),
}

/// What is learned.
#[pyclass(frozen, module = "strat._native")]
#[derive(Clone)]
pub struct Task {
    pub kind: Kind,
}

/// Sums and lists by name.
const SUMS: [SumTask; 2] = [SumTask::LOCKING, SumTask::GROCERY];

impl Task {
    /// As the library sees it.
    pub fn task(&self) -> Arc<dyn task::Task> {
        match &self.kind {
            Kind::Data(task) => task.clone(),
            Kind::Sums(task) => task.clone(),
            Kind::Arrays(task) => task.clone(),
        }
    }

    /// Every setting that a configuration means.
    pub fn resolve(&self, config: &ConfigFile) -> PyResult<ResolvedConfig> {
        let task = self.task();
        let facts = match &self.kind {
            Kind::Arrays(task) => TaskFacts::from(&**task),
            _ => TaskFacts::of(&*task),
        };
        config.resolve(&facts, task.paper().as_ref()).map_err(of)
    }

    /// A row of learners for each setting.
    pub fn plan(&self, settings: &[strat::config::Setting]) -> PyResult<Plan> {
        match &self.kind {
            Kind::Data(task) => tasks::plan(task, settings),
            Kind::Sums(task) => tasks::plan_of_sums(task, settings),
            Kind::Arrays(task) => tasks::plan_of_file(task, settings),
        }
        .map_err(of)
    }
}

#[pymethods]
impl Task {
    /// What it is called.
    #[getter]
    fn name(&self) -> String {
        self.task().name().into()
    }

    /// What of its data is not the paper's, if anything.
    #[getter]
    fn stand_in(&self) -> Option<&'static str> {
        if let Kind::Data(task) = &self.kind { task.stand_in() } else { None }
    }

    /// How many examples there are: for training, and for both tests.
    #[getter]
    fn sizes(&self) -> PyResult<[usize; 3]> {
        guarded(|| {
            let task = self.task();
            Ok([task.train(1, 0).len(), task.test(Split::Id, 1).len(), task.test(Split::Ood, 1).len()])
        })
    }

    /// The inputs of an example: name, rows, width.
    #[getter]
    fn inputs(&self) -> PyResult<Vec<(String, usize, usize)>> {
        guarded(|| {
            let task = self.task();
            Ok(task.inputs(task.tokens()).into_iter().map(|i| (i.name.into_owned(), i.rows, i.width)).collect())
        })
    }

    /// All settings, as TOML.
    fn config(&self) -> PyResult<String> {
        guarded(|| {
            let task = self.task();
            let (setup, title) = match task.paper() {
                Some(setup) => (setup, format!("{}: as in the paper", task.name())),
                None => {
                    let ResolvedConfig { settings, seeds, .. } = self.resolve(&ConfigFile::empty("config"))?;
                    let models = settings.iter().map(|setting| setting.model.clone()).collect();
                    let train = settings.first().map_or(Default::default(), |setting| setting.train);
                    (Setup::new(models, train, seeds), format!("{}: settings to begin with", task.name()))
                }
            };
            Ok(setup.to_toml(&title))
        })
    }
}

/// The names of all tasks.
#[pyfunction]
pub fn task_names() -> Vec<String> {
    let sums = SUMS.iter().map(|task| task.examples.name().to_string());
    Entry::ALL.iter().map(|e| e.name.to_string()).chain(sums).collect()
}

/// The folder with the public data sets.
pub fn data_folder(path: Option<PathBuf>) -> PyResult<DataFolder> {
    match &path {
        Some(path) if !path.is_dir() => {
            Err(PyFileNotFoundError::new_err(format!("data: {} is no folder", path.display())))
        }
        _ => Ok(DataFolder::find(path)),
    }
}

/// What is asked of arrays.
fn choice(readout: Option<&str>, classes: Option<usize>) -> PyResult<ReadoutChoice> {
    let mut config = ConfigFile::empty("ArrayTask");
    if let Some(readout) = readout {
        config.set(&format!("task.readout={readout:?}")).map_err(of)?;
    }
    if let Some(classes) = classes {
        config.set(&format!("task.classes={classes}")).map_err(of)?;
    }
    config.readout().map_err(of)
}

/// A task by name, or a file of examples.
#[pyfunction]
#[pyo3(signature = (name, data=None))]
pub fn open_task(py: Python<'_>, name: String, data: Option<PathBuf>) -> PyResult<Task> {
    // Data sets and files may be large.
    work::run(py, None, move |_| {
        if let Ok(entry) = Entry::named(&name) {
            let task = entry.load(&data_folder(data)?, None).map_err(of)?;
            return Ok(Task { kind: Kind::Data(Arc::new(task)) });
        }
        if let Some(task) = SUMS.into_iter().find(|task| same_name(task.examples.name(), &name)) {
            return Ok(Task { kind: Kind::Sums(Arc::new(task)) });
        }
        let path = Path::new(&name);
        if path.is_file() || path.extension().is_some() {
            let task = ArrayTask::read(path, ReadoutChoice::default()).map_err(of)?;
            return Ok(Task { kind: Kind::Arrays(Arc::new(task)) });
        }
        let known = task_names().join(", ");
        Err(value(format!(
            "{name:?} is no task and no file; tasks are {known}; files end in .jsonl, .npz or .safetensors"
        )))
    })
}

/// A task of arrays in memory, each with what its numbers were before they became `float64`.
#[pyfunction]
#[pyo3(signature = (name, arrays, readout=None, classes=None))]
pub fn array_task(
    name: &str,
    arrays: BTreeMap<String, (PyReadonlyArrayDyn<'_, f64>, String)>,
    readout: Option<&str>,
    classes: Option<usize>,
) -> PyResult<Task> {
    guarded(|| {
        let arrays = arrays.iter().map(|(name, (numbers, kind))| (name.clone(), given(numbers, kind))).collect();
        let task = ArrayTask::new(name, arrays, choice(readout, classes)?).map_err(of)?;
        Ok(Task { kind: Kind::Arrays(Arc::new(task)) })
    })
}
