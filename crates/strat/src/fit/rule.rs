//! The rule that is told, or why none is: it must be the most probable one by far, be how the mixture answers, and rows left
//! out must not speak against it.
//!
//! Its limits were chosen on draws 5 to 9 of the tables that `benchsuite/tables/made.py` makes; `rules.py` counts there how
//! many rules are told and how many are true.

mod words;

use super::held_out::Tested;
use super::learned::all_inputs;
use crate::rng::{RandomStream, Stream};
use crate::task::table::{Schema, TableRow, TableTask};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use strat_tables::{Believed, Frame, Question, Rule, Shared, believed};

/// The least share of the posterior over small trees that has to agree with a rule.
const SUPPORT: f64 = 0.75;
/// With fewer rows than these it is not enough.
const FEW_ROWS: usize = 20;
/// The least share if a population of STRAT, which knows nothing of trees, answers all inputs by the same rule.
const SUPPORT_OF_BOTH: f64 = 0.5;
/// So many times as likely as by chance the rows must be if STRAT does not speak for the rule: of random labels one table in
/// as many is, at the most.
const EVIDENCE: f64 = 20.0;
/// The least number of rows for each answer of a rule.
const FEWEST: usize = 2;
/// The least share of inputs that the mixture answers by the rule.
const AGREEMENT: f64 = 0.95;
/// Rows that are asked about where there are too many inputs, or numbers.
const DRAWN: usize = 1024;

/// What a rule asks. Numbers of rows between the two of `open` are not decided by the rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
#[expect(
    missing_docs,
    reason = "each says what it is in JSON: a column and its value, columns and what is counted in them"
)]
pub enum Ask {
    /// Has a column no value?
    Missing { missing: String },
    /// Has a column this value?
    Is { column: String, is: Value },
    /// Is a column's number at least this large? The rows allow thresholds above the first and up to the second of `open`.
    AtLeast { column: String, at_least: f64, open: [f64; 2] },
    /// Have two columns the same value?
    Same { same: [String; 2] },
    /// Is the first column's number at least that of the second? If `open`, no row tells what follows if they are the same.
    Greater { greater: [String; 2], open: bool },
    /// Have at least so many columns this value?
    CountAtLeast { count: Value, of: Vec<String>, at_least: i64 },
    /// Have exactly so many columns this value?
    CountIs { count: Value, of: Vec<String>, is: i64 },
    /// Have at least so many columns more the first value than the second?
    More { count: Value, of: Vec<String>, minus: Value, minus_of: Vec<String>, at_least: i64 },
}

/// A rule by names of columns, values and classes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum RuleTree {
    /// Always this class.
    Answer {
        /// The class.
        answer: String,
    },
    /// It depends.
    Ask {
        /// What is asked.
        ask: Ask,
        /// What follows from yes.
        yes: Box<RuleTree>,
        /// What follows from no.
        no: Box<RuleTree>,
    },
}

/// A rule that is told.
#[derive(Clone, Debug, PartialEq)]
pub struct ToldRule {
    /// In words, a line or several.
    pub lines: Vec<String>,
    /// The same for a program.
    pub tree: RuleTree,
    /// The share of the posterior over small trees that agrees with it.
    pub support: f64,
    /// The share of rows left out for which the most probable rule of the other rows is right; 0 if these have none.
    pub accuracy: f64,
}

/// What the mixture and a population of STRAT answer to rows; the population's is none if it has no say.
pub(super) struct Answers {
    pub mixture: Vec<u8>,
    pub strat: Option<Vec<u8>>,
}

