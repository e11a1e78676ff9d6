//! A cell of a table, as plain data.

use super::verdict::{Verdict, judge};
use super::{Printed, PrintedMean};
use crate::metric::Metric;
use crate::stats::{Estimate, Statistic, estimate, standard_error};
use serde::{Deserialize, Deserializer, Serialize};

/// One cell of a table: one line of `--json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Which experiment.
    pub experiment: String,
    /// The row, named as in the paper.
    pub row: String,
    /// The column. Files have its name alone, so that one of others is [a plain number](Metric::named) when it is read.
    pub metric: Metric,
    /// Our figure.
    #[serde(deserialize_with = "number")]
    pub value: f64,
    /// Lower end of the 95 % interval; none for fewer than five learners, or if nothing is uncertain.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval; none if there is no lower one, or if it is infinite.
    pub high: Option<f64>,
    /// Learners behind it.
    pub n: usize,
    /// The paper's figure, if it has one.
    pub paper: Option<f64>,
    /// How they compare, if it has one and the metric has a better side.
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
    /// What of the learners is not as the paper has it, in words: how many they are, how long they were trained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub departs: Option<String>,
}

impl Cell {
    /// Compares an estimate with the paper's figure: of the same row and the same metric, or none.
    pub fn new(
        experiment: &str,
        row: &str,
        metric: &Metric,
        estimate: Estimate,
        n: usize,
        paper: Option<Printed>,
    ) -> Self {
        let mean = |mean: Printed| PrintedMean { mean, error: None };
        Cell::compared([experiment, row], metric, estimate, n, paper.map(mean))
    }

    /// What no learner and no draw can change has no interval.
    pub fn exact(
        experiment: &str,
        row: &str,
        metric: &Metric,
        value: f64,
        n: usize,
        paper: Option<Printed>,
    ) -> Self {
        let certain = Estimate { value, interval: Some([value; 2]) };
        Cell { low: None, high: None, ..Cell::new(experiment, row, metric, certain, n, paper) }
    }

    /// Compares the mean of a sample with one that the paper prints: both are uncertain.
    pub fn of_mean(
        experiment: &str,
        row: &str,
        metric: &Metric,
        sample: &[f64],
        paper: Option<PrintedMean>,
    ) -> Self {
        let Estimate { value, interval } = estimate(sample, &[Statistic::Mean])[0];
        // Accuracies that are all 1 are no share of ones: the interval has no width, and is shown as what it is.
        let alike = sample.iter().all(|x| *x == sample[0]);
        let interval = interval.map(|ends| if alike { [value; 2] } else { ends });
        // Of what lies between 0 and 1, the mean does too.
        let [least, most] = metric.unit.range();
        let bounded = sample.iter().all(|x| (least..=most).contains(x));
        let ends = |ends: [f64; 2]| if bounded { ends.map(|x| x.clamp(least, most)) } else { ends };
        let ours = Estimate { value, interval: interval.map(ends) };
        Cell {
            error: (sample.len() > 1).then(|| standard_error(sample)),
            paper_error: paper.and_then(|p| p.error),
            ..Cell::compared([experiment, row], metric, ours, sample.len(), paper)
        }
    }

    fn compared(
        [experiment, row]: [&str; 2],
        metric: &Metric,
        estimate: Estimate,
        n: usize,
        paper: Option<PrintedMean>,
    ) -> Self {
        // Nothing lies between infinite and infinite.
        let ends = estimate.interval.filter(|[low, _]| low.is_finite());
        let others = paper.map(|p| p.mean.n).filter(|&theirs| theirs > 0 && theirs != n);
        let learners = |n: usize| {
            if n == 1 { "one learner".into() } else { format!("{} learners", thousands(n as u64)) }
        };
        Cell {
            experiment: experiment.into(),
            row: row.into(),
            metric: metric.clone(),
            value: estimate.value,
            low: ends.map(|[low, _]| low),
            high: ends.map(|[_, high]| high),
            n,
            paper: paper.map(|p| p.mean.value),
            verdict: paper.and_then(|p| judge(metric, estimate, n, p)),
            error: None,
            paper_error: None,
            task: None,
            stand_in: None,
            departs: others.map(|theirs| format!("{}, the paper has {}", learners(n), learners(theirs))),
        }
    }

    /// With something more in which its learners are not the paper's.
    pub fn departing(mut self, what: Option<String>) -> Self {
        let all: Vec<String> = self.departs.take().into_iter().chain(what).collect();
        self.departs = (!all.is_empty()).then(|| all.join("; "));
        self
    }

    /// The ends of its interval, if it has one.
    pub fn interval(&self) -> Option<[f64; 2]> {
        self.low.map(|low| [low, self.high.unwrap_or(f64::INFINITY)])
    }

