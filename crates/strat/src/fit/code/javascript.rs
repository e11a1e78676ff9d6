//! In JavaScript: `predict({column: value, …})`.

use super::{Code, Column, Kind, joined, number, quoted, wrapped};

pub(super) fn write(code: &Code) -> String {
    let mut columns = String::new();
    for column in &code.columns {
        columns += &format!("  [{}, {}, {}],\n", quoted(&column.name), read(column), column.values);
    }
    format!(
        r#"{comment}
const CLASSES = [{classes}];
// Of every input, the last column's value changing first: the class, and its probability in ten-thousandths.
const ANSWERS = [
{answers}];
const PROBABILITIES = [
{probabilities}];
const NOTHING = ["", "?", "na", "n/a", "nan", "null"];

const isMissing = (value) =>
  value === undefined || value === null || Number.isNaN(value) ||
  (typeof value === "string" && NOTHING.includes(value.toLowerCase()));

const word = (words, other, missing) => (value) => {{
  if (isMissing(value)) return missing;
  const found = words.indexOf(value);
  return found < 0 ? other : found;
}};

const number = (cuts, missing) => (value) => {{
  if (isMissing(value)) return missing;
  const x = typeof value === "string" && value.trim() === "" ? NaN : Number(value);
  return Number.isFinite(x) ? cuts.filter((cut) => x >= cut).length : null;
}};

// Name, value by number, count of values.
const COLUMNS = [
{columns}];

/** The class and its probability for an object of columns; nulls where the table tells nothing. */
export function predict(row) {{
  let index = 0;
  for (const [name, read, count] of COLUMNS) {{
    const value = read(Object.hasOwn(row, name) ? row[name] : null);
    if (value === null) return {{ prediction: null, probability: null }};
    index = index * count + value;
  }}
  return {{ prediction: CLASSES[ANSWERS[index]], probability: PROBABILITIES[index] / 10000 }};
}}
"#,
        comment = code.comment("//"),
        classes = joined(code.classes.iter().map(|class| quoted(class))),
        answers = wrapped(code.class_numbers(), ", ", "  "),
        probabilities = wrapped(code.probabilities(), ", ", "  "),
    )
}

fn read(column: &Column) -> String {
    let place = |value: Option<usize>| value.map_or("null".into(), |value| value.to_string());
    match &column.kind {
        Kind::Words(words, other) => {
            let words = joined(words.iter().map(|word| quoted(word)));
            format!("word([{words}], {}, {})", place(*other), place(column.missing))
        }
        Kind::Numbers(cuts, _) => {
            format!("number([{}], {})", joined(cuts.iter().map(number)), place(column.missing))
        }
    }
}
