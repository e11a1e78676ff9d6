//! The whole of Table 6: both models on every data set, their difference, and averages. A function of scores alone.
//!
//! Differences are taken seed by seed, as one seed means one choice of examples for both models; a seed that only one of
//! them has is left out there. Their interval is Student's t over these pairs. Averages are taken over the data sets that
//! both models have, so that they can be compared, and over the seeds that all of these have. Beside the average over
//! fewer than eleven stands the average of the paper's rows; the error of the paper's average follows from its rows, taken
//! as independent.

mod presets;
mod text;

use super::tasks::departs;
use crate::paper::{AVERAGE, TASKS, TaskRow};
use std::collections::BTreeMap;
use strat::metric::Metric;
use strat::model::{Architecture, ModelRecord};
use strat::result::{Cell, LearnerRow, Printed, PrintedMean};
use strat::task::Entry;

pub use presets::{Agreement, compared};
pub use text::render;

const NAME: &str = "tasks";
/// The last row's name.
pub(crate) const AVERAGE_ROW: &str = "Average";

/// What learners of one model reached on one task.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// The task's name.
    pub task: String,
    /// What is not the paper's data; none if all of it is.
    pub stand_in: Option<String>,
    /// What is not the paper's training; none if all of it is.
    pub departs: Option<String>,
    /// The model.
    pub architecture: Architecture,
    /// Accuracy by seed, ID and OOD.
    pub by_seed: BTreeMap<u64, [f64; 2]>,
    /// How often the vote of all seeds is right, ID and OOD, where it is known.
    pub vote: [Option<f64>; 2],
    /// How much the base examples decide, ID and OOD, where it is known.
    pub decided: [Option<f64>; 2],
}

impl Scores {
    /// Those of a row of learners; none if they were not taught a task.
    pub fn of(row: &LearnerRow) -> Option<Scores> {
        let (ModelRecord::Blocks(model), Some(data)) = (&row.model, row.data()) else { return None };
        let scores = [Metric::ID_ACCURACY, Metric::OOD_ACCURACY].map(|metric| row.scores(metric));
        let by_seed = row.learners.iter().zip(scores[0].iter().zip(&scores[1]));
        Some(Scores {
            task: data.task.clone(),
            stand_in: data.stand_in.clone(),
            departs: departs(row),
            architecture: model.architecture,
            by_seed: by_seed.map(|(learner, (&id, &ood))| (learner.seed, [id, ood])).collect(),
            vote: [None; 2],
            decided: [None; 2],
        })
    }

    /// Those of all rows of a run, with what the run shows beside their learners.
    pub fn of_run(rows: &[LearnerRow], shown: &[Cell]) -> Vec<Scores> {
        let of = |row: &LearnerRow| {
            let value = |metric| shown.iter().find(|c| c.row == row.name && c.metric == metric).map(|c| c.value);
            Some(Scores {
                vote: [Metric::ID_VOTE, Metric::OOD_VOTE].map(value),
                decided: [Metric::ID_DECIDED, Metric::OOD_DECIDED].map(value),
                ..Scores::of(row)?
            })
        };
        rows.iter().filter(|row| !row.learners.is_empty()).filter_map(of).collect()
    }
}

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    /// Accuracy of a model, ID (0) or OOD (1).
    Accuracy(Architecture, usize),
    /// STRAT less the Transformer, ID or OOD.
    Difference(usize),
    /// OOD less ID.
    Shift(Architecture),
}

use Architecture::{Strat, Transformer};

/// In the order of the table.
const COLUMNS: [Column; 8] = [
    Column::Accuracy(Strat, 0),
    Column::Accuracy(Strat, 1),
    Column::Shift(Strat),
    Column::Accuracy(Transformer, 0),
    Column::Accuracy(Transformer, 1),
    Column::Shift(Transformer),
    Column::Difference(0),
    Column::Difference(1),
];