    /// Cells as JSON lines. Infinite errors become `null`.
    pub fn json_lines(cells: &[Cell]) -> String {
        let line = |c: &Cell| serde_json::to_string(c).expect("a cell is plain data") + "\n";
        cells.iter().map(line).collect()
    }
}

/// A whole number in groups of three digits.
pub fn thousands(x: u64) -> String {
    let digits = x.to_string();
    let mut out = String::new();
    for (i, d) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(d);
    }
    out
}

/// A number; `null` is an infinite one.
fn number<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(d)?.unwrap_or(f64::INFINITY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{Better, Unit};

    fn cell(n: usize) -> Cell {
        let sample: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % 10 < 3))).collect();
        let e = estimate(&sample, &[Statistic::Mean])[0];
        Cell::new(
            "locking",
            "STRAT Std (4D/1H)",
            &Metric::LOGIC,
            e,
            n,
            Some(Printed { value: 0.31, unit: 0.01, n: 400 }),
        )
    }

    #[test]
    fn a_line_has_the_contracts_keys() {
        let lines = Cell::json_lines(&[cell(400)]);
        let v: serde_json::Value = serde_json::from_str(lines.trim_end()).unwrap();
        let mut keys: Vec<&str> = v.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort();
        assert_eq!(keys, ["experiment", "high", "low", "metric", "n", "paper", "row", "value", "verdict"]);
        assert_eq!(v["verdict"], "uncertain");
    }

    #[test]
    fn a_few_learners_have_no_interval_and_say_how_few_they_are() {
        let lines = Cell::json_lines(&[cell(3)]);
        let v: serde_json::Value = serde_json::from_str(lines.trim_end()).unwrap();
        assert!(v["low"].is_null() && v["high"].is_null() && v["verdict"] == "uncertain", "{v}");
        assert_eq!(v["departs"], "3 learners, the paper has 400 learners");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let diverged = Estimate { value: f64::INFINITY, interval: Some([f64::INFINITY; 2]) };
        let half = Estimate { value: 5.0, interval: Some([1.0, f64::INFINITY]) };
        let of = |e| Cell::new("locking", "A", &Metric::OOD_MAE_MEDIAN, e, 10, None);
        for c in [cell(400), cell(3), of(diverged), of(half)] {
            let again: Cell = serde_json::from_str(&Cell::json_lines(std::slice::from_ref(&c))).unwrap();
            assert_eq!(Cell::json_lines(std::slice::from_ref(&again)), Cell::json_lines(std::slice::from_ref(&c)));
            assert_eq!((again.value, again.interval()), (c.value, c.interval()));
        }
    }

    /// Ten accuracies near 1: the mean is not above it.
    #[test]
    fn means_of_accuracies_stay_accuracies() {
        let mut sample = vec![1.0; 10];
        sample[0] = 0.9;
        let c = Cell::of_mean("train", "STRAT", &Metric::ID_ACCURACY, &sample, None);
        assert_eq!(c.high, Some(1.0));
        assert!(c.low.is_some_and(|low| (low - (0.99 - 2.262 * 0.01)).abs() < 1e-4), "{c:?}");
        let c = Cell::of_mean("train", "STRAT", &Metric::DIFFERENCE_ID_ACCURACY, &sample, None);
        assert!(c.high > Some(1.0));
        let c = Cell::of_mean("train", "STRAT", &Metric::ID_ACCURACY, &[1.0; 10], None);
        assert_eq!(c.interval(), Some([1.0; 2]));
    }

    /// An error has no upper end, whatever the others are.
    #[test]
    fn means_of_errors_stay_errors() {
        let c = Cell::of_mean("own", "A", &Metric::OOD_MAE, &[0.0, 0.0, 0.0, 0.0, 2.0], None);
        assert_eq!(c.low, Some(0.0));
        let c = Cell::of_mean("own", "A", &Metric::OOD_MAE, &[0.5, 1.0, 1.0, 1.0, 1.0], None);
        assert!(c.high > Some(1.0), "{c:?}");
    }

    /// Without a better side there is a figure to look at, and no verdict.
    #[test]
    fn a_verdict_needs_a_better_side() {
        let paper = Some(Printed { value: 0.5, unit: 0.1, n: 10 });
        let of = |better| {
            let metric = Metric::new("own", "one's own", Unit::Number, better);
            let e = Estimate { value: 0.9, interval: Some([0.8, 1.0]) };
            Cell::new("own", "A", &metric, e, 10, paper)
        };
        let verdicts = [Better::Higher, Better::Lower, Better::Equal].map(|better| of(better).verdict);
        assert_eq!(verdicts, [Verdict::Better, Verdict::Worse, Verdict::Worse].map(Some));
        assert_eq!((of(Better::Neither).verdict, of(Better::Neither).paper), (None, Some(0.5)));
    }
}
