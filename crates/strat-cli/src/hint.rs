//! The library's errors advise in terms of folders and fields; here each gets the options that its advice is about.

use crate::Failure;
use strat::data::FetchError;
use strat::record::{MergeError, ReadError, RecordError};
use strat::task::table::{SchemaError, SymmetriesError, TableTaskError};
use strat::task::{ArrayTaskError, TaskError};
use strat_paper::experiment::crystallize::CrystallizeError;

/// A message with its options in brackets behind it, if there are any.
pub fn with_hint(failure: &Failure) -> String {
    let hint = match failure {
        Failure::Record(e) | Failure::Merge(MergeError::Record(e)) => of_record(e),
        Failure::Crystallize(CrystallizeError::Record(e)) => of_record(e),
        Failure::Read(e) | Failure::Merge(MergeError::Read(e)) => of_read(e),
        Failure::Crystallize(CrystallizeError::Read(e)) => of_read(e),
        Failure::Merge(MergeError::Missing { .. }) => Some("--shard"),
        Failure::Arrays(e) | Failure::Task(TaskError::Arrays(e)) => of_arrays(e),
        Failure::Task(TaskError::Own(TableTaskError::Symmetries(e))) => of_symmetries(e),
        Failure::Schema(SchemaError::Long { .. }) => Some("--irrelevant"),
        Failure::Config(e) if e.to_string().starts_with("setting ") => Some("--set"),
        _ => None,
    };
    hint.map_or_else(|| failure.to_string(), |hint| format!("{failure} ({hint})"))
}

/// The same for a data set that could not be fetched.
pub fn fetch_with_hint(error: &FetchError) -> String {
    match error {
        FetchError::Io { .. } => format!("{error} (--data)"),
        _ => error.to_string(),
    }
}

fn of_record(error: &RecordError) -> Option<&'static str> {
    match error {
        RecordError::Occupied(_) | RecordError::Start { .. } | RecordError::Busy(_) => Some("--out"),
        RecordError::Differs { .. } => Some("another --out, or --fresh"),
        RecordError::Read(e) => of_read(e),
        _ => None,
    }
}

fn of_read(error: &ReadError) -> Option<&'static str> {
    match error {
        ReadError::NotARun(_) => Some("`strat reproduce` and `strat train` write one with --out DIR"),
        ReadError::ChooseRow { .. } => Some("--row"),
        ReadError::NoWeights(_) => Some("--no-weights"),
        ReadError::Lost { weights: false, .. } => Some("--fresh; --no-weights kept none"),
        _ => None,
    }
}

fn of_arrays(error: &ArrayTaskError) -> Option<&'static str> {
    matches!(error, ArrayTaskError::NotThere { .. } | ArrayTaskError::Changed { .. }).then_some("--data")
}

fn of_symmetries(error: &SymmetriesError) -> Option<&'static str> {
    let field = match error {
        SymmetriesError::NoColumn { option, .. }
        | SymmetriesError::Twice { option, .. }
        | SymmetriesError::Few { option }
        | SymmetriesError::Values { option, .. }
        | SymmetriesError::NotTwo { option, .. } => *option,
        SymmetriesError::Contradiction { .. } => return None,
    };
    match field {
        "interchangeable" => Some("--interchangeable"),
        "cyclic" => Some("--cyclic"),
        "flip_together" => Some("--flip-together"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_followed_by_its_option() {
        let said = |failure: Failure| with_hint(&failure);
        let busy = said(RecordError::Busy("runs/a".into()).into());
        assert_eq!(
            busy,
            "runs/a: another process is at work on this run. Wait for it, or choose another folder (--out)"
        );
        let rows = ReadError::ChooseRow { path: "runs/a".into(), rows: vec!["A".into(), "B".into()] };
        assert_eq!(said(rows.into()), "runs/a: has 2 rows. Choose one of them: A, B (--row)");
        let few = SymmetriesError::Few { option: "flip_together" };
        let few = TaskError::from(TableTaskError::from(few));
        assert_eq!(said(few.into()), "flip_together: needs at least two columns (--flip-together)");
        let mut config = strat::config::ConfigFile::empty("none");
        let wrong = config.set("steps").unwrap_err();
        assert!(said(wrong.into()).ends_with("as in train.learning_rate=0.003 (--set)"));
        // What needs no option has none.
        assert_eq!(said(MergeError::Nothing.into()), MergeError::Nothing.to_string());
    }
}
