//! Table 6 in 80 columns.

use super::{AVERAGE_ROW, Column, vote_metrics};
use crate::table::{ALIKE, dagger, is_alike, legend, mark};
use strat::metric::Metric;
use strat::model::Architecture::{Strat, Transformer};
use strat::result::{Cell, Verdict};
use strat::stats::Estimate;

/// Columns of text: the row's name, what a line is, and the three columns.
const WIDTHS: [usize; 3] = [20, 6, 17];

/// The cells as text: ours with its standard error and interval, the paper's below, a mark for the verdict. Only the
/// average says how much the shift to OOD costs; every row's is among the cells.
pub fn render(cells: &[Cell]) -> String {
    let [name, label, column] = WIDTHS;
    let heads = ["STRAT", "Transformer", "difference"];
    let mut out = format!("{:<name$}{:<label$}", "Right answers in %", "");
    heads.iter().for_each(|h| out += &format!(" {h:>column$}"));
    out.push('\n');
    let mut rows: Vec<&str> = cells.iter().map(|c| c.row.as_str()).collect();
    rows.dedup();
    for row in rows {
        let cells: Vec<&Cell> = cells.iter().filter(|c| c.row == row).collect();
        let drawn = if cells.iter().any(|c| c.stand_in.is_some()) { "*" } else { "" };
        let departs = cells.iter().map(|c| dagger(c)).max().unwrap_or("");
        let mut title = format!("{row}{drawn}{departs}");
        let split = |i| [Column::Accuracy(Strat, i), Column::Accuracy(Transformer, i), Column::Difference(i)];
        let shift = [Column::Shift(Strat), Column::Shift(Transformer)];
        for (i, name) in ["ID", "OOD"].into_iter().enumerate() {
            lines(&mut out, &mut title, name, &cells, &split(i));
            beside(&mut out, i, &cells);
        }
        if row == AVERAGE_ROW {
            lines(&mut out, &mut title, "OOD−ID", &cells, &shift);
        }
    }
    out.push_str(&foot(cells));
    out
}

/// Ours and the paper's; the title stands on the first line only.
fn lines(out: &mut String, title: &mut String, label: &str, cells: &[&Cell], columns: &[Column]) {
    let find = |column: &Column| cells.iter().find(|c| c.metric == *column.metric());
    let found: Vec<(Column, Option<&&Cell>)> = columns.iter().map(|c| (*c, find(c))).collect();
    let ours = |(column, cell): &(Column, Option<&&Cell>)| {
        cell.map_or(String::new(), |c| number(*column, c.value, c.error))
    };
    let paper = |(column, cell): &(Column, Option<&&Cell>)| {
        let printed =
            |c: &&&Cell| Some(format!("{} {}", mark(c.verdict), number(*column, c.paper?, c.paper_error)));
        cell.as_ref().and_then(printed).unwrap_or_default()
    };
    let interval = |(column, cell): &(Column, Option<&&Cell>)| cell.map_or(String::new(), |c| ends(*column, c));
    line(out, &std::mem::take(title), label, found.iter().map(ours));
    line(out, "", " 95 %", found.iter().map(interval));
    if found.iter().any(|(_, cell)| cell.is_some_and(|c| c.paper.is_some())) {
        line(out, "", " paper", found.iter().map(paper));
    }
}

/// The votes of both models, and below them what the base examples decide.
fn beside(out: &mut String, i: usize, cells: &[&Cell]) {
    let find = |metric: &Metric| cells.iter().find(|c| c.metric == *metric);
    let plain = |x: f64| format!("{:.2}{:8}", 100.0 * x, "");
    let votes = [Strat, Transformer].map(|model| find(vote_metrics(model)[i]));
    if votes.iter().any(Option::is_some) {
        line(out, "", " vote", votes.iter().map(|vote| vote.map_or(String::new(), |c| plain(c.value))));
    }
    if let Some(decided) = find([&Metric::ID_DECIDED, &Metric::OOD_DECIDED][i]) {
        line(out, "", " given", [plain(decided.value)].into_iter());
    }
}

fn line(out: &mut String, title: &str, label: &str, columns: impl Iterator<Item = String>) {
    let [name, width, column] = WIDTHS;
    let mut text = format!("{title:<name$}{label:<width$}");
    columns.for_each(|c| text += &format!(" {c:>column$}"));
    out.push_str(text.trim_end());
    out.push('\n');
}

