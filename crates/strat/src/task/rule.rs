//! Answers that can be checked by whoever does not know the right one.

use super::Example;

/// The rule behind a task's answers, where it can tell a valid answer from others without knowing the right one: a full
/// board of Sudoku keeps the rules or not. A population's answers can then be checked
/// ([`CheckedPopulation`](crate::train::CheckedPopulation)).
///
/// A place is a token of a [board](super::Target::Cells); a class or a verdict is place 0.
pub trait Rule {
    /// Whether the target of an example, which here is the answer of a learner, is a valid answer to its input: complete, as
    /// the rule demands, and with all that the input gives. A learner can answer anything.
    fn holds(&self, example: &Example) -> bool;

    /// What an input gives away of its answer at a place; none where the answer is asked for.
    fn given(&self, _example: &Example, _place: usize) -> Option<u8> {
        None
    }

    /// Changes an input so that it gives a value at a place. False, and nothing changes, if an input of this task cannot
    /// say so; then learners do not look again.
    fn give(&self, _example: &mut Example, _place: usize, _value: u8) -> bool {
        false
    }
}
