//! Results as plain data, and their rendering. Knows nothing of how they were made.

pub mod activations;
pub mod chart;
pub mod collect;
pub mod document;
pub mod html;
pub mod learner;
pub mod plain;
pub mod table;

use crate::paper::{Printed, PrintedMean};
use crate::stats::{Estimate, Figure, estimate, standard_error};
use serde::{Deserialize, Deserializer, Serialize};

/// How a result compares with the paper's figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The 95 % interval contains or touches a number that the paper would have printed so. Where the paper
    /// prints an error, the interval is that of the difference.
    Agrees,
    /// The whole interval lies above.
    Above,
    /// The whole interval lies below.
    Below,
}

/// One cell of a table: one line of `--json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Which experiment.
    pub experiment: String,
    /// The row, named as in the paper.
    pub row: String,
    /// The column.
    pub metric: String,
    /// Ours.
    #[serde(deserialize_with = "number")]
    pub value: f64,
    /// Lower end of the 95 % interval.
    #[serde(deserialize_with = "number")]
    pub low: f64,
    /// Upper end of the 95 % interval.
    #[serde(deserialize_with = "number")]
    pub high: f64,
    /// Learners behind it.
    pub n: usize,
    /// The paper's figure, if it has one.
    pub paper: Option<f64>,
    /// How they compare, if it has one.
    pub verdict: Option<Verdict>,
    /// Standard error of ours, if it is a mean of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// Standard error of the paper's, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper_error: Option<f64>,
    /// The data-set task that it belongs to, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// What of that task is not the paper's data, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<String>,
}

impl Cell {
    /// Compares an estimate with the paper's figure.
    pub fn new(
        experiment: &str,
        row: &str,
        metric: &str,
        estimate: Estimate,
        n: usize,
        paper: Option<Printed>,
    ) -> Self {
        let Estimate { value, low, high } = estimate;
        Cell {
            experiment: experiment.into(),
            row: row.into(),
            metric: metric.into(),
            value,
            low,
            high,
            n,
            paper: paper.map(|p| p.value),
            verdict: paper.map(|p| compare(estimate, p, 0.0)),
            error: None,
            paper_error: None,
            task: None,
            stand_in: None,
        }
    }

    /// Compares the mean of a sample with one that the paper prints: both are uncertain.
    ///
    /// # Panics
    /// If the sample is empty.
    pub fn of_mean(experiment: &str, row: &str, metric: &str, sample: &[f64], paper: Option<PrintedMean>) -> Self {
        let ours = estimate(sample, &[Figure::Mean])[0];
        Cell {
            verdict: paper.map(|p| compare(ours, p.mean, p.error.unwrap_or(0.0))),
            error: (sample.len() > 1).then(|| standard_error(sample)),
            paper_error: paper.and_then(|p| p.error),
            ..Cell::new(experiment, row, metric, ours, sample.len(), paper.map(|p| p.mean))
        }
    }
}

/// Whether ours lies above or below what the paper prints, by more than the errors of both together.
fn compare(Estimate { value, low, high }: Estimate, paper: Printed, error: f64) -> Verdict {
    // 95 % of a normal distribution. Without it the interval stays as it is, even where it is infinite.
    let margin = 1.96 * error;
    let (low, high) = match margin > 0.0 {
        true => (value - (value - low).hypot(margin), value + (high - value).hypot(margin)),
        false => (low, high),
    };
    let (from, to) = paper.range();
    // The bounds are rounded figures: a hair's breadth must not decide.
    let slack = 1e-9 * paper.value.abs();
    match () {
        () if low > to + slack => Verdict::Above,
        () if high < from - slack => Verdict::Below,
        () => Verdict::Agrees,
    }
}

/// A number; `null` is an infinite one.
fn number<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(d)?.unwrap_or(f64::INFINITY))
}

/// Cells as JSON lines. Infinite errors become `null`.
pub fn json_lines(cells: &[Cell]) -> String {
    let line = |c: &Cell| serde_json::to_string(c).expect("a cell is plain data") + "\n";
    cells.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(low: f64, high: f64) -> Cell {
        let e = Estimate { value: (low + high) / 2.0, low, high };
        Cell::new("locking", "STRAT Std (4D/1H)", "logic", e, 400, Some(Printed { value: 0.31, unit: 0.01 }))
    }

    #[test]
    fn verdict_allows_for_the_papers_rounding() {
        assert_eq!(cell(0.315, 0.4).verdict, Some(Verdict::Agrees));
        assert_eq!(cell(0.316, 0.4).verdict, Some(Verdict::Above));
        assert_eq!(cell(0.2, 0.305).verdict, Some(Verdict::Agrees));
        assert_eq!(cell(0.2, 0.304).verdict, Some(Verdict::Below));
    }

    /// Ours is 0.5 ± 0.1 and the paper's 0.6 ± 0.1: each alone excludes the other at 1.96 · 0.1 from 0.7 on, both
    /// together only from √2 times that.
    #[test]
    fn both_errors_widen_a_verdict() {
        let ours = |value: f64| Estimate { value, low: value - 0.196, high: value + 0.196 };
        let paper = Printed { value: 0.6, unit: 0.0 };
        assert_eq!(compare(ours(0.85), paper, 0.0), Verdict::Above);
        assert_eq!(compare(ours(0.85), paper, 0.1), Verdict::Agrees);
        assert_eq!(compare(ours(0.88), paper, 0.1), Verdict::Above);
        assert_eq!(compare(ours(0.35), paper, 0.1), Verdict::Agrees);
        assert_eq!(compare(ours(0.32), paper, 0.1), Verdict::Below);
    }

    #[test]
    fn infinite_errors_are_above() {
        let ours = Estimate { value: f64::INFINITY, low: f64::INFINITY, high: f64::INFINITY };
        assert_eq!(compare(ours, Printed { value: 1.0, unit: 1.0 }, 0.0), Verdict::Above);
        let ours = Estimate { low: 0.5, ..ours };
        assert_eq!(compare(ours, Printed { value: 1.0, unit: 1.0 }, 0.0), Verdict::Agrees);
    }

    #[test]
    fn a_line_has_the_contracts_keys() {
        let lines = json_lines(&[cell(0.25, 0.35)]);
        let v: serde_json::Value = serde_json::from_str(lines.trim_end()).unwrap();
        let mut keys: Vec<&str> = v.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort();
        assert_eq!(keys, ["experiment", "high", "low", "metric", "n", "paper", "row", "value", "verdict"]);
        assert_eq!(v["verdict"], "agrees");
    }
}
