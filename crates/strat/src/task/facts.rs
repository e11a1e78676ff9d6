//! What a configuration must know of a task.

use super::door::Task;
use super::{ArrayTask, Split};
use crate::config::{InputFacts, TaskFacts};
use crate::model::Readout;

impl TaskFacts {
    /// Of any task.
    pub fn of(task: &dyn Task) -> TaskFacts {
        let tokens = task.most_tokens();
        let input = |input: super::Input| InputFacts {
            name: input.name.into_owned(),
            rows: input.rows,
            width: input.width,
        };
        let sets = [task.train(1, 0), task.test(Split::Id, 1), task.test(Split::Ood, 1)];
        let mut examples = sets.iter().flat_map(|set| set.iter());
        TaskFacts {
            name: task.name().into(),
            inputs: task.inputs(tokens).into_iter().map(input).collect(),
            tokens,
            // Where answers are read at a token, all examples have as many, and padding is a token like others.
            is_padded: matches!(task.readout(), Readout::Binary | Readout::Number)
                && examples.any(|example| task.length(example) < tokens),
            readout: task.readout(),
            is_file: false,
        }
    }
}

impl From<&ArrayTask> for TaskFacts {
    fn from(task: &ArrayTask) -> TaskFacts {
        TaskFacts { is_file: true, ..TaskFacts::of(task) }
    }
}
