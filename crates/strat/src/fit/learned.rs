//! What a population has learned: the columns that matter, the rule if there is one in words, what would change an answer,
//! and what to ask about next.

use super::Vote;
use super::next::{Next, cells};
use super::rule::ToldRule;
use super::tree::{MOST_ANSWERS, Tree};
use crate::certify::{CountRule, Table};
use crate::engine::Isa;
use crate::engine::reference::Arrays;
use crate::model::BlockModel;
use crate::rng::{RandomStream, Stream};
use crate::task::table::{LabelledRow, Schema, TableRow, TableTask};
use crate::task::{DataTask, combinations};
use std::collections::HashMap;

/// Tables with no more inputs than these are asked for all of them.
pub const MOST_INPUTS: usize = 4096;
/// Of larger ones so many are drawn, and as many rows are taken; all that differ from one of them in one column are
/// asked for too.
const DRAWN: usize = 256;
/// The most inputs that are asked for then, and the most pairs of tokens in them: attention looks at every pair. Fewer
/// inputs are drawn if need be.
const MOST_ASKED: usize = 1 << 13;
const MOST_PAIRS: usize = 1 << 25;
/// If the values of the columns that matter have no more combinations than these, each is asked for with some values of
/// the others, to find a rule.
const MOST_COMBINED: usize = 1024;
/// How many values of the others these are.
const OTHERS: usize = 4;
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
    /// The rule by which the population answers every input that was asked for, in words: a line, or one for each case
    /// of a tree of questions. Empty if none was found.
    pub rule: Vec<String>,
    /// Of a mixture: the rule that is told to be the table's, or why none is.
    pub told: Option<Result<ToldRule, String>>,
    /// Rows that are answered otherwise than the table says, by number, with that answer.
    pub wrong: Vec<(usize, Vote)>,
    /// The nearest change of each row that changes its answer. If not every input was asked for, those of one column
    /// of the rows that were.
    pub changes: Vec<Change>,
    /// Rows that are not in the table and whose answers would tell most; of learners alone, those on which they disagree
    /// most.
    pub questions: Vec<Next>,
}

/// Every input of a table; none if there are more than [`MOST_INPUTS`].
pub fn all_inputs(schema: &Schema) -> Option<Vec<Vec<u8>>> {
    combinations(schema.fields.iter().map(|f| f.values.len()), MOST_INPUTS)
}

/// Inputs that differ from one in one column.
fn others(schema: &Schema) -> usize {
    schema.fields.iter().map(|f| f.values.len() - 1).sum()
}

/// How many rows are taken, and as many inputs drawn, of a table with more than [`MOST_INPUTS`].
fn drawn_of(schema: &Schema) -> usize {
    let asked = MOST_ASKED.min(MOST_PAIRS / (schema.fields.len() + 1).pow(2));
    (asked / 2 / others(schema).max(1)).clamp(1, DRAWN)
}

/// About how many inputs [`Learned::by`] asks for.
pub(super) fn inputs_asked(schema: &Schema) -> usize {
    all_inputs(schema).map_or_else(|| 2 * drawn_of(schema) * (1 + others(schema)), |all| all.len())
}

