//! Learners of the data-set tasks (§7): trained, tested in and out of distribution, beside Table 6.

use crate::paper::TaskRow;
use rayon::prelude::*;
use std::fmt::Write;
use std::sync::Arc;
use strat::baseline::Shortcut;
use strat::config::{Preset, Setting};
use strat::data::DataFolder;
use strat::engine::Isa;
use strat::metric::Metric;
use strat::model::ModelRecord;
use strat::result::{Cell, DataRecord, LearnerResult, LearnerRow, Row, Summary, TaskRecord, thousands};
use strat::sweep::{Plan, RowPlan};
use strat::task::{ArrayTask, DataTask, Entry, Split, SumTask, Task};
use strat::train::{Ballot, Population, Predictor, TrainError};

/// What of the training is not as the paper has it, in words; of tasks of the paper.
pub(super) fn departs(row: &Row) -> Option<String> {
    let paper = Entry::named(TaskRow::of(&row.data()?.task)?.task).ok()?.setup();
    let train = row.train()?;
    match Preset::of(&paper, &row.model, train) {
        Some(preset) if preset.is_specified() => None,
        Some(preset) => Some(format!("preset {}", preset.name)),
        None if train.steps != paper.train.steps => {
            let [ours, theirs] = [train.steps, paper.train.steps].map(|n| thousands(n as u64));
            Some(format!("{ours} epoch{}, the paper has {theirs}", if train.steps == 1 { "" } else { "s" }))
        }
        None if *train != paper.train => Some("another optimizer than the paper's".into()),
        None => Some("another model than the paper's".into()),
    }
}

/// Of runs on tasks, in manifests.
pub(crate) const NAME: &str = "train";
/// Of runs on sums or lists that are no experiment of the paper.
const NAME_OF_SUMS: &str = "sums";
/// Of runs on files of examples.
const NAME_OF_FILES: &str = "examples";

/// One row per setting: a learner for each seed, trained and tested, a whole learner on each thread.
/// The same seed means the same examples for all of them.
pub fn plan(task: &Arc<DataTask>, settings: &[Setting]) -> Result<Plan, TrainError> {
    let record = TaskRecord::Data(DataRecord::of(task).into());
    let rows = rows(task.clone(), Some(record), settings)?.into_iter().zip(settings);
    let rows = rows.map(|(row, setting)| {
        let (task, setting) = (task.clone(), setting.clone());
        row.showing(move |learners, isa| beside(&task, (&setting.name, &setting.model), learners, isa))
    });
    Ok(Plan { name: NAME, rows: rows.collect(), summary })
}

/// What is shown beside the accuracies of a row: its learners' votes, and what the base examples decide.
fn beside(
    task: &DataTask,
    (name, model): (&str, &ModelRecord),
    learners: &[LearnerResult],
    isa: Isa,
) -> Result<Vec<Cell>, TrainError> {
    Ok([votes(task, (name, model), learners, isa)?, decided(task, name)].concat())
}

/// The same of all rows of shards that are merged; or why it cannot be told here.
pub(super) fn together(rows: &[LearnerRow], folder: &DataFolder, isa: &str) -> Result<Vec<Cell>, String> {
    let Some(data) = rows.first().and_then(|row| row.data()) else { return Ok(vec![]) };
    let task = data.open(folder).map_err(|e| e.to_string())?;
    if task.fingerprint() != data.data {
        let (task, there) = (&data.task, folder.root().display());
        return Err(format!(
            "the learners were tested on other examples of {task} than those of {there}; merge again with the folder that has them (--data)"
        ));
    }
    // As they were tested, bit for bit, if this machine can.
    let own = Isa::all_available().find(|own| own.name() == isa);
    let isa = own.map_or_else(Isa::detect, Ok).map_err(|e| e.to_string())?;
    let of = |row: &LearnerRow| beside(&task, (&row.name, &row.model), &row.learners, isa);
    Ok(rows.iter().map(of).collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?.concat())
}

/// How often the vote of the learners of a row is right.
fn votes(
    task: &DataTask,
    (name, model): (&str, &ModelRecord),
    learners: &[LearnerResult],
    isa: Isa,
) -> Result<Vec<Cell>, TrainError> {
    // Nobody here can ask a model of somebody's own.
    let Some(model) = model.model() else { return Ok(vec![]) };
    Population::check(task, &*model)?;
    let mut cells = vec![];
    for (metric, split) in [(Metric::ID_VOTE, Split::Id), (Metric::OOD_VOTE, Split::Ood)] {
        let examples = task.split(split);
        let ballot = |learner: &LearnerResult| {
            let outputs = Predictor::new(task, model.clone(), &learner.weights, isa).outputs(examples)?;
            Ok(Ballot::of(task.readout(), &outputs))
        };
        let ballots: Result<Option<Vec<Ballot>>, TrainError> = learners.par_iter().map(ballot).collect();
        cells.extend(ballots?.map(|ballots| {
            let score = Ballot::score(&ballots, examples);
            of_task(task, Cell::exact(NAME, name, &metric, score, learners.len(), None))
        }));
    }
    Ok(cells)
}

