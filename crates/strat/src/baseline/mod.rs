//! What is easy about a task: rules that know nothing of Type and Data, trained on what a learner is trained on
//! and scored as it is.
//!
//! A shortcut sees the training set where there is a fixed one, and else the first 32 epochs of the
//! paper's first seed: the same bases, augmented in the same way. Of equally good answers it gives the
//! smallest, so that every number comes out the same again. A board counts only if all its cells are right, as
//! for a learner: the majority digit solves no Sudoku.
//!
//! Two of the rules for formulas are fitted to the ID set itself, and say so in their titles. No learner
//! can do that: in training the same ten formulas stand for both answers. They show what a test set gives away.

mod linear_solve;
mod logistic;
mod nearest;
mod rule;
mod threshold;

pub use linear_solve::{Undetermined, linear_solve};

use crate::task::DataTask;
use rule::{Seen, scores};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A rule that is no model of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Shortcut {
    /// The most frequent answer, the same for every cell of a board.
    Majority,
    /// Logistic regression: on the symbols by position; for a cell of Life on the board around it, for one of Sudoku on
    /// the digits in its row, column and box, in both with the same weights for all cells; for a formula on the
    /// shares of its tokens.
    Logistic,
    /// The answer to the training example with the fewest different symbols; of several, what most of them say.
    Nearest,
    /// More or fewer clauses than a number that training sets; formulas only.
    ClauseCount,
    /// More or fewer tokens; formulas only.
    Length,
    /// [`Shortcut::ClauseCount`] fitted to the ID set.
    ClauseCountInHindsight,
    /// [`Shortcut::Length`] fitted to the ID set.
    LengthInHindsight,
}

impl Shortcut {
    /// All of them.
    pub const ALL: [Shortcut; 7] = [
        Shortcut::Majority,
        Shortcut::Logistic,
        Shortcut::Nearest,
        Shortcut::ClauseCount,
        Shortcut::Length,
        Shortcut::ClauseCountInHindsight,
        Shortcut::LengthInHindsight,
    ];

    /// Its name in data.
    pub fn name(self) -> &'static str {
        match self {
            Shortcut::Majority => "majority",
            Shortcut::Logistic => "logistic",
            Shortcut::Nearest => "nearest",
            Shortcut::ClauseCount => "clause_count",
            Shortcut::Length => "length",
            Shortcut::ClauseCountInHindsight => "clause_count_in_hindsight",
            Shortcut::LengthInHindsight => "length_in_hindsight",
        }
    }

    /// Its name in a report.
    pub fn title(self) -> &'static str {
        match self {
            Shortcut::Majority => "majority class",
            Shortcut::Logistic => "logistic regression",
            Shortcut::Nearest => "nearest training example",
            Shortcut::ClauseCount => "clause count alone",
            Shortcut::Length => "formula length alone",
            Shortcut::ClauseCountInHindsight => "clause count, fitted to the ID set",
            Shortcut::LengthInHindsight => "formula length, fitted to the ID set",
        }
    }

    /// Accuracy of a shortcut on a task's test sets, ID and OOD; none if it does not apply.
    pub fn accuracies(self, task: &DataTask) -> Option<[f64; 2]> {
        scores(task, &Seen::by_learners_of(task), self)
    }

    /// All shortcuts that apply to a task.
    pub fn table(task: &DataTask) -> Vec<(Shortcut, [f64; 2])> {
        let seen = Seen::by_learners_of(task);
        Shortcut::ALL.into_iter().filter_map(|s| scores(task, &seen, s).map(|scores| (s, scores))).collect()
    }

    /// The tables of several tasks as one, a row each: task's title and its table. Fits 80 columns.
    pub fn grid<T: AsRef<[(Shortcut, [f64; 2])]>>(tables: &[(&str, T)]) -> String {
        let general = [Shortcut::Majority, Shortcut::Logistic, Shortcut::Nearest];
        let pair = |[id, ood]: &[f64; 2]| format!("{:.2} / {:>6.2}", 100.0 * id, 100.0 * ood);
        let mut out = format!("{:<24}", "Shortcuts, ID / OOD in %");
        general.iter().for_each(|s| out += &format!(" {:>17}", s.name()));
        out.push('\n');
        for (title, table) in tables {
            let table = table.as_ref();
            let mut line = format!("{title:<24}");
            for shortcut in general {
                let scores = table.iter().find(|(s, _)| *s == shortcut).map(|(_, scores)| pair(scores));
                line += &format!(" {:>17}", scores.unwrap_or_default());
            }
            let _ = writeln!(out, "{}", line.trim_end());
            for (shortcut, scores) in table.iter().filter(|(s, _)| !general.contains(s)) {
                let _ = writeln!(out, "  {:<40}{:>18}", shortcut.title(), pair(scores));
            }
        }
        out
    }

    /// A table as lines of text; nothing if it is empty.
    pub fn lines(table: &[(Shortcut, [f64; 2])]) -> String {
        let mut out = String::new();
        if !table.is_empty() {
            let _ = writeln!(out, "{:<38} {:>6} {:>6}", "Shortcuts, right answers in %", "ID", "OOD");
        }
        for (shortcut, [id, ood]) in table {
            let _ = writeln!(out, "  {:<36} {:>6.2} {:>6.2}", shortcut.title(), 100.0 * id, 100.0 * ood);
        }
        out
    }
}
