//! Cells as a text table: ours with its interval, the paper's below, a mark for the verdict.

mod figure;

pub(crate) use figure::{ALIKE, interval, is_alike, number, ours, printed, theirs};

use std::fmt::Write;
use strat::metric::Metric;
use strat::result::{Cell, Check, Verdict};

/// What the marks mean and how many there are of each; nothing if there are none.
pub(crate) fn legend(cells: &[Cell]) -> String {
    let verdicts = || cells.iter().filter_map(|c| c.verdict);
    if verdicts().count() == 0 {
        return String::new();
    }
    let mut out = format!(
        "= same: the 95 % interval of the difference lies within 2 points (errors: 10 %),\n\
         ▲ better, ▼ worse: it excludes 0, ? too uncertain to tell\n{}\n",
        Verdict::tally(verdicts())
    );
    for what in departures(cells) {
        let _ = writeln!(out, "† {what}.");
    }
    out
}

/// What is not as the paper has it, each once.
pub(crate) fn departures(cells: &[Cell]) -> Vec<String> {
    let mut all: Vec<String> = vec![];
    for (row, what) in cells.iter().filter_map(|c| Some((&c.row, c.departs.as_ref()?))) {
        // What holds for all rows need not name them.
        let every = cells.iter().filter(|c| c.paper.is_some()).all(|c| c.departs.as_ref() == Some(what));
        let text = if every { what.clone() } else { format!("{row}: {what}") };
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// Behind what is not as the paper has it.
pub(crate) fn dagger(c: &Cell) -> &'static str {
    if c.departs.is_some() { "†" } else { "" }
}

pub(crate) fn mark(v: Option<Verdict>) -> &'static str {
    v.map_or("", Verdict::mark)
}

/// The paper's figure in so few digits as it has, with the mark of the verdict; empty if it has none.
fn beside(c: &Cell) -> String {
    let figure = |x: f64| format!("{} {}{}", mark(c.verdict), printed(c.metric.unit, x), dagger(c));
    c.paper.map_or(String::new(), |x| figure(x).trim_start().to_string())
}

/// Characters a line holds.
const WIDTH: usize = 110;

/// Rows that have metrics in common.
pub(crate) struct Block<'a> {
    /// Its columns.
    pub metrics: Vec<&'a Metric>,
    /// Its rows.
    pub rows: Vec<&'a str>,
    cells: &'a [Cell],
}

impl<'a> Block<'a> {
    fn of(cells: &'a [Cell]) -> Block<'a> {
        let (mut metrics, mut rows): (Vec<&Metric>, Vec<&str>) = (vec![], vec![]);
        for c in cells {
            if !metrics.contains(&&c.metric) {
                metrics.push(&c.metric);
            }
            if !rows.contains(&c.row.as_str()) {
                rows.push(&c.row);
            }
        }
        Block { metrics, rows, cells }
    }

    /// The cell of a row and a column, if there is one.
    pub fn cell(&self, row: &str, metric: &Metric) -> Option<&'a Cell> {
        self.cells.iter().find(|c| c.row == row && c.metric == *metric)
    }
}

/// Cells in their order; rows without a metric in common with those above are a block of their own.
pub(crate) fn blocks(cells: &[Cell]) -> Vec<Block<'_>> {
    let mut blocks = vec![];
    let mut rest = cells;
    while !rest.is_empty() {
        let above = |c: &Cell, n: usize| rest[..n].iter().any(|o| o.row == c.row || o.metric == c.metric);
        let end = (1..rest.len()).find(|&n| !rest[n..].iter().any(|c| above(c, n))).unwrap_or(rest.len());
        blocks.push(Block::of(&rest[..end]));
        rest = &rest[end..];
    }
    blocks
}

/// The table, three lines a row. Every block has a heading of its own, and metrics that do not fit the
/// line stand below the others.
pub fn render(cells: &[Cell]) -> String {
    let blocks: Vec<String> = blocks(cells).iter().map(render_block).collect();
    blocks.join("\n") + &legend(cells)
}

/// Statements, and whether they hold; nothing if there are none.
pub fn checks(checks: &[Check]) -> String {
    let line = |c: &Check| format!("  [{}] {}\n", if c.holds { "ok" } else { "no" }, c.statement);
    let lines: String = checks.iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("\nChecks:\n{lines}") }
}

