//! Cells as a text table: ours with its interval, the paper's below, a mark for the verdict.

use std::fmt::Write;
use strat::result::verdict::{is_difference, tally};
use strat::result::{Cell, Check, Verdict, thousands};
use strat::stats::FEWEST;

/// How a metric's numbers are written.
pub(crate) fn number(metric: &str, x: f64) -> String {
    if is_difference(metric) {
        format!("{:+.1} %", 100.0 * x).replace('-', "−")
    } else if metric.contains("parameters") {
        thousands(x as u64)
    } else if metric.contains("mae") {
        match x {
            x if !x.is_finite() => "∞".into(),
            x if x < 10.0 => format!("{x:.2}"),
            x if x < 100.0 => format!("{x:.1}"),
            x => thousands(x.round() as u64),
        }
    } else if is_geometric(metric) {
        format!("{x:.3}").replace('-', "−")
    } else {
        format!("{:.1} %", 100.0 * x)
    }
}

/// As the paper prints it: no more digits than it has.
fn printed(metric: &str, x: f64) -> String {
    if is_difference(metric) {
        format!("{:+.2} %", 100.0 * x).replace('-', "−")
    } else if is_geometric(metric) || x.fract() != 0.0 && metric.contains("mae") {
        format!("{x}").replace('-', "−")
    } else if metric.contains("mae") || metric.contains("parameters") {
        thousands(x as u64)
    } else {
        // As many digits as it takes: 31 %, 99.6 %, 0.25 %.
        let percent = format!("{:.2}", 100.0 * x);
        percent.trim_end_matches('0').trim_end_matches('.').to_string() + " %"
    }
}

/// Ours: a mean with its standard error, if it has one.
pub(crate) fn ours(c: &Cell) -> String {
    c.error.map_or_else(|| number(&c.metric, c.value), |error| mean(&c.metric, c.value, error))
}

/// The ends of our interval, or why there is none; nothing if it needs none.
pub(crate) fn interval(c: &Cell) -> Option<String> {
    let Some(ends) = c.interval() else { return is_too_few(c).then(|| format!("none: n < {FEWEST}")) };
    if is_alike(c) {
        return Some(ALIKE.into());
    }
    let [low, high] = ends.map(|x| number(&c.metric, x));
    Some(format!("{} – {high}", low.trim_end_matches(" %")))
}

/// Instead of an interval without width: no spread was seen, which does not say that there is none.
pub(crate) const ALIKE: &str = "all alike";

/// Whether it is a mean of numbers that are all the same.
pub(crate) fn is_alike(c: &Cell) -> bool {
    c.error == Some(0.0) && c.interval() == Some([c.value; 2])
}

/// Whether it has no interval for want of learners. A count has none either way.
fn is_too_few(c: &Cell) -> bool {
    c.low.is_none() && c.n < FEWEST && !c.metric.contains("parameters")
}

/// The paper's; empty if it has none.
pub(crate) fn theirs(c: &Cell) -> String {
    match (c.paper, c.paper_error) {
        (Some(x), Some(error)) => mean(&c.metric, x, error),
        (Some(x), None) => printed(&c.metric, x),
        (None, _) => String::new(),
    }
}

/// `86.58 ± 1.08 %`
fn mean(metric: &str, x: f64, error: f64) -> String {
    let sign = if is_difference(metric) { format!("{:+.2}", 100.0 * x) } else { format!("{:.2}", 100.0 * x) };
    format!("{} ± {:.2} %", sign.replace('-', "−"), 100.0 * error)
}

/// Angles and lengths are plain numbers, not shares.
fn is_geometric(metric: &str) -> bool {
    ["cosine", "distance", "ratio"].iter().any(|word| metric.contains(word))
}

/// A metric's name at the head of its column.
pub(crate) fn heading(metric: &str) -> &str {
    match metric {
        "id_mae_p25" => "ID MAE P25",
        "id_mae_median" => "ID MAE median",
        "id_mae_p75" => "ID MAE P75",
        "ood_mae_p75" => "OOD MAE P75",
        "ood_mae_p10" => "OOD MAE P10",
        "ood_mae_p25" => "OOD MAE P25",
        "ood_mae_median" => "OOD MAE median",
        "strict" => "strict (<20)",
        "logic" => "logic (<100)",
        "cosine_plus_minus" => "cosine(+, −)",
        "antipodal" => "cosine < −0.8",
        "opposed_at_gate" => "opposed at gate",
        "literal_distance" => "|literal|",
        "gate_ratio" => "gate: + / −",
        "id_accuracy" => "ID accuracy",
        "ood_accuracy" => "OOD accuracy",
        "distractor_distance" => "|A − B|",
        "distractor_ratio" => "… / |A − target|",
        "strat_id_accuracy" => "STRAT, ID",
        "strat_ood_accuracy" => "STRAT, OOD",
        "strat_ood_less_id" => "STRAT, OOD − ID",
        "transformer_id_accuracy" => "Transformer, ID",
        "transformer_ood_accuracy" => "Transformer, OOD",
        "transformer_ood_less_id" => "Transformer, OOD − ID",
        "difference_id_accuracy" => "difference, ID",
        "difference_ood_accuracy" => "difference, OOD",
        "ood_mae" => "OOD MAE",
        "train_mae_median" => "training MAE median",
        "id_mae_worst" => "ID error, worst",
        "ood_mae_worst" => "OOD error, worst",
        "taught_accuracy" => "training accuracy",
        other => other,
    }
}

