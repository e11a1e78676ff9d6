//! Tables of categories: a classification token and one token for every column.
//!
//! | channels | Type | Data |
//! |---|---|---|
//! | 1 | is the classification token | |
//! | one a group, if there are several | the column's group | |
//! | one a column, unless columns are alike | the column | |
//! | one a value | the value | |
//! | one a value | | the value |
//!
//! Channels stand in this order; all others are zero. Data starts with the value. The
//! classification token has its own channel only, and no Data. Values are numbered by column; where they have words
//! ([`Tabular::in_words`]), those with the same word are the same value, and no others.

mod text;

use super::dataset::{Deciding, Domain};
use super::example::{Encoded, Example, Target};
use crate::model::{Kinds, Readout, Shape};
use crate::rng::RandomStream;
use std::collections::HashMap;
use std::sync::Arc;

pub(super) use text::{Columns, Written, symbols};

/// Width of Type and of Data in the paper; wider tables take multiples of it.
const WIDTH: usize = 32;
/// The most inputs that a table can be asked for one by one.
const FEW: usize = 1 << 16;
/// With more different words than these, values are told apart by their numbers and columns alone.
const MOST_WORDS: usize = 256;

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// What it is called.
    pub name: String,
    /// Which group of columns it belongs to, from 0 on.
    pub group: usize,
    /// How many values it can have; they are numbered from 0 on.
    pub values: usize,
}

/// What a rule counts in a row.
type Count = fn(&[u8]) -> usize;

/// How a table's rows become tokens. A row's symbols are its columns' values.
#[derive(Clone, Debug)]
pub struct Tabular {
    columns: Vec<Column>,
    groups: usize,
    classes: usize,
    /// Channels of values.
    values: usize,
    /// The most examples of an epoch; all, if none is said.
    drawn: Option<usize>,
    /// Whether each column has a channel that names it.
    named: bool,
    /// Group that the classification token is a member of.
    class_group: Option<usize>,
    rule: Option<fn(&[u8]) -> bool>,
    /// What the rule counts, and whether the answer is yes from some count on.
    counted: Option<(Count, bool)>,
    written: Written,
    /// Its own words, if it has some.
    words: Option<Arc<Words>>,
}

/// What a table's values and classes are called.
#[derive(Debug)]
struct Words {
    /// By column.
    values: Vec<Vec<String>>,
    classes: Vec<String>,
    /// The channel of each value, by column.
    channels: Vec<Vec<usize>>,
}

/// A number for each word, the same for the same word; or for each word of a column, if there are too many.
fn numbered(values: &[Vec<String>]) -> Vec<Vec<usize>> {
    let mut numbers = HashMap::<&str, usize>::new();
    for word in values.iter().flatten() {
        let next = numbers.len();
        numbers.entry(word).or_insert(next);
    }
    let many = numbers.len() > MOST_WORDS;
    let number = |(i, word): (usize, &String)| if many { i } else { numbers[word.as_str()] };
    values.iter().map(|words| words.iter().enumerate().map(number).collect()).collect()
}

/// Every row of columns with so many values, the last column fastest; none if there are more than `most`.
pub(crate) fn combinations(values: impl Iterator<Item = usize> + Clone, most: usize) -> Option<Vec<Vec<u8>>> {
    let count = values.clone().try_fold(1usize, usize::checked_mul)?;
    let longer = |rows: Vec<Vec<u8>>, values: usize| -> Vec<Vec<u8>> {
        rows.iter().flat_map(|row| (0..values as u8).map(|v| [&row[..], &[v]].concat())).collect()
    };
    (count <= most).then(|| values.fold(vec![vec![]], longer))
}

impl Tabular {
    /// A table of these columns with answers `0..classes`.
    pub fn new(columns: Vec<Column>, classes: usize) -> Tabular {
        let groups = columns.iter().map(|c| c.group + 1).max().unwrap_or(0);
        let values = columns.iter().map(|c| c.values).max().unwrap_or(0);
        let (drawn, named, class_group, rule, written, words) = (None, true, None, None, Written::OWN, None);
        Tabular { columns, groups, classes, values, drawn, named, class_group, rule, counted: None, written, words }
    }

    /// Values, by column, and classes have names instead of numbers.
    ///
    /// # Panics
    /// If there are not as many names as values and classes.
    pub fn in_words(self, values: Vec<Vec<String>>, classes: Vec<String>) -> Tabular {
        let counts = |c: &Column| c.values;
        assert!(values.iter().map(Vec::len).eq(self.columns.iter().map(counts)) && classes.len() == self.classes);
        let channels = numbered(&values);
        let last = channels.iter().flatten().max();
        Tabular {
            values: last.map_or(0, |last| last + 1),
            words: Some(Arc::new(Words { values, classes, channels })),
            ..self
        }
    }

