//! Every learner of every row as a dot at its score: errors on a logarithmic axis, accuracies in percent. Where dots are many, they
//! pile up.

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
/// Width of the piles: small where learners are many.
const PILE: f64 = 3.2;
/// And where a row has at most [`FEW`].
const WIDE_PILE: f64 = 6.4;
const FEW: usize = 40;

/// Rows of learners by one metric, with lines at thresholds.
pub fn draw(title: &str, metric: &Metric, rows: &[(&str, Vec<Score>)], thresholds: &[f64]) -> Drawing {
    let right = WIDTH - RIGHT;
    let bottom = TOP + ROW * rows.len() as f64;
    let percent = metric.unit.is_percent();
    let all = || rows.iter().flat_map(|(_, scores)| scores.iter().map(|s| s.1)).chain(thresholds.iter().copied());
    // Who diverged has a place of its own at the end.
    let diverged = |x: f64| x.is_nan() || x > BEYOND;
    let beyond = if rows.iter().any(|(_, scores)| scores.iter().any(|s| diverged(s.1))) { 40.0 } else { 0.0 };
    let axis = if percent {
        let least = all().filter(|x| x.is_finite()).fold(1.0, f64::min);
        Axis::linear(((10.0 * least).floor() * 10.0).clamp(0.0, 90.0), 100.0, [LEFT, right - beyond])
    } else {
        Axis::decades(all(), [LEFT, right - beyond])
    };
    let at = |x: f64| axis.at(if percent { 100.0 * x } else { x });
    let mut c = Canvas::new();
    let heading = if percent { format!("{} in %", metric.heading) } else { metric.heading.to_string() };
    let longest = rows.iter().map(|(_, scores)| scores.len()).max().unwrap_or(0);
    let width = if longest <= FEW { WIDE_PILE } else { PILE };
    let each = match longest.div_ceil(MOST) {
        0 | 1 => "learner".to_string(),
        step => format!("{step} learners"),
    };
    let name = format!("{heading}, a dot for every {each}");
    frame::horizontal(&mut c, title, &axis, [LEFT, TOP, right, bottom], &name);
    for (i, (row, scores)) in rows.iter().enumerate() {
        let middle = TOP + ROW * (i as f64 + 0.5);
        if i > 0 {
            c.line([LEFT, middle - ROW / 2.0], [right, middle - ROW / 2.0], "rule");
        }
        label(&mut c, middle, row);
        let sample = thinned(scores);
        c.series(Look::of(row), row, |c| {
            for (pile, height, (seed, x)) in piled(at, width, &sample) {
                let pile = if diverged(*x) { right - EDGE } else { pile };
                let tip = format!("{row}, seed {seed}: {}", number(metric.unit, *x));
                let of = format!("{row}#{seed}");
                let datum = Datum { of: &of, metric: &metric.name, value: *x, tip };
                c.circle([pile, middle + height], width / 2.0 - 0.1, "dot", &datum);
            }
        });
    }
    if beyond > 0.0 {
        c.text([right - EDGE, bottom + 17.0], "small quiet middle", "> 1e9");
    }
    for t in thresholds {
        c.line([at(*t), TOP], [at(*t), bottom], "threshold");
        c.text([at(*t), TOP - 5.0], "small middle", &format!("{t}"));
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
fn piled(at: impl Fn(f64) -> f64, width: f64, sorted: &[Score]) -> Vec<(f64, f64, &Score)> {
    let pile_of = |x: f64| (at(x) / width).round();
    let piles = sorted.chunk_by(|a, b| pile_of(a.1) == pile_of(b.1));
    let highest = piles.clone().map(<[Score]>::len).max().unwrap_or(1) as f64;
    let step = ((ROW - 8.0) / highest).min(width);
    piles
        .flat_map(|pile| pile.iter().enumerate())
        .map(|(k, score)| {
            // 0, −1, 1, −2, 2, …
            let side = if k % 2 == 1 { -1.0 } else { 1.0 };
            (pile_of(score.1) * width, side * step * k.div_ceil(2) as f64, score)
        })
        .collect()
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
        assert!(piled(|x| axis.at(x), PILE, &thinned(&scores)).iter().all(|(_, y, _)| y.abs() <= ROW / 2.0));
    }

    #[test]
    fn accuracies_stand_in_percent() {
        let scores = vec![(41, 0.73), (42, 1.0)];
        let svg = draw("t", &Metric::OOD_ACCURACY, &[("a", scores)], &[]).inline();
        assert!(svg.contains(" in %, a dot for every learner") && svg.contains("seed 41: 73.0 %"), "{svg}");
        // The axis goes from 70 to 100.
        let right = WIDTH - RIGHT;
        let place = |x: f64| {
            format!("cx=\"{:.1}\"", ((LEFT + (right - LEFT) * (x - 70.0) / 30.0) / WIDE_PILE).round() * WIDE_PILE)
        };
        assert!(svg.contains(&place(73.0)) && svg.contains(&place(100.0)), "{svg}");
    }

    #[test]
    fn thousands_are_thinned_by_rank() {
        let scores: Vec<Score> = (0..4000).map(|i| (i, 1.0 + i as f64)).collect();
        let few = thinned(&scores);
        assert_eq!((few.len(), few[0].1, few[499].1), (500, 1.0, 3993.0));
    }
}
