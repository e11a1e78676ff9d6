//! What to ask about next: rows whose answers would tell most about who of the mixture is right.
//!
//! Candidates are drawn column by column from the table's rows, so that a likely row is likelier to be one. Of each, the
//! doubt of the mixture less the mean doubt of its parts is what its answer would tell (the mutual information of the answer
//! and of who is right). `benchsuite/tables/ask.py` compares it with asking at random.

use super::Vote;
use crate::rng::{RandomStream, Stream};
use crate::task::table::{Schema, TableRow, TableTask, UNKNOWN};

/// Candidates.
pub(super) const DRAWN: usize = 400;
/// Questions that are asked.
const QUESTIONS: usize = 5;
/// If no answer would tell more than this, in nats, a row drawn at random is as good.
const LEAST: f64 = 0.01;
/// Nor if none would tell so many times as much as a candidate drawn at random.
const RATIO: f64 = 1.5;

/// A row to ask about.
#[derive(Clone, Debug, PartialEq)]
pub struct Next {
    /// A cell for every field.
    pub cells: Vec<String>,
    /// What is answered now.
    pub vote: Vote,
    /// What the right answer would tell, in nats; none if it was not computed.
    pub tells: Option<f64>,
}

/// Rows like those of the table that are not in it.
pub(super) fn candidates(own: &TableTask) -> Vec<TableRow> {
    let mut draws = RandomStream::new(0, Stream::Pick, 4);
    let mut found: Vec<TableRow> = vec![];
    for _ in 0..2 * DRAWN {
        let mut row = TableRow::default();
        let mut number = 0;
        for (column, field) in own.schema.fields.iter().enumerate() {
            let from = &own.rows[draws.below(own.rows.len() as u32) as usize];
            row.input.push(from.input[column]);
            if field.has_numbers() {
                row.numbers.push(from.numbers.get(number).copied().flatten());
                number += 1;
            }
        }
        let is_known = own.rows.iter().any(|r| r.input == row.input && r.numbers == row.numbers);
        if !is_known && !found.contains(&row) {
            found.push(row);
        }
        if found.len() == DRAWN {
            break;
        }
    }
    found
}

/// Some of the candidates: what each would tell, less what is alike in one that was chosen before. `tells` and `votes` are of
/// all candidates.
pub(super) fn chosen(schema: &Schema, rows: &[TableRow], tells: &[f64], votes: &[Vote]) -> Vec<Next> {
    let alike = |a: usize, b: usize| {
        let same = rows[a].input.iter().zip(&rows[b].input).filter(|(x, y)| x == y).count();
        same as f64 / rows[a].input.len().max(1) as f64
    };
    let mut taken: Vec<usize> = vec![];
    let mean = tells.iter().sum::<f64>() / tells.len().max(1) as f64;
    let helps = tells.iter().any(|tells| *tells > RATIO * mean);
    while helps && taken.len() < QUESTIONS {
        let worth = |i: usize| tells[i] * (1.0 - taken.iter().map(|&j| alike(i, j)).fold(0.0, f64::max));
        let open = (0..rows.len()).filter(|&i| tells[i] > LEAST && worth(i) > 0.0);
        match open.reduce(|best, i| if worth(i) > worth(best) { i } else { best }) {
            Some(best) => taken.push(best),
            None => break,
        }
    }
    let next = |i: usize| Next { cells: cells(schema, &rows[i]), vote: votes[i].clone(), tells: Some(tells[i]) };
    taken.into_iter().map(next).collect()
}

/// A row as a table would have it; what is missing stays empty.
pub(super) fn cells(schema: &Schema, row: &TableRow) -> Vec<String> {
    let mut numbers = row.numbers.iter();
    let cell = |(field, &value): (&crate::task::table::Field, &u8)| {
        let name =
            || field.values.get(usize::from(value)).filter(|_| value != UNKNOWN).cloned().unwrap_or_default();
        match &field.scale {
            Some(scale) => numbers.next().copied().flatten().map_or_else(name, |x| scale.form.format(x)),
            None => name(),
        }
    };
    schema.fields.iter().zip(&row.input).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::table::Field;

    #[test]
    fn what_tells_most_comes_first_and_then_something_else() {
        let values = vec!["off".to_string(), "on".into()];
        let field = |i| Field::of_words(format!("c{i}"), values.clone());
        let schema = Schema {
            fields: (0..3).map(field).collect(),
            target: "y".into(),
            classes: vec!["no".into(), "yes".into()],
        };
        let inputs = [[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 0, 0]];
        let rows: Vec<TableRow> = inputs.iter().map(|i| TableRow { input: i.to_vec(), numbers: vec![] }).collect();
        let votes = vec![Vote { class: 0, agreement: 0.5 }; 4];
        let found = chosen(&schema, &rows, &[0.5, 0.49, 0.3, 0.001], &votes);
        let cells: Vec<String> = found.iter().map(|next| next.cells.join(" ")).collect();
        assert_eq!(cells, ["off off off", "on on on", "off off on"], "the last one would tell nothing");
        assert!(chosen(&schema, &rows, &[0.0; 4], &votes).is_empty());
        // All would tell about the same: one drawn at random is as good.
        assert!(chosen(&schema, &rows, &[0.5, 0.45, 0.4, 0.42], &votes).is_empty());
    }
}
