//! In Python: `predict({"column": value, …})`.

use super::{Code, Column, Kind, joined, number, quoted, wrapped};

pub(super) fn write(code: &Code) -> String {
    let mut columns = String::new();
    for column in &code.columns {
        columns += &format!("    ({}, {}, {}),\n", quoted(&column.name), read(column), column.values);
    }
    format!(
        r#"{comment}
CLASSES = [{classes}]
# Of every input, the last column's value changing first: the class, and its probability in ten-thousandths.
ANSWERS = [
{answers}]
PROBABILITIES = [
{probabilities}]
NOTHING = ("", "?", "na", "n/a", "nan", "null")


def _is_missing(value):
    return value is None or value != value or isinstance(value, str) and value.lower() in NOTHING


def _word(words, other=None, missing=None):
    def read(value):
        return missing if _is_missing(value) else words.get(value, other)

    return read


def _number(cuts, missing=None):
    def read(value):
        if _is_missing(value):
            return missing
        try:
            value = float(value)
        except (TypeError, ValueError):
            return None
        if value - value != 0:  # infinite
            return None
        return sum(value >= cut for cut in cuts)

    return read


# Name, value by number, count of values.
COLUMNS = [
{columns}]


def predict(row):
    """The class and its probability for a dict of columns; (None, None) where the table tells nothing."""
    index = 0
    for name, read, count in COLUMNS:
        value = read(row.get(name))
        if value is None:
            return None, None
        index = index * count + value
    return CLASSES[ANSWERS[index]], PROBABILITIES[index] / 10000
"#,
        comment = code.comment("#"),
        classes = joined(code.classes.iter().map(|class| quoted(class))),
        answers = wrapped(code.class_numbers(), ", ", "    "),
        probabilities = wrapped(code.probabilities(), ", ", "    "),
    )
}

fn read(column: &Column) -> String {
    let missing = column.missing.map_or(String::new(), |value| format!(", missing={value}"));
    match &column.kind {
        Kind::Words(words, other) => {
            let words = joined(words.iter().enumerate().map(|(i, word)| format!("{}: {i}", quoted(word))));
            let other = other.map_or(String::new(), |value| format!(", other={value}"));
            format!("_word({{{words}}}{other}{missing})")
        }
        Kind::Numbers(cuts, _) => format!("_number([{}]{missing})", joined(cuts.iter().map(number))),
    }
}
