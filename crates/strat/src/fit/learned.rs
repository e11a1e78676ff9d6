//! What a population has learned: the columns that matter, the rule if counting explains it, what would change an answer,
//! and what to ask about next.

use super::{Vote, answers, vote};
use crate::certify::rule::{CountRule, Table};
use crate::engine::Isa;
use crate::engine::reference::Arrays;
use crate::model::Blocks;
use crate::rng::{Draws, Stream};
use crate::table::{OwnTable, Schema, Taught};
use crate::task::{Example, Target, Task};
use std::collections::HashMap;

/// Tables with no more inputs than these are asked for all of them.
pub const MOST_INPUTS: usize = 4096;
/// Of larger ones so many are drawn, and as many rows are taken; all that differ from one of them in one column are
/// asked for too.
const DRAWN: usize = 256;
/// The most inputs that are asked for then; fewer are drawn if need be.
const MOST_ASKED: usize = 1 << 16;
/// Questions that are asked.
const QUESTIONS: usize = 5;

/// An input, by number of values, and what the population says.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// A value for every field.
    pub input: Vec<u8>,
    /// The population's answer.
    pub vote: Vote,
}

/// A change of a row that changes the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The row's number in the file.
    pub row: usize,
    /// The nearest input with another answer.
    pub to: Asked,
    /// Columns in which they differ.
    pub columns: Vec<usize>,
}

/// What a population has learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// Whether every input was asked for.
    pub exact: bool,
    /// Inputs that were asked for.
    pub inputs: usize,
    /// Of each column: how often a change of it alone changes the answer, if the new value is drawn at random.
    pub matters: Vec<f64>,
    /// The rule by which the population answers every input, in words.
    pub rule: Option<String>,
    /// Rows that are answered otherwise than the table says, by number, with that answer.
    pub wrong: Vec<(usize, Vote)>,
    /// The nearest change of each row that changes its answer. If not every input was asked for, those of one column
    /// of the rows that were.
    pub changes: Vec<Change>,
    /// Inputs that are not in the table and on which the learners disagree most.
    pub questions: Vec<Asked>,
}

/// Every input of a table; none if there are more than [`MOST_INPUTS`].
pub fn all_inputs(schema: &Schema) -> Option<Vec<Vec<u8>>> {
    let count = schema.fields.iter().try_fold(1usize, |n, f| n.checked_mul(f.values.len()))?;
    (count <= MOST_INPUTS).then(|| {
        schema.fields.iter().fold(vec![vec![]], |rows: Vec<Vec<u8>>, field| {
            let longer = |row: &Vec<u8>| {
                let row = row.clone();
                (0..field.values.len() as u8).map(move |v| [&row[..], &[v]].concat())
            };
            rows.iter().flat_map(longer).collect()
        })
    })
}

/// The inputs that differ from one in one column, with that column.
fn neighbours<'a>(schema: &'a Schema, input: &'a [u8]) -> impl Iterator<Item = (usize, Vec<u8>)> + 'a {
    schema.fields.iter().enumerate().flat_map(move |(column, field)| {
        let others = (0..field.values.len() as u8).filter(move |&v| v != input[column]);
        others.map(move |value| {
            let mut other = input.to_vec();
            other[column] = value;
            (column, other)
        })
    })
}

