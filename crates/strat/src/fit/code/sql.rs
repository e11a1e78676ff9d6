//! In SQL: a query over the table, with two columns more.

use super::{Code, Column, Kind, number};
use crate::escape::one_line;

pub(super) fn write(code: &Code) -> String {
    let digits = (code.classes.len() - 1).to_string().len();
    let answers: String = code.answers.iter().map(|(class, _)| format!("{class:0digits$}")).collect();
    let probabilities: String = code.answers.iter().map(|(_, p)| format!("{p:05}")).collect();
    let classes: String = (0..)
        .zip(&code.classes)
        .map(|(i, class)| format!("\n    WHEN '{i:0digits$}' THEN {}", text(class)))
        .collect();
    let mut terms = vec![];
    let mut weight = code.answers.len();
    for column in &code.columns {
        weight /= column.values;
        terms.push(format!("    {weight} * {}", read(column)));
    }
    // A name that no column has.
    let mut index = String::from("strat_input");
    while code.columns.iter().any(|column| column.name.eq_ignore_ascii_case(&index)) {
        index.push('_');
    }
    let index = identifier(&index);
    let table = identifier(&code.name);
    let at = |width: usize| if width == 1 { format!("{index} + 1") } else { format!("{width} * {index} + 1") };
    format!(
        r#"{comment}-- Standard SQL, with SUBSTR. A row of the table {named} gets "prediction" and "probability", which are NULL where there is no answer.
-- The strings have the answer to every input: the class, and its probability in ten-thousandths.
SELECT
  strat_row.*,
  CASE SUBSTR('{answers}', {class_at}, {digits}){classes}
  END AS "prediction",
  CAST(SUBSTR('{probabilities}', {probability_at}, 5) AS INTEGER) / 10000.0 AS "probability"
FROM (
  SELECT
    strat_table.*,
{terms} AS {index}
  FROM {table} AS strat_table
) AS strat_row;
"#,
        comment = code.comment("--"),
        named = one_line(&table),
        class_at = at(digits),
        probability_at = at(5),
        terms = terms.join(" +\n"),
    )
}

/// The number of the column's value.
fn read(column: &Column) -> String {
    let name = identifier(&column.name);
    let missing = column.missing.map_or("NULL".into(), |value| value.to_string());
    match &column.kind {
        // What is missing is none of the words.
        Kind::Words(words, None) if column.missing.is_none() => {
            let cases: String =
                (0..).zip(words).map(|(i, word)| format!(" WHEN {} THEN {i}", text(word))).collect();
            format!("CASE {name}{cases} END")
        }
        Kind::Words(words, other) => {
            let nothing = "('', '?', 'na', 'n/a', 'nan', 'null')";
            let cases: String =
                (0..).zip(words).map(|(i, word)| format!(" WHEN {name} = {} THEN {i}", text(word))).collect();
            let other = other.map_or(String::new(), |value| format!(" ELSE {value}"));
            format!("CASE WHEN {name} IS NULL OR LOWER({name}) IN {nothing} THEN {missing}{cases}{other} END")
        }
        Kind::Numbers(cuts, _) => {
            let cases: String = (0..)
                .zip(cuts)
                .map(|(i, cut): (usize, _)| format!(" WHEN {name} < {} THEN {i}", number(cut)))
                .collect();
            format!("CASE WHEN {name} IS NULL THEN {missing}{cases} ELSE {} END", cuts.len())
        }
    }
}

fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
