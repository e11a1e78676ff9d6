//! What can be asked about a row, and how likely each question is before any row is seen.

use crate::frame::{Frame, Kind};
use std::collections::BTreeMap;

/// A value that several columns can have: where, and its number there.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// Columns with the value's number in them.
    pub places: Vec<(usize, f64)>,
}

impl Shared {
    fn count(&self, row: &[f64]) -> i64 {
        self.places.iter().filter(|(column, value)| row[*column] == *value).count() as i64
    }
}

/// A question about a row. A cell without a value is answered by no.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// Has a column no value?
    Missing(usize),
    /// Has a column this value?
    Is(usize, f64),
    /// Is a column's number at least this large?
    AtLeast(usize, f64),
    /// Have two columns the same value? With the values' numbers in both.
    Same(usize, usize, Vec<(f64, f64)>),
    /// Is the number of one column at least as large as that of another?
    Greater(usize, usize),
    /// Have at least so many columns this value?
    CountAtLeast(Shared, i64),
    /// Have exactly so many columns this value?
    CountIs(Shared, i64),
    /// Have at least so many columns more the first value than the second?
    More(Shared, Shared, i64),
}

impl Question {
    /// The answer for a row.
    pub fn ask(&self, row: &[f64]) -> bool {
        match self {
            Question::Missing(column) => row[*column].is_nan(),
            Question::Is(column, value) => row[*column] == *value,
            Question::AtLeast(column, least) => row[*column] >= *least,
            Question::Same(a, b, pairs) => pairs.iter().any(|(x, y)| row[*a] == *x && row[*b] == *y),
            Question::Greater(a, b) => row[*a] >= row[*b],
            Question::CountAtLeast(shared, least) => shared.count(row) >= *least,
            Question::CountIs(shared, count) => shared.count(row) == *count,
            Question::More(first, second, least) => first.count(row) - second.count(row) >= *least,
        }
    }
}

/// How likely a question is about one column, two columns that are the same, and so on; where a table allows no question of
/// some family, the others share its part. First choices, made on the tables of `benchsuite/tables`.
const COLUMNS: f64 = 0.6;
const SAME: f64 = 0.1;
const GREATER: f64 = 0.1;
const COUNT: f64 = 0.15;
const MORE: f64 = 0.1;
/// If all columns have at least two words in common, they are probably alike, and counting is so many times as likely; chosen on
/// draws 20 to 31 of tic-tac-toe, and on draw 13 of the made tables.
const ALIKE: f64 = 3.0;
/// Whether there are more of one value than of another, or as many at least, is so many times as likely to be asked as whether
/// there are two more, or three: it needs no number.
const PLAIN: f64 = 4.0;
/// With more columns than these, no two are compared: there are too many pairs for any of them to be likely.
const MOST_COMPARED: usize = 32;
/// With more shared values than these, nothing is counted.
const MOST_COUNTED: usize = 12;
/// A value is counted if so many columns can have it.
const LEAST_PLACES: usize = 3;

