//! What is unusual about a table, and what was done.

use super::schema::{MISSING, MOST_VALUES, OTHER};
use std::fmt;

/// Something unusual about a table, and what was done.
#[expect(missing_docs, reason = "the messages say what the fields are")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A column that the user named.
    Irrelevant {
        column: String,
    },
    Constant {
        column: String,
        value: String,
    },
    TooMany {
        column: String,
        values: usize,
    },
    Identifier {
        column: String,
    },
    Text {
        column: String,
    },
    /// How cells were understood, where that may be wrong.
    Understood {
        column: String,
        note: String,
    },
    Missing {
        column: String,
        rows: Vec<usize>,
    },
    /// Two values that differ in their case alone.
    Case {
        column: String,
        values: [String; 2],
    },
    Unlabelled {
        target: String,
        rows: Vec<usize>,
    },
    Contradiction {
        rows: Vec<usize>,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Irrelevant { column } => write!(f, "{column:?}: irrelevant, as you said; left out"),
            Note::Constant { column, value } => write!(f, "{column:?}: is {value:?} in every row; left out"),
            Note::TooMany { column, values } => write!(
                f,
                "{column:?}: has {values} different values, and at most {MOST_VALUES} can be used; the rarest count as \
                 one, {OTHER:?}"
            ),
            Note::Identifier { column } => {
                write!(f, "{column:?}: names or numbers the rows; left out. To use it all the same, call it words")
            }
            Note::Text { column } => {
                write!(f, "{column:?}: is free text; left out. To use it all the same, call it words")
            }
            Note::Understood { column, note } => write!(f, "{column:?}: {note}"),
            Note::Missing { column, rows } => {
                write!(f, "{column:?}: has no value in {}; these count as a value {MISSING:?}", numbered(rows))
            }
            Note::Case { column, values: [a, b] } => {
                write!(
                    f,
                    "{column:?}: {a:?} and {b:?} are taken for different values; write them alike if they are the same"
                )
            }
            Note::Unlabelled { target, rows } => {
                write!(f, "{target:?}: the target has no value in {}; left out", numbered(rows))
            }
            Note::Contradiction { rows } => write!(
                f,
                "{} are alike, but have different answers; some of these are wrong, or by chance",
                numbered(rows)
            ),
        }
    }
}

/// `row 3`, `rows 3, 5 and 7`, `rows 3, 5, 7 and 12 more`
pub(super) fn numbered(rows: &[usize]) -> String {
    const SHOWN: usize = 5;
    let words: Vec<String> = rows.iter().take(SHOWN).map(usize::to_string).collect();
    match (rows.len(), &words[..]) {
        (_, []) => "no row".into(),
        (1, [one]) => format!("row {one}"),
        (n, words) if n > SHOWN => format!("rows {} and {} more", words.join(", "), n - SHOWN),
        (_, [first @ .., last]) => format!("rows {} and {last}", first.join(", ")),
    }
}
