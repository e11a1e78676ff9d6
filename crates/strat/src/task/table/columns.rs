//! What a column's cells become: words, or numbers with thresholds between them.

use super::cells::{DateForm, Meaning, NumberForm, Understood, meaning};
use super::schema::{Field, MISSING, MOST_VALUES, OTHER, UNKNOWN, is_missing};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// With no more different numbers than these, each is a value of its own, if it is in two rows on average.
const FEW: usize = 10;
/// With no more than these, each is a value in any case.
const FEWEST: usize = 3;
/// The most ranges that more numbers are divided into.
const MOST_RANGES: usize = 6;

/// How the numbers of a column become values: each value is a range, and the last one has no end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scale {
    /// How the numbers are written.
    pub form: Form,
    /// The least number of every value but the first, in order.
    pub cuts: Vec<f64>,
    /// A typical number of each value.
    pub typical: Vec<f64>,
}

/// How the numbers of a column are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub(crate) enum Form {
    /// As numbers, perhaps with a unit.
    Number(NumberForm),
    /// As dates; the number is that of days since the first of January 1970.
    Date(DateForm),
}

impl Form {
    /// The number that a cell holds.
    pub fn parse(&self, cell: &str) -> Option<f64> {
        match self {
            Form::Number(form) => form.parse(cell),
            Form::Date(form) => form.parse(cell),
        }
    }

    /// A number as a cell would have it.
    pub fn format(&self, number: f64) -> String {
        match self {
            Form::Number(form) => form.format(number),
            Form::Date(form) => form.format(number),
        }
    }
}

impl Scale {
    /// The value that a number belongs to.
    pub fn value(&self, number: f64) -> u8 {
        self.cuts.partition_point(|cut| *cut <= number) as u8
    }

    /// A scale of these numbers, and a name for each of its values.
    ///
    /// Thresholds follow from the numbers alone, never from classes: halfway between different numbers where these are few,
    /// else so that all ranges have about as many rows.
    fn of(form: Form, numbers: &[f64]) -> (Scale, Vec<String>) {
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        let mut different = sorted.clone();
        different.dedup();
        let between: Vec<f64> = different.windows(2).map(|w| halfway(w[0], w[1])).collect();
        if different.len() <= FEW && (2 * different.len() <= sorted.len() || different.len() <= FEWEST) {
            let names = different.iter().map(|x| form.format(*x)).collect();
            return (Scale { form, cuts: between, typical: different }, names);
        }
        let ranges = (sorted.len().isqrt()).clamp(2, MOST_RANGES);
        let at = |i: usize| sorted[sorted.len() * i / ranges];
        let above =
            |x: f64| between[different.partition_point(|d| *d < x).saturating_sub(1).min(between.len() - 1)];
        let mut cuts: Vec<f64> = (1..ranges).map(|i| above(at(i))).collect();
        cuts.dedup();
        let scale = Scale { form, cuts, typical: vec![] };
        let mut sums = vec![(0.0, 0.0); scale.cuts.len() + 1];
        for x in &sorted {
            let (sum, count) = &mut sums[usize::from(scale.value(*x))];
            (*sum, *count) = (*sum + x, *count + 1.0);
        }
        // The sum of huge numbers is none.
        let bounded = |mean: f64| mean.clamp(sorted[0], sorted[sorted.len() - 1]);
        let typical = sums.into_iter().map(|(sum, count)| bounded(sum / f64::max(count, 1.0))).collect();
        let names = ranges_in_words(&scale);
        (Scale { typical, ..scale }, names)
    }

    /// Whether it is one, for `values` values; for those read from a file.
    pub(super) fn is_sound(&self, values: usize) -> bool {
        let finite = self.cuts.iter().chain(&self.typical).all(|x| x.is_finite());
        let rises = self.cuts.windows(2).all(|w| w[0] < w[1]);
        finite
            && rises
            && self.typical.len() == self.cuts.len() + 1
            && [0, 1].contains(&(values - self.typical.len().min(values)))
            && self.typical.len() <= values
    }
}

/// A number above one and not above the other, halfway if there is one, without digits that come from rounding alone.
fn halfway(a: f64, b: f64) -> f64 {
    let middle = if (b - a).is_finite() { a + (b - a) / 2.0 } else { a / 2.0 + b / 2.0 };
    let short = format!("{middle:.12e}").parse().unwrap_or(middle);
    [short, middle].into_iter().find(|x| a < *x && *x <= b).unwrap_or(b)
}

/// "below 3", "3 to 5", "at least 5"
fn ranges_in_words(scale: &Scale) -> Vec<String> {
    let cuts: Vec<String> = scale.cuts.iter().map(|cut| scale.form.format(*cut)).collect();
    let first = cuts.first().map(|cut| format!("below {cut}"));
    let middle = cuts.windows(2).map(|w| format!("{} to {}", w[0], w[1]));
    let last = cuts.last().map(|cut| format!("at least {cut}"));
    first.into_iter().chain(middle).chain(last).collect()
}

