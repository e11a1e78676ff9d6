//! Scatter plots as SVG, self-contained.

use std::fmt::Write;

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
    /// As in CSS.
    pub colour: &'static str,
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

/// Size of a plot, and its place within its panel.
const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 270.0;
const LEFT: f64 = 74.0;
const TOP: f64 = 66.0;
const PANEL: [f64; 2] = [LEFT + WIDTH + 26.0, TOP + HEIGHT + 94.0];

/// Panels side by side.
pub fn scatter(panels: &[Panel]) -> String {
    let (width, height) = (PANEL[0] * panels.len() as f64, PANEL[1]);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#222\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for (i, p) in panels.iter().enumerate() {
        let _ = writeln!(svg, "<g transform=\"translate({} 0)\">", PANEL[0] * i as f64);
        panel(&mut svg, p);
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

fn panel(svg: &mut String, p: &Panel) {
    let middle = LEFT + WIDTH / 2.0;
    text(svg, [middle, 26.0], "font-size=\"16\" font-weight=\"bold\" text-anchor=\"middle\"", &p.title);
    text(svg, [middle, 47.0], "fill=\"#555\" text-anchor=\"middle\"", &p.subtitle);

    let view = View::of(p);
    let _ = writeln!(
        svg,
        "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fbfbfb\" stroke=\"#999\"/>"
    );
    let bottom = TOP + HEIGHT;
    for (axis, low) in view.low.into_iter().enumerate() {
        for tick in ticks(low, low + view.span[axis], step(view.span[0])) {
            // Along this axis the tick's place; across it, from edge to edge.
            let [x, y] = view.place([tick, tick]);
            let (from, to) = if axis == 0 { ([x, TOP], [x, bottom]) } else { ([LEFT, y], [LEFT + WIDTH, y]) };
            let stroke = if tick == 0.0 { "#999\" stroke-dasharray=\"4 3" } else { "#e8e8e8" };
            line(svg, from, to, stroke);
            if axis == 0 {
                text(svg, [x, bottom + 18.0], "text-anchor=\"middle\"", &label(tick));
            } else {
                text(svg, [LEFT - 8.0, y + 4.5], "text-anchor=\"end\"", &label(tick));
            }
        }
    }
    text(svg, [middle, bottom + 40.0], "text-anchor=\"middle\"", &p.labels[0]);
    let side = TOP + HEIGHT / 2.0;
    text(svg, [22.0, side], &format!("text-anchor=\"middle\" transform=\"rotate(-90 22 {side})\""), &p.labels[1]);

    for s in &p.series {
        s.background.iter().for_each(|&at| mark(svg, s, view.place(at), 3.5, PALE));
    }
    cross(svg, view.place([0.0, 0.0]));
    for s in &p.series {
        s.points.iter().for_each(|&at| mark(svg, s, view.place(at), 6.5, POINT));
    }
    // The legend stands below the axis label, one entry beside the other.
    let (mut x, y) = (LEFT + 6.0, bottom + 70.0);
    for s in &p.series {
        mark(svg, s, [x, y], 6.0, POINT);
        x = entry(svg, [x, y], &s.name);
    }
    cross(svg, [x, y]);
    entry(svg, [x, y], "Origin");
}

/// Opacity of points, so that those behind are seen, and of the background.
const POINT: f64 = 0.4;
const PALE: f64 = 0.2;

/// A name beside its mark, and where the next mark stands.
fn entry(svg: &mut String, [x, y]: [f64; 2], name: &str) -> f64 {
    text(svg, [x + 11.0, y + 4.5], "font-size=\"12\"", name);
    x + 38.0 + 6.9 * name.chars().count() as f64
}

fn cross(svg: &mut String, [x, y]: [f64; 2]) {
    for (from, to) in [([x - 6.0, y], [x + 6.0, y]), ([x, y - 6.0], [x, y + 6.0])] {
        line(svg, from, to, "black\" stroke-width=\"1.6");
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
        let unit = 1.16 * (extent[0] / WIDTH).max(extent[1] / HEIGHT);
        let unit = if unit > 0.0 { unit } else { 1.0 / WIDTH };
        let span = [WIDTH, HEIGHT].map(|side| side * unit);
        View { low: [0, 1].map(|axis| (ends[axis].0 + ends[axis].1 - span[axis]) / 2.0), span }
    }

    fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let along = |axis: usize, at: f64| (at - self.low[axis]) / self.span[axis];
        [LEFT + WIDTH * along(0, x), TOP + HEIGHT * (1.0 - along(1, y))]
    }
}

/// A round number that divides a span into three to nine parts.
fn step(span: f64) -> f64 {
    let rough = span / 3.5;
    let power = 10f64.powf(rough.log10().floor());
    power * [1.0, 2.0, 5.0].into_iter().rfind(|s| s * power <= rough).unwrap_or(1.0)
}

/// Multiples of `step` within a range.
fn ticks(low: f64, high: f64, step: f64) -> Vec<f64> {
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(|i| i as f64 * step).collect()
}

/// A tick as text: no digits that only rounding put there, and a real minus sign.
fn label(x: f64) -> String {
    let short = format!("{x:.4}");
    short.trim_end_matches('0').trim_end_matches('.').replace('-', "−")
}

fn text(svg: &mut String, [x, y]: [f64; 2], style: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{words}</text>");
}

fn line(svg: &mut String, a: [f64; 2], b: [f64; 2], stroke: &str) {
    let _ = writeln!(
        svg,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{stroke}\"/>",
        a[0], a[1], b[0], b[1]
    );
}

fn mark(svg: &mut String, s: &Series, [x, y]: [f64; 2], r: f64, opacity: f64) {
    let edge = (2.0 * opacity).min(1.0);
    let style = format!(
        "fill=\"{0}\" fill-opacity=\"{opacity}\" stroke=\"{0}\" stroke-opacity=\"{edge}\" stroke-width=\"1.3\"",
        s.colour
    );
    let _ = match s.mark {
        Mark::Circle => writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\" {style}/>"),
        Mark::Square => writeln!(
            svg,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{}\" height=\"{}\" {style}/>",
            x - 1.1 * r,
            y - 1.1 * r,
            2.2 * r,
            2.2 * r
        ),
        Mark::Triangle => writeln!(
            svg,
            "<polygon points=\"{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}\" {style}/>",
            x,
            y - 1.15 * r,
            x - r,
            y + 0.75 * r,
            x + r,
            y + 0.75 * r
        ),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let shown = |low, high| ticks(low, high, step(high - low)).into_iter().map(label).collect::<Vec<_>>();
        assert_eq!(shown(-1.2, 1.3), ["−1", "−0.5", "0", "0.5", "1"]);
        assert_eq!(shown(-30.0, 900.0), ["0", "200", "400", "600", "800"]);
        assert_eq!(shown(0.009, 0.031), ["0.01", "0.015", "0.02", "0.025", "0.03"]);
    }

    #[test]
    fn a_point_for_every_point_within_the_frame() {
        let series = |mark, x: f64| Series {
            name: "a < b & c".into(),
            colour: "#d62728",
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
            assert!(x > LEFT && x < LEFT + WIDTH && y > TOP && y < TOP + HEIGHT, "{p:?} is drawn at {x}, {y}");
        }
        let svg = scatter(&[panel]);
        // Each series' points, and its mark in the legend.
        assert_eq!((svg.matches("<circle").count(), svg.matches("<polygon").count()), (3, 3));
        assert!(svg.contains("a &lt; b &amp; c") && svg.ends_with("</svg>\n"));
    }
}
