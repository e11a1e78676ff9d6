//! Figures as text: the metric's unit says how.

use strat::metric::Unit;
use strat::result::{Cell, thousands};
use strat::stats::Estimate;

/// How numbers of a unit are written.
pub(crate) fn number(unit: Unit, x: f64) -> String {
    match unit {
        Unit::Share => format!("{:.1} %", 100.0 * x),
        Unit::Difference => format!("{:+.1} %", 100.0 * x).replace('-', "−"),
        Unit::Error if !x.is_finite() => "∞".into(),
        Unit::Error if x < 10.0 => format!("{x:.2}"),
        Unit::Error if x < 100.0 => format!("{x:.1}"),
        Unit::Error => thousands(x.round() as u64),
        Unit::Count => thousands(x as u64),
        _ => format!("{x:.3}").replace('-', "−"),
    }
}

/// As the paper prints it: no more digits than it has.
pub(crate) fn printed(unit: Unit, x: f64) -> String {
    match unit {
        Unit::Share => {
            // As many digits as it takes: 31 %, 99.6 %, 0.25 %.
            let percent = format!("{:.2}", 100.0 * x);
            percent.trim_end_matches('0').trim_end_matches('.').to_string() + " %"
        }
        Unit::Difference => format!("{:+.2} %", 100.0 * x).replace('-', "−"),
        Unit::Error if x.fract() == 0.0 => thousands(x as u64),
        Unit::Count => thousands(x as u64),
        _ => format!("{x}").replace('-', "−"),
    }
}

/// `86.58 ± 1.08 %`
fn mean(unit: Unit, x: f64, error: f64) -> String {
    match unit {
        Unit::Share => format!("{:.2} ± {:.2} %", 100.0 * x, 100.0 * error),
        Unit::Difference => format!("{:+.2} ± {:.2} %", 100.0 * x, 100.0 * error).replace('-', "−"),
        // Means of counts are no counts.
        Unit::Error | Unit::Count => [x, error].map(|x| number(Unit::Error, x)).join(" ± "),
        _ => [x, error].map(|x| number(unit, x)).join(" ± "),
    }
}

/// Ours: a mean with its standard error, if it has one.
pub(crate) fn ours(c: &Cell) -> String {
    let unit = c.metric.unit;
    c.error.map_or_else(|| number(unit, c.value), |error| mean(unit, c.value, error))
}

/// The paper's; empty if it has none.
pub(crate) fn theirs(c: &Cell) -> String {
    match (c.paper, c.paper_error) {
        (Some(x), Some(error)) => mean(c.metric.unit, x, error),
        (Some(x), None) => printed(c.metric.unit, x),
        (None, _) => String::new(),
    }
}

/// The ends of our interval, or why there is none; nothing if it needs none.
pub(crate) fn interval(c: &Cell) -> Option<String> {
    let Some(ends) = c.interval() else { return is_too_few(c).then(|| format!("none: n < {}", Estimate::FEWEST)) };
    if is_alike(c) {
        return Some(ALIKE.into());
    }
    let [low, high] = ends.map(|x| number(c.metric.unit, x));
    Some(format!("{} – {high}", low.trim_end_matches(" %")))
}

/// Instead of an interval without width: no spread was seen, which does not say that there is none.
pub(crate) const ALIKE: &str = "all alike";

/// Whether it is a mean of numbers that are all the same.
pub(crate) fn is_alike(c: &Cell) -> bool {
    c.error == Some(0.0) && c.interval() == Some([c.value; 2])
}

/// Whether it has no interval for want of learners. A count has none either way.
fn is_too_few(c: &Cell) -> bool {
    c.low.is_none() && c.n < Estimate::FEWEST && c.metric.unit != Unit::Count
}

#[cfg(test)]
mod tests {
    use super::*;
    use strat::metric::Metric;

    #[test]
    fn an_interval_without_width_is_shown_as_what_it_is() {
        let c = Cell::of_mean("train", "STRAT", &Metric::ID_ACCURACY, &[1.0; 10], None);
        assert_eq!(interval(&c).as_deref(), Some("all alike"));
    }

    #[test]
    fn the_papers_figures_keep_their_digits() {
        assert_eq!(printed(Unit::Error, 9046.0), "9,046");
        assert_eq!(printed(Unit::Error, 40.4), "40.4");
        assert_eq!((printed(Unit::Share, 0.996), printed(Unit::Share, 0.31)), ("99.6 %".into(), "31 %".into()));
    }

    #[test]
    fn only_shares_are_in_percent() {
        let of = |unit| (number(unit, 0.5), mean(unit, 0.5, 0.25));
        assert_eq!(of(Unit::Share), ("50.0 %".into(), "50.00 ± 25.00 %".into()));
        assert_eq!(of(Unit::Difference), ("+50.0 %".into(), "+50.00 ± 25.00 %".into()));
        assert_eq!(of(Unit::Error), ("0.50".into(), "0.50 ± 0.25".into()));
        assert_eq!(of(Unit::Number), ("0.500".into(), "0.500 ± 0.250".into()));
        assert_eq!(
            (number(Unit::Count, 1234.0), mean(Unit::Count, 2.5, 0.5)),
            ("1,234".into(), "2.50 ± 0.50".into())
        );
        let c = Cell::of_mean("own", "A", &Metric::OOD_MAE, &[120.0, 130.0], None);
        assert_eq!(ours(&c), "125 ± 5.00");
    }
}
