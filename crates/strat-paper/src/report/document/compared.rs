//! Two runs of one experiment beside each other: where their manifests differ, their learners in one figure, and differences
//! seed by seed.

use super::figures::{THRESHOLDS, drawn};
use super::{Provenance, Section, tail};
use crate::chart::swarm;
use crate::report::collect::Run;
use std::collections::BTreeMap;
use strat::metric::{Better, Metric, Unit};
use strat::result::{Cell, LearnerRow};
use strat::stats::{Statistic, estimate};

/// Scores that are compared: by how much they differ, or, of errors, by what factor.
const SCORES: [Metric; 4] = [Metric::ID_ACCURACY, Metric::OOD_ACCURACY, Metric::ID_MAE, Metric::OOD_MAE];
/// The most pairs of runs: more nobody reads.
const MOST: usize = 12;

/// A section for every two runs of the same experiment, or of the same task, that have a row in common.
pub(super) fn of(runs: &[Run]) -> Vec<Section> {
    let pairs = runs.iter().enumerate().flat_map(|(i, second)| runs[..i].iter().map(move |first| (first, second)));
    let alike = pairs.filter(|(a, b)| what(a) == what(b) && !a.is_of_table());
    let made = alike.filter_map(|(a, b)| {
        let cells: Vec<Cell> = a.rows.iter().flat_map(|row| paired(row, b)).collect();
        (!cells.is_empty()).then_some((a, b, cells))
    });
    made.take(MOST).enumerate().map(|(i, (a, b, cells))| section(i + 1, a, b, cells)).collect()
}

/// What a run is about.
fn what(run: &Run) -> (&str, Option<&str>) {
    let task = run.rows.first().and_then(|row| row.data()).map(|data| &*data.task);
    (&run.folder.manifest.experiment, task)
}

/// The figures of a row that both runs have, over the seeds that both have.
fn paired(row: &LearnerRow, other: &Run) -> Vec<Cell> {
    let Some(second) = other.rows.iter().find(|r| r.name == row.name) else { return vec![] };
    let learner: BTreeMap<u64, _> = second.learners.iter().map(|l| (l.seed, l)).collect();
    let both = || row.learners.iter().filter_map(|l| Some((l, *learner.get(&l.seed)?)));
    let figure = |metric: &Metric| {
        let is_error = metric.unit == Unit::Error;
        let sample: Vec<f64> = both()
            .filter_map(|(a, b)| Some((*a.metrics.get(&*metric.name)?, *b.metrics.get(&*metric.name)?)))
            .map(|(a, b)| if is_error { libm::log(b / a) } else { b - a })
            // Of errors that are 0 or infinite there is no ratio.
            .filter(|x| x.is_finite())
            .collect();
        let mut found = estimate(&sample, &[Statistic::Mean])[0];
        if is_error {
            found.value = libm::exp(found.value);
            found.interval = found.interval.map(|ends| ends.map(libm::exp));
        }
        let kind = if is_error { "second / first" } else { "second − first" };
        let metric = Metric {
            name: format!("paired_{}", metric.name).into(),
            heading: format!("{}, {kind}", metric.heading).into(),
            unit: if is_error { Unit::Number } else { Unit::Difference },
            better: Better::Neither,
        };
        (!sample.is_empty()).then(|| Cell::new("compared", &row.name, &metric, found, sample.len(), None))
    };
    SCORES.iter().filter_map(figure).collect()
}

fn section(number: usize, a: &Run, b: &Run, cells: Vec<Cell>) -> Section {
    let paths = [a, b].map(|run| run.folder.path());
    let folders = paths.map(|path| tail(path, &paths));
    let names: Vec<(String, &LearnerRow)> = a
        .rows
        .iter()
        .flat_map(|row| {
            let second = b.rows.iter().find(|r| r.name == row.name);
            [("first", Some(row)), ("second", second)]
        })
        .filter_map(|(which, row)| Some((format!("{}, {which}", row?.name), row?)))
        .collect();
    let drawing = |(title, metric, thresholds): (&str, Metric, &[f64])| {
        let scores = |row: &LearnerRow| -> Vec<swarm::Score> {
            row.learners.iter().filter_map(|l| Some((l.seed, *l.metrics.get(&*metric.name)?))).collect()
        };
        let rows: Vec<(&str, Vec<swarm::Score>)> = names
            .iter()
            .map(|(name, row)| (&**name, scores(row)))
            .filter(|(_, scores)| !scores.is_empty())
            .collect();
        (!rows.is_empty()).then(|| swarm::draw(title, &metric, &rows, thresholds))
    };
    let drawings = [
        ("Error out of distribution", Metric::OOD_MAE, &THRESHOLDS[..]),
        ("In distribution", Metric::ID_ACCURACY, &[]),
        ("Out of distribution", Metric::OOD_ACCURACY, &[]),
    ];
    let differences = a.folder.manifest.differences(&b.folder.manifest);
    let differences = if differences.is_empty() {
        "The manifests are the same.\n".to_string()
    } else {
        format!("Where the manifests differ (first, second):\n{}\n", differences.join("\n"))
    };
    Section {
        id: format!("compared-{number}"),
        title: format!("{} and {}", folders[0], folders[1]),
        about: "two runs compared, seed by seed".into(),
        lead: "Means over the seeds that both have, with 95 % intervals: differences of accuracies, and the factor between errors."
            .into(),
        figures: drawn(
            &format!("compared-errors-{number}"),
            &(conclusion(&cells) + "The learners of both runs, one row above the other."),
            drawings.into_iter().filter_map(drawing).collect(),
        )
        .into_iter()
        .collect(),
        tables: vec![(String::new(), cells)],
        notes: vec![(String::new(), differences)],
        sources: [a, b].map(Provenance::of).into(),
        ..Section::default()
    }
}

/// In which rows the second run is clearly better out of distribution, and in which worse.
fn conclusion(cells: &[Cell]) -> String {
    let such = cells.iter().filter(|c| c.metric.name.starts_with("paired_ood"));
    let (mut better, mut worse, mut all) = (vec![], vec![], 0);
    for cell in such {
        all += 1;
        // Errors are compared by their factor, of which less is better.
        let [none, sign] = if cell.metric.unit == Unit::Number { [1.0, -1.0] } else { [0.0, 1.0] };
        match cell.interval().map(|ends| ends.map(|end| sign * (end - none))) {
            Some([a, b]) if a > 0.0 && b > 0.0 => better.push(&*cell.row),
            Some([a, b]) if a < 0.0 && b < 0.0 => worse.push(&*cell.row),
            _ => {}
        }
    }
    let named = |rows: &[&str]| match rows.len() {
        0 => "none".to_string(),
        1..=3 => rows.join(", "),
        more => format!("{more} rows"),
    };
    if all == 0 {
        return String::new();
    }
    format!(
        "Out of distribution the second run is better for {} and worse for {}; of {all} rows {} are too uncertain to tell. ",
        named(&better),
        named(&worse),
        all - better.len() - worse.len()
    )
}
