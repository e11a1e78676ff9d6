//! What the shift from in to out of distribution costs: a line for each model, the paper's beside it.

use super::axis::Axis;
use super::canvas::{Canvas, Datum, Drawing, Entry, Sign};
use super::look::Look;
use super::{RIGHT, WIDTH, frame};
use crate::table::{ours, theirs};
use strat::metric::Metric;
use strat::result::Cell;

const FIELD: [f64; 4] = [58.0, 34.0, WIDTH - RIGHT, 264.0];

/// Two metrics, in and out of distribution, of each model, whose name is in the legend.
pub fn draw(title: &str, cells: &[Cell], models: &[(&str, [&Metric; 2])]) -> Drawing {
    let find = |metric: &Metric| cells.iter().find(|c| c.metric == *metric);
    let shown = models.iter().flat_map(|(_, metrics)| metrics.iter().filter_map(|m| find(m)));
    let least = shown.flat_map(|c| [Some(c.value - c.error.unwrap_or(0.0)), c.paper]).flatten().fold(1.0, f64::min);
    let [left, top, right, bottom] = FIELD;
    let low = (10.0 * least - 0.2).floor().clamp(0.0, 9.0) * 10.0;
    let axis = Axis::linear(low, 100.0, [bottom, top]);
    let places = [left + 0.22 * (right - left), left + 0.78 * (right - left)];
    let mut c = Canvas::new();
    c.text([(left + right) / 2.0, top - 14.0], "title", title);
    c.rect([left, top], [right - left, bottom - top], "plot");
    frame::upwards(&mut c, &axis, FIELD);
    c.upright([16.0, (top + bottom) / 2.0], "right answers in %");
    for (x, name) in places.into_iter().zip(["in distribution", "out of distribution"]) {
        c.text([x, bottom + 18.0], "quiet middle", name);
    }
    let mut entries = vec![];
    for (name, metrics) in models {
        let both = metrics.map(find);
        let points = |value: fn(&Cell) -> Option<f64>| -> Vec<[f64; 2]> {
            let at = |(cell, x): (&Option<&Cell>, f64)| Some([x, axis.at(100.0 * value((*cell)?)?)]);
            both.iter().zip(places).filter_map(at).collect()
        };
        c.series(Look::of(name), name, |c| {
            c.path(points(|c| c.paper), false, "theirline");
            c.path(points(|c| Some(c.value)), false, "curve");
            for (i, cell) in both.iter().enumerate() {
                if let Some(cell) = cell {
                    point(c, &axis, places[i], cell, [-1.0, 1.0][i]);
                }
            }
        });
        entries.push(Entry { mark: Sign::Line(Look::of(name)), name });
    }
    entries.push(Entry { mark: Sign::Dashed(Look::of("STRAT")), name: "paper" });
    entries.push(Entry { mark: Sign::Error, name: "standard error" });
    let low = c.legend([left, bottom + 44.0], WIDTH, &entries);
    c.finish([WIDTH, low + 16.0], title)
}

/// Ours with its error and its number on the outer side, the paper's as a diamond.
fn point(c: &mut Canvas, axis: &Axis, x: f64, cell: &Cell, side: f64) {
    let (of, Metric { name: metric, heading, .. }) = (&*cell.row, &cell.metric);
    let y = axis.at(100.0 * cell.value);
    if let Some(value) = cell.paper {
        let tip = format!("{of}, {heading}, paper: {}", theirs(cell));
        let datum = Datum { of, metric: &format!("paper_{metric}"), value, tip };
        c.diamond([x, axis.at(100.0 * value)], 4.0, &datum);
    }
    if let Some(error) = cell.error {
        c.whisker([cell.value - error, cell.value + error].map(|v| [x, axis.at(100.0 * v)]), 4.0, "error");
    }
    let tip = format!("{of}, {heading}: {}", ours(cell));
    c.circle([x, y], 5.0, "full", &Datum { of, metric, value: cell.value, tip });
    let class = if side < 0.0 { "small end" } else { "small" };
    c.text([x + 12.0 * side, y + 4.0], class, &format!("{:.1}", 100.0 * cell.value));
}
