//! The few shapes that figures are made of.

use super::look::Look;
use super::{COLOURS, STYLE};
use std::fmt::{Display, Write};

/// A finished figure or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    width: f64,
    height: f64,
    /// For those who cannot see it.
    label: String,
    body: String,
}

impl Drawing {
    /// An `svg` element for a page that has the classes' looks.
    pub fn inline(&self) -> String {
        self.element("", "")
    }

    /// A file of its own, on white.
    pub fn standalone(&self) -> String {
        let mut style = STYLE.to_string();
        // The first colours are the light ones.
        for line in COLOURS.lines() {
            if let Some((name, colour)) = line.trim().trim_end_matches(';').split_once(": ") {
                style = style.replace(&format!("var({name})"), colour);
            }
        }
        self.element(
            &format!("<style>\n{style}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"),
            "\n",
        )
    }

    fn element(&self, before: &str, end: &str) -> String {
        let Drawing { width, height, label, body } = self;
        format!(
            "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" aria-label=\"{}\">\n{before}{body}</svg>{end}",
            escaped(label)
        )
    }

    /// Drawings of one height side by side.
    pub fn beside(drawings: &[Drawing]) -> Drawing {
        let mut all = Canvas::new();
        let mut x = 0.0;
        for d in drawings {
            let _ = write!(all.body, "<g transform=\"translate({x} 0)\">\n{}</g>\n", d.body);
            x += d.width;
        }
        let label = drawings.iter().map(|d| d.label.as_str()).collect::<Vec<_>>().join("; ");
        let height = drawings.iter().map(|d| d.height).fold(0.0, f64::max);
        all.finish([x, height], &label)
    }
}

/// Text as it stands in XML and HTML, attributes included.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // XML has no such characters.
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A number that a mark stands for: as it was recorded, and as it is told to whoever points at it.
pub(super) struct Datum<'a> {
    /// Which row or learner.
    pub of: &'a str,
    /// Which of its numbers.
    pub metric: &'a str,
    /// All its digits.
    pub value: f64,
    /// In words.
    pub tip: String,
}

impl Display for Datum<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Datum { of, metric, value, tip } = self;
        let (of, metric, tip) = (escaped(of), escaped(metric), escaped(tip));
        write!(f, "data-of=\"{of}\" data-metric=\"{metric}\" data-value=\"{value}\" data-tip=\"{tip}\"")
    }
}

/// Where shapes are put.
#[derive(Default)]
pub(super) struct Canvas {
    body: String,
}

impl Canvas {
    pub fn new() -> Self {
        Canvas::default()
    }

    pub fn finish(self, [width, height]: [f64; 2], label: &str) -> Drawing {
        Drawing { width, height, label: label.into(), body: self.body }
    }

    pub fn text(&mut self, [x, y]: [f64; 2], class: &str, words: &str) {
        let _ = writeln!(self.body, "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{}</text>", escaped(words));
    }