    /// If there are more examples to learn from, every epoch draws so many of them.
    pub fn drawing(self, most: usize) -> Tabular {
        Tabular { drawn: Some(most), ..self }
    }

    /// How many of `count` examples every epoch draws; none if it takes all.
    pub(super) fn draws(&self, count: usize) -> Option<usize> {
        self.drawn.filter(|&most| most < count)
    }

    /// A table with two classes, of which this rule gives the second.
    pub(super) fn with_rule(columns: Vec<Column>, rule: fn(&[u8]) -> bool, written: Written) -> Tabular {
        Tabular { rule: Some(rule), written, ..Tabular::new(columns, 2) }
    }

    /// The rule looks at this count alone: yes from some count on, or by what each count means.
    pub(super) fn counting(self, count: Count, is_threshold: bool) -> Tabular {
        Tabular { counted: Some((count, is_threshold)), ..self }
    }

    /// Columns of a group are alike: none has a channel of its own. The classification token
    /// belongs to `group` (Parity5).
    pub(super) fn without_names(self, group: usize) -> Tabular {
        Tabular { named: false, class_group: Some(group), ..self }
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Whether an example is a row of this table with a class of it.
    pub(super) fn has(&self, example: &Example) -> bool {
        let values = self.columns.iter().zip(&example.input);
        example.input.len() == self.columns.len()
            && values.into_iter().all(|(column, &value)| usize::from(value) < column.values)
            && matches!(example.target, Target::Class(class) if usize::from(class) < self.classes)
    }

    /// The channel of a value of column `i`.
    fn channel(&self, i: usize, value: u8) -> usize {
        let value = usize::from(value);
        self.words.as_ref().map_or(value, |words| words.channels[i][value])
    }

    /// First channels of Type for groups, columns and values, and the first that is unused.
    fn channels(&self) -> [usize; 4] {
        let groups = if self.groups > 1 { self.groups } else { 0 };
        let names = if self.named { self.columns.len() } else { 0 };
        [1, 1 + groups, 1 + groups + names, 1 + groups + names + self.values]
    }
}

impl Domain for Tabular {
    fn shape(&self) -> Shape {
        Shape {
            tokens: 1 + self.columns.len(),
            types: self.channels()[3].next_multiple_of(WIDTH),
            data: self.values.max(1).next_multiple_of(WIDTH),
        }
    }

    fn readout(&self) -> Readout {
        Readout::Class(self.classes)
    }

    fn encode(&self, input: &[u8], out: &mut Encoded) {
        let Shape { types, data, .. } = self.shape();
        let [group, name, value, _] = self.channels();
        out.types[0] = 1.0;
        if let Some(own) = self.class_group {
            out.types[group + own] = 1.0;
        }
        for (i, (column, &symbol)) in self.columns.iter().zip(input).enumerate() {
            let symbol = self.channel(i, symbol);
            let token = &mut out.types[(1 + i) * types..][..types];
            if name > group {
                token[group + column.group] = 1.0;
            }
            if self.named {
                token[name + i] = 1.0;
            }
            token[value + symbol] = 1.0;
            out.data[(1 + i) * data + symbol] = 1.0;
        }
    }

    fn inputs(&self) -> Option<Vec<Vec<u8>>> {
        self.rule?;
        let all = |columns: &[Column]| combinations(columns.iter().map(|c| c.values), FEW);
        match self.written.columns {
            // What a file leaves out is not free.
            Columns::Fewer { columns, rows } => {
                let some = all(&self.columns[..columns])?;
                let mut all: Vec<Vec<u8>> = some.iter().flat_map(|row| rows(row)).collect();
                all.sort();
                all.dedup();
                Some(all)
            }
            Columns::Same | Columns::More(_) => all(&self.columns),
        }
    }

    fn kinds(&self) -> Option<Kinds> {
        let shape = self.shape();
        let (mut of, mut types, mut data) = (vec![(0, 1)], vec![], vec![]);
        let mut one = Encoded::default();
        let mut encoded = |token: usize, input: &[u8]| {
            one.clear(shape);
            self.encode(input, &mut one);
            types.extend(one.types[token * shape.types..][..shape.types].iter().copied().map(f64::from));
            data.extend(one.data[token * shape.data..][..shape.data].iter().copied().map(f64::from));
        };
        let mut input = vec![0; self.columns.len()];
        encoded(0, &input);
        for (i, column) in self.columns.iter().enumerate() {
            let first = of[i].1;
            of.push((first, first + column.values));
            for value in 0..column.values {
                input[i] = value as u8;
                encoded(1 + i, &input);
            }
            input[i] = 0;
        }
        Some(Kinds { of, types, data })
    }

