//! What learners of a table answer on every input there is, beside the rows of the table.

use super::learned::{all_inputs, rule};
use super::mixture::Answerer;
use super::{Vote, votes};
use crate::certify::Table;
use crate::engine::Isa;
use crate::engine::reference::Arrays;
use crate::model::BlockModel;
use crate::task::DataTask;
use crate::task::table::{TableRow, TableTask};
use crate::train::TrainError;
use std::collections::HashMap;

/// The answers of a population, of a single learner or of a mixture to all inputs of its table.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// How many inputs there are.
    pub inputs: usize,
    /// Rows that are answered otherwise than the table says, by number, with that answer.
    pub wrong: Vec<(usize, Vote)>,
    /// Columns that decide the answer; none of them can be left out.
    pub relevant: Vec<usize>,
    /// The rule that answers as it does on every input, in words; empty if none was found.
    pub rule: Vec<String>,
}

impl Certificate {
    /// Asks learners for every input; none if there are more than [`MOST_INPUTS`](super::learned::MOST_INPUTS).
    pub fn of(
        task: &DataTask,
        own: &TableTask,
        model: BlockModel,
        learners: &[Arrays],
        isa: Isa,
    ) -> Option<Certificate> {
        let inputs = all_inputs(&own.schema)?;
        let said = votes(task, model, learners, &inputs, isa);
        Some(Certificate::by(own, &inputs, &said))
    }

    /// Asks a mixture for every input, numbers being typical ones of their range; none if there are more than that.
    pub fn of_mixture(own: &TableTask, answerer: &mut Answerer<'_>) -> Result<Option<Certificate>, TrainError> {
        let Some(inputs) = all_inputs(&own.schema) else { return Ok(None) };
        let rows: Vec<TableRow> = inputs.iter().map(|input| own.typical(input)).collect();
        let said = answerer.answer(&rows)?;
        let said: Vec<Vote> = said.iter().map(|a| Vote { class: a.class, agreement: a.probability() }).collect();
        Ok(Some(Certificate::by(own, &inputs, &said)))
    }

    fn by(own: &TableTask, inputs: &[Vec<u8>], said: &[Vote]) -> Certificate {
        let schema = &own.schema;
        let answers: Vec<(&[u8], u8)> = inputs.iter().zip(said).map(|(i, vote)| (&i[..], vote.class)).collect();
        let by_input: HashMap<&[u8], &Vote> = inputs.iter().map(|i| &i[..]).zip(said).collect();
        let wrong = own.rows.iter().map(|row| (row, by_input[&row.input[..]])).filter(|(r, v)| r.class != v.class);
        Certificate {
            inputs: inputs.len(),
            wrong: wrong.map(|(row, vote)| (row.row, vote.clone())).collect(),
            relevant: Table::new(answers.iter().copied()).relevant(),
            rule: rule(schema, &answers),
        }
    }
}
