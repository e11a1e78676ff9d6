//! What every plot has: a title, a field with a grid, the axis and its name.

use super::axis::Axis;
use super::canvas::Canvas;

/// A plot whose numbers run from left to right, in the field `[left, top, right, bottom]`.
pub(super) fn horizontal(c: &mut Canvas, title: &str, axis: &Axis, field: [f64; 4], name: &str) {
    let [left, top, right, bottom] = field;
    c.text([(left + right) / 2.0, 20.0], "title", title);
    c.rect([left, top], [right - left, bottom - top], "plot");
    across(c, axis, field);
    c.text([(left + right) / 2.0, bottom + 36.0], "quiet middle", name);
}

/// Its grid, with numbers below.
pub(super) fn across(c: &mut Canvas, axis: &Axis, [left, top, right, bottom]: [f64; 4]) {
    for (x, name) in axis.ticks() {
        let x = axis.at(x);
        if x > left + 0.5 && x < right - 0.5 {
            c.line([x, top], [x, bottom], "grid");
        }
        c.text([x, bottom + 17.0], "small quiet middle", &name);
    }
}

/// A grid whose numbers stand on the left.
pub(super) fn upwards(c: &mut Canvas, axis: &Axis, [left, top, right, bottom]: [f64; 4]) {
    for (y, name) in axis.ticks() {
        let y = axis.at(y);
        if y > top + 0.5 && y < bottom - 0.5 {
            c.line([left, y], [right, y], "grid");
        }
        c.text([left - 7.0, y + 4.0], "small quiet end", &name);
    }
}
