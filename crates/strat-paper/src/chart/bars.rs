//! Accuracies of two models, a pair of bars for each row, with the paper's beside them.

use super::axis::Axis;
use super::canvas::{Canvas, Datum, Drawing, Entry, Sign};
use super::{RIGHT, WIDTH, frame};
use crate::table::{ours, theirs};
use strat::metric::Metric;
use strat::result::Cell;

/// Height of a row, and where bars begin.
const ROW: f64 = 30.0;
const LEFT: f64 = 150.0;
const TOP: f64 = 34.0;

/// The cells of two metrics, in the order of their rows. Each metric comes with its name in the legend.
pub fn draw(title: &str, cells: &[Cell], metrics: [(&Metric, &str); 2]) -> Drawing {
    let such = |c: &&Cell| metrics.iter().any(|(metric, _)| c.metric == **metric);
    let mut rows: Vec<&str> = cells.iter().filter(such).map(|c| c.row.as_str()).collect();
    rows.dedup();
    let right = WIDTH - RIGHT;
    let bottom = TOP + ROW * rows.len() as f64;
    let axis = Axis::linear(0.0, 100.0, [LEFT, right]);
    let mut c = Canvas::new();
    frame::horizontal(&mut c, title, &axis, [LEFT, TOP, right, bottom], "right answers in %");
    for (i, row) in rows.iter().enumerate() {
        c.text([LEFT - 8.0, TOP + ROW * (i as f64 + 0.5) + 4.0], "end", row);
    }
    for (s, (metric, name)) in metrics.iter().enumerate() {
        c.series(s, name, |c| {
            for (i, row) in rows.iter().enumerate() {
                let Some(cell) = cells.iter().find(|c| c.row == *row && c.metric == **metric) else { continue };
                let y = TOP + ROW * i as f64 + 4.0 + 11.5 * s as f64;
                pair(c, &axis, y, cell, ["full", "hollow"][s]);
            }
        });
    }
    let [(_, strat), (_, other)] = metrics;
    let entries = [
        Entry { mark: Sign::Full(0), name: strat },
        Entry { mark: Sign::Hollow(1), name: other },
        Entry { mark: Sign::Error, name: "standard error" },
        Entry { mark: Sign::Paper, name: "paper" },
    ];
    let low = c.legend([60.0, bottom + 58.0], WIDTH, &entries);
    c.finish([WIDTH, low + 16.0], title)
}

/// A bar with its error, and the paper's figure on it.
fn pair(c: &mut Canvas, axis: &Axis, y: f64, cell: &Cell, class: &str) {
    let height = 10.0;
    let end = axis.at(100.0 * cell.value);
    let middle = y + height / 2.0;
    let (of, Metric { name: metric, heading, .. }) = (&*cell.row, &cell.metric);
    let tip = format!("{of}, {heading}: {}", ours(cell));
    c.bar([axis.at(0.0), y], [end - axis.at(0.0), height], class, &Datum { of, metric, value: cell.value, tip });
    if let Some(error) = cell.error {
        let ends = [cell.value - error, cell.value + error].map(|x| [axis.at(100.0 * x), middle]);
        c.whisker(ends, 3.0, "error");
    }
    if let Some(value) = cell.paper {
        let tip = format!("{of}, {heading}, paper: {}", theirs(cell));
        c.diamond(
            [axis.at(100.0 * value), middle],
            4.0,
            &Datum { of, metric: &format!("paper_{metric}"), value, tip },
        );
    }
}
