//! What learners of a table have learned, for a person and for a program.

use serde_json::{Map, Value, json};
use std::fmt::Write;
use strat::escape::{list, one_line};
use strat::fit::Vote;
use strat::fit::held_out::{self, HeldOut};
use strat::fit::learned::{Asked, Change, Learned};
use strat::fit::tree::MOST_ANSWERS;
use strat::task::table::Schema;

/// Columns, changes and questions that a person is shown.
const SHOWN: usize = 12;

/// What is known of how good a rule is on rows that learners were not shown.
pub enum Tested<'a> {
    /// On these rows, which were held out.
    On(&'a HeldOut),
    /// Nothing: there are too few rows to leave some out.
    TooFew,
    /// Nothing: nobody asked.
    Not,
}

impl Tested<'_> {
    /// To be said beside the rule.
    fn words(&self) -> String {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        match self {
            Tested::On(t) => {
                let (vote, majority) = (percent(t.vote), percent(t.majority));
                let verdict = if t.is_better() { "" } else { "; that may be luck, so do not rely on it" };
                format!("right on {vote} of rows left out, where the most frequent class is on {majority}{verdict}")
            }
            Tested::TooFew => format!(
                "how often it is right on other rows is not known: fewer than {} different rows, so none are left out",
                held_out::LEAST_ROWS
            ),
            Tested::Not => {
                "how often it is right on other rows is not said here: strat fit tests that on rows left out".into()
            }
        }
    }
}

fn named(schema: &Schema, input: &[u8], columns: &mut dyn Iterator<Item = usize>) -> Value {
    let cell = |c: usize| {
        let field = &schema.fields[c];
        (field.name.clone(), Value::from(&*field.values[usize::from(input[c])]))
    };
    Value::Object(columns.map(cell).collect())
}

/// The same as [`page`] and [`comparison`], whole.
pub fn json(schema: &Schema, learned: &Learned, tested: Option<&HeldOut>) -> Map<String, Value> {
    let class = |vote: &Vote| &schema.classes[usize::from(vote.class)];
    let columns = schema.fields.iter().zip(&learned.matters);
    let change = |c: &Change| {
        let set = named(schema, &c.to.input, &mut c.columns.iter().copied());
        json!({"row": c.row, "set": set, "prediction": class(&c.to.vote), "agreement": c.to.vote.agreement})
    };
    let question = |a: &Asked| {
        let input = named(schema, &a.input, &mut (0..schema.fields.len()));
        json!({"input": input, "prediction": class(&a.vote), "agreement": a.vote.agreement})
    };
    let held_out = tested.map(|t| {
        let competitors: Map<String, Value> =
            t.competitors.iter().map(|(r, share)| (r.title().into(), json!(share))).collect();
        json!({"rows": t.rows, "vote": t.vote, "single": t.single, "rivals": competitors,
               "majority": t.majority, "better_than_majority": t.is_better()})
    });
    let all = json!({
        "target": schema.target,
        "inputs": learned.inputs,
        "exact": learned.exact,
        "rule": (!learned.rule.is_empty()).then(|| learned.rule.join("\n")),
        "wrong": learned.wrong.iter().map(|(row, v)| json!({"row": row, "prediction": class(v)})).collect::<Vec<_>>(),
        "matters": columns.map(|(f, share)| (f.name.clone(), json!(share))).collect::<Map<String, Value>>(),
        "changes": learned.changes.iter().map(change).collect::<Vec<_>>(),
        "questions": learned.questions.iter().map(question).collect::<Vec<_>>(),
        "held_out": held_out,
    });
    if let Value::Object(all) = all { all } else { Map::new() }
}