/// The questions that divide the rows, each with its prior probability; of a column of numbers so many thresholds.
pub(crate) fn questions(frame: &Frame, thresholds: usize) -> Vec<(Question, f64)> {
    let columns = frame.kinds.len();
    let distinct: Vec<Vec<f64>> = (0..columns).map(|c| frame.distinct(c)).collect();
    let few: Vec<bool> = (0..columns).map(|c| frame.has_few(c, &distinct[c])).collect();
    let words: Vec<BTreeMap<String, f64>> = (0..columns)
        .map(|c| {
            if few[c] {
                distinct[c].iter().map(|&v| (word(&frame.kinds[c], v), v)).collect()
            } else {
                BTreeMap::new()
            }
        })
        .collect();
    let compared = columns <= MOST_COMPARED;
    let pairs = || (0..columns).flat_map(|a| (a + 1..columns).map(move |b| (a, b))).filter(|_| compared);

    let by_column = (0..columns).map(|c| of_column(frame, c, &distinct[c], few[c], thresholds)).collect();
    let same = pairs().filter_map(|(a, b)| {
        let both: Vec<(f64, f64)> = words[a].iter().filter_map(|(w, v)| Some((*v, *words[b].get(w)?))).collect();
        (both.len() > 1).then(|| vec![Question::Same(a, b, both)])
    });
    let measures = |c: usize| frame.kinds[c] == Kind::Numbers && distinct[c].len() > 2;
    // Where some row has both the same, "at least" and "more than" are two questions.
    let ties = |a: usize, b: usize| frame.rows.iter().any(|row| row[a] == row[b]);
    let greater = pairs().filter(|&(a, b)| measures(a) && measures(b)).map(|(a, b)| {
        let orders = [Question::Greater(a, b), Question::Greater(b, a)];
        orders.into_iter().take(if ties(a, b) { 2 } else { 1 }).collect()
    });
    let shared = shared(&words);
    let everywhere = shared.iter().filter(|s| s.places.len() == columns).count();
    let counted = if everywhere > 1 { ALIKE } else { 1.0 };
    let count = shared.iter().map(counts).collect();
    let more = shared.iter().enumerate().flat_map(|(i, s)| shared[i + 1..].iter().map(|t| differences(s, t)));

    let families: [(f64, Vec<Vec<Question>>); 5] = [
        (COLUMNS, by_column),
        (SAME, same.collect()),
        (GREATER, greater.collect()),
        (COUNT * counted, count),
        (MORE * counted, more.collect()),
    ];
    with_priors(frame, families)
}

fn word(kind: &Kind, value: f64) -> String {
    match kind {
        Kind::Words(words) => words[value as usize].clone(),
        Kind::Numbers => format!("{value}"),
    }
}

/// About one column: its values where they are few, thresholds between its numbers, whether it is missing.
pub(crate) fn of_column(
    frame: &Frame,
    column: usize,
    distinct: &[f64],
    few: bool,
    thresholds: usize,
) -> Vec<Question> {
    let mut out = vec![];
    if few {
        out.extend(distinct.iter().map(|&value| Question::Is(column, value)));
    }
    if frame.kinds[column] == Kind::Numbers {
        let between: Vec<f64> = distinct.windows(2).map(|w| w[0] + (w[1] - w[0]) / 2.0).collect();
        let step = (between.len() as f64 / thresholds as f64).max(1.0);
        let cuts = (0..between.len().min(thresholds)).map(|i| between[((i as f64 + 0.5) * step) as usize]);
        out.extend(cuts.map(|cut| Question::AtLeast(column, cut)));
    }
    if frame.has_gaps(column) {
        out.push(Question::Missing(column));
    }
    out
}

/// Values that enough columns have in common; none if there are too many to count each.
fn shared(words: &[BTreeMap<String, f64>]) -> Vec<Shared> {
    let mut places = BTreeMap::<&str, Vec<(usize, f64)>>::new();
    for (column, words) in words.iter().enumerate() {
        words.iter().for_each(|(word, value)| places.entry(word).or_default().push((column, *value)));
    }
    let shared: Vec<Shared> =
        places.into_values().filter(|p| p.len() >= LEAST_PLACES).map(|places| Shared { places }).collect();
    if shared.len() > MOST_COUNTED { vec![] } else { shared }
}

fn counts(shared: &Shared) -> Vec<Question> {
    let most = shared.places.len() as i64;
    let at_least = (1..=most).map(|k| Question::CountAtLeast(shared.clone(), k));
    at_least.chain((1..most).map(|k| Question::CountIs(shared.clone(), k))).collect()
}

fn differences(first: &Shared, second: &Shared) -> Vec<Question> {
    (-2..=3).map(|k| Question::More(first.clone(), second.clone(), k)).collect()
}

/// Each family's part goes in equal shares to its groups (a column, a value, a pair), and theirs to their questions by
/// [`weight`]. Questions
/// that say the same of all rows are dropped, and so are those about one column that divide the rows like another one.
fn with_priors(frame: &Frame, families: [(f64, Vec<Vec<Question>>); 5]) -> Vec<(Question, f64)> {
    let mut out = vec![];
    let mut all = 0.0;
    for (part, groups) in families {
        let groups: Vec<Vec<Question>> =
            groups.into_iter().map(|group| dividing(frame, group)).filter(|group| !group.is_empty()).collect();
        if groups.is_empty() {
            continue;
        }
        all += part;
        for group in &groups {
            let each = part / (groups.len() as f64 * group.iter().map(weight).sum::<f64>());
            out.extend(group.iter().map(|question| (question.clone(), each * weight(question))));
        }
    }
    out.iter_mut().for_each(|(_, prior)| *prior /= all);
    out
}

