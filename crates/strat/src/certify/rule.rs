//! The smallest rule that gives a table of answers: how many of the columns that matter have a certain value.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// Answers to inputs of equal length, every input once.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    answers: HashMap<&'a [u8], u8>,
    columns: usize,
    /// The largest symbol.
    most: u8,
}

impl<'a> Table<'a> {
    /// From inputs and their answers.
    pub fn new(rows: impl IntoIterator<Item = (&'a [u8], u8)>) -> Table<'a> {
        let answers: HashMap<&[u8], u8> = rows.into_iter().collect();
        let columns = answers.keys().map(|input| input.len()).max().unwrap_or(0);
        let most = answers.keys().flat_map(|input| input.iter().copied()).max().unwrap_or(0);
        Table { answers, columns, most }
    }

    /// Columns that decide the answer, none of which can be left out: where every combination of values is an input,
    /// those of which a change alone changes some answer.
    pub fn relevant(&self) -> Vec<usize> {
        let mut kept: Vec<usize> = (0..self.columns).collect();
        for column in (0..self.columns).rev() {
            let rest: Vec<usize> = kept.iter().copied().filter(|&c| c != column).collect();
            if self.is_decided_by(&rest) {
                kept = rest;
            }
        }
        kept
    }

    fn is_decided_by(&self, columns: &[usize]) -> bool {
        let mut seen: HashMap<Vec<u8>, u8> = HashMap::new();
        self.answers.iter().all(|(input, &answer)| {
            let part = columns.iter().map(|&c| input[c]).collect();
            *seen.entry(part).or_insert(answer) == answer
        })
    }
}

/// The answer is positive if this many of some columns have a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountRule {
    /// The columns that are counted.
    pub columns: Vec<usize>,
    /// The symbol that they are counted with.
    pub value: u8,
    /// The answer for each count that occurs.
    pub answers: BTreeMap<usize, u8>,
}

/// A count rule's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Always the same answer.
    Constant(u8),
    /// Positive from this count on.
    AtLeast(usize),
    /// Positive up to this count.
    AtMost(usize),
    /// Positive at this count alone.
    Exactly(usize),
    /// Positive for odd counts.
    Odd,
    /// Positive for even counts.
    Even,
    /// Positive for some counts.
    Some,
}

impl CountRule {
    /// The rule by which a table of two classes answers, counting the columns that matter; none if no count decides.
    pub(crate) fn of(table: &Table<'_>, relevant: &[usize]) -> Option<CountRule> {
        let of_value = |value: u8| {
            let mut answers = BTreeMap::new();
            for (input, &answer) in &table.answers {
                let count = relevant.iter().filter(|&&c| input[c] == value).count();
                if answer > 1 || *answers.entry(count).or_insert(answer) != answer {
                    return None;
                }
            }
            Some(CountRule { columns: relevant.to_vec(), value, answers })
        };
        // For two values one counts what the other leaves; the larger reads better: "are 1".
        let found: Vec<CountRule> = (0..=table.most).rev().filter_map(of_value).collect();
        found.into_iter().min_by_key(|rule| matches!(rule.kind(), Kind::Some))
    }

    /// What kind of rule it is.
    fn kind(&self) -> Kind {
        let positive: Vec<usize> = self.answers.iter().filter(|a| *a.1 == 1).map(|a| *a.0).collect();
        let negative: Vec<usize> = self.answers.iter().filter(|a| *a.1 == 0).map(|a| *a.0).collect();
        match (positive.first(), negative.first()) {
            (None, _) => Kind::Constant(0),
            (_, None) => Kind::Constant(1),
            (Some(&p), Some(_)) if negative.iter().all(|&n| n < p) => Kind::AtLeast(p),
            (Some(_), Some(&n)) if positive.iter().all(|&p| p < n) => Kind::AtMost(n - 1),
            (Some(&p), Some(_)) if positive.len() == 1 => Kind::Exactly(p),
            _ if self.answers.iter().all(|(count, &a)| count % 2 == usize::from(a)) => Kind::Odd,
            _ if self.answers.iter().all(|(count, &a)| count % 2 != usize::from(a)) => Kind::Even,
            _ => Kind::Some,
        }
    }

