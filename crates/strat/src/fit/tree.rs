//! Questions about one column after the other: a rule in words where counting explains nothing.

use crate::task::table::Schema;
use std::collections::{BTreeMap, HashMap};

/// The most answers of a tree that a person would read.
pub(super) const MOST_ANSWERS: usize = 12;
/// The most that are grown; then cases with the same outcome become one.
const MOST_GROWN: usize = 256;
/// A case with more values than these is "anything else".
const MOST_NAMED: usize = 3;

/// What to ask, and what follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    /// The class.
    Answer(u8),
    /// What follows from the values of a column, each value in one case.
    Ask {
        /// The column.
        column: usize,
        /// Its values, and what follows from them.
        cases: Vec<(Vec<u8>, Tree)>,
    },
}

impl Tree {
    /// By which a table of all combinations of some columns' values answers; none if it is too large to be read.
    pub fn of(rows: &[(&[u8], u8)]) -> Option<Tree> {
        let mut left = MOST_GROWN;
        grow(rows, &mut left).filter(|tree| tree.answers() <= MOST_ANSWERS)
    }

    fn answers(&self) -> usize {
        match self {
            Tree::Answer(_) => 1,
            Tree::Ask { cases, .. } => cases.iter().map(|case| case.1.answers()).sum(),
        }
    }

    /// In words, a line for each case.
    pub fn lines(&self, schema: &Schema) -> Vec<String> {
        let class = |class: &u8| &schema.classes[usize::from(*class)];
        let (column, cases) = match self {
            Tree::Answer(answer) => return vec![format!("always {}", class(answer))],
            Tree::Ask { column, cases } => (&schema.fields[*column], cases),
        };
        let mut lines = vec![];
        for (i, (values, then)) in cases.iter().enumerate() {
            let values: Vec<&str> = values.iter().map(|v| &*column.values[usize::from(*v)]).collect();
            let rest = i + 1 == cases.len() && values.len() > MOST_NAMED;
            let case = if rest { "anything else".into() } else { values.join(" or ") };
            match then {
                Tree::Answer(answer) => lines.push(format!("{} is {case}: {}", column.name, class(answer))),
                Tree::Ask { .. } => {
                    lines.push(format!("{} is {case}:", column.name));
                    lines.extend(then.lines(schema).iter().map(|line| format!("  {line}")));
                }
            }
        }
        lines
    }
}

/// Asks for the column that leaves the least open; none if `left` answers are not enough.
fn grow(rows: &[(&[u8], u8)], left: &mut usize) -> Option<Tree> {
    let first = rows.first()?;
    if rows.iter().all(|row| row.1 == first.1) {
        *left = left.checked_sub(1)?;
        return Some(Tree::Answer(first.1));
    }
    let matter = (0..first.0.len()).filter(|&column| matters(rows, column));
    let column = matter.min_by(|&a, &b| open(rows, a).total_cmp(&open(rows, b)))?;
    let mut cases: Vec<(Vec<u8>, Tree)> = vec![];
    for (value, rows) in split(rows, column) {
        let then = grow(&rows, left)?;
        match cases.iter_mut().find(|case| case.1 == then) {
            Some(case) => case.0.push(value),
            None => cases.push((vec![value], then)),
        }
    }
    // What is answered at once comes first, and what has many values last.
    cases.sort_by_key(|(values, then)| (then.answers(), values.len()));
    Some(Tree::Ask { column, cases })
}

fn split<'a>(rows: &[(&'a [u8], u8)], column: usize) -> BTreeMap<u8, Vec<(&'a [u8], u8)>> {
    let mut parts = BTreeMap::<u8, Vec<_>>::new();
    for row in rows {
        parts.entry(row.0[column]).or_default().push(*row);
    }
    parts
}

/// Whether the answer depends on a column.
fn matters(rows: &[(&[u8], u8)], column: usize) -> bool {
    let mut seen = HashMap::<[&[u8]; 2], u8>::new();
    !rows.iter().all(|(input, class)| {
        let rest = [&input[..column], &input[column + 1..]];
        seen.entry(rest).or_insert(*class) == class
    })
}

/// How often a guess is wrong that is drawn like the answers of the same value.
fn open(rows: &[(&[u8], u8)], column: usize) -> f64 {
    let wrong = |rows: &Vec<(&[u8], u8)>| {
        let mut counts = BTreeMap::<u8, usize>::new();
        rows.iter().for_each(|row| *counts.entry(row.1).or_default() += 1);
        let squares: usize = counts.values().map(|n| n * n).sum();
        rows.len() as f64 - squares as f64 / rows.len() as f64
    };
    split(rows, column).values().map(wrong).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::learned::all_inputs;
    use crate::task::table::Field;

    fn schema(values: &[&[&str]]) -> Schema {
        let field = |(i, values): (usize, &&[&str])| {
            Field::of_words(format!("c{i}"), values.iter().map(|v| v.to_string()).collect())
        };
        let fields = values.iter().enumerate().map(field).collect();
        Schema { fields, target: "y".into(), classes: vec!["no".into(), "yes".into(), "maybe".into()] }
    }

    fn lines(schema: &Schema, rule: impl Fn(&[u8]) -> u8) -> Option<Vec<String>> {
        let inputs = all_inputs(schema).unwrap();
        let rows: Vec<(&[u8], u8)> = inputs.iter().map(|i| (&i[..], rule(i))).collect();
        Tree::of(&rows).map(|tree| tree.lines(schema))
    }

    #[test]
    fn questions_are_asked_in_an_order_that_answers_soon() {
        let schema = schema(&[&["big", "mid", "small"], &["off", "on"], &["a", "b"]]);
        let rule = |i: &[u8]| if i[2] == 1 { 2 } else { u8::from(i[1] == 1 || i[0] == 0) };
        assert_eq!(
            lines(&schema, rule).unwrap(),
            [
                "c2 is b: maybe",
                "c2 is a:",
                "  c1 is on: yes",
                "  c1 is off:",
                "    c0 is big: yes",
                "    c0 is mid or small: no"
            ]
        );
        assert_eq!(lines(&schema, |_| 1).unwrap(), ["always yes"]);
    }

    /// No column tells anything alone, and the one in between never does.
    #[test]
    fn two_columns_that_decide_only_together_are_found() {
        let schema = schema(&[&["0", "1"] as &[&str]; 3]);
        let found = lines(&schema, |i| i[0] ^ i[2]).unwrap();
        assert_eq!(
            found,
            ["c0 is 0:", "  c2 is 0: no", "  c2 is 1: yes", "c0 is 1:", "  c2 is 0: yes", "  c2 is 1: no"]
        );
    }

    #[test]
    fn what_a_person_would_not_read_is_no_rule() {
        let schema = schema(&[&["0", "1"] as &[&str]; 7]);
        assert_eq!(lines(&schema, |i| u8::from(i.iter().sum::<u8>() > 3)), None);
    }

    #[test]
    fn many_values_are_anything_else() {
        let schema = schema(&[&["a", "b", "c", "d", "e"]]);
        assert_eq!(lines(&schema, |i| u8::from(i[0] == 2)).unwrap(), ["c0 is c: yes", "c0 is anything else: no"]);
    }
}
