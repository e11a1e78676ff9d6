//! The paper's experiments: rows of learners, and a table made of them.

pub mod ablations;
pub mod alu;
pub mod arithmetic_baselines;
pub mod crystallize;
mod demanded;
mod folder;
pub mod latent;
pub mod lite;
pub mod locking;
mod locking_factors;
pub mod params;
pub mod picks;
pub mod table6;
pub mod tasks;
pub mod teaching;

use std::sync::Arc;
use strat::fit;
use strat::model::ModelRecord;
use strat::result::{Row, Summarize};
use strat::sweep::{Plan, RowPlan};
use strat::task::{SumTask, Task};
use strat::train::TrainConfig;

pub use demanded::demanded;
pub use folder::{merge, open, start};

/// An experiment that `strat reproduce NAME` can run.
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Seeds of the paper's learners: 1 to this.
    pub learners: u64,
    /// What it consists of.
    pub plan: fn() -> Plan,
}

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

/// An experiment with [annealed](strat::train::TrainConfig::annealed) learners, if that is offered.
pub fn annealed(name: &str) -> Option<Plan> {
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

/// How the paper trains on these sums or lists.
fn paper_train(task: &SumTask) -> TrainConfig {
    task.paper().expect("the paper has all sums and lists").train
}

/// Whether the learners of a row are trained on these sums as the paper trains them.
fn is_published(row: &Row, task: &SumTask) -> bool {
    row.sums() == Some(*task) && row.train() == Some(&paper_train(task))
}

/// A row of one of the paper's models on sums or lists.
fn row_of_sums(name: impl Into<String>, model: &ModelRecord, task: SumTask, train: TrainConfig) -> RowPlan {
    let model = model.model().expect("a model of the paper");
    RowPlan::new(name, model, Arc::new(task), train).expect("the paper's models of sums read all of them")
}

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
        crystallize::NAME => Some(crystallize::summary),
        // Its plan would begin with the search.
        teaching::NAME => Some(teaching::summary),
        _ => all().find(|e| e.name == name).map(|e| (e.plan)().summary),
    }
}
