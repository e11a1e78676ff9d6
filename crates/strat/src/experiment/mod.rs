//! The paper's experiments: rows of learners, and a table made of them.

pub mod ablations;
pub mod alu;
pub mod arithmetic_baselines;
mod demanded;
pub mod latent;
pub mod lite;
pub mod locking;
pub mod params;
pub mod picks;
mod run;
pub mod table6;
pub mod tasks;
pub mod teaching;
mod why;

use crate::crystal;
use crate::engine::reference::Arrays;
use crate::engine::{Elem, Isa};
use crate::fit;
use crate::model::{Arithmetic, Model};
use crate::population::lanes;
use crate::record::Row;
use crate::report::Cell;
use crate::train::{Learner, TrainConfig};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tasks::Course;

pub use demanded::demanded;
pub use run::{Desk, Interrupted, Setting};

/// What an experiment gives back: what it shows and every learner behind it.
#[derive(Clone, Debug)]
pub struct Outcome {
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
    pub figures: Vec<(String, String)>,
}

/// What is to be done: rows of learners, and what to make of them.
pub struct Plan<'a> {
    /// Its name on the command line.
    pub name: &'static str,
    /// The rows.
    pub rows: Vec<RowPlan<'a>>,
    /// What the learners show.
    pub summary: Summarize,
}

/// Learners, row by row, to what they show.
pub type Summarize = fn(&[LearnerRow]) -> Summary;

/// Trains and tests a learner for each seed, in the order of the seeds, on the current thread.
/// Each comes out the same, whatever the others. Progress is in units of the row's cost.
pub type Learn<'a> = Box<dyn Fn(&[u64], &Desk<'_>) -> Result<Vec<Record>, Interrupted> + Sync + 'a>;

/// A row to be learned.
pub struct RowPlan<'a> {
    /// The row's name.
    pub name: String,
    /// What its learners are.
    pub model: Model,
    /// How they are trained on sums, if they are.
    pub train: Option<TrainConfig>,
    /// What they are taught, if it is a task.
    pub course: Option<Course>,
    /// Work of one learner, in the units of progress.
    pub cost: u64,
    /// How many learners are best trained at once.
    pub group: Box<dyn Fn(Isa) -> usize + Sync + 'a>,
    /// How learners come about.
    pub learn: Learn<'a>,
}

impl<'a> RowPlan<'a> {
    /// A row of the arithmetic half, trained a vector of learners at a time.
    fn of_sums<E: Elem>(
        name: impl Into<String>,
        model: Arithmetic,
        train: Option<TrainConfig>,
        cost: u64,
        learn: impl Fn(&[u64], Isa, Progress<'_>) -> Vec<Record> + Sync + 'a,
    ) -> Self {
        let learn = move |seeds: &[u64], desk: &Desk<'_>| Ok(learn(seeds, desk.isa, desk.progress));
        RowPlan {
            name: name.into(),
            model: model.into(),
            train,
            course: None,
            cost,
            group: Box::new(lanes::<E>),
            learn: Box::new(learn),
        }
    }

    /// As the manifest names it.
    pub fn row(&self) -> Row {
        Row {
            name: self.name.clone(),
            model: self.model,
            train: self.train.map(Box::new),
            course: self.course.clone(),
        }
    }
}

/// A stated expectation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    pub name: String,
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
    /// The learners of a row.
    pub fn new(row: &Row, learners: Vec<Record>) -> LearnerRow {
        let Row { name, model, train, course } = row.clone();
        LearnerRow { name, model, train: train.map(|train| *train), course, learners }
    }

    /// As the manifest names it.
    pub fn row(&self) -> Row {
        let LearnerRow { name, model, train, course, .. } = self.clone();
        Row { name, model, train: train.map(Box::new), course }
    }

    /// The mean of a score.
    pub fn mean(&self, metric: &str) -> f64 {
        let scores = self.scores(metric);
        scores.iter().sum::<f64>() / scores.len() as f64
    }