/// What a column's cells mean and, if it can be learned from, its values. `as_words`: numbers are names too.
pub(super) fn field(name: &str, cells: &[&str], as_words: bool) -> (Understood, Field) {
    let mut understood = meaning(name, cells);
    if as_words && understood.meaning != Meaning::Constant {
        understood = Understood { meaning: Meaning::Words, note: None };
    }
    let gaps = cells.iter().any(|cell| is_missing(cell));
    let present = || cells.iter().copied().filter(|cell| !is_missing(cell));
    let form = match &understood.meaning {
        Meaning::Numbers(form) => Some(Form::Number(form.clone())),
        Meaning::Dates(form) => Some(Form::Date(*form)),
        _ => None,
    };
    let (scale, mut values) = match form {
        Some(form) => {
            let numbers: Vec<f64> = present().filter_map(|cell| form.parse(cell)).collect();
            let (scale, values) = Scale::of(form, &numbers);
            (Some(scale), values)
        }
        None => (None, words(present(), gaps)),
    };
    if gaps {
        values.push(MISSING.into());
    }
    (understood, Field { name: name.into(), values, scale })
}

/// Different words by letters; the rarest of too many are one value.
fn words<'a>(cells: impl Iterator<Item = &'a str>, gaps: bool) -> Vec<String> {
    let mut counts = BTreeMap::<&str, usize>::new();
    cells.for_each(|cell| *counts.entry(cell).or_default() += 1);
    let most = MOST_VALUES - usize::from(gaps);
    if counts.len() <= most {
        return counts.into_keys().map(String::from).collect();
    }
    let mut by_count: Vec<(&str, usize)> = counts.into_iter().collect();
    by_count.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let kept: BTreeSet<&str> = by_count.iter().take(most - 1).map(|(word, _)| *word).collect();
    kept.into_iter().map(String::from).chain([OTHER.into()]).collect()
}

impl Field {
    /// The value of a cell, and its number if the field has a scale; `u8::MAX` for what the table does not have.
    pub fn read(&self, cell: &str) -> (u8, Option<f64>) {
        let named = |name: &str| self.values.iter().position(|v| v == name).map(|i| i as u8);
        if is_missing(cell) {
            return (named(MISSING).unwrap_or(UNKNOWN), None);
        }
        match &self.scale {
            Some(scale) => match scale.form.parse(cell).filter(|x| x.is_finite()) {
                Some(x) => (scale.value(x), Some(x)),
                None => (UNKNOWN, None),
            },
            None => (named(cell).or_else(|| named(OTHER)).unwrap_or(UNKNOWN), None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn field(name: &str, cells: &[&str]) -> Field {
        super::field(name, cells, false).1
    }

    #[test]
    fn few_numbers_are_values_and_new_ones_belong_to_the_nearest() {
        let grade = field("grade", &["3", "1", "2", "", "1"]);
        assert_eq!(grade.values, ["1", "2", "3", MISSING]);
        assert_eq!(
            (grade.read("2"), grade.read("9"), grade.read("-1")),
            ((1, Some(2.0)), (2, Some(9.0)), (0, Some(-1.0)))
        );
        assert_eq!((grade.read("NA"), grade.read("two")), ((3, None), (UNKNOWN, None)));
        assert_eq!(field("x", &["1", "2"]).read("").0, UNKNOWN, "no row had a gap");
    }

    #[test]
    fn many_numbers_are_ranges_with_about_as_many_rows() {
        let cells: Vec<String> = (0..100).map(|i| format!("{}.5", i)).collect();
        let many = field("x", &cells.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(many.values.len(), MOST_RANGES);
        assert_eq!((&*many.values[0], &*many.values[5]), ("below 16", "at least 83"));
        let mut counts = [0; MOST_RANGES];
        cells.iter().for_each(|cell| counts[usize::from(many.read(cell).0)] += 1);
        assert!(counts.iter().all(|n| (16..=17).contains(n)), "{counts:?}");
        assert!(many.scale.as_ref().unwrap().is_sound(6));
    }

    #[test]
    fn thresholds_are_short_and_finite() {
        assert_eq!((halfway(65.7, 65.9), halfway(0.1, 0.4)), (65.8, 0.25));
        assert_eq!((halfway(-1e308, 1.5e308), halfway(1.0, 1.0 + f64::EPSILON)), (2.5e307, 1.0 + f64::EPSILON));
        let cells: Vec<String> = (0..40).map(|i| format!("{}e306", (i - 20) * 8)).collect();
        let huge = field("x", &cells.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(huge.scale.unwrap().is_sound(huge.values.len()));
    }

    #[test]
    fn rare_words_are_one_value() {
        let cells: Vec<String> = (0..60).map(|i| format!("w{}", if i < 40 { i % 4 } else { i })).collect();
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        let words = field("x", &cells);
        assert_eq!((words.values.len(), &*words.values[0]), (4 + 20, "w0"));
        let cells: Vec<String> = (0..99).map(|i| format!("w{i:02}")).collect();
        let words = field("x", &cells.iter().map(String::as_str).chain([""]).collect::<Vec<_>>());
        assert_eq!(words.values.len(), MOST_VALUES);
        assert_eq!(words.values[30..], [OTHER, MISSING]);
        assert_eq!((words.read("new").0, words.read("").0), (30, 31));
    }

    proptest! {
        #[test]
        fn every_number_has_a_value(numbers in prop::collection::vec(-1e9..1e9f64, 2..60), new in any::<f64>()) {
            let cells: Vec<String> = numbers.iter().map(f64::to_string).collect();
            let field = field("x", &cells.iter().map(String::as_str).collect::<Vec<_>>());
            let Some(scale) = field.scale.clone() else { return Ok(()) };
            prop_assert!(scale.is_sound(field.values.len()), "{scale:?}");
            let (value, _) = field.read(&new.to_string());
            prop_assert!(usize::from(value) < field.values.len() || value == UNKNOWN);
            for cell in &cells {
                prop_assert!(usize::from(field.read(cell).0) < field.values.len());
            }
        }
    }
}