/// All values of the columns that matter with their answers, the other columns zero; none if these are too many, or if
/// the others matter after all.
fn combined(
    schema: &Schema,
    matters: &[f64],
    base: &[Vec<u8>],
    ask: &dyn Fn(&[Vec<u8>]) -> Vec<Vote>,
) -> Option<Vec<(Vec<u8>, u8)>> {
    let columns = || (0..matters.len()).filter(|&c| matters[c] > 0.0);
    let all = combinations(columns().map(|c| schema.fields[c].values.len()), MOST_COMBINED)?;
    let put = |others: &[u8], values: &[u8]| {
        let mut input = others.to_vec();
        columns().zip(values).for_each(|(c, v)| input[c] = *v);
        input
    };
    // The first inputs are rows of the table, the last ones were drawn.
    let others: Vec<&Vec<u8>> = base.iter().step_by((base.len() / OTHERS).max(1)).take(OTHERS).collect();
    let inputs: Vec<Vec<u8>> = all.iter().flat_map(|v| others.iter().map(|o| put(o, v))).collect();
    let votes = ask(&inputs);
    let same = |votes: &[Vote]| votes.iter().all(|v| v.class == votes[0].class).then_some(votes[0].class);
    let zero = vec![0; matters.len()];
    all.iter().zip(votes.chunks(others.len())).map(|(v, votes)| Some((put(&zero, v), same(votes)?))).collect()
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
    /// The most answers of a tree of questions that a person would read.
    pub const MOST_ANSWERS: usize = MOST_ANSWERS;

    /// Asks a population.
    pub fn of(task: &DataTask, own: &TableTask, model: BlockModel, learners: &[Arrays], isa: Isa) -> Learned {
        Learned::by(own, &|inputs| super::votes(task, model, learners, inputs, isa))
    }

    /// Asks whoever answers.
    pub fn by(own: &TableTask, ask: &dyn Fn(&[Vec<u8>]) -> Vec<Vote>) -> Learned {
        let schema = &own.schema;
        let all = all_inputs(schema);
        let exact = all.is_some();
        let base = all.unwrap_or_else(|| {
            let mut draws = RandomStream::new(0, Stream::Pick, 0);
            let drawn = |_| schema.fields.iter().map(|f| draws.below(f.values.len() as u32) as u8).collect();
            let some = drawn_of(schema);
            own.rows.iter().map(|r| r.input.clone()).take(some).chain((0..some).map(drawn)).collect()
        });
        let mut inputs = base.clone();
        if !exact {
            inputs.extend(base.iter().flat_map(|input| neighbours(schema, input).map(|n| n.1)));
            inputs.sort();
            inputs.dedup();
        }
        let votes: HashMap<&[u8], Vote> = inputs.iter().map(|input| &input[..]).zip(ask(&inputs)).collect();
        let matters = matters(schema, &base, &votes);
        let rule = if exact {
            rule(schema, &inputs.iter().map(|i| (&i[..], votes[&i[..]].class)).collect::<Vec<_>>())
        } else {
            let combined = combined(schema, &matters, &base, ask).unwrap_or_default();
            rule(schema, &combined.iter().map(|(i, class)| (&i[..], *class)).collect::<Vec<_>>())
        };
        let rows: HashMap<&[u8], u8> = own.rows.iter().map(|r| (&r.input[..], r.class)).collect();
        let mut questions: Vec<Asked> = inputs
            .iter()
            .filter(|input| !rows.contains_key(&input[..]))
            .map(|input| Asked { input: input.clone(), vote: votes[&input[..]].clone() })
            .filter(|asked| asked.vote.agreement < 1.0)
            .collect();
        questions.sort_by(|a, b| a.vote.agreement.total_cmp(&b.vote.agreement).then_with(|| a.input.cmp(&b.input)));
        questions.truncate(QUESTIONS);
        let next = |asked: Asked| Next {
            cells: cells(schema, &TableRow { input: asked.input, numbers: vec![] }),
            vote: asked.vote,
            tells: None,
        };
        let questions = questions.into_iter().map(next).collect();
        // A row that counts for several is told once.
        let mut once: Vec<&LabelledRow> = own.rows.iter().collect();
        once.dedup_by_key(|row| row.row);
        Learned {
            exact,
            inputs: inputs.len(),
            matters,
            rule,
            told: None,
            wrong: once
                .iter()
                .filter_map(|r| Some((r, votes.get(&r.input[..])?)))
                .filter(|(r, vote)| vote.class != r.class)
                .map(|(r, vote)| (r.row, vote.clone()))
                .collect(),
            changes: once.iter().filter_map(|r| change(r, &inputs, &votes, exact)).collect(),
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

/// In words, if something short explains every answer.
pub(super) fn rule(schema: &Schema, rows: &[(&[u8], u8)]) -> Vec<String> {
    match count(schema, rows) {
        Some(line) => vec![line],
        None => Tree::of(rows).map(|tree| tree.lines(schema)).unwrap_or_default(),
    }
}

/// In words, if counting a value that the columns have in common explains every answer.
fn count(schema: &Schema, rows: &[(&[u8], u8)]) -> Option<String> {
    if schema.classes.len() != 2 || rows.is_empty() {
        return None;
    }
    let table = Table::new(rows.iter().copied());
    let rule = CountRule::of(&table, &table.relevant())?;
    let word = |&c: &usize| schema.fields[c].values.get(usize::from(rule.value)).map(String::as_str);
    let first = rule.columns.first().and_then(word).unwrap_or_default();
    let same = rule.columns.iter().all(|c| word(c) == Some(first));
    let names: Vec<String> = schema.fields.iter().map(|f| f.name.clone()).collect();
    same.then(|| rule.words(&names, first, &schema.classes[1]))
}

fn change(row: &LabelledRow, inputs: &[Vec<u8>], votes: &HashMap<&[u8], Vote>, exact: bool) -> Option<Change> {
    let from = &row.input;
    // Of a row that is answered wrongly it would say nothing.
    votes.get(&from[..]).filter(|vote| vote.class == row.class)?;
    let columns = |to: &[u8]| (0..to.len()).filter(|&c| to[c] != from[c]).collect::<Vec<usize>>();
    let other = inputs.iter().filter(|to| votes[&to[..]].class != row.class);
    let to = other.min_by_key(|to| columns(to).len()).filter(|to| exact || columns(to).len() == 1)?;
    let vote = votes[&to[..]].clone();
    Some(Change { row: row.row, columns: columns(to), to: Asked { input: to.clone(), vote } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::table::Field;

    /// Of 13 columns two decide; all 8,192 inputs are more than are asked for.
    #[test]
    fn a_rule_is_found_among_the_columns_that_matter() {
        let field = |i| Field::of_words(format!("c{i}"), vec!["off".into(), "on".into()]);
        let fields = (0..13).map(field).collect();
        let schema = Schema { fields, target: "y".into(), classes: vec!["no".into(), "yes".into()] };
        assert_eq!(all_inputs(&schema), None);
        let matters: Vec<f64> = (0..13).map(|i| if [2, 5].contains(&i) { 0.5 } else { 0.0 }).collect();
        let base: Vec<Vec<u8>> = (0..9u8).map(|n| (0..13).map(|i| (n >> (i % 4)) & 1).collect()).collect();
        let found = |answer: &dyn Fn(&[u8]) -> u8| {
            let ask =
                |inputs: &[Vec<u8>]| inputs.iter().map(|i| Vote { class: answer(i), agreement: 1.0 }).collect();
            let rows = combined(&schema, &matters, &base, &ask)?;
            Some(rule(&schema, &rows.iter().map(|(i, class)| (&i[..], *class)).collect::<Vec<_>>()))
        };
        assert_eq!(found(&|i| i[2] & i[5]).unwrap(), ["yes if at least 2 of c2, c5 are on"]);
        assert_eq!(found(&|i| i[2]).unwrap(), ["yes if c2 is on"]);
        assert_eq!(found(&|i| i[2] & i[1]), None, "another column matters after all");
    }
}
