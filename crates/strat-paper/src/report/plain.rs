//! A report as Markdown, and its cells as CSV.

use super::document::{Report, Section};
use crate::table::{blocks, dagger, interval, legend, mark, ours, theirs};
use std::fmt::Write;
use strat::result::Cell;

/// Sections with their tables, checks and commands; no figures.
pub fn markdown(report: &Report) -> String {
    let mut out = String::from("# STRAT: ours beside the paper’s\n");
    for section in &report.sections {
        markdown_section(&mut out, section);
    }
    out
}

fn markdown_section(out: &mut String, s: &Section) {
    let _ = write!(out, "\n## {}\n\n{}\n\n{}\n", text(&s.title), text(&s.about), text(&s.lead));
    for (title, cells) in &s.tables {
        if !title.is_empty() {
            let _ = write!(out, "\n### {}\n", text(title));
        }
        for block in blocks(cells) {
            let _ = write!(out, "\n| |");
            block.metrics.iter().for_each(|m| {
                let _ = write!(out, " {} |", text(&m.heading));
            });
            let _ = write!(out, "\n|---|{}\n", "---:|".repeat(block.metrics.len()));
            for row in &block.rows {
                let _ = write!(out, "| {} |", text(row));
                for metric in &block.metrics {
                    let _ = write!(out, " {} |", block.cell(row, metric).map_or(String::new(), in_one_line));
                }
                out.push('\n');
            }
        }
        if cells.iter().any(|c| c.paper.is_some()) {
            let _ = writeln!(
                out,
                "\nOurs (95 % interval) mark paper’s; {}",
                text(legend(cells).trim_end()).replace(" † ", "\n\n† ")
            );
        }
    }
    if !s.checks.is_empty() {
        out.push('\n');
    }
    for c in &s.checks {
        let _ = writeln!(out, "- [{}] {}", if c.holds { "x" } else { " " }, text(&c.statement));
    }
    for p in &s.sources {
        let [done, all] = p.learners;
        let made =
            format!("{}: {done} of {all} learners, strat {}, commit {}, {}", p.folder, p.version, p.commit, p.isa);
        let _ = write!(out, "\n{}", text(&made));
        for machine in &p.machines {
            let _ = write!(out, "; {}", text(machine));
        }
        out.push('\n');
        for command in &p.commands {
            // Indented, so that nothing in it means anything.
            let _ = write!(out, "\n    {}\n", command.replace(['\n', '\r'], " "));
        }
    }
}

/// `7,690 (7,306 – 8,048) ▲ 9,046`
fn in_one_line(c: &Cell) -> String {
    let interval = interval(c).map_or(String::new(), |i| format!(" ({i})"));
    let figure = format!("{} {}{}", mark(c.verdict), theirs(c), dagger(c));
    let paper = if c.paper.is_some() { format!(" {}", figure.trim_start()) } else { String::new() };
    format!("{}{interval}{paper}", ours(c))
}

/// Text in which nothing means anything to Markdown.
fn text(words: &str) -> String {
    let mut out = String::new();
    for c in words.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// Every cell of every table with all its digits, a line each.
pub fn csv(report: &Report) -> String {
    let mut out = String::from(
        "section,experiment,task,row,metric,value,low,high,n,error,paper,paper_error,verdict,stand_in,departs\n",
    );
    for section in &report.sections {
        for c in section.cells() {
            let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
            let fields = [
                quoted(&section.id),
                quoted(&c.experiment),
                quoted(c.task.as_deref().unwrap_or("")),
                quoted(&c.row),
                quoted(&c.metric.name),
                c.value.to_string(),
                number(c.interval().map(|[low, _]| low)),
                number(c.interval().map(|[_, high]| high)),
                c.n.to_string(),
                number(c.error),
                number(c.paper),
                number(c.paper_error),
                c.verdict.map_or("", |v| v.word()).into(),
                quoted(c.stand_in.as_deref().unwrap_or("")),
                quoted(c.departs.as_deref().unwrap_or("")),
            ];
            out.push_str(&fields.join(","));
            out.push('\n');
        }
    }
    out
}

/// As RFC 4180 has it: quoted where it must be.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_words_mean_nothing_but_themselves() {
        assert_eq!(quoted("STRAT, \"Std\""), "\"STRAT, \"\"Std\"\"\"");
        assert_eq!(quoted("A_s"), "A_s");
        assert_eq!(text("A_s | <b>\n"), "A\\_s \\| \\<b\\> ");
    }
}
