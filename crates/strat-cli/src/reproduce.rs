//! `strat reproduce`

use crate::ExitCode;
use crate::Failure;
use crate::args::ReproduceArgs;
use crate::runner::Runner;
use crate::train::preset;
use std::num::NonZeroUsize;
use std::sync::Arc;
use strat::config::{Preset, Setting};
use strat::metric::Metric;
use strat::model::{Architecture, ModelRecord};
use strat::result::{Cell, LearnerRow};
use strat::task::{DataTask, Entry, Pick, TaskError};
use strat::train::TrainConfig;
use strat_paper::experiment::picks::{self, PickScores};
use strat_paper::experiment::{GROUPS, ablations, annealed, named, table6, tasks, teaching};

pub fn run(args: ReproduceArgs) -> Result<ExitCode, Failure> {
    let group = GROUPS.iter().find(|g| g.name == args.experiment);
    let with_tasks = group.is_some_and(|g| g.tasks);
    if !with_tasks && (args.picks.is_some() || args.epochs.is_some() || !args.only.is_empty()) {
        return Err(Failure::NoTasks);
    }
    let presets = presets(&args)?;
    let tasks = if with_tasks { load(&args)? } else { vec![] };
    let mut work = Runner::new(&args.experiment, args.population.pool()?, &args.keep, !args.no_weights, args.json)?;

    let mut jobs = vec![];
    for preset in &presets {
        for e in named(&args.experiment) {
            let fail = || Failure::NoPreset { preset: preset.name, of: e.name.into() };
            let plan = match e.name {
                name if args.anneal => annealed(name).ok_or_else(|| Failure::NoAnneal(name.into()))?,
                teaching::NAME => teaching::plan(&work.teaching_sets()),
                ablations::NAME => ablations::with(preset).ok_or_else(fail)?,
                _ => (e.plan)(),
            };
            let inside = inside(&presets, preset, group.map(|_| e.name));
            jobs.push(work.job(plan, args.population.seeds(e.learners), preset, inside.as_deref())?);
        }
    }
    let plain = jobs.len();
    let runs: Vec<TaskRun<'_>> = presets
        .iter()
        .flat_map(|preset| {
            tasks.iter().map(move |(task, first)| TaskRun {
                preset,
                task,
                first: *first,
                rows: vec![],
                cells: vec![],
            })
        })
        .collect();
    for TaskRun { preset, task, first, .. } in &runs {
        let fail = || Failure::NoPreset { preset: preset.name, of: task.name().into() };
        let setup = preset.apply(&Entry::named(task.name())?.setup()).ok_or_else(fail)?;
        let steps = args.epochs.map_or(setup.train.steps, NonZeroUsize::get);
        let train = TrainConfig { steps, ..setup.train };
        let setting = |(a, model): (Architecture, ModelRecord)| Setting::new(a.title(), model, train);
        let settings: Vec<Setting> = Architecture::ALL.into_iter().zip(setup.models).map(setting).collect();
        let plan = tasks::plan(task, &settings)?;
        // The table's own pick has the task's name; the others say which they are.
        let name = match (first, task.pick()) {
            (false, Some(pick)) => format!("{}-{}", task.name(), pick.to_string().replace(" pick ", "-")),
            _ => task.name().to_string(),
        };
        let name = if plain > 0 { format!("tasks/{name}") } else { name };
        let inside = inside(&presets, preset, Some(&name));
        jobs.push(work.job(plan, args.population.task_seeds(), preset, inside.as_deref())?);
    }

    let mut failed = false;
    let mut done = vec![];
    let mut runs = runs.into_iter();
    for (i, job) in jobs.into_iter().enumerate() {
        let run = if i < plain { None } else { runs.next() };
        if let Some(outcome) = work.run(job)? {
            failed |= outcome.summary.checks.iter().any(|c| !c.holds);
            done.extend(run.map(|run| TaskRun { rows: outcome.rows, cells: outcome.summary.cells, ..run }));
        }
    }
    if !done.is_empty() {
        work.show(&tables(&done, args.json))?;
    }
    work.finish()?;
    Ok(if args.check && failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// The presets that were asked for, each once.
fn presets(args: &ReproduceArgs) -> Result<Vec<&'static Preset>, Failure> {
    let mut found = vec![];
    for name in &args.preset {
        let one = preset(Some(name));
        if !found.contains(&one) {
            found.push(one);
        }
    }
    if found.iter().any(|p| !p.is_specified()) && ![ablations::NAME, "tasks"].contains(&&*args.experiment) {
        return Err(Failure::NoPresets(args.experiment.clone()));
    }
    Ok(if found.is_empty() { vec![preset(None)] } else { found })
}

/// The folder of one of several runs inside of the one that was asked for.
fn inside(presets: &[&Preset], preset: &Preset, name: Option<&str>) -> Option<String> {
    let several = (presets.len() > 1).then_some(preset.name);
    let parts: Vec<&str> = several.into_iter().chain(name).collect();
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// Learners of both models on a task, under a preset.
struct TaskRun<'a> {
    preset: &'static Preset,
    task: &'a Arc<DataTask>,
    /// Whether it is the table's own pick.
    first: bool,
    rows: Vec<LearnerRow>,
    /// What is shown of them.
    cells: Vec<Cell>,
}

/// The tasks that were asked for, each with its own pick first and then with others.
fn load(args: &ReproduceArgs) -> Result<Vec<(Arc<DataTask>, bool)>, Failure> {
    let folder = args.folder.open()?;
    let mut tasks = vec![];
    for entry in Entry::ALL.iter().filter(|e| args.only.is_empty() || args.only.iter().any(|name| name == e.name)) {
        tasks.push((Arc::new(entry.load(&folder, None)?), true));
        let Some(own) = entry.default_pick() else { continue };
        let mut others = args.picks.map_or(0, |n| n.get() - 1);
        for pick in (own.seed + 1..).map(|seed| Pick { seed, ..own }) {
            if others == 0 {
                break;
            }
            match entry.load(&folder, Some(pick)) {
                Ok(task) => tasks.push((Arc::new(task), false)),
                // No choice of this seed gives the paper's sets: the next one may.
                Err(TaskError::NoPick { .. }) => continue,
                Err(e) => return Err(e.into()),
            }
            others -= 1;
        }
    }
    Ok(tasks)
}

/// Table 6 under every preset, and how far each is from the paper.
fn tables(runs: &[TaskRun<'_>], json: bool) -> String {
    let mut text = String::new();
    let mut cells = vec![];
    for same in runs.chunk_by(|a, b| a.preset == b.preset) {
        let (all, table) = table(same);
        if same.len() < runs.len() {
            text += &format!("{}{}\n\n", if text.is_empty() { "" } else { "\n" }, same[0].preset.name);
        }
        text += &table;
        cells.push((same[0].preset, all));
    }
    if json {
        return cells.iter().map(|(_, cells)| Cell::json_lines(cells)).collect();
    }
    if cells.len() > 1 {
        text += &format!("\n{}", table6::compared(&cells));
    }
    text
}

/// Table 6, and how much depends on the pick.
fn table(runs: &[TaskRun<'_>]) -> (Vec<Cell>, String) {
    let own = runs.iter().filter(|run| run.first);
    let scores: Vec<_> = own.flat_map(|run| table6::Scores::of_run(&run.rows, &run.cells)).collect();
    let mut cells = table6::cells(&scores);
    let mut text = table6::render(&cells);
    for same in runs.chunk_by(|a, b| a.task.name() == b.task.name()).filter(|same| same.len() > 1) {
        for (i, architecture) in Architecture::ALL.into_iter().enumerate() {
            let scores = |run: &TaskRun<'_>| {
                let accuracy = [Metric::ID_ACCURACY, Metric::OOD_ACCURACY].map(|metric| run.rows[i].mean(metric));
                Some(PickScores { pick: run.task.pick()?, accuracy })
            };
            let (task, picked): (_, Vec<PickScores>) = (same[0].task, same.iter().filter_map(scores).collect());
            cells.extend(picks::cells(task, architecture, &picked));
            text += &format!("\n{}: {}", task.title(), picks::lines(task, architecture, &picked));
        }
    }
    (cells, text)
}