/// How much of a task's tests its base examples decide, where that is known.
fn decided(task: &DataTask, row: &str) -> Vec<Cell> {
    let of = |(metric, split): (Metric, Split)| {
        let share = task.decided(split)?;
        Some(of_task(task, Cell::exact(NAME, row, &metric, share, task.split(split).len(), None)))
    };
    [(Metric::ID_DECIDED, Split::Id), (Metric::OOD_DECIDED, Split::Ood)].into_iter().filter_map(of).collect()
}

fn of_task(task: &DataTask, cell: Cell) -> Cell {
    Cell { task: Some(task.name().into()), stand_in: task.stand_in().map(String::from), ..cell }
}

/// The same on sums or lists; curricula have their stages in the steps of each setting.
pub fn plan_of_sums(task: &SumTask, settings: &[Setting]) -> Result<Plan, TrainError> {
    let mut all = vec![];
    for setting in settings {
        let task = SumTask { steps: setting.train.steps, ..*task };
        all.extend(rows(Arc::new(task), None, std::slice::from_ref(setting))?);
    }
    Ok(Plan::own(NAME_OF_SUMS, share(all, settings)))
}

/// The same on examples of a file.
pub fn plan_of_file(task: &Arc<ArrayTask>, settings: &[Setting]) -> Result<Plan, TrainError> {
    Ok(Plan::own(NAME_OF_FILES, rows(task.clone(), None, settings)?))
}

fn rows(task: Arc<dyn Task>, record: Option<TaskRecord>, settings: &[Setting]) -> Result<Vec<RowPlan>, TrainError> {
    let record = record.unwrap_or_else(|| TaskRecord::of(&*task));
    let row = |Setting { name, model, train, .. }: &Setting| {
        let model = model.model().expect("settings name models of the paper");
        RowPlan::recorded(name, model, (task.clone(), Some(record.clone())), *train)
    };
    Ok(share(settings.iter().map(row).collect::<Result<_, _>>()?, settings))
}

/// Lets learners of neighbouring settings be trained side by side where only their optimizers differ.
fn share(rows: Vec<RowPlan>, settings: &[Setting]) -> Vec<RowPlan> {
    let mut number = 0;
    let mut together = vec![];
    for (i, setting) in settings.iter().enumerate() {
        let is_like = |other: &Setting| (&other.model, other.train.steps) == (&setting.model, setting.train.steps);
        if i > 0 && !is_like(&settings[i - 1]) {
            number += 1;
        }
        together.push(number);
    }
    rows.into_iter().zip(together).map(|(row, number)| row.together(number)).collect()
}

/// The accuracies of one task's learners, beside the paper's.
pub(crate) fn summary(rows: &[LearnerRow]) -> Summary {
    // Every row of such a run has the same task.
    let Some(data) = rows.first().and_then(|r| r.data()) else { return Summary::default() };
    let paper = TaskRow::of(&data.task);
    let n = rows[0].learners.len();
    let mut cells = vec![];
    let mut notes = String::new();
    for row in rows {
        let figures = match row.model {
            ModelRecord::Blocks(model) => paper.map(|p| p.accuracy(model.architecture)),
            _ => None,
        };
        for (i, (metric, split)) in
            [(Metric::ID_ACCURACY, "ID"), (Metric::OOD_ACCURACY, "OOD")].into_iter().enumerate()
        {
            let sample = row.scores(&metric);
            let cell = Cell {
                task: Some(data.task.clone()),
                stand_in: data.stand_in.clone(),
                ..Cell::of_mean(NAME, &row.name, &metric, &sample, figures.map(|f| f[i]))
            };
            let cell = cell.departing(departs(row));
            let _ = write!(notes, "{}, {split}: {:.2}", row.name, 100.0 * cell.value);
            if let Some(error) = cell.error {
                let _ = write!(notes, " ± {:.2} (mean ± standard error, %)", 100.0 * error);
            }
            cells.push(cell);
            let each = row.learners.iter().zip(&sample).map(|(l, x)| format!("{}: {:.2}", l.seed, 100.0 * x));
            let _ = writeln!(notes, "; by seed {}", each.collect::<Vec<_>>().join(", "));
        }
    }
    notes.push_str(&Shortcut::lines(&data.shortcuts));
    if let Some(pick) = data.pick {
        let _ = writeln!(notes, "Base examples: {pick}.");
    }
    if let Some(stand_in) = &data.stand_in {
        let _ = writeln!(notes, "Stand-in: {stand_in}.");
    }
    Summary {
        title: format!(
            "{}: {} a model, {} epochs, tested on {} examples in distribution and {} out of it",
            Entry::named(&data.task).map_or(&*data.task, |e| e.title),
            if n == 1 { "one learner".into() } else { format!("{n} learners") },
            rows[0].train().map_or(0, |train| train.steps),
            data.tests[0],
            data.tests[1],
        ),
        cells,
        notes,
        ..Summary::default()
    }
}
