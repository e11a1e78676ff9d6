//! Figure 3: the learned types of one learner of each row on their principal components.

use super::{WIDTH, categories, percent, shown_list, shown_sum, solving};
use crate::chart::Drawing;
use crate::chart::scatter::{self, Mark, Panel, Series};
use crate::paper;
use strat::inspect::{Pca, learned_types};
use strat::result::{LearnerResult, LearnerRow};

/// Both halves; one that no learner is there for, or whose learner's types are no numbers, is left out. The learners
/// need their weights.
pub fn draw(rows: &[LearnerRow]) -> Vec<Drawing> {
    let learners = |i: usize| rows.get(i).map_or(&[][..], |row| &row.learners);
    let sums = learners(0);
    let left = shown_sum(sums).map(|l| sum_panel(l, &solving(sums)));
    let right = shown_list(learners(1)).map(list_panel);
    let is_drawn = |panel: &&Panel| panel.series.iter().all(|s| s.points.iter().flatten().all(|x| x.is_finite()));
    left.iter().chain(&right).filter(is_drawn).map(scatter::draw).collect()
}

fn labels(pca: &Pca) -> [String; 2] {
    let [first, second] = percent(pca);
    [format!("PC1 ({first} of variance)"), format!("PC2 ({second} of variance)")]
}

/// Figure 3, left.
fn sum_panel(l: &LearnerResult, others: &[&LearnerResult]) -> Panel {
    let pca = |l: &LearnerResult| Pca::of(&learned_types(&l.weights, WIDTH));
    let ours = pca(l);
    // Each on its own axes, since every learner may turn the space as it likes.
    let is_finite = |p: &Pca| p.points.iter().flatten().all(|x| x.is_finite());
    let behind: Vec<Pca> = others.iter().filter(|o| o.seed != l.seed).map(|o| pca(o)).filter(is_finite).collect();
    let series = |kind: usize, name: &str, colour| Series {
        name: name.into(),
        colour,
        mark: Mark::Circle,
        points: vec![ours.points[kind]],
        background: behind.iter().map(|p| p.points[kind]).collect(),
    };
    let cosine = format!("{:.2}", l.score("cosine_plus_minus")).replace('-', "−");
    Panel {
        title: "Signed sum".into(),
        subtitle: format!("seed {}, cosine(+, −) {cosine}; pale: others that solve it", l.seed),
        labels: labels(&ours),
        series: vec![series(0, "Number", 1), series(1, "Plus", 4), series(2, "Minus", 3)],
    }
}

/// Figure 3, right.
fn list_panel(l: &LearnerResult) -> Panel {
    let pca = Pca::of(&learned_types(&l.weights, WIDTH));
    let points: Vec<Vec<f64>> = pca.points.iter().map(|p| p.to_vec()).collect();
    let items = categories(&points);
    let series = |category: usize, colour, mark| Series {
        name: paper::CENTROIDS[category].0.into(),
        colour,
        mark,
        points: items[category].iter().map(|p| [p[0], p[1]]).collect(),
        background: vec![],
    };
    Panel {
        title: "Grocery list".into(),
        subtitle: format!("seed {}; distractor centroids {:.3} apart", l.seed, l.score("distractor_distance")),
        labels: labels(&pca),
        series: vec![series(0, 1, Mark::Circle), series(1, 5, Mark::Square), series(2, 4, Mark::Triangle)],
    }
}