/// How likely a question is beside others of its group.
fn weight(question: &Question) -> f64 {
    if matches!(question, Question::More(_, _, 0 | 1)) { PLAIN } else { 1.0 }
}

fn dividing(frame: &Frame, group: Vec<Question>) -> Vec<Question> {
    let mut seen: Vec<Vec<bool>> = vec![];
    let divides = |question: &Question| {
        let answers: Vec<bool> = frame.rows.iter().map(|row| question.ask(row)).collect();
        if answers.iter().all(|a| *a == answers[0]) {
            return false;
        }
        // Of a count, each that divides these rows the same way is another rule on other rows.
        if matches!(question, Question::Is(..) | Question::AtLeast(..)) {
            let other: Vec<bool> = answers.iter().map(|a| !a).collect();
            if seen.contains(&answers) || seen.contains(&other) {
                return false;
            }
            seen.push(answers);
        }
        true
    };
    group.into_iter().filter(divides).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kinds: Vec<Kind>, rows: &[&[f64]]) -> Frame {
        Frame { kinds, rows: rows.iter().map(|r| r.to_vec()).collect(), labels: vec![0; rows.len()], classes: 2 }
    }

    #[test]
    fn priors_add_up_and_only_what_divides_is_asked() {
        let words = |w: &[&str]| Kind::Words(w.iter().map(|w| w.to_string()).collect());
        let kinds = vec![words(&["no", "yes"]), words(&["no", "yes"]), words(&["no", "yes"]), Kind::Numbers];
        let frame = frame(kinds, &[&[0., 1., 0., 1.5], &[1., 1., 0., 2.5], &[0., 0., 0., f64::NAN]]);
        let found = questions(&frame, 12);
        assert!((found.iter().map(|q| q.1).sum::<f64>() - 1.0).abs() < 1e-12);
        // The third column is always "no": nothing is asked about it alone.
        assert!(!found.iter().any(|q| matches!(q.0, Question::Is(2, _))));
        // Of two values one question is enough.
        assert_eq!(found.iter().filter(|q| matches!(q.0, Question::Is(0, _))).count(), 1);
        assert!(found.iter().any(|q| q.0 == Question::AtLeast(3, 2.0)));
        assert!(found.iter().any(|q| q.0 == Question::Missing(3)));
        let no = Shared { places: vec![(0, 0.0), (1, 0.0), (2, 0.0)] };
        assert!(found.iter().any(|q| q.0 == Question::CountIs(no.clone(), 2)));
        assert!(Question::CountAtLeast(no, 3).ask(&frame.rows[2]));
    }

    /// Only a row with the same number in both tells "at least" from "more than".
    #[test]
    fn columns_are_compared_in_both_orders_if_a_row_has_both_the_same() {
        let orders = |last: f64| {
            let rows: [&[f64]; 4] = [&[1., 2.], &[3., 2.], &[5., 4.], &[7., last]];
            let found = questions(&frame(vec![Kind::Numbers; 2], &rows), 12);
            assert!((found.iter().map(|q| q.1).sum::<f64>() - 1.0).abs() < 1e-12);
            found.into_iter().filter(|q| matches!(q.0, Question::Greater(..))).count()
        };
        assert_eq!((orders(8.0), orders(7.0)), (1, 2));
    }

    #[test]
    fn a_cell_without_a_value_is_no() {
        let row = [f64::NAN, 1.0];
        for question in
            [Question::Is(0, 0.0), Question::AtLeast(0, -9.0), Question::Greater(0, 1), Question::Greater(1, 0)]
        {
            assert!(!question.ask(&row), "{question:?}");
        }
        assert!(Question::Missing(0).ask(&row));
    }
}