    /// A score of every learner.
    fn scores(&self, metric: &str) -> Vec<f64> {
        self.learners.iter().map(|l| l.score(metric)).collect()
    }
}

/// One learner: what it scored and what it learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its seed.
    pub seed: u64,
    /// Scores, by the names of the tables' metrics; NaN where it diverged.
    pub metrics: BTreeMap<String, f64>,
    /// Its losses on the way, as [`losses`](crate::train::losses) keeps them.
    pub losses: Vec<f32>,
    /// Its weights.
    pub weights: Arrays,
}

impl Record {
    /// A trained learner with its scores.
    pub fn new(learner: Learner, metrics: impl IntoIterator<Item = (&'static str, f64)>) -> Self {
        let all = metrics.into_iter().chain([("final_loss", learner.final_loss)]);
        // A file knows one kind of number that is none, so there is one here.
        let score = |x: f64| if x.is_finite() { x } else { f64::NAN };
        let metrics = all.map(|(name, x)| (name.to_string(), score(x))).collect();
        Record { seed: learner.seed, metrics, losses: learner.losses, weights: learner.weights }
    }

    /// A score by its name; NaN, as of a learner that diverged, if it has none.
    pub fn score(&self, metric: &str) -> f64 {
        self.metrics.get(metric).copied().unwrap_or(f64::NAN)
    }

    /// Checksum of the weights: the same for the same bits, wherever they were computed.
    pub fn fingerprint(&self) -> u32 {
        let mut crc = crc32fast::Hasher::new();
        self.weights.values().flatten().for_each(|x| crc.update(&x.to_le_bytes()));
        crc.finalize()
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

/// What the paper does not have.
const BEYOND: &[Experiment] = &[teaching::EXPERIMENT];

/// Every experiment, in the order of the paper.
pub fn all() -> impl Iterator<Item = &'static Experiment> {
    ARITHMETIC.iter().chain(TASKS).chain(BEYOND)
}

/// An experiment with [annealed](TrainConfig::annealed) learners, if that is offered.
pub fn annealed(name: &str) -> Option<Plan<'static>> {
    match name {
        locking::NAME => Some(locking::all_annealed()),
        lite::NAME => Some(lite::annealed()),
        _ => None,
    }
}

/// A name that stands for several experiments.
pub struct Group {
    /// On the command line.
    pub name: &'static str,
    /// One line about them.
    pub about: &'static str,
    /// Those that need no data.
    pub experiments: &'static [&'static [Experiment]],
    /// And the data-set tasks?
    pub tasks: bool,
}

/// All groups.
pub const GROUPS: &[Group] = &[
    Group {
        name: "arithmetic",
        about: "Everything on arithmetic: all of §3–6 and App. A, B, C, F",
        experiments: &[ARITHMETIC],
        tasks: false,
    },
    Group {
        name: "tasks",
        about: "Both models on the eleven data sets (§7, Table 6)",
        experiments: &[],
        tasks: true,
    },
    Group { name: "all", about: "Everything in the paper", experiments: &[ARITHMETIC, TASKS], tasks: true },
];

/// The experiments of a name, single or group, that need no data.
pub fn named(name: &str) -> impl Iterator<Item = &'static Experiment> {
    let group = GROUPS.iter().filter(move |g| g.name == name).flat_map(|g| g.experiments.iter().copied().flatten());
    all().filter(move |e| e.name == name).chain(group)
}

/// What the learners of an experiment show, by its name in a manifest.
pub fn summarize(name: &str) -> Option<Summarize> {
    match name {
        tasks::NAME => Some(tasks::summary),
        fit::run::NAME => Some(fit::run::summary),
        crystal::run::NAME => Some(crystal::run::summary),
        // Its plan would begin with the search.
        teaching::NAME => Some(teaching::summary),
        _ => all().find(|e| e.name == name).map(|e| (e.plan)().summary),
    }
}