    /// Read from below to above.
    pub fn upright(&mut self, [x, y]: [f64; 2], words: &str) {
        let _ = writeln!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"quiet middle\" transform=\"rotate(-90 {x:.1} {y:.1})\">{}</text>",
            escaped(words)
        );
    }

    pub fn line(&mut self, a: [f64; 2], b: [f64; 2], class: &str) {
        let _ = writeln!(
            self.body,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" class=\"{class}\"/>",
            a[0], a[1], b[0], b[1]
        );
    }

    pub fn rect(&mut self, [x, y]: [f64; 2], [w, h]: [f64; 2], class: &str) {
        let _ = writeln!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" class=\"{class}\"/>"
        );
    }

    /// A line through points; closed, an area.
    pub fn path(&mut self, points: impl IntoIterator<Item = [f64; 2]>, closed: bool, class: &str) {
        let mut d = String::new();
        for (i, [x, y]) in points.into_iter().enumerate() {
            let _ = write!(d, "{}{x:.1} {y:.1}", if i == 0 { "M" } else { "L" });
        }
        let _ = writeln!(self.body, "<path d=\"{d}{}\" class=\"{class}\"/>", if closed { "Z" } else { "" });
    }

    /// An ordinary bar that stands for a number.
    pub fn bar(&mut self, [x, y]: [f64; 2], [w, h]: [f64; 2], class: &str, datum: &Datum<'_>) {
        let _ = writeln!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" class=\"mark {class}\" {datum}/>"
        );
    }

    /// ● that stands for a number.
    pub fn circle(&mut self, [x, y]: [f64; 2], r: f64, class: &str, datum: &Datum<'_>) {
        let _ =
            writeln!(self.body, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\" class=\"mark {class}\" {datum}/>");
    }

    /// ■ that stands for a number.
    pub fn square(&mut self, [x, y]: [f64; 2], r: f64, class: &str, datum: &Datum<'_>) {
        self.bar([x - r, y - r], [2.0 * r, 2.0 * r], class, datum);
    }

    /// ▲ that stands for a number.
    pub fn triangle(&mut self, [x, y]: [f64; 2], r: f64, class: &str, datum: &Datum<'_>) {
        self.polygon(&[[x, y - 1.15 * r], [x - r, y + 0.75 * r], [x + r, y + 0.75 * r]], class, datum);
    }

    /// ◆ that stands for a number of the paper.
    pub fn diamond(&mut self, [x, y]: [f64; 2], r: f64, datum: &Datum<'_>) {
        self.polygon(&[[x, y - r], [x + r, y], [x, y + r], [x - r, y]], "theirs", datum);
    }

    /// ◇ that stands for a number of the paper, small beside ours.
    pub fn hollow_diamond(&mut self, [x, y]: [f64; 2], r: f64, datum: &Datum<'_>) {
        self.polygon(&[[x, y - r], [x + r, y], [x, y + r], [x - r, y]], "theirs own", datum);
    }

    /// ◆ in a legend.
    pub fn plain_diamond(&mut self, [x, y]: [f64; 2], r: f64) {
        self.path([[x, y - r], [x + r, y], [x, y + r], [x - r, y]], true, "theirs");
    }

    fn polygon(&mut self, corners: &[[f64; 2]], class: &str, datum: &Datum<'_>) {
        let points: Vec<String> = corners.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(self.body, "<polygon points=\"{}\" class=\"mark {class}\" {datum}/>", points.join(" "));
    }

    /// What belongs to one series, as this looks.
    pub fn series(&mut self, look: Look, name: &str, draw: impl FnOnce(&mut Canvas)) {
        let _ = writeln!(self.body, "<g class=\"{}\" data-series=\"{}\">", look.classes(), escaped(name));
        draw(self);
        self.body.push_str("</g>\n");
    }

    /// Marks with names, one beside the other from `x` on, below each other where there is no room. Returns the
    /// lowest y.
    pub fn legend(&mut self, [x0, y0]: [f64; 2], right: f64, entries: &[Entry<'_>]) -> f64 {
        let [mut x, mut y] = [x0, y0];
        for Entry { mark, name } in entries {
            let width = 30.0 + 6.4 * name.chars().count() as f64;
            if x > x0 && x + width > right {
                (x, y) = (x0, y + 18.0);
            }
            let at = [x + 6.0, y];
            match mark {
                Sign::Circle(s) => self.series(*s, name, |c| c.plain_circle(at, 5.0, "point")),
                Sign::Disc(s) => self.series(*s, name, |c| c.plain_circle(at, 4.5, "full")),
                Sign::Pale(s) => self.series(*s, name, |c| c.plain_circle(at, 4.5, "pale")),
                Sign::Square(s) => self.series(*s, name, |c| c.rect([at[0] - 5.0, y - 5.0], [10.0, 10.0], "point")),
                Sign::Triangle(s) => {
                    let corners = [[at[0], y - 6.0], [at[0] - 5.0, y + 4.0], [at[0] + 5.0, y + 4.0]];
                    self.series(*s, name, |c| c.path(corners, true, "point"));
                }
                Sign::Line(s) => self.series(*s, name, |c| c.line([at[0] - 6.0, y], [at[0] + 6.0, y], "curve")),
                Sign::Dashed(s) => {
                    self.series(*s, name, |c| c.line([at[0] - 6.0, y], [at[0] + 6.0, y], "theirline"))
                }
                Sign::Paper => self.plain_diamond(at, 5.0),
                Sign::Cross => self.cross(at),
                Sign::Error => self.whisker([[at[0] - 6.0, y], [at[0] + 6.0, y]], 3.0, "error"),
            }
            self.text([x + 16.0, y + 4.0], "small", name);
            x += width;
        }
        y
    }

    pub fn plain_circle(&mut self, [x, y]: [f64; 2], r: f64, class: &str) {
        let _ = writeln!(self.body, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\" class=\"{class}\"/>");
    }

    /// +
    pub fn cross(&mut self, [x, y]: [f64; 2]) {
        self.line([x - 6.0, y], [x + 6.0, y], "cross");
        self.line([x, y - 6.0], [x, y + 6.0], "cross");
    }

    /// A line with a stroke across each end.
    pub fn whisker(&mut self, [a, b]: [[f64; 2]; 2], half: f64, class: &str) {
        let across = if a[1] == b[1] { [0.0, half] } else { [half, 0.0] };
        self.line(a, b, class);
        for [x, y] in [a, b] {
            self.line([x - across[0], y - across[1]], [x + across[0], y + across[1]], class);
        }
    }
}

/// A mark of a legend, with the look of its series.
pub(super) enum Sign {
    Circle(Look),
    Disc(Look),
    Pale(Look),
    Square(Look),
    Triangle(Look),
    Line(Look),
    Dashed(Look),
    Paper,
    Cross,
    Error,
}

/// One line of a legend.
pub(super) struct Entry<'a> {
    pub mark: Sign,
    pub name: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_a_file_becomes_markup() {
        let nasty = "</svg><script>\"'&\u{0}";
        let mut c = Canvas::new();
        c.text([0.0, 0.0], "small", nasty);
        c.circle([1.0, 1.0], 2.0, "dot", &Datum { of: nasty, metric: nasty, value: 0.1, tip: nasty.into() });
        let svg = c.finish([10.0, 10.0], nasty).inline();
        assert_eq!((svg.matches("<script").count(), svg.matches("</svg>").count()), (0, 1));
        assert!(svg.contains("data-value=\"0.1\"") && !svg.contains('\u{0}'));
    }

    #[test]
    fn a_file_of_its_own_has_its_colours() {
        let svg = Canvas::new().finish([10.0, 10.0], "nothing").standalone();
        assert!(svg.contains(".chart .s0 { color: #6b3fa0; }"), "{svg}");
        assert!(!svg.contains("var("), "{svg}");
    }
}