fn render_block(block: &Block<'_>) -> String {
    let Block { metrics, rows, cells } = block;
    // Columns of text; a row is its name and one block of lines per metric.
    let mut grid: Vec<Vec<String>> = vec![];
    let mut line = vec![String::new()];
    line.extend(metrics.iter().map(|m| m.heading.to_string()));
    grid.push(line);
    let in_paper = cells.iter().any(|c| c.paper.is_some());
    for row in rows {
        let mut lines = vec![vec![row.to_string()], vec!["  95 % interval".into()], vec!["  paper".into()]];
        let none = cells.iter().filter(|c| c.row == *row).all(|c| interval(c).is_none());
        for m in metrics {
            let (ours, interval, paper) = match block.cell(row, m) {
                Some(c) => (number(m.unit, c.value), interval(c).unwrap_or_default(), beside(c)),
                None => Default::default(),
            };
            lines[0].push(ours);
            lines[1].push(interval);
            lines[2].push(paper);
        }
        if !in_paper {
            lines.truncate(2);
        }
        if none {
            lines.remove(1);
        }
        grid.extend(lines);
    }
    let columns = metrics.len() + 1;
    let width = |c: usize| grid.iter().map(|l| l[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    let mut start = 1;
    while start < columns {
        let room = |end: usize| widths[0] + widths[start..end].iter().map(|w| w + 2).sum::<usize>() <= WIDTH;
        let end = (start + 1..=columns).rev().find(|&end| room(end)).unwrap_or(start + 1);
        for line in &grid {
            let mut text = format!("{:<w$}", line[0], w = widths[0]);
            for c in start..end {
                let _ = write!(text, "  {:>w$}", line[c], w = widths[c]);
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
        start = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use strat::metric::{Better, Unit};
    use strat::result::Printed;
    use strat::stats::Estimate;

    fn estimate(value: f64, by: f64) -> Estimate {
        Estimate { value, interval: Some([value * (1.0 - by), value * (1.0 + by)]) }
    }

    #[test]
    fn numbers_stand_under_their_heading_beside_the_papers() {
        let cell = |metric: &Metric, value: f64, paper: f64, unit: f64| {
            let paper = Printed { value: paper, unit, n: 400 };
            Cell::new("locking", "STRAT Std (4D/1H)", metric, estimate(value, 0.1), 400, Some(paper))
        };
        let text =
            render(&[cell(&Metric::OOD_MAE_MEDIAN, 7688.6, 9046.0, 1.0), cell(&Metric::LOGIC, 0.29, 0.31, 0.01)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "                   OOD MAE median   logic (<100)");
        assert_eq!(lines[1], "STRAT Std (4D/1H)           7,689         29.0 %");
        assert_eq!(lines[2], "  95 % interval     6,920 – 8,457  26.1 – 31.9 %");
        assert_eq!(lines[3], "  paper                   ▲ 9,046         ? 31 %");
        assert!(lines[6].starts_with("0 of 2 figures are the same as the paper's, 1 better"), "{text}");
        assert_eq!(lines.len(), 7);
    }

    #[test]
    fn rows_of_other_metrics_have_their_own_heading_and_wide_ones_go_on_below() {
        let cell = |row: &str, metric: &Metric, value: f64| {
            Cell::new("latent", row, metric, estimate(value, 0.0), 10, None)
        };
        let text = render(&[
            cell("Arithmetic", &Metric::COSINE_PLUS_MINUS, -0.9),
            cell("Grocery list", &Metric::ID_ACCURACY, 1.0),
        ]);
        let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["cosine(+,", "−)"]);
        assert_eq!(lines[1], ["Arithmetic", "−0.900"]);
        // The paper says nothing about them, so there is no line for it.
        assert!(lines[3].is_empty());
        assert_eq!(lines[4], ["ID", "accuracy"]);
        assert_eq!(lines[5], ["Grocery", "list", "100.0", "%"]);

        let wide: Vec<Cell> =
            (0..8).map(|i| cell("r", &Metric::named(&format!("share_number_{i}")), 0.5)).collect();
        let text = render(&wide);
        assert!(text.lines().all(|l| l.chars().count() <= WIDTH));
        assert!((0..8).all(|i| text.contains(&format!("share number {i}"))));
    }

    #[test]
    fn few_learners_and_other_counts_are_marked() {
        let paper = |n: usize| Some(Printed { value: 0.31, unit: 0.01, n });
        let few = Estimate { value: 0.5, interval: None };
        let text = render(&[Cell::new("locking", "A", &Metric::LOGIC, few, 4, paper(400))]);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(lines[2], "95 % interval   none: n < 5");
        assert!(
            lines[3].ends_with("? 31 %†") && text.ends_with("† 4 learners, the paper has 400 learners.\n"),
            "{text}"
        );
        let other = [
            Cell::new("locking", "A", &Metric::LOGIC, few, 4, paper(400)),
            Cell::new("locking", "B", &Metric::LOGIC, few, 4, paper(4)),
        ];
        assert_eq!(departures(&other), ["A: 4 learners, the paper has 400 learners"]);
        // A count needs no interval, and none is missed.
        let text = render(&[Cell::exact(
            "params",
            "A",
            &Metric::STRAT_PARAMETERS,
            7.0,
            1,
            Some(Printed::exact(7.0, 1.0)),
        )]);
        assert!(!text.contains("interval\n") && !text.contains("none") && text.contains("= 7\n"), "{text}");
    }

    /// What a table shows of somebody's own metric, it has from the metric alone.
    #[test]
    fn a_metric_of_ones_own_has_its_heading_and_unit() {
        let own = Metric {
            name: format!("mae_of_{}", "others").into(),
            heading: "F1".into(),
            unit: Unit::Share,
            better: Better::Higher,
        };
        let paper = Some(Printed { value: 0.5, unit: 0.01, n: 100 });
        let of = |metric: &Metric| render(&[Cell::new("own", "A", metric, estimate(0.75, 0.1), 100, paper)]);
        let lines = |text: &str| -> Vec<String> {
            text.lines().take(4).map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
        };
        assert_eq!(lines(&of(&own)), ["F1", "A 75.0 %", "95 % interval 67.5 – 82.5 %", "paper ▲ 50 %"]);
        // Of one that is read from a file only the name is known: the paper's figure stands there without a mark.
        let read = Metric::named("f1_of_others");
        let expected = ["f1 of others", "A 0.750", "95 % interval 0.675 – 0.825", "paper 0.5"];
        assert_eq!(lines(&of(&read)), expected);
    }
}