impl Column {
    fn metric(self) -> &'static Metric {
        match self {
            Column::Accuracy(Strat, i) => [&Metric::STRAT_ID_ACCURACY, &Metric::STRAT_OOD_ACCURACY][i],
            Column::Accuracy(Transformer, i) => {
                [&Metric::TRANSFORMER_ID_ACCURACY, &Metric::TRANSFORMER_OOD_ACCURACY][i]
            }
            Column::Difference(i) => [&Metric::DIFFERENCE_ID_ACCURACY, &Metric::DIFFERENCE_OOD_ACCURACY][i],
            Column::Shift(Strat) => &Metric::STRAT_OOD_LESS_ID,
            Column::Shift(Transformer) => &Metric::TRANSFORMER_OOD_LESS_ID,
        }
    }

    /// By seed, on one task; nothing for a model without scores.
    fn sample(self, task: &TaskScores<'_>) -> BTreeMap<u64, f64> {
        let of = |model: Architecture| task.models.get(&(model as usize)).map(|s| &s.by_seed).into_iter().flatten();
        match self {
            Column::Accuracy(model, i) => of(model).map(|(&seed, a)| (seed, a[i])).collect(),
            Column::Shift(model) => of(model).map(|(&seed, a)| (seed, a[1] - a[0])).collect(),
            Column::Difference(i) => {
                let other: BTreeMap<u64, f64> = of(Transformer).map(|(&seed, a)| (seed, a[i])).collect();
                of(Strat).filter_map(|(seed, a)| Some((*seed, a[i] - other.get(seed)?))).collect()
            }
        }
    }

    /// The paper's figure on one task.
    fn paper(self, row: &TaskRow) -> PrintedMean {
        match self {
            Column::Accuracy(model, i) => row.accuracy(model)[i],
            Column::Difference(i) => row.difference()[i],
            Column::Shift(model) => PrintedMean { mean: row.shift(model), error: None },
        }
    }

    /// The paper's average over some rows: as printed if these are all.
    fn paper_average(self, rows: &[&TaskRow]) -> PrintedMean {
        let figures: Vec<PrintedMean> = rows.iter().map(|row| self.paper(row)).collect();
        let n = figures.len() as f64;
        let printed = match self {
            Column::Accuracy(model, i) => AVERAGE.accuracy(model)[i],
            Column::Difference(i) => AVERAGE.difference()[i],
            Column::Shift(model) => AVERAGE.shift(model),
        };
        let mean = if rows.len() == TASKS.len() {
            printed
        } else {
            Printed { value: figures.iter().map(|f| f.mean.value).sum::<f64>() / n, ..printed }
        };
        let squares: Option<f64> = figures.iter().map(|f| f.error.map(|e| e * e)).sum();
        PrintedMean { mean, error: squares.map(|sum| sum.sqrt() / n) }
    }
}

/// Of a model's vote, ID and OOD.
fn vote_metrics(architecture: Architecture) -> [&'static Metric; 2] {
    match architecture {
        Strat => [&Metric::STRAT_ID_VOTE, &Metric::STRAT_OOD_VOTE],
        Transformer => [&Metric::TRANSFORMER_ID_VOTE, &Metric::TRANSFORMER_OOD_VOTE],
    }
}

/// Whether a cell is a model's vote or what the base examples decide, which stand beside the accuracies.
pub(crate) fn is_beside(cell: &Cell) -> bool {
    let votes = Architecture::ALL.into_iter().flat_map(vote_metrics);
    votes.chain([&Metric::ID_DECIDED, &Metric::OOD_DECIDED]).any(|metric| cell.metric == *metric)
}

/// Both models on one task, by their place in [`Architecture::ALL`].
struct TaskScores<'a> {
    task: &'a str,
    models: BTreeMap<usize, &'a Scores>,
}

impl TaskScores<'_> {
    fn title(&self) -> &str {
        Entry::named(self.task).map_or(self.task, |entry| entry.title)
    }

    fn stand_in(&self) -> Option<&str> {
        self.models.values().find_map(|s| s.stand_in.as_deref())
    }

    fn departs(&self) -> Option<String> {
        self.models.values().find_map(|s| s.departs.clone())
    }

    /// Votes of both models, and what the base examples decide.
    fn beside(&self) -> Vec<Cell> {
        let mut found = vec![];
        for model in self.models.values() {
            let metrics = vote_metrics(model.architecture);
            let votes = metrics.into_iter().zip(model.vote);
            found.extend(votes.filter_map(|(metric, x)| Some((metric, x?, model.by_seed.len()))));
        }
        let decided = self.models.values().next().map_or([None; 2], |model| model.decided);
        let metrics = [&Metric::ID_DECIDED, &Metric::OOD_DECIDED];
        found.extend(metrics.into_iter().zip(decided).filter_map(|(metric, x)| Some((metric, x?, 0))));
        let cell = |(metric, x, n): (&'static Metric, f64, usize)| Cell {
            task: Some(self.task.into()),
            stand_in: self.stand_in().map(String::from),
            ..Cell::exact(NAME, self.title(), metric, x, n, None)
        };
        found.into_iter().map(cell).collect()
    }

    /// Whether it has a score of a model.
    fn has(&self, model: Architecture) -> bool {
        self.models.get(&(model as usize)).is_some_and(|s| !s.by_seed.is_empty())
    }
}