    fn epoch(&self, bases: &[Example], mut draws: RandomStream) -> Option<Vec<Example>> {
        let most = self.draws(bases.len())?;
        let mut order: Vec<usize> = (0..bases.len()).collect();
        draws.shuffle(&mut order);
        Some(order[..most].iter().map(|&i| bases[i].clone()).collect())
    }

    fn deciding(&self, input: &[u8], _place: usize) -> Option<Deciding> {
        self.counted.map(|(count, is_threshold)| Deciding { number: count(input), is_threshold })
    }

    fn label(&self, input: &[u8]) -> Option<Target> {
        self.rule.map(|rule| Target::Class(u8::from(rule(input))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions of the channels that are one; all others must be zero.
    fn ones(channels: &[f32], width: usize) -> Vec<Vec<usize>> {
        assert!(channels.iter().all(|c| *c == 0.0 || *c == 1.0));
        let token = |t: &[f32]| (0..width).filter(|&i| t[i] == 1.0).collect();
        channels.chunks_exact(width).map(token).collect()
    }

    fn encode(table: &Tabular, input: &[u8]) -> Encoded {
        let mut out = Encoded::default();
        out.clear(table.shape());
        table.encode(input, &mut out);
        out
    }

    fn columns(shape: &[(usize, usize)]) -> Vec<Column> {
        let column =
            |(i, &(group, values)): (usize, &(usize, usize))| Column { name: format!("c{i}"), group, values };
        shape.iter().enumerate().map(column).collect()
    }

    /// `blue` is not `large`, though each is the first of its column; `no` is `no` wherever it stands.
    #[test]
    fn the_same_word_is_the_same_value() {
        let column = |name: &str, group, values| Column { name: name.into(), group, values };
        let words = |words: &[&str]| words.iter().map(|w| w.to_string()).collect::<Vec<_>>();
        let (answer, maybe) = (words(&["no", "yes"]), words(&["maybe", "no", "yes"]));
        let values = vec![words(&["large", "small"]), answer, words(&["blue", "red"]), maybe];
        let columns = vec![column("size", 0, 2), column("old", 1, 2), column("colour", 2, 2), column("paid", 3, 3)];
        let table = Tabular::new(columns, 2).in_words(values, words(&["n", "y"]));
        let mut one = Encoded::default();
        one.clear(table.shape());
        table.encode(&[0, 0, 0, 1], &mut one);
        assert_eq!(ones(&one.data, 32), [vec![], vec![0], vec![2], vec![4], vec![2]]);
        // One for the classification token, four groups, four columns, then the value.
        assert_eq!(ones(&one.types, 32)[1..], [vec![1, 5, 9], vec![2, 6, 11], vec![3, 7, 13], vec![4, 8, 11]]);
    }

    #[test]
    fn every_token_has_its_channels_and_no_others() {
        let table = Tabular::new(columns(&[(0, 2), (1, 3), (0, 2)]), 2);
        let out = encode(&table, &[1, 2, 0]);
        // 1 class token, 2 groups, 3 columns, 3 values.
        assert_eq!(ones(&out.types, 32), [vec![0], vec![1, 3, 7], vec![2, 4, 8], vec![1, 5, 6]]);
        assert_eq!(ones(&out.data, 32), [vec![], vec![1], vec![2], vec![0]]);
        assert_eq!(out.real, 4);
    }

    #[test]
    fn a_single_group_and_columns_alike_have_no_channels() {
        let single = encode(&Tabular::new(columns(&[(0, 2), (0, 2)]), 2), &[1, 0]);
        assert_eq!(ones(&single.types, 32), [vec![0], vec![1, 4], vec![2, 3]]);
        let alike = encode(&Tabular::new(columns(&[(0, 2), (1, 2)]), 2).without_names(0), &[1, 0]);
        assert_eq!(ones(&alike.types, 32), [vec![0, 1], vec![1, 4], vec![2, 3]]);
    }

    #[test]
    fn only_rows_of_the_table_belong_to_it() {
        let table = Tabular::new(columns(&[(0, 2), (0, 3)]), 2);
        let has = |input: &[u8], class| table.has(&Example::new(input.to_vec(), Target::Class(class)));
        assert!(has(&[1, 2], 1));
        assert!(!has(&[2, 2], 1) && !has(&[1, 2], 2) && !has(&[1], 1) && !has(&[1, 2, 0], 1));
    }

    #[test]
    fn wide_tables_take_more_channels() {
        let shape = Tabular::new(columns(&[(0, 40); 30]), 3).shape();
        assert_eq!(shape, Shape { tokens: 31, types: 96, data: 64 });
    }
}
