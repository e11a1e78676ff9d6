//! Results as plain data, and their rendering. Knows nothing of how they were made.

pub mod figure;
pub mod learner;
pub mod table;

use crate::paper::Printed;
use crate::stats::Estimate;
use serde::{Deserialize, Deserializer, Serialize};

/// How a result compares with the paper's figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The 95 % interval contains or touches a number that the paper would have printed so.
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
        let compare = |p: Printed| {
            let (from, to) = p.range();
            // The bounds are rounded figures: a hair's breadth must not decide.
            let slack = 1e-9 * p.value.abs();
            match () {
                () if low > to + slack => Verdict::Above,
                () if high < from - slack => Verdict::Below,
                () => Verdict::Agrees,
            }
        };
        Cell {
            experiment: experiment.into(),
            row: row.into(),
            metric: metric.into(),
            value,
            low,
            high,
            n,
            paper: paper.map(|p| p.value),
            verdict: paper.map(compare),
            task: None,
            stand_in: None,
        }
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
