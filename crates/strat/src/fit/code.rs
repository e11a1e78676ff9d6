//! What was learned as a function of another language, without dependencies, where the table has few inputs.
//!
//! The function turns every column into the number of its value and looks the answer up: exactly what the mixture answers to
//! this input. The rule in words stands above it.

mod javascript;
mod python;
mod rust;
mod sql;

use super::learned::{all_inputs, rule};
use super::mixture::{Answer, Answerer};
use crate::escape::{one_line, visible};
use crate::task::table::{Form, MISSING, OTHER, Scale, TableRow, TableTask};
use crate::train::TrainError;

/// Languages that a function can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Python 3.
    Python,
    /// JavaScript, as a module.
    JavaScript,
    /// Rust.
    Rust,
    /// A query in standard SQL.
    Sql,
}

/// What is needed to write such a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    /// What the table is called.
    name: String,
    target: String,
    classes: Vec<String>,
    columns: Vec<Column>,
    /// The rule in words; empty if there is none.
    rule: Vec<String>,
    /// The class of every input, and its probability in ten-thousandths. The last column's value changes first.
    answers: Vec<(u8, u16)>,
    /// Rows of the table, and how many of them get the mixture's own answer.
    rows: [usize; 2],
}

/// A column as the function reads it.
#[derive(Clone, Debug, PartialEq)]
struct Column {
    name: String,
    kind: Kind,
    /// How many values it has.
    values: usize,
    /// The number of the value that stands for a missing one.
    missing: Option<usize>,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// These words, and the number of the value that stands for all others.
    Words(Vec<String>, Option<usize>),
    /// The least number of every value but the first, and in what numbers are.
    Numbers(Vec<f64>, String),
}

impl Code {
    /// Asks for every input; none if there are more than [`MOST_INPUTS`](super::learned::MOST_INPUTS).
    pub fn of(name: &str, own: &TableTask, answerer: &mut Answerer<'_>) -> Result<Option<Code>, TrainError> {
        let schema = &own.schema;
        let Some(inputs) = all_inputs(schema) else { return Ok(None) };
        let typical: Vec<TableRow> = inputs.iter().map(|input| own.typical(input)).collect();
        let said = answerer.answer(&typical)?;
        let classes: Vec<(&[u8], u8)> = inputs.iter().zip(&said).map(|(i, a)| (&i[..], a.class)).collect();
        let rows = own.rows.iter().map(|r| TableRow { input: r.input.clone(), numbers: r.numbers.clone() });
        let rows: Vec<TableRow> = rows.collect();
        let counts: Vec<usize> = schema.fields.iter().map(|field| field.values.len()).collect();
        let at =
            |row: &TableRow| row.input.iter().zip(&counts).fold(0, |at, (v, count)| at * count + usize::from(*v));
        let itself = answerer.answer(&rows)?;
        let same = rows.iter().zip(&itself).filter(|(row, answer)| said[at(row)].class == answer.class).count();
        Ok(Some(Code {
            name: name.into(),
            target: schema.target.clone(),
            classes: schema.classes.clone(),
            columns: schema.fields.iter().map(Column::of).collect(),
            rule: rule(schema, &classes),
            answers: said.iter().map(|answer| (answer.class, ten_thousandths(answer))).collect(),
            rows: [rows.len(), same],
        }))
    }

    /// The function in a language.
    pub fn write(&self, language: Language) -> String {
        match language {
            Language::Python => python::write(self),
            Language::JavaScript => javascript::write(self),
            Language::Rust => rust::write(self),
            Language::Sql => sql::write(self),
        }
    }

    /// What stands above it, each line after `mark`.
    fn comment(&self, mark: &str) -> String {
        let [all, same] = self.rows;
        let mut lines = vec![format!(
            "{:?} of the table {:?}, as `strat fit` has learned it from {all} rows: the most probable class and its probability.",
            self.target, self.name
        )];
        match &self.rule[..] {
            [] => {}
            [line] => lines.push(format!("The rule: {line}")),
            rule => {
                lines.push("The rule:".into());
                lines.extend(rule.iter().map(|line| format!("  {line}")));
            }
        }
        let numbers = || self.columns.iter().filter_map(|c| Some((&c.name, c.measure()?)));
        if numbers().next().is_none() {
            lines.push(format!(
                "It gives exactly the answers of `strat predict` to all {} inputs.",
                self.answers.len()
            ));
        } else {
            lines.push(format!(
                "Numbers are looked up by their range, as a typical number of it would be answered: of the {all} rows, {:.1} % get \
                 the answer of `strat predict`, which looks at the number itself.",
                100.0 * same as f64 / all.max(1) as f64
            ));
            for (name, measure) in numbers().filter(|(_, measure)| !measure.is_empty()) {
                lines.push(format!("{name:?} is a number {measure}."));
            }
        }
        lines.push("A value that the table does not have gives no answer.".into());
        lines.iter().map(|line| format!("{mark} {}\n", one_line(line))).collect()
    }

    fn class_numbers(&self) -> impl Iterator<Item = String> {
        self.answers.iter().map(|(class, _)| class.to_string())
    }

    fn probabilities(&self) -> impl Iterator<Item = String> {
        self.answers.iter().map(|(_, probability)| probability.to_string())
    }
}

/// As `strat predict` prints it.
fn ten_thousandths(answer: &Answer) -> u16 {
    format!("{:.4}", answer.probability()).replacen('.', "", 1).parse().unwrap_or(0)
}

impl Column {
    fn of(field: &crate::task::table::Field) -> Column {
        let place = |name: &str| field.values.iter().position(|value| value == name);
        let kind = match &field.scale {
            Some(scale) => Kind::Numbers(scale.cuts.clone(), measure(scale)),
            None => {
                let named = |value: &&String| ![MISSING, OTHER].contains(&value.as_str());
                Kind::Words(field.values.iter().filter(named).cloned().collect(), place(OTHER))
            }
        };
        Column { name: field.name.clone(), kind, values: field.values.len(), missing: place(MISSING) }
    }

    /// What its numbers are in; none if it has words.
    fn measure(&self) -> Option<&str> {
        if let Kind::Numbers(_, measure) = &self.kind { Some(measure) } else { None }
    }
}

/// `in kg`; nothing for plain numbers.
fn measure(scale: &Scale) -> String {
    match &scale.form {
        Form::Date(_) => "of days since 1970-01-01".into(),
        Form::Number(form) => form.unit.as_ref().map_or(String::new(), |unit| format!("in {}", unit.text)),
    }
}

/// A text as a literal of Python and JavaScript. What would act in an editor is escaped.
fn quoted(text: &str) -> String {
    visible(&serde_json::to_string(text).unwrap_or_default()).into_owned()
}

/// Parts in lines that are not too long, after `indent`.
fn wrapped(parts: impl Iterator<Item = String>, between: &str, indent: &str) -> String {
    const WIDTH: usize = 110;
    let (mut out, mut line) = (String::new(), String::new());
    for part in parts {
        let part = part + between;
        if !line.is_empty() && indent.len() + line.len() + part.trim_end().len() > WIDTH {
            out += &format!("{indent}{}\n", line.trim_end());
            line.clear();
        }
        line += &part;
    }
    out + &format!("{indent}{}\n", line.trim_end())
}

/// Literals in a row: `"a", "b"`.
fn joined(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().collect::<Vec<_>>().join(", ")
}

/// A number as a literal of any of the languages.
fn number(x: &f64) -> String {
    format!("{x:?}")
}
