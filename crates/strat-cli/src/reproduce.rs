//! `strat reproduce`

use crate::Failure;
use crate::args::ReproduceArgs;
use crate::runner::Runner;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;
use strat::config::Setting;
use strat::metric::Metric;
use strat::model::Architecture;
use strat::result::{Cell, LearnerRow};
use strat::task::{DataTask, Entry, Pick, TaskError};
use strat::train::TrainConfig;
use strat_paper::experiment::picks::{self, PickScores};
use strat_paper::experiment::{GROUPS, annealed, named, table6, tasks, teaching};

pub fn run(args: ReproduceArgs) -> Result<ExitCode, Failure> {
    let group = GROUPS.iter().find(|g| g.name == args.experiment);
    let with_tasks = group.is_some_and(|g| g.tasks);
    if !with_tasks && (args.picks.is_some() || args.epochs.is_some() || !args.only.is_empty()) {
        return Err(Failure::NoTasks);
    }
    let tasks = if with_tasks { load(&args)? } else { vec![] };
    let mut work = Runner::new(&args.experiment, args.population.pool()?, &args.keep, !args.no_weights, args.json)?;

    let plain = named(&args.experiment).map(|e| {
        let inside = group.map(|_| e.name);
        let plan = match e.name {
            name if args.anneal => annealed(name).ok_or_else(|| Failure::NoAnneal(name.into()))?,
            teaching::NAME => teaching::plan(&work.teaching_sets()),
            _ => (e.plan)(),
        };
        work.job(plan, args.population.seeds(e.learners), inside)
    });
    let mut jobs = plain.collect::<Result<Vec<_>, _>>()?;
    let plain = jobs.len();
    for (task, first) in &tasks {
        let entry = Entry::named(task.name())?;
        let steps = args.epochs.map_or(entry.train.steps, NonZeroUsize::get);
        let train = TrainConfig { steps, ..entry.train };
        let setting = |a: Architecture| Setting::new(a.title(), entry.model(a).into(), train);
        let plan = tasks::plan(task, &Architecture::ALL.map(setting))?;
        // The table's own pick has the task's name; the others say which they are.
        let name = match (first, task.pick()) {
            (false, Some(pick)) => format!("{}-{}", task.name(), pick.to_string().replace(" pick ", "-")),
            _ => task.name().to_string(),
        };
        let inside = if plain > 0 { format!("tasks/{name}") } else { name };
        jobs.push(work.job(plan, args.population.task_seeds(), Some(&inside))?);
    }

    let mut failed = false;
    let mut rows = vec![];
    for (i, job) in jobs.into_iter().enumerate() {
        if let Some(outcome) = work.run(job)? {
            failed |= outcome.summary.checks.iter().any(|c| !c.holds);
            if let Some((task, first)) = i.checked_sub(plain).map(|i| &tasks[i]) {
                rows.push((task, *first, outcome.rows));
            }
        }
    }
    if !rows.is_empty() {
        work.show(&table(&rows, args.json))?;
    }
    work.finish()?;
    Ok(if args.check && failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
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

/// Table 6, and how much depends on the pick.
fn table(rows: &[(&Arc<DataTask>, bool, Vec<LearnerRow>)], json: bool) -> String {
    let own = rows.iter().filter(|(_, own, _)| *own).flat_map(|(.., rows)| rows);
    let scores: Vec<_> = own.filter_map(table6::Scores::of).collect();
    let mut cells = table6::cells(&scores);
    let mut text = table6::render(&cells);
    for same in rows.chunk_by(|a, b| a.0.name() == b.0.name()).filter(|same| same.len() > 1) {
        for (i, architecture) in Architecture::ALL.into_iter().enumerate() {
            let scores = |(task, _, rows): &(&Arc<DataTask>, bool, Vec<LearnerRow>)| {
                let accuracy = [Metric::ID_ACCURACY, Metric::OOD_ACCURACY].map(|metric| rows[i].mean(metric));
                Some(PickScores { pick: task.pick()?, accuracy })
            };
            let picked: Vec<PickScores> = same.iter().filter_map(scores).collect();
            cells.extend(picks::cells(same[0].0, architecture, &picked));
            text += &format!("\n{}: {}", same[0].0.title(), picks::lines(same[0].0, architecture, &picked));
        }
    }
    if json { Cell::json_lines(&cells) } else { text }
}
