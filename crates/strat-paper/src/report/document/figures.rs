//! Which figures a section has.

use super::findings;
use super::{Figure, Picture};
use crate::chart::{Drawing, curves, dots, lead, pairs, slope, swarm};
use crate::experiment::table6::AVERAGE_ROW;
use crate::experiment::{all as experiments, latent};
use crate::report::collect::Run;
use crate::table::number;
use strat::metric::Metric;
use strat::record::ReadError;
use strat::result::{Cell, LearnerResult, LearnerRow};
use strat::task::Entry;
use strat::train::Learner;

/// Errors below which a learner adds without fault, and below which it has found the logic (§6).
pub(super) const THRESHOLDS: [f64; 2] = [20.0, 100.0];

pub(super) fn drawn(id: &str, caption: &str, drawings: Vec<Drawing>) -> Option<Figure> {
    (!drawings.is_empty()).then(|| Figure {
        id: id.into(),
        caption: caption.into(),
        picture: Picture::Drawn(drawings),
    })
}

/// Of an experiment on arithmetic.
pub(super) fn of_experiment(run: &Run, runs: &[Run]) -> Result<Vec<Figure>, ReadError> {
    let name = run.folder.manifest.experiment.as_str();
    let mut figures = vec![];
    match name {
        "ablations" => figures.extend(ablations(run, runs)),
        "latent" => figures.extend(types(run)?),
        _ => {}
    }
    if has_dots(run) {
        figures.extend(distribution(run, name));
    }
    let rows: Vec<_> = run.rows.iter().filter_map(losses).collect();
    if !rows.is_empty() {
        let caption = conclusion_of_losses(&rows)
            + "Loss of the batch before each step: the median of a row's learners, and where four of five are."
            + if rows.len() > curves::FEW { " Point at one to see these." } else { "" };
        figures.extend(drawn(&format!("{name}-losses"), &caption, vec![curves::draw("Losses", "step", &rows)]));
    }
    Ok(figures)
}

/// Whether there is a dot for every learner, which leads to its circuit.
pub(super) fn has_dots(run: &Run) -> bool {
    matches!(&*run.folder.manifest.experiment, "lite" | "latent" | "locking" | "arithmetic-baselines")
}

/// The losses of a row, if its learners have them.
fn losses(row: &LearnerRow) -> Option<curves::Row<'_>> {
    let steps = row.train()?.steps;
    let losses: Vec<&[f32]> = row.learners.iter().map(|l| &*l.losses).filter(|l| !l.is_empty()).collect();
    (!losses.is_empty()).then(|| curves::Row { name: &row.name, every: Learner::loss_interval(steps), losses })
}

/// Medians of Table 2, and that of STRAT-Lite if it is at hand.
fn ablations(run: &Run, runs: &[Run]) -> Option<Figure> {
    let lite = runs.iter().find(|r| r.folder.manifest.experiment == "lite").and_then(|r| r.summary.as_ref());
    let cells: Vec<&Cell> = run.summary.iter().chain(lite).flat_map(|s| &s.cells).collect();
    let draw = |title, metric| dots::draw(title, &cells, metric);
    let drawings = match run.summary {
        Some(_) => vec![
            draw("In distribution", &Metric::ID_MAE_MEDIAN),
            draw("Out of distribution", &Metric::OOD_MAE_MEDIAN),
        ],
        None => vec![],
    };
    drawn(
        "ablations-medians",
        &(conclusion_of_medians(&cells)
            + "Median error of every configuration with its 95 % interval; the paper's as diamonds."),
        drawings,
    )
}

/// The OOD error of every learner.
fn distribution(run: &Run, name: &str) -> Option<Figure> {
    let metric = Metric::OOD_MAE;
    let scores = |row: &LearnerRow| -> Vec<swarm::Score> {
        row.learners.iter().filter_map(|l| Some((l.seed, *l.metrics.get(&*metric.name)?))).collect()
    };
    let rows: Vec<(&str, Vec<swarm::Score>)> =
        run.rows.iter().map(|row| (&*row.name, scores(row))).filter(|(_, scores)| !scores.is_empty()).collect();
    let drawing = (!rows.is_empty()).then(|| swarm::draw("Error out of distribution", &metric, &rows, &THRESHOLDS));
    let caption = conclusion_of_errors(&rows)
        + "OOD error of every learner. Left of 20 it adds without fault (strict), left of 100 it has found the logic.";
    drawn(&format!("{name}-errors"), &caption, drawing.into_iter().collect())
}

