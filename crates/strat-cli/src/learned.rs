//! What learners of a table have learned, for a person and for a program.

use serde_json::{Map, Value, json};
use std::fmt::Write;
use strat::escape::{list, one_line};
use strat::fit::Vote;
use strat::fit::held_out::{Tally, Tested};
use strat::fit::learned::{Change, Learned};
use strat::fit::next::Next;
use strat::fit::rule::ToldRule;
use strat::task::table::{Part, Schema, TableTask, Weighted};

/// Columns, changes and questions that a person is shown.
const SHOWN: usize = 12;
/// A probability that all is chance which a person is told.
const TOLD_CHANCE: f64 = 0.05;
/// What answers without a look at any column: its part's title.
const SHARES: &str = "shares of classes";

/// To be said beside a rule: what is known of how good it is on rows that nobody was shown.
fn tested_words(tested: Option<&Tested>, rule: Option<&ToldRule>) -> String {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    match tested {
        Some(t) => {
            let (right, majority) = (percent(t.mixture.accuracy), percent(t.shares.accuracy));
            let verdict = if t.is_better() { "" } else { "; that may be luck, so do not rely on it" };
            match rule {
                Some(rule) => format!(
                    "right on {} of rows left out if it is sought without them (the mixture on {right}, the most \
                     frequent class on {majority})",
                    percent(rule.accuracy)
                ),
                None => format!(
                    "right on {right} of rows left out, where the most frequent class is on {majority}{verdict}"
                ),
            }
        }
        None => {
            "how often it is right on other rows is not said here: strat fit tests that on rows left out".into()
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
pub fn json(own: &TableTask, learned: &Learned, tested: Option<&Tested>) -> Map<String, Value> {
    let schema = &own.schema;
    let class = |vote: &Vote| &schema.classes[usize::from(vote.class)];
    let columns = schema.fields.iter().zip(&learned.matters);
    let change = |c: &Change| {
        let set = named(schema, &c.to.input, &mut c.columns.iter().copied());
        json!({"row": c.row, "set": set, "prediction": class(&c.to.vote), "probability": c.to.vote.agreement})
    };
    let question = |next: &Next| {
        let cells = schema.fields.iter().zip(&next.cells).map(|(f, cell)| (f.name.clone(), Value::from(&**cell)));
        let input = Value::Object(cells.collect());
        let (answer, p) = (class(&next.vote), next.vote.agreement);
        json!({"input": input, "prediction": answer, "probability": p, "tells": next.tells})
    };
    let held_out = tested.map(|t| {
        let part = |(w, tally): (&Weighted, &Tally)| {
            json!({"part": w.part, "title": w.part.title(), "weight": w.weight, "accuracy": tally.accuracy,
                   "log_loss": tally.log_loss})
        };
        let doubtful = |(row, class, p): (usize, usize, f64)| {
            json!({"row": row, "prediction": schema.classes[class], "probability": p})
        };
        json!({"rows": t.rows.len(), "accuracy": t.mixture.accuracy, "log_loss": t.mixture.log_loss,
               "parts": t.weights.iter().zip(&t.parts).map(part).collect::<Vec<_>>(),
               "majority": t.shares.accuracy, "better_than_majority": t.is_better(), "chance": t.calibration.chance,
               "doubtful": t.doubtful(own).into_iter().map(doubtful).collect::<Vec<_>>()})
    });
    let told = learned.told.as_ref();
    let rule = match told {
        None => (!learned.rule.is_empty()).then(|| learned.rule.join("\n")),
        Some(told) => told.as_ref().ok().map(|rule| rule.lines.join("\n")),
    };
    let tree = told.and_then(|told| told.as_ref().ok());
    let all = json!({
        "target": schema.target,
        "inputs": learned.inputs,
        "exact": learned.exact,
        "rule": rule,
        "rule_tree": tree.map(|rule| &rule.tree),
        "rule_support": tree.map(|rule| rule.support),
        "rule_accuracy": tree.map(|rule| rule.accuracy),
        "why_no_rule": told.and_then(|told| told.as_ref().err()),
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
                "  no rule was found: neither how many columns have a value nor questions with {} answers \
                 tell the answer",
                Learned::MOST_ANSWERS
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
pub fn page(own: &TableTask, who: &str, learned: &Learned, tested: Option<&Tested>) -> String {
    let schema = &own.schema;
    let class = |vote: &Vote| one_line(&schema.classes[usize::from(vote.class)]);
    let mut out = String::new();
    let which = if learned.exact {
        format!("all {} inputs there are", learned.inputs)
    } else {
        format!("{} inputs, those of the table and others drawn", learned.inputs)
    };
    let _ = writeln!(out, "{who}: what it has learned (its answers to {which})");
    match &learned.told {
        None if learned.exact => rule(&mut out, "its rule", &learned.rule),
        None => rule(&mut out, "its rule, as far as these tell", &learned.rule),
        Some(Ok(told)) => rule(&mut out, "its rule", &told.lines),
        Some(Err(why)) => {
            let _ = writeln!(out, "  no rule is told: {}", one_line(why));
        }
    }
    let _ = writeln!(out, "  {}", tested_words(tested, learned.told.as_ref().and_then(|told| told.as_ref().ok())));
    for (row, vote) in learned.wrong.iter().take(SHOWN / 2) {
        let _ = writeln!(out, "  row {row} is answered {}, not as in the table", class(vote));
    }
    if learned.wrong.len() > SHOWN / 2 {
        let more = learned.wrong.len() - SHOWN / 2;
        let _ = writeln!(out, "  and so {} {more} more", if more == 1 { "is" } else { "are" });
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
            format!("{} were {}", field.name, field.values[usize::from(change.to.input[c])])
        };
        let changed: Vec<String> = change.columns.iter().map(value).collect();
        let _ = writeln!(out, "  row {}: {} if {}", change.row, class(&change.to.vote), list(&changed));
    }
    let head = match learned.questions.first().map(|next| next.tells.is_some()) {
        Some(true) => "\nAsk about these next: their answers would tell most",
        Some(false) => "\nAsk about these next: the answer is least certain",
        None if learned.told.is_some() => "\nWhat to ask about next: a row drawn at random is as good as any",
        None => "",
    };
    if !head.is_empty() {
        let _ = writeln!(out, "{head}");
    }
    for next in &learned.questions {
        let cells: Vec<String> =
            schema.fields.iter().zip(&next.cells).map(|(field, cell)| format!("{}={cell}", field.name)).collect();
        let said = 100.0 * next.vote.agreement;
        let _ = writeln!(out, "  {}: {}, with {said:.0} %", list(&cells), class(&next.vote));
    }
    out
}

/// The mixture on rows left out, beside its parts: those of one kind together, by the best of them.
pub fn comparison(own: &TableTask, tested: &Tested) -> String {
    let mut out = format!("\nOn {} rows, some of them left out at a time\n\n", tested.rows.len());
    let _ = writeln!(out, "{:<24}{:>10}{:>10}{:>10}", "", "right", "log-loss", "weight");
    let mut line = |name: &str, tally: &Tally, weight: Option<f64>| {
        let weight = weight.map_or(String::new(), |w| format!("{w:.2}"));
        let (right, loss) = (format!("{:.1} %", 100.0 * tally.accuracy), format!("{:.3}", tally.log_loss));
        let _ = writeln!(out, "  {name:<22}{right:>10}{loss:>10}{weight:>10}");
    };
    line("together", &tested.mixture, None);
    let mut kinds: Vec<(&str, Tally, f64)> = vec![];
    for (w, tally) in tested.weights.iter().zip(&tested.parts) {
        match kinds.iter_mut().find(|kind| kind.0 == w.part.title()) {
            Some(kind) => {
                kind.2 += w.weight;
                if tally.log_loss < kind.1.log_loss {
                    kind.1 = *tally;
                }
            }
            None => kinds.push((w.part.title(), *tally, w.weight)),
        }
    }
    kinds.sort_by(|a, b| b.2.total_cmp(&a.2));
    kinds.retain(|(name, _, weight)| *name != SHARES || *weight >= 0.005);
    kinds.iter().for_each(|(name, tally, weight)| line(name, tally, Some(*weight)));
    line("most frequent class", &tested.shares, None);
    if !tested.weights.iter().any(|w| matches!(w.part, Part::Strat(_))) {
        out += "\nSTRAT has no say: on rows left out the others are better\n";
    }
    let chance = tested.calibration.chance;
    if chance >= TOLD_CHANCE {
        let _ = writeln!(
            out,
            "\nThat the answers follow from nothing in the table has a probability of {:.0} %; by so much they are taken for chance",
            100.0 * chance
        );
    }
    let doubtful = tested.doubtful(own);
    if !doubtful.is_empty() {
        let _ = writeln!(out, "\nRows that look mislabelled: the other rows speak for another answer");
    }
    for (row, class, p) in doubtful.iter().take(SHOWN) {
        let _ =
            writeln!(out, "  row {row}: rather {}, with {:.0} %", one_line(&own.schema.classes[*class]), 100.0 * p);
    }
    if doubtful.len() > SHOWN {
        let _ = writeln!(out, "  and {} more (--json has all)", doubtful.len() - SHOWN);
    }
    out
}
