//! Metrics: what a number is called, what it is counted in, and which way is better.
//!
//! How a figure is written and how it is compared follows from its [`Unit`], whether it is better from [`Better`]; nothing
//! follows from the name, which is what files have. The metrics of this project are constants ([`Metric::OOD_MAE`] and others);
//! one's own is made with [`Metric::new`]:
//!
//! ```
//! use strat::metric::{Better, Metric, Unit};
//!
//! const F1: Metric = Metric::new("f1", "F1", Unit::Share, Better::Higher);
//! # assert_eq!(F1.name, "f1");
//! ```

mod built_in;

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What a figure measures. Two of one name are the same: files have the name alone, but for the manifest of a run, which
/// has all of a task's own ([`Task::metric`](crate::task::Task::metric)).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Metric {
    /// In files and JSON.
    pub name: Cow<'static, str>,
    /// At the head of its column.
    pub heading: Cow<'static, str>,
    /// What it is counted in.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
}

impl Metric {
    /// A metric that is known when the program is written. Others are made of their parts.
    pub const fn new(name: &'static str, heading: &'static str, unit: Unit, better: Better) -> Metric {
        Metric { name: Cow::Borrowed(name), heading: Cow::Borrowed(heading), unit, better }
    }

    /// The [built-in](Metric::built_in) metric of a name. One that is not known is a plain number, of which nobody can say
    /// what is better; its heading is its name.
    pub fn named(name: &str) -> Metric {
        let known = Metric::built_in().iter().find(|metric| metric.name == name).cloned();
        known.unwrap_or_else(|| Metric {
            name: name.to_string().into(),
            heading: name.replace('_', " ").into(),
            unit: Unit::Number,
            better: Better::Neither,
        })
    }

    /// Whether it is one of this project's.
    pub fn is_built_in(&self) -> bool {
        Metric::built_in().contains(self)
    }

    /// Every metric of this project: those of tables, and those that learners have.
    pub fn built_in() -> &'static [Metric] {
        built_in::ALL
    }
}

impl PartialEq for Metric {
    fn eq(&self, other: &Metric) -> bool {
        self.name == other.name
    }
}

impl Eq for Metric {}

impl AsRef<str> for Metric {
    fn as_ref(&self) -> &str {
        &self.name
    }
}

impl From<String> for Metric {
    fn from(name: String) -> Metric {
        Metric::named(&name)
    }
}

impl From<Metric> for String {
    fn from(metric: Metric) -> String {
        metric.name.into_owned()
    }
}

/// What a metric is counted in. It decides how figures are written and [compared](crate::result::Verdict).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Unit {
    /// A share of 1, such as an accuracy: written in percent, compared by difference.
    Share,
    /// A difference of shares: written in percent with its sign, compared by difference.
    Difference,
    /// How far off something is, never below 0, perhaps infinite: compared by ratio.
    Error,
    /// A plain number, such as a cosine or a length: compared by difference, as a part of the other.
    Number,
    /// How many there are: a whole number, equal or not.
    Count,
}

impl Unit {
    /// Where means of such numbers lie.
    pub fn range(self) -> [f64; 2] {
        match self {
            Unit::Share => [0.0, 1.0],
            Unit::Error | Unit::Count => [0.0, f64::INFINITY],
            Unit::Difference | Unit::Number => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    /// Whether it is written in percent.
    pub fn is_percent(self) -> bool {
        matches!(self, Unit::Share | Unit::Difference)
    }
}

/// Which way a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Only the other's figure is right: more is as bad as less.
    Equal,
    /// Nobody can say, so there is no verdict.
    Neither,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_and_headings_are_told_apart() {
        let all = Metric::built_in();
        let names: BTreeSet<&str> = all.iter().map(|m| &*m.name).collect();
        let headings: BTreeSet<&str> = all.iter().map(|m| &*m.heading).collect();
        assert_eq!([names.len(), headings.len()], [all.len(); 2]);
        assert!(all.iter().all(|m| !m.name.is_empty() && !m.heading.is_empty() && m.heading.chars().count() < 40));
    }

    /// Which way is better follows from what is counted, but for what only describes learners.
    #[test]
    fn every_metric_has_the_direction_of_its_unit() {
        for metric in Metric::built_in() {
            let usual: &[Better] = match metric.unit {
                Unit::Share => &[Better::Higher, Better::Neither],
                Unit::Difference => &[Better::Higher],
                Unit::Error => &[Better::Lower],
                Unit::Number => &[Better::Lower, Better::Neither],
                Unit::Count => &[Better::Equal, Better::Lower],
            };
            assert!(usual.contains(&metric.better), "{metric:?}");
        }
        let of = |name| (Metric::named(name).unit, Metric::named(name).better);
        assert_eq!(of("ood_mae_median"), (Unit::Error, Better::Lower));
        assert_eq!(of("logic"), (Unit::Share, Better::Higher));
        assert_eq!(of("STRAT parameters"), (Unit::Count, Better::Equal));
        assert_eq!(of("difference_id_accuracy"), (Unit::Difference, Better::Higher));
        assert_eq!(of("cosine_plus_minus"), (Unit::Number, Better::Neither));
    }

    /// Words in a name decide nothing.
    #[test]
    fn a_metric_of_others_is_a_plain_number() {
        for name in ["difference_of_opinion", "mae_west", "search_parameters"] {
            let metric = Metric::named(name);
            assert_eq!((&*metric.name, metric.unit, metric.better), (name, Unit::Number, Better::Neither));
            assert_eq!(metric.heading, name.replace('_', " "));
        }
    }

    #[test]
    fn files_have_the_name_alone() {
        let own = Metric::new("f1", "F1", Unit::Share, Better::Higher);
        assert_eq!(serde_json::to_string(&[own, Metric::OOD_MAE]).unwrap(), r#"["f1","ood_mae"]"#);
        let read: Vec<Metric> = serde_json::from_str(r#"["f1","ood_mae"]"#).unwrap();
        assert_eq!((read[0].unit, &*read[1].heading), (Unit::Number, "OOD MAE"));
    }
}