/// The rule of a table, or in words why none is told. `ask` answers rows.
pub(super) fn told<E>(
    own: &TableTask,
    (frame, origins): (&Frame, &[usize]),
    tested: Option<&Tested>,
    ask: &mut dyn FnMut(&[TableRow]) -> Result<Answers, E>,
) -> Result<Result<ToldRule, String>, E> {
    let Some(tested) = tested else { return Ok(Err("no rows were left out to test it".into())) };
    if !tested.is_better() {
        return Ok(Err("on rows left out the mixture is not clearly better than the most frequent class".into()));
    }
    let (rows, all) = asked(own);
    let cells: Vec<Vec<f64>> = rows.iter().map(|row| own.asked(row)).collect();
    let mut draws = RandomStream::new(0, Stream::Pick, 1);
    let found = believed(frame, &cells, &mut || draws.word());
    let Some(Believed { rule, support, fewest, .. }) = found.filter(|f| f.support >= SUPPORT_OF_BOTH) else {
        return Ok(Err("the rows allow many, and none is much more probable than the others".into()));
    };
    let mut classes = vec![];
    rule.classes(&mut classes);
    if let Some(never) = (0..own.schema.classes.len()).find(|class| !classes.contains(class)) {
        let never = &own.schema.classes[never];
        return Ok(Err(format!("the most probable one never answers {never}")));
    }
    if fewest < FEWEST {
        return Ok(Err(format!("of the most probable one, an answer is that of {fewest} row alone")));
    }
    let said = ask(&rows)?;
    let shut: Vec<usize> = (0..rows.len()).filter(|&i| !rule.is_open(&cells[i])).collect();
    let agree = |said: &[u8]| {
        let same = shut.iter().filter(|&&i| usize::from(said[i]) == rule.class(&cells[i])).count();
        same as f64 / shut.len().max(1) as f64
    };
    let agreement = agree(&said.mixture);
    if agreement < AGREEMENT {
        let otherwise = 100.0 * (1.0 - agreement);
        return Ok(Err(format!(
            "the mixture answers {otherwise:.0} % of inputs otherwise than the most probable one"
        )));
    }
    let both = all && said.strat.is_some_and(|said| agree(&said) == 1.0);
    if !both && (support < SUPPORT || own.rows.len() < FEW_ROWS) {
        let probable = 100.0 * support;
        return Ok(Err(format!(
            "the most probable one has {probable:.0} %, and {} rows allow others",
            own.rows.len()
        )));
    }
    if let Some(evidence) = tested.evidence.filter(|evidence| !both && *evidence < EVIDENCE.ln()) {
        let times = evidence.exp();
        return Ok(Err(format!(
            "by the small trees and all others, the rows' answers are {times:.0} times as likely as by chance, which may be luck"
        )));
    }
    let tree = RuleTree::of(&own.schema, &rule);
    let accuracy = accuracy(own, (frame, origins), tested, &cells);
    Ok(Ok(ToldRule { lines: tree.lines(&own.schema), tree, support, accuracy }))
}

/// How often the most probable rule of the other rows is right on rows left out.
fn accuracy(own: &TableTask, (frame, origins): (&Frame, &[usize]), tested: &Tested, cells: &[Vec<f64>]) -> f64 {
    let fold: HashMap<usize, usize> = tested.rows.iter().copied().zip(tested.folds.iter().copied()).collect();
    // A row that counts for several is evidence once.
    let mut once = tested.rows.clone();
    once.dedup_by_key(|i| own.rows[*i].row);
    let of_fold = |left_out: usize| {
        let shown: Vec<usize> = (0..origins.len()).filter(|&i| fold.get(&origins[i]) != Some(&left_out)).collect();
        let mut draws = RandomStream::new(0, Stream::Pick, 1);
        let Some(found) = believed(&frame.select(&shown), cells, &mut || draws.word()) else { return 0 };
        let asked = once.iter().filter(|i| fold.get(i) == Some(&left_out));
        asked.filter(|&&i| found.rule.class(&frame.rows[i]) == frame.labels[i]).count()
    };
    let folds = tested.folds.iter().max().map_or(0, |most| most + 1);
    let right: usize = (0..folds).into_par_iter().map(of_fold).sum();
    right as f64 / once.len().max(1) as f64
}

/// Rows to ask about, and whether these are all inputs: numbers are drawn between the least and the greatest of the table.
pub(super) fn asked(own: &TableTask) -> (Vec<TableRow>, bool) {
    let fields = &own.schema.fields;
    if fields.iter().all(|f| f.scale.is_none())
        && let Some(inputs) = all_inputs(&own.schema)
    {
        return (inputs.into_iter().map(|input| TableRow { input, numbers: vec![] }).collect(), true);
    }
    let numbers = fields.iter().filter(|f| f.has_numbers()).count();
    let ends: Vec<(f64, f64, bool)> = (0..numbers)
        .map(|i| {
            let own = || own.rows.iter().filter_map(move |row| *row.numbers.get(i)?);
            let least = own().fold(f64::INFINITY, f64::min);
            (least, own().fold(least, f64::max), own().all(|x| x.fract() == 0.0))
        })
        .collect();
    let mut draws = RandomStream::new(0, Stream::Pick, 3);
    let mut row = |_| {
        let mut row = TableRow::default();
        let mut ends = ends.iter();
        for field in fields {
            let value = draws.below(field.values.len() as u32) as u8;
            let Some(scale) = &field.scale else {
                row.input.push(value);
                continue;
            };
            let Some((least, most, whole)) = ends.next() else { continue };
            // A value behind those of the scale is that of a cell without a number.
            if usize::from(value) >= scale.typical.len() || !least.is_finite() {
                row.input.push(value);
                row.numbers.push(None);
                continue;
            }
            let x = least + draws.uniform() * (most - least);
            let x = if *whole { x.round() } else { x };
            row.input.push(scale.value(x));
            row.numbers.push(Some(x));
        }
        row
    };
    ((0..DRAWN).map(&mut row).collect(), false)
}