/// Tasks in the order of the paper, then others. Of several scores of one model on one task the last count.
fn by_task(scores: &[Scores]) -> Vec<TaskScores<'_>> {
    let mut tasks: Vec<TaskScores<'_>> = vec![];
    for s in scores {
        let at = tasks.iter().position(|t| t.task == s.task).unwrap_or_else(|| {
            tasks.push(TaskScores { task: &s.task, models: BTreeMap::new() });
            tasks.len() - 1
        });
        tasks[at].models.insert(s.architecture as usize, s);
    }
    tasks.sort_by_key(|t| TASKS.iter().position(|row| row.task == t.task).unwrap_or(TASKS.len()));
    tasks
}

/// The table's cells, row by row, with what the paper prints and how ours compares.
pub fn cells(scores: &[Scores]) -> Vec<Cell> {
    let tasks = by_task(scores);
    let mut cells = vec![];
    for task in &tasks {
        for column in COLUMNS {
            let sample: Vec<f64> = column.sample(task).into_values().collect();
            if sample.is_empty() {
                continue;
            }
            let paper = TaskRow::of(task.task).map(|row| column.paper(row));
            let cell = Cell::of_mean(NAME, task.title(), column.metric(), &sample, paper);
            let (task, stand_in, departs) = (task.task, task.stand_in().map(String::from), task.departs());
            cells.push(Cell { task: Some(task.into()), stand_in, ..cell.departing(departs) });
        }
        cells.extend(task.beside());
    }
    let averaged = averaged(tasks);
    if averaged.len() > 1 {
        cells.extend(COLUMNS.into_iter().filter_map(|column| average(column, &averaged)));
    }
    cells
}

/// The tasks that both models have; if all scores are of one model, those that it has.
fn averaged(tasks: Vec<TaskScores<'_>>) -> Vec<TaskScores<'_>> {
    let models: Vec<Architecture> =
        Architecture::ALL.into_iter().filter(|&model| tasks.iter().any(|t| t.has(model))).collect();
    tasks.into_iter().filter(|t| models.iter().all(|&model| t.has(model))).collect()
}

/// A column's average over some tasks; none if no seed is common to them.
fn average(column: Column, tasks: &[TaskScores<'_>]) -> Option<Cell> {
    let samples: Vec<BTreeMap<u64, f64>> = tasks.iter().map(|t| column.sample(t)).collect();
    let seeds = samples.first()?.keys().filter(|seed| samples.iter().all(|s| s.contains_key(seed)));
    let mean = |seed| samples.iter().map(|s| s[seed]).sum::<f64>() / samples.len() as f64;
    let sample: Vec<f64> = seeds.map(mean).collect();
    let rows: Option<Vec<&TaskRow>> = tasks.iter().map(|t| TaskRow::of(t.task)).collect();
    let drawn: Vec<&str> = tasks.iter().filter(|t| t.stand_in().is_some()).map(|t| t.title()).collect();
    if sample.is_empty() {
        return None;
    }
    let paper = rows.map(|rows| column.paper_average(&rows));
    let cell = Cell::of_mean(NAME, AVERAGE_ROW, column.metric(), &sample, paper);
    let some = (tasks.len() < TASKS.len())
        .then(|| format!("over {} of the paper's {} data sets", tasks.len(), TASKS.len()));
    let cell = cell.departing(some).departing(tasks.iter().find_map(TaskScores::departs));
    Some(Cell {
        stand_in: (!drawn.is_empty()).then(|| format!("stand-ins among them: {}", drawn.join(", "))),
        ..cell
    })
}

#[cfg(test)]
mod tests;
