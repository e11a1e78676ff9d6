//! What runs show, in sentences that are made from their cells alone.

use super::Section;
use crate::experiment::table6::AVERAGE_ROW;
use crate::table::number;
use strat::metric::{Metric, Unit};
use strat::result::{Cell, Verdict, thousands};

/// Sentences that a report opens with.
const MOST: usize = 3;

/// The first things to know of some sections.
pub(super) fn of(sections: &[Section]) -> Vec<String> {
    let cells: Vec<&Cell> = sections.iter().flat_map(Section::cells).collect();
    let verdicts = Verdict::tally(cells.iter().filter_map(|c| c.verdict));
    let found = [tasks(&cells), locking(&cells), Some(verdicts).filter(|s| !s.is_empty()), Some(size(sections))];
    found.into_iter().flatten().take(MOST).collect()
}

/// How far STRAT leads on the data sets.
pub(super) fn tasks(cells: &[&Cell]) -> Option<String> {
    let lead = |c: &&&Cell| c.metric == Metric::DIFFERENCE_OOD_ACCURACY && c.row != AVERAGE_ROW;
    let all: Vec<&&Cell> = cells.iter().filter(lead).collect();
    let clear = |side: fn([f64; 2]) -> bool| all.iter().filter(|c| c.interval().is_some_and(side)).count();
    let (ahead, behind) = (clear(|[low, _]| low > 0.0), clear(|[_, high]| high < 0.0));
    // Of several runs of a data set, each has a row.
    let several = all.iter().enumerate().any(|(i, c)| all[..i].iter().any(|other| other.row == c.row));
    let sets = match (several, all.len()) {
        (true, _) => "runs on data sets",
        (_, 1) => "data set",
        _ => "data sets",
    };
    (!all.is_empty()).then(|| {
        format!(
            "Out of distribution, STRAT is ahead of the Transformer on {ahead} of {} {sets}, behind it on {behind}, and on {} the \
             95 % interval of the difference does not exclude 0.",
            all.len(),
            all.len() - ahead - behind
        )
    })
}

/// How many learners find the logic of sums.
fn locking(cells: &[&Cell]) -> Option<String> {
    let share = |row: &str| {
        let such = |c: &&&Cell| c.experiment == "locking" && c.metric == Metric::LOGIC && c.row == row;
        cells.iter().find(such).map(|c| (number(Unit::Share, c.value), c.n))
    };
    let (strat, n) = share("STRAT Std (4D/1H)")?;
    let (other, of) = share("Baseline (Config A)")?;
    Some(format!(
        "From ten sums, {strat} of {} learners of STRAT Std find the logic (an error below 100 on sums of thousands), and {other} of {} \
         Transformer blocks.",
        thousands(n as u64),
        thousands(of as u64)
    ))
}

/// How much there is.
fn size(sections: &[Section]) -> String {
    let own = sections.iter().filter(|s| !s.id.starts_with("compared-"));
    let learners: usize = own.map(|s| s.learners()[0]).sum();
    let (held, checks) = sections
        .iter()
        .flat_map(|s| &s.checks)
        .fold((0, 0), |(held, all), c| (held + usize::from(c.holds), all + 1));
    let checked = if checks == 0 { String::new() } else { format!("; {held} of {checks} checks hold") };
    format!("This is made from the records of {} learners{checked}.", thousands(learners as u64))
}
