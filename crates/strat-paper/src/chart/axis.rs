//! Numbers to places, and the ticks between.

use strat::result::thousands;

/// Errors and losses above this are those of learners that diverged: an axis that reaches them would show nothing else.
pub(crate) const BEYOND: f64 = 1e9;

/// Numbers along a line of the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    /// By their logarithms?
    log: bool,
    /// Where `low` and `high` lie.
    ends: [f64; 2],
}

impl Axis {
    pub fn linear(low: f64, high: f64, ends: [f64; 2]) -> Axis {
        Axis { low, high, log: false, ends }
    }

    /// Whole decades around all positive numbers up to [`BEYOND`]; one to ten if there are none.
    pub fn decades(numbers: impl IntoIterator<Item = f64>, ends: [f64; 2]) -> Axis {
        let good = numbers.into_iter().filter(|x| *x <= BEYOND && *x > 0.0);
        let (low, high) = good.fold((f64::INFINITY, 0.0f64), |(low, high), x| (low.min(x), high.max(x)));
        let (low, high) = if low <= high { (low, high) } else { (1.0, 10.0) };
        let (low, high) = (low.log10().floor(), high.log10().ceil());
        Axis { low, high: high.max(low + 1.0), log: true, ends }
    }

    /// The place of a number; what lies outside is put at the nearer end.
    pub fn at(&self, x: f64) -> f64 {
        let along = if self.log { x.max(f64::MIN_POSITIVE).log10() } else { x };
        let along = along.clamp(self.low, self.high);
        self.ends[0] + (self.ends[1] - self.ends[0]) * (along - self.low) / (self.high - self.low)
    }

    /// Round numbers with their names. Decades are left out where there are too many.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        if !self.log {
            return ticks(self.low, self.high, step(self.high - self.low))
                .into_iter()
                .map(|x| (x, label(x)))
                .collect();
        }
        let every = ((self.high - self.low) / 6.0).ceil().max(1.0) as usize;
        (self.low as i32..=self.high as i32).step_by(every).map(|d| (10f64.powi(d), decade(d))).collect()
    }
}

/// A power of ten as it is read most easily.
fn decade(d: i32) -> String {
    match d {
        0..=2 => 10u32.pow(d as u32).to_string(),
        3..=5 => thousands(10u64.pow(d as u32)),
        -3..=-1 => format!("{}", 10f64.powi(d)),
        _ => format!("1e{d}").replace('-', "−"),
    }
}

/// A round number that divides a span into three to nine parts.
pub(super) fn step(span: f64) -> f64 {
    let rough = span / 3.5;
    let power = 10f64.powf(rough.log10().floor());
    power * [1.0, 2.0, 5.0].into_iter().rfind(|s| s * power <= rough).unwrap_or(1.0)
}

/// Multiples of `step` within a range.
pub(super) fn ticks(low: f64, high: f64, step: f64) -> Vec<f64> {
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(|i| i as f64 * step).collect()
}

/// A tick as text: no digits that only rounding put there, and a real minus sign.
pub(super) fn label(x: f64) -> String {
    if x >= 1000.0 {
        return thousands(x.round() as u64);
    }
    let short = format!("{x:.4}");
    short.trim_end_matches('0').trim_end_matches('.').replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let shown = |low, high| ticks(low, high, step(high - low)).into_iter().map(label).collect::<Vec<_>>();
        assert_eq!(shown(-1.2, 1.3), ["−1", "−0.5", "0", "0.5", "1"]);
        assert_eq!(shown(-30.0, 900.0), ["0", "200", "400", "600", "800"]);
        assert_eq!(shown(0.0, 1950.0), ["0", "500", "1,000", "1,500"]);
        assert_eq!(shown(0.009, 0.031), ["0.01", "0.015", "0.02", "0.025", "0.03"]);
    }

    #[test]
    fn decades_hold_every_number_and_what_is_none_lies_at_an_end() {
        let axis = Axis::decades([20.0, 11548.4, f64::INFINITY, f64::NAN, 0.0], [0.0, 400.0]);
        let names: Vec<String> = axis.ticks().into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["10", "100", "1,000", "10,000", "100,000"]);
        assert_eq!((axis.at(10.0), axis.at(100.0), axis.at(1e5)), (0.0, 100.0, 400.0));
        assert_eq!((axis.at(0.0), axis.at(f64::INFINITY)), (0.0, 400.0));
        let empty = Axis::decades([], [0.0, 1.0]);
        assert_eq!(empty.ticks().len(), 2);
        assert_eq!(Axis::decades([1e-30, 1e9, 1e131], [0.0, 1.0]).ticks().len(), 6);
    }
}
