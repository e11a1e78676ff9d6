//! Table 6 in 80 columns.

use super::{AVERAGE_ROW, Column};
use crate::model::Architecture::{Strat, Transformer};
use crate::report::Cell;
use crate::report::table::{legend, mark};
use std::fmt::Write;

/// Columns of text: the row's name, what a line is, and the three columns.
const WIDTHS: [usize; 3] = [20, 6, 17];

/// The cells as text: ours with its standard error, the paper's below, a mark for the verdict. Only the average says
/// how much the shift to OOD costs; every row's is among the cells.
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
        let mut title = format!("{row}{drawn}");
        let split = |i| [Column::Accuracy(Strat, i), Column::Accuracy(Transformer, i), Column::Difference(i)];
        let shift = [Column::Shift(Strat), Column::Shift(Transformer)];
        lines(&mut out, &mut title, "ID", &cells, &split(0));
        lines(&mut out, &mut title, "OOD", &cells, &split(1));
        if row == AVERAGE_ROW {
            lines(&mut out, &mut title, "OOD−ID", &cells, &shift);
        }
    }
    out.push_str(&foot(cells));
    out
}

/// Ours and the paper's; the title stands on the first line only.
fn lines(out: &mut String, title: &mut String, label: &str, cells: &[&Cell], columns: &[Column]) {
    let find = |column: &Column| cells.iter().find(|c| c.metric == column.metric());
    let found: Vec<(Column, Option<&&Cell>)> = columns.iter().map(|c| (*c, find(c))).collect();
    let ours = |(column, cell): &(Column, Option<&&Cell>)| {
        cell.map_or(String::new(), |c| number(*column, c.value, c.error))
    };
    let paper = |(column, cell): &(Column, Option<&&Cell>)| {
        let printed =
            |c: &&&Cell| Some(format!("{} {}", mark(c.verdict), number(*column, c.paper?, c.paper_error)));
        cell.as_ref().and_then(printed).unwrap_or_default()
    };
    line(out, &std::mem::take(title), label, found.iter().map(ours));
    if found.iter().any(|(_, cell)| cell.is_some_and(|c| c.paper.is_some())) {
        line(out, "", " paper", found.iter().map(paper));
    }
}

fn line(out: &mut String, title: &str, label: &str, columns: impl Iterator<Item = String>) {
    let [name, width, column] = WIDTHS;
    let mut text = format!("{title:<name$}{label:<width$}");
    columns.for_each(|c| text += &format!(" {c:>column$}"));
    out.push_str(text.trim_end());
    out.push('\n');
}

/// `86.58 ±  1.08`, with a sign where it is a difference; without an error as much room.
fn number(column: Column, x: f64, error: Option<f64>) -> String {
    let value = match column {
        Column::Accuracy(..) => format!("{:.2}", 100.0 * x),
        Column::Difference(_) | Column::Shift(_) => format!("{:+.2}", 100.0 * x).replace('-', "−"),
    };
    match error {
        Some(error) => format!("{value} ± {:>5.2}", 100.0 * error),
        None => format!("{value}{:8}", ""),
    }
}

/// What the marks mean, how many agree, what is not the paper's data.
fn foot(cells: &[Cell]) -> String {
    let mut out = String::from("Mean ± standard error over seeds; differences seed by seed.\n");
    out.push_str(legend(cells));
    if cells.iter().any(|c| c.row == AVERAGE_ROW && c.paper_error.is_some()) {
        out.push_str("The paper prints no error of its averages: it is made of the rows' errors.\n");
    }
    let compared = cells.iter().filter(|c| c.verdict.is_some()).count();
    let agree = cells.iter().filter(|c| mark(c.verdict) == "=").count();
    let _ = writeln!(out, "{agree} of {compared} figures agree, OOD less ID among them.");
    let mut notes: Vec<(&str, &str)> =
        cells.iter().filter_map(|c| c.stand_in.as_deref().map(|what| (c.row.as_str(), what))).collect();
    notes.dedup();
    for (row, what) in notes.into_iter().filter(|(row, _)| *row != AVERAGE_ROW) {
        out.push_str(&wrapped(&format!("* {row} is a stand-in: {what}.")));
    }
    out
}

/// Lines of at most 80 characters, the second and further ones indented.
fn wrapped(text: &str) -> String {
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