/// Who has the most learners below the threshold of logic, and who the fewest.
fn conclusion_of_errors(rows: &[(&str, Vec<swarm::Score>)]) -> String {
    let [_, logic] = THRESHOLDS;
    let below = |scores: &[swarm::Score]| scores.iter().filter(|s| s.1 < logic).count();
    let share = |row: &&(&str, Vec<swarm::Score>)| below(&row.1) as f64 / row.1.len() as f64;
    let words =
        |row: &(&str, Vec<swarm::Score>)| format!("{} of {} learners of {}", below(&row.1), row.1.len(), row.0);
    let by_share = |a: &&(&str, Vec<swarm::Score>), b: &&(&str, Vec<swarm::Score>)| share(a).total_cmp(&share(b));
    match (rows.iter().max_by(by_share), rows.iter().min_by(by_share)) {
        (Some(most), Some(fewest)) if share(&most) > share(&fewest) => {
            format!("Below {logic} are {}, and {}. ", words(most), words(fewest))
        }
        (Some(most), _) => format!("Below {logic} are {}. ", words(most)),
        _ => String::new(),
    }
}

/// Whose loss ends lowest. Configuration A_s learns scaled targets, so that its loss is in another unit.
fn conclusion_of_losses(rows: &[curves::Row<'_>]) -> String {
    const SCALED: &str = "A_s";
    let last = |row: &curves::Row<'_>| Some((row.spread().last()?[1], row.name.to_string()));
    let found = rows.iter().filter(|row| row.name != SCALED).filter_map(last);
    let lowest = found.min_by(|a, b| a.0.total_cmp(&b.0));
    let lowest = lowest.filter(|_| rows.len() > 1).map_or(String::new(), |(loss, name)| {
        format!("The lowest loss in the end is that of {name} ({}). ", curves::short(loss))
    });
    let scaled = rows.iter().any(|row| row.name == SCALED);
    let diverged = rows
        .iter()
        .flat_map(|row| &row.losses)
        .any(|l| l.iter().any(|x| x.is_nan() || f64::from(*x) > curves::BEYOND));
    lowest
        + if scaled { "That of A_s is of scaled targets and cannot be compared. " } else { "" }
        + if diverged { "Losses above 1e9 lie on the upper edge. " } else { "" }
}

/// Which configuration has the smallest median out of distribution.
fn conclusion_of_medians(cells: &[&Cell]) -> String {
    let medians = cells.iter().filter(|c| c.metric == Metric::OOD_MAE_MEDIAN);
    let lowest = medians.min_by(|a, b| a.value.total_cmp(&b.value));
    lowest.map_or(String::new(), |c| {
        format!(
            "The smallest median out of distribution is that of {} ({}). ",
            c.row,
            number(c.metric.unit, c.value)
        )
    })
}

/// On how many data sets STRAT has the better mean out of distribution.
fn conclusion_of_accuracies(tasks: &[Cell]) -> String {
    let mean =
        |metric: &Metric, row: &str| tasks.iter().find(|c| c.metric == *metric && c.row == row).map(|c| c.value);
    let pairs: Vec<[f64; 2]> = tasks
        .iter()
        .filter(|c| c.metric == Metric::STRAT_OOD_ACCURACY)
        .filter_map(|c| Some([c.value, mean(&Metric::TRANSFORMER_OOD_ACCURACY, &c.row)?]))
        .collect();
    let (ahead, level) = pairs.iter().fold((0, 0), |(ahead, level), [strat, other]| {
        (ahead + usize::from(strat > other), level + usize::from(strat == other))
    });
    match pairs.len() {
        0 => String::new(),
        all => format!(
            "Out of distribution STRAT's mean is the higher one on {ahead} of {all}{}; intervals say where that is more than luck. ",
            if level == 0 { String::new() } else { format!(" and the same on {level}") }
        ),
    }
}

/// On how many data sets STRAT's median loss ends below the Transformer's.
fn conclusion_of_task_losses(runs: &[&Run]) -> String {
    let last = |run: &Run, name: &str| {
        losses(run.rows.iter().find(|row| row.name == name)?)?.spread().last().map(|p| p[1])
    };
    let pairs: Vec<[f64; 2]> =
        runs.iter().filter_map(|run| Some([last(run, "STRAT")?, last(run, "Transformer")?])).collect();
    match pairs.len() {
        0 => String::new(),
        all => format!(
            "STRAT's median loss ends below the Transformer's on {} of {all}. ",
            pairs.iter().filter(|[strat, other]| strat < other).count()
        ),
    }
}

/// How far apart plus and minus point, in the median of the learners of sums.
fn conclusion_of_types(run: &Run) -> String {
    let row = run.rows.first();
    let mut cosines: Vec<f64> = row
        .iter()
        .flat_map(|row| &row.learners)
        .filter_map(|l| l.metrics.get(&*Metric::COSINE_PLUS_MINUS.name).copied())
        .filter(|x| x.is_finite())
        .collect();
    cosines.sort_by(f64::total_cmp);
    match cosines.get(cosines.len() / 2) {
        Some(median) => {
            format!("The cosine between plus and minus is {median:+.2} in the median learner; −1 is opposite. ")
                .replace('-', "−")
        }
        None => String::new(),
    }
}

/// What each model loses from in to out of distribution.
fn conclusion_of_shift(averages: &[Cell]) -> String {
    let shift = |metric: &Metric| averages.iter().find(|c| c.metric == *metric).map(|c| 100.0 * c.value);
    match [&Metric::STRAT_OOD_LESS_ID, &Metric::TRANSFORMER_OOD_LESS_ID].map(shift) {
        [Some(strat), Some(other)] => {
            format!("From in to out of distribution STRAT changes by {strat:+.1} points and the Transformer by {other:+.1}. ")
                .replace('-', "−")
        }
        _ => String::new(),
    }
}

/// Figure 3: from the weights if they are kept, else as it was drawn when the run was made.
fn types(run: &Run) -> Result<Option<Figure>, ReadError> {
    let id = "latent-types";
    let caption = conclusion_of_types(run) + "Learned types on their two principal components (Figure 3).";
    let manifest = &run.folder.manifest;
    let plan = experiments().find(|e| e.name == manifest.experiment).map(|e| (e.plan)());
    let same =
        plan.is_some_and(|p| p.rows.iter().map(|r| &r.row().model).eq(manifest.rows.iter().map(|r| &r.model)));
    let has = |i: usize, metrics: [Metric; 2]| {
        let all = |l: &LearnerResult| metrics.iter().all(|m| l.metrics.contains_key(&*m.name));
        run.rows.get(i).is_some_and(|row| !row.learners.is_empty() && row.learners.iter().all(all))
    };
    let scored = has(0, [Metric::OOD_MAE, Metric::COSINE_PLUS_MINUS])
        && has(1, [Metric::DISTRACTOR_RATIO, Metric::DISTRACTOR_DISTANCE]);
    if same && scored && manifest.weights && run.summary.is_some() {
        let mut rows = vec![];
        for row in &manifest.rows {
            rows.push(LearnerRow { row: row.clone(), learners: run.folder.learners(row, None)? });
        }
        return Ok(drawn(id, &caption, latent::figure::draw(&rows)));
    }
    let kept = run.summary.iter().flat_map(|s| &s.figures).next();
    Ok(kept.map(|(_, svg)| Figure { id: id.into(), caption, picture: Picture::Kept(svg.clone()) }))
}

/// Of the data-set tasks, from Table 6.
pub(super) fn of_tasks(runs: &[&Run], cells: &[Cell]) -> Vec<Figure> {
    let (averages, tasks): (Vec<Cell>, Vec<Cell>) = cells.iter().cloned().partition(|c| c.row == AVERAGE_ROW);
    let models = [
        ("STRAT", [&Metric::STRAT_ID_ACCURACY, &Metric::STRAT_OOD_ACCURACY]),
        ("Transformer", [&Metric::TRANSFORMER_ID_ACCURACY, &Metric::TRANSFORMER_OOD_ACCURACY]),
    ];
    let mut figures = vec![];
    if !tasks.is_empty() {
        let conclusion = findings::tasks(&cells.iter().collect::<Vec<_>>());
        let conclusion = conclusion.map_or(String::new(), |sentence| sentence + " ");
        let metrics = [&Metric::DIFFERENCE_ID_ACCURACY, &Metric::DIFFERENCE_OOD_ACCURACY];
        let paired = tasks.iter().any(|c| metrics.contains(&&c.metric));
        let drawing = paired.then(|| lead::draw("STRAT’s lead over the Transformer", "STRAT", &tasks, metrics));
        let caption = conclusion + "Differences seed by seed; right of 0 STRAT is more often right.";
        figures.extend(drawn("tasks-lead", &caption, drawing.into_iter().collect()));
        let pairs =
            |title, i: usize| pairs::draw(title, &tasks, models.map(|(model, metrics)| (metrics[i], model)));
        let drawings = vec![pairs("In distribution", 0), pairs("Out of distribution", 1)];
        let caption = conclusion_of_accuracies(&tasks)
            + "Accuracy on every data set, ours and the paper's (Figure 1a). The axes do not begin at 0.";
        figures.extend(drawn("tasks-accuracy", &caption, drawings));
    }
    if !averages.is_empty() {
        let drawing = slope::draw("Average under shift", &averages, &models);
        figures.extend(drawn(
            "tasks-shift",
            &(conclusion_of_shift(&averages)
                + "Averages over the data sets that both models have, in and out of distribution (Figure 1b)."),
            vec![drawing],
        ));
    }
    let curve = |run: &&Run| {
        let rows: Vec<_> = run.rows.iter().filter_map(losses).collect();
        let name = run.rows.first()?.data()?.task.as_str();
        let title = Entry::named(name).map_or(name, |e| e.title);
        (!rows.is_empty()).then(|| curves::draw(title, "epoch", &rows))
    };
    let caption = conclusion_of_task_losses(runs)
        + "Loss of the epoch's batch: the median of a model's learners, and where four of five are.";
    figures.extend(drawn("tasks-losses", &caption, runs.iter().filter_map(curve).collect()));
    figures
}
