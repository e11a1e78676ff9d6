//! How a figure compares with the paper's, given that both are uncertain.
//!
//! Compared is ours with the paper's, as the metric's [`Unit`] has it: as a difference, or, of errors, as a ratio. Which way
//! is better, the metric says; where neither is, there is no verdict. Its 95 % interval is
//! made of the intervals of both (the square root of the sum of their squared halves, each side by itself: "MOVER"; for two
//! shares this is Newcombe's method 10). The paper's interval is the one of the error that it prints, Wilson's for a
//! share of its learners, and where it prints neither ours, as wide as it would be of its number of learners. What the
//! paper's rounding hides is added.

use crate::metric::{Better, Metric, Unit};
use crate::result::PrintedMean;
use crate::stats::{Estimate, FEWEST, student, wilson};
use serde::{Deserialize, Serialize};

/// A difference of shares or accuracies that makes no difference: two percentage points.
const POINTS: f64 = 0.02;
/// A ratio of errors that makes no difference: a tenth more, or that much less.
const RATIO: f64 = 1.1;

/// How a result compares with the paper's figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The interval of the difference lies within the margin: [`Verdict::POINTS`], or [`Verdict::RATIO`] for errors. Counts are equal.
    Same,
    /// It does not, it excludes 0, and ours is more accurate, has the smaller error, or the larger lead.
    Better,
    /// The same the other way round. A count that is not the paper's is worse, whichever is larger.
    Worse,
    /// None of these: a difference that matters may be there or not. So is what fewer than [`Estimate::FEWEST`] learners show,
    /// ours or the paper's.
    Uncertain,
}

impl Verdict {
    /// A difference of shares or accuracies that makes no difference: two percentage points.
    pub const POINTS: f64 = POINTS;
    /// A ratio of errors that makes no difference: a tenth more, or that much less.
    pub const RATIO: f64 = RATIO;
    /// All of them.
    pub const ALL: [Verdict; 4] = [Verdict::Same, Verdict::Better, Verdict::Worse, Verdict::Uncertain];

    /// In one word, as JSON and CSV have it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Same => "same",
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Uncertain => "uncertain",
        }
    }

    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Uncertain => "too uncertain to tell",
            other => other.word(),
        }
    }

    /// In one sign.
    pub fn mark(self) -> &'static str {
        match self {
            Verdict::Same => "=",
            Verdict::Better => "▲",
            Verdict::Worse => "▼",
            Verdict::Uncertain => "?",
        }
    }

    /// When it is given, in words.
    pub fn meaning(self) -> &'static str {
        match self {
            Verdict::Same => {
                "same: the 95 % interval of the difference from the paper’s figure, given the errors of both, lies within \
                 2 points, or 10 % of an error"
            }
            Verdict::Better => "ours is better: the interval excludes 0",
            Verdict::Worse => "ours is worse: the interval excludes 0",
            Verdict::Uncertain => "too uncertain to tell",
        }
    }

    /// `12 of 25 figures are the same as the paper's, 3 better, 6 worse, 4 too uncertain to tell.` Nothing if none is compared.
    pub fn tally(verdicts: impl Iterator<Item = Verdict>) -> String {
        let mut counts = [0; 4];
        verdicts.for_each(|v| counts[v as usize] += 1);
        let [same, better, worse, uncertain] = counts;
        match counts.iter().sum::<usize>() {
            0 => String::new(),
            all => format!(
                "{same} of {all} figures {} the same as the paper's, {better} better, {worse} worse, {uncertain} too uncertain \
                 to tell.",
                if same == 1 { "is" } else { "are" }
            ),
        }
    }
}

/// Where a number stands on a scale of differences. An error below what the paper's digits can show is as good as that.
fn at(unit: Unit, x: f64, digit: f64) -> f64 {
    match unit {
        Unit::Error => x.max(digit / 2.0).max(f64::MIN_POSITIVE).ln(),
        Unit::Share | Unit::Difference | Unit::Number | Unit::Count => x,
    }
}

/// A difference on that scale that makes no difference.
fn margin(unit: Unit, theirs: f64) -> f64 {
    match unit {
        Unit::Error => RATIO.ln(),
        Unit::Share | Unit::Difference => POINTS,
        Unit::Number => (RATIO - 1.0) * theirs.abs(),
        Unit::Count => 0.5,
    }
}

/// Judges the figure of `n` learners, if one way is better than the other.
pub(crate) fn judge(metric: &Metric, ours: Estimate, n: usize, paper: PrintedMean) -> Option<Verdict> {
    (metric.better != Better::Neither).then(|| compare(metric, ours, n, paper))
}

