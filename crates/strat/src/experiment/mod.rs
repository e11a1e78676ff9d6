//! The paper's experiments: rows of learners, and a table made of them.

pub mod ablations;
pub mod alu;
pub mod arithmetic_baselines;
pub mod latent;
pub mod lite;
pub mod locking;
pub mod params;
pub mod tasks;

use crate::engine::Isa;
use crate::engine::reference::Arrays;
use crate::model::{Arithmetic, Model};
use crate::report::Cell;
use crate::train::{Learner, TrainConfig};
use std::collections::BTreeMap;
use tasks::Course;

/// What an experiment gives back: the table and every learner behind it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its name on the command line.
    pub experiment: &'static str,
    /// What the learners show.
    pub summary: Summary,
    /// Learners, by row of the table.
    pub rows: Vec<LearnerRow>,
}

/// What the learners of an experiment show: a function of them alone.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// One line that says what was done.
    pub title: String,
    /// The table.
    pub cells: Vec<Cell>,
    /// Statements about the table that must hold, and whether they do.
    pub checks: Vec<Check>,
    /// What else there is to say, as lines of text below the table.
    pub notes: String,
    /// Pictures: file name and SVG.
    pub figures: Vec<(&'static str, String)>,
}

/// What is to be done: rows of learners, and what to make of them.
pub struct Plan<'a> {
    /// Its name on the command line.
    pub name: &'static str,
    /// The rows.
    pub rows: Vec<RowPlan<'a>>,
    /// What the learners show.
    pub summary: Summarize<'a>,
}

/// Learners, row by row, to what they show.
pub type Summarize<'a> = Box<dyn Fn(&[LearnerRow]) -> Summary + Sync + 'a>;

/// Trains and tests a learner for each seed on the current thread pool, in the order of the
/// seeds. Each comes out the same, whatever the others. Progress is in units of the row's cost.
pub type Learn<'a> = Box<dyn Fn(&[u64], Isa, Progress<'_>) -> Vec<Record> + Sync + 'a>;

/// A row to be learned.
pub struct RowPlan<'a> {
    /// The row's name.
    pub name: &'static str,
    /// What its learners are.
    pub model: Model,
    /// How they are trained on sums, if they are.
    pub train: Option<TrainConfig>,
    /// What they are taught, if it is a task.
    pub course: Option<Course>,
    /// Work of one learner, in the units of progress.
    pub cost: u64,
    /// How learners come about.
    pub learn: Learn<'a>,
}

impl<'a> RowPlan<'a> {
    /// A row of the arithmetic half.
    fn of_sums(
        name: &'static str,
        model: Arithmetic,
        train: Option<TrainConfig>,
        cost: u64,
        learn: impl Fn(&[u64], Isa, Progress<'_>) -> Vec<Record> + Sync + 'a,
    ) -> Self {
        RowPlan { name, model: model.into(), train, course: None, cost, learn: Box::new(learn) }
    }
}

impl Plan<'_> {
    /// How much work this is, in the units of progress.
    pub fn work(&self, learners: usize) -> u64 {
        self.rows.iter().map(|row| row.cost * learners as u64).sum()
    }

    /// Does it, on the current thread pool.
    pub fn run(&self, seeds: &[u64], isa: Isa, progress: Progress<'_>) -> Outcome {
        let learn = |row: &RowPlan<'_>| LearnerRow {
            name: row.name,
            model: row.model,
            train: row.train,
            course: row.course.clone(),
            learners: (row.learn)(seeds, isa, progress),
        };
        let rows: Vec<LearnerRow> = self.rows.iter().map(learn).collect();
        Outcome { experiment: self.name, summary: (self.summary)(&rows), rows }
    }
}

/// A stated expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What should hold.
    pub statement: String,
    /// Whether it does.
    pub holds: bool,
}

/// The learners behind one row.
#[derive(Clone, Debug)]
pub struct LearnerRow {
    /// The row's name.
    pub name: &'static str,
    /// What they are.
    pub model: Model,
    /// How they were trained on sums, if they were.
    pub train: Option<TrainConfig>,
    /// What they were taught, if it was a task.
    pub course: Option<Course>,
    /// The learners in order of seed.
    pub learners: Vec<Record>,
}

impl LearnerRow {
    /// A score of every learner.
    fn scores(&self, metric: &str) -> Vec<f64> {
        self.learners.iter().map(|l| l.metrics[metric]).collect()
    }
}

/// One learner: what it scored and what it learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its seed.
    pub seed: u64,
    /// Scores, by the names of the tables' metrics.
    pub metrics: BTreeMap<&'static str, f64>,
    /// Its weights.
    pub weights: Arrays,
}

impl Record {
    /// A trained learner with its scores.
    pub fn new(learner: Learner, metrics: impl IntoIterator<Item = (&'static str, f64)>) -> Self {
        let mut metrics: BTreeMap<&'static str, f64> = metrics.into_iter().collect();
        metrics.insert("final_loss", learner.final_loss);
        Record { seed: learner.seed, metrics, weights: learner.weights }
    }
}

/// An experiment that `strat reproduce NAME` can run.
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Seeds of the paper's learners: 1 to this.
    pub learners: u64,
    /// What it consists of.
    pub plan: fn() -> Plan<'static>,
}

/// Hears of work done.
pub type Progress<'a> = &'a (dyn Fn(u64) + Sync);

/// Every experiment on arithmetic, in the order of the paper.
const ARITHMETIC: &[Experiment] = &[
    alu::EXPERIMENT,
    ablations::EXPERIMENT,
    lite::EXPERIMENT,
    latent::EXPERIMENT,
    locking::EXPERIMENT,
    arithmetic_baselines::EXPERIMENT,
];

/// The rest.
const TASKS: &[Experiment] = &[params::EXPERIMENT];

/// Every experiment, in the order of the paper.
pub fn all() -> impl Iterator<Item = &'static Experiment> {
    ARITHMETIC.iter().chain(TASKS)
}

/// Names that stand for several experiments: name, what they are, and which.
pub const GROUPS: &[(&str, &str, &[Experiment])] =
    &[("arithmetic", "Everything on arithmetic: all of §3–6 and App. A, B, C, F", ARITHMETIC)];

/// The experiments of a name, single or group.
pub fn named(name: &str) -> impl Iterator<Item = &'static Experiment> {
    let group = GROUPS.iter().filter(move |g| g.0 == name).flat_map(|g| g.2);
    all().filter(move |e| e.name == name).chain(group)
}
