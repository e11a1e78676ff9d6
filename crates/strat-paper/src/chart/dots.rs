//! One figure of every row with its interval, on a logarithmic axis, the paper's beside it.

use super::axis::Axis;
use super::canvas::{Canvas, Datum, Drawing, Entry, Sign};
use super::look::Look;
use super::{RIGHT, WIDTH, frame};
use crate::table::{ours, theirs};
use strat::metric::Metric;
use strat::result::Cell;

const LEFT: f64 = 114.0;
const TOP: f64 = 34.0;
const ROW: f64 = 24.0;

/// The cells of a metric, in their order.
pub fn draw(title: &str, cells: &[&Cell], metric: &Metric) -> Drawing {
    let such: Vec<&&Cell> = cells.iter().filter(|c| c.metric == *metric).collect();
    let Metric { name: metric, heading, .. } = metric;
    let right = WIDTH - RIGHT;
    let bottom = TOP + ROW * such.len() as f64;
    let numbers = such.iter().flat_map(|c| [Some(c.value), c.low, c.high, c.paper]).flatten();
    let axis = Axis::decades(numbers, [LEFT, right]);
    let mut c = Canvas::new();
    frame::horizontal(&mut c, title, &axis, [LEFT, TOP, right, bottom], heading);
    for (i, cell) in such.iter().enumerate() {
        let y = TOP + ROW * (i as f64 + 0.5);
        c.text([LEFT - 8.0, y + 4.0], "end", cell.row.split(" (").next().unwrap_or(&cell.row));
        let of = &*cell.row;
        if let Some(value) = cell.paper {
            let tip = format!("{of}, {heading}, paper: {}", theirs(cell));
            let datum = Datum { of, metric: &format!("paper_{metric}"), value, tip };
            c.diamond([axis.at(value), y], 5.5, &datum);
        }
        c.series(Look::of(of), of, |c| {
            if let Some(ends) = cell.interval() {
                c.whisker(ends.map(|x| [axis.at(x), y]), 4.0, "interval");
            }
            let tip = format!("{of}, {heading}: {}", ours(cell));
            c.circle([axis.at(cell.value), y], 4.0, "full", &Datum { of, metric, value: cell.value, tip });
        });
    }
    let look = Look::of(such.first().map_or("", |c| &c.row));
    let entries = [
        Entry { mark: Sign::Circle(look), name: "ours, 95 % interval" },
        Entry { mark: Sign::Paper, name: "paper" },
    ];
    let low = c.legend([LEFT, bottom + 58.0], WIDTH, &entries);
    c.finish([WIDTH, low + 16.0], title)
}
