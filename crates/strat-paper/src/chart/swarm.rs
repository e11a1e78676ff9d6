//! Every learner of every row as a dot at its error, on a logarithmic axis: where dots are many, they pile up.

use super::axis::{Axis, BEYOND};
use super::canvas::{Canvas, Datum, Drawing};
use super::look::Look;
use super::{RIGHT, WIDTH, frame};
use crate::table::number;
use strat::metric::Metric;

/// A learner's seed and its score.
pub type Score = (u64, f64);

const LEFT: f64 = 136.0;
const TOP: f64 = 50.0;
const ROW: f64 = 58.0;
/// Dots of a row; of more learners, only every so-maniest by rank is drawn, which leaves the shape as it is.
const MOST: usize = 500;
/// How far from the edge those are that diverged.
const EDGE: f64 = 8.0;
/// Width of the piles.
const PILE: f64 = 3.2;

/// Rows of learners by one metric, with lines at thresholds.
pub fn draw(title: &str, metric: &Metric, rows: &[(&str, Vec<Score>)], thresholds: &[f64]) -> Drawing {
    let right = WIDTH - RIGHT;
    let bottom = TOP + ROW * rows.len() as f64;
    let all = rows.iter().flat_map(|(_, scores)| scores.iter().map(|s| s.1)).chain(thresholds.iter().copied());
    // Who diverged has a place of its own at the end.
    let diverged = |x: f64| x.is_nan() || x > BEYOND;
    let beyond = if rows.iter().any(|(_, scores)| scores.iter().any(|s| diverged(s.1))) { 40.0 } else { 0.0 };
    let axis = Axis::decades(all, [LEFT, right - beyond]);
    let mut c = Canvas::new();
    let name = match rows.iter().map(|(_, scores)| scores.len().div_ceil(MOST)).max() {
        Some(step @ 2..) => format!("{}, a dot for every {step} learners", metric.heading),
        _ => format!("{}, a dot for every learner", metric.heading),
    };
    frame::horizontal(&mut c, title, &axis, [LEFT, TOP, right, bottom], &name);
    for (i, (row, scores)) in rows.iter().enumerate() {
        let middle = TOP + ROW * (i as f64 + 0.5);
        if i > 0 {
            c.line([LEFT, middle - ROW / 2.0], [right, middle - ROW / 2.0], "rule");
        }
        label(&mut c, middle, row);
        let sample = thinned(scores);
        c.series(Look::of(row), row, |c| {
            for (pile, height, (seed, x)) in piled(&axis, &sample) {
                let pile = if diverged(*x) { right - EDGE } else { pile };
                let tip = format!("{row}, seed {seed}: {}", number(metric.unit, *x));
                let of = format!("{row}#{seed}");
                let datum = Datum { of: &of, metric: &metric.name, value: *x, tip };
                c.circle([pile, middle + height], 1.5, "dot", &datum);
            }
        });
    }
    if beyond > 0.0 {
        c.text([right - EDGE, bottom + 17.0], "small quiet middle", "> 1e9");
    }
    for t in thresholds {
        c.line([axis.at(*t), TOP], [axis.at(*t), bottom], "threshold");
        c.text([axis.at(*t), TOP - 5.0], "small middle", &format!("{t}"));
    }
    c.finish([WIDTH, bottom + 46.0], title)
}

/// A row's name, in two lines if it is long: what stands in brackets, or from the space nearest to its middle on, stands
/// below.
fn label(c: &mut Canvas, y: f64, name: &str) {
    let long = name.chars().count() > 16;
    let off_middle = |at: &usize| at.abs_diff(name.len() / 2);
    let middle = || name.match_indices(' ').map(|(at, _)| at).min_by_key(off_middle).filter(|_| long);
    match name.split_once(" (").or_else(|| middle().map(|at| (&name[..at], &name[at + 1..]))) {
        Some((first, rest)) => {
            c.text([LEFT - 8.0, y - 3.0], "end", first);
            c.text([LEFT - 8.0, y + 12.0], "small quiet end", &rest.replace(')', ""));
        }
        None => c.text([LEFT - 8.0, y + 4.0], "end", name),
    }
}

/// In order of score, at most so many. Learners that diverged are the worst.
fn thinned(scores: &[Score]) -> Vec<Score> {
    let mut sorted: Vec<Score> =
        scores.iter().map(|&(s, x)| (s, if x.is_nan() { f64::INFINITY } else { x })).collect();
    sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
    sorted.into_iter().step_by(scores.len().div_ceil(MOST).max(1)).collect()
}

/// Places of dots: piles from the middle outwards, as high as the row allows.
fn piled<'a>(axis: &Axis, sorted: &'a [Score]) -> Vec<(f64, f64, &'a Score)> {
    let pile_of = |x: f64| (axis.at(x) / PILE).round();
    let piles = sorted.chunk_by(|a, b| pile_of(a.1) == pile_of(b.1));
    let highest = piles.clone().map(<[Score]>::len).max().unwrap_or(1) as f64;
    let step = ((ROW - 8.0) / highest).min(PILE);
    let one = |pile: &'a [Score]| {
        let place = |(k, score): (usize, &'a Score)| {
            // 0, −1, 1, −2, 2, …
            let side = if k % 2 == 1 { -1.0 } else { 1.0 };
            (pile_of(score.1) * PILE, side * step * k.div_ceil(2) as f64, score)
        };
        pile.iter().enumerate().map(place).collect::<Vec<_>>()
    };
    piles.flat_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use strat::metric::Metric;

    #[test]
    fn a_dot_for_every_learner_inside_of_its_row() {
        let scores: Vec<Score> = (0..400).map(|i| (i, 30.0 + (i % 7) as f64)).chain([(400, f64::NAN)]).collect();
        let svg = draw("t", &Metric::OOD_MAE, &[("a (b)", scores.clone())], &[20.0, 100.0]).inline();
        assert_eq!(svg.matches("class=\"mark dot\"").count(), 401);
        assert!(svg.contains("data-value=\"inf\"") && svg.contains("seed 400: ∞"));
        let axis = Axis::decades([30.0], [0.0, 100.0]);
        assert!(piled(&axis, &thinned(&scores)).iter().all(|(_, y, _)| y.abs() <= ROW / 2.0));
    }

    #[test]
    fn thousands_are_thinned_by_rank() {
        let scores: Vec<Score> = (0..4000).map(|i| (i, 1.0 + i as f64)).collect();
        let few = thinned(&scores);
        assert_eq!((few.len(), few[0].1, few[499].1), (500, 1.0, 3993.0));
    }
}