/// In percent, with a sign where it is a difference.
fn percent(column: Column, x: f64) -> String {
    match column {
        Column::Accuracy(..) => format!("{:.2}", 100.0 * x),
        Column::Difference(_) | Column::Shift(_) => format!("{:+.2}", 100.0 * x).replace('-', "−"),
    }
}

/// `84.14 to 89.02`
fn ends(column: Column, c: &Cell) -> String {
    match c.interval() {
        Some(_) if is_alike(c) => ALIKE.into(),
        Some(ends) => ends.map(|x| percent(column, x)).join(" to "),
        None => format!("none: n < {}", Estimate::FEWEST),
    }
}

/// `86.58 ±  1.08`; without an error as much room.
fn number(column: Column, x: f64, error: Option<f64>) -> String {
    let value = percent(column, x);
    match error {
        Some(error) => format!("{value} ± {:>5.2}", 100.0 * error),
        None => format!("{value}{:8}", ""),
    }
}

/// Who is ahead, what the marks mean, how many there are of each, what is not the paper's.
fn foot(cells: &[Cell]) -> String {
    let mut out = String::from(
        "Mean ± standard error over seeds; differences seed by seed. 95 %: Student's t\ninterval, of differences over the pairs.\n",
    );
    if cells.iter().any(|c| [Metric::STRAT_ID_VOTE, Metric::TRANSFORMER_ID_VOTE].contains(&c.metric)) {
        out.push_str(&wrapped("vote: right where more seeds give the right answer than any other."));
    }
    if cells.iter().any(|c| c.metric == Metric::ID_DECIDED) {
        out.push_str(&wrapped(
            "given: the share of the test that the ten examples decide for someone who knows what is counted; the rest is a guess.",
        ));
    }
    out.push_str(&[0, 1].map(|i| lead(cells, i)).concat());
    for line in legend(cells).lines() {
        out.push_str(&wrapped(line));
    }
    if cells.iter().any(|c| c.row == AVERAGE_ROW && c.paper_error.is_some()) {
        out.push_str("The paper prints no error of its averages: it is made of the rows' errors.\n");
    }
    let mut notes: Vec<(&str, &str)> =
        cells.iter().filter_map(|c| c.stand_in.as_deref().map(|what| (c.row.as_str(), what))).collect();
    notes.dedup();
    for (row, what) in notes.into_iter().filter(|(row, _)| *row != AVERAGE_ROW) {
        out.push_str(&wrapped(&format!("* {row} is a stand-in: {what}.")));
    }
    out
}

/// On which data sets one model leads the other: where the interval of their difference excludes 0 and is not within the
/// margin of verdicts.
fn lead(cells: &[Cell], i: usize) -> String {
    let metric = Column::Difference(i).metric();
    let mut rows: [Vec<&str>; 4] = Default::default();
    for c in cells.iter().filter(|c| c.metric == *metric && c.row != AVERAGE_ROW) {
        let place = match c.interval() {
            Some([low, high]) if low >= -Verdict::POINTS && high <= Verdict::POINTS => 2,
            Some([low, _]) if low > 0.0 => 0,
            Some([_, high]) if high < 0.0 => 1,
            _ => 3,
        };
        rows[place].push(&c.row);
    }
    if rows.iter().all(Vec::is_empty) {
        return String::new();
    }
    let names = |rows: &Vec<&str>| match rows.len() {
        0 => "none".into(),
        n => format!("{n} ({})", rows.join(", ")),
    };
    let [ahead, behind, level, open] = rows.each_ref().map(names);
    wrapped(&format!(
        "{}: STRAT leads on {ahead}, the Transformer on {behind}, level within 2 points {level}, too uncertain to tell {open}.",
        ["ID", "OOD"][i]
    ))
}

/// Lines of at most 80 characters, the second and further ones indented.
pub(super) fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut length = 0;
    for word in text.split(' ') {
        let width = word.chars().count();
        if length > 0 && length + 1 + width > 80 {
            out.push_str("\n ");
            length = 1;
        }
        if length > 0 {
            out.push(' ');
            length += 1;
        }
        out.push_str(word);
        length += width;
    }
    out.push('\n');
    out
}