impl RuleTree {
    fn of(schema: &Schema, rule: &Rule) -> RuleTree {
        let asked = match rule {
            Rule::Answer(class) => return RuleTree::Answer { answer: schema.classes[*class].clone() },
            Rule::Ask(asked) => asked,
        };
        let name = |column: &usize| schema.fields[*column].name.clone();
        let value = |column: usize, value: f64| {
            let field = &schema.fields[column];
            if field.has_numbers() { Value::from(value) } else { Value::from(&*field.values[value as usize]) }
        };
        let counted = |shared: &Shared| {
            let count = shared.places.first().map_or(Value::Null, |(column, v)| value(*column, *v));
            (count, shared.places.iter().map(|(column, _)| name(column)).collect::<Vec<String>>())
        };
        let ask = match &asked.question {
            Question::Missing(column) => Ask::Missing { missing: name(column) },
            Question::Is(column, v) => Ask::Is { column: name(column), is: value(*column, *v) },
            Question::AtLeast(column, cut) => {
                Ask::AtLeast { column: name(column), at_least: *cut, open: asked.open.unwrap_or([*cut; 2]) }
            }
            Question::Same(a, b, _) => Ask::Same { same: [name(a), name(b)] },
            Question::Greater(a, b) => Ask::Greater { greater: [name(a), name(b)], open: asked.open.is_some() },
            Question::CountAtLeast(shared, at_least) => {
                let (count, of) = counted(shared);
                Ask::CountAtLeast { count, of, at_least: *at_least }
            }
            Question::CountIs(shared, is) => {
                let (count, of) = counted(shared);
                Ask::CountIs { count, of, is: *is }
            }
            Question::More(first, second, at_least) => {
                let ((count, of), (minus, minus_of)) = (counted(first), counted(second));
                Ask::More { count, of, minus, minus_of, at_least: *at_least }
            }
        };
        let then = |rule: &Rule| Box::new(RuleTree::of(schema, rule));
        RuleTree::Ask { ask, yes: then(&asked.yes), no: then(&asked.no) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::table::{Header, LabelledTable, Sheet, Symmetries, Told};
    use std::path::Path;
    use strat_tables::Asked;

    fn own(text: &str) -> TableTask {
        let sheet = Sheet::parse(Path::new("t.csv"), text.as_bytes(), Header::Present).unwrap();
        let labelled = LabelledTable::of(&sheet, "y", &Told::default(), &Symmetries::default()).unwrap();
        TableTask::new(labelled, Symmetries::default())
    }

    fn ask(question: Question, open: Option<[f64; 2]>, yes: Rule, no: Rule) -> Rule {
        Rule::Ask(Box::new(Asked { question, open, yes, no }))
    }

    fn words(own: &TableTask, rule: &Rule) -> Vec<String> {
        RuleTree::of(&own.schema, rule).lines(&own.schema)
    }

    #[test]
    fn a_question_of_every_kind_has_words() {
        let mut text = String::from("a,b,c,age,pay,y\n");
        for i in 0..30 {
            let colour = |k: usize| ["red", "blue", "grey"][(i * k + i / 7) % 3];
            text += &format!(
                "{},{},{},{},{},{}\n",
                colour(1),
                colour(2),
                colour(5),
                20 + i * 7 % 30,
                60 - i * 11 % 30,
                ["no", "yes"][i % 2]
            );
        }
        let own = own(&text);
        let shared = |v: f64| Shared { places: (0..3).map(|c| (c, v)).collect() };
        let (no, yes) = (Rule::Answer(0), Rule::Answer(1));
        let line = |question: Question, open, swapped: bool| {
            let (a, b) = if swapped { (no.clone(), yes.clone()) } else { (yes.clone(), no.clone()) };
            words(&own, &ask(question, open, a, b)).join("\n")
        };
        let age = || Question::AtLeast(3, 39.5);
        assert_eq!(line(age(), Some([38., 41.]), false), "yes if age is at least 39.5 (the rows allow 38 to 41)");
        assert_eq!(line(age(), Some([38., 41.]), true), "yes if age is below 39.5 (the rows allow 38 to 41)");
        assert_eq!(line(Question::Is(0, 2.0), None, false), "yes if a is red");
        assert_eq!(line(Question::Is(0, 2.0), None, true), "yes if a is not red");
        assert_eq!(line(Question::Is(3, 20.0), None, false), "yes if age is 20");
        assert_eq!(line(Question::Same(0, 1, vec![]), None, false), "yes if a and b are the same");
        assert_eq!(line(Question::Greater(3, 4), None, true), "yes if age is less than pay");
        assert_eq!(
            line(Question::Greater(3, 4), Some([0., 0.]), false),
            "yes if age is greater than pay (no row tells what follows if they are the same)"
        );
        assert_eq!(
            line(Question::CountAtLeast(shared(2.), 2), None, false),
            "yes if at least 2 of a, b, c are red"
        );
        assert_eq!(line(Question::CountAtLeast(shared(2.), 2), None, true), "yes if at most 1 of a, b, c are red");
        assert_eq!(line(Question::CountIs(shared(2.), 2), None, false), "yes if exactly 2 of a, b, c are red");
        let more = |k| Question::More(shared(2.), shared(0.), k);
        assert_eq!(line(more(1), None, false), "yes if more of a, b, c are red than blue");
        assert_eq!(line(more(1), None, true), "yes if not more of a, b, c are red than blue");
        assert_eq!(line(more(2), None, false), "yes if at least 2 more of a, b, c are red than blue");
        let nested = ask(
            Question::Is(0, 2.0),
            None,
            ask(Question::Same(0, 1, vec![]), None, yes.clone(), no.clone()),
            ask(age(), Some([38., 41.]), ask(Question::Is(1, 0.0), None, yes.clone(), no.clone()), no.clone()),
        );
        assert_eq!(
            words(&own, &nested),
            [
                "a is red:",
                "  a and b are the same: yes",
                "  otherwise: no",
                "otherwise, age is below 39.5 (the rows allow 38 to 41): no",
                "otherwise, b is blue: yes",
                "otherwise: no"
            ]
        );
        let tree = serde_json::to_value(RuleTree::of(&own.schema, &nested)).unwrap();
        assert_eq!(tree["no"]["ask"]["open"], serde_json::json!([38.0, 41.0]));
        assert_eq!(tree["yes"]["yes"]["answer"], "yes");
    }

    /// Rows of six switches; who answers is the rule itself.
    fn told_of(class: impl Fn(usize, u32) -> bool, better: bool, evidence: f64) -> Result<ToldRule, String> {
        let mut text = String::from("s1,s2,s3,s4,s5,s6,y\n");
        let bits: Vec<u32> = (0..40).map(|i| (i * 37 + 11) % 64).collect();
        for (i, bits) in bits.iter().enumerate() {
            (0..6).for_each(|k| text += if bits >> k & 1 == 1 { "on," } else { "off," });
            text += if class(i, *bits) { "yes\n" } else { "no\n" };
        }
        let own = own(&text);
        let (frame, origins) = own.frame().unwrap();
        let tally = super::super::held_out::Tally { accuracy: 1.0, log_loss: 0.0 };
        let tested = Tested {
            weights: vec![],
            calibration: strat_tables::Calibration { temperature: 1.0, chance: 0.0 },
            evidence: Some(evidence),
            rows: (0..own.rows.len()).collect(),
            folds: (0..own.rows.len()).map(|i| i % 5).collect(),
            by_part: vec![],
            said: vec![],
            parts: vec![],
            mixture: tally,
            shares: tally,
            differ: if better { [20, 0] } else { [0, 0] },
        };
        let mut by_rule = |rows: &[TableRow]| {
            let bits = |row: &TableRow| row.input.iter().enumerate().map(|(k, v)| u32::from(*v) << k).sum();
            let mixture = rows.iter().map(|row| u8::from(class(0, bits(row)))).collect();
            Ok::<_, ()>(Answers { mixture, strat: None })
        };
        told(&own, (&frame, &origins), Some(&tested), &mut by_rule).unwrap()
    }

    #[test]
    fn a_rule_is_told_if_rows_left_out_speak_for_it() {
        let rule = |_: usize, bits: u32| bits.count_ones() >= 4;
        let told = told_of(rule, true, 9.0).unwrap();
        assert_eq!(told.lines, ["yes if at least 4 of s1, s2, s3, s4, s5, s6 are on"]);
        assert!(told.support > 0.75);
        assert!((0.9..=1.0).contains(&told.accuracy), "{}", told.accuracy);
        assert!(told_of(rule, false, 9.0).unwrap_err().contains("not clearly better"));
        assert!(told_of(rule, true, 2.0).unwrap_err().contains("7 times as likely as by chance"));
    }

    /// The control: random labels have no rule, even if rows left out happened to be right.
    #[test]
    fn random_labels_have_no_rule() {
        let mut draws = RandomStream::new(9, Stream::Pick, 0);
        let labels: Vec<bool> = (0..40).map(|_| draws.below(2) == 1).collect();
        let why = told_of(|i, _| labels[i], true, 9.0).unwrap_err();
        assert!(why.contains("the rows allow many"), "{why}");
    }
}
