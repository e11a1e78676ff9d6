//! Which runs make which section.

use super::{Provenance, Section, circuits, figures};
use crate::experiment::tasks::summary;
use crate::experiment::{all as experiments, table6};
use crate::paper::TASKS;
use crate::report::collect::Run;
use std::collections::BTreeMap;
use std::path::Path;
use strat::record::ReadError;
use strat::result::{Cell, DataRecord, Summary};
use strat::task::Entry;

/// In the order of the paper: arithmetic, tasks, parameters.
pub(super) fn all(runs: &[Run]) -> Result<Vec<Section>, ReadError> {
    let mut sections = vec![];
    let mut room = circuits::ROOM;
    for experiment in experiments().filter(|e| e.name != "params") {
        for run in named(runs, experiment.name) {
            sections.push(plain(run, experiment.about, runs, &mut room)?);
        }
    }
    sections.extend(groups(runs).iter().map(|group| of_tasks(group)));
    for run in named(runs, "params") {
        sections.push(plain(
            run,
            experiments().find(|e| e.name == "params").map_or("", |e| e.about),
            runs,
            &mut room,
        )?);
    }
    let known = |run: &&Run| run.is_of_tasks() || experiments().any(|e| e.name == run.folder.manifest.experiment);
    for run in runs.iter().filter(|run| !known(run)) {
        sections.push(plain(run, &run.folder.manifest.experiment, runs, &mut room)?);
    }
    Ok(sections)
}

fn named<'a>(runs: &'a [Run], name: &str) -> impl Iterator<Item = &'a Run> {
    runs.iter().filter(move |run| run.folder.manifest.experiment == name)
}

/// One experiment: its table as it was recorded.
fn plain(run: &Run, about: &str, runs: &[Run], room: &mut usize) -> Result<Section, ReadError> {
    // "Topological locking: logic from ten examples (§6, Table 5)"
    let (title, rest) = about.split_at(about.find([':', '(']).unwrap_or(about.len()));
    let (title, rest) = (title.trim(), rest.trim_start_matches([':', ' ']));
    // A place alone needs no brackets.
    let rest = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')).unwrap_or(rest).to_string();
    let Summary { title: lead, cells, checks, notes, .. } = run.summary.clone().unwrap_or_else(|| Summary {
        title: format!(
            "Not finished: {} of {} learners. Its table comes with the last one.",
            run.done(),
            run.total()
        ),
        ..Summary::default()
    });
    Ok(Section {
        id: anchor(&run.folder.manifest.experiment),
        title: title.into(),
        about: rest,
        lead,
        circuits: if figures::has_dots(run) { circuits::of(run, room)? } else { BTreeMap::new() },
        figures: figures::of_experiment(run, runs)?,
        tables: vec![(String::new(), cells)],
        checks,
        notes: vec![(String::new(), notes)],
        sources: vec![Provenance::of(run)],
    })
}

/// Letters and digits of a name, with hyphens between.
fn anchor(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect()
}

/// What a run on a task was about; every row has the same.
fn data(run: &Run) -> Option<&DataRecord> {
    run.rows.first().and_then(|r| r.data())
}

/// Whether its base examples are those of the table.
fn is_own(data: &DataRecord) -> bool {
    Entry::named(&data.task).map_or(true, |entry| entry.default_pick() == data.pick)
}

/// Runs on tasks that belong in one table: of one folder, and none of them twice.
fn groups(runs: &[Run]) -> Vec<Vec<&Run>> {
    let mut groups: Vec<(Option<&Path>, Vec<&Run>)> = vec![];
    for run in runs.iter().filter(|run| run.is_of_tasks()) {
        let place = run.folder.path().parent();
        let what = |run: &Run| data(run).map(|c| (c.task.clone(), c.pick));
        let fits = |(p, group): &&mut (Option<&Path>, Vec<&Run>)| {
            *p == place && group.iter().all(|other| what(other) != what(run))
        };
        match groups.iter_mut().find(fits) {
            Some((_, group)) => group.push(run),
            None => groups.push((place, vec![run])),
        }
    }
    let rank = |run: &&Run| TASKS.iter().position(|row| data(run).is_some_and(|c| c.task == row.task));
    groups.iter_mut().for_each(|(_, group)| group.sort_by_key(|run| rank(run).unwrap_or(TASKS.len())));
    groups.into_iter().map(|(_, group)| group).collect()
}

/// What a run's learners reached, with what it shows beside them.
fn scores(run: &Run) -> Vec<table6::Scores> {
    table6::Scores::of_run(&run.rows, run.summary.as_ref().map_or(&[], |summary| &summary.cells))
}

/// Table 6, as far as it is.
fn of_tasks(group: &[&Run]) -> Section {
    let (own, others): (Vec<&Run>, Vec<&Run>) = group.iter().partition(|run| data(run).is_none_or(is_own));
    let cells = table6::cells(&own.iter().flat_map(|run| scores(run)).collect::<Vec<_>>());
    // Beside the accuracies they would make the table wider than a page.
    let (beside, accuracies): (Vec<Cell>, Vec<Cell>) = cells.iter().cloned().partition(table6::is_beside);
    let mut tables = vec![(String::new(), accuracies)];
    if !beside.is_empty() {
        tables.push(("The learners’ vote, and what the ten examples decide".into(), beside));
    }
    if !others.is_empty() {
        tables.push((
            "Other choices of the ten base examples".into(),
            group.iter().flat_map(|run| picked(run)).collect(),
        ));
    }
    let [done, total] = group.iter().fold([0, 0], |[a, b], run| [a + run.done(), b + run.total()]);
    let whole = group.iter().filter(|run| run.done() == run.total()).count();
    let tasks = if group.len() == 1 { "1 task".to_string() } else { format!("{} tasks", group.len()) };
    let lead = if done == total {
        format!("{tasks}, {total} learners")
    } else {
        format!("Not finished: {done} of {total} learners, {whole} of {tasks}; the table shows what there is")
    };
    let lead =
        lead + ". Mean ± standard error over seeds in percent; differences seed by seed, in percentage points.";
    let notes = group.iter().filter_map(|run| {
        let finished: Vec<_> = run.rows.iter().filter(|row| !row.learners.is_empty()).cloned().collect();
        let Summary { title, notes, .. } = summary(&finished);
        (!finished.is_empty()).then_some((title, notes))
    });
    Section {
        id: "tasks".into(),
        title: match group {
            [run] => data(run).and_then(|d| Entry::named(&d.task).ok()).map_or("One data set", |e| e.title).into(),
            _ => "The eleven data sets".into(),
        },
        about: match group {
            [_] => "STRAT and a Transformer on ten base examples (§7, Table 6)".into(),
            _ => "STRAT and a Transformer on ten base examples of each (§7, Figure 1, Table 6)".into(),
        },
        lead,
        figures: figures::of_tasks(&own, &cells),
        tables,
        circuits: BTreeMap::new(),
        checks: vec![],
        notes: notes.collect(),
        sources: group.iter().map(|run| Provenance::of(run)).collect(),
    }
}

/// The accuracies of one run, in rows that name its pick.
fn picked(run: &Run) -> Vec<Cell> {
    let Some(data) = data(run) else { return vec![] };
    let title = Entry::named(&data.task).map_or(&*data.task, |e| e.title);
    let pick = data.pick.map_or("the paper's".into(), |p| p.to_string());
    let finished: Vec<_> = run.rows.iter().filter(|row| !row.learners.is_empty()).cloned().collect();
    let named = |c: Cell| Cell { row: format!("{title}, {pick}, {}", c.row), ..c };
    summary(&finished).cells.into_iter().map(named).collect()
}
