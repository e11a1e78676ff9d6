//! In Rust: `Row { column: value, … }.predict()`.

use super::{Code, Column, Kind, joined, number, wrapped};
use crate::escape::one_line;
use std::collections::HashSet;

/// Words that name nothing else, and those that not even `r#` makes a name.
const KEYWORDS: [&str; 52] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
    "union",
];

pub(super) fn write(code: &Code) -> String {
    let names = identifiers(code.columns.iter().map(|column| &*column.name));
    let (mut fields, mut reads) = (String::new(), String::new());
    for (column, name) in code.columns.iter().zip(&names) {
        let kind = if column.measure().is_some() { "f64" } else { "&'a str" };
        fields +=
            &format!("    /// {}\n    pub {name}: Option<{kind}>,\n", one_line(&format!("{:?}", column.name)));
        reads += &format!("        index = index * {} + {};\n", column.values, read(column, name));
    }
    let words = code.columns.iter().any(|column| column.measure().is_none());
    let life = if words { "<'a>" } else { "" };
    let bound = if words { "<'_>" } else { "" };
    format!(
        r#"{comment}
const CLASSES: [&str; {count}] = [{classes}];
// Of every input, the last column's value changing first: the class, and its probability in ten-thousandths.
const ANSWERS: [u8; {inputs}] = [
{answers}];
const PROBABILITIES: [u16; {inputs}] = [
{probabilities}];

/// A row of the table; what is missing is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row{life} {{
{fields}}}

impl Row{bound} {{
    /// The class and its probability; none where the table tells nothing.
    pub fn predict(&self) -> Option<(&'static str, f64)> {{
        let mut index = 0;
{reads}        Some((CLASSES[usize::from(ANSWERS[index])], f64::from(PROBABILITIES[index]) / 10000.0))
    }}
}}
{helpers}"#,
        comment = code.comment("//"),
        count = code.classes.len(),
        classes = joined(code.classes.iter().map(|class| literal(class))),
        inputs = code.answers.len(),
        answers = wrapped(code.class_numbers(), ", ", "    "),
        probabilities = wrapped(code.probabilities(), ", ", "    "),
        helpers = helpers(code),
    )
}

/// What columns are read with, as far as there are such.
fn helpers(code: &Code) -> String {
    let mut out = String::new();
    if code.columns.iter().any(|column| column.measure().is_none()) {
        out += r#"
fn word(value: Option<&str>, words: &[&str], other: Option<usize>, missing: Option<usize>) -> Option<usize> {
    let nothing = |word: &str| ["", "?", "na", "n/a", "nan", "null"].contains(&word.to_ascii_lowercase().as_str());
    match value.filter(|word| !nothing(word)) {
        Some(value) => words.iter().position(|word| *word == value).or(other),
        None => missing,
    }
}
"#;
    }
    if code.columns.iter().any(|column| column.measure().is_some()) {
        out += r#"
fn number(value: Option<f64>, cuts: &[f64], missing: Option<usize>) -> Option<usize> {
    match value {
        Some(x) if x.is_infinite() => None,
        Some(x) if !x.is_nan() => Some(cuts.iter().filter(|cut| x >= **cut).count()),
        _ => missing,
    }
}
"#;
    }
    out
}

fn read(column: &Column, name: &str) -> String {
    match &column.kind {
        Kind::Words(words, other) => format!(
            "word(self.{name}, &[{}], {other:?}, {:?})?",
            joined(words.iter().map(|word| literal(word))),
            column.missing
        ),
        Kind::Numbers(cuts, _) => {
            format!("number(self.{name}, &[{}], {:?})?", joined(cuts.iter().map(number)), column.missing)
        }
    }
}

/// Escapes what is not printed, and what turns the direction of writing.
fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if one_line(c.encode_utf8(&mut [0; 4])).starts_with('\\') => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out + "\""
}

/// A name for each column that is an identifier, no two the same.
fn identifiers<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut used = HashSet::new();
    let mut one = |name: &str| {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let name: String = name.chars().map(plain).collect();
        let name = name.split('_').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_");
        let mut name = match name.chars().next() {
            None => "column".to_string(),
            Some(first) if first.is_ascii_digit() => format!("column_{name}"),
            _ => name,
        };
        if KEYWORDS.contains(&&name[..]) {
            name.push('_');
        }
        let mut found = name.clone();
        let mut next = 2;
        while !used.insert(found.clone()) {
            found = format!("{}_{next}", name.trim_end_matches('_'));
            next += 1;
        }
        found
    };
    names.map(&mut one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_name_of_its_own() {
        let names = ["a", "A", "a b", "a_b", "type", "2nd", "größe", "ß", "日本", "", "self", "a_2"];
        let found = identifiers(names.into_iter());
        assert_eq!(
            found,
            [
                "a",
                "a_2",
                "a_b",
                "a_b_2",
                "type_",
                "column_2nd",
                "gr_e",
                "column",
                "column_2",
                "column_3",
                "self_",
                "a_2_2"
            ]
        );
        assert_eq!(literal("a\"b\\c\u{202e}\n"), "\"a\\\"b\\\\c\\u{202e}\\u{a}\"");
    }
}