/// What the marks mean and how many there are of each; nothing if there are none.
pub(crate) fn legend(cells: &[Cell]) -> String {
    let verdicts = || cells.iter().filter_map(|c| c.verdict);
    if verdicts().count() == 0 {
        return String::new();
    }
    let mut out = format!(
        "= same: the 95 % interval of the difference lies within 2 points (errors: 10 %),\n\
         ▲ better, ▼ worse: it excludes 0, ? too uncertain to tell\n{}\n",
        tally(verdicts())
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

/// Characters a line holds.
const WIDTH: usize = 110;

/// Rows that have metrics in common.
pub(crate) struct Block<'a> {
    /// Its columns.
    pub metrics: Vec<&'a str>,
    /// Its rows.
    pub rows: Vec<&'a str>,
    cells: &'a [Cell],
}

impl<'a> Block<'a> {
    fn of(cells: &'a [Cell]) -> Block<'a> {
        let (mut metrics, mut rows): (Vec<&str>, Vec<&str>) = (vec![], vec![]);
        for c in cells {
            if !metrics.contains(&c.metric.as_str()) {
                metrics.push(&c.metric);
            }
            if !rows.contains(&c.row.as_str()) {
                rows.push(&c.row);
            }
        }
        Block { metrics, rows, cells }
    }

    /// The cell of a row and a column, if there is one.
    pub fn cell(&self, row: &str, metric: &str) -> Option<&'a Cell> {
        self.cells.iter().find(|c| c.row == row && c.metric == metric)
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
    line.extend(metrics.iter().map(|m| heading(m).to_string()));
    grid.push(line);
    let in_paper = cells.iter().any(|c| c.paper.is_some());
    for row in rows {
        let mut lines = vec![vec![row.to_string()], vec!["  95 % interval".into()], vec!["  paper".into()]];
        let none = cells.iter().filter(|c| c.row == *row).all(|c| interval(c).is_none());
        for m in metrics {
            let (ours, interval, paper) = match block.cell(row, m) {
                Some(c) => (
                    number(m, c.value),
                    interval(c).unwrap_or_default(),
                    c.paper
                        .map_or(String::new(), |p| format!("{} {}{}", mark(c.verdict), printed(m, p), dagger(c))),
                ),
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
    use strat::result::Printed;
    use strat::stats::Estimate;

    fn estimate(value: f64, by: f64) -> Estimate {
        Estimate { value, interval: Some([value * (1.0 - by), value * (1.0 + by)]) }
    }

    #[test]
    fn numbers_stand_under_their_heading_beside_the_papers() {
        let cell = |metric: &str, value: f64, paper: f64, unit: f64| {
            let paper = Printed { value: paper, unit, n: 400 };
            Cell::new("locking", "STRAT Std (4D/1H)", metric, estimate(value, 0.1), 400, Some(paper))
        };
        let text = render(&[cell("ood_mae_median", 7688.6, 9046.0, 1.0), cell("logic", 0.29, 0.31, 0.01)]);
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
        let cell =
            |row: &str, metric: &str, value: f64| Cell::new("latent", row, metric, estimate(value, 0.0), 10, None);
        let text =
            render(&[cell("Arithmetic", "cosine_plus_minus", -0.9), cell("Grocery list", "id_accuracy", 1.0)]);
        let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["cosine(+,", "−)"]);
        assert_eq!(lines[1], ["Arithmetic", "−0.900"]);
        // The paper says nothing about them, so there is no line for it.
        assert!(lines[3].is_empty());
        assert_eq!(lines[4], ["ID", "accuracy"]);
        assert_eq!(lines[5], ["Grocery", "list", "100.0", "%"]);

        let wide: Vec<Cell> = (0..8).map(|i| cell("r", &format!("share_number_{i}"), 0.5)).collect();
        let text = render(&wide);
        assert!(text.lines().all(|l| l.chars().count() <= WIDTH));
        assert!((0..8).all(|i| text.contains(&format!("share_number_{i}"))));
    }

    #[test]
    fn an_interval_without_width_is_shown_as_what_it_is() {
        let c = Cell::of_mean("train", "STRAT", "id_accuracy", &[1.0; 10], None);
        assert_eq!(interval(&c).as_deref(), Some("all alike"));
    }

    #[test]
    fn few_learners_and_other_counts_are_marked() {
        let paper = |n: usize| Some(Printed { value: 0.31, unit: 0.01, n });
        let few = Estimate { value: 0.5, interval: None };
        let text = render(&[Cell::new("locking", "A", "logic", few, 4, paper(400))]);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(lines[2], "95 % interval   none: n < 5");
        assert!(
            lines[3].ends_with("? 31 %†") && text.ends_with("† 4 learners, the paper has 400 learners.\n"),
            "{text}"
        );
        let other = [
            Cell::new("locking", "A", "logic", few, 4, paper(400)),
            Cell::new("locking", "B", "logic", few, 4, paper(4)),
        ];
        assert_eq!(departures(&other), ["A: 4 learners, the paper has 400 learners"]);
        // A count needs no interval, and none is missed.
        let text =
            render(&[Cell::exact("params", "A", "STRAT parameters", 7.0, 1, Some(Printed::exact(7.0, 1.0)))]);
        assert!(!text.contains("interval\n") && !text.contains("none") && text.contains("= 7\n"), "{text}");
    }

    #[test]
    fn the_papers_figures_keep_their_digits() {
        assert_eq!(printed("ood_mae_median", 9046.0), "9,046");
        assert_eq!(printed("ood_mae_median", 40.4), "40.4");
        assert_eq!((printed("ood_accuracy", 0.996), printed("logic", 0.31)), ("99.6 %".into(), "31 %".into()));
    }
}