/// A rule with what is known of it, each line after two spaces.
pub fn rule(out: &mut String, told: &str, lines: &[String]) {
    match lines {
        [] => {
            let _ = writeln!(
                out,
                "  no rule was found: neither how many columns have a value nor questions with {MOST_ANSWERS} answers \
                 tell the answer"
            );
        }
        [line] => {
            let _ = writeln!(out, "  {told}: {}", one_line(line));
        }
        lines => {
            let _ = writeln!(out, "  {told}:");
            for line in lines {
                let _ = writeln!(out, "    {}", one_line(line));
            }
        }
    }
}

/// What `who` has learned: its answers to all inputs, or to many.
pub fn page(schema: &Schema, who: &str, learned: &Learned, tested: &Tested<'_>) -> String {
    let class = |vote: &Vote| one_line(&schema.classes[usize::from(vote.class)]);
    let mut out = String::new();
    let which = if learned.exact {
        format!("all {} inputs there are", learned.inputs)
    } else {
        format!("{} inputs, those of the table and others drawn", learned.inputs)
    };
    let _ = writeln!(out, "What {who} has learned (its answers to {which})");
    rule(&mut out, if learned.exact { "its rule" } else { "its rule, as far as these tell" }, &learned.rule);
    let _ = writeln!(out, "  {}", tested.words());
    for (row, vote) in learned.wrong.iter().take(SHOWN / 2) {
        let _ = writeln!(out, "  row {row} is answered {}, not as in the table", class(vote));
    }
    if learned.wrong.len() > SHOWN / 2 {
        let _ = writeln!(out, "  and so are {} more", learned.wrong.len() - SHOWN / 2);
    }
    let mut order: Vec<usize> = (0..schema.fields.len()).collect();
    order.sort_by(|&a, &b| learned.matters[b].total_cmp(&learned.matters[a]));
    let _ = writeln!(out, "\nColumns by how often another value of one changes the answer");
    for &column in order.iter().take(SHOWN) {
        let name = one_line(&schema.fields[column].name);
        let _ = writeln!(out, "  {:>5.1} %  {name}", 100.0 * learned.matters[column]);
    }
    if order.len() > SHOWN {
        let _ = writeln!(out, "  and {} more that matter less", order.len() - SHOWN);
    }
    if !learned.changes.is_empty() {
        let _ = writeln!(out, "\nThe smallest changes that change an answer");
    }
    for change in learned.changes.iter().take(SHOWN / 2) {
        let value = |&c: &usize| {
            let field = &schema.fields[c];
            format!("{} to {}", field.name, field.values[usize::from(change.to.input[c])])
        };
        let changed: Vec<String> = change.columns.iter().map(value).collect();
        let _ = writeln!(out, "  row {}: {} makes it {}", change.row, list(&changed), class(&change.to.vote));
    }
    if !learned.questions.is_empty() {
        let _ = writeln!(out, "\nAsk about these next: the learners disagree most");
    }
    for asked in &learned.questions {
        let cell = |(field, &v): (&strat::task::table::Field, &u8)| {
            format!("{}={}", field.name, field.values[usize::from(v)])
        };
        let cells: Vec<String> = schema.fields.iter().zip(&asked.input).map(cell).collect();
        let said = 100.0 * asked.vote.agreement;
        let _ = writeln!(out, "  {}: {}, say {said:.0} % of them", list(&cells), class(&asked.vote));
    }
    out
}

/// The vote on rows left out, beside what one would use otherwise.
pub fn comparison(tested: &HeldOut) -> String {
    let mut out = format!(
        "\nRight answers on the {} rows, a fifth of them left out at a time (those that are the same together)\n",
        tested.rows
    );
    let mut line = |name: &str, share: Option<f64>| {
        let share = share.map_or("  –".into(), |s| format!("{:>5.1} %", 100.0 * s));
        let _ = writeln!(out, "  {share}  {name}");
    };
    line("the vote", Some(tested.vote));
    line("a single learner", Some(tested.single));
    tested.competitors.iter().for_each(|(competitor, share)| line(competitor.title(), *share));
    line("always the most frequent class", Some(tested.majority));
    out
}
