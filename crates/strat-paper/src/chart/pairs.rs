//! Accuracies of two models on every data set: two dots and the line between them, the paper's hollow beside them.

use super::axis::Axis;
use super::canvas::{Canvas, Datum, Drawing, Entry, Sign};
use super::look::Look;
use super::{RIGHT, WIDTH, frame};
use crate::table::{ours, theirs};
use strat::metric::Metric;
use strat::result::Cell;

/// Height of a row, and where the field begins.
const ROW: f64 = 30.0;
const LEFT: f64 = 138.0;
const TOP: f64 = 34.0;

/// The cells of two metrics, in the order of their rows. Each metric comes with its name in the legend. The axis begins where
/// the numbers do: a dot's place is its value, and its distance from the edge means nothing.
pub fn draw(title: &str, cells: &[Cell], metrics: [(&Metric, &str); 2]) -> Drawing {
    let such = |c: &&Cell| metrics.iter().any(|(metric, _)| c.metric == **metric);
    let mut rows: Vec<&str> = cells.iter().filter(such).map(|c| c.row.as_str()).collect();
    rows.dedup();
    let right = WIDTH - RIGHT;
    let bottom = TOP + ROW * rows.len() as f64;
    let ends = cells.iter().filter(such).flat_map(|c| [Some(c.value - c.error.unwrap_or(0.0)), c.paper]).flatten();
    let least = ends.fold(1.0, f64::min).max(0.0);
    let axis = Axis::linear(((10.0 * least).floor() * 10.0).clamp(0.0, 90.0), 100.0, [LEFT, right]);
    let mut c = Canvas::new();
    frame::horizontal(&mut c, title, &axis, [LEFT, TOP, right, bottom], "right answers in %");
    for (i, row) in rows.iter().enumerate() {
        let middle = TOP + ROW * (i as f64 + 0.5);
        c.text([LEFT - 8.0, middle + 4.0], "end", row);
        let find = |metric: &Metric| cells.iter().find(|c| c.row == *row && c.metric == *metric);
        if let [Some(a), Some(b)] = metrics.map(|(metric, _)| find(metric)) {
            c.line([axis.at(100.0 * a.value), middle], [axis.at(100.0 * b.value), middle], "rule");
        }
    }
    for (s, (metric, name)) in metrics.iter().enumerate() {
        c.series(Look::of(name), name, |c| {
            for (i, row) in rows.iter().enumerate() {
                let Some(cell) = cells.iter().find(|c| c.row == *row && c.metric == **metric) else { continue };
                let middle = TOP + ROW * (i as f64 + 0.5);
                dot(c, &axis, [middle, middle + [-8.0, 8.0][s]], cell);
            }
        });
    }
    let [(_, strat), (_, other)] = metrics;
    let entries = [
        Entry { mark: Sign::Disc(Look::of(strat)), name: strat },
        Entry { mark: Sign::Disc(Look::of(other)), name: other },
        Entry { mark: Sign::Error, name: "standard error" },
        Entry { mark: Sign::Paper, name: "paper" },
    ];
    let low = c.legend([60.0, bottom + 58.0], WIDTH, &entries);
    c.finish([WIDTH, low + 16.0], title)
}

/// Ours with its error in the middle of the row, the paper's beside it.
fn dot(c: &mut Canvas, axis: &Axis, [middle, beside]: [f64; 2], cell: &Cell) {
    let (of, Metric { name: metric, heading, .. }) = (&*cell.row, &cell.metric);
    if let Some(value) = cell.paper {
        let tip = format!("{of}, {heading}, paper: {}", theirs(cell));
        let datum = Datum { of, metric: &format!("paper_{metric}"), value, tip };
        c.hollow_diamond([axis.at(100.0 * value), beside], 3.5, &datum);
    }
    if let Some(error) = cell.error {
        c.whisker([cell.value - error, cell.value + error].map(|x| [axis.at(100.0 * x), middle]), 3.0, "error");
    }
    let tip = format!("{of}, {heading}: {}", ours(cell));
    let datum = Datum { of, metric, value: cell.value, tip };
    c.circle([axis.at(100.0 * cell.value), middle], 4.5, "full", &datum);
}