impl Learned {
    /// Asks a population.
    pub fn of(task: &Task, own: &OwnTable, model: Blocks, learners: &[Arrays], isa: Isa) -> Learned {
        let schema = &own.schema;
        let all = all_inputs(schema);
        let exact = all.is_some();
        let base = all.unwrap_or_else(|| {
            let mut draws = Draws::new(0, Stream::Pick, 0);
            let drawn = |_| schema.fields.iter().map(|f| draws.below(f.values.len() as u32) as u8).collect();
            let others: usize = schema.fields.iter().map(|f| f.values.len() - 1).sum();
            let some = (MOST_ASKED / 2 / others.max(1)).clamp(1, DRAWN);
            own.rows.iter().map(|r| r.input.clone()).take(some).chain((0..some).map(drawn)).collect()
        });
        let mut inputs = base.clone();
        if !exact {
            inputs.extend(base.iter().flat_map(|input| neighbours(schema, input).map(|n| n.1)));
            inputs.sort();
            inputs.dedup();
        }
        let classes = schema.classes.len();
        let examples: Vec<Example> = inputs.iter().map(|i| Example::new(i.clone(), Target::Class(0))).collect();
        let said = answers(task, model, learners, &examples, isa);
        let votes: HashMap<&[u8], Vote> = inputs
            .iter()
            .enumerate()
            .map(|(i, input)| (&input[..], vote(said.iter().map(|l| l[i]), classes)))
            .collect();
        let rows: HashMap<&[u8], u8> = own.rows.iter().map(|r| (&r.input[..], r.class)).collect();
        let mut questions: Vec<Asked> = inputs
            .iter()
            .filter(|input| !rows.contains_key(&input[..]))
            .map(|input| Asked { input: input.clone(), vote: votes[&input[..]].clone() })
            .filter(|asked| asked.vote.agreement < 1.0)
            .collect();
        questions.sort_by(|a, b| a.vote.agreement.total_cmp(&b.vote.agreement).then_with(|| a.input.cmp(&b.input)));
        questions.truncate(QUESTIONS);
        Learned {
            exact,
            inputs: inputs.len(),
            matters: matters(schema, &base, &votes),
            rule: if exact { rule(schema, &votes) } else { None },
            wrong: own
                .rows
                .iter()
                .filter_map(|r| Some((r, votes.get(&r.input[..])?)))
                .filter(|(r, vote)| vote.class != r.class)
                .map(|(r, vote)| (r.row, vote.clone()))
                .collect(),
            changes: own.rows.iter().filter_map(|r| change(r, &inputs, &votes, exact)).collect(),
            questions,
        }
    }
}

fn matters(schema: &Schema, base: &[Vec<u8>], votes: &HashMap<&[u8], Vote>) -> Vec<f64> {
    let mut tally = vec![(0usize, 0usize); schema.fields.len()];
    for input in base {
        for (column, other) in neighbours(schema, input) {
            let changed = votes[&other[..]].class != votes[&input[..]].class;
            tally[column].0 += usize::from(changed);
            tally[column].1 += 1;
        }
    }
    tally.into_iter().map(|(changed, all)| changed as f64 / all.max(1) as f64).collect()
}

/// In words, if counting a value that the columns have in common explains every answer.
fn rule(schema: &Schema, votes: &HashMap<&[u8], Vote>) -> Option<String> {
    if schema.classes.len() != 2 {
        return None;
    }
    let table = Table::new(votes.iter().map(|(input, vote)| (*input, vote.class)));
    let rule = CountRule::of(&table, &table.relevant())?;
    let word = |&c: &usize| schema.fields[c].values.get(usize::from(rule.value)).map(String::as_str);
    let first = rule.columns.first().and_then(word).unwrap_or_default();
    let same = rule.columns.iter().all(|c| word(c) == Some(first));
    let names: Vec<String> = schema.fields.iter().map(|f| f.name.clone()).collect();
    same.then(|| rule.words(&names, first, &schema.classes[1]))
}

fn change(row: &Taught, inputs: &[Vec<u8>], votes: &HashMap<&[u8], Vote>, exact: bool) -> Option<Change> {
    let from = &row.input;
    // Of a row that is answered wrongly it would say nothing.
    votes.get(&from[..]).filter(|vote| vote.class == row.class)?;
    let columns = |to: &[u8]| (0..to.len()).filter(|&c| to[c] != from[c]).collect::<Vec<usize>>();
    let other = inputs.iter().filter(|to| votes[&to[..]].class != row.class);
    let to = other.min_by_key(|to| columns(to).len()).filter(|to| exact || columns(to).len() == 1)?;
    let vote = votes[&to[..]].clone();
    Some(Change { row: row.row, columns: columns(to), to: Asked { input: to.clone(), vote } })
}
