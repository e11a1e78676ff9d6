//! By how much one model leads on every data set, in and out of distribution, with 95 % intervals.

use super::axis::Axis;
use super::canvas::{Canvas, Datum, Drawing, Entry, Sign};
use super::look::Look;
use super::{RIGHT, WIDTH, frame};
use crate::table::{ours, theirs};
use strat::metric::Metric;
use strat::result::Cell;

const ROW: f64 = 34.0;
const LEFT: f64 = 138.0;
const TOP: f64 = 34.0;

/// The cells of two metrics that are differences: in distribution, then out of it.
pub fn draw(title: &str, name: &str, cells: &[Cell], metrics: [&Metric; 2]) -> Drawing {
    let such: Vec<&Cell> = cells.iter().filter(|c| metrics.contains(&&c.metric)).collect();
    let mut rows: Vec<&str> = such.iter().map(|c| c.row.as_str()).collect();
    rows.dedup();
    let right = WIDTH - RIGHT;
    let bottom = TOP + ROW * rows.len() as f64;
    let all = such.iter().flat_map(|c| [Some(c.value), c.low, c.high, c.paper]).flatten().filter(|x| x.is_finite());
    let (low, high) = all.fold((0.0f64, 0.0f64), |(low, high), x| (low.min(x), high.max(x)));
    let ten = |x: f64, round: fn(f64) -> f64| round(10.0 * x.clamp(-1.0, 1.0)) * 10.0;
    let (low, high) = (ten(low, f64::floor), ten(high, f64::ceil));
    let axis = Axis::linear(low, high.max(low + 10.0), [LEFT, right]);
    let mut c = Canvas::new();
    frame::horizontal(&mut c, title, &axis, [LEFT, TOP, right, bottom], "percentage points");
    c.line([axis.at(0.0), TOP], [axis.at(0.0), bottom], "threshold");
    for (i, row) in rows.iter().enumerate() {
        c.text([LEFT - 8.0, TOP + ROW * (i as f64 + 0.5) + 4.0], "end", row);
    }
    let look = Look::of(name);
    c.series(look, name, |c| {
        for (i, row) in rows.iter().enumerate() {
            for (s, metric) in metrics.iter().enumerate() {
                let Some(cell) = such.iter().find(|c| c.row == *row && c.metric == **metric) else { continue };
                let y = TOP + ROW * (i as f64 + 0.5) + [-8.0, 6.0][s];
                let of = &*cell.row;
                let (name, heading) = (&cell.metric.name, &cell.metric.heading);
                if let Some(value) = cell.paper {
                    let tip = format!("{of}, {heading}, paper: {}", theirs(cell));
                    let datum = Datum { of, metric: &format!("paper_{name}"), value, tip };
                    c.hollow_diamond([axis.at(100.0 * value), y + 5.0], 3.0, &datum);
                }
                if let Some(ends) = cell.interval() {
                    c.whisker(ends.map(|x| [axis.at(100.0 * x), y]), 3.0, "interval");
                }
                let class = ["pale", "full"][s];
                let tip = format!("{of}, {heading}: {}", ours(cell));
                c.circle(
                    [axis.at(100.0 * cell.value), y],
                    4.0,
                    class,
                    &Datum { of, metric: name, value: cell.value, tip },
                );
            }
        }
    });
    let entries = [
        Entry { mark: Sign::Pale(look), name: "in distribution" },
        Entry { mark: Sign::Disc(look), name: "out of distribution, 95 % interval" },
        Entry { mark: Sign::Paper, name: "paper" },
    ];
    let low = c.legend([60.0, bottom + 58.0], WIDTH, &entries);
    c.finish([WIDTH, low + 16.0], title)
}