    /// In words, given the columns' names and the words for the counted value and the positive class.
    pub fn words(&self, names: &[String], value: &str, positive: &str) -> String {
        let of = match &self.columns[..] {
            [] => String::new(),
            [one] => names[*one].clone(),
            columns => columns.iter().map(|&c| names[c].as_str()).collect::<Vec<_>>().join(", "),
        };
        let counts = || {
            let positive = self.answers.iter().filter(|a| *a.1 == 1).map(|a| a.0.to_string());
            positive.collect::<Vec<_>>().join(" or ")
        };
        // Of one column there is nothing to count.
        if let ([_], Kind::AtLeast(1) | Kind::Exactly(1) | Kind::Odd) = (&self.columns[..], self.kind()) {
            return format!("{positive} if {of} is {value}");
        }
        match self.kind() {
            Kind::Constant(1) => format!("always {positive}"),
            Kind::Constant(_) => format!("never {positive}"),
            Kind::AtLeast(n) => format!("{positive} if at least {n} of {of} are {value}"),
            Kind::AtMost(n) => format!("{positive} if at most {n} of {of} are {value}"),
            Kind::Exactly(n) => format!("{positive} if exactly {n} of {of} are {value}"),
            Kind::Odd => format!("{positive} if an odd number of {of} are {value}"),
            Kind::Even => format!("{positive} if an even number of {of} are {value}"),
            Kind::Some => format!("{positive} if {} of {of} are {value}", counts()),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Constant(answer) => write!(f, "always {answer}"),
            Kind::AtLeast(n) => write!(f, "at least {n}"),
            Kind::AtMost(n) => write!(f, "at most {n}"),
            Kind::Exactly(n) => write!(f, "exactly {n}"),
            Kind::Odd => f.write_str("odd"),
            Kind::Even => f.write_str("even"),
            Kind::Some => f.write_str("some counts"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(columns: usize, values: u8) -> Vec<Vec<u8>> {
        let total = usize::from(values).pow(columns as u32);
        let digit = |n: usize, c: usize| (n / usize::from(values).pow(c as u32) % usize::from(values)) as u8;
        (0..total).map(|n| (0..columns).map(|c| digit(n, c)).collect()).collect()
    }

    fn found(values: u8, rule: impl Fn(&[u8]) -> bool) -> (Vec<usize>, Option<CountRule>) {
        let inputs = inputs(5, values);
        let table = Table::new(inputs.iter().map(|i| (&i[..], u8::from(rule(i)))));
        let relevant = table.relevant();
        let rule = CountRule::of(&table, &relevant);
        (relevant, rule)
    }

    #[test]
    fn thresholds_parities_and_exact_counts_are_found_with_their_columns() {
        let count = |i: &[u8], columns: &[usize], value: u8| columns.iter().filter(|&&c| i[c] == value).count();
        let (relevant, rule) = found(2, |i| count(i, &[1, 2, 4], 1) >= 2);
        assert_eq!((relevant, rule.unwrap().kind()), (vec![1, 2, 4], Kind::AtLeast(2)));
        let (relevant, rule) = found(2, |i| count(i, &[0, 3], 1) % 2 == 1);
        let rule = rule.unwrap();
        // One of two is an odd number of them, and exactly one.
        assert_eq!((relevant, rule.kind(), rule.value), (vec![0, 3], Kind::Exactly(1), 1));
        let (_, rule) = found(2, |i| count(i, &[0, 1, 2, 3], 1) % 2 == 1);
        assert_eq!(rule.unwrap().kind(), Kind::Odd);
        let (relevant, rule) = found(3, |i| count(i, &[0, 1, 2, 3, 4], 0) == 2);
        let rule = rule.unwrap();
        assert_eq!((relevant.len(), rule.kind(), rule.value), (5, Kind::Exactly(2), 0));
        let names: Vec<String> = (1..=5).map(|i| format!("a{i}")).collect();
        assert_eq!(rule.words(&names, "1", "positive"), "positive if exactly 2 of a1, a2, a3, a4, a5 are 1");
    }

    /// Five columns that are always equal are one; if it matters, one of them is kept.
    #[test]
    fn linked_columns_are_left_out_together() {
        let linked: Vec<Vec<u8>> =
            inputs(3, 2).into_iter().flat_map(|i| [0, 1].map(|n| [&i[..], &[n; 5]].concat())).collect();
        let relevant = |rule: &dyn Fn(&[u8]) -> bool| {
            Table::new(linked.iter().map(|i| (&i[..], u8::from(rule(i))))).relevant()
        };
        assert_eq!(relevant(&|i| i[0] != i[1]), [0, 1]);
        assert_eq!(relevant(&|i| i[0] != i[4]), [0, 3]);
    }

    #[test]
    fn what_no_count_decides_has_no_rule() {
        let (relevant, rule) = found(2, |i| i[0] == 1 && (i[1] == 1 || i[2] == 1));
        assert_eq!((relevant, rule), (vec![0, 1, 2], None));
        let (relevant, rule) = found(2, |_| true);
        assert_eq!((relevant, rule.unwrap().kind()), (vec![], Kind::Constant(1)));
    }
}