fn compare(metric: &Metric, ours: Estimate, n: usize, paper: PrintedMean) -> Verdict {
    let PrintedMean { mean: printed, error } = paper;
    let Some([low, high]) = ours.interval else { return Verdict::Uncertain };
    if (1..FEWEST).contains(&printed.n) {
        return Verdict::Uncertain;
    }
    if ours.value.is_infinite() {
        return if low.is_infinite() { Verdict::Worse } else { Verdict::Uncertain };
    }
    let at = |x: f64| at(metric.unit, x, printed.unit);
    let (value, theirs) = (at(ours.value), at(printed.value));
    let halves = [value - at(low), at(high) - value];
    let [down, up] = match error {
        _ if printed.n == 0 => [0.0; 2],
        Some(error) => [student(printed.n) * error; 2],
        None if metric.unit == Unit::Share => {
            let [low, high] = wilson(printed.value, printed.n);
            [printed.value - low, high - printed.value]
        }
        None => halves.map(|half| half * (n as f64 / printed.n as f64).sqrt()),
    };
    let (from, to) = printed.range();
    let (down, up) = (down + theirs - at(from), up + at(to) - theirs);
    let difference = value - theirs;
    let [low, high] = [difference - halves[0].hypot(up), difference + halves[1].hypot(down)];
    // Ends are sums of rounded numbers: a hair's breadth must not decide.
    let slack = 1e-9;
    let margin = margin(metric.unit, theirs) + slack;
    match metric.better {
        _ if low >= -margin && high <= margin => Verdict::Same,
        _ if low <= slack && high >= -slack => Verdict::Uncertain,
        Better::Higher if low > 0.0 => Verdict::Better,
        Better::Lower if high < 0.0 => Verdict::Better,
        _ => Verdict::Worse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Metric;
    use crate::result::Printed;
    use crate::stats::{Statistic, estimate};

    /// A mean accuracy with a standard error, of ten seeds.
    fn mean(value: f64, error: f64) -> Estimate {
        let half = student(10) * error;
        Estimate { value, interval: Some([value - half, value + half]) }
    }

    fn printed(value: f64, error: f64) -> PrintedMean {
        PrintedMean { mean: Printed { value, unit: 1e-4, n: 10 }, error: Some(error) }
    }

    fn accuracy(ours: (f64, f64), paper: (f64, f64)) -> Verdict {
        compare(&Metric::OOD_ACCURACY, mean(ours.0, ours.1), 10, printed(paper.0, paper.1))
    }

    /// Table 6: Life OOD and ID, Parity5, LED24 ID, ThreeOf9 ID, Tic-Tac-Toe OOD.
    #[test]
    fn verdicts_on_known_cells() {
        assert_eq!(accuracy((0.4374, 0.1464), (0.7926, 0.1299)), Verdict::Uncertain);
        assert_eq!(accuracy((0.8009, 0.0316), (0.8871, 0.0272)), Verdict::Uncertain);
        assert_eq!(accuracy((0.9694, 0.0006), (0.9694, 0.0006)), Verdict::Same);
        assert_eq!(accuracy((0.9753, 0.0071), (1.0, 0.0)), Verdict::Worse);
        assert_eq!(accuracy((0.9930, 0.0032), (0.8018, 0.0057)), Verdict::Better);
        assert_eq!(accuracy((0.9344, 0.0121), (0.9464, 0.0)), Verdict::Uncertain);
    }

    /// The margin is 2 points and the interval of two errors of 0.003 has the half 2.262 · 0.003 · √2 = 0.0096.
    #[test]
    fn same_is_within_the_margin_and_different_excludes_zero() {
        let of = |difference: f64| accuracy((0.9 + difference, 0.003), (0.9, 0.003));
        assert_eq!([of(0.0), of(0.0102), of(-0.0102)], [Verdict::Same; 3]);
        assert_eq!([of(0.0106), of(-0.0106)], [Verdict::Better, Verdict::Worse]);
        // Twice the errors: nothing can be called the same, and larger differences are in doubt.
        let of = |difference: f64| accuracy((0.9 + difference, 0.006), (0.9, 0.006));
        assert_eq!(
            [of(0.0), of(0.002), of(0.018), of(-0.018)],
            [Verdict::Same, Verdict::Uncertain, Verdict::Uncertain, Verdict::Uncertain]
        );
        assert_eq!([of(0.02), of(-0.02)], [Verdict::Better, Verdict::Worse]);
    }

    /// 0 and 0 of 400 differ by at most 0.95 points (Newcombe's method 10); 124 and 110 of 400 by anything from −2.8 to 9.8.
    #[test]
    fn shares_are_uncertain_on_both_sides() {
        let sample = |hits: usize| -> Vec<f64> { (0..400).map(|i| f64::from(u8::from(i >= hits))).collect() };
        let of = |hits: usize, paper: f64| {
            let ours = estimate(&sample(hits), &[Statistic::ShareBelow(0.5)])[0];
            let paper = PrintedMean { mean: Printed { value: paper, unit: 0.01, n: 400 }, error: None };
            compare(&Metric::LOGIC, ours, 400, paper)
        };
        assert_eq!(of(0, 0.0), Verdict::Same);
        assert_eq!(of(110, 0.31), Verdict::Uncertain);
        assert_eq!(of(78, 0.31), Verdict::Worse);
        assert_eq!(of(388, 0.31), Verdict::Better);
    }

    /// Of errors, less is better, and a tenth makes no difference.
    #[test]
    fn errors_are_compared_by_ratio() {
        let of = |value: f64, half: f64, paper: f64| {
            let ours = Estimate { value, interval: Some([value / half, value * half]) };
            let paper = PrintedMean { mean: Printed { value: paper, unit: 1.0, n: 400 }, error: None };
            compare(&Metric::OOD_MAE_MEDIAN, ours, 400, paper)
        };
        assert_eq!(of(11_848.0, 1.016, 11_916.0), Verdict::Same);
        assert_eq!(of(7_690.0, 1.05, 9_046.0), Verdict::Better);
        assert_eq!(of(70.1, 1.17, 38.0), Verdict::Worse);
        assert_eq!(of(263.0, 1.2, 258.0), Verdict::Uncertain);
    }

    #[test]
    fn infinite_errors_are_worse() {
        let paper = PrintedMean { mean: Printed { value: 1.0, unit: 1.0, n: 400 }, error: None };
        let diverged = |low| Estimate { value: f64::INFINITY, interval: Some([low, f64::INFINITY]) };
        assert_eq!(compare(&Metric::OOD_MAE_MEDIAN, diverged(f64::INFINITY), 400, paper), Verdict::Worse);
        assert_eq!(compare(&Metric::OOD_MAE_MEDIAN, diverged(0.5), 400, paper), Verdict::Uncertain);
        let high = Estimate { value: 1.0, interval: Some([0.5, f64::INFINITY]) };
        assert_eq!(compare(&Metric::OOD_MAE_MEDIAN, high, 400, paper), Verdict::Uncertain);
    }

    #[test]
    fn counts_are_equal_or_not_and_few_learners_tell_nothing() {
        let exact = |value: f64| Estimate { value, interval: Some([value; 2]) };
        let count = |x: f64| {
            compare(
                &Metric::STRAT_PARAMETERS,
                exact(x),
                1,
                PrintedMean { mean: Printed::exact(1648.0, 1.0), error: None },
            )
        };
        assert_eq!([count(1648.0), count(1649.0), count(1647.0)], [Verdict::Same, Verdict::Worse, Verdict::Worse]);
        let zero = PrintedMean { mean: Printed::exact(0.0, 0.1), error: None };
        assert_eq!(compare(&Metric::OOD_MAE_MEDIAN, exact(2e-13), 1, zero), Verdict::Same);
        assert_eq!(compare(&Metric::OOD_MAE_MEDIAN, exact(3.0), 1, zero), Verdict::Worse);
        let one = PrintedMean { mean: Printed { value: 0.996, unit: 0.001, n: 1 }, error: None };
        assert_eq!(compare(&Metric::OOD_ACCURACY, exact(1.0), 10, one), Verdict::Uncertain);
        let few = Estimate { value: 0.1, interval: None };
        assert_eq!(compare(&Metric::OOD_ACCURACY, few, 4, printed(0.9, 0.01)), Verdict::Uncertain);
    }

    /// The control: two samples of one distribution are rarely called different, and never the same if they are too few to
    /// tell; samples of distributions 4 points apart are never called the same.
    #[test]
    fn verdicts_are_seldom_wrong() {
        use crate::rng::{RandomStream, Stream};
        let draw = |seed: u64, middle: f64, spread: f64| -> Vec<f64> {
            let mut d = RandomStream::new(seed, Stream::Bootstrap, 2);
            (0..10).map(|_| middle + spread * d.normal()).collect()
        };
        let count = |apart: f64, spread: f64| {
            let mut counts = [0; 4];
            for seed in 0..1000 {
                let ours = estimate(&draw(2 * seed, 0.9 + apart, spread), &[Statistic::Mean])[0];
                let theirs = draw(2 * seed + 1, 0.9, spread);
                let mean = theirs.iter().sum::<f64>() / 10.0;
                let paper = printed(mean, crate::stats::standard_error(&theirs));
                counts[compare(&Metric::OOD_ACCURACY, ours, 10, paper) as usize] += 1;
            }
            counts
        };
        let [same, better, worse, _] = count(0.0, 0.01);
        assert!(same > 950 && better + worse <= 30, "{same} {better} {worse}");
        let [same, better, worse, uncertain] = count(0.0, 0.1);
        assert!(same <= 2 && better + worse < 50 && uncertain > 940, "{same} {better} {worse} {uncertain}");
        let [same, better, ..] = count(0.04, 0.01);
        assert!(same == 0 && better > 990, "{same} {better}");
    }
}
