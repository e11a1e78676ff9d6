//! How much depends on the choice of the ten base examples: a task's accuracies over several picks.

use crate::paper::TaskRow;
use std::fmt::Write;
use strat::metric::Metric;
use strat::model::Architecture;
use strat::result::Cell;
use strat::stats::{Estimate, Statistic, estimate, standard_deviation};
use strat::task::{DataTask, Pick};

const NAME: &str = "picks";

/// What learners reached with one pick: means over their seeds, ID and OOD.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickScores {
    /// The pick.
    pub pick: Pick,
    /// Mean accuracy.
    pub accuracy: [f64; 2],
}

/// Least, median and largest accuracy over picks, and their deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The least.
    pub least: f64,
    /// Half of the picks lie below; with its interval over picks.
    pub median: Estimate,
    /// The largest.
    pub most: f64,
    /// Standard deviation; NaN for fewer than two picks.
    pub deviation: f64,
}

impl Spread {
    /// None if there are no picks.
    pub fn of(accuracies: &[f64]) -> Option<Spread> {
        if accuracies.is_empty() {
            return None;
        }
        let figures = [Statistic::Quantile(0.0), Statistic::Quantile(0.5), Statistic::Quantile(1.0)];
        let estimates = estimate(accuracies, &figures);
        let deviation = standard_deviation(accuracies);
        Some(Spread { least: estimates[0].value, median: estimates[1], most: estimates[2].value, deviation })
    }
}

/// ID and OOD over picks; nothing if there are none.
fn spreads(picks: &[PickScores]) -> impl Iterator<Item = (usize, Spread)> {
    (0..2).filter_map(|i| Some((i, Spread::of(&picks.iter().map(|p| p.accuracy[i]).collect::<Vec<_>>())?)))
}

/// Least, median and most, and their deviation, ID and OOD.
static METRICS: [[Metric; 4]; 2] = [
    [
        Metric::ID_ACCURACY_LEAST,
        Metric::ID_ACCURACY_MEDIAN,
        Metric::ID_ACCURACY_MOST,
        Metric::ID_ACCURACY_DEVIATION,
    ],
    [
        Metric::OOD_ACCURACY_LEAST,
        Metric::OOD_ACCURACY_MEDIAN,
        Metric::OOD_ACCURACY_MOST,
        Metric::OOD_ACCURACY_DEVIATION,
    ],
];

/// One cell for each of the four figures, ID and OOD. The paper reports one pick, so there is nothing to compare.
pub fn cells(task: &DataTask, architecture: Architecture, picks: &[PickScores]) -> Vec<Cell> {
    // A range has no interval: more picks can only widen it.
    let alone = |value: f64| Estimate { value, interval: None };
    let mut cells = vec![];
    for (i, Spread { least, median, most, deviation }) in spreads(picks) {
        let figures = [alone(least), median, alone(most), alone(deviation)];
        // One pick has no deviation.
        for (metric, estimate) in METRICS[i].iter().zip(figures).filter(|(_, e)| !e.value.is_nan()) {
            cells.push(Cell {
                task: Some(task.name().into()),
                stand_in: task.stand_in().map(String::from),
                ..Cell::new(NAME, architecture.title(), metric, estimate, picks.len(), None)
            });
        }
    }
    cells
}

/// The same as lines of text, with every pick and whether the paper's figure lies in the range.
pub fn lines(task: &DataTask, architecture: Architecture, picks: &[PickScores]) -> String {
    let mut out = String::new();
    for (i, Spread { least, median, most, deviation }) in spreads(picks) {
        let n = picks.len();
        let _ = write!(
            out,
            "{}, {} over {n} pick{}: ",
            architecture.title(),
            ["ID", "OOD"][i],
            if n == 1 { "" } else { "s" }
        );
        let _ = write!(out, "{:.2} to {:.2} %, median {:.2}", 100.0 * least, 100.0 * most, 100.0 * median.value);
        if n > 1 {
            let _ = write!(out, ", SD {:.2}", 100.0 * deviation);
        }
        if let Some(row) = TaskRow::of(task.name()) {
            let paper = row.accuracy(architecture)[i].mean;
            let (from, to) = paper.range();
            let place = if most < from {
                "above"
            } else if least > to {
                "below"
            } else {
                "within"
            };
            let _ = write!(out, "; the paper's {:.2} is {place}", 100.0 * paper.value);
        }
        let each = picks.iter().map(|p| format!("{} {:.2}", p.pick, 100.0 * p.accuracy[i]));
        let _ = writeln!(out, "\n  {}", each.collect::<Vec<_>>().join(", "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use strat::task;

    fn picks(accuracies: &[[f64; 2]]) -> Vec<PickScores> {
        (1..).zip(accuracies).map(|(seed, &accuracy)| PickScores { pick: Pick::random(seed), accuracy }).collect()
    }

    /// 0.8, 0.9, 0.95 and 0.95 have the mean 0.9, squares 0.01 + 0 + 2 · 0.0025 and the median 0.925.
    #[test]
    fn spread_of_a_known_sample() {
        let spread = Spread::of(&[0.95, 0.8, 0.95, 0.9]).unwrap();
        assert_eq!((spread.least, spread.most), (0.8, 0.95));
        assert!((spread.median.value - 0.925).abs() < 1e-12);
        assert!((spread.deviation - (0.015f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(Spread::of(&[]), None);
    }

    #[test]
    fn lines_say_where_the_papers_figure_lies() {
        let task = task::by_name("parity5").unwrap();
        let two = picks(&[[0.9, 0.9], [0.98, 0.95]]);
        // The paper has 96.94 and 97.12 for STRAT, 84.56 for the Transformer.
        assert_eq!(
            lines(&task, Architecture::Strat, &two),
            format!(
                "STRAT, ID over 2 picks: 90.00 to 98.00 %, median 94.00, SD 5.66; the paper's 96.94 is within\n  \
                 {0} 90.00, {1} 98.00\n\
                 STRAT, OOD over 2 picks: 90.00 to 95.00 %, median 92.50, SD 3.54; the paper's 97.12 is above\n  \
                 {0} 90.00, {1} 95.00\n",
                Pick::random(1),
                Pick::random(2)
            )
        );
        assert!(lines(&task, Architecture::Transformer, &two).contains("84.56 is below"));
        assert_eq!(lines(&task, Architecture::Strat, &[]), "");
    }

    #[test]
    fn cells_name_the_figure_and_one_pick_has_no_deviation() {
        let task = task::by_name("parity5").unwrap();
        let all = cells(&task, Architecture::Strat, &picks(&[[0.9, 0.8], [0.98, 0.95]]));
        let metrics: Vec<&str> = all.iter().map(|c| &*c.metric.name).collect();
        assert_eq!(
            metrics[..4],
            ["id_accuracy_least", "id_accuracy_median", "id_accuracy_most", "id_accuracy_deviation"]
        );
        assert_eq!((all.len(), all[6].value, all[6].n, all[6].paper), (8, 0.95, 2, None));
        assert_eq!(cells(&task, Architecture::Strat, &picks(&[[0.9, 0.8]])).len(), 6);
    }
}
