//! Learners with what they read.

use crate::arrays::{self, shaped};
use crate::failure::{guarded, of, value};
use crate::frame::{Column, Frame};
use crate::task::{Kind, Task, data_folder};
use crate::trace::Trace;
use crate::work::{self, pool};
use numpy::{IntoPyArray, PyArray1, PyArrayDyn, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use strat::data::DataFolder;
use strat::engine::Isa;
use strat::metric::Metric;
use strat::model::Model;
use strat::record::Manifest;
use strat::result::{LearnerResult, LearnerRow, Row};
use strat::task::{self, ArrayTask, Example};
use strat::trace::ExampleSource;
use strat::train::{Learner, Predictor};

/// Where the tasks of rows come from.
pub enum Sourced<'a> {
    /// From this one, or from what the row says of sums.
    By(Option<Arc<dyn task::Task>>),
    /// From a folder of data sets.
    In(&'a DataFolder),
}

/// One row: its learners, and what they read or why that is not known.
#[derive(Clone)]
pub struct RowOf {
    pub row: Row,
    pub learners: Arc<Vec<LearnerResult>>,
    source: Result<ExampleSource, String>,
}

impl RowOf {
    /// What its learners read.
    pub fn source(&self) -> PyResult<&ExampleSource> {
        self.source.as_ref().map_err(value)
    }

    pub fn model(&self) -> PyResult<Arc<dyn Model>> {
        let own = || value(format!("row {:?} has a model that is not of the paper", self.row.name));
        self.row.model.model().ok_or_else(own)
    }
}

/// Rows of learners.
#[pyclass(frozen, module = "strat._native")]
pub struct Population {
    pub manifest: Manifest,
    pub rows: Vec<RowOf>,
    pub isa: Isa,
}

impl Population {
    pub fn new(manifest: Manifest, rows: Vec<LearnerRow>, sourced: &Sourced<'_>, isa: Isa) -> Population {
        let nowhere = DataFolder::find(None);
        let source = |row: &Row| match sourced {
            Sourced::By(Some(task)) => {
                let model =
                    row.model.model().ok_or_else(|| format!("row {:?} has a model of its own", row.name))?;
                Ok(ExampleSource::new(model, task.clone()))
            }
            Sourced::By(None) => ExampleSource::of(row, &nowhere).map_err(|e| e.to_string()),
            Sourced::In(folder) => ExampleSource::of(row, folder).map_err(|e| e.to_string()),
        };
        let row = |LearnerRow { row, learners }| RowOf { source: source(&row), learners: Arc::new(learners), row };
        Population { manifest, rows: rows.into_iter().map(row).collect(), isa }
    }

    pub fn row(&self, row: usize) -> PyResult<&RowOf> {
        self.rows.get(row).ok_or_else(|| value(format!("there is no row {row}; there are {}", self.rows.len())))
    }

    /// A learner of a row, by its place.
    pub fn learner(&self, row: usize, at: usize) -> PyResult<(&RowOf, &LearnerResult)> {
        let row = self.row(row)?;
        let none = || value(format!("there is no learner {at}; row {:?} has {}", row.row.name, row.learners.len()));
        Ok((row, row.learners.get(at).ok_or_else(none)?))
    }
}

/// A run in a folder.
pub fn open(path: &Path, data: &DataFolder) -> PyResult<Population> {
    let folder = strat_paper::experiment::open(path).map_err(of)?;
    let mut rows = folder.scores().map_err(of)?;
    if folder.manifest.weights {
        for row in rows.iter_mut().filter(|row| !row.learners.is_empty()) {
            row.learners = folder.learners(&row.row, None).map_err(of)?;
        }
    }
    let isa = Isa::detect().map_err(of)?;
    Ok(Population::new(folder.manifest.clone(), rows, &Sourced::In(data), isa))
}

/// Reads a run that `strat train --out`, `strat reproduce --out` or this package wrote.
#[pyfunction]
#[pyo3(signature = (path, data=None))]
pub fn load(py: Python<'_>, path: PathBuf, data: Option<PathBuf>) -> PyResult<Population> {
    let folder = guarded(|| data_folder(data))?;
    work::run(py, None, move |_| open(&path, &folder))
}

#[pymethods]
impl Population {
    /// The names of its rows.
    #[getter]
    fn row_names(&self) -> Vec<String> {
        self.rows.iter().map(|r| r.row.name.clone()).collect()
    }

    /// The name of the experiment.
    #[getter]
    fn experiment(&self) -> &str {
        &self.manifest.experiment
    }

    /// The name of the instruction set.
    #[getter]
    fn isa(&self) -> String {
        self.manifest.isa.clone()
    }

    /// Model and training of a row, as the manifest has them.
    fn about(&self, row: usize) -> PyResult<String> {
        guarded(|| {
            let row = &self.row(row)?.row;
            let task = row.setup.as_ref().map(|setup| setup.task.name());
            let steps = row.train().map(|train| train.steps);
            Ok(serde_json::json!({"row": row.name, "model": row.model, "task": task, "steps": steps}).to_string())
        })
    }

    /// The seeds of a row.
    fn seeds<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyArray1<u64>>> {
        Ok(self.row(row)?.learners.iter().map(|l| l.seed).collect::<Vec<_>>().into_pyarray(py))
    }

    /// Losses on the way, a row for every learner, and the steps between two of them.
    fn losses<'py>(&self, py: Python<'py>, row: usize) -> PyResult<(Bound<'py, PyArrayDyn<f32>>, usize)> {
        guarded(|| {
            let row = self.row(row)?;
            let count = row.learners.iter().map(|l| l.losses.len()).max().unwrap_or(0);
            let padded = |l: &LearnerResult| {
                let rest = count - l.losses.len();
                l.losses.iter().copied().chain(std::iter::repeat_n(f32::NAN, rest)).collect::<Vec<_>>()
            };
            let all = row.learners.iter().flat_map(padded).collect();
            let steps = row.row.train().map_or(0, |train| train.steps);
            Ok((shaped(py, all, vec![row.learners.len(), count])?, Learner::loss_interval(steps)))
        })
    }

    /// The names of a row's weights, with their shapes in PyTorch.
    fn params(&self, row: usize) -> PyResult<Vec<(String, Vec<usize>)>> {
        guarded(|| {
            let params = self.row(row)?.model()?.params();
            Ok(params.iter().map(|p| (p.name.to_string(), p.torch_shape())).collect())
        })
    }

    /// Weights of all learners of a row by name, `(learners, …)`.
    fn weights<'py>(&self, py: Python<'py>, row: usize, name: &str) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let row = self.row(row)?;
            let model = row.model()?;
            let params = model.params();
            let param = params.iter().find(|p| p.name == name).ok_or_else(|| {
                let known = params.iter().map(|p| &*p.name).collect::<Vec<_>>().join(", ");
                value(format!("there are no weights {name:?}; there are {known}"))
            })?;
            let numbers = row.learners.iter().map(|l| l.weights.get(name));
            let numbers: Option<Vec<&Vec<f64>>> = numbers.collect();
            let none = || value("the run keeps no weights; train with weights kept (without --no-weights)");
            let numbers = numbers.ok_or_else(none)?;
            let shape = std::iter::once(row.learners.len()).chain(param.torch_shape()).collect();
            arrays::weights(py, &*model, numbers.into_iter().flatten().copied(), shape)
        })
    }

    /// What every learner of a row scored, by metric.
    fn scores<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyDict>> {
        guarded(|| {
            let row = self.row(row)?;
            let names: BTreeSet<&String> = row.learners.iter().flat_map(|l| l.metrics.keys()).collect();
            let scores = PyDict::new(py);
            for name in names {
                let numbers: Vec<f64> = row.learners.iter().map(|l| l.score(name)).collect();
                scores.set_item(name, numbers.into_pyarray(py))?;
            }
            Ok(scores)
        })
    }

    /// The scores of all rows as a table, a line for every learner.
    fn frame(&self) -> PyResult<Frame> {
        guarded(|| {
            let all = || self.rows.iter().flat_map(|row| row.learners.iter().map(move |l| (row, l)));
            let names: BTreeSet<&String> = all().flat_map(|(_, l)| l.metrics.keys()).collect();
            let mut columns = vec![
                ("row".to_string(), Column::Text(all().map(|(row, _)| row.row.name.clone()).collect())),
                ("seed".to_string(), Column::Whole(all().map(|(_, l)| l.seed).collect())),
            ];
            for name in names {
                columns.push((name.clone(), Column::Number(all().map(|(_, l)| l.score(name)).collect())));
            }
            Ok(Frame::new(columns))
        })
    }

    /// The outputs of learners of a row for examples: texts, or all of a task of arrays.
    #[pyo3(signature = (row, at, examples=None, task=None, threads=None))]
    fn outputs<'py>(
        &self,
        py: Python<'py>,
        row: usize,
        at: Option<usize>,
        examples: Option<Vec<String>>,
        task: Option<&Task>,
        threads: Option<usize>,
    ) -> PyResult<Vec<Vec<Bound<'py, PyArray1<f64>>>>> {
        let (row, isa) = (self.row(row)?.clone(), self.isa);
        let asked = task.cloned();
        let outputs = work::run(py, None, move |_| {
            let source = row.source()?;
            let (task, examples) = match (&asked, examples) {
                (Some(Task { kind: Kind::Arrays(given) }), _) => {
                    (given.clone() as Arc<dyn task::Task>, given.asked())
                }
                (Some(_), _) => return Err(value("examples should be texts, or an ArrayTask")),
                (None, Some(texts)) => {
                    let read = |text: &String| source.read(text).map(|e| e.example().clone()).map_err(of);
                    (source.task.clone(), texts.iter().map(read).collect::<PyResult<Vec<Example>>>()?)
                }
                (None, None) => return Err(value("no examples were given")),
            };
            strat::train::Population::check(&*task, &*source.model).map_err(of)?;
            let learners: Vec<&LearnerResult> = match at {
                Some(at) => row.learners.get(at).into_iter().collect(),
                None => row.learners.iter().collect(),
            };
            let one = |l: &&LearnerResult| {
                Predictor::new(&*task, source.model.clone(), &l.weights, isa).outputs(&examples)
            };
            let all: Result<Vec<Vec<Vec<f64>>>, _> =
                pool(threads)?.install(|| learners.par_iter().map(one).collect());
            all.map_err(of)
        })?;
        let array = |numbers: Vec<f64>| numbers.into_pyarray(py);
        Ok(outputs.into_iter().map(|l| l.into_iter().map(array).collect()).collect())
    }

    /// A forward pass of a learner on an example.
    fn trace(&self, row: usize, at: usize, example: &str) -> PyResult<Trace> {
        guarded(|| {
            let (row, learner) = self.learner(row, at)?;
            Trace::of(row.source()?.clone(), &learner.weights, example)
        })
    }

    /// Examples to begin with, and how others are written.
    fn examples(&self, row: usize) -> PyResult<(Vec<String>, String)> {
        guarded(|| {
            let source = self.row(row)?.source()?;
            Ok((source.examples(), source.form()))
        })
    }

    /// One learner with other weights, as a population of its own.
    fn with_weights(
        &self,
        row: usize,
        at: usize,
        state: BTreeMap<String, PyReadonlyArrayDyn<'_, f64>>,
    ) -> PyResult<Population> {
        guarded(|| {
            let (of, learner) = self.learner(row, at)?;
            let weights = arrays::state(&*of.model()?, &state)?;
            let learner = Learner { seed: learner.seed, weights, final_loss: f64::NAN, losses: vec![] };
            let mut row = of.clone();
            row.learners = Arc::new(vec![LearnerResult::new(learner, Vec::<(Metric, f64)>::new())]);
            Ok(Population { manifest: self.manifest.clone(), rows: vec![row], isa: self.isa })
        })
    }

    /// One row, or some learners of it, as a population of its own.
    #[pyo3(signature = (row, at=None))]
    fn part(&self, row: usize, at: Option<Vec<usize>>) -> PyResult<Population> {
        guarded(|| {
            let mut part = self.row(row)?.clone();
            if let Some(at) = at {
                let chosen = at.iter().map(|&at| Ok(self.learner(row, at)?.1.clone()));
                part.learners = Arc::new(chosen.collect::<PyResult<_>>()?);
            }
            Ok(Population { manifest: self.manifest.clone(), rows: vec![part], isa: self.isa })
        })
    }

    /// The same learners, who read this task.
    fn with_task(&self, task: &Task) -> PyResult<Population> {
        guarded(|| {
            let rows = self.rows.iter().map(|row| {
                let (model, task) = (row.model()?, task.task());
                strat::train::Population::check(&*task, &*model).map_err(of)?;
                Ok(RowOf { source: Ok(ExampleSource::new(model, task)), ..row.clone() })
            });
            let rows = rows.collect::<PyResult<_>>()?;
            Ok(Population { manifest: self.manifest.clone(), rows, isa: self.isa })
        })
    }

    /// Arrays of a task's form, to be asked about.
    fn ask_arrays(
        &self,
        row: usize,
        arrays: BTreeMap<String, (PyReadonlyArrayDyn<'_, f64>, String)>,
    ) -> PyResult<Task> {
        guarded(|| {
            let spec = self.row(row)?.source()?.task.spec();
            let form = ArrayTask::form_of(&spec).ok_or_else(|| value("the learners were not taught arrays"))?;
            let arrays =
                arrays.iter().map(|(n, (numbers, kind))| (n.clone(), arrays::given(numbers, kind))).collect();
            let task = ArrayTask::new_for("examples", arrays, &form).map_err(of)?;
            Ok(Task { kind: Kind::Arrays(Arc::new(task)) })
        })
    }
}
