//! A rule in words.

use super::{Ask, RuleTree};
use crate::task::table::Schema;
use serde_json::Value;

impl RuleTree {
    /// In words. Of two classes the second is spoken of.
    pub(super) fn lines(&self, schema: &Schema) -> Vec<String> {
        let mut out = vec![];
        match self {
            RuleTree::Ask { ask, yes, no } => match (&**yes, &**no) {
                (RuleTree::Answer { answer: yes }, RuleTree::Answer { answer: no }) => {
                    let second = schema.classes.get(1) == Some(no);
                    let (class, other) = if second { (no, yes) } else { (yes, no) };
                    let rest = if schema.classes.len() == 2 { String::new() } else { format!(", else {other}") };
                    out.push(format!("{class} if {}{rest}", ask.words(schema, !second)));
                }
                _ => self.list(schema, "", "", &mut out),
            },
            RuleTree::Answer { answer } => out.push(format!("always {answer}")),
        }
        out
    }

    /// Cases one after the other, what is answered at once first; `before` is what the first line begins with.
    fn list(&self, schema: &Schema, indent: &str, before: &str, out: &mut Vec<String>) {
        let (ask, yes, no) = match self {
            RuleTree::Answer { answer } => {
                let otherwise = before.trim_end_matches(", ");
                out.push(format!("{indent}{otherwise}: {answer}"));
                return;
            }
            RuleTree::Ask { ask, yes, no } => (ask, &**yes, &**no),
        };
        let swapped = matches!((yes, no), (RuleTree::Ask { .. }, RuleTree::Answer { .. }));
        let (first, second) = if swapped { (no, yes) } else { (yes, no) };
        let case = ask.words(schema, !swapped);
        match first {
            RuleTree::Answer { answer } => out.push(format!("{indent}{before}{case}: {answer}")),
            RuleTree::Ask { .. } => {
                out.push(format!("{indent}{before}{case}:"));
                first.list(schema, &format!("{indent}  "), "", out);
            }
        }
        second.list(schema, indent, "otherwise, ", out);
    }
}

impl Ask {
    /// In words, or the opposite.
    fn words(&self, schema: &Schema, holds: bool) -> String {
        let number = |column: &str, x: f64| {
            let scale = schema.fields.iter().find(|f| f.name == column).and_then(|f| f.scale.as_ref());
            scale.map_or_else(|| x.to_string(), |scale| scale.form.format(x))
        };
        // A number as the table writes it: 3, not 3.0.
        let value = |column: &str, v: &Value| match (v.as_str(), v.as_f64()) {
            (Some(word), _) => word.to_string(),
            (None, Some(x)) => number(column, x),
            (None, None) => v.to_string(),
        };
        let shared = |of: &[String], v: &Value| value(of.first().map_or("", String::as_str), v);
        let not = if holds { "" } else { "not " };
        match self {
            Ask::Missing { missing } => format!("{missing} is {not}missing"),
            Ask::Is { column, is } => match (holds, other(schema, column, &value(column, is))) {
                (false, Some(other)) => format!("{column} is {other}"),
                _ => format!("{column} is {not}{}", value(column, is)),
            },
            Ask::AtLeast { column, at_least, open: [below, least] } => {
                let is = if holds { "at least" } else { "below" };
                let allowed = format!("the rows allow {} to {}", number(column, *below), number(column, *least));
                format!("{column} is {is} {} ({allowed})", number(column, *at_least))
            }
            Ask::Same { same: [a, b] } if holds => format!("{a} and {b} are the same"),
            Ask::Same { same: [a, b] } => format!("{a} and {b} differ"),
            Ask::Greater { greater: [a, b], open: true } => {
                let (a, b) = if holds { (a, b) } else { (b, a) };
                format!("{a} is greater than {b} (no row tells what follows if they are the same)")
            }
            Ask::Greater { greater: [a, b], .. } if holds => format!("{a} is at least {b}"),
            Ask::Greater { greater: [a, b], .. } => format!("{a} is less than {b}"),
            Ask::CountAtLeast { count, of, at_least } => {
                let (many, k) = if holds { ("at least", *at_least) } else { ("at most", at_least - 1) };
                format!("{many} {k} of {} are {}", of.join(", "), shared(of, count))
            }
            Ask::CountIs { count, of, is } => {
                format!("{not}exactly {is} of {} are {}", of.join(", "), shared(of, count))
            }
            Ask::More { count, of, minus, minus_of, at_least } => {
                // At least k more of the first are not at least 1 − k more of the second.
                let (k, first, second) =
                    if holds { (*at_least, count, minus) } else { (1 - at_least, minus, count) };
                let all = if of == minus_of { of.join(", ") } else { [&of[..], &minus_of[..]].concat().join(", ") };
                let (first, second) = (shared(of, first), shared(minus_of, second));
                match k {
                    1 => format!("more of {all} are {first} than {second}"),
                    k if k > 1 => format!("at least {k} more of {all} are {first} than {second}"),
                    0 => format!("not more of {all} are {second} than {first}"),
                    k => format!("at most {} more of {all} are {second} than {first}", -k),
                }
            }
        }
    }
}

/// The other of two values of a column.
fn other<'a>(schema: &'a Schema, column: &str, value: &str) -> Option<&'a str> {
    let field = schema.fields.iter().find(|f| f.name == column)?;
    match &field.values[..] {
        [a, b] if b == value => Some(a),
        [a, b] if a == value => Some(b),
        _ => None,
    }
}
