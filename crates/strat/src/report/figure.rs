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

/// Side of a plot's square, and its place within its panel.
const SIDE: f64 = 360.0;
const LEFT: f64 = 74.0;
const TOP: f64 = 66.0;
const PANEL: [f64; 2] = [LEFT + SIDE + 26.0, TOP + SIDE + 94.0];

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
    let middle = LEFT + SIDE / 2.0;
    text(svg, [middle, 26.0], "font-size=\"16\" font-weight=\"bold\" text-anchor=\"middle\"", &p.title);
    text(svg, [middle, 47.0], "fill=\"#555\" text-anchor=\"middle\"", &p.subtitle);

    let view = View::of(p);
    let _ = writeln!(
        svg,
        "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"#fbfbfb\" stroke=\"#999\"/>"
    );
    let bottom = TOP + SIDE;
    for (axis, low) in view.low.into_iter().enumerate() {
        for tick in ticks(low, low + view.span) {
            // Along this axis the tick's place; across it, from edge to edge.
            let [x, y] = view.place([tick, tick]);
            let (from, to) = if axis == 0 { ([x, TOP], [x, bottom]) } else { ([LEFT, y], [LEFT + SIDE, y]) };
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
    let side = TOP + SIDE / 2.0;
    text(svg, [22.0, side], &format!("text-anchor=\"middle\" transform=\"rotate(-90 22 {side})\""), &p.labels[1]);

    for s in &p.series {
        s.background.iter().for_each(|&at| mark(svg, s, view.place(at), 3.5, 0.3));
    }
    let [x, y] = view.place([0.0, 0.0]);
    for (from, to) in [([x - 7.0, y], [x + 7.0, y]), ([x, y - 7.0], [x, y + 7.0])] {
        line(svg, from, to, "black\" stroke-width=\"1.6");
    }
    for s in &p.series {
        s.points.iter().for_each(|&at| mark(svg, s, view.place(at), 7.0, 0.75));
    }
    // The legend stands below the axis label, one entry beside the other.
    let count = p.series.len() + 1;
    let entry = |i: usize| LEFT + SIDE * (i as f64 + 0.08) / count as f64;
    let y = bottom + 70.0;
    for (i, s) in p.series.iter().enumerate() {
        mark(svg, s, [entry(i), y], 6.0, 0.75);
        text(svg, [entry(i) + 11.0, y + 4.5], "font-size=\"12\"", &s.name);
    }
    let x = entry(count - 1);
    line(svg, [x - 6.0, y], [x + 6.0, y], "black\" stroke-width=\"1.6");
    line(svg, [x, y - 6.0], [x, y + 6.0], "black\" stroke-width=\"1.6");
    text(svg, [x + 11.0, y + 4.5], "font-size=\"12\"", "Origin");
}

/// The square of the plane that a plot shows.
struct View {
    low: [f64; 2],
    span: f64,
}

impl View {
    fn of(p: &Panel) -> View {
        let all = || p.series.iter().flat_map(|s| s.points.iter().chain(&s.background));
        let ends = [0, 1].map(|axis| {
            let at = all().map(|p| p[axis]).filter(|x| x.is_finite());
            at.fold((0.0f64, 0.0f64), |(low, high), x| (low.min(x), high.max(x)))
        });
        let widest = ends.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
        let span = if widest > 0.0 { 1.16 * widest } else { 1.0 };
        View { low: ends.map(|(low, high)| (low + high - span) / 2.0), span }
    }

    fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let scale = SIDE / self.span;
        [LEFT + (x - self.low[0]) * scale, TOP + SIDE - (y - self.low[1]) * scale]
    }
}

/// Round numbers within a range: five to a dozen of them.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = power * [1.0, 2.0, 5.0, 10.0].into_iter().rfind(|s| s * power <= rough).unwrap_or(1.0);
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
    let style = format!("fill=\"{}\" fill-opacity=\"{opacity}\" stroke=\"white\"", s.colour);
    let _ = match s.mark {
        Mark::Circle => writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\" {style}/>"),
        Mark::Square => writeln!(
            svg,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{}\" height=\"{}\" {style}/>",
            x - 0.9 * r,
            y - 0.9 * r,
            1.8 * r,
            1.8 * r
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
        let shown = |low, high| ticks(low, high).into_iter().map(label).collect::<Vec<_>>();
        assert_eq!(shown(-1.2, 1.3), ["−1", "−0.5", "0", "0.5", "1"]);
        assert_eq!(shown(-30.0, 900.0), ["0", "100", "200", "300", "400", "500", "600", "700", "800", "900"]);
        assert_eq!(
            shown(0.012, 0.031),
            ["0.012", "0.014", "0.016", "0.018", "0.02", "0.022", "0.024", "0.026", "0.028", "0.03"]
        );
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
            assert!(x > LEFT && x < LEFT + SIDE && y > TOP && y < TOP + SIDE, "{p:?} is drawn at {x}, {y}");
        }
        let svg = scatter(&[panel]);
        // Each series' points, and its mark in the legend.
        assert_eq!((svg.matches("<circle").count(), svg.matches("<polygon").count()), (3, 3));
        assert!(svg.contains("a &lt; b &amp; c") && svg.ends_with("</svg>\n"));
    }
}
