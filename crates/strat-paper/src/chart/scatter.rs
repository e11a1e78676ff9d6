//! Points in a plane.

use super::WIDTH;
use super::axis::{label, step, ticks};
use super::canvas::{Canvas, Datum, Drawing, Entry, Sign};
use super::look::Look;

/// The shape of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// ●
    Circle,
    /// ■
    Square,
    /// ▲
    Triangle,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// For the legend.
    pub name: String,
    /// Which of the six colours.
    pub colour: usize,
    /// Their shape.
    pub mark: Mark,
    /// Where they are.
    pub points: Vec<[f64; 2]>,
    /// More of the same kind, drawn small and pale behind them.
    pub background: Vec<[f64; 2]>,
}

/// One plot. A unit is as long upwards as it is sideways, and the origin is in sight and marked.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Above it.
    pub title: String,
    /// A line below the title.
    pub subtitle: String,
    /// Below the axis and beside it.
    pub labels: [String; 2],
    /// What is in it.
    pub series: Vec<Series>,
}

/// The plot's place.
const LEFT: f64 = 62.0;
const TOP: f64 = 54.0;
const SIZE: [f64; 2] = [WIDTH - 16.0 - LEFT, 262.0];

/// A plot.
pub fn draw(panel: &Panel) -> Drawing {
    let mut c = Canvas::new();
    let middle = LEFT + SIZE[0] / 2.0;
    c.text([middle, 20.0], "title", &panel.title);
    c.text([middle, 40.0], "small quiet middle", &panel.subtitle);
    let view = View::of(panel);
    c.rect([LEFT, TOP], SIZE, "plot");
    let (right, bottom) = (LEFT + SIZE[0], TOP + SIZE[1]);
    for (axis, low) in view.low.into_iter().enumerate() {
        for tick in ticks(low, low + view.span[axis], step(view.span[0])) {
            // Along this axis the tick's place; across it, from edge to edge.
            let [x, y] = view.place([tick, tick]);
            let (from, to) = if axis == 0 { ([x, TOP], [x, bottom]) } else { ([LEFT, y], [right, y]) };
            c.line(from, to, if tick == 0.0 { "zero" } else { "grid" });
            match axis {
                0 => c.text([x, bottom + 17.0], "small quiet middle", &label(tick)),
                _ => c.text([LEFT - 7.0, y + 4.0], "small quiet end", &label(tick)),
            }
        }
    }
    c.text([middle, bottom + 36.0], "quiet middle", &panel.labels[0]);
    c.upright([16.0, TOP + SIZE[1] / 2.0], &panel.labels[1]);
    for s in &panel.series {
        c.series(Look::coloured(s.colour), &s.name, |c| {
            s.background.iter().for_each(|&at| point(c, s, &view, at, true))
        });
    }
    c.cross(view.place([0.0, 0.0]));
    for s in &panel.series {
        c.series(Look::coloured(s.colour), &s.name, |c| {
            s.points.iter().for_each(|&at| point(c, s, &view, at, false))
        });
    }
    let sign = |s: &Series| match s.mark {
        Mark::Circle => Sign::Circle(Look::coloured(s.colour)),
        Mark::Square => Sign::Square(Look::coloured(s.colour)),
        Mark::Triangle => Sign::Triangle(Look::coloured(s.colour)),
    };
    let mut entries: Vec<Entry<'_>> = panel.series.iter().map(|s| Entry { mark: sign(s), name: &s.name }).collect();
    entries.push(Entry { mark: Sign::Cross, name: "Origin" });
    let low = c.legend([LEFT, bottom + 60.0], WIDTH, &entries);
    c.finish([WIDTH, low + 16.0], &panel.title)
}

fn point(c: &mut Canvas, s: &Series, view: &View, at: [f64; 2], pale: bool) {
    let (r, class) = if pale { (3.5, "pale") } else { (6.0, "point") };
    let tip = format!("{}: ({:.3}, {:.3})", s.name, at[0], at[1]).replace('-', "−");
    let datum = Datum { of: &s.name, metric: "pc1", value: at[0], tip };
    let place = view.place(at);
    match s.mark {
        Mark::Circle => c.circle(place, r, class, &datum),
        Mark::Square => c.square(place, r, class, &datum),
        Mark::Triangle => c.triangle(place, r, class, &datum),
    }
}

/// The part of the plane that a plot shows.
struct View {
    low: [f64; 2],
    span: [f64; 2],
}

impl View {
    fn of(p: &Panel) -> View {
        let all = || p.series.iter().flat_map(|s| s.points.iter().chain(&s.background));
        let ends = [0, 1].map(|axis| {
            let at = all().map(|p| p[axis]).filter(|x| x.is_finite());
            at.fold((0.0f64, 0.0f64), |(low, high), x| (low.min(x), high.max(x)))
        });
        let extent = ends.map(|(low, high)| high - low);
        let unit = 1.16 * (extent[0] / SIZE[0]).max(extent[1] / SIZE[1]);
        let unit = if unit > 0.0 { unit } else { 1.0 / SIZE[0] };
        let span = SIZE.map(|side| side * unit);
        View { low: [0, 1].map(|axis| (ends[axis].0 + ends[axis].1 - span[axis]) / 2.0), span }
    }

    fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let along = |axis: usize, at: f64| (at - self.low[axis]) / self.span[axis];
        [LEFT + SIZE[0] * along(0, x), TOP + SIZE[1] * (1.0 - along(1, y))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_for_every_point_within_the_frame() {
        let series = |mark, x: f64| Series {
            name: "a < b & c".into(),
            colour: 1,
            mark,
            points: vec![[x, 0.2], [-x, -0.1]],
            background: vec![],
        };
        let panel = Panel {
            title: "t".into(),
            subtitle: String::new(),
            labels: ["x".into(), "y".into()],
            series: vec![series(Mark::Circle, 1.0), series(Mark::Square, 2.0), series(Mark::Triangle, 3.0)],
        };
        let view = View::of(&panel);
        for p in panel.series.iter().flat_map(|s| &s.points) {
            let [x, y] = view.place(*p);
            let inside = x > LEFT && x < LEFT + SIZE[0] && y > TOP && y < TOP + SIZE[1];
            assert!(inside, "{p:?} is drawn at {x}, {y}");
        }
        let svg = draw(&panel).standalone();
        assert_eq!(svg.matches("class=\"mark point\"").count(), 6);
        assert!(svg.contains("a &lt; b &amp; c") && svg.ends_with("</svg>\n"));
    }
}
