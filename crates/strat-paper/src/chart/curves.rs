//! Losses over time: the median of a row's learners, and where four of five of them are.

pub(crate) use super::axis::BEYOND;

use super::axis::Axis;
use super::canvas::{Canvas, Datum, Drawing, Entry, Sign};
use super::look::Look;
use super::{RIGHT, WIDTH, frame};
use strat::stats::Statistic;

/// The learners of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<'a> {
    /// Its name.
    pub name: &'a str,
    /// Steps between two losses.
    pub every: usize,
    /// Losses of each learner.
    pub losses: Vec<&'a [f32]>,
}

impl Row<'_> {
    /// P10, median and P90 at each point. A learner that diverged is as wrong as can be.
    pub fn spread(&self) -> Vec<[f64; 3]> {
        let points = self.losses.iter().map(|l| l.len()).min().unwrap_or(0);
        let at = |i: usize| {
            let mut sorted: Vec<f64> = self.losses.iter().map(|l| f64::from(l[i])).collect();
            sorted.iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = f64::INFINITY);
            sorted.sort_by(f64::total_cmp);
            [0.1, 0.5, 0.9].map(|q| Statistic::Quantile(q).of_sorted(&sorted))
        };
        (0..points).map(at).collect()
    }
}

/// With more rows than this their bands would hide each other; each is seen when its row is pointed at.
pub(crate) const FEW: usize = 3;
const FIELD: [f64; 4] = [72.0, 34.0, WIDTH - RIGHT, 254.0];

/// Rows in one plot.
pub fn draw(title: &str, unit: &str, rows: &[Row<'_>]) -> Drawing {
    let spreads: Vec<Vec<[f64; 3]>> = rows.iter().map(Row::spread).collect();
    let [left, top, right, bottom] = FIELD;
    let last = rows.iter().zip(&spreads).map(|(r, s)| r.every * s.len().saturating_sub(1)).max().unwrap_or(0);
    let x = Axis::linear(0.0, last.max(1) as f64, [left, right]);
    let y = Axis::decades(spreads.iter().flatten().flatten().copied(), [bottom, top]);
    let mut c = Canvas::new();
    c.text([(left + right) / 2.0, top - 14.0], "title", title);
    c.rect([left, top], [right - left, bottom - top], "plot");
    frame::across(&mut c, &x, FIELD);
    frame::upwards(&mut c, &y, FIELD);
    c.text([(left + right) / 2.0, bottom + 36.0], "quiet middle", unit);
    let few = rows.len() <= FEW;
    let name = if few { "loss, median and P10 – P90" } else { "median loss" };
    c.upright([14.0, (top + bottom) / 2.0], name);
    for (row, spread) in rows.iter().zip(&spreads) {
        let place = |i: usize, value: f64| [x.at((i * row.every) as f64), y.at(value)];
        let along = |which: usize| spread.iter().enumerate().map(move |(i, s)| place(i, s[which]));
        c.series(Look::of(row.name), row.name, |c| {
            let back: Vec<[f64; 2]> = along(2).collect();
            c.path(along(0).chain(back.into_iter().rev()), true, if few { "band" } else { "band veiled" });
            c.path(along(1), false, "curve");
            for (i, [low, median, high]) in spread.iter().enumerate() {
                let step = i * row.every;
                let tip = format!(
                    "{}, {unit} {step}: loss {} ({} – {})",
                    row.name,
                    short(*median),
                    short(*low),
                    short(*high)
                );
                let of = format!("{}@{step}", row.name);
                c.circle(place(i, *median), 2.2, "dot", &Datum { of: &of, metric: "loss", value: *median, tip });
            }
        });
    }
    let entry = |row: &Row<'_>| Look::of(row.name);
    let entries: Vec<Entry<'_>> =
        rows.iter().map(|row| Entry { mark: Sign::Line(entry(row)), name: row.name }).collect();
    let low = c.legend([left - 40.0, bottom + 58.0], WIDTH, &entries);
    c.finish([WIDTH, low + 16.0], title)
}

/// Three digits that count.
pub(crate) fn short(x: f64) -> String {
    match x {
        x if !x.is_finite() => "∞".into(),
        x if x != 0.0 && !(1e-3..1e5).contains(&x.abs()) => format!("{x:.2e}").replace('-', "−"),
        x => {
            let digits = (2 - x.abs().max(1e-9).log10().floor() as i32).clamp(0, 6) as usize;
            format!("{x:.digits$}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_edges_of_a_row() {
        let losses: Vec<Vec<f32>> = (0..11).map(|i| vec![i as f32, 2.0 * i as f32]).collect();
        let row = Row { name: "r", every: 50, losses: losses.iter().map(Vec::as_slice).collect() };
        assert_eq!(row.spread(), [[1.0, 5.0, 9.0], [2.0, 10.0, 18.0]]);
        let svg = draw("t", "step", &[row]).inline();
        assert_eq!(svg.matches("class=\"mark dot\"").count(), 2);
        assert!(svg.contains("step 50: loss 10.0 (2.00 – 18.0)"), "{svg}");
    }

    #[test]
    fn three_digits_count() {
        assert_eq!(
            [0.0, 12345.6, 99.96, 0.0123, 1e-9].map(short),
            ["0.000000", "12346", "100.0", "0.0123", "1.00e−9"]
        );
    }
}
