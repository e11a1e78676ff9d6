//! A rule: a whole number for every context.

use super::Obstacle;
use super::bounds::Range;
use super::reading::Reading;
use std::fmt;

/// A whole-number coefficient for every context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What is read.
    pub reading: Reading,
    /// By context.
    pub coefficients: Vec<i64>,
}

/// The largest coefficient that is read.
const LARGEST: f64 = 1000.0;

impl Rule {
    /// The whole numbers next to a learner's own coefficients, which must be the same ones on all inputs.
    pub(super) fn nearest(reading: Reading, learned: &[Range]) -> Result<Rule, Obstacle> {
        let whole = |(k, own): (usize, &Range)| {
            let next = own.middle().round();
            if own.distance(next) < 0.5 && next.abs() <= LARGEST {
                Ok(next as i64)
            } else {
                Err(Obstacle::Between { context: reading.name(k), low: own.low, high: own.high })
            }
        };
        let coefficients = learned.iter().enumerate().map(whole).collect::<Result<_, _>>()?;
        Ok(Rule { reading, coefficients })
    }

    /// How far the learner's own coefficients are from it, at most.
    pub(super) fn distance(&self, learned: &[Range]) -> f64 {
        self.coefficients.iter().zip(learned).map(|(&c, own)| own.distance(c as f64)).fold(0.0, f64::max)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut distinct: Vec<i64> = vec![];
        for &c in &self.coefficients {
            if !distinct.contains(&c) {
                distinct.push(c);
            }
        }
        let part = |&c: &i64| {
            let contexts = (0..self.coefficients.len()).filter(|&k| self.coefficients[k] == c);
            let names: Vec<String> = contexts.map(|k| self.reading.name(k)).collect();
            let factor = match c {
                0 => "0".to_string(),
                1 => "+x".to_string(),
                -1 => "−x".to_string(),
                c => format!("{c:+} x").replace('-', "−"),
            };
            match self.reading {
                Reading::Sums => format!("{factor} if bound to {}", names.join(" or ")),
                Reading::Lists => format!("{factor} of {}", names.join(", ")),
            }
        };
        write!(f, "y = Σ {}", distinct.iter().map(part).collect::<Vec<_>>().join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_off_coefficients_and_never_guessed() {
        let range = |low, high| Range { low, high };
        let own = [range(0.9, 1.1), range(1.2, 1.4), range(-0.8, -0.6)];
        let rule = Rule::nearest(Reading::Sums, &own).unwrap();
        assert_eq!(rule.coefficients, [1, 1, -1]);
        assert_eq!(rule.to_string(), "y = Σ +x if bound to nothing or +; −x if bound to −");
        assert!((rule.distance(&own) - 0.4).abs() < 1e-12);
        for wide in [range(0.4, 1.1), range(0.9, 1.5), range(f64::NAN, f64::NAN), range(2e9, 2e9)] {
            let none = Rule::nearest(Reading::Sums, &[own[0], wide, own[2]]).unwrap_err();
            assert!(matches!(none, Obstacle::Between { context, .. } if context == "+"));
        }
    }
}
